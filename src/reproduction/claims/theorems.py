# SPDX-License-Identifier: MIT
"""Theorems, identities and definitions of the papers, checked on small random or made-up data.

Each function without arguments returns one number: how far, or how often, the library deviates from
what a paper says (0 if that is true), the ratio of two numbers that it calls equal, or a constant
that a definition implies. All seeds come from names.

First come the formulas of expected precision in Bellogín et al. (2017, sections 4.1 and 6.2). A
non-personalised system ranks all candidates in one order, of which :math:`i_k^{u,s}` is the k-th.
The formulas neglect that a user's training items leave the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.data.ratings import Ratings
from receval.metrics.average_precision import BinaryPreference
from receval.metrics.averages import Arithmetic, Geometric
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import DatasetMetadata, JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.precision_and_recall import Precision, Recall, StratifiedRecall
from receval.metrics.registry import parse
from receval.protocols.evaluation import Scorer, rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders.non_personalised import Popularity
from receval.seeds import generator, seed_sequence
from receval.splits.random_splits import split_with_uniform_test
from receval.splits.split import TEST, TRAIN, Fold, Judgments, Split, fold
from receval.statistics.permutation import permutation_test
from receval.theory.item_pairs import agree, is_steeper
from receval.theory.precision import TargetDensities, precision_bounds
from receval.theory.rating_probabilities import (
    RatingProbabilities,
    observed_anti_precision_ranking,
    real_anti_precision_ranking,
    real_precision_ranking,
)
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw, simulate_ratings

LIKED = 4.0
"""Ratings at or above it are relevant."""

MATRICES = 50
"""Number of random matrices of conclusion 1."""

_REPETITIONS = 20
_ONE, _ALL = Protocol("1R"), Protocol()


def expected_precision(
    positives: ArrayLike, cutoff: int, *, sigma: float, n_candidates: int, t: float, n_users: int
) -> float:
    r"""Return the expected AR precision of a non-personalised ranking (equation 3).

    .. math:: E[P_s@n] = \frac{\sigma |C|}{n t |U|} \sum_{k=1}^n avg_u |PR(i_k^{u,s})|

    ``positives`` are :math:`|PR(i_k)|`, in train and test, from the first rank on; t is the
    harmonic mean of :math:`|T_u|` (:class:`receval.theory.precision.TargetDensities`).
    """
    values = np.asarray(positives, dtype=np.float64)
    if len(values) < cutoff:
        raise ValueError(
            f"The ranking has {len(values)} items, which is fewer than the cut-off {cutoff}. "
            "Give at least as many items as the cut-off."
        )
    total = np.cumsum(values[:cutoff])[-1]
    return float(sigma * n_candidates / (cutoff * t * n_users) * total)


def expected_random_precision(n_positive: int, *, sigma: float, t: float, n_users: int) -> float:
    r"""Return the expected AR precision of random recommendation (equation 4).

    .. math:: E[P_{RND}@n] \sim \frac{\sigma |PR|}{t |U|} = \sigma\delta

    It assumes that all items are candidates, and that the sizes of target sets are independent of
    users' preferences; :func:`receval.theory.precision.random_precision` does not.

    Examples
    --------
    A fifth of the ratings in test, a hundred candidates, ten liked items per user:

    >>> expected_random_precision(500, sigma=0.2, t=100, n_users=50)
    0.02
    """
    return sigma * n_positive / (t * n_users)


def expected_positives_of_uniform_test(
    ratios: ArrayLike, *, n_ratings: int, n_targets: int
) -> NDArray[np.float64]:
    r"""Return the substitute for :math:`|PR(i)|` where all items have equally many test ratings.

    In a uniform test (section 6.2, UAR and U1R) :math:`E[|PR_{test}(i)|] = \eta |PR(i)| / |R(i)|`
    with :math:`\eta = \sigma |R| / |T|`, so that the formulas of this module hold with

    .. math:: |PR(i)| \;\to\; \frac{|R|}{|T|} \cdot \frac{|PR(i)|}{|R(i)|}

    for the items of T, and with 0 for the others. With :math:`C = T` they become those of section
    6.2, and :math:`\sigma\delta` and :math:`1/t` where the ratio is the same for all items.
    ``ratios`` are :math:`|PR(i)| / |R(i)|` in the order of the ranking.

    Section 6.2 says that random precision falls by :math:`|T| / |C|` where :math:`C \supset T`.
    This is true if all candidates are ranked (AN), because t grows from about :math:`|T|` to about
    :math:`|C|`. Samples of a given size keep the same t and the same random precision.
    """
    return np.asarray(ratios, dtype=np.float64) * (n_ratings / n_targets)


def _lists(
    users: ArrayLike,
    items: ArrayLike,
    values: ArrayLike,
    ranks: ArrayLike,
    lengths: ArrayLike,
    protocol: Protocol = _ALL,
    *,
    threshold: float = LIKED,
    candidates: int | None = None,
) -> JudgedLists:
    """Return lists of some lengths from judgments and their ranks, by default of all candidates."""
    n_items = np.asarray(lengths, dtype=np.int32)
    judgments = Judgments.from_pairs(users, items, values, n_users=len(n_items))
    ranked_from = n_items if candidates is None else np.full_like(n_items, candidates)
    judged = JudgedRanks(np.asarray(ranks, dtype=np.int32), n_items, ranked_from)
    return JudgedLists.of(judgments, judged, threshold, protocol)


def _mean(metric: Metric, lists: JudgedLists) -> float:
    return float(evaluate([metric], lists).mean())


# Small random data on which theorems are checked.

USERS, ITEMS, RATINGS = 400, 200, 16_000

TEST_SHARE = 0.2

_NAMES = (2017, "small random data")


@dataclass(frozen=True)
class RandomScores:
    """A system of random scores, seeded by its number."""

    number: int

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return scores drawn independently for every pair of user and item."""
        rng = generator(*_NAMES, "scores", self.number)
        return rng.random((USERS, ITEMS), dtype=np.float32)[users]


@cache
def skewed_ratings() -> Ratings:
    """Return ratings with skewed popularity and values from 1 to 5, without preferences."""
    source = Ratings(
        users=np.zeros(5, dtype=np.int32),
        items=np.arange(5, dtype=np.int32),
        values=np.arange(1, 6, dtype=np.float32),
        user_ids=np.arange(USERS).astype(str),
        item_ids=np.arange(ITEMS).astype(str),
    )
    counts = ShiftedPowerLaw(1.0, 0.0, 5.0, 1.0).counts(ITEMS, USERS, RATINGS)
    return simulate_ratings(source, counts, generator(*_NAMES, "ratings"))


def fold_of_coin_flips(number: int) -> Fold:
    """Return a fold in which each rating is in test with the probability ``TEST_SHARE``."""
    ratings = skewed_ratings()
    tests = generator(*_NAMES, "coin flips", number).random(len(ratings)) < TEST_SHARE
    return fold(ratings, Split((np.where(tests, TEST, TRAIN).astype(np.uint8),)), 0)


def split_of_uniform_tests(folds: int) -> Split:
    """Return a split of the ratings with equally many test ratings of every target item."""
    seeded = partial(generator, *_NAMES, "uniform test")
    return split_with_uniform_test(
        skewed_ratings(), seeded, test_share=TEST_SHARE, min_train_ratio=0.2, folds=folds
    )


def lists_of(system: Scorer, data: Fold, protocol: Protocol) -> JudgedLists:
    """Return the lists of a system under a protocol that has a threshold."""
    assert protocol.threshold is not None
    seeded = partial(generator, *_NAMES, "ranking")
    (ranks,) = rank_judged(system, data, [protocol], seeded)
    metadata = DatasetMetadata.of(skewed_ratings(), protocol.threshold)
    return JudgedLists.of(data.test, ranks, protocol.threshold, protocol, metadata)


def one_list_a_rank(size: int, protocol: Protocol) -> JudgedLists:
    """Return one list per rank, with its only judged and relevant item at this rank."""
    users = np.arange(size)
    # Under 1R the count leaves out the relevant item.
    lengths = np.full(size, size - 1 if protocol.relevant == "1R" else size)
    return _lists(users, users, 1 + users % 5, users + 1, lengths, protocol, threshold=1)


def highest_precision_of_one_relevant() -> float:
    """Return the highest possible P@10 with one relevant item (section 3.2)."""
    return float(evaluate([Precision(cutoff=10)], one_list_a_rank(100, _ONE)).max())


def violation_of_bounds() -> float:
    """Return the largest violation of the bounds of 1R precision (section 3.4, equation 2).

    Random rankings and popularity are measured on random splits, with samples and cut-offs of
    several sizes. The result is at most 0 if the lemma holds.
    """
    most = -np.inf
    for number, (cutoff, sampled) in enumerate([(1, 5), (5, 20), (10, 99), (10, 20), (20, 150)]):
        data = fold_of_coin_flips(number)
        for system in (RandomScores(number), Popularity().fit(data.train)):
            every, one = (
                lists_of(system, data, Protocol(relevant, "TI", sampled, LIKED))
                for relevant in ("AR", "1R")
            )
            lower, upper = precision_bounds(every, cutoff)
            value = _mean(Precision(cutoff=cutoff), one)
            most = max(most, lower - value, value - upper)
    return float(most)


def random_precision_less_rho() -> float:
    """Return how far the mean P@n over all orders of a target set is from its density (eq. 4).

    The largest difference over n, from all 720 orders of six items, two of them relevant.
    """
    orders = np.array(list(permutations(range(1, 7))), dtype=np.int32)
    n_users = len(orders)
    users, items = np.repeat(np.arange(n_users), 2), np.tile([0, 1], n_users)
    ranks, lengths = orders[:, :2].ravel(), np.full(n_users, 6)
    lists = _lists(users, items, np.ones(2 * n_users), ranks, lengths, threshold=1)
    metrics = [Precision(cutoff=n) for n in range(1, 7)]
    return float(np.abs(evaluate(metrics, lists).mean(axis=1) - 2 / 6).max())


def ratio_of_rho_to_sigma_delta() -> float:
    """Return the mean density of target sets divided by that of equation 4 (AR AI-AN).

    Equation 4 assumes that sizes of target sets are independent of users' preferences.
    """
    protocol = Protocol("AR", "AI")
    rho, expected = [], []
    for number in range(_REPETITIONS):
        densities = TargetDensities.of(fold_of_coin_flips(number), protocol, LIKED)
        rho.append(densities.rho)
        n_positive, t, n_users = densities.n_positive, densities.t, densities.n_users
        expected.append(
            expected_random_precision(n_positive, sigma=TEST_SHARE, t=t, n_users=n_users)
        )
    return float(np.mean(rho) / np.mean(expected))


def random_precision_less_one_over_t() -> float:
    """Return the largest difference between 1R P@n over all ranks and 1/t (equation 5)."""
    most = 0.0
    for size in (5, 20, 100):
        metrics = [Precision(cutoff=n) for n in range(1, size + 1)]
        means = evaluate(metrics, one_list_a_rank(size, _ONE)).mean(axis=1)
        most = max(most, float(np.abs(means - 1 / size).max()))
    return most


def whole_precision_less_rho() -> float:
    """Return how far the precision of whole lists is from their density, at most (section 4.2)."""
    most = 0.0
    for protocol in (
        Protocol("AR", "TI", threshold=LIKED),
        Protocol("AR", "AI", 50, LIKED),
        Protocol("1R", "TI", 50, LIKED),
    ):
        data = fold_of_coin_flips(0)
        rho = TargetDensities.of(data, protocol, LIKED).rho
        for system in (RandomScores(0), RandomScores(1), Popularity().fit(data.train)):
            value = _mean(Precision(), lists_of(system, data, protocol))
            most = max(most, abs(value - rho))
    return most


def gain_of_an_order_over_popularity() -> float:
    """Return how much an order can gain over popularity by equation 3 (section 5.1).

    The largest gain of all 720 orders of six items at any cut-off, with positive ratings
    proportional to ratings; at most 0 if popularity is optimal.
    """
    positives = np.array([40.0, 25.0, 12.0, 7.0, 7.0, 2.0])
    most = -np.inf
    for cutoff in range(1, 7):
        precision = partial(
            expected_precision, cutoff=cutoff, sigma=TEST_SHARE, n_candidates=6, t=6, n_users=50
        )
        best = precision(positives)
        orders = permutations(positives.tolist())
        most = max(most, *(precision(np.array(order)) - best for order in orders))
    return float(most)


def gain_where_ratios_are_equal(ratio: float = 0.3) -> float:
    """Return how far equation 3 is from equation 4 in a uniform test, at most (section 6.2).

    All items have the same share of positive ratings, so every order is as good as chance, and all
    candidates are targets (TI).
    """
    n_ratings, n_targets, n_users, t = 1000, 25, 40, 22.5
    positives = expected_positives_of_uniform_test(
        np.full(n_targets, ratio), n_ratings=n_ratings, n_targets=n_targets
    )
    random = expected_random_precision(
        round(ratio * n_ratings), sigma=TEST_SHARE, t=t, n_users=n_users
    )
    found = [
        expected_precision(
            positives, cutoff, sigma=TEST_SHARE, n_candidates=n_targets, t=t, n_users=n_users
        )
        for cutoff in range(1, n_targets + 1)
    ]
    return float(np.abs(np.array(found) - random).max())


def gain_where_all_are_positive() -> float:
    """As above, if every rating is positive (section 6.2, last paragraph on ratios)."""
    return gain_where_ratios_are_equal(1.0)


def popularity_over_random_in_uar() -> float:
    """Return P@10 of popularity divided by the density, under UAR with only positive ratings.

    1 if popularity is as good as chance. A user's training items are no candidates.
    """
    return _popularity_over_random(Protocol("AR", "TI", threshold=1))


def popularity_over_random_in_u1r() -> float:
    """Return P@10 of popularity divided by 1/t, under U1R with samples of 49."""
    return _popularity_over_random(Protocol("1R", "TI", 49, threshold=1))


def _popularity_over_random(protocol: Protocol) -> float:
    split = split_of_uniform_tests(_REPETITIONS)
    popularity, random = [], []
    for number in range(_REPETITIONS):
        data = fold(skewed_ratings(), split, number)
        lists = lists_of(Popularity().fit(data.train), data, protocol)
        popularity.append(_mean(Precision(cutoff=10), lists))
        random.append(TargetDensities.of(data, protocol, 1).rho)
    return float(np.mean(popularity) / np.mean(random))


def graded_ndcg_less_plain() -> float:
    """Return how far graded nDCG is from binary nDCG, over all 1R lists (section 6.3)."""
    metrics = [parse("nDCG@10"), parse("nDCG(gain=relevant)@10")]
    with_grades, without = evaluate(metrics, one_list_a_rank(50, _ONE))
    return float(np.abs(with_grades - without).max())


def average_precision_less_reciprocal_rank() -> float:
    """Return how far average precision is from the reciprocal rank, over all 1R lists."""
    precision, reciprocal = evaluate([parse("AP"), parse("RR")], one_list_a_rank(50, _ONE))
    return float(np.abs(precision - reciprocal).max())


def lowest_bpref_of_one_relevant() -> float:
    """Return the lowest bpref of lists whose only judged item is relevant (section 7).

    Both forms at any rank. Metrics that need all judgments are not measured under 1R, so these are
    AR lists of users with a single test rating.
    """
    lists = one_list_a_rank(100, _ALL)
    forms = [BinaryPreference(), BinaryPreference(form="bellogin")]
    return float(evaluate(forms, lists).min())


def stratified_recall_less_recall() -> float:
    """Return how far stratified recall with gamma = 0 is from recall, over lists and cut-offs."""
    protocol = Protocol("AR", "TI", threshold=LIKED)
    lists = lists_of(RandomScores(0), fold_of_coin_flips(0), protocol)
    cutoffs = (1, 5, 10, 50, None)
    stratified = evaluate([StratifiedRecall(gamma=0.0, cutoff=n) for n in cutoffs], lists)
    plain = evaluate([Recall(cutoff=n) for n in cutoffs], lists)
    return float(np.abs(stratified - plain).max())


# The true and false positives of Mena-Maldonado et al. (2021).

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
    lists = _lists(users, items, values, all_ranks[users, items], np.full(n_users, n_items))
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


# User coverage beside Coverage@1 and both averages (Cañamares et al. 2020, section 3.9): the
# largest gap over random judgments, where some users get no list.


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
        ratings = rng.integers(1, 6, len(users))
        has_list = rng.random(n_users) < rng.random()
        order = np.argsort(rng.random((n_users, n_items)), axis=1) + 1
        ranks = np.where(has_list[users], order[users, items], 0)
        lengths = np.where(has_list, n_items, 0)
        lists = _lists(users, items, ratings, ranks, lengths, candidates=n_items)
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


# Definitions of Valcarce et al. (2018) and (2020).


def epsilon_of_inferred_precision() -> float:
    r"""Return the :math:`\epsilon` with which infAP is computed, derived from one of its values.

    The only relevant item has rank 2, after an item judged non-relevant. Then infAP is
    :math:`v = \frac{1}{2} + \frac{1}{2} \frac{\epsilon}{1 + 2 \epsilon}` (Valcarce et al. 2018,
    section 3, equations 7 and 8; Valcarce et al. 2020, section 3.2, equations 10 and 11), solved
    here for
    :math:`\epsilon`.
    """
    lists = _lists([0, 0], [0, 1], [1, 5], ranks=[1, 2], lengths=[10])
    share = 2.0 * float(evaluate([parse("infAP@10")], lists)[0, 0]) - 1.0
    return share / (1.0 - 2.0 * share)


def p_values_changed_by_averages() -> float:
    """Return how much p-values change when systems are averaged in another way before the test.

    Users' values are averaged arithmetically and geometrically, in both forms for users without a
    hit. The test uses the values per user and only their mean difference, so discriminative power
    is the same under all averages (Valcarce et al. 2020, section 7).
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
