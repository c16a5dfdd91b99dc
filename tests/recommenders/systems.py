"""The systems under test, with what each promises, and small matrices to fit them on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.registry import make

SEED = 2017


@dataclass(frozen=True)
class System:
    class_path: str
    parameters: dict[str, Any] = field(default_factory=dict)
    for_two_communities: dict[str, Any] = field(default_factory=dict)
    random: bool = False
    personalised: bool = True
    cold_users_scored: bool = False
    cold_items_scored: bool = True

    @property
    def name(self) -> str:
        return self.class_path.rpartition(":")[2]

    def make(self, seed: int = SEED, **changed: Any) -> Recommender:
        parameters = {**self.parameters, **changed}
        return make(f"receval.recommenders.{self.class_path}", parameters, seed)


SYSTEMS = [
    System("random:Random", random=True, personalised=False, cold_users_scored=True),
    System("popularity:Popularity", personalised=False, cold_users_scored=True),
    System("average:Average", personalised=False, cold_users_scored=True),
    System("user_knn:UserKNN", {"neighbours": 10}, cold_items_scored=False),
    System("item_knn:ItemKNN", {"neighbours": 10}, cold_items_scored=False),
    System(
        "centred_neighbourhood:CentredNeighbourhood",
        {"neighbours": 5, "shrinkage": 1.0},
        cold_users_scored=True,
    ),
    System("wrmf:WRMF", {"factors": 4}, {"factors": 2}, random=True),
    System("puresvd:PureSVD", {"factors": 4}, {"factors": 2}),
    System("plsa:PLSA", {"topics": 5, "iterations": 40}, {"topics": 2}, random=True),
    System(
        "biased_mf:BiasedMF",
        {"factors": 5, "learning_rate": 0.05, "epochs": 60},
        random=True,
        cold_users_scored=True,
    ),
]

COLD_USER, ONE_RATING_USER, COLD_ITEM = 3, 5, 7


def to_matrix(values: NDArray[Any], rated: NDArray[np.bool_]) -> RatingMatrix:
    """Build the sparse matrix of a dense one; rated zeros stay entries."""
    users, items = np.nonzero(rated)
    entries = values[users, items].astype(np.float32)
    return csr_array((entries, (users, items)), shape=values.shape)


def generated(
    n_users: int = 60, n_items: int = 45, seed: int = 1, lowest: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Half-star ratings (0 is one of them) with a cold user, a cold item, a one-rating user."""
    generator = np.random.default_rng(seed)
    values = generator.integers(round(2 * lowest), 11, (n_users, n_items)) / 2
    rated = generator.random((n_users, n_items)) < generator.random(n_items) * 0.6 + 0.05
    rated[COLD_USER] = False
    rated[ONE_RATING_USER] = False
    rated[ONE_RATING_USER, 0] = True
    rated[:, COLD_ITEM] = False
    return values * rated, rated


def generated_matrix() -> RatingMatrix:
    return to_matrix(*generated())


def communities() -> tuple[RatingMatrix, NDArray[np.bool_]]:
    """Two communities that rate their own items 5 and, seldom, the others' 1.

    Returns the matrix and which pairs of user and item lie in the same community.
    """
    generator = np.random.default_rng(5)
    own = np.arange(40)[:, None] // 20 == np.arange(30) // 15
    rated = generator.random(own.shape) < np.where(own, 0.7, 0.1)
    return to_matrix(np.where(own, 5, 1), rated), own
