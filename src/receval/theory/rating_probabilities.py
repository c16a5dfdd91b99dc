# SPDX-License-Identifier: MIT
"""Probabilities of training, relevance and test of items, estimated by counting users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.theory.rating_counts import RatingCounts, UserCounts

Probabilities = NDArray[np.float64]


@dataclass(frozen=True)
class RatingProbabilities(RatingCounts):
    r"""Counts of users by item, and the probabilities that they estimate.

    With the counts of users in the sample :math:`S(i)` (menamaldonado2021, equation 5 and section
    4.2):

    .. math::

        p(train|i) = \frac{|train|}{|S(i)|}, \quad p(rel|train,i) = \frac{|rel, train|}{|train|},
        \quad p(rel|i) = \frac{|rel|}{|S(i)|}, \quad p(train|rel,i) = \frac{|rel, train|}{|rel|}

    and so on. A probability is float64 of the shape of the counts, and NaN where its denominator
    is 0. Those of relevance whether an item is rated or not, and those of test, raise a ValueError
    where the counts for them are missing.

    See :class:`receval.theory.rating_counts.RatingCounts` for the counts, and for how they are made
    of ratings (``of_ratings``), of judgments of items drawn for users (``of_judgments``) and of
    complete matrices (``of_matrices``); ``total`` has the probabilities without an item.
    """

    @property
    def with_odds(self) -> NDArray[np.bool_]:
        """Which items have odds of popularity that are neither 0 nor infinite.

        Items without training ratings have no average rating, and the paper's own counts leave them
        out. Items that the whole sample has in train have no rank in any optimal ranking
        (:mod:`receval.theory.optimal_rankings`).
        """
        return np.asarray((self.train > 0) & (self.not_train > 0))

    @property
    def p_train(self) -> Probabilities:
        """p(train | i), the popularity of the item."""
        return _share(self.train, self.sampled)

    @property
    def p_relevant_given_train(self) -> Probabilities:
        """p(rel | train, i), the average binary rating of the item."""
        return _share(self.relevant_train, self.train)

    @property
    def p_not_relevant_given_train(self) -> Probabilities:
        """p(not rel | train, i)."""
        return _share(self.train - self.relevant_train, self.train)

    @property
    def p_relevant_and_train(self) -> Probabilities:
        """p(rel, train | i)."""
        return _share(self.relevant_train, self.sampled)

    @property
    def p_relevant(self) -> Probabilities:
        """p(rel | i)."""
        return _share(self.known_relevant, self.sampled)

    @property
    def p_not_relevant(self) -> Probabilities:
        """p(not rel | i)."""
        return _share(self.sampled - self.known_relevant, self.sampled)

    @property
    def p_train_given_relevant(self) -> Probabilities:
        """p(train | rel, i)."""
        return _share(self.relevant_train, self.known_relevant)

    @property
    def p_train_given_not_relevant(self) -> Probabilities:
        """p(train | not rel, i)."""
        return _share(self.train - self.relevant_train, self.sampled - self.known_relevant)

    @property
    def p_relevant_given_not_train(self) -> Probabilities:
        """p(rel | not train, i)."""
        return _share(self.known_relevant - self.relevant_train, self.not_train)

    @property
    def p_test(self) -> Probabilities:
        """p(test | i)."""
        return _share(self.tested[0], self.sampled)

    @property
    def p_relevant_given_test(self) -> Probabilities:
        """p(rel | test, i)."""
        test, relevant_test = self.tested
        return _share(relevant_test, test)

    @property
    def p_relevant_and_test(self) -> Probabilities:
        """p(rel, test | i)."""
        return _share(self.tested[1], self.sampled)


def _share(part: UserCounts, whole: UserCounts) -> Probabilities:
    shares = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=shares, where=np.asarray(whole) > 0)
    return shares
