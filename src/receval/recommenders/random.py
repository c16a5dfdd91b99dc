"""Random recommendation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import integer


class Random(Recommender):
    """Scores drawn uniformly from [0, 1), independently for every pair of user and item.

    Each user has a generator of its own, seeded by (seed, user): a user's scores do not depend on
    who else is scored. Every score can be computed, there is no NaN: users and items without
    training ratings are scored like all others.

    Parameters
    ----------
    seed : int
        Seed of the random numbers, at least 0.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        pass

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        for user, row in zip(users.tolist(), scores, strict=True):
            stream = np.random.PCG64(np.random.SeedSequence([self.seed, user]))
            np.random.Generator(stream).random(dtype=np.float32, out=row)
