# SPDX-License-Identifier: MIT
"""Uniform test: the same number of test ratings for each item, so popularity cannot help."""

from __future__ import annotations

import logging

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.random_splits import random_ranks_within_groups
from receval.splits.split import TEST, TRAIN, Split

_log = logging.getLogger(__name__)


def split_with_uniform_test(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    test_share: float,
    min_train_ratio: float,
    folds: int,
    tests_from: float | None = None,
) -> Split:
    r"""Give the most popular items the same number of test ratings, and the others none.

    The rows of a repeated (user, item) pair, such as plays, count as one rating: they all train or
    all test, and :math:`|R(i)|` is the number of users of an item.

    With the items :math:`i_1, i_2, \ldots` sorted by their numbers of ratings :math:`|R(i_1)| \ge
    |R(i_2)| \ge \ldots`, the ``test_share`` :math:`\sigma` and the ``min_train_ratio``
    :math:`\varepsilon`,

    .. math::

        \zeta = \max\{k : (1 - \varepsilon)\,|R(i_k)|\,k / |R| \ge \sigma\}, \quad
        T = \{i_k : k \le \zeta\}, \quad \eta = (1 - \varepsilon)\,|R(i_\zeta)|.

    The test has :math:`\mathrm{round}(\eta |T|)` ratings in total: each item of T has
    :math:`\lfloor\eta\rfloor`, and items drawn at random among those with enough ratings have one
    more. No item has more than :math:`(1 - \varepsilon)|R(i)|` test ratings; if that leaves too few
    items to draw from, the test is smaller. Folds are independent repetitions, as disjoint tests
    would need more ratings than the items of T have.

    Only ratings (for plays: their sums) at or above ``tests_from`` are counted and may test; the
    others train. With the relevance threshold, all test ratings are relevant. If then no number of
    items reaches :math:`\sigma`, the largest possible share is used, as a long tail may have too
    few ratings. The log reports this.

    Metadata: ``target_items`` (:math:`|T|`), ``eta``, ``sigma`` (the share that is reached),
    ``epsilon`` and ``test_ratings``, the number of test ratings in each fold. bellogin2017, section
    6.2 (UAR and U1R).
    """
    pair_of_row, items = _pairs(ratings, tests_from)
    popularity = np.bincount(items, minlength=ratings.n_items)
    # A target set never separates items of equal popularity: if k meets the condition, so does
    # every later rank with the same number of ratings. Ties therefore need no rule.
    descending = np.sort(popularity)[::-1]
    available = np.round((1 - min_train_ratio) * descending, 9)
    reached = np.round(available * np.arange(1, len(descending) + 1), 9)
    wanted = np.round(test_share * len(items), 9)
    if tests_from is not None:
        # With less than one test rating per item there is no test, whatever the number of items.
        reached = np.where(available >= 1, reached, 0)
        if 0 < reached.max(initial=0) < wanted:
            wanted = reached.max()
            test_share = float(wanted / len(items))
            _log.warning(
                "no uniform test has the requested share; the share %.4g is used", test_share
            )
    feasible = np.flatnonzero(reached >= wanted)
    if not len(feasible) or available[feasible[-1]] < 1:
        raise ValueError(
            f"No uniform test exists for a test share of {test_share} with at least "
            f"{min_train_ratio} of each item's ratings in train: equal numbers of test ratings "
            f"reach at most {reached.max(initial=0) / max(len(items), 1):.4g} of the ratings, "
            "or less than one per item. Lower test_share or min_train_ratio."
        )
    n_targets = int(feasible[-1]) + 1
    eta = float(available[n_targets - 1])
    targets = np.flatnonzero(popularity >= descending[n_targets - 1])
    most = np.floor(np.round((1 - min_train_ratio) * popularity[targets], 9)).astype(np.int64)
    with_room = targets[most > int(eta)]
    n_one_more = min(round(eta * n_targets) - int(eta) * n_targets, len(with_room))

    def codes(fold: int) -> NDArray[np.uint8]:
        rng = rng_for(fold)
        n_test = np.zeros(ratings.n_items, dtype=np.int64)
        n_test[targets] = int(eta)
        n_test[rng.choice(with_room, size=n_one_more, replace=False)] += 1
        ranks = random_ranks_within_groups(items, ratings.n_items, rng)
        # The last index is for rows that may not test.
        code_of_pair = np.full(len(items) + 1, TRAIN, dtype=np.uint8)
        code_of_pair[:-1][ranks < n_test[items]] = TEST
        return code_of_pair[pair_of_row]

    return Split(
        tuple(codes(fold) for fold in range(folds)),
        {
            "target_items": n_targets,
            "eta": eta,
            "sigma": test_share,
            "epsilon": min_train_ratio,
            "test_ratings": int(eta) * n_targets + n_one_more,
        },
    )


def _pairs(
    ratings: Ratings, tests_from: float | None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the pair of each row (-1 if it may not test) and the item of each pair."""
    keys = ratings.users.astype(np.int64) * ratings.n_items + ratings.items
    distinct, pair_of_row = np.unique(keys, return_inverse=True)
    items = (distinct % max(ratings.n_items, 1)).astype(np.int32)
    if tests_from is None:
        return pair_of_row, items
    sums = np.bincount(pair_of_row, weights=ratings.values, minlength=len(distinct))
    may_test = sums >= tests_from
    index = np.where(may_test, np.cumsum(may_test) - 1, -1)
    return index[pair_of_row], items[may_test]
