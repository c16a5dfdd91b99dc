# SPDX-License-Identifier: MIT
"""Expected precision of non-personalised rankings, over random splits and samples.

A non-personalised system ranks all candidates in one order. :math:`i_k^{u,s}` is the k-th item of
the target set; among sampled candidates (NN) it ranks far below the k-th of all. The formulas are
those of bellogin2017, sections 4.1, 5.1 and 6.2. They neglect that a user's training items leave
the order; :func:`expected_precision_over_coin_flips` does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from scipy.stats import binom

from receval.data.ratings import Ratings
from receval.theory.precision import PrecisionBounds


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

    Parameters
    ----------
    positives : array_like of float, shape (n_ranked,) or (n_users, n_ranked)
        Positive ratings :math:`|PR(i_k)|`, in train and test, of the items of the target sets from
        the first rank on, for all users or for each. With all candidates (AN) they are in the
        system's order; for samples see :func:`expected_positives_among_samples`.
    n_candidates : int
        :math:`|C|`.
    t : float
        Harmonic mean of :math:`|T_u|` (:class:`receval.theory.target_densities.TargetDensities`).
    n_users : int
        :math:`|U|`.
    """
    sums = _sums(positives, cutoff)
    return float(sigma * n_candidates / (cutoff * t * n_users) * sums[cutoff])


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


def expected_random_precision_of_one_relevant(t: float) -> float:
    """Return the expected 1R precision of random recommendation, 1/t (equation 5)."""
    return 1 / t


def expected_bounds_of_one_relevant(
    positives: ArrayLike,
    n_relevant: ArrayLike,
    cutoff: int,
    *,
    n_positive: int,
    n_candidates: int,
    t: float,
) -> PrecisionBounds:
    r"""Return bounds of the expected 1R precision of a non-personalised ranking (section 5.1).

    .. math::

        \frac{|C|}{n t |PR|} \sum_{k=1}^n |PR(i_k)| \le E[1RP_s@n] \le
        \frac{|C|}{n t |PR|}\, avg_u \sum_{k=1}^{m_u} |PR(i_k)|, \qquad
        m_u = n + |PR_{test}(u)| - 1

    Users without relevant test ratings count with :math:`m_u = n`. The lemma still holds, since
    they have no hits; with n - 1 the bounds could be reversed.

    The paper prints the lower bound with all items instead of the candidates. It is equation 3,
    which has :math:`|C|`, divided by :math:`|PR_{test}| / |U|`.

    Parameters
    ----------
    positives : array_like of float, shape (n_ranked,)
        As for :func:`expected_precision`, the same for all users. All are summed if a user's
        :math:`m_u` is beyond the last rank.
    n_relevant : array_like of int, shape (n_users,)
        :math:`|PR_{test}(u)|` of all users.
    n_positive : int
        :math:`|PR|`.
    n_candidates : int
        :math:`|C|`.
    t : float
        Harmonic mean of the sizes of the AR target sets :math:`N_u \cup PR_{test}(u)`.
    """
    sums = _sums(positives, cutoff)
    beyond = np.maximum(np.asarray(n_relevant, dtype=np.int64) - 1, 0)
    reach = np.minimum(cutoff + beyond, len(sums) - 1)
    scale = n_candidates / (cutoff * t * n_positive)
    return PrecisionBounds(float(scale * sums[cutoff]), float(scale * sums[reach].mean()))


def expected_positives_of_uniform_test(
    ratios: ArrayLike, *, n_ratings: int, n_targets: int
) -> NDArray[np.float64]:
    r"""Return the substitute for :math:`|PR(i)|` where all items have equally many test ratings.

    In a uniform test (section 6.2, UAR and U1R) :math:`E[|PR_{test}(i)|] = \eta |PR(i)| / |R(i)|`
    with :math:`\eta = \sigma |R| / |T|`, so that the formulas of this module hold with

    .. math:: |PR(i)| \;\to\; \frac{|R|}{|T|} \cdot \frac{|PR(i)|}{|R(i)|}

    for the items of T, and with 0 for the others. With :math:`C = T` they become those of
    section 6.2, and :math:`\sigma\delta` and :math:`1/t` where the ratio is the same for all items.

    Section 6.2 says that random precision falls by :math:`|T| / |C|` where :math:`C \supset T`.
    This is true if all candidates are ranked (AN), because t grows from about :math:`|T|` to about
    :math:`|C|`. Samples of a given size keep the same t and the same random precision.

    Parameters
    ----------
    ratios : array_like of float
        :math:`|PR(i)| / |R(i)|` in the order of the ranking, of any shape; 0 outside of T.
    n_ratings : int
        :math:`|R|`.
    n_targets : int
        :math:`|T|`.
    """
    return np.asarray(ratios, dtype=np.float64) * (n_ratings / n_targets)


def expected_positives_among_samples(positives: ArrayLike, size: int) -> NDArray[np.float64]:
    r"""Return the expected :math:`|PR(i_k)|` of the k-th item of a random target set.

    .. math::

        E[|PR(i_k)|] = \sum_{j=1}^{|C|} |PR(j)|\, Pr[j \in T_u]\,
                       Pr[k - 1 \text{ of the } j - 1 \text{ items before it} \in T_u]

    The second probability is hypergeometric. :math:`T_u` is assumed to be a simple random sample,
    as in the formulas that use this.

    Parameters
    ----------
    positives : array_like of float, shape (n_candidates,)
        :math:`|PR(i)|` of all candidates in the order of the system.
    size : int
        :math:`t = |T_u|`.
    """
    values = np.asarray(positives, dtype=np.float64)
    n_candidates = len(values)
    if not 1 <= size <= n_candidates:
        raise ValueError(
            f"A target set of {size} items cannot be drawn from {n_candidates} candidates: choose "
            "a size between 1 and their number."
        )
    # Uses tables of logarithms, because scipy's distribution takes a minute for 1000 ranks.
    log_factorials = gammaln(np.arange(n_candidates + 1) + 1.0)

    def log_choose(n: NDArray[np.int64] | int, k: NDArray[np.int64] | int) -> NDArray[np.float64]:
        logs: NDArray[np.float64] = log_factorials[n] - log_factorials[k] - log_factorials[n - k]
        return logs

    before = np.arange(n_candidates)
    among = np.empty(size)
    for above in range(size):
        # Enough items before and after it for a target set with this many items above it.
        possible = before[above : n_candidates - (size - 1 - above)]
        behind = n_candidates - 1 - possible
        log_chances = log_choose(possible, above) + log_choose(behind, size - 1 - above)
        chances = np.exp(log_chances - log_choose(n_candidates - 1, size - 1))
        among[above] = chances @ values[possible]
    return among * (size / n_candidates)


def _sums(positives: ArrayLike, cutoff: int) -> NDArray[np.float64]:
    """Return the sums over the first 0, 1, ... ranks, averaged over users."""
    values = np.asarray(positives, dtype=np.float64)
    if values.shape[-1] < cutoff:
        raise ValueError(
            f"The ranking has {values.shape[-1]} items, fewer than the cut-off {cutoff}: give at "
            "least the items up to it."
        )
    return np.concatenate([[0.0], np.cumsum(values.mean(axis=0) if values.ndim == 2 else values)])


def expected_precision_over_coin_flips(
    ratings: Ratings, order: NDArray[np.integer], threshold: float, test_share: float, cutoff: int
) -> float:
    r"""Return the expected P@n of one order of all items over random splits, under AR AN.

    Every rating is in test with probability :math:`\sigma`, and the user's training items leave the
    list. An item that u likes is a hit if it is in test and fewer than n of the items before it
    remain. Items that u has not rated always remain, the others with probability :math:`\sigma`.

    .. math::

        E[P@n] = \frac{\sigma}{n |U|} \sum_{(u,i) \in PR}
                 Pr[Binomial(a_{ui}, \sigma) + b_{ui} < n]

    with :math:`a_{ui}` the items before i that u has rated and :math:`b_{ui}` those that u has not.
    This is equation 3 of bellogin2017 with all of its neglected terms. With all items as candidates
    (AI) it is exact for an order that does not depend on the split. For test items (TI), or an
    order by training popularity, it is approximate.

    Parameters
    ----------
    test_share : float
        :math:`\sigma`.
    """
    if not np.array_equal(np.sort(order), np.arange(ratings.n_items)):
        raise ValueError(
            f"The order must hold each of the {ratings.n_items} items once: give the codes from 0 "
            f"to {ratings.n_items - 1}, from the first rank on."
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
