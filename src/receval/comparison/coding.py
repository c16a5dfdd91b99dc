# SPDX-License-Identifier: MIT
"""One coding of users and items for test data, training data and runs of different sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.interchange.run import Run
from receval.protocols.listed_ranks import ListedItems
from receval.ratings import Ratings, summed_matrix
from receval.splits.split import Fold, Judgments


@dataclass(frozen=True)
class SharedCodes:
    """Identifiers of users and items that all sources share.

    Items are in descending order of their identifiers, so that the order of their codes is that in
    which trec_eval lists equal scores.

    Attributes
    ----------
    user_ids, item_ids : ndarray of str
        By code.
    """

    user_ids: NDArray[np.str_]
    item_ids: NDArray[np.str_]

    @classmethod
    def of(cls, test: Ratings, train: Ratings | None, runs: Sequence[Run]) -> SharedCodes:
        """Return the codes of those who are tested or train, and of all items."""
        tables = [test] if train is None else [test, train]
        users = np.unique(np.concatenate([table.user_ids for table in tables]))
        of_items = [table.item_ids for table in tables] + [run.item_ids for run in runs]
        items = np.unique(np.concatenate(of_items))
        return cls(users, items[::-1])

    def fold(self, test: Ratings, train: Ratings | None) -> Fold:
        """Return test and training data as a fold."""
        shape = (len(self.user_ids), len(self.item_ids))
        judgments = Judgments.from_pairs(
            self._users(test.user_ids)[test.users],
            self._items(test.item_ids)[test.items],
            test.values,
            shape[0],
            events=test.events,
        )
        if train is None:
            nothing = np.empty(0, dtype=np.int32)
            return Fold(summed_matrix(nothing, nothing, nothing, shape), judgments)
        users = self._users(train.user_ids)[train.users]
        items = self._items(train.item_ids)[train.items]
        return Fold(summed_matrix(users, items, train.values, shape), judgments)

    def listed(self, run: Run) -> tuple[ListedItems, int]:
        """Return a run's lists in these codes, and of how many users it has others."""
        codes = self._users(run.user_ids)
        known = codes >= 0
        rows = known[run.users]
        listed = ListedItems(
            codes[run.users[rows]].astype(np.int32),
            self._items(run.item_ids)[run.items[rows]].astype(np.int32),
            run.scores[rows],
        )
        return listed, int((~known).sum())

    def _users(self, ids: NDArray[np.str_]) -> NDArray[np.int64]:
        """Return the codes of users, -1 of those who neither test nor train."""
        places = np.minimum(np.searchsorted(self.user_ids, ids), len(self.user_ids) - 1)
        return np.where(self.user_ids[places] == ids, places, -1)

    def _items(self, ids: NDArray[np.str_]) -> NDArray[np.int64]:
        ascending = self.item_ids[::-1]
        return len(ascending) - 1 - np.searchsorted(ascending, ids)
