# SPDX-License-Identifier: MIT
"""The lists of a system with their judgments, under AR or 1R."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.metrics.judged_items import DatasetMetadata, JudgedItems
from receval.metrics.list_view import ListView
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments


@dataclass(frozen=True)
class JudgedLists:
    """The lists of one system on one fold under one protocol.

    Under AR there is one list per user; under 1R, one per relevant judgment, which is its only
    judged item.

    Attributes
    ----------
    full : ListView
    users : ndarray of int64, shape (n_lists,)
        The user of each list.
    n_users : int
        Number of users of the dataset.
    one_relevant : bool
        True under 1R.
    computable_share : float
        Share of the candidates of users with judgments whose score the system could compute; under
        1R, of the non-relevant candidates. NaN without candidates.
    percentiles : ndarray of int16, shape (n_lists,), or None
        Under P1R, the popularity percentile of each list, from 0.
    in_pool : ndarray of bool, shape (n_lists,), or None
        Lists with an item that is judged or, with a grade below 0, at least pooled; None if all
        pooled items are judged.
    """

    full: ListView
    users: NDArray[np.int64]
    n_users: int
    one_relevant: bool
    computable_share: float
    percentiles: NDArray[np.int16] | None = None
    in_pool: NDArray[np.bool_] | None = None
    _views: dict[tuple[bool, int | None], ListView] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        judged_ranks: JudgedRanks,
        threshold: float,
        protocol: Protocol,
        metadata: DatasetMetadata | None = None,
    ) -> Self:
        """Combine judged ranks with the judgments that they are aligned with.

        Parameters
        ----------
        judgments : Judgments
        judged_ranks : JudgedRanks
        threshold : float
            Ratings at or above it are relevant.
        protocol : Protocol
            Tells whether a list has one relevant item or all relevant items of a user.
        metadata : DatasetMetadata, optional
            Metadata that some metrics need.

        Raises
        ------
        ValueError
            As :meth:`measured_by`.

        Examples
        --------
        The relevant item 3 has rank 2 in a list of ten, below item 7, which is also judged:

        >>> judgments = Judgments.from_pairs([0, 0], [3, 7], [5, 1], n_users=1)
        >>> ranks, ten = np.array([2, 1], dtype=np.int32), np.array([10], dtype=np.int32)
        >>> judged_ranks = JudgedRanks(ranks, lengths=ten, candidates=ten)
        >>> lists = JudgedLists.of(judgments, judged_ranks, threshold=4, protocol=Protocol())
        >>> lists.full.ranks.tolist(), lists.full.relevant.tolist(), lists.computable_share
        ([1, 2], [False, True], 1.0)
        """
        return cls.measured_by(
            JudgedItems.of(judgments, threshold, metadata), judged_ranks, protocol
        )

    @classmethod
    def measured_by(
        cls, judged: JudgedItems, judged_ranks: JudgedRanks, protocol: Protocol
    ) -> Self:
        """Combine judged ranks with judged items that several systems share.

        Parameters
        ----------
        judged : JudgedItems
            The judged items of the fold, with one row per user.
        judged_ranks : JudgedRanks
        protocol : Protocol

        Raises
        ------
        ValueError
            The ranks are not aligned with the judgments, or the protocol formed its candidates
            with another threshold.
        """
        if len(judged_ranks.ranks) != len(judged.positions):
            raise ValueError(
                f"There are {len(judged_ranks.ranks)} judged ranks for {len(judged.positions)} "
                "judgments: they belong to different folds."
            )
        if protocol.threshold is not None and protocol.threshold != judged.threshold:
            raise ValueError(
                f"The candidates of {protocol.name} were formed with the relevance threshold "
                f"{protocol.threshold:g}, so they cannot be measured with {judged.threshold:g}."
            )
        if (protocol.percentiles is None) != (judged_ranks.percentiles is None):
            raise ValueError(
                f"The judged ranks are not those of {protocol.name}: popularity percentiles of the "
                "judged items belong to P1R and to no other protocol."
            )
        one_relevant = protocol.relevant == "1R"
        n_users = judged.n_rows
        users = np.arange(n_users, dtype=np.int64)
        lengths = judged_ranks.lengths.astype(np.int64)
        percentiles = None
        owners = np.repeat(users, judged.n_judged) if one_relevant else users
        if (judged_ranks.ranks < 0).any():
            judged = judged.kept(judged_ranks.ranks >= 0)
        if one_relevant:
            judged = judged.one_relevant
            users = owners[judged.positions]
        ranks = judged_ranks.ranks[judged.positions]
        if one_relevant:
            owned_by = users if judged_ranks.percentiles is None else judged.positions
            lengths = lengths[owned_by] + (ranks > 0)
        if judged_ranks.percentiles is not None:
            percentiles = judged_ranks.percentiles[judged.positions]
        n_candidates = int(judged_ranks.candidates.sum(dtype=np.int64))
        n_ranked = int(judged_ranks.lengths.sum(dtype=np.int64))
        computable = n_ranked / n_candidates if n_candidates else float("nan")
        full = ListView.of(judged, ranks, lengths)
        in_pool = None
        if judged.negative_is_unjudged and not one_relevant and (judged.values < 0).any():
            in_pool = judged.n_judged > 0
            full = _without_negative(full, judged_ranks.ranks)
        return cls(full, users, n_users, one_relevant, computable, percentiles, in_pool)

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Whether each list has a judgment, even one below 0."""
        return self.full.n_judged > 0 if self.in_pool is None else self.in_pool

    def listed(self, condensed: bool = False) -> NDArray[np.int64]:
        """Return the length of each list, optionally counting only judged items."""
        return np.diff(self.full.starts) if condensed else self.full.lengths

    def blocks(self) -> Iterator[tuple[slice, ListView]]:
        """Yield blocks of lists, each with the slice of its rows."""
        for rows in self.full.judged.blocks_of_rows():
            yield rows, self.full.of_rows(rows)

    def view(self, condensed: bool = False, depth: int | None = None) -> ListView:
        """Return the lists in the form that a metric needs.

        Parameters
        ----------
        condensed : bool
            Remove unjudged items, so that ranks count only judged items.
        depth : int, optional
            Length at which the lists are cut before condensing (the depth of a run).
        """
        key = (condensed, depth)
        if key not in self._views:
            self._views[key] = view_of(self.full, condensed, depth)
        return self._views[key]


def view_of(lists: ListView, condensed: bool, depth: int | None) -> ListView:
    """Return lists cut at a depth, then condensed."""
    view = lists if depth is None else lists.cut(depth)
    return view.condensed() if condensed else view


def _without_negative(lists: ListView, ranks: NDArray[np.integer]) -> ListView:
    """Return lists in which items rated below 0 are unjudged, and count those above each item."""
    judged = lists.judged
    negative = judged.values[lists.indices] < 0
    before = np.r_[0, np.cumsum(negative)]
    above = before[:-1] - np.repeat(before[lists.starts[:-1]], np.diff(lists.starts))
    kept = np.ones(len(ranks), dtype=np.bool_)
    kept[judged.positions] = judged.values >= 0
    rest = judged.kept(kept)
    view = ListView.of(rest, ranks[rest.positions], lists.lengths)
    return replace(view, pooled_above=above[~negative].astype(np.int32))
