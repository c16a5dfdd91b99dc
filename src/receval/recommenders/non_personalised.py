# SPDX-License-Identifier: MIT
"""Non-personalised recommenders (popularity, average rating, random), and oracles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import NonNegative, OneOf, Seed


@dataclass(eq=False, repr=False)
class Popularity(Recommender):
    """The number of training ratings of the item, whatever their values: ``s(u, i) = |U_i|``.

    No score is NaN: items without training ratings score 0, and users without training ratings get
    the same scores as all others.

    Attributes
    ----------
    counts_ : ndarray of float32, shape (n_items,)
        Training ratings by item.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.array([[5, 2, 0], [1, 0, 0]], dtype=np.float32))
    >>> Popularity().fit(train).score(np.array([0, 1])).tolist()
    [[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]]
    """

    def _fit(self, train: RatingMatrix) -> None:
        counts = np.bincount(train.indices, minlength=self.n_items_)
        self.counts_ = counts.astype(np.float32)

    def _fold_in(self, ratings: RatingMatrix) -> None:
        """Do nothing: all users have the same scores."""

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[:] = self.counts_


@dataclass(eq=False, repr=False)
class AverageRating(Recommender):
    """The item's mean training rating, smoothed towards the mean of all training ratings.

    ``s(u, i) = (sum_u r_ui + mu m) / (n_i + mu)``, with n_i the number of training ratings of the
    item, m the mean of all training ratings and mu the strength of the smoothing.

    An item without training ratings scores m, or NaN without smoothing (``smoothing=0``). Users
    without training ratings get the same scores as all others.

    Parameters
    ----------
    smoothing : float
        mu, at least 0: the mean of all ratings counts as this many additional ratings.

    Attributes
    ----------
    means_ : ndarray of float32, shape (n_items,)
        Smoothed means by item.

    References
    ----------
    Mena-Maldonado et al., "Popularity Bias in False-positive Metrics for Recommender Systems
    Evaluation", TOIS 2021: the system Avg, with mu = 1.

    Examples
    --------
    Item 0 has the ratings 5 and 4, item 1 has the rating 2, and item 2 has none:

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.array([[5, 2, 0], [4, 0, 0]], dtype=np.float32))
    >>> AverageRating(smoothing=0).fit(train).score(np.array([0])).tolist()
    [[4.5, 2.0, nan]]
    """

    predicts_ratings: ClassVar[bool] = True
    smoothing: NonNegative = 1.0

    def _fit(self, train: RatingMatrix) -> None:
        values = train.data.astype(np.float64)
        sums = np.bincount(train.indices, weights=values, minlength=self.n_items_)
        weights = np.bincount(train.indices, minlength=self.n_items_) + self.smoothing
        sums += self.smoothing * values.mean()
        means = np.full(self.n_items_, np.nan)
        np.divide(sums, weights, out=means, where=weights > 0)
        self.means_ = means.astype(np.float32)

    def _fold_in(self, ratings: RatingMatrix) -> None:
        """Do nothing: all users have the same scores."""

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[:] = self.means_


@dataclass(eq=False, repr=False)
class Random(Recommender):
    """Scores drawn uniformly from [0, 1), independently for every pair of user and item.

    Each user has a generator, seeded by (seed, user), so that scores do not depend on which other
    users are scored. No score is NaN: users and items without training ratings are scored like all
    others.

    Examples
    --------
    User 1 gets the same scores alone and with another user:

    >>> from scipy.sparse import csr_array
    >>> system = Random(seed=7).fit(csr_array(np.eye(2, dtype=np.float32)))
    >>> both, alone = system.score(np.array([0, 1])), system.score(np.array([1]))
    >>> bool(np.array_equal(both[1], alone[0])), bool(np.array_equal(both[0], both[1]))
    (True, False)
    """

    seed: Seed = 0

    def _fit(self, train: RatingMatrix) -> None:
        pass

    def _fold_in(self, ratings: RatingMatrix) -> None:
        """Do nothing: scores do not depend on ratings."""

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        for user, row in zip(users.tolist(), scores, strict=True):
            stream = np.random.PCG64(np.random.SeedSequence([self.seed, user]))
            np.random.Generator(stream).random(dtype=np.float32, out=row)


@dataclass(eq=False, repr=False)
class OptimalRanking(Recommender):
    r"""Ranks items by the probability of being a true positive, or of not being a false positive.

    Let n_i be the number of training ratings of an item, p_i of positive ones among them, t_i of
    its test ratings, q_i of positive ones among those, and :math:`|U|` of users with training
    ratings:

    ===============  ==========================  ===========================================
    knowledge        precision                   anti-precision
    ===============  ==========================  ===========================================
    ``"train"``      :math:`p_i / (|U| - n_i)`   :math:`-(n_i - p_i) / (|U| - n_i)`
    ``"judged"``     :math:`q_i / t_i`           :math:`-(t_i - q_i) / t_i`
    ``"test"``       :math:`q_i / (|U| - n_i)`   :math:`-(t_i - q_i) / (|U| - n_i)`
    ===============  ==========================  ===========================================

    ``"train"`` estimates the ranking that is optimal for *observed* values (equations 8 and 10 of
    Mena-Maldonado et al. 2021). The other two are oracles that use the test: ``"judged"`` orders by
    the share of positive test ratings (equation 6, optimal for *real* values; both metrics give the
    same order), and ``"test"`` also exploits how often an item is tested.

    No score is NaN: a share with a denominator of 0 counts as 0, so items without training (or
    test) ratings score 0. Users without training ratings get the same scores as all others.

    Parameters
    ----------
    relevance_threshold : float
        At least 0; values at or above it are positive. The default fits grades of relevance
        (`receval.recommenders.training_ratings`).

    Attributes
    ----------
    values_ : ndarray of float32, shape (n_items,)
        The scores by item.

    References
    ----------
    Mena-Maldonado et al., "Popularity Bias in False-positive Metrics for Recommender Systems
    Evaluation", TOIS 2021, equations 6, 8 and 10 and section 7; formulas of the released code.
    """

    metric: Annotated[str, OneOf("precision", "anti-precision")] = "precision"
    knowledge: Annotated[str, OneOf("train", "judged", "test")] = "train"
    relevance_threshold: NonNegative = 1.0

    @property
    def reads_test(self) -> bool:
        """Whether it is an oracle, with the knowledge ``"judged"`` or ``"test"``."""
        return self.knowledge != "train"

    def _fit(self, train: RatingMatrix) -> None:
        self._order(train, known=train)

    def _fit_knowing_test(self, train: RatingMatrix, test: RatingMatrix) -> None:
        self._order(train, known=test)

    def _order(self, train: RatingMatrix, known: RatingMatrix) -> None:
        rated = np.bincount(train.indices, minlength=self.n_items_)
        n_users = np.count_nonzero(np.diff(train.indptr))
        judged = np.bincount(known.indices, minlength=self.n_items_)
        positive = np.bincount(
            known.indices[known.data >= self.relevance_threshold], minlength=self.n_items_
        )
        counted = positive if self.metric == "precision" else positive - judged
        chances = judged if self.knowledge == "judged" else n_users - rated
        shares = np.zeros(self.n_items_)
        np.divide(counted, chances, out=shares, where=chances > 0)
        self.values_ = shares.astype(np.float32)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[:] = self.values_
