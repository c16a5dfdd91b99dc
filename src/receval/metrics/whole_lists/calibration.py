# SPDX-License-Identifier: MIT
"""How far the items of a list are from the user's tastes in the training ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.list_metric import FeatureMetric, RecommendedLists, blocks_of_users


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
