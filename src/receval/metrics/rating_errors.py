# SPDX-License-Identifier: MIT
"""Errors of predicted ratings and probabilities, and one AUC of the scores of all test ratings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.metric import BaseMetric, WeightedMean
from receval.splits.split import Judgments


class MissingValueError(ValueError):
    """A metric of all users at once is not defined for the test ratings of some users."""


@dataclass(frozen=True)
class PredictedRatings:
    """The test ratings of a fold, and what a system predicted for them.

    Attributes
    ----------
    test : Judgments
    predictions : ndarray of float64, shape (n_judgments,)
        In the order of ``test``; NaN where there is none.
    averaged : ndarray of int64, shape (n_users,)
        Codes of the averaged users, each with a test rating.
    mean : float
        The mean of the training ratings, which stands for predictions that are not there.
    threshold : float
        Ratings at or above it are relevant.
    """

    test: Judgments
    predictions: NDArray[np.float64]
    averaged: NDArray[np.int64]
    mean: float = float("nan")
    threshold: float = float("nan")

    @property
    def users(self) -> NDArray[np.int64]:
        """The codes of the averaged users."""
        return self.averaged

    def of_users(self, users: NDArray[np.int64]) -> PredictedRatings:
        """Return what was predicted for those averaged users who are among some."""
        return replace(self, averaged=np.intersect1d(self.averaged, users, assume_unique=True))

    @property
    def errors(self) -> NDArray[np.float64]:
        """The prediction minus the rating, shape (n_judgments,)."""
        predicted = np.isfinite(self.predictions)
        return np.asarray(np.where(predicted, self.predictions, self.mean) - self.test.values)

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
    needs_ratings: ClassVar[bool] = True
    """Whether scores must be ratings, and not only order pairs of users and items."""

    bounds: ClassVar[tuple[float, float] | None] = None
    """The smallest and the largest possible value of a metric of all users at once."""

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

    def weighted_mean(self, predicted: PredictedRatings) -> WeightedMean | None:
        """Return the mean over all test ratings; None if it is one over users."""
        return None

    def per_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        """Return a value for each averaged user whose mean is the average, shape (n_users,)."""
        over_ratings = self.weighted_mean(predicted)
        return self.of_each_user(predicted) if over_ratings is None else over_ratings.contributions


@dataclass(frozen=True, kw_only=True)
class MAE(RatingMetric):
    r"""Mean absolute error of predicted ratings.

    Here :math:`\hat r_{ui}` is the predicted rating, and T are all test ratings of the averaged
    users, on all folds together.

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
    users, on all folds together.

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


@dataclass(frozen=True, kw_only=True)
class MSE(MAE):
    r"""Mean squared error of predicted ratings.

    Here :math:`\hat r_{ui}` is the predicted rating, and T are all test ratings of the averaged
    users, on all folds together.

    .. math:: MSE = \frac{1}{|T|} \sum_{(u, i) \in T} (\hat r_{ui} - r_{ui})^2

    :Denominator: as that of MAE
    :Source: as that of MAE

    Parameters
    ----------
    over : {"ratings", "users"}
        As that of MAE.
    """

    name: ClassVar[str] = "MSE"
    other_names: ClassVar[tuple[str, ...]] = ("mean squared error",)

    def of_each_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        return predicted.means(predicted.errors**2)


@dataclass(frozen=True, kw_only=True)
class LogLoss(MAE):
    r"""Mean negative logarithm of the probability that a system gave to what came true.

    Here :math:`p_{ui}` is the score, which must be the probability that the item is relevant, and T
    are all test ratings of the averaged users, on all folds together.

    .. math:: LogLoss = -\frac{1}{|T|} \sum_{(u, i) \in T}
              \ln (p_{ui} [r_{ui} \geq \tau] + (1 - p_{ui}) [r_{ui} < \tau])

    Probabilities below :math:`10^{-15}` count as that, and those above :math:`1 - 10^{-15}`, too.

    :Denominator: as that of MAE
    :Source: Good (1952); LogLoss in RecBole, logloss in Microsoft's recommenders

    Parameters
    ----------
    over : {"ratings", "users"}
        As that of MAE.

    Raises
    ------
    ValueError
        A test rating has no score, or one that is not between 0 and 1.
    """

    name: ClassVar[str] = "LogLoss"
    other_names: ClassVar[tuple[str, ...]] = ("logarithmic loss", "cross entropy")
    computed_from: ClassVar[str] = "the probabilities of all test ratings"
    needs_ratings: ClassVar[bool] = False

    def of_each_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        rows = np.isin(predicted.test.users, predicted.averaged)
        found = predicted.predictions[rows]
        wrong = ~((found >= 0) & (found <= 1))
        if wrong.any():
            first = found[wrong][0]
            raise ValueError(
                f"{self.name} needs the probability that each rated item is relevant, but "
                f"{int(wrong.sum()):,} of {len(found):,} test ratings "
                f"{'has' if wrong.sum() == 1 else 'have'} "
                f"{'no score' if np.isnan(first) else f'another score, such as {first:g}'}. Give "
                "scores between 0 and 1, or leave the metric out."
            )
        relevant = predicted.test.values >= predicted.threshold
        # Scores of users who are not averaged are not checked.
        given = np.clip(np.nan_to_num(predicted.predictions), 1e-15, 1 - 1e-15)
        return predicted.means(-np.log(np.where(relevant, given, 1 - given)))


_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class RSquared(RatingMetric):
    r"""Share of the variance of the test ratings that the predictions explain.

    Here T are the test ratings of the averaged users of one fold, with the mean :math:`\bar r`.
    With several folds it is computed on each, and folds count by their numbers of averaged users.

    .. math:: R2 = 1 - \frac{\sum_{(u, i) \in T} (\hat r_{ui} - r_{ui} - m)^2}
              {\sum_{(u, i) \in T} (r_{ui} - \bar r)^2}

    It is 0 for a prediction of :math:`\bar r` for all, and below 0 for worse ones.

    :Denominator: in the formula
    :Source: Draper and Smith (1998), section 1.3; rsquared and exp_var (``errors=centred``) in
        Microsoft's recommenders

    Parameters
    ----------
    errors : {"all", "centred"}
        Whether m is 0, or the mean error, so that a prediction that is too high by the same for all
        ratings is no error (explained variance).
    """

    name: ClassVar[str] = "R2"
    other_names: ClassVar[tuple[str, ...]] = (
        "R squared",
        "coefficient of determination",
        "explained variance(errors=centred)",
    )
    bounds: ClassVar[tuple[float, float] | None] = (-np.inf, 1.0)
    errors: Literal["all", "centred"] = "all"

    def of_each_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        """Return the pseudo-values of the jackknife, as other metrics of all users have."""
        users, ratings = predicted.test.users, predicted.test.values.astype(np.float64)
        rows = np.isin(users, predicted.averaged)
        # Sums of squares around a mean lose no digits if the mean is nearly 0.
        deviations = np.where(rows, ratings - ratings[rows].mean(), 0.0)
        errors = np.where(rows, predicted.errors, 0.0)
        unexplained, variance = (
            _squares_without_each(predicted, own, is_centred=is_centred)
            for own, is_centred in ((errors, self.errors == "centred"), (deviations, True))
        )
        if not variance[0] > 0:
            raise MissingValueError(
                f"{self.name} is a share of the variance of the test ratings, but all of the "
                f"{int(rows.sum()):,} are {ratings[rows][0]:g}. Choose RMSE or MAE."
            )
        # Where the ratings that are left are equal, rounding leaves some variance.
        varies = variance > _ROUNDING * variance[0]
        values = 1 - unexplained / np.where(varies, variance, np.inf)
        whole, without = float(values[0]), np.where(varies, values, values[0])[1:]
        return np.asarray(whole + (len(without) - 1) * (without.mean() - without))


def _squares_without_each(
    predicted: PredictedRatings, values: NDArray[np.float64], *, is_centred: bool
) -> NDArray[np.float64]:
    """Return the sum of squares of all values, and those without each averaged user's.

    ``is_centred`` subtracts the mean of the values that are summed.
    """
    users, n_users = predicted.test.users, predicted.test.n_users
    sums = [np.bincount(users, weights=values**power, minlength=n_users) for power in (1, 2)]
    totals, squares = (np.r_[0.0, own[predicted.averaged]] for own in sums)
    totals, squares = totals.sum() - totals, squares.sum() - squares
    if not is_centred:
        return squares
    counts = np.r_[0.0, predicted.counts]
    return squares - totals**2 / np.maximum(1.0, counts.sum() - counts)


@dataclass(frozen=True, kw_only=True)
class PooledAUC(RatingMetric):
    r"""Area under one ROC curve of the scores of all test ratings of all users together.

    Here P are the relevant test ratings of the averaged users of one fold, and N the others.
    With several folds it is computed on each, and folds count by their numbers of averaged users.

    .. math:: PooledAUC = \frac{1}{|P| |N|} \sum_{p \in P} \sum_{n \in N}
              \Big([s_p > s_n] + \tfrac{1}{2} [s_p = s_n]\Big)

    Scores need not be ratings, but those of different users are compared: a system that orders the
    items of each user alone may have .5. :class:`receval.metrics.auc.AUC` and its mean with weights
    compare the items of one user. A test rating without a score counts as below all others.

    :Denominator: in the formula
    :Source: Hanley and McNeil (1982); AUC in RecBole and in Microsoft's recommenders
    """

    name: ClassVar[str] = "PooledAUC"
    other_names: ClassVar[tuple[str, ...]] = ("global AUC",)
    computed_from: ClassVar[str] = "the scores of all test ratings"
    needs_ratings: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float] | None] = (0.0, 1.0)

    def of_each_user(self, predicted: PredictedRatings) -> NDArray[np.float64]:
        """Return the pseudo-values of the jackknife, as other metrics of all users have."""
        n_users = predicted.test.n_users
        rows = np.isin(predicted.test.users, predicted.averaged)
        users = predicted.test.users[rows]
        found = predicted.predictions[rows]
        scores = np.where(np.isnan(found), -np.inf, found)
        relevant = predicted.test.values[rows] >= predicted.threshold
        if relevant.all() or not relevant.any():
            raise MissingValueError(
                f"{self.name} compares relevant test ratings with others, but "
                f"{'all' if relevant.all() else 'none'} of the {len(relevant):,} test ratings "
                f"{'are' if relevant.all() else 'is'} relevant (at least "
                f"{predicted.threshold:g}). Choose another relevance threshold, or AUC, which "
                "compares with items without a rating."
            )
        together = np.zeros_like(users)
        below = _ranks(together, scores)
        # Half of the ties count, so those of either kind have the mean of their ranks.
        below[relevant] -= _ranks(together[relevant], scores[relevant])
        below[~relevant] -= _ranks(together[~relevant], scores[~relevant])
        n_relevant = int(relevant.sum())
        right = np.where(relevant, below, n_relevant - below)
        within = _ranks(users, scores)
        of_user = np.bincount(users, weights=relevant, minlength=n_users)
        sums = np.bincount(users, weights=np.where(relevant, within, 0.0), minlength=n_users)
        own = sums - of_user * (of_user + 1) / 2
        lost = np.bincount(users, weights=right, minlength=n_users) - own
        others = np.bincount(users, minlength=n_users) - of_user
        total = float(right[relevant].sum())
        n_others = len(relevant) - n_relevant
        whole = total / (n_relevant * n_others)
        pairs = (n_relevant - of_user) * (n_others - others)
        kept = np.divide(total - lost, pairs, out=np.full(n_users, whole), where=pairs > 0)
        without = kept[predicted.averaged]
        return np.asarray(whole + (len(without) - 1) * (without.mean() - without))


def _ranks(groups: NDArray[np.integer], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each score in its group, from 1 for the lowest, the mean for equal ones.

    Examples
    --------
    >>> _ranks(np.array([0, 0, 1, 0]), np.array([2.0, 1.0, 5.0, 2.0])).tolist()
    [2.5, 1.0, 1.0, 2.5]
    """
    order = np.lexsort((scores, groups))
    own, sorted_scores = groups[order], scores[order]
    is_new_group = np.r_[True, own[1:] != own[:-1]]
    is_new = is_new_group | np.r_[True, sorted_scores[1:] != sorted_scores[:-1]]
    starts = np.flatnonzero(is_new)
    lengths = np.diff(np.r_[starts, len(order)])
    firsts = np.flatnonzero(is_new_group)[np.cumsum(is_new_group) - 1][starts]
    ranks = np.empty(len(order))
    ranks[order] = np.repeat(starts - firsts + (lengths + 1) / 2, lengths)
    return ranks
