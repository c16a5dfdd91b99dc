# SPDX-License-Identifier: MIT
"""Theorems and definitions on metrics, tests and rankings, on small random or made-up data.

They are those of menamaldonado2021, canamares2020, valcarce2018 and valcarce2020. Each function
takes no arguments and returns one number: how far, or how often, the library deviates from what a
paper says (0 if that is true), or a constant that a definition implies.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from receval.metrics.averages import Arithmetic, Geometric
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import generator, seed_sequence
from receval.splits.split import Judgments
from receval.statistics.permutation import permutation_test
from receval.theory.item_pairs import agree, is_steeper
from receval.theory.rating_probabilities import (
    RatingProbabilities,
    observed_anti_precision_ranking,
    real_anti_precision_ranking,
    real_precision_ranking,
)

LIKED = 4.0
"""Ratings at or above it are relevant."""

MATRICES = 50
"""Number of random matrices of conclusion 1."""

# The true and false positives of menamaldonado2021.

_SEED = 20210327


def largest_gap_of_precision_and_anti_precision() -> float:
    r"""Return the largest :math:`|P@n + antiP@n - (1 - \delta@n)|` over lists of random judgments.

    Section 3.2, equation 4. :math:`\delta@n` is counted here: the ranks from 1 to n without a
    judged item.
    """
    n_users, n_items, cutoffs = 40, 30, (1, 5, 10)
    rng = generator(_SEED, "menamaldonado2021", "equation 4")
    judged = rng.random((n_users, n_items)) < rng.uniform(0.05, 1, n_users)[:, None]
    users, items = np.nonzero(judged)
    values = rng.integers(1, 6, len(users))
    all_ranks = np.argsort(rng.random((n_users, n_items)), axis=1) + 1
    judgments = Judgments.from_pairs(users, items, values, n_users=n_users)
    ranks = all_ranks[users, items].astype(np.int32)
    lengths = np.full(n_users, n_items, dtype=np.int32)
    lists = JudgedLists.of(
        judgments, JudgedRanks(ranks, lengths=lengths, candidates=lengths), LIKED, Protocol()
    )
    labels = [f"{name}@{n}" for name in ("P", "antiP") for n in cutoffs]
    precision, anti_precision = np.split(evaluate([parse(label) for label in labels], lists), 2)
    hits = [((all_ranks <= n) & judged).sum(axis=1) for n in cutoffs]
    judged_share = np.array(hits) / np.array(cutoffs)[:, None]
    return float(np.abs(precision + anti_precision - judged_share).max())


def real_optima_apart() -> int:
    """Count the random matrices in which real precision and anti-precision have different optima.

    Conclusion 1. All rankings of four items are tried for each matrix. The best by real P@1 must be
    the best by real antiP@1, and the functions of equations 6 and 9 must order all items in the
    same way.
    """
    rng = generator(_SEED, "menamaldonado2021", "conclusion 1")
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


# User coverage beside Coverage@1 and both averages (canamares2020, section 3.9): the largest gap
# over random judgments, where some users get no list.


@cache
def _values_of_users() -> NDArray[np.float64]:
    """Return user coverage, Coverage@1 and the metrics of the users of some random systems."""
    n_systems, n_users, n_items = 20, 60, 30
    rng = generator(0, "canamares2020", "user coverage")
    labels = ("UserCoverage", "Coverage@1", "P@10", "nDCG(gain=binary)@10")
    values = np.empty((n_systems, len(labels), n_users))
    for system in values:
        judged = rng.random((n_users, n_items)) < 0.3
        users, items = np.nonzero(judged)
        judgments = Judgments.from_pairs(
            users, items, rng.integers(1, 6, len(users)), n_users=n_users
        )
        has_list = rng.random(n_users) < rng.random()
        order = np.argsort(rng.random((n_users, n_items)), axis=1) + 1
        ranks = JudgedRanks(
            np.where(has_list[users], order[users, items], 0).astype(np.int32),
            lengths=np.where(has_list, n_items, 0).astype(np.int32),
            candidates=np.full(n_users, n_items, dtype=np.int32),
        )
        lists = JudgedLists.of(judgments, ranks, LIKED, Protocol())
        system[:] = evaluate([parse(label) for label in labels], lists)
    return values


def gap_of_coverage_at_1() -> float:
    """Return the largest gap between user coverage and Coverage@1."""
    means = _values_of_users().mean(axis=2)
    return float(np.abs(means[:, 0] - means[:, 1]).max())


def gap_of_reduced_average() -> float:
    """Return the largest gap between the reduced average and user coverage times the full one."""
    full, reduced, covered = _averages()
    return float(np.abs(reduced - covered * full).max())


def gap_of_full_average() -> float:
    """Return the largest gap between the full average and user coverage times the reduced one."""
    full, reduced, covered = _averages()
    return float(np.abs(full - covered * reduced).max())


def _averages() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the full and the reduced average of each metric and system, and the user coverage."""
    values = _values_of_users()
    covered, of_metrics = values[:, :1] > 0, values[:, 2:]
    full = of_metrics.mean(axis=2)
    reduced = of_metrics.sum(axis=2, where=covered) / covered.sum(axis=2)
    return full, reduced, covered.mean(axis=2)


# Definitions of valcarce2018 and valcarce2020.


def epsilon_of_inferred_precision() -> float:
    r"""Return the :math:`\epsilon` with which infAP is computed, derived from one of its values.

    The only relevant item has rank 2, after an item judged non-relevant. Then infAP is
    :math:`v = \frac{1}{2} + \frac{1}{2} \frac{\epsilon}{1 + 2 \epsilon}` (valcarce2018, section 3,
    equations 7 and 8; valcarce2020, section 3.2, equations 10 and 11), solved here for
    :math:`\epsilon`.
    """
    judgments = Judgments.from_pairs([0, 0], [0, 1], [1, 5], n_users=1)
    ranks = JudgedRanks(
        ranks=np.array([1, 2], dtype=np.int32),
        lengths=np.array([10], dtype=np.int32),
        candidates=np.array([10], dtype=np.int32),
    )
    lists = JudgedLists.of(judgments, ranks, threshold=LIKED, protocol=Protocol())
    share = 2.0 * float(evaluate([parse("infAP@10")], lists)[0, 0]) - 1.0
    return share / (1.0 - 2.0 * share)


def p_values_changed_by_averages() -> float:
    """Return how much p-values change when systems are averaged in another way before the test.

    Users' values are averaged arithmetically and geometrically, in both forms for users without a
    hit. The test uses the values per user and only their mean difference, so discriminative power
    is the same under all averages (valcarce2020, section 7).
    """
    n_systems, n_users, n_samples = 4, 60, 500
    draws = generator(0, "p-values changed by averages")
    values = draws.beta(1.0, 4.0, size=(1, n_systems, n_users)).round(1)
    nothing = np.zeros(n_users)
    tested = []
    for average in (Arithmetic(), Geometric(), Geometric(zeros="one")):
        average.of(values, nothing, nothing)
        seed = seed_sequence(0, "p-values changed by averages")
        tested.append(permutation_test(values, seed, n_samples).p_values)
    return float(np.ptp(np.array(tested), axis=0).max())
