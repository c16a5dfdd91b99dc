# SPDX-License-Identifier: MIT
"""Random lists that other tools and receval evaluate: writes tests/dialects/fixtures/lists.json.

    python benchmarks/dialects/lists.py

Each case is drawn by its own name, so a new case changes no other. Scores are multiples of 1/8
below 512, which float32 holds exactly; ids are padded with zeros, so their order is that of their
numbers. It needs an environment with receval; the tools' programs (run_*.py) only read the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from receval.seeds import generator

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "dialects" / "fixtures"
USERS = 24
ITEMS = 40
TRAIN = 8  # items of each user
LISTED = 20  # items of a list that is not short
SCORES = 4096  # of which each is a multiple of 1/8

Case = dict[str, Any]


def item(code: int) -> str:
    return f"i{code:02d}"


def user(code: int) -> str:
    return f"u{code:02d}"


def draw(
    name: str,
    *,
    lengths: tuple[int, int] = (LISTED, LISTED),
    values: tuple[int, ...] = (1, 2, 3, 4, 5),
    unloved: int = 0,
    score_levels: int | None = None,
) -> Case:
    """Return lists of items that are not in train, best first, and rated items of each user.

    Lengths of lists are drawn between both `lengths`. The first `unloved` users have ratings below
    4 only; each other user has one of at least 4 if `values` have any. Scores are of
    `score_levels` values, or distinct. Items that a user rated high tend to be listed early.
    """
    generate = generator(1, "dialects", name)
    case: Case = {"test": {}, "run": {}, "train": {}, "n_items": ITEMS}
    high = [value for value in values if value >= 4]
    low = [value for value in values if value < 4]
    for code in range(USERS):
        order = generate.permutation(ITEMS)
        train, candidates = order[:TRAIN], order[TRAIN:]
        rated = candidates[: generate.integers(3, 13)]
        allowed = low if code < unloved else list(values)
        ratings = generate.choice(allowed, size=len(rated))
        if high and code >= unloved and ratings.max() < 4:
            ratings[generate.integers(len(rated))] = generate.choice(high)
        liking = dict(zip(rated.tolist(), ratings.tolist(), strict=True))
        length = generate.integers(lengths[0], lengths[1] + 1)
        keys = generate.random(len(candidates)) + [
            0.1 * liking.get(c, 0) for c in candidates.tolist()
        ]
        listed = candidates[np.argsort(-keys)][:length].tolist()
        if score_levels is None:
            scores = generate.choice(np.arange(1, SCORES), size=length, replace=False)
        else:
            scores = 8 * generate.integers(1, score_levels + 1, size=length)
        scores = np.sort(scores)[::-1] / 8
        case["test"][user(code)] = {item(c): int(liking[c]) for c in sorted(liking)}
        case["run"][user(code)] = [
            [item(c), float(s)] for c, s in zip(listed, scores.tolist(), strict=True)
        ]
        case["train"][user(code)] = sorted(item(c) for c in train.tolist())
    return case


def without(case: Case, part: str, codes: range) -> Case:
    for code in codes:
        del case[part][user(code)]
    return case


def cases() -> dict[str, Case]:
    everything = (ITEMS - TRAIN, ITEMS - TRAIN)
    missing = draw("missing", unloved=2)
    # Of both kinds one has no relevant item at threshold 4: users 0 and 1 are unloved.
    missing = without(without(missing, "run", range(1, 5)), "test", range(20, USERS))
    return {
        "plain": draw("plain"),
        "full": draw("full", lengths=everything),
        "short": draw("short", lengths=(1, 9)),
        "missing": missing,
        "no-relevant": draw("no-relevant", unloved=6),
        "ties": draw("ties", lengths=everything, score_levels=6),
        "binary": draw("binary", values=(1,)),
        # Everybody has an item of at least 0: trec_eval has no answer for others.
        "negative": draw("negative", values=(-3, -2, -1, 0, 1, 2, 3, 4, 5)),
    }


def text_of(content: dict[str, Any]) -> str:
    """Return JSON of one line a user, which differences of versions show."""
    lines = ['{"cases": {']
    for name, case in content.items():
        lines.append(f'  "{name}": {{"n_items": {case["n_items"]},')
        for part in ("test", "run", "train"):
            lines.append(f'    "{part}": {{')
            rows = [f'      "{who}": {json.dumps(what)}' for who, what in case[part].items()]
            lines.append(",\n".join(rows) + ("\n    }," if part != "train" else "\n    }"))
        lines.append("  }," if name != list(content)[-1] else "  }")
    lines.append("}}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / "lists.json").write_text(text_of(cases()), encoding="utf-8")
