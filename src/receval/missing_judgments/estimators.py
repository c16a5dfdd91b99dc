# SPDX-License-Identifier: MIT
r"""IPS and SNIPS estimators of averages over users, with their standard errors.

User u has :math:`N_u` candidates. Each judged candidate i has a weight :math:`w_{ui}` (1, or the
inverse of the propensity), a worth :math:`c_{ui}`, which is 0 for non-relevant items, and
:math:`d_{ui}`, which is 1, but for recall 0 for non-relevant items. With :math:`a_u = \sum_i w_{ui}
c_{ui}` and :math:`b_u = \sum_i w_{ui} d_{ui}` over the judged candidates:

.. math:: IPS = \frac{1}{|U|} \sum_u a_u, \qquad
          SNIPS = \frac{\sum_u a_u}{\sum_u b_u} \cdot \frac{\sum_u N_u}{|U|}

IPS is unbiased if the propensities are right. SNIPS divides by the weights, which estimate the
number of candidates. Their errors correlate with those of the numerator, so the variance is
smaller, at the cost of a bias that vanishes with more judgments. For recall, SNIPS has no
:math:`N_u`, and IPS does not exist, because the number of relevant items is unknown.

Sources: Schnabel et al. (2016), section 3; Swaminathan and Joachims (2015), "The self-normalized
estimator for counterfactual learning", NIPS; Yang et al. (2018), who normalise user by user. The
variance of a ratio: Cochran (1977), "Sampling techniques", section 6.4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from receval.metrics.aliases import metric_of_alias
from receval.statistics.effect_sizes import CONFIDENCE
from receval.storage.messages import quoted

Normalised = Literal["all", "user"]


@dataclass(frozen=True)
class WeightedSums:
    """Sums per user from which the estimates of one system under one metric follow.

    They are :math:`a_u`, :math:`b_u`, :math:`N_u` and the number of lists, each over all folds.

    Examples
    --------
    Two users with 10 candidates each; the first has one relevant item, of weight 4 and worth 1:

    >>> sums = WeightedSums(
    ...     worths=np.array([4.0, 0.0]),
    ...     weights=np.array([8.0, 12.0]),
    ...     sizes=np.array([10.0, 10.0]),
    ...     lists=np.ones(2),
    ... )
    >>> sums.ips().value, sums.snips("all", per_relevant=False).value
    (2.0, 2.0)
    """

    worths: NDArray[np.float64]
    weights: NDArray[np.float64]
    sizes: NDArray[np.float64]
    lists: NDArray[np.float64]

    def ips(self) -> Estimate:
        """Return the IPS estimate: the mean of the users' sums."""
        there = self.lists > 0
        return _mean(self.worths[there] / self.lists[there])

    def snips(self, normalised: Normalised, *, per_relevant: bool) -> Estimate:
        """Return the SNIPS estimate, which is divided by the weights.

        Divided is by the weights of ``all`` users, or per ``user``, over users who have any. The
        latter is an average of averages: with one judgment per user, its weight cancels. A value
        per relevant item (recall) has no estimate of the number of candidates in its divisor.
        """
        if normalised == "user":
            there = self.weights > 0
            shares = self.worths[there] / self.weights[there]
            scale = 1.0 if per_relevant else self.sizes[there] / self.lists[there]
            return _mean(shares * scale)
        there = (self.weights > 0) if per_relevant else (self.lists > 0)
        worths, weights = self.worths[there], self.weights[there]
        size, whole = int(there.sum()), float(weights.sum())
        if not whole > 0:
            return Estimate(float("nan"), float("nan"), size)
        ratio = worths.sum() / whole
        scale = 1.0 if per_relevant else self.sizes[there].sum() / self.lists[there].sum()
        residuals = worths - ratio * weights
        error = float("nan")
        if size > 1:
            error = float(np.sqrt((residuals**2).sum() * size / (size - 1)) / whole * scale)
        return Estimate(float(ratio * scale), error, size)


@dataclass(frozen=True)
class Estimate:
    """An estimate of an average over users; NaN where there are no users, or too few.

    Examples
    --------
    >>> low, high = Estimate(0.5, 0.1, users=30).interval
    >>> round(low, 3), round(high, 3)
    (0.295, 0.705)
    """

    value: float
    standard_error: float
    users: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval by Student's t."""
        if self.users < 2:
            return float("nan"), float("nan")
        half = float(stdtrit(self.users - 1, (1 + CONFIDENCE) / 2)) * self.standard_error
        return self.value - half, self.value + half


def effective_size(weights: NDArray[np.float64]) -> float:
    r"""Return Kish's effective sample size: the equivalent number of equally weighted judgments.

    .. math:: n_{eff} = \frac{(\sum_i w_i)^2}{\sum_i w_i^2}

    (Kish 1965, "Survey sampling", section 11.7)

    Examples
    --------
    >>> effective_size(np.ones(4)), round(effective_size(np.array([9.0, 1, 1, 1])), 2)
    (4.0, 1.71)
    """
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def _mean(values: NDArray[np.float64]) -> Estimate:
    size = len(values)
    if not size:
        return Estimate(float("nan"), float("nan"), 0)
    error = float(values.std(ddof=1) / np.sqrt(size)) if size > 1 else float("nan")
    return Estimate(float(values.mean()), error, size)


_DCG = re.compile(r"(?i)\s*dcg@(\d+)\s*")


@dataclass(frozen=True)
class AdditiveMetric:
    r"""A sum of :math:`c(k)` over the ranks k of the relevant items of a list.

    ===========  =================================  ===============================
    ``kind``     :math:`c(k)` for :math:`k \le n`   the sum is divided by
    ===========  =================================  ===============================
    ``P``        :math:`1 / n`                      nothing
    ``DCG``      :math:`1 / \log_2(k + 1)`          nothing
    ``Recall``   1                                  the number of relevant items
    ===========  =================================  ===============================

    Examples
    --------
    >>> AdditiveMetric("DCG", 3).worth(np.array([1, 3, 4, 0])).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """

    kind: Literal["P", "DCG", "Recall"]
    cutoff: int

    @property
    def label(self) -> str:
        """Printed name, such as ``DCG@10``."""
        return f"{self.kind}@{self.cutoff}"

    @property
    def per_relevant(self) -> bool:
        """Whether the sum is divided by the unknown number of relevant items."""
        return self.kind == "Recall"

    def worth(self, ranks: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return what a relevant item adds at each rank; 0 if it is not ranked or below rank n."""
        within = (ranks > 0) & (ranks <= self.cutoff)
        worth = np.zeros(len(ranks))
        if self.kind == "DCG":
            worth[within] = 1.0 / np.log2(ranks[within] + 1.0)
        else:
            worth[within] = 1.0 / self.cutoff if self.kind == "P" else 1.0
        return worth


def additive_metric_of(name: str) -> AdditiveMetric:
    """Return the metric with a name such as ``P@10``, ``recall@5`` or ``DCG@10``.

    Metrics that are not sums over relevant items, or have no cut-off, are refused.

    Examples
    --------
    >>> additive_metric_of("precision@5").label
    'P@5'
    >>> additive_metric_of("nDCG@5")
    Traceback (most recent call last):
    ValueError: nDCG@5 is not a sum over relevant items that each count by their own rank. ...
    """
    found = _DCG.fullmatch(name)
    if found and int(found[1]) > 0:
        return AdditiveMetric("DCG", int(found[1]))
    metric = metric_of_alias(name)
    if metric.cutoff is None or metric != type(metric)(cutoff=metric.cutoff):
        raise ValueError(
            f"{quoted(name)} cannot be estimated. Give a cut-off and no other parameter, as in "
            "P@10."
        )
    if metric.name not in ("P", "Recall"):
        raise ValueError(
            f"{metric.label} is not a sum over relevant items that each count by their own rank. "
            "Estimates by propensities need such a sum. Choose P@n, DCG@n or Recall@n."
        )
    return AdditiveMetric("P" if metric.name == "P" else "Recall", metric.cutoff)
