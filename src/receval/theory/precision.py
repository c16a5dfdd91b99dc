# SPDX-License-Identifier: MIT
"""Bounds of 1R precision and the precision expected of Random (Bellogín et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import JudgedLists
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold
from receval.theory.target_densities import TargetDensities


class PrecisionBounds(NamedTuple):
    """Lower and upper bound of 1R precision."""

    lower: float
    upper: float


def precision_bounds(
    lists: JudgedLists, cutoff: int, kept: NDArray[np.bool_] | None = None
) -> PrecisionBounds:
    r"""Return the bounds of 1R precision that follow from AR precision over the same samples.

    .. math::

        \frac{|U| P_s@n}{|PR_{test}|} \le 1RP_s@n \le
        \frac{\sum_u m_u P_s^u@m_u(T_u)}{n |PR_{test}|}, \qquad m_u = n + |PR_{test}(u)| - 1

    with :math:`T_u = N_u \cup PR_{test}(u)` on both sides and :math:`T_u^r = N_u \cup \{i_r\}` in
    the middle. The rank of an item in :math:`T_u` is at most :math:`|PR_{test}(u)| - 1` below its
    rank in :math:`T_u^r`, and never above it. (The proof prints the second inequality with the
    wrong sign.) The 1R protocol with the same base candidates, the same number of samples and the
    same threshold has the same :math:`N_u`. (Bellogín et al. 2017, section 3.4, equation 2)

    Parameters
    ----------
    lists : JudgedLists
        Lists under AR NN. With all candidates (AN) the bounds are those of 1R AN.
    cutoff : int
        n.
    kept : ndarray of bool, shape (n_judgments,), optional
        Which test ratings to keep. A relevant item that is left out is removed from
        :math:`PR_{test}(u)` and :math:`T_u`, so the items below it move up; :math:`N_u` does not
        change.

    Examples
    --------
    The two relevant items of the only user have ranks 1 and 2. Each would be first without the
    other, so P@1 under 1R is 1: the upper bound.

    >>> from receval.protocols.judged_ranks import JudgedRanks
    >>> from receval.protocols.protocol import Protocol
    >>> from receval.splits.split import Judgments
    >>> judgments = Judgments.from_pairs([0, 0], [3, 7], [5, 4], n_users=1)
    >>> ranks, ten = np.array([1, 2], dtype=np.int32), np.array([10], dtype=np.int32)
    >>> lists = JudgedLists.of(judgments, JudgedRanks(ranks, ten, ten), 4, Protocol())
    >>> precision_bounds(lists, cutoff=1)
    PrecisionBounds(lower=0.5, upper=1.0)
    """
    if lists.one_relevant:
        raise ValueError(
            "The bounds of 1R precision are computed from AR lists over the same samples, but "
            "these are 1R lists. Give the AR lists with the same number of sampled candidates."
        )
    view = lists.full
    alive = np.ones(len(view.judged.positions), dtype=bool)
    if kept is not None:
        alive = kept[view.judged.positions]
    relevant_left = view.judged.sums(view.judged.relevant & alive).astype(np.int64)
    total = int(relevant_left.sum())
    if not total:
        raise ValueError("No relevant test rating is left, so there is no 1R precision to bound.")
    is_left = alive[view.indices]
    gone = view.relevant & ~is_left
    ranks = view.ranks - view.above(gone)
    counted = view.relevant & is_left
    in_lower = counted & (ranks <= cutoff)
    in_upper = counted & (ranks <= cutoff + relevant_left[view.rows[view.list_of]] - 1)
    scale = cutoff * total
    return PrecisionBounds(int(in_lower.sum()) / scale, int(in_upper.sum()) / scale)


@dataclass(frozen=True)
class Expectation:
    """The expected value of a metric, and the standard error of its measured value."""

    mean: float
    """Expected average over all lists."""
    standard_error: float
    """Standard deviation of that average, over rankings and samples."""


def random_precision(densities: TargetDensities, cutoff: int) -> Expectation:
    r"""Return the expected P@n of random recommendation, given the target sets.

    Under AR the number of relevant items among the first n of a random order is hypergeometric.
    With :math:`m_u = \min(n, |T_u|)`

    .. math::

        E[P^u@n] = \frac{m_u}{n} \rho_u, \qquad
        Var[P^u@n] = \frac{m_u}{n^2}\, \rho_u (1 - \rho_u) \frac{|T_u| - m_u}{|T_u| - 1},

    so that :math:`E[P@n] = \rho` where no target set is smaller than n. Users are independent.

    Under 1R the lists of a user share :math:`N_u`. The number of lists whose relevant item is among
    the first n is the number of relevant items above the n-th item of :math:`N_u`, which is
    negative hypergeometric. With :math:`s = |N_u|`, :math:`K` lists and :math:`m = \min(n, s + 1)`

    .. math::

        E[\textstyle\sum_r n P@n(T_u^r)] = \frac{mK}{s + 1}, \qquad
        Var[\textstyle\sum_r n P@n(T_u^r)] =
            \frac{mK (s + K + 1)(s + 1 - m)}{(s + 1)^2 (s + 2)},

    so that :math:`E[1RP@n] = 1/t`. These are cases in which equations 4 and 5 of Bellogín et al.
    (2017) are exact. The standard error is for continuous scores drawn independently for every pair
    of user and item.

    Parameters
    ----------
    cutoff : int
        n.

    Returns
    -------
    Expectation
        For the mean over all users under AR, and over all relevant test ratings under 1R.

    Examples
    --------
    One of the four items without a training rating of the user is relevant:

    >>> from receval.data.ratings import summed_matrix
    >>> from receval.splits.split import Judgments
    >>> test = Judgments.from_pairs([0], [3], [5], n_users=1)
    >>> fold = Fold(summed_matrix([0], [0], [4], shape=(1, 5)), test)
    >>> densities = TargetDensities.of(fold, Protocol("AR", "AI"), threshold=4)
    >>> random_precision(densities, cutoff=2).mean
    0.25
    """
    n_lists = len(densities.sizes)
    if not n_lists:
        raise ValueError(
            "There are no target sets. Under 1R, every relevant test rating has one, but no "
            "rating reaches the threshold. Lower the threshold, or keep more test ratings."
        )
    if densities.one_relevant:
        reached = densities.relevant > 0
        owners = densities.users[reached]
        relevant = np.bincount(owners, minlength=densities.n_users).astype(np.float64)
        others = np.zeros(densities.n_users)
        others[owners] = densities.sizes[reached] - 1
        looked_at = np.minimum(cutoff, others + 1)
        hits = looked_at * relevant / (others + 1)
        variance = hits * (others + relevant + 1) * (others + 1 - looked_at)
        variance /= (others + 1) * (others + 2)
    else:
        sizes = densities.sizes.astype(np.float64)
        looked_at = np.minimum(cutoff, sizes)
        share = densities.rho_of_lists
        hits = looked_at * share
        variance = hits * (1 - share) * (sizes - looked_at) / np.maximum(sizes - 1, 1)
    scale = cutoff * n_lists
    return Expectation(float(hits.sum() / scale), float(np.sqrt(variance.sum()) / scale))


def random_precision_within_percentiles(
    fold: Fold, protocol: Protocol, threshold: float, cutoff: int
) -> Expectation:
    """Return the expected P@n of random recommendation under P1R, a protocol with percentiles.

    This is the mean over the percentiles that have a relevant test rating, each computed as under
    1R. The samples of different percentiles are independent (Bellogín et al. 2017, section 6.1).
    """
    densities = (
        TargetDensities.of(fold, protocol, threshold, percentile=percentile)
        for percentile in range(protocol.percentiles or 0)
    )
    found = [random_precision(density, cutoff) for density in densities if len(density.sizes)]
    if not found:
        raise ValueError(
            f"There are no target sets within percentiles under {protocol.name}. They need a "
            "protocol with percentiles, and a test rating that reaches the threshold."
        )
    squares = sum(expected.standard_error**2 for expected in found)
    return Expectation(
        float(np.mean([expected.mean for expected in found])), float(np.sqrt(squares) / len(found))
    )
