# SPDX-License-Identifier: MIT
"""Theorems of bellogin2017 on precision and other metrics, checked on small random data.

First come the formulas of expected precision (sections 4.1 and 6.2). A non-personalised system
ranks all candidates in one order, of which :math:`i_k^{u,s}` is the k-th. The formulas neglect that
a user's training items leave the order; :func:`expected_precision_over_coin_flips` does not.

Each function without arguments returns one number: how far the library's metrics deviate from a
theorem (0 if it holds), or the ratio of two numbers that it calls equal. All seeds come from names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from receval.data.ratings import Ratings
from receval.metrics.bpref import BinaryPreference
from receval.metrics.evaluation import evaluate
from receval.metrics.judged_items import DatasetMetadata
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.precision_and_recall import Precision, Recall, StratifiedRecall
from receval.metrics.registry import parse
from receval.protocols.evaluation import Scorer, rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders.non_personalised import Popularity
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, Fold, Judgments, Split, fold
from receval.splits.uniform_test import split_with_uniform_test
from receval.theory.precision import precision_bounds
from receval.theory.target_densities import TargetDensities
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw, simulate_ratings

_POSITIVE = 4.0
_REPETITIONS = 20
_ONE, _ALL = Protocol("1R"), Protocol()


def expected_precision(
    positives: ArrayLike,
    cutoff: int,
    *,
    sigma: float,
    n_candidates: int,
    t: float,
    n_users: int,
) -> float:
    r"""Return the expected AR precision of a non-personalised ranking (equation 3).

    .. math:: E[P_s@n] = \frac{\sigma |C|}{n t |U|} \sum_{k=1}^n avg_u |PR(i_k^{u,s})|

    ``positives`` are :math:`|PR(i_k)|`, in train and test, from the first rank on; t is the
    harmonic mean of :math:`|T_u|` (:class:`receval.theory.target_densities.TargetDensities`).
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


def expected_precision_over_coin_flips(
    ratings: Ratings, order: NDArray[np.integer], threshold: float, test_share: float, cutoff: int
) -> float:
    r"""Return the expected P@n of one order of all items over random splits, under AR AN.

    Every rating is in test with probability :math:`\sigma` (``test_share``), and the user's
    training items leave the list. An item that u likes is a hit if it is in test and fewer than n
    of the items before it remain. Items that u has not rated always remain, the others with
    probability :math:`\sigma`.

    .. math::

        E[P@n] = \frac{\sigma}{n |U|} \sum_{(u,i) \in PR}
                 Pr[Binomial(a_{ui}, \sigma) + b_{ui} < n]

    with :math:`a_{ui}` the items before i that u has rated and :math:`b_{ui}` those that u has not.
    This is equation 3 with all of its neglected terms. With all items as candidates (AI) it is
    exact for an order that does not depend on the split. For test items (TI), or an order by
    training popularity, it is approximate.
    """
    if not np.array_equal(np.sort(order), np.arange(ratings.n_items)):
        raise ValueError(
            f"The order must contain each of the {ratings.n_items} items once. Give the codes "
            f"from 0 to {ratings.n_items - 1}, beginning with the first rank."
        )
    rank_of = np.empty(ratings.n_items, dtype=np.int64)
    rank_of[order] = np.arange(ratings.n_items)
    ranks = rank_of[ratings.items]
    by_rank = np.lexsort((ranks, ratings.users))
    users = ratings.users[by_rank]
    starts = np.searchsorted(users, np.arange(ratings.n_users))
    rated_before = np.arange(len(users)) - starts[users]
    unrated_before = ranks[by_rank] - rated_before
    liked = ratings.values[by_rank] >= threshold
    hit = binom.cdf(cutoff - 1 - unrated_before[liked], rated_before[liked], test_share)
    return float(test_share * np.sum(hit) / (cutoff * ratings.n_users))


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
    judgments = Judgments.from_pairs(users, users, 1 + users % 5, n_users=size)
    # Under 1R the count leaves out the relevant item.
    length = size - 1 if protocol.relevant == "1R" else size
    lengths = np.full(size, length, dtype=np.int32)
    ranks = JudgedRanks(np.arange(1, size + 1, dtype=np.int32), lengths, lengths)
    return JudgedLists.of(judgments, ranks, 1, protocol)


def highest_precision_of_one_relevant() -> float:
    """Return the highest possible P@10 with one relevant item (section 3.2)."""
    return float(evaluate([Precision(cutoff=10)], one_list_a_rank(100, _ONE)).max())


def violation_of_bounds() -> float:
    """Return the largest violation of the bounds of 1R precision (section 3.4, equation 2).

    Random rankings and popularity are measured on random splits of the simulated ratings, with
    samples and cut-offs of several sizes. The result is at most 0 if the lemma holds.
    """
    most = -np.inf
    for number, (cutoff, sampled) in enumerate([(1, 5), (5, 20), (10, 99), (10, 20), (20, 150)]):
        data = fold_of_coin_flips(number)
        for system in (RandomScores(number), Popularity().fit(data.train)):
            every, one = (
                lists_of(system, data, Protocol(relevant, "TI", sampled, _POSITIVE))
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
    users = np.repeat(np.arange(n_users), 2)
    judgments = Judgments.from_pairs(users, np.tile([0, 1], n_users), np.ones(2 * n_users), n_users)
    lengths = np.full(n_users, 6, dtype=np.int32)
    ranks = JudgedRanks(orders[:, :2].ravel(), lengths, lengths)
    lists = JudgedLists.of(judgments, ranks, 1, Protocol())
    metrics = [Precision(cutoff=n) for n in range(1, 7)]
    return float(np.abs(evaluate(metrics, lists).mean(axis=1) - 2 / 6).max())


def ratio_of_rho_to_sigma_delta() -> float:
    """Return the mean density of target sets divided by that of equation 4 (AR AI-AN).

    :func:`random_precision_less_rho` compares random precision with the same density. Equation 4
    assumes that sizes of target sets are independent of users' preferences.
    """
    protocol = Protocol("AR", "AI")
    rho, expected = [], []
    for number in range(_REPETITIONS):
        densities = TargetDensities.of(fold_of_coin_flips(number), protocol, _POSITIVE)
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
    """Return how far the precision of whole lists is from their density (section 4.2).

    The largest difference for random rankings and popularity under AR and 1R.
    """
    most = 0.0
    for protocol in (
        Protocol("AR", "TI", threshold=_POSITIVE),
        Protocol("AR", "AI", 50, _POSITIVE),
        Protocol("1R", "TI", 50, _POSITIVE),
    ):
        data = fold_of_coin_flips(0)
        rho = TargetDensities.of(data, protocol, _POSITIVE).rho
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
    """Return how far equation 3 is from equation 4 in a uniform test (section 6.2).

    All items have the same share of positive ratings, so every order is as good as chance. Returns
    the largest difference over cut-offs. All candidates are targets (TI).
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

    Measured on uniform tests of the simulated ratings; a user's training items are no candidates. 1
    if popularity is as good as chance.
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
    protocol = Protocol("AR", "TI", threshold=_POSITIVE)
    lists = lists_of(RandomScores(0), fold_of_coin_flips(0), protocol)
    cutoffs = (1, 5, 10, 50, None)
    stratified = evaluate([StratifiedRecall(gamma=0.0, cutoff=n) for n in cutoffs], lists)
    plain = evaluate([Recall(cutoff=n) for n in cutoffs], lists)
    return float(np.abs(stratified - plain).max())
