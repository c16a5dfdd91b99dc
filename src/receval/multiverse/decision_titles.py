"""Decisions and their levels as drawings and pages name them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval.figures.decision_rows import Decision
from receval.multiverse.decisions import DECISIONS

TITLES = {
    "selection": "Data selection",
    "split": "Train/test split",
    "users": "Users",
    "non_computable": "NC items",
    "lists": "Lists",
    "metric": "Metric",
    "aggregation": "Aggregation",
    "coverage": "Coverage",
    "test": "Test",
}

_LEVELS = {
    "users": {"trained": "with training ratings", "all": "all"},
    "non_computable": {
        "none": "left out",
        "random": "random order",
        "popularity": "by popularity",
        "average": "by average rating",
    },
    "aggregation": {
        "test-weighted": "weighted by test",
        "positive-weighted": "weighted by positives",
        "geometric": "geometric mean",
    },
    "coverage": {"full": "full average", "reduced": "reduced average"},
    "test": {
        "t": "t-test",
        "t-log": "t-test of logs",
        "sign": "sign test",
        "wilcoxon": "Wilcoxon",
        "bootstrap": "bootstrap share",
    },
}

_SELECTION = {
    "share": "{}% of the ratings",
    "headless": "without top {}% of items",
    "users": "users with {}+",
    "items": "items with {}+",
}


def decision_title(decision: str) -> str:
    """Return the title of a decision with the paper's mark, such as ``A1 Data selection``."""
    return f"{DECISIONS[decision]} {TITLES[decision]}"


def level_title(decision: str, level: str) -> str:
    """Return the title of a level, given in the short words of a CSV."""
    if decision == "selection" and level != "all":
        return ", ".join(_selection(word) for word in level.split("+"))
    if decision == "split":
        kind, _, share = level.partition("-")
        ratio = share.removeprefix("0")
        return f"{ratio} of all ratings" if kind == "random" else f"{ratio} of each user's ratings"
    if decision == "metric":
        name, _, rest = level.partition("-")
        details = re.sub(r"-?phi", ", phi = ", rest).removeprefix(", ")
        return f"{name} ({details})" if details else name
    return _LEVELS.get(decision, {}).get(level, level)


def decisions_of(universes: pd.DataFrame, names: Sequence[str]) -> list[Decision]:
    """Return how each universe took each decision, levels in the order of their first appearance.

    Decisions that all universes took alike are left out: there is nothing to see.
    """
    found = []
    for name in names:
        codes, levels = pd.factorize(universes[name].astype(str))
        if len(levels) > 1:
            titles = tuple(level_title(name, level) for level in levels)
            found.append(Decision(decision_title(name), titles, np.asarray(codes)))
    return found


def _selection(word: str) -> str:
    kind, _, number = word.partition("-")
    value = float(number) * (100 if kind in ("share", "headless") else 1)
    return _SELECTION[kind].format(f"{value:.12g}")
