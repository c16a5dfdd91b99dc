# SPDX-License-Identifier: MIT
"""Write the values of ndeval (pyndeval 0.0.8) on random lists with subtopics, as a fixture.

In an environment with pyndeval:

    python benchmarks/dialects/run_ndeval.py
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from pathlib import Path

import pyndeval

TARGET = Path(__file__).resolve().parents[2] / "tests" / "metrics" / "whole_lists"
CUTOFFS = (5, 10, 20)
MEASURES = [f"{name}@{k}" for name in ("alpha-nDCG", "ERR-IA", "strec") for k in CUTOFFS]


def main() -> None:
    """Draw users, items with genres, test items and lists, and write what ndeval computes."""
    draw = random.Random(1)
    items = [f"i{number:02}" for number in range(40)]
    genres = {item: sorted(draw.sample("ABCDEFG", draw.randint(0, 3))) for item in items}
    test, runs = {}, {}
    for number in range(30):
        user = f"u{number:02}"
        test[user] = sorted(draw.sample(items, draw.randint(1, 12)))
        listed = draw.sample(items, draw.randint(1, 25))
        runs[user] = {item: float(len(listed) - place) for place, item in enumerate(listed)}
    qrels = [
        (user, str("ABCDEFG".index(genre) + 1), item, 1)
        for user, relevant in test.items()
        for item in relevant
        for genre in genres[item]
    ]
    run = [(user, item, score) for user, own in runs.items() for item, score in own.items()]
    values = {}
    for alpha in (0.5, 0.3):
        found = pyndeval.ndeval(qrels, run, measures=MEASURES, alpha=alpha)
        values[str(alpha)] = {user: found[user] for user in sorted(found)}
    fixture = {
        "tool": f"pyndeval {version('pyndeval')}",
        "genres": genres,
        "test": test,
        "runs": runs,
        "values": values,
    }
    path = TARGET / "subtopics_ndeval.json"
    path.write_text(json.dumps(fixture, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
