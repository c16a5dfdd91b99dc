# SPDX-License-Identifier: MIT
"""The judged items that lists are measured by, each user's from the best to the worst rating."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.ratings import Ratings, summed_matrix
from receval.splits.split import Judgments


@dataclass(frozen=True)
class DatasetMetadata:
    """What some metrics know of the whole dataset, training ratings included.

    Attributes
    ----------
    maximum_rating : float
        The highest rating there is (ERR, normalised exponential gains).
    positive_ratings : ndarray of int64, shape (n_items,)
        Number of ratings of each item at or above the relevance threshold (stratified recall).
    """

    maximum_rating: float
    positive_ratings: NDArray[np.int64]

    @classmethod
    def of(cls, ratings: Ratings, threshold: float) -> Self:
        """Look through the ratings of a dataset, of which some users' are held at a time.

        Parameters
        ----------
        ratings : Ratings
            The values of a repeated pair, such as plays, are summed.
        threshold : float
            A pair whose value reaches it is positive.

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
    """Judged items in rows: one row a user under AR, one a relevant judgment under 1R.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_rows + 1,)
        The items of row r lie in ``starts[r]:starts[r + 1]``, by descending rating.
    values : ndarray of float32, shape (n_judged,)
        The ratings.
    relevant : ndarray of bool, shape (n_judged,)
        True where the rating is at or above the threshold.
    positions : ndarray of int64, shape (n_judged,)
        Index of each item among the fold's judgments, with which judged ranks are aligned.
    threshold : float
        Ratings at or above it are relevant.
    maximum_rating : float or None
        The highest rating of the dataset, where known.
    popularity : ndarray of int64, shape (n_judged,), or None
        Number of positive ratings that the item has in the whole dataset, where known.
    """

    starts: NDArray[np.int64]
    values: NDArray[np.float32]
    relevant: NDArray[np.bool_]
    positions: NDArray[np.int64]
    threshold: float
    maximum_rating: float | None = None
    popularity: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls, judgments: Judgments, threshold: float, metadata: DatasetMetadata | None = None
    ) -> Self:
        """Sort the judgments of a fold, once for all systems.

        Parameters
        ----------
        judgments : Judgments
        threshold : float
            Ratings at or above it are relevant.
        metadata : DatasetMetadata, optional
            What some metrics need beside the judgments; without it they refuse to be computed.

        Examples
        --------
        The user rated item 5 best, which is second among the judgments, then item 9:

        >>> judgments = Judgments.from_pairs([0, 0, 0], [4, 5, 9], [3, 5, 4], n_users=1)
        >>> judged = JudgedItems.of(judgments, threshold=4)
        >>> judged.values.tolist(), judged.relevant.tolist(), judged.positions.tolist()
        ([5.0, 4.0, 3.0], [True, True, False], [1, 2, 0])
        """
        positions = np.lexsort((-judgments.values, judgments.users))
        values = judgments.values[positions]
        return cls(
            starts=judgments.indptr.astype(np.int64),
            values=values,
            relevant=values >= threshold,
            positions=positions,
            threshold=threshold,
            maximum_rating=None if metadata is None else metadata.maximum_rating,
            popularity=(
                None if metadata is None else metadata.positive_ratings[judgments.items[positions]]
            ),
        )

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

    def sums(self, weights: NDArray) -> NDArray[np.float64]:
        """Sum weights, one for each judged item, over each row."""
        rows = np.repeat(np.arange(self.n_rows), self.n_judged)
        sums = np.bincount(rows, weights=weights, minlength=self.n_rows)
        return sums.astype(np.float64, copy=False)

    def kept(self, kept: NDArray[np.bool_]) -> JudgedItems:
        """Return the judged items without some of them; rows stay, also those left empty.

        Parameters
        ----------
        kept : ndarray of bool, shape (n_judgments,)
            True for those that stay, aligned with the fold's judgments.
        """
        stays = kept[self.positions]
        before = np.concatenate([[0], np.cumsum(stays)])
        return JudgedItems(
            starts=before[self.starts],
            values=self.values[stays],
            relevant=self.relevant[stays],
            positions=self.positions[stays],
            threshold=self.threshold,
            maximum_rating=self.maximum_rating,
            popularity=None if self.popularity is None else self.popularity[stays],
        )

    @cached_property
    def one_relevant(self) -> JudgedItems:
        """The relevant judgments, each in a row of its own and in the order of the judgments."""
        chosen = np.flatnonzero(self.relevant)
        chosen = chosen[np.argsort(self.positions[chosen])]
        return JudgedItems(
            starts=np.arange(len(chosen) + 1, dtype=np.int64),
            values=self.values[chosen],
            relevant=np.ones(len(chosen), dtype=bool),
            positions=self.positions[chosen],
            threshold=self.threshold,
            maximum_rating=self.maximum_rating,
            popularity=None if self.popularity is None else self.popularity[chosen],
        )
