# SPDX-License-Identifier: MIT
"""Grids of the eight decisions for anybody's ratings, and what their data leaves of them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from receval.data.ratings import Ratings
from receval.metrics.gains import HIGHEST_EXPONENT
from receval.multiverse.decision_grid import DecisionGrid
from receval.notes import Note

GridName = Literal["quick", "full"]

_EVALUATION: dict[str, Any] = {
    "users": ["trained", "all"],
    "lists": ["full", "condensed"],
    "metric": [
        {"name": "nDCG", "depth": 10, "gain": "g1"},
        {"name": "nDCG", "depth": 10, "gain": "g2"},
        {"name": "P", "depth": 10},
        {"name": "RBP", "depth": None},
        {"name": "RBO", "depth": None},
        {"name": "tau", "depth": None},
    ],
    "coverage": ["full", "reduced"],
}

GRIDS: dict[GridName, dict[str, Any]] = {
    "quick": {
        **_EVALUATION,
        "selection": [{}, {"head_removed": 0.05}],
        "split": [
            {"kind": "random", "train_ratio": 0.5},
            {"kind": "random", "train_ratio": 0.8},
        ],
        "non_computable": ["none", "popularity"],
        "aggregation": ["mean", "median", "test-weighted", "geometric"],
        "test": ["t", "t-log", "sign", "wilcoxon"],
    },
    "full": {
        **_EVALUATION,
        "selection": [
            {},
            {"share": 0.5},
            {"head_removed": 0.05},
            {"min_user_ratings": 50, "min_item_ratings": 50},
        ],
        "split": [
            {"kind": "random", "train_ratio": 0.5},
            {"kind": "random", "train_ratio": 0.2},
            {"kind": "random", "train_ratio": 0.8},
            {"kind": "user", "train_ratio": 0.8},
        ],
        "non_computable": ["none", "random", "popularity", "average"],
        "aggregation": ["mean", "median", "test-weighted", "positive-weighted", "geometric"],
        "test": ["t", "t-log", "sign", "wilcoxon", "bootstrap"],
    },
}
"""Levels by decision; the first ones are the starting configuration of canamares2020. The full grid
is that of the repository's own multiverse, 20,480 universes."""

_GRADED_METRICS = ("RBO", "tau")


def grid_of(name: GridName, ratings: Ratings) -> tuple[DecisionGrid, tuple[Note, ...]]:
    """Return a grid without the levels that ratings do not support, and notes on these.

    Examples
    --------
    Without grades there is no exponential gain, and no order of ratings to agree with:

    >>> from receval.data.ratings_table import read_ratings
    >>> plays = read_ratings({"user": ["a", "b"], "item": ["x", "y"], "rating": [1, 1]})
    >>> grid, notes = grid_of("quick", plays)
    >>> [metric.short_label for metric in grid.metric], len(notes)
    (['nDCG@10-g1', 'P@10', 'RBP-g1'], 2)
    """
    if name not in GRIDS:
        raise ValueError(f"There is no grid {name!r}; there are {' and '.join(GRIDS)}.")
    levels = dict(GRIDS[name])
    notes = []
    if len(np.unique(ratings.values)) < 2:
        levels["metric"] = [
            metric
            for metric in levels["metric"]
            if metric["name"] not in _GRADED_METRICS and metric.get("gain") != "g2"
        ]
        notes.append(
            "All ratings are the same: the exponential gain, RBO and Kendall's tau (C2) need "
            "grades, and are left out."
        )
        notes.append(
            "Condensed lists (C1) of ratings that are all relevant hold relevant items alone, so "
            "that they are left out."
        )
        levels["lists"] = ["full"]
    elif ratings.values.max() <= 1 or ratings.values.max() > HIGHEST_EXPONENT:
        levels["metric"] = [own for own in levels["metric"] if own.get("gain") != "g2"]
        notes.append(
            "No rating is above 1: the exponential gain (C2) is 0 for all of them, and left out."
            if ratings.values.max() <= 1
            else f"The highest rating is {ratings.values.max():,g}: 2 to the power of it, as the "
            "exponential gain (C2) has it, is too large for a number, and left out."
        )
    most = min(int(np.bincount(codes).max()) for codes in (ratings.users, ratings.items))
    if name == "full" and most < 50:
        levels["selection"] = [own for own in levels["selection"] if "min_user_ratings" not in own]
        notes.append(
            "No user or no item has 50 ratings: the selection of those with 50 (A1) is left out."
        )
    return DecisionGrid.model_validate(levels), tuple(
        Note("decision-left-out", text) for text in notes
    )
