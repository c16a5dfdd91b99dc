# SPDX-License-Identifier: MIT
"""How far the items of lists are from the tastes of users in the training ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import check_fields
from receval.metrics.metric import WeightedMean
from receval.metrics.whole_lists.list_metric import FeatureMetric, RecommendedLists, blocks_of_users
from receval.storage.messages import enumerated, quoted


@dataclass(frozen=True, kw_only=True)
class Miscalibration(FeatureMetric):
    r"""Divergence of the list from the user's training ratings, in the values of a feature.

    .. math:: p(g|u) = \frac{\sum_{i \in R_{train}(u)} w_{ui}\, p(g|i)}
        {\sum_{i \in R_{train}(u)} w_{ui}}, \quad
        q(g|u) = \frac{\sum_{r=1}^{k} w_r\, p(g|i_r)}{\sum_{r=1}^{k} w_r}, \quad
        C_{KL} = \sum_g p(g|u) \ln \frac{p(g|u)}{(1 - \alpha) q(g|u) + \alpha p(g|u)}

    :math:`p(g|i)` is 1 over the number of values of the item, for each of them. ``jensen-shannon``
    is :math:`\frac{1}{2} \sum_g (p \log_2 \frac{p}{m} + q \log_2 \frac{q}{m})` with :math:`m = (p +
    q) / 2`, and ``hellinger`` is :math:`\sqrt{1 - \sum_g \sqrt{p q}}`; both are between 0 and 1.

    :Denominator: items that have a value of the feature
    :Missing: the largest divergence, :math:`-\ln \alpha` or 1; 0 for a user without such a training
        rating
    :Source: Steck (2018), "Calibrated recommendations", section 3

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    divergence : {"kl", "jensen-shannon", "hellinger"}
        As above.
    alpha : float
        For ``kl``; between 0 and 1, both excluded.
    weights : {"equal", "log2"}
        The weights :math:`w_r` of the ranks: 1, or :math:`1 / \log_2(1 + r)`.
    profile : {"equal", "ratings"}
        The weights :math:`w_{ui}` of training items: 1, or the ratings, if these are positive.
    """

    name: ClassVar[str] = "Miscalibration"
    other_names: ClassVar[tuple[str, ...]] = ("calibration", "CalibrationKL")
    less_is_better: ClassVar[bool] = True
    divergence: Literal["kl", "jensen-shannon", "hellinger"] = "kl"
    alpha: float = 0.01
    weights: Literal["equal", "log2"] = "equal"
    profile: Literal["equal", "ratings"] = "equal"

    def __post_init__(self) -> None:
        check_fields(self, "alpha")
        if not 0 < self.alpha < 1:
            raise ValueError(
                f"The alpha of {self.name} is {self.alpha}; it must be between 0 and 1, and "
                "neither of them."
            )
        super().__post_init__()

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        has_value = self.has_value(recommended)
        counts = np.diff(has_value.indptr)
        shares = csr_array(
            (
                has_value.data / np.repeat(counts, counts),
                has_value.indices,
                has_value.indptr,
            ),
            shape=has_value.shape,
        )
        train = csr_array(recommended.fold.train[recommended.users], dtype=np.float64)
        if self.profile == "equal":
            train.data = (train.data != 0).astype(np.float64)
        elif (train.data < 0).any():
            raise ValueError(
                f"{self.label} weights training items by their ratings, but some are below 0. "
                "Leave out profile=ratings."
            )
        n_users, length = recommended.items.shape
        of_ranks = np.ones(length)
        if self.weights == "log2":
            of_ranks = 1.0 / np.log2(np.arange(2, length + 2))
        rows, ranks, items = recommended.lists.entries()
        listed = csr_array((of_ranks[ranks], (rows, items)), shape=(n_users, train.shape[1]))
        found = np.zeros(n_users)
        for block in blocks_of_users(n_users, shares.shape[1]):
            target = _normalised((train[block] @ shares).toarray())
            own = _normalised((listed[block] @ shares).toarray())
            values = self._divergence(target, own)
            values[own.sum(axis=1) == 0] = self._largest
            values[target.sum(axis=1) == 0] = 0.0
            found[block] = values
        return found

    @property
    def _largest(self) -> float:
        return float(-np.log(self.alpha)) if self.divergence == "kl" else 1.0

    def _divergence(
        self, target: NDArray[np.float64], own: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the divergence of each row of two arrays of distributions."""
        if self.divergence == "hellinger":
            common = np.sqrt(target * own).sum(axis=1)
            return np.asarray(np.sqrt(np.maximum(0.0, 1.0 - common)))
        if self.divergence == "jensen-shannon":
            middle = (target + own) / 2
            halves = _times_log_ratio(target, middle) + _times_log_ratio(own, middle)
            return np.asarray(np.maximum(0.0, halves / (2 * np.log(2.0))))
        mixed = (1.0 - self.alpha) * own + self.alpha * target
        return np.maximum(0.0, _times_log_ratio(target, mixed))


_SHOWN_VALUES = 20
"""How many values of a feature a message names."""


@dataclass(frozen=True, kw_only=True)
class BiasDisparity(FeatureMetric):
    r"""How much more users are recommended items with a value than they rated of them in training.

    .. math:: BiasDisparity@k = \frac{B_R - B_T}{B_T}, \quad
        B_R = \frac{\sum_u |L_u^k \cap G|}{\sum_u |L_u^k|} \cdot \frac{|I|}{|G|}, \quad
        B_T = \frac{\sum_u |R_{train}(u) \cap G|}{\sum_u |R_{train}(u)|} \cdot \frac{|I|}{|G|}

    Here G are the candidates with the value, such as comedies, and I those with any value of the
    feature; other items are left out. 0 means that lists have the share that the training ratings
    have. The sums are over the averaged users, or over those of a group
    (``result.by_group``).

    :Denominator: in the formula
    :Source: Tsintzou et al. (2018), "Bias disparity in recommendation systems"; BiasDisparityBD in
        Elliot and WarpRec

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    value : str
        Needed: one of the feature's values.
    form : {"disparity", "recommendations", "training"}
        Whether to return the relative difference, or :math:`B_R` (BiasDisparityBR in Elliot and
        WarpRec) or :math:`B_T` (BiasDisparityBS).
    """

    name: ClassVar[str] = "BiasDisparity"
    training_needed: ClassVar[bool] = True
    example: ClassVar[str] = "feature=genre,value=Comedy"
    best_value: ClassVar[float | None] = 0.0
    value: str | None = None
    form: Literal["disparity", "recommendations", "training"] = "disparity"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form != "disparity":
            # At 1 a value has the share of the catalogue; no system can change that in training.
            best = 1.0 if self.form == "recommendations" else None
            object.__setattr__(self, "best_value", best)

    def index_among(self, values: Sequence[str]) -> int:
        """Return the place of the value among those of the feature.

        Raises
        ------
        ValueError
            The metric names no value, or one that the feature does not have.
        """
        if self.value not in values:
            told = "needs a value" if self.value is None else f"has the value {quoted(self.value)}"
            shown = [quoted(value) for value in values[:_SHOWN_VALUES]]
            shown += [f"{len(values) - len(shown)} more"] * (len(values) > len(shown))
            raise ValueError(
                f"{self.label} {told}, but the values of {self.needed_feature} are "
                f"{enumerated(shown)}. Name one of them (in Python, one with a comma or a bracket "
                f"by {self.name}(cutoff={self.cutoff}, feature={self.feature!r}, value=...))."
            )
        return values.index(self.value)

    def weighted_mean(self, recommended: RecommendedLists) -> WeightedMean | None:
        has_value = self.has_value(recommended)
        place = self.index_among(recommended.feature_values[self.feature or ""])
        is_known = (np.diff(has_value.indptr) > 0) & recommended.is_candidate
        is_member = (has_value[:, [place]].toarray()[:, 0] > 0) & recommended.is_candidate
        share = is_member.sum() / max(1, is_known.sum())
        n_users = len(recommended.users)

        def bias(rows: NDArray[np.integer], items: NDArray[np.integer]) -> WeightedMean:
            counts, met = (
                np.bincount(rows, weights=marked[items], minlength=n_users)
                for marked in (is_known, is_member)
            )
            shares = np.divide(met, counts, out=np.zeros(n_users), where=counts > 0)
            return WeightedMean(shares / share if share else shares, counts.astype(np.float64))

        rows, _, listed = recommended.lists.entries()
        own, (of_train, trained, _) = bias(rows, listed), recommended.profile_entries
        if self.form == "recommendations":
            return own
        of_training = bias(of_train, trained)
        return of_training if self.form == "training" else replace(own, base=of_training)

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        mean = self.weighted_mean(recommended)
        assert mean is not None
        return mean.contributions


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide each row by its sum; rows of zeros stay."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


def _times_log_ratio(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Return :math:`\sum_g a_g \ln(a_g / b_g)` of each row, where terms with a of 0 are 0."""
    ratios = np.divide(first, second, out=np.ones_like(first), where=first > 0)
    return np.asarray((first * np.log(ratios)).sum(axis=1))
