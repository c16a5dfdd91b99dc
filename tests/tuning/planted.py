# SPDX-License-Identifier: MIT
"""Made ratings whose best parameters are known, and systems to tune on them."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings

TASTES = 4
"""The users have so many tastes, which is the best number of factors."""


def rated_by_taste(users: int = 80, items: int = 60, seed: int = 3) -> Ratings:
    """Ratings of users who each like one of the four quarters of the items, with some noise."""
    rng = np.random.default_rng(seed)
    taste, quarter = np.arange(users) % TASTES, np.arange(items) % TASTES
    chance = np.where(taste[:, None] == quarter[None, :], 0.5, 0.08)
    user, item = np.nonzero(rng.random((users, items)) < chance)
    times = 1_000_000_000 + rng.permutation(len(user)) * 3600
    return read_ratings(
        {"user": user, "item": item, "rating": np.ones(len(user)), "timestamp": times}
    )


@dataclass
class Nearness:
    """A system whose lists are the better, the nearer its parameter is to 7.

    Its scores are popularity with alternating signs, weighted by the distance from 7.
    """

    spot: float = 0.0
    fails: str = ""

    def fit(self, train: csr_array) -> Nearness:
        if self.fails == "sentence":
            raise ValueError("The spot is taken.")
        if self.fails == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        popularity = np.asarray(train.sum(axis=0), dtype=np.float64)
        noise = np.random.default_rng(1).random(len(popularity)) * popularity.max()
        weight = min(1.0, abs(self.spot - 7) / 7)
        self.scores_ = (1 - weight) * popularity + weight * noise
        return self

    def score(self, users: Any) -> Any:
        return np.tile(self.scores_, (len(users), 1))
