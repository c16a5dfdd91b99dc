# SPDX-License-Identifier: MIT
"""Two-sided paired tests of two systems on the same users: t-test, Wilcoxon, sign test.

Every function takes the values of all metrics and systems at once, shape (..., n_systems, n_users),
and returns one number per unordered pair of systems, shape (..., n_pairs), in the order of
:func:`receval.statistics.pairs.system_pairs`. Values that are not finite, fewer than two systems or
too few users are refused with a ValueError. P-values are not adjusted for the number of pairs: see
:mod:`receval.statistics.multiple_comparisons` and :mod:`receval.statistics.tukey`.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtr

from receval.statistics.pairs import checked_values, over_pairs
from receval.storage.kernel_cache import njit

MOST_RANKED = 25
"""Maximum number of non-zero differences for an exact Wilcoxon test, where requested."""


def t_statistics(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return the t statistic of the paired differences for every pair of systems.

    .. math:: t = \frac{\bar d}{s_d / \sqrt n}, \qquad
              s_d^2 = \frac{1}{n - 1} \sum_u (d_u - \bar d)^2

    with :math:`d_u` the value of the first system minus that of the second for user u. It is 0 if
    all differences are 0, and infinite, with their sign, if all differences are equal and not 0.
    """
    return over_pairs(checked_values(values, min_users=2), t_of_rows)


def t_test(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return the p-values of the paired t-test, :math:`2 P(T_{n-1} \ge |t|)`.

    Identical systems have p = 1; a constant difference other than 0 has p = 0. Otherwise it equals
    ``scipy.stats.ttest_rel``. Source: Student (1908), "The probable error of a mean", Biometrika
    6(1).

    Examples
    --------
    Two systems on four users; the first is better by one for three of them:

    >>> t_test([[2, 3, 1, 5], [1, 2, 1, 4]]).round(4).tolist()
    [0.0577]
    """
    array = checked_values(values, min_users=2)
    return 2.0 * stdtr(array.shape[-1] - 1, -np.abs(over_pairs(array, t_of_rows)))


def wilcoxon_test(
    values: ArrayLike, *, decimals: int | None = None, exact_up_to: int = 0
) -> NDArray[np.float64]:
    r"""Return the p-values of Wilcoxon's signed-rank test.

    .. math:: z = \frac{W^+ - k (k + 1) / 4}
              {\sqrt{k (k + 1) (2 k + 1) / 24 - \sum_g (t_g^3 - t_g) / 48}},
              \qquad p = 2 \Phi(-|z|)

    with k the number of differences that are not 0, :math:`W^+` the sum of the ranks of the
    positive ones among the absolute values of these k, and :math:`t_g` the sizes of groups of equal
    absolute values, which share their mean rank. Differences of 0 are left out, as Wilcoxon did
    (``zero_method="wilcox"``). The p-value is from the normal approximation with correction for
    ties and without continuity correction (``method="asymptotic"``), which is rough for a dozen
    differences or fewer. Identical systems have p = 1.

    Differences are rounded to a number of ``decimals`` first; without rounding they are compared as
    floating-point numbers, and 0.3 - 0.1 ranks below 0.2 - 0. With at most ``exact_up_to`` non-zero
    differences the p-value is exact: the share of all assignments of signs to the ranks, including
    mean ranks, for which :math:`W^+` is at least as far from its expectation.

    Sources: Wilcoxon (1945), "Individual comparisons by ranking methods", Biometrics Bulletin 1(6);
    correction for ties: Lehmann (1975), "Nonparametrics". Equals ``scipy.stats.wilcoxon`` with the
    options named above.

    Examples
    --------
    All five users prefer the second system:

    >>> five = [[0, 0, 0, 0, 0], [1, 2, 3, 4, 5]]
    >>> wilcoxon_test(five).round(4).tolist(), wilcoxon_test(five, exact_up_to=25).tolist()
    ([0.0431], [0.0625])
    """
    approximate = 2.0 * ndtr(-np.abs(wilcoxon_statistics(values, decimals=decimals)))
    if not exact_up_to:
        return approximate

    def exact(differences: NDArray[np.float64]) -> NDArray[np.float64]:
        rounded = differences if decimals is None else np.round(differences, decimals)
        few = (rounded != 0).sum(axis=-1) <= exact_up_to
        pairs = zip(rounded, few, strict=True)
        return np.array([_exact_wilcoxon(own) if is_few else np.nan for own, is_few in pairs])

    found = over_pairs(checked_values(values), exact, exact=True)
    return np.where(np.isnan(found), approximate, found)


def _exact_wilcoxon(differences: NDArray[np.float64]) -> float:
    """Return the exact p-value: the share of all signs with a rank sum at least as extreme."""
    # Imported here because scipy.stats takes long to import.
    from scipy.stats import rankdata

    kept = differences[differences != 0]
    # Doubled ranks are whole numbers, even the mean ranks of ties.
    doubled = np.rint(2.0 * rankdata(np.abs(kept))).astype(np.int64)
    total = int(doubled.sum())
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for rank in doubled:
        chances[rank:] += chances[:-rank].copy()
        chances /= 2.0
    positive = int(doubled[kept > 0].sum())
    return float(min(1.0, 2.0 * chances[max(positive, total - positive) :].sum()))


def wilcoxon_statistics(values: ArrayLike, *, decimals: int | None = None) -> NDArray[np.float64]:
    """Return z of :func:`wilcoxon_test`, positive where the first system has larger ranks.

    It is 0 for identical systems.
    """

    z = partial(wilcoxon_z_of_rows, decimals=decimals)
    return over_pairs(checked_values(values), z, exact=True)


def wilcoxon_z_of_rows(
    differences: NDArray[np.float64], decimals: int | None = None
) -> NDArray[np.float64]:
    """Return z of :func:`wilcoxon_test` for every row of differences, shape (k, n_users)."""
    k, positive, negative, ties = signed_ranks(differences, decimals)
    variance = k * (k + 1) * (2 * k + 1) / 24 - ties / 48
    # W+ and W- sum to k (k + 1) / 2. Without differences both are 0.
    scores: NDArray[np.float64] = (positive - negative) / 2
    return scores / np.sqrt(np.where(k > 0, variance, 1))


def sign_test(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return the p-values of the exact sign test.

    .. math:: p = \min\Big(1,\; 2 \sum_{j=0}^{\min(w, l)} \binom{w + l}{j} 2^{-(w + l)}\Big)

    with w the number of users for whom the first system is better and l for whom the second is.
    Users with equal values are left out. Identical systems have p = 1. Equals
    ``scipy.stats.binomtest`` of w among w + l.

    Sources: Arbuthnott (1710), "An argument for divine providence", Philosophical Transactions 27;
    Conover (1999), "Practical nonparametric statistics", section 3.4.

    Examples
    --------
    All five users prefer the first of two systems: twice one chance in 32.

    >>> sign_test([[2, 3, 2, 5, 1], [1, 2, 1, 4, 0]]).tolist()
    [0.0625]
    """

    def p_values(differences: NDArray[np.float64]) -> NDArray[np.float64]:
        return sign_test_of_counts((differences > 0).sum(axis=-1), (differences < 0).sum(axis=-1))

    return over_pairs(checked_values(values), p_values, exact=True)


def sign_test_of_counts(wins: ArrayLike, losses: ArrayLike) -> NDArray[np.float64]:
    """Return the p-values of :func:`sign_test` from the numbers of wins and losses.

    Examples
    --------
    >>> sign_test_of_counts([5, 3], [0, 3]).tolist()
    [0.0625, 1.0]
    """
    # Imported here because scipy.stats takes long to import.
    from scipy.stats import binom

    first, second = np.asarray(wins), np.asarray(losses)
    tail = binom.cdf(np.minimum(first, second), first + second, 0.5)
    return np.minimum(2.0 * tail, 1.0)


def clustered_t_test(sums: NDArray[np.float64], counts: NDArray[np.integer]) -> float:
    r"""Return the p-value of a t-test of the mean difference over ratings, clustered by user.

    Users are independent, but not the ratings of one user. With :math:`d_u` the sum of the
    differences of the :math:`n_u` ratings of user u (``sums`` and ``counts``), the mean
    :math:`\bar d = \sum_u d_u / N` over all N ratings is a ratio of sums over the U users:

    .. math:: t = \frac{\bar d}{s}, \qquad
              s^2 = \frac{U}{U - 1} \, \frac{1}{N^2} \sum_u (d_u - n_u \bar d)^2, \qquad
              p = 2 P(T_{U - 1} \ge |t|)

    It is 1 where there is no difference, and NaN with fewer than two users. With one rating per
    user it is the paired t-test. Source: Cochran (1977), "Sampling techniques", section 6.4, the
    variance of a ratio.

    Examples
    --------
    >>> values = np.array([0.2, 0.1, 0.3, -0.1])
    >>> ones = np.ones(4, dtype=np.int64)
    >>> both = [values, np.zeros(4)]
    >>> round(clustered_t_test(values, ones), 6) == round(float(t_test(both)[0]), 6)
    True
    """
    n_users = len(sums)
    if n_users < 2:
        return float("nan")
    total = counts.sum()
    mean = sums.sum() / total
    residuals = sums - counts * mean
    error = np.sqrt(n_users / (n_users - 1) * (residuals**2).sum()) / total
    if mean == 0:
        return 1.0
    return float(2 * stdtr(n_users - 1, -abs(mean) / error)) if error > 0 else 0.0


class SignedRanks(NamedTuple):
    """Sums over the non-zero differences of each row, ranked by absolute value."""

    nonzero: NDArray[np.float64]
    """Number of differences that are not 0."""
    positive: NDArray[np.float64]
    """Sum of the ranks of positive differences."""
    negative: NDArray[np.float64]
    """Sum of the ranks of negative differences."""
    ties: NDArray[np.float64]
    """Sum of t^3 - t over groups of t equal absolute values."""


def signed_ranks(differences: NDArray[np.float64], decimals: int | None = None) -> SignedRanks:
    """Rank the differences of every row by absolute value, and sum the signed ranks.

    The differences, shape (k, n_users), are rounded to a number of ``decimals`` first, if it is
    given.
    """
    if decimals is not None:
        differences = np.round(differences, decimals)
    # Move the sign bit of each float from the highest to the lowest bit. The keys then sort by
    # absolute value and still hold the sign, and sorting integers is several times faster than an
    # argsort.
    bits = np.ascontiguousarray(differences).view(np.uint64)
    keys = np.sort((bits << np.uint64(1)) | (bits >> np.uint64(63)), axis=-1)
    sums = np.zeros((4, len(keys)))
    _add_ranks(keys, sums)
    return SignedRanks(*sums)


@njit(cache=True, nogil=True)
def _add_ranks(keys: NDArray[np.uint64], sums: NDArray[np.float64]) -> None:
    """Fill the sums of :class:`SignedRanks` from sorted keys, shape (k, n_users); all are exact."""
    n_users = keys.shape[1]
    for row in range(len(keys)):
        # A difference of 0 or -0 has no rank.
        zeros = 0
        while zeros < n_users and keys[row, zeros] <= 1:
            zeros += 1
        start = zeros
        while start < n_users:
            size, stop, negative = keys[row, start] >> 1, start, 0
            while stop < n_users and keys[row, stop] >> 1 == size:
                negative += int(keys[row, stop] & 1)
                stop += 1
            tied = float(stop - start)
            # The mean of the ranks from start - zeros + 1 to stop - zeros.
            rank = (start + stop + 1) / 2 - zeros
            sums[1, row] += rank * (tied - negative)
            sums[2, row] += rank * negative
            sums[3, row] += tied**3 - tied
            start = stop
        sums[0, row] = n_users - zeros


def t_of_rows(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the t statistic of every row of differences, shape (k, n_users)."""
    means = differences.mean(axis=-1)
    deviations = differences.std(axis=-1, ddof=1)
    # The rounded mean of equal numbers may differ from them, which would leave a deviation.
    constant = differences.max(axis=-1) == differences.min(axis=-1)
    certain = np.where(means == 0, 0.0, np.copysign(np.inf, means))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = means / (deviations / np.sqrt(differences.shape[-1]))
    # Squares of deviations below 1e-162 underflow to 0.
    return np.where(constant | (deviations == 0), certain, t)
