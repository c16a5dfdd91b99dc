# SPDX-License-Identifier: MIT
"""Density of relevant items in target sets, and precision by it (Bellogín et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import JudgedLists
from receval.protocols.candidates import base_candidates, popular_head, popularity_percentiles
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments


@dataclass(frozen=True)
class TargetDensities:
    r"""Sizes of the target sets of a fold under a protocol, and their numbers of relevant items.

    They give these quantities, which do not depend on systems (Bellogín et al. 2017, section 4 and
    table 2):

    .. math::

        \rho_u = \frac{|T_u \cap PR_{test}(u)|}{|T_u|}, \quad \rho = avg_u\,\rho_u, \quad
        \frac1t = avg_u\,\frac{1}{|T_u|}, \quad \sigma = \frac{|R_{test}|}{|R|}, \quad
        \delta = \frac{|PR|}{t\,|U|}

    Each list ranks one target set: :math:`T_u` of each user under AR, :math:`T_u^r` of each
    relevant test rating under 1R. Averages are over lists, like those of metrics.

    Attributes
    ----------
    users : ndarray of int64, shape (n_lists,)
        The user of each list. Under AR every user has a list, even without test ratings.
    sizes : ndarray of int64, shape (n_lists,)
        :math:`|T_u|` or :math:`|T_u^r|`.
    relevant : ndarray of int64, shape (n_lists,)
        Number of relevant items in each list. Under 1R it is 1, or 0 if the relevant item is not a
        candidate.
    pools : ndarray of int64, shape (n_users,)
        :math:`|C \setminus PR_{test}(u) \setminus R_{train}(u)|`, from which :math:`N_u` is drawn.
    one_relevant : bool
        True under 1R.
    sigma : float
        Share of the fold's ratings that are in test.
    n_positive : int
        :math:`|PR|`, the number of positive ratings of the fold in train and test.
    """

    users: NDArray[np.int64]
    sizes: NDArray[np.int64]
    relevant: NDArray[np.int64]
    pools: NDArray[np.int64]
    one_relevant: bool
    sigma: float
    n_positive: int

    @classmethod
    def of(
        cls,
        fold: Fold,
        protocol: Protocol,
        threshold: float,
        kept: NDArray[np.bool_] | None = None,
        percentile: int | None = None,
    ) -> Self:
        """Measure the target sets of a fold, where ratings from the threshold on are relevant.

        If only some test ratings are `kept`, neither the base candidates nor the samples change. A
        relevant item that is left out stays in target sets of all candidates (AN) as a non-relevant
        item, but is removed from sampled target sets (NN). Under P1R, the lists of one percentile
        are measured.

        Examples
        --------
        User 0 has one relevant item among four candidates, user 1 none among five:

        >>> from receval.data.ratings import summed_matrix
        >>> train = summed_matrix([0], [0], [4], shape=(2, 5))
        >>> fold = Fold(train, test=Judgments.from_pairs([0], [3], [5], n_users=2))
        >>> densities = TargetDensities.of(fold, Protocol("AR", "AI"), threshold=4)
        >>> densities.sizes.tolist(), densities.relevant.tolist(), densities.rho
        ([4, 5], [1, 0], 0.125)
        """
        judgments = fold.test
        if (protocol.percentiles is None) != (percentile is None):
            raise ValueError(
                f"The target sets of {protocol.name} are measured per percentile if the protocol "
                "has percentiles, and all at once if it has none. Give percentile only in the "
                "first case."
            )
        if protocol.threshold is not None and protocol.threshold != threshold:
            raise ValueError(
                f"The candidates of {protocol.name} are formed with the relevance threshold "
                f"{protocol.threshold:g}. Ask for their densities with that threshold, not with "
                f"{threshold:g}."
            )
        if kept is None:
            kept = np.ones(len(judgments), dtype=bool)
        if kept.shape != (len(judgments),):
            raise ValueError(
                f"The mask of the ratings kept has the shape {kept.shape}, but the fold has "
                f"{len(judgments)} test ratings. Give one flag per test rating."
            )
        if protocol.head_removed is not None:
            kept = kept & ~popular_head(fold, protocol.head_removed)[judgments.items]
        is_candidate = base_candidates(protocol, fold, judgments)
        if protocol.percentiles is not None:
            members = popularity_percentiles(fold, protocol.percentiles) == percentile
            is_candidate &= members
            kept = kept & members[judgments.items]
        relevant = judgments.values >= threshold
        in_reach = relevant & reachable(fold, judgments, protocol, is_candidate)
        open_items = n_open(fold, protocol, is_candidate)
        pools = open_items - _per_user(judgments, in_reach)
        kept_relevant = _per_user(judgments, in_reach & kept)
        sampled = pools if protocol.sampled is None else np.minimum(pools, protocol.sampled)
        if protocol.relevant == "1R":
            lists = relevant & kept
            users = judgments.users[lists].astype(np.int64)
            found = in_reach[lists].astype(np.int64)
            sizes = sampled[users] + found
        else:
            users = np.arange(judgments.n_users, dtype=np.int64)
            found = kept_relevant
            sizes = open_items if protocol.sampled is None else sampled + found
        return cls(
            users=users,
            sizes=sizes,
            relevant=found,
            pools=pools,
            one_relevant=protocol.relevant == "1R",
            sigma=int(kept.sum()) / (fold.train.nnz + len(judgments)),
            n_positive=int((fold.train.data >= threshold).sum() + relevant.sum()),
        )

    @property
    def n_users(self) -> int:
        """Number of users, with or without test ratings."""
        return len(self.pools)

    @cached_property
    def rho_of_lists(self) -> NDArray[np.float64]:
        r"""Share :math:`\rho_u` of relevant items in each list; 0 for an empty list."""
        return self.relevant / np.maximum(self.sizes, 1)

    @property
    def rho(self) -> float:
        r"""Average share of relevant items over all users (AR) or relevant test ratings (1R).

        As in the paper, users without relevant test ratings count as 0. NaN if there are no lists.
        """
        return float(self.rho_of_lists.mean()) if len(self.sizes) else float("nan")

    @property
    def t(self) -> float:
        """Harmonic mean of the sizes of the non-empty lists; NaN if all are empty."""
        sizes = self.sizes[self.sizes > 0]
        return float(1 / np.mean(1 / sizes)) if len(sizes) else float("nan")

    @property
    def delta(self) -> float:
        """Density of positive ratings in target sets."""
        return self.n_positive / (self.t * self.n_users)


def reachable(
    fold: Fold, judgments: Judgments, protocol: Protocol, is_candidate: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which judgments are of candidates, shape (n_judgments,).

    The other judgments are of items that the user also has in train (plays), or that the protocol
    excludes.
    """
    n_items = fold.train.shape[1]
    train_users = np.repeat(np.arange(judgments.n_users), np.diff(fold.train.indptr))
    # Both are sorted by user and item, so judgments can be looked up quickly.
    trained = np.append(train_users * n_items + fold.train.indices, -1)
    tested = judgments.users.astype(np.int64) * n_items + judgments.items
    is_trained = trained[np.searchsorted(trained[:-1], tested)] == tested
    found: NDArray[np.bool_] = is_candidate[judgments.items] & ~is_trained
    if protocol.candidates == "train":
        found &= np.diff(fold.train.indptr)[judgments.users] > 0
    return found


def n_open(fold: Fold, protocol: Protocol, is_candidate: NDArray[np.bool_]) -> NDArray[np.int64]:
    r"""Return the number of candidates :math:`|C \setminus R_{train}(u)|` of each user."""
    n_trained = np.diff(fold.train.indptr)
    train_users = np.repeat(np.arange(fold.test.n_users), n_trained)
    taken = np.bincount(train_users[is_candidate[fold.train.indices]], minlength=len(n_trained))
    n_candidates = int(is_candidate.sum()) - taken
    if protocol.candidates == "train":
        n_candidates[n_trained == 0] = 0
    return n_candidates.astype(np.int64)


def _per_user(judgments: Judgments, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.bincount(judgments.users[flags], minlength=judgments.n_users).astype(np.int64)


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

    The lists are under AR NN; with all candidates (AN) the bounds are those of 1R AN. If only some
    test ratings are `kept`, the relevant items of others are removed from :math:`PR_{test}(u)` and
    :math:`T_u`, so the items below them move up; :math:`N_u` does not change.

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

    where n is the ``cutoff``, so that :math:`E[1RP@n] = 1/t`. These are cases in which equations 4
    and 5 of Bellogín et al. (2017) are exact. The standard error is for continuous scores drawn
    independently for every pair of user and item. The expectation is that of the mean over all
    users under AR, and over all relevant test ratings under 1R.

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
