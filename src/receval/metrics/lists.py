"""Lists to be measured: judged ranks bound to their judgments, under AR or 1R."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

NO_CUTOFF = np.iinfo(np.int32).max
"""The cut-off that stands for none: no list is as long."""


@dataclass(frozen=True)
class ListView:
    """The judged items of all lists, with the ranks that a metric looks at.

    Attributes
    ----------
    n_lists : int
    owner : ndarray of int64, shape (n_judgments,)
        The list of each judged item, ascending.
    ranks : ndarray of int64, shape (n_judgments,)
        From 1; 0 where the item is not in its list.
    lengths : ndarray of int64, shape (n_lists,)
        Number of items in each list.
    values : ndarray of float32, shape (n_judgments,)
        The ratings.
    relevant : ndarray of bool, shape (n_judgments,)
        True where the rating is at or above the threshold.
    """

    n_lists: int
    owner: NDArray[np.int64]
    ranks: NDArray[np.int64]
    lengths: NDArray[np.int64]
    values: NDArray[np.float32]
    relevant: NDArray[np.bool_]
    _buckets: dict[tuple[int, ...], NDArray[np.int64]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def sums_above(
        self, cutoffs: tuple[int, ...], weights: NDArray | None = None
    ) -> NDArray[np.float64]:
        """Sum weights over the judged items of each list ranked within each cut-off.

        Parameters
        ----------
        cutoffs : tuple of int
            Increasing.
        weights : ndarray, shape (n_judgments,), optional
            One each by default, which counts items.

        Returns
        -------
        ndarray of float64, shape (n_cutoffs, n_lists)
        """
        buckets = self._bucket(cutoffs)
        n_rows = len(cutoffs) + 1
        sums = np.bincount(buckets, weights=weights, minlength=n_rows * self.n_lists)
        per_bucket = sums.reshape(n_rows, self.n_lists)[:-1].astype(np.float64, copy=False)
        return np.cumsum(per_bucket, axis=0)

    def totals(self, weights: NDArray | None = None) -> NDArray[np.float64]:
        """Sum weights over all judged items of each list, ranked or not; shape (n_lists,)."""
        sums = np.bincount(self.owner, weights=weights, minlength=self.n_lists)
        return sums.astype(np.float64, copy=False)

    def _bucket(self, cutoffs: tuple[int, ...]) -> NDArray[np.int64]:
        if cutoffs not in self._buckets:
            position = np.searchsorted(np.asarray(cutoffs), self.ranks, side="left")
            # Items out of the list go to the last row, which no sum reads.
            position[self.ranks == 0] = len(cutoffs)
            self._buckets[cutoffs] = position * self.n_lists + self.owner
        return self._buckets[cutoffs]

    @cached_property
    def by_value(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All judged items by list and descending rating, and their positions in that order.

        The ideal order of every gain that grows with the rating.
        """
        order = np.lexsort((-self.values, self.owner))
        starts = np.zeros(self.n_lists, dtype=np.int64)
        np.cumsum(np.bincount(self.owner, minlength=self.n_lists)[:-1], out=starts[1:])
        return order, np.arange(1, len(order) + 1) - starts[self.owner]


@dataclass(frozen=True)
class JudgedLists:
    """The lists of one system on one fold under one protocol.

    Under AR there is one list a user, under 1R one a relevant judgment (its only judged item).

    Attributes
    ----------
    full : ListView
    users : ndarray of int64, shape (n_lists,)
        The user each list is for.
    n_users : int
        Number of users of the dataset.
    one_relevant : bool
        True under 1R.
    computable_share : float
        Share of the candidates, over all users with judgments, whose score the system could
        compute; under 1R of the non-relevant ones. NaN where there are no candidates.
    """

    full: ListView
    users: NDArray[np.int64]
    n_users: int
    one_relevant: bool
    computable_share: float
    _views: dict[tuple[bool, int | None], ListView] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(
        cls, judgments: Judgments, outcome: JudgedRanks, threshold: float, protocol: Protocol
    ) -> JudgedLists:
        """Bind judged ranks to the judgments they are aligned with.

        Parameters
        ----------
        judgments : Judgments
        outcome : JudgedRanks
        threshold : float
            Ratings at or above it are relevant.
        protocol : Protocol
            Tells whether a list has one relevant item or all of a user.

        Raises
        ------
        ValueError
            The ranks are not aligned with the judgments, or the protocol formed its candidates
            with another threshold.
        """
        if outcome.ranks.shape != judgments.values.shape:
            raise ValueError(
                f"There are {len(outcome.ranks)} judged ranks for {len(judgments)} judgments: "
                "they belong to different folds."
            )
        if protocol.threshold is not None and protocol.threshold != threshold:
            raise ValueError(
                f"The candidates of {protocol.name} were formed with the relevance threshold "
                f"{protocol.threshold:g}, so they cannot be measured with {threshold:g}."
            )
        relevant = judgments.values >= threshold
        owner = judgments.users.astype(np.int64)
        ranks = outcome.ranks.astype(np.int64)
        lengths = outcome.lengths.astype(np.int64)
        one_relevant = protocol.relevant == "1R"
        users = np.arange(judgments.n_users, dtype=np.int64)
        values = judgments.values
        if one_relevant:
            users = owner[relevant]
            ranks = ranks[relevant]
            lengths = lengths[users] + (ranks > 0)
            owner = np.arange(len(users), dtype=np.int64)
            values = values[relevant]
            relevant = np.ones(len(users), dtype=bool)
        full = ListView(len(users), owner, ranks, lengths, values, relevant)
        n_candidates = int(outcome.candidates.sum(dtype=np.int64))
        n_ranked = int(outcome.lengths.sum(dtype=np.int64))
        computable = n_ranked / n_candidates if n_candidates else float("nan")
        return cls(full, users, judgments.n_users, one_relevant, computable)

    def view(self, condensed: bool = False, depth: int | None = None) -> ListView:
        """Return the lists as a metric wants them.

        Parameters
        ----------
        condensed : bool
            Drop the items without a judgment, so that ranks count judged items alone.
        depth : int, optional
            Length at which the lists were cut when they were recorded (the depth of a run);
            happens before condensing.
        """
        key = (condensed, depth)
        if key not in self._views:
            view = self.full
            if depth is not None:
                ranks = np.where(view.ranks <= depth, view.ranks, 0)
                lengths = np.minimum(view.lengths, depth)
                view = _replaced(view, ranks, lengths)
            if condensed:
                view = _condensed(view)
            self._views[key] = view
        return self._views[key]


def _replaced(view: ListView, ranks: NDArray[np.int64], lengths: NDArray[np.int64]) -> ListView:
    return ListView(view.n_lists, view.owner, ranks, lengths, view.values, view.relevant)


def _condensed(view: ListView) -> ListView:
    listed = view.ranks > 0
    order = np.lexsort((view.ranks, ~listed, view.owner))
    starts = np.zeros(view.n_lists, dtype=np.int64)
    np.cumsum(np.bincount(view.owner, minlength=view.n_lists)[:-1], out=starts[1:])
    ranks = np.empty_like(view.ranks)
    ranks[order] = np.arange(1, len(order) + 1) - starts[view.owner]
    ranks[~listed] = 0
    lengths = np.bincount(view.owner[listed], minlength=view.n_lists).astype(np.int64)
    return _replaced(view, ranks, lengths)
