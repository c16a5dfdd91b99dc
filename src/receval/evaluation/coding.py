# SPDX-License-Identifier: MIT
"""Give users and items of test data, training data and runs the same codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings, summed_matrix
from receval.data.run import Run
from receval.protocols.listed_ranks import ListedItems
from receval.splits.split import Fold, Judgments


@dataclass(frozen=True)
class SharedCodes:
    """Identifiers of users and items, with codes that all sources share.

    Items are in descending order of identifiers, so the order of codes is the order in which
    trec_eval lists equal scores.

    Attributes
    ----------
    user_ids, item_ids : ndarray of str
        Identifiers by code.
    """

    user_ids: NDArray[np.str_]
    item_ids: NDArray[np.str_]

    @classmethod
    def of(cls, test: Ratings, train: Ratings | None, runs: Sequence[Run]) -> SharedCodes:
        """Return the codes of all users in the test or training data, and of all items."""
        tables = [test] if train is None else [test, train]
        users = np.unique(np.concatenate([table.user_ids for table in tables]))
        of_items = [table.item_ids for table in tables] + [run.item_ids for run in runs]
        items = np.unique(np.concatenate(of_items))
        return cls(users, items[::-1])

    def fold(self, test: Ratings, train: Ratings | None) -> Fold:
        """Return the test and training data as a fold."""
        shape = (len(self.user_ids), len(self.item_ids))
        judgments = Judgments.from_pairs(
            *self._pairs(test), test.values, shape[0], events=test.events
        )
        if train is None:
            nothing = np.empty(0, dtype=np.int32)
            return Fold(summed_matrix(nothing, nothing, nothing, shape), judgments)
        return Fold(summed_matrix(*self._pairs(train), train.values, shape), judgments)

    def dataset(self, test: Ratings, train: Ratings | None) -> Ratings:
        """Return the test and training data as one table.

        A pair in both keeps its test rating, unless test ratings are events, which are summed.

        Examples
        --------
        >>> from receval.data.ratings_table import read_ratings
        >>> test = read_ratings({"user": ["ann"], "item": ["x"], "rating": [4]})
        >>> train = read_ratings({"user": ["ann", "bob"], "item": ["x", "x"], "rating": [3, 5]})
        >>> SharedCodes.of(test, train, []).dataset(test, train).values.tolist()
        [4.0, 5.0]
        """
        users, items = self._pairs(test)
        values = test.values
        if train is not None:
            own_users, own_items = self._pairs(train)
            is_new = np.ones(len(train), dtype=np.bool_)
            if not test.events:
                is_new = ~self.trained(train, test)
            users = np.concatenate([users, own_users[is_new]])
            items = np.concatenate([items, own_items[is_new]])
            values = np.concatenate([values, train.values[is_new]])
        return Ratings(
            users.astype(np.int32),
            items.astype(np.int32),
            values,
            self.user_ids,
            self.item_ids,
            events=test.events,
            checked=True,
        )

    def trained(self, test: Ratings, train: Ratings) -> NDArray[np.bool_]:
        """Return which test pairs are also in the training data, shape (n_ratings,)."""
        (users, items), (own_users, own_items) = self._pairs(test), self._pairs(train)
        n_items = len(self.item_ids)
        return np.isin(users * n_items + items, own_users * n_items + own_items)

    def listed(self, run: Run) -> tuple[ListedItems, int]:
        """Return the lists of a run in these codes, and the number of its users without a code."""
        codes = self._users(run.user_ids)
        known = codes >= 0
        rows = known[run.users]
        listed = ListedItems(
            codes[run.users[rows]].astype(np.int32),
            self._items(run.item_ids)[run.items[rows]].astype(np.int32),
            run.scores[rows],
        )
        return listed, int((~known).sum())

    def _pairs(self, table: Ratings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes of the users and items of a table, by row."""
        return self._users(table.user_ids)[table.users], self._items(table.item_ids)[table.items]

    def _users(self, ids: NDArray[np.str_]) -> NDArray[np.int64]:
        """Return the codes of users, or -1 for those in neither the test nor the training data."""
        places = np.minimum(np.searchsorted(self.user_ids, ids), len(self.user_ids) - 1)
        return np.where(self.user_ids[places] == ids, places, -1)

    def _items(self, ids: NDArray[np.str_]) -> NDArray[np.int64]:
        ascending = self.item_ids[::-1]
        return len(ascending) - 1 - np.searchsorted(ascending, ids)
