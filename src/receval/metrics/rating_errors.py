# SPDX-License-Identifier: MIT
"""Errors of predicted ratings: MAE and RMSE, for systems whose scores are ratings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.metric import BaseMetric, WeightedMean
from receval.splits.split import Judgments


@dataclass(frozen=True)
class PredictedRatings:
    """The test ratings of a fold, and what a system predicted for them.

    Attributes
    ----------
    test : Judgments
    predictions : ndarray of float64, shape (n_judgments,)
        In the order of ``test``; never NaN.
    averaged : ndarray of int64, shape (n_users,)
        Codes of the averaged users, each with a test rating.
    """

    test: Judgments
    predictions: NDArray[np.float64]
    averaged: NDArray[np.int64]

    @property
    def errors(self) -> NDArray[np.float64]:
        """The prediction minus the rating, shape (n_judgments,)."""
        return np.asarray(self.predictions - self.test.values)

    @property
    def counts(self) -> NDArray[np.float64]:
        """The number of test ratings of each averaged user."""
        return np.diff(self.test.indptr)[self.averaged].astype(np.float64)

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over the test ratings of each averaged user, shape (n_users,)."""
        sums = np.bincount(self.test.users, weights=values, minlength=self.test.n_users)
        return np.asarray(sums[self.averaged] / self.counts)


@dataclass(frozen=True, kw_only=True)
class RatingMetric(BaseMetric):
    """A metric of predicted ratings, for systems whose scores are ratings.

    Parameters
    ----------
    cutoff : None
        There are no ranks, and so no cut-off.
    """

    computed_from: ClassVar[str] = "predicted ratings"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff is not None:
            raise ValueError(
                f"{self.name} is computed from the predictions of all test ratings, so it has no "
                f"cut-off. Write {self.name}."
            )

    @abstractmethod
    def of_each_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        """Return the metric of the test ratings of each averaged user, shape (n_users,)."""

    @abstractmethod
    def weighted_mean(self, predicted: PredictedRatings) -> WeightedMean | None:
        """Return the mean over all test ratings; None if it is one over users."""

    def per_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        """Return a value for each averaged user whose mean is the average, shape (n_users,)."""
        over_ratings = self.weighted_mean(predicted)
        return self.of_each_user(predicted) if over_ratings is None else over_ratings.contributions


@dataclass(frozen=True, kw_only=True)
class MAE(RatingMetric):
    r"""Mean absolute error of predicted ratings.

    Here :math:`\hat r_{ui}` is the predicted rating, and T are all test ratings of the averaged
    users.

    .. math:: MAE = \frac{1}{|T|} \sum_{(u, i) \in T} |\hat r_{ui} - r_{ui}|

    :Denominator: the number of test ratings; with ``over=users``, those of each user, and then the
        number of users
    :Source: Herlocker et al. (2004), section 4.1; LensKit's by user has ``over=users``, as has
        Cornac's with ``user_based=True``

    Parameters
    ----------
    over : {"ratings", "users"}
        Whether each rating counts the same, or each user. For intervals and tests over users, a
        mean over ratings is a ratio (Cochran 1977, section 6.4).
    """

    name: ClassVar[str] = "MAE"
    other_names: ClassVar[tuple[str, ...]] = ("mean absolute error",)
    less_is_better: ClassVar[bool] = True
    over: Literal["ratings", "users"] = "ratings"

    def of_each_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        return predicted.means(np.abs(predicted.errors))

    def weighted_mean(self, predicted: PredictedRatings) -> WeightedMean | None:
        if self.over == "users":
            return None
        return WeightedMean(self.of_each_user(predicted), predicted.counts)


@dataclass(frozen=True, kw_only=True)
class RMSE(RatingMetric):
    r"""Root of the mean squared error of predicted ratings.

    Here :math:`\hat r_{ui}` is the predicted rating, and T are all test ratings of the averaged
    users.

    .. math:: RMSE = \sqrt{\frac{1}{|T|} \sum_{(u, i) \in T} (\hat r_{ui} - r_{ui})^2}

    :Denominator: as that of MAE
    :Source: as that of MAE

    Parameters
    ----------
    over : {"ratings", "users"}
        Whether there is one root of all ratings, or the mean of a root for each user. For intervals
        and tests over users, the former is a function of a ratio, in first order.
    """

    name: ClassVar[str] = "RMSE"
    other_names: ClassVar[tuple[str, ...]] = ("root mean squared error", "root mean square error")
    less_is_better: ClassVar[bool] = True
    over: Literal["ratings", "users"] = "ratings"

    def of_each_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        return np.sqrt(predicted.means(predicted.errors**2))

    def weighted_mean(self, predicted: PredictedRatings) -> WeightedMean | None:
        if self.over == "users":
            return None
        return WeightedMean(predicted.means(predicted.errors**2), predicted.counts, is_root=True)
