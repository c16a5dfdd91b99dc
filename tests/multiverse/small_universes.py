# SPDX-License-Identifier: MIT
"""Sixty users' ratings of forty items, and three systems compared on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import pandas as pd
from studies.prepared import ratings_of

from receval.data.ratings import Ratings
from receval.multiverse.decisions import Configuration, DecisionGrid
from receval.multiverse.exploration import Pair, explore
from receval.multiverse.explore_ratings import Factory, TrainedUniverses
from receval.recommenders.knn import UserKNN
from receval.recommenders.non_personalised import Popularity, Random
from receval.seeds import generator

N_USERS, N_ITEMS = 60, 40
THRESHOLD = 4.0
SEED = 7

SYSTEMS: dict[str, Factory] = {
    # Without a neighbour, or without training ratings, a user has no recommendation.
    "kNN": lambda seed: UserKNN(5, minimum_overlap=2),
    "Pop": lambda seed: Popularity(),
    "Random": lambda seed: Random(seed),
}

GRID = DecisionGrid.model_validate(
    {
        "split": [{}, {"train_ratio": 0.2}],
        "users": ["trained", "all"],
        "non_computable": ["none", "random"],
        "lists": ["full", "condensed"],
        "metric": [{}, {"gain": "g2"}, {"name": "P"}, {"name": "tau", "depth": None}],
        "aggregation": ["mean", "median", "positive-weighted", "geometric"],
        "coverage": ["full", "reduced"],
        "test": ["t", "t-log", "sign", "bootstrap"],
    }
)


@cache
def small_ratings() -> Ratings:
    """Return ratings from 1 to 5; popular items are better, and some users have rated little."""
    rng = np.random.default_rng(11)
    activity = rng.uniform(0.05, 0.6, (N_USERS, 1))
    popularity = rng.uniform(0.2, 1.4, N_ITEMS)
    rated = rng.random((N_USERS, N_ITEMS)) < activity * popularity
    rated[np.arange(N_USERS), rng.integers(N_ITEMS, size=N_USERS)] = True
    users, items = np.nonzero(rated)
    values = np.clip(np.round(2 + 1.5 * popularity[items] + rng.normal(size=len(items))), 1, 5)
    rows = zip(users.tolist(), items.tolist(), values.tolist(), strict=True)
    return ratings_of(rows, N_USERS, N_ITEMS)


def small_universes() -> TrainedUniverses:
    return TrainedUniverses(small_ratings(), SYSTEMS, THRESHOLD, SEED)


def explored(configurations: Iterable[Configuration], pairs: Sequence[Pair]) -> pd.DataFrame:
    return explore(configurations, small_universes(), pairs, generator(SEED, "users"))


@cache
def whole_grid() -> pd.DataFrame:
    """Return kNN against Pop in all universes of the grid."""
    return explored(GRID.configurations(), [("kNN", "Pop")])
