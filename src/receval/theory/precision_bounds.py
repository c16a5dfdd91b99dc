"""The lemma of bellogin2017: 1R precision lies between two forms of AR precision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import JudgedLists


class PrecisionBounds(NamedTuple):
    """Between what 1R precision lies."""

    lower: float
    upper: float


def precision_bounds(
    lists: JudgedLists, cutoff: int, kept: NDArray[np.bool_] | None = None
) -> PrecisionBounds:
    r"""Return the bounds that AR precision sets to 1R precision over the same samples.

    .. math::

        \frac{|U| P_s@n}{|PR_{test}|} \le 1RP_s@n \le
        \frac{\sum_u m_u P_s^u@m_u(T_u)}{n |PR_{test}|}, \qquad m_u = n + |PR_{test}(u)| - 1

    with :math:`T_u = N_u \cup PR_{test}(u)` on both sides and :math:`T_u^r = N_u \cup \{i_r\}` in
    the middle. An item stands in :math:`T_u` at most :math:`|PR_{test}(u)| - 1` ranks below its
    rank in :math:`T_u^r`, and never above it. (The proof prints the second inequality with the
    wrong sign.) The 1R protocol with the same base candidates, the same number of samples and the
    same threshold has the same :math:`N_u`.

    Parameters
    ----------
    lists : JudgedLists
        Under AR NN. With all candidates (AN) the bounds are those of 1R AN.
    cutoff : int
        n.
    kept : ndarray of bool, shape (n_judgments,), optional
        The test ratings that are left where others are left out. A relevant item that is left out
        is not in :math:`PR_{test}(u)` any more and leaves :math:`T_u`, so that those below it move
        up; :math:`N_u` stays.

    Raises
    ------
    ValueError
        The lists are those of 1R, or no relevant test rating is left.

    Notes
    -----
    bellogin2017, section 3.4, equation 2.

    Examples
    --------
    The two relevant items of the only user have the ranks 1 and 2, so that each would be first
    without the other: P@1 under 1R is 1, twice P@1 under AR per relevant item.

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
            "these are 1R lists: give those of AR with the same number of sampled candidates."
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
    gone_before = np.concatenate([[0], np.cumsum(gone)])
    owners = np.repeat(np.arange(view.n_lists), np.diff(view.starts))
    ranks = view.ranks - (gone_before[:-1] - gone_before[view.starts[:-1]][owners])
    counted = view.relevant & is_left
    in_lower = counted & (ranks <= cutoff)
    in_upper = counted & (ranks <= cutoff + relevant_left[view.rows[owners]] - 1)
    scale = cutoff * total
    return PrecisionBounds(int(in_lower.sum()) / scale, int(in_upper.sum()) / scale)
