# SPDX-License-Identifier: MIT
"""What results say of the data and of the systems that they are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from receval.data.ratings import Ratings
from receval.splits.split import Fold


def data_settings(ratings: Ratings, folds: Sequence[Fold]) -> dict[str, Any]:
    """Return the size of ratings, and of what trains and tests in each fold.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aabb"), "item": list("xyxy")}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> data_settings(halves.ratings, list(halves.folds()))
    {'ratings': 4, 'users': 2, 'items': 2, 'training_ratings': [2], 'test_ratings': [2]}
    """
    return {
        "ratings": len(ratings),
        "users": ratings.n_users,
        "items": ratings.n_items,
        "training_ratings": [int(fold.train.nnz) for fold in folds],
        "test_ratings": [len(fold.test) for fold in folds],
    }


def system_settings(system: Any) -> dict[str, Any]:
    """Return the class of a system, and its parameters if it tells them.

    Examples
    --------
    >>> from receval.recommenders.knn import UserKNN
    >>> system_settings(UserKNN(neighbours=20))["class"]
    'UserKNN'
    """
    parameters = getattr(system, "parameters", None)
    told: dict[str, Any] = {"class": type(system).__name__}
    if isinstance(parameters, dict):
        told["parameters"] = dict(parameters)
    return told
