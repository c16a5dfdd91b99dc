# SPDX-License-Identifier: MIT
"""Recommend items to users by their identifiers, after training on all ratings."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.data.run import Run
from receval.evaluation.fitted_systems import Trainable, checked_systems, fitted
from receval.splits.split import matrices_of
from receval.splits.split_ratings import SplitRatings
from receval.storage.messages import enumerated, quoted
from receval.top_lists import TopLists, recommended


@checked_arguments
def recommend(
    data: object,
    system: Any,
    *,
    users: Sequence[object] | None = None,
    n: int = 10,
    exclude: Literal["rated"] | None = "rated",
    train: bool = True,
) -> pd.DataFrame:
    """Train a system on all ratings, and return the best items for users.

    The system itself is not changed: a copy is trained.

    Parameters
    ----------
    data : Ratings, SplitRatings, path or data frame
        All ratings are used, also those that a split holds out. What is no table of the library is
        read by :func:`receval.data.ratings_table.read_ratings`.
    system : recommender, scorer or array
        As for :func:`receval.evaluation.systems.evaluate_systems`.
    users : sequence of identifiers, optional
        The users, in the order of the result; by default all, by code.
    n : int
        The most items of each list, at least 1. Items without a score are not recommended.
    exclude : {"rated"} or None
        Whether to leave out the items that the user has rated.
    train : bool
        Whether to train. A system that was already trained on the codes of these ratings, such as
        one of ``result.models``, is used as it is with ``train=False``.

    Returns
    -------
    DataFrame
        The columns ``user``, ``rank``, ``item`` and ``score``, one row per recommended item. Of
        items with equal scores, the one whose identifier is first in the order of text comes first.

    Raises
    ------
    ValueError
        A user is unknown, ``n`` is below 1, or the system cannot score.

    Examples
    --------
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbc"), "item": list("xyzxyx"), "rating": [5, 4, 3, 2, 1, 5]}
    >>> recommend(table, Popularity(), users=["c", "b"], n=1).to_dict("list")
    {'user': ['c', 'b'], 'rank': [1, 1], 'item': ['y', 'z'], 'score': [2.0, 1.0]}
    """
    ratings = _ratings_of(data)
    lists = recommended_lists(ratings, system, users=users, n=n, exclude=exclude, train=train)
    rows, positions, items = lists.entries()
    return pd.DataFrame(
        {
            "user": ratings.user_ids[lists.users[rows]],
            "rank": positions + 1,
            "item": ratings.item_ids[items],
            "score": lists.scores[rows, positions],
        }
    )


def recommended_lists(
    ratings: Ratings,
    system: Any,
    *,
    users: Sequence[object] | None = None,
    n: int = 10,
    exclude: Literal["rated"] | None = "rated",
    train: bool = True,
) -> TopLists:
    """Return the lists of :func:`recommend` in codes of the ratings, in the order of the users."""
    if n < 1:
        raise ValueError(f"n is {n}, but it is the number of items of each list: at least 1.")
    codes = np.arange(ratings.n_users) if users is None else _codes(ratings, users)
    name = type(system).__name__
    shape = (ratings.n_users, ratings.n_items)
    own = checked_systems({name: system}, shape)[name]
    everything = np.ones(len(ratings), dtype=bool)
    (rated,) = matrices_of(ratings.in_order_of_identifiers(keep_codes=True), [everything])
    if train and isinstance(own, Trainable):
        own = fitted(copy.deepcopy(own), rated, name)
    lists = recommended(
        own,
        codes,
        n,
        exclude=None if exclude is None else rated,
        priority=np.argsort(np.argsort(ratings.item_ids, kind="stable")).astype(np.uint32),
        n_items=ratings.n_items,
    )
    return lists.of_users(codes)


def recommended_run(ratings: Ratings, lists: TopLists, source: str = "the run") -> Run:
    """Return lists in codes of ratings as a run."""
    rows, positions, items = lists.entries()
    return Run(
        lists.users[rows].astype(np.int32),
        items.astype(np.int32),
        lists.scores[rows, positions].astype(np.float64),
        ratings.user_ids,
        ratings.item_ids,
        source,
    )


def _ratings_of(data: object) -> Ratings:
    if isinstance(data, SplitRatings):
        return data.ratings
    return data if isinstance(data, Ratings) else read_ratings(data)


def _codes(ratings: Ratings, users: Sequence[object]) -> NDArray[np.int64]:
    """Return the codes of users by their identifiers."""
    named = np.array([str(user) for user in users], dtype=np.str_)
    order = np.argsort(ratings.user_ids, kind="stable")
    places = np.minimum(np.searchsorted(ratings.user_ids, named, sorter=order), ratings.n_users - 1)
    codes = order[places]
    unknown = named[ratings.user_ids[codes] != named]
    if len(unknown):
        raise ValueError(
            f"There are no ratings of {enumerated(list(map(quoted, unknown.tolist())))}, so "
            f"nothing can be recommended to them. Identifiers look like "
            f"{quoted(str(ratings.user_ids[0]))}."
        )
    if len(np.unique(codes)) < len(codes):
        raise ValueError("A user is named twice. Name each user once.")
    return codes.astype(np.int64)
