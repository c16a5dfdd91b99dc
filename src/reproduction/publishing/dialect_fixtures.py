# SPDX-License-Identifier: MIT
"""What tools computed on stored lists, beside what their dialects compute."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from receval.metrics.dialects.dialect import Dialect
from receval.metrics.dialects.registry import dialect
from receval.metrics.evaluation import evaluate, evaluated_lists
from receval.metrics.judged_items import JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

_THRESHOLD = re.compile(r"[ ,]?(?:-l|rel=|relevance_threshold=|rating_threshold=|threshold=)(\d+)")
_LEAST = re.compile(r" ?test>=(\d+)")

WITHOUT_DIALECT = {"clayrs": "what is relevant to ClayRS depends on the user's mean test rating"}
"""Tools whose values are there for single metrics, and why they have no dialect."""


@dataclass(frozen=True)
class FixtureValue:
    """A value that a tool gave, and ours.

    Attributes
    ----------
    tool, case, name : str
        ``name`` as the fixture has it.
    user : str
        Empty for an average.
    theirs : float or None
        None where the tool says NaN.
    ours : float
    """

    tool: str
    case: str
    name: str
    user: str
    theirs: float | None
    ours: float

    @property
    def deviation(self) -> float:
        """The absolute difference; 0 where the tool has no number."""
        return 0.0 if self.theirs is None else abs(self.theirs - self.ours)


def fixture_name(name: str) -> tuple[str, float | None, float | None]:
    """Return a fixture's name without what was done to the data.

    Returns
    -------
    threshold : float or None
        From which rating on test items were relevant to the tool, if it was told.

    Examples
    --------
    >>> fixture_name("NDCG@5 gain=rating test>=4")
    ('NDCG@5 gain=rating', None, 4.0)
    >>> fixture_name("P(rel=4)@5"), fixture_name("ndcg@5-l4")
    (('P@5', 4.0, None), ('ndcg@5', 4.0, None))
    """
    least, threshold = _LEAST.search(name), _THRESHOLD.search(name)
    plain = _THRESHOLD.sub("", _LEAST.sub("", name)).replace("()", "").strip()
    plain = re.sub(r"\bwithout (\w+)", r"without=\1", plain)
    plain = (
        plain.replace("@-1", "").replace(" -J", " judged_only=True").replace(" include_missing", "")
    )
    return (
        plain,
        None if threshold is None else float(threshold[1]),
        None if least is None else float(least[1]),
    )


def values_of_lists(
    spoken: Dialect, metric: Metric, case: Mapping[str, Any], least: float | None = None
) -> tuple[dict[str, float], JudgedLists, list[str]]:
    """Measure a case's lists in a dialect."""
    lists, users = _lists_of(spoken, case, least)
    return _by_user(metric, lists, users), lists, users


def _by_user(metric: Metric, lists: JudgedLists, users: list[str]) -> dict[str, float]:
    return dict(zip(users, evaluate([metric], lists)[0].tolist(), strict=True))


def _lists_of(
    spoken: Dialect, case: Mapping[str, Any], least: float | None
) -> tuple[JudgedLists, list[str]]:
    test = {
        user: {item: value for item, value in own.items() if least is None or value >= least}
        for user, own in case["test"].items()
    }
    users = sorted({user for user, own in test.items() if own} | set(case["run"]))
    rows = [
        (u, i, v) for u, user in enumerate(users) for i, v in sorted(test.get(user, {}).items())
    ]
    places = [_places(case["run"].get(user, []), spoken) for user in users]
    codes = {item: code for code, item in enumerate(sorted({item for _, item, _ in rows}))}
    judgments = Judgments.from_pairs(
        np.array([u for u, _, _ in rows], dtype=np.int64),
        np.array([codes[item] for _, item, _ in rows], dtype=np.int64),
        np.array([value for _, _, value in rows], dtype=np.float32),
        len(users),
    )
    lengths = np.array([len(own) for own in places], dtype=np.int32)
    ranks = np.array([places[u].get(item, 0) for u, item, _ in rows], dtype=np.int32)
    judged = replace(
        JudgedItems.of(judgments, spoken.threshold(judgments.values)),
        negative_is_unjudged=spoken.negative_is_unjudged,
    )
    judged_ranks = JudgedRanks(ranks, lengths=lengths, candidates=lengths)
    return JudgedLists.measured_by(judged, judged_ranks, Protocol()), users


def _places(run: list[list[Any]], spoken: Dialect) -> dict[str, int]:
    if spoken.ties == "trec":
        run = sorted(run, key=lambda entry: entry[0], reverse=True)
        scored = np.float32 if spoken.is_single else np.float64
        run = sorted(run, key=lambda entry: -scored(entry[1]))
    return {item: place for place, (item, _) in enumerate(run, 1)}


def compared(tool: str, folder: Path) -> tuple[list[FixtureValue], dict[str, str]]:
    """Return all values of a tool beside ours, and the metrics that there are none of."""
    cases = json.loads((folder / "lists.json").read_text(encoding="utf-8"))["cases"]
    fixture = json.loads((folder / f"{tool}.json").read_text(encoding="utf-8"))
    values: list[FixtureValue] = []
    refused: dict[str, str] = {}
    own = dialect(tool)
    for case, metrics in fixture["values"].items():
        # Metrics of a case differ in few thresholds, and share its lists.
        known: dict[tuple[float | None, float | None], tuple[JudgedLists, list[str]]] = {}
        for name, theirs in metrics.items():
            plain, threshold, least = fixture_name(name)
            spoken = own if threshold is None else replace(own, relevant=threshold)
            try:
                metric = spoken.metric(plain)
            except ValueError as error:
                refused[name] = str(error)
                continue
            if (threshold, least) not in known:
                known[threshold, least] = _lists_of(spoken, cases[case], least)
            lists, users = known[threshold, least]
            by_user = _by_user(metric, lists, users)
            for user, value in (theirs["per_user"] or {}).items():
                values.append(FixtureValue(tool, case, name, user, value, by_user[user]))
            if theirs["mean"] is not None:
                chosen = evaluated_lists(lists, spoken.users_of(plain))
                averaged = [by_user[users[place]] for place in np.flatnonzero(chosen)]
                ours = float(np.mean(averaged))
                values.append(FixtureValue(tool, case, name, "", theirs["mean"], ours))
    return values, refused


def fixture_tools(folder: Path) -> list[str]:
    """Return the names of the tools with a dialect whose values are in a folder."""
    others = {"lists", *WITHOUT_DIALECT}
    return sorted(path.stem for path in folder.glob("*.json") if path.stem not in others)
