# SPDX-License-Identifier: MIT
"""The judged items of each user, sorted by rating, by which lists are measured."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings, summed_matrix
from receval.splits.split import Judgments
from receval.storage.kernel_cache import njit

# Judged items processed together; intermediate results take some ten bytes each.
_BLOCK_ITEMS = 2**22

# Rows of at most so many items are sorted by counting, without new arrays.
_SHORT = 32

# How many of them are sorted by insertion, before what is sorted is merged.
_RUN = 16


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

        Parameters
        ----------
        ratings : Ratings
            The values of a repeated pair, such as plays, are summed.
        threshold : float
            Pairs with a value at or above it are positive.

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
        :class:`receval.metrics.lists.JudgedLists` then leave it out.
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

        Parameters
        ----------
        threshold : float
            Ratings at or above it are relevant.
        metadata : DatasetMetadata, or callable that returns one, optional
            Metadata that some metrics need; they are refused without it. A callable is called only
            when such a metric is computed, because reading a whole dataset takes time.

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


@njit(cache=True)
def _descending_order(values: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the places of numbers from the largest to the smallest; equal ones keep their order.

    Numba would take six seconds to compile numpy's stable sorting.
    """
    n = len(values)
    order, merged = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for place in range(n):
        hole, value = place, values[place]
        while hole % _RUN and values[order[hole - 1]] < value:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = place
    width = _RUN
    while width < n:
        for start in range(0, n, 2 * width):
            left, right = start, start + width
            middle, end = min(right, n), min(start + 2 * width, n)
            for place in range(start, end):
                if left < middle and (right >= end or values[order[left]] >= values[order[right]]):
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@njit(cache=True)
def judgments_order(starts: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return each row's judgments by descending value; equal ones keep their order."""
    positions = np.empty(len(values), dtype=np.int64)
    for row in range(len(starts) - 1):
        first, end = starts[row], starts[row + 1]
        if end - first > _SHORT:
            order = _descending_order(values[first:end])
            for place in range(len(order)):
                positions[first + place] = first + order[place]
            continue
        # The place of a judgment is the number of those before it, counted without branches.
        own = values[first:end]
        placed = positions[first:end]
        for place in range(len(own)):
            before = 0
            for other in range(len(own)):
                is_equal = own[other] == own[place]
                before += (own[other] > own[place]) | (is_equal & (other < place))
            placed[before] = first + place
    return positions
