# SPDX-License-Identifier: MIT
"""Theorems of menamaldonado2021, checked on random matrices and small numbers.

Each function returns how far, or how often, the library's metrics and rankings deviate from what
the paper says; 0 if the theorem holds.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Judgments
from receval.theory.item_pairs import agree, is_steeper
from receval.theory.rating_probabilities import (
    RatingProbabilities,
    observed_anti_precision_ranking,
    real_anti_precision_ranking,
    real_precision_ranking,
)

SEED = 20210327
USERS, ITEMS = 40, 30
CUTOFFS = (1, 5, 10)
MATRICES = 50
LIKED = 4.0
"""Ratings at or above it are relevant."""


def largest_gap_of_precision_and_anti_precision() -> float:
    r"""Return the largest :math:`|P@n + antiP@n - (1 - \delta@n)|` over lists of random judgments.

    Section 3.2, equation 4. :math:`\delta@n` is counted here: the ranks from 1 to n without a
    judged item.
    """
    rng = generator(SEED, "menamaldonado2021", "equation 4")
    judged = rng.random((USERS, ITEMS)) < rng.uniform(0.05, 1, USERS)[:, None]
    users, items = np.nonzero(judged)
    values = rng.integers(1, 6, len(users))
    all_ranks = np.argsort(rng.random((USERS, ITEMS)), axis=1) + 1
    judgments = Judgments.from_pairs(users, items, values, n_users=USERS)
    ranks = all_ranks[users, items].astype(np.int32)
    lengths = np.full(USERS, ITEMS, dtype=np.int32)
    lists = JudgedLists.of(
        judgments, JudgedRanks(ranks, lengths=lengths, candidates=lengths), LIKED, Protocol()
    )
    labels = [f"{name}@{n}" for name in ("P", "antiP") for n in CUTOFFS]
    precision, anti_precision = np.split(evaluate([parse(label) for label in labels], lists), 2)
    hits = [((all_ranks <= n) & judged).sum(axis=1) for n in CUTOFFS]
    judged_share = np.array(hits) / np.array(CUTOFFS)[:, None]
    return float(np.abs(precision + anti_precision - judged_share).max())


def real_optima_apart() -> int:
    """Count the random matrices in which real precision and anti-precision have different optima.

    Conclusion 1. All rankings of four items are tried for each matrix. The best by real P@1 must be
    the best by real antiP@1, and the functions of equations 6 and 9 must order all items in the
    same way.
    """
    rng = generator(SEED, "menamaldonado2021", "conclusion 1")
    rankings = np.array(list(permutations(range(4))))
    apart = 0
    for _ in range(MATRICES):
        train, relevant = rng.random((2, 12, 4)) < 0.4
        # Every user has some item without a training rating, which can be recommended.
        train[:, 0] &= ~train.all(axis=1)
        # The first item of each ranking without a training rating of the user.
        first = np.take_along_axis(
            rankings[:, None, :], train[:, rankings].argmin(axis=2).T[:, :, None], axis=2
        )[:, :, 0]
        liked = relevant[np.arange(12), first]
        precision, anti_precision = liked.mean(axis=1), (~liked).mean(axis=1)
        probabilities = RatingProbabilities.of_matrices(relevant, train)
        one, other = (
            np.sign(function[:, None] - function[None, :])
            for function in (
                real_precision_ranking(probabilities),
                real_anti_precision_ranking(probabilities),
            )
        )
        best = np.array_equal(precision == precision.max(), anti_precision == anti_precision.min())
        apart += not (best and np.array_equal(one, other, equal_nan=True))
    return apart


def popular_items_ahead_by_anti_precision() -> int:
    """Count the pairs of equally liked items in which the less popular one is not ahead.

    Conclusion 2: the optimal ranking for observed anti-precision puts the less popular of two items
    with the same average rating below 1 first.
    """
    users, raters, liked = 40, 4, np.arange(4)
    sizes = np.arange(1, 9)
    train = np.repeat(raters * sizes[None, :], len(liked), axis=0)
    probabilities = RatingProbabilities(
        sampled=np.full(train.shape, users, dtype=np.int64),
        train=train.astype(np.int64),
        relevant_train=(liked[:, None] * sizes[None, :]).astype(np.int64),
    )
    function = observed_anti_precision_ranking(probabilities)
    more_popular = np.triu_indices(len(sizes), 1)
    return int((function[:, more_popular[1]] >= function[:, more_popular[0]]).sum())


def exceptions_from_lemma4() -> int:
    """Count the pairs of functions with values from 1 to 6 that contradict lemma 4.

    Their product agrees with the first of them over two items if and only if the first agrees with
    the second or is steeper (annex A). Flat functions are left out.
    """
    cases = np.array(list(product(range(1, 7), repeat=4)), dtype=np.float64)
    f_of_a, f_of_b, g_of_a, g_of_b = cases[cases[:, 0] != cases[:, 1]].T
    uneven = g_of_a != g_of_b
    f_of_a, f_of_b, g_of_a, g_of_b = (x[uneven] for x in (f_of_a, f_of_b, g_of_a, g_of_b))
    found = agree(f_of_a * g_of_a, f_of_b * g_of_b, f_of_a, f_of_b)
    said = agree(f_of_a, f_of_b, g_of_a, g_of_b) | is_steeper(f_of_a, f_of_b, g_of_a, g_of_b)
    return int((found != said).sum())
