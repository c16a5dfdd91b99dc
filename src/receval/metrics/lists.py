# SPDX-License-Identifier: MIT
"""The lists of a system with their judged items, in the form that metrics read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings, summed_matrix
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments
from receval.storage.kernel_cache import njit

NO_CUTOFF = np.iinfo(np.int32).max
"""Stands for no cut-off: no list is as long."""

# Judged items processed together; intermediate results take some ten bytes each.
_BLOCK_ITEMS = 2**22

# How many items are sorted together, so that they stay in the cache, unless a list is longer; and
# the digits of the numbers that they are sorted by.
_SORTED_TOGETHER = 2**15
_BITS = 12
_DIGITS = 2**_BITS


@dataclass(frozen=True)
class DatasetMetadata:
    """Facts about the whole dataset, with training ratings, that some metrics need.

    Attributes
    ----------
    maximum_rating : float or None
        The highest rating, if known (for ERR and normalised exponential gains).
    positive_ratings : ndarray of int64, shape (n_items,)
        Number of ratings of each item at or above the relevance threshold (for stratified recall);
        empty if not counted.
    """

    maximum_rating: float | None
    positive_ratings: NDArray[np.int64]

    @classmethod
    def of(cls, ratings: Ratings, threshold: float) -> Self:
        """Collect the metadata from the ratings of a dataset, in blocks of users.

        The values of a repeated pair, such as plays, are summed. Pairs with a value at or above the
        threshold are positive.

        Examples
        --------
        >>> ratings = Ratings(
        ...     *np.array([[0, 1, 1], [0, 0, 1]], dtype=np.int32),
        ...     values=np.array([5, 2, 4], dtype=np.float32),
        ...     user_ids=np.array(["ann", "bob"]),
        ...     item_ids=np.array(["book", "film"]),
        ... )
        >>> metadata = DatasetMetadata.of(ratings, threshold=4)
        >>> metadata.maximum_rating, metadata.positive_ratings.tolist()
        (5.0, [1, 1])
        """
        counts = np.zeros(ratings.n_items, dtype=np.int64)
        highest = -np.inf
        for start, size, rows in ratings.blocks_of_users():
            pairs = summed_matrix(
                ratings.users[rows] - start,
                ratings.items[rows],
                ratings.values[rows],
                (size, ratings.n_items),
            )
            positive = pairs.indices[pairs.data >= threshold]
            counts += np.bincount(positive, minlength=ratings.n_items)
            highest = max(highest, float(pairs.data.max(initial=-np.inf)))
        return cls(maximum_rating=highest, positive_ratings=counts)


@dataclass(frozen=True)
class JudgedItems:
    """Judged items in rows: one row per user under AR, one per relevant judgment under 1R.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_rows + 1,)
        The items of row r lie in ``starts[r]:starts[r + 1]``, by descending rating.
    values : ndarray of float32, shape (n_judged,)
        The ratings.
    relevant : ndarray of bool, shape (n_judged,)
        True where the rating is at or above the threshold.
    positions : ndarray of int64, shape (n_judged,)
        Index of each item among the fold's judgments, as for judged ranks.
    threshold : float
        Ratings at or above it are relevant.
    metadata : DatasetMetadata, or callable that returns one, or None
        Metadata of the dataset, if known. A callable is called when a metric first needs it.
    items : ndarray of int32, or None
        Item codes of the fold's judgments, which ``positions`` refer to; known whenever the
        metadata are.
    negative_is_unjudged : bool
        Whether an item with a rating below 0 is pooled but not judged, as in trec_eval;
        :class:`JudgedLists` then leave it out.
    """

    starts: NDArray[np.int64]
    values: NDArray[np.float32]
    relevant: NDArray[np.bool_]
    positions: NDArray[np.int64]
    threshold: float
    metadata: DatasetMetadata | Callable[[], DatasetMetadata] | None = None
    items: NDArray[np.int32] | None = None
    negative_is_unjudged: bool = False
    _derived: dict[Hashable, NDArray[np.float64]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        threshold: float,
        metadata: DatasetMetadata | Callable[[], DatasetMetadata] | None = None,
    ) -> Self:
        """Sort the judgments of a fold, once for all systems.

        Ratings at or above the threshold are relevant. Some metrics need ``metadata`` and are
        refused without it. A callable is called only when such a metric is computed, because
        reading a whole dataset takes time.

        Examples
        --------
        The user's best rating is of item 5, the second judgment, followed by item 9:

        >>> judgments = Judgments.from_pairs([0, 0, 0], [4, 5, 9], [3, 5, 4], n_users=1)
        >>> judged = JudgedItems.of(judgments, threshold=4)
        >>> judged.values.tolist(), judged.relevant.tolist(), judged.positions.tolist()
        ([5.0, 4.0, 3.0], [True, True, False], [1, 2, 0])
        """
        starts = judgments.indptr.astype(np.int64)
        positions = judgments_order(starts, judgments.values)
        values = judgments.values[positions]
        return cls(
            starts=starts,
            values=values,
            relevant=values >= threshold,
            positions=positions,
            threshold=threshold,
            # All objects derived from these judged items share the result.
            metadata=cache(metadata) if callable(metadata) else metadata,
            items=judgments.items,
        )

    @property
    def _known(self) -> DatasetMetadata | None:
        return self.metadata() if callable(self.metadata) else self.metadata

    @property
    def maximum_rating(self) -> float | None:
        """The highest rating of the dataset, if known."""
        return None if self._known is None else self._known.maximum_rating

    @cached_property
    def popularity(self) -> NDArray[np.int64] | None:
        """Number of positive ratings of each item in the whole dataset, if known."""
        if self._known is None or self.items is None or not len(self._known.positive_ratings):
            return None
        return self._known.positive_ratings[self.items[self.positions]]

    @property
    def n_positive(self) -> int:
        """Number of positive ratings in the whole dataset; 0 if not known."""
        return 0 if self._known is None else int(self._known.positive_ratings.sum())

    @property
    def n_rows(self) -> int:
        """Number of rows, with or without judged items."""
        return len(self.starts) - 1

    @cached_property
    def n_judged(self) -> NDArray[np.int64]:
        """Number of judged items of each row."""
        return np.diff(self.starts)

    @cached_property
    def n_relevant(self) -> NDArray[np.int64]:
        """Number of relevant items of each row."""
        return self.sums(self.relevant).astype(np.int64)

    def once(
        self, key: Hashable, computed: Callable[[], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return what a metric computes from judged items alone, once for the lists of all systems.

        Equal keys stand for equal arrays, which are not to be changed.
        """
        if key not in self._derived:
            self._derived[key] = computed()
        return self._derived[key]

    def sums(self, weights: NDArray) -> NDArray[np.float64]:
        """Sum the weights of the judged items over each row."""
        return np.asarray(_sums_of_rows(self.starts, weights))

    def blocks_of_rows(self) -> Iterator[slice]:
        """Yield blocks of consecutive rows with a limited number of judged items."""
        start = 0
        while start < self.n_rows:
            within = self.starts[start] + _BLOCK_ITEMS
            stop = max(start + 1, int(np.searchsorted(self.starts, within, side="right")) - 1)
            yield slice(start, stop)
            start = stop

    def of_rows(self, rows: slice) -> JudgedItems:
        """Return consecutive rows, sharing the data about their items."""
        if rows == slice(0, self.n_rows):
            # With all that is derived from them, which the lists of several systems share.
            return self
        own = slice(int(self.starts[rows.start]), int(self.starts[rows.stop]))
        return replace(
            self,
            starts=self.starts[rows.start : rows.stop + 1] - own.start,
            values=self.values[own],
            relevant=self.relevant[own],
            positions=self.positions[own],
        )

    def kept(self, kept: NDArray[np.bool_]) -> JudgedItems:
        """Remove some judged items, but no rows, even if these become empty.

        ``kept`` is aligned with the fold's judgments, and True for those to keep.
        """
        stays = kept[self.positions]
        before = np.concatenate([[0], np.cumsum(stays)])
        return replace(
            self,
            starts=before[self.starts],
            values=self.values[stays],
            relevant=self.relevant[stays],
            positions=self.positions[stays],
        )

    @cached_property
    def one_relevant(self) -> JudgedItems:
        """The relevant judgments, each in a separate row, in the order of the judgments."""
        chosen = np.flatnonzero(self.relevant)
        chosen = chosen[np.argsort(self.positions[chosen])]
        return replace(
            self,
            starts=np.arange(len(chosen) + 1, dtype=np.int64),
            values=self.values[chosen],
            relevant=np.ones(len(chosen), dtype=bool),
            positions=self.positions[chosen],
        )


@njit(cache=True)
def _sums_of_rows(starts: NDArray[np.int64], weights: NDArray) -> NDArray[np.float64]:
    sums = np.zeros(len(starts) - 1)
    for row in range(len(sums)):
        for place in range(starts[row], starts[row + 1]):
            sums[row] += weights[place]
    return sums


def judgments_order(starts: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return each row's judgments by descending value; equal ones keep their order."""
    # The bits of numbers above 0 are whole numbers in the same order. 0 is added for one of its two
    # signs.
    bits = (values + np.float32(0)).view(np.int32).astype(np.int64)
    ascending = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    return _sorted_lists(starts, 2**31 - ascending)[1]


@dataclass(frozen=True)
class ListView:
    """Some lists and the judged items in them.

    Attributes
    ----------
    judged : JudgedItems
        The judged items that measure the lists. Lists of several systems may share a row.
    rows : ndarray of int64, shape (n_lists,)
        The row of judged items that measures each list.
    lengths : ndarray of int64, shape (n_lists,)
        Number of items in each list, judged or not.
    starts : ndarray of int64, shape (n_lists + 1,)
        The judged items in list l lie in ``starts[l]:starts[l + 1]``, by rank.
    indices : ndarray of int32, shape (n_ranked,)
        Index of each ranked item among the judged items.
    ranks : ndarray of int32, shape (n_ranked,)
        Rank of each item in the list, from 1.
    pooled_above : ndarray of int32, shape (n_ranked,), optional
        Number of items above each that are pooled but not judged (for infAP); none by default.
    candidates : ndarray of int64, shape (n_lists,), optional
        Number of items that each list could have, if it is known (:attr:`n_candidates`).
    """

    judged: JudgedItems
    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    starts: NDArray[np.int64]
    indices: NDArray[np.int32]
    ranks: NDArray[np.int32]
    pooled_above: NDArray[np.int32] | None = None
    candidates: NDArray[np.int64] | None = None
    _counts: dict[tuple[str, tuple[int, ...]], NDArray] = field(
        default_factory=dict, repr=False, compare=False
    )
    _within: dict[int, ListView] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, judged: JudgedItems, ranks: NDArray[np.integer], lengths: NDArray[np.integer]
    ) -> ListView:
        """Return the lists of one system, one per row.

        Parameters
        ----------
        ranks : ndarray of int, shape (n_judged,)
            Rank of each judged item, in the order of ``judged``; 0 if it is not in the list.

        Examples
        --------
        The second of the user's three judged items has rank 1, the first has rank 3, and the last
        is not in the list. Without unjudged items, the first moves up to rank 2:

        >>> from receval.splits.split import Judgments
        >>> judgments = Judgments.from_pairs([0, 0, 0], [4, 5, 9], [5, 4, 3], n_users=1)
        >>> judged = JudgedItems.of(judgments, threshold=4)
        >>> view = ListView.of(judged, ranks=np.array([3, 1, 0]), lengths=np.array([10]))
        >>> view.indices.tolist(), view.ranks.tolist(), view.condensed().ranks.tolist()
        ([1, 0], [1, 3], [1, 2])
        """
        starts, order = _sorted_lists(judged.starts, ranks.astype(np.int64))
        rows, indices = np.arange(judged.n_rows, dtype=np.int64), order.astype(np.int32)
        by_rank = ranks[order].astype(np.int32, copy=False)
        return cls(judged, rows, lengths.astype(np.int64), starts, indices, by_rank)

    @property
    def n_lists(self) -> int:
        """Number of lists."""
        return len(self.rows)

    @cached_property
    def n_judged(self) -> NDArray[np.int64]:
        """Number of judged items of each list's row, whether in the list or not."""
        return self.judged.n_judged[self.rows]

    @cached_property
    def n_relevant(self) -> NDArray[np.int64]:
        """Number of relevant items of each list's row, whether in the list or not."""
        return self.judged.n_relevant[self.rows]

    @property
    def n_candidates(self) -> NDArray[np.int64]:
        """Number of candidates of each list: at least its items and its judged items."""
        if self.candidates is not None:
            return self.candidates
        return self.lengths + self.n_judged - np.diff(self.starts)

    @property
    def n_nonrelevant(self) -> NDArray[np.int64]:
        """Number of items of each list's row that are judged non-relevant."""
        return self.n_judged - self.n_relevant

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        """Whether each ranked item is relevant, shape (n_ranked,)."""
        return self.judged.relevant[self.indices]

    def relevant_within(self, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the relevant items within each cut-off; shape (n_cutoffs, n_lists)."""
        key = ("relevant", cutoffs)
        if key not in self._counts:
            self._counts[key] = self.sums_within(cutoffs, self.relevant)
        return self._counts[key]

    def judged_within(self, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the judged items within each cut-off; shape (n_cutoffs, n_lists)."""
        return self._listed_within(cutoffs).astype(np.float64)

    def nonrelevant_within(self, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the items judged non-relevant within each cut-off; shape (n_cutoffs, n_lists)."""
        return self.judged_within(cutoffs) - self.relevant_within(cutoffs)

    def sums_within(self, cutoffs: tuple[int, ...], weights: NDArray) -> NDArray[np.float64]:
        """Sum weights over the judged items of each list ranked within each cut-off.

        The cut-offs increase; there is one weight for each ranked item. Shape (n_cutoffs, n_lists).
        """
        return _sum_first(self.starts, self._listed_within(cutoffs), weights)

    def _listed_within(self, cutoffs: tuple[int, ...]) -> NDArray[np.int32]:
        """Count the judged items within each cut-off, once for all metrics."""
        key = ("judged", cutoffs)
        if key not in self._counts:
            levels = as_array(cutoffs)
            # Whichever is smaller, the last cut-off or the lowest rank, limits the table.
            lowest = min(
                int(self.ranks.max(initial=0)), int(levels[levels < NO_CUTOFF].max(initial=0))
            )
            level_of = np.searchsorted(levels, np.arange(lowest + 2)).astype(np.int32)
            self._counts[key] = _count_within(self.starts, self.ranks, level_of, len(levels))
        return self._counts[key]

    @cached_property
    def list_of(self) -> NDArray[np.int64]:
        """The list of each ranked item, shape (n_ranked,)."""
        return np.repeat(np.arange(self.n_lists), np.diff(self.starts))

    def above(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the flagged items above each ranked item in its list, shape (n_ranked,)."""
        before = np.concatenate([[0], np.cumsum(flags)])
        return before[:-1] - before[self.starts][self.list_of]

    @cached_property
    def relevant_above(self) -> NDArray[np.int64]:
        """Number of relevant items above each ranked item in its list, shape (n_ranked,)."""
        return self.above(self.relevant)

    @cached_property
    def judged_above(self) -> NDArray[np.int64]:
        """Number of judged items above each ranked item in its list, shape (n_ranked,)."""
        return np.arange(len(self.ranks)) - self.starts[self.list_of]

    def of_rows(self, rows: slice) -> ListView:
        """Return the lists of consecutive rows, if each row has one list."""
        judged = self.judged.of_rows(rows)
        first = int(self.judged.starts[rows.start])
        own = slice(int(self.starts[rows.start]), int(self.starts[rows.stop]))
        return ListView(
            judged,
            np.arange(judged.n_rows, dtype=np.int64),
            self.lengths[rows],
            self.starts[rows.start : rows.stop + 1] - own.start,
            self.indices[own] - np.int32(first),
            self.ranks[own],
            None if self.pooled_above is None else self.pooled_above[own],
            None if self.candidates is None else self.candidates[rows],
        )

    def cut(self, depth: int) -> ListView:
        """Return the lists cut at a length, as in a run of that depth."""
        own = self.within(depth)
        return replace(own, lengths=np.minimum(self.lengths, depth), _counts={}, _within={})

    def within(self, cutoff: int) -> ListView:
        """Return the lists without what is known of items below a rank."""
        if cutoff not in self._within:
            starts, kept = _kept_within(self.starts, self.ranks, cutoff)
            self._within[cutoff] = ListView(
                self.judged,
                self.rows,
                self.lengths,
                starts,
                self.indices[kept],
                self.ranks[kept],
                None if self.pooled_above is None else self.pooled_above[kept],
                self.n_candidates,
            )
        return self._within[cutoff]

    def condensed(self) -> ListView:
        """Return the lists without unjudged items, so that ranks count only judged items."""
        return ListView(
            self.judged,
            self.rows,
            np.diff(self.starts),
            self.starts,
            self.indices,
            (self.judged_above + 1).astype(np.int32),
        )


def as_array(cutoffs: tuple[int, ...]) -> NDArray[np.int32]:
    """Return cut-offs as an array for compiled loops."""
    return np.array(cutoffs, dtype=np.int32)


@njit(cache=True)
def _kept_within(
    starts: NDArray[np.int64], ranks: NDArray[np.int32], cutoff: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where lists start and which of their items stay, if items below a rank go."""
    new_starts = np.zeros(len(starts), dtype=np.int64)
    kept = np.empty(len(ranks), dtype=np.int64)
    n_kept = 0
    for row in range(len(starts) - 1):
        for index in range(starts[row], starts[row + 1]):
            if ranks[index] > cutoff:
                break
            kept[n_kept] = index
            n_kept += 1
        new_starts[row + 1] = n_kept
    return new_starts, kept[:n_kept]


@njit(cache=True)
def _sorted_lists(
    starts: NDArray[np.int64], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where lists start, and the indices of their items by a number below 2**32, without 0.

    Items with equal numbers keep their order. The items of many lists are sorted by the digits of
    the numbers, and then shared out to the lists: four times as fast as sorting each list.
    """
    n_rows = len(starts) - 1
    longest = 0
    for row in range(n_rows):
        longest = max(longest, starts[row + 1] - starts[row])
    # Lists of one item are in order.
    highest = numbers.max() if longest > 1 else 0
    size = max(longest, min(_SORTED_TOGETHER, len(numbers)))
    keys, moved = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    owners, places = np.empty(size, dtype=np.int32), np.empty(_DIGITS, dtype=np.int64)
    out_starts, order = np.zeros(n_rows + 1, dtype=np.int64), np.empty(len(numbers), dtype=np.int64)
    row = n_kept = 0
    while row < n_rows:
        first, begin, n_keys = row, starts[row], 0
        while row < n_rows and starts[row + 1] - begin <= size:
            for index in range(starts[row], starts[row + 1]):
                owners[index - begin] = row - first
                # Without a branch, which is hard to foresee; the next key takes its place.
                keys[n_keys] = (numbers[index] << 31) | (index - begin)
                n_keys += numbers[index] > 0
            row += 1
            out_starts[row] = n_kept + n_keys
        digits, shift = highest, 31
        while digits > 0:
            if _sort_by_digit(keys[:n_keys], moved, places, shift):
                keys, moved = moved, keys
            digits //= _DIGITS
            shift += _BITS
        ends = out_starts[first:row].copy()
        for key in keys[:n_keys]:
            index = key & 0x7FFFFFFF
            order[ends[owners[index]]] = begin + index
            ends[owners[index]] += 1
        n_kept += n_keys
    return out_starts, order[:n_kept]


@njit(cache=True)
def _sort_by_digit(
    keys: NDArray[np.int64], moved: NDArray[np.int64], places: NDArray[np.int64], shift: int
) -> bool:
    """Write keys in the order of a digit, and equal ones in theirs; not where all are equal."""
    places[:] = 0
    for key in keys:
        places[(key >> shift) & (_DIGITS - 1)] += 1
    before = 0
    for digit in range(_DIGITS):
        if places[digit] == len(keys):
            return False
        before, places[digit] = before + places[digit], before
    for key in keys:
        digit = (key >> shift) & (_DIGITS - 1)
        moved[places[digit]] = key
        places[digit] += 1
    return True


@njit(cache=True)
def _count_within(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    level_of: NDArray[np.int32],
    n_levels: int,
) -> NDArray[np.int32]:
    """Count the items of lists up to each level; lower ranks than the table has are of its last."""
    counts = np.zeros((n_levels + 1, len(starts) - 1), dtype=np.int32)
    lowest = len(level_of) - 1
    for row in range(len(starts) - 1):
        for index in range(starts[row], starts[row + 1]):
            counts[level_of[min(ranks[index], lowest)], row] += 1
    for level in range(1, n_levels):
        for row in range(len(starts) - 1):
            counts[level, row] += counts[level - 1, row]
    return counts[:n_levels]


@njit(cache=True)
def _sum_first(
    starts: NDArray[np.int64], numbers: NDArray[np.int32], weights: NDArray
) -> NDArray[np.float64]:
    """Sum the weights of the first items of each list; row r of the result has ``numbers[r]``."""
    # All sums of each list first, from that of none, so that they are looked up without branches.
    running = np.empty(len(weights) + len(starts))
    for row in range(len(starts) - 1):
        total = 0.0
        running[starts[row] + row] = total
        for index in range(starts[row], starts[row + 1]):
            total += weights[index]
            running[index + row + 1] = total
    sums = np.empty(numbers.shape)
    for level in range(len(numbers)):
        for row in range(len(starts) - 1):
            sums[level, row] = running[starts[row] + row + numbers[level, row]]
    return sums


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
        """Combine judged ranks with judged items, one row per user, that several systems share.

        Ranks that are not aligned with the judgments, or whose candidates were formed with another
        threshold, are refused.
        """
        if len(judged_ranks.ranks) != len(judged.positions):
            raise ValueError(
                f"There are {len(judged_ranks.ranks)} judged ranks for {len(judged.positions)} "
                "judgments, so they belong to different folds."
            )
        if protocol.threshold is not None and protocol.threshold != judged.threshold:
            raise ValueError(
                f"The candidates of {protocol.name} were formed with the relevance threshold "
                f"{protocol.threshold:g}, so they cannot be measured with {judged.threshold:g}."
            )
        if (protocol.percentiles is None) != (judged_ranks.percentiles is None):
            raise ValueError(
                f"The judged ranks are not those of {protocol.name}. Judged items have popularity "
                "percentiles under P1R, and under no other protocol."
            )
        one_relevant = protocol.relevant == "1R"
        n_users = judged.n_rows
        users = np.arange(n_users, dtype=np.int64)
        lengths = judged_ranks.lengths.astype(np.int64)
        candidates = judged_ranks.candidates.astype(np.int64)
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
            candidates = candidates[owned_by] + 1
        if judged_ranks.percentiles is not None:
            percentiles = judged_ranks.percentiles[judged.positions]
        n_candidates = int(judged_ranks.candidates.sum(dtype=np.int64))
        n_ranked = int(judged_ranks.lengths.sum(dtype=np.int64))
        computable = n_ranked / n_candidates if n_candidates else float("nan")
        full = ListView.of(judged, ranks, lengths)
        full = replace(full, candidates=np.maximum(candidates, full.n_candidates))
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

    def view(self, condensed: bool = False, depth: int | None = None) -> ListView:
        """Return the lists in the form that a metric needs.

        With ``depth``, they are first cut at this length (the depth of a run). Then ``condensed``
        removes unjudged items, so that ranks count only judged items.
        """
        return view_of(self.full, condensed, depth)


def view_of(lists: ListView, condensed: bool, depth: int | None) -> ListView:
    """Return lists cut at a depth, then condensed."""
    view = lists if depth is None else lists.cut(depth)
    return view.condensed() if condensed else view


def _without_negative(lists: ListView, ranks: NDArray[np.integer]) -> ListView:
    """Return lists in which items rated below 0 are unjudged, and count those above each item."""
    judged = lists.judged
    negative = judged.values[lists.indices] < 0
    above = lists.above(negative)
    kept = np.ones(len(ranks), dtype=np.bool_)
    kept[judged.positions] = judged.values >= 0
    rest = judged.kept(kept)
    view = ListView.of(rest, ranks[rest.positions], lists.lengths)
    pooled = above[~negative].astype(np.int32)
    return replace(view, pooled_above=pooled, candidates=lists.candidates)
