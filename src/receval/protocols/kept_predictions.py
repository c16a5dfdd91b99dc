# SPDX-License-Identifier: MIT
"""Keep the scores of the judged items while a system is ranked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.protocols.evaluation import Scorer
from receval.splits.split import Fold


class KeptPredictions:
    """A fitted system that remembers its scores of the test items of all users it scores.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from receval.recommenders.non_personalised import AverageRating
    >>> from receval.splits.split import Judgments
    >>> train = csr_array(np.array([[5, 2, 0], [4, 0, 0]], dtype=np.float32))
    >>> fold = Fold(train, Judgments.from_pairs([1, 1], [1, 2], [3, 4], n_users=2))
    >>> kept = KeptPredictions(AverageRating(smoothing=0).fit(train), fold)
    >>> _ = kept.score(np.array([1]))
    >>> kept.predictions()[0].round(3).tolist(), kept.predictions()[1]
    ([2.0, 3.667], 1)
    """

    def __init__(self, system: Scorer, fold: Fold) -> None:
        self._system = system
        self._fold = fold
        self._found = np.full(len(fold.test), np.nan)

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of the system, and keep those of the test items."""
        scores = np.asarray(self._system.score(users))
        if scores.shape != (len(users), self._fold.train.shape[1]):
            return scores  # The ranking code reports what is wrong.
        test = self._fold.test
        starts = test.indptr[:-1][users].astype(np.int64)
        sizes = test.indptr[1:][users].astype(np.int64) - starts
        rows = np.repeat(np.arange(len(users)), sizes)
        before = np.cumsum(sizes) - sizes
        places = np.arange(len(rows)) + (starts - before)[rows]
        self._found[places] = scores[rows, test.items[places]]
        return scores

    def predictions(self) -> tuple[NDArray[np.float64], int]:
        """Return a prediction for each test rating, and how many the system did not predict.

        In place of these there is the mean of the training ratings.
        """
        lacking = ~np.isfinite(self._found)
        mean = float(np.mean(self._fold.learnt.data, dtype=np.float64))
        return np.where(lacking, mean, self._found), int(lacking.sum())
