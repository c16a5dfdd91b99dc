# SPDX-License-Identifier: MIT
"""The base classes of metrics: parameters, label and computation per list."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.checked_arguments import check_fields
from receval.metrics.labels import check_choices, printed_parameters
from receval.metrics.lists import NO_CUTOFF, JudgedItems, ListView


@dataclass(frozen=True, kw_only=True)
class BaseMetric(ABC):
    """What all metrics have: a name, parameters, a label, and a direction.

    Metrics with equal parameters are equal.

    Parameters
    ----------
    cutoff : int, optional
        The last rank that counts.
    """

    name: ClassVar[str]
    other_names: ClassVar[tuple[str, ...]] = ()
    """Usual names of the metric, perhaps with parameters: ``hits(form=count)`` of Hit."""

    less_is_better: ClassVar[bool] = False
    best_value: ClassVar[float | None] = None
    """The value that is best, where neither more nor less is better."""

    computed_from: ClassVar[str] = "judged ranks"
    cutoff: int | None = None

    def __post_init__(self) -> None:
        check_fields(self, "cutoff")
        self._check_positive("cutoff")
        check_choices(self)

    def _check_positive(self, parameter: str) -> None:
        value = getattr(self, parameter)
        if value is not None and value < 1:
            raise ValueError(
                f"The {parameter} of {self.name} is {value}; it must be at least 1, or None."
            )

    @property
    def label(self) -> str:
        """The printed form, such as ``nDCG(gain=exp)@10``.

        Default values are left out; :func:`receval.metrics.registry.parse` reads it.
        """
        parameters = printed_parameters(self, leave_out=("cutoff",))
        return f"{self.name}{parameters}" + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def definition(self) -> str:
        """What the metric is, in a phrase: the first line of its card."""
        return (type(self).__doc__ or "").strip().splitlines()[0].rstrip(".")

    def at(self, cutoff: int | None) -> Self:
        """Return the same metric at another cut-off."""
        return replace(self, cutoff=cutoff)


@dataclass(frozen=True, kw_only=True)
class Metric(BaseMetric):
    """A metric of judged ranks.

    A missing or empty list has the value :attr:`missing`; :mod:`receval.metrics.evaluation`
    decides which lists are averaged.

    Parameters
    ----------
    cutoff : int, optional
        The last rank that counts; by default, all ranks count.
    condensed : bool
        Whether to remove unjudged items from the list first.
    depth : int, optional
        Lists are cut at this length before anything else, as in a run of that depth.

    Examples
    --------
    >>> from receval.metrics.precision_and_recall import Precision
    >>> metric = Precision(cutoff=10)
    >>> metric.label, metric.at(5).label, metric.reach, metric == Precision(cutoff=10)
    ('P@10', 'P@5', 10, True)
    """

    needs_all_judgments: ClassVar[bool] = False
    uses_whole_lists: ClassVar[bool] = False
    """Whether the items below the cut-off count, too."""

    missing: ClassVar[float] = 0.0
    """The value of a user with relevant items and without a list; NaN if left out."""

    condensed: bool = False
    depth: int | None = None

    def __post_init__(self) -> None:
        check_fields(self, "condensed", "depth")
        self._check_positive("depth")
        super().__post_init__()

    @property
    def refused_under_1r(self) -> bool:
        """Whether the metric needs other judged items than the one relevant item."""
        return self.needs_all_judgments or self.condensed

    @property
    def reach(self) -> int | None:
        """The last rank that the metric uses in a full list; None if there is no limit."""
        if self.condensed or self.uses_whole_lists:
            return self.depth
        limits = [limit for limit in (self.cutoff, self.depth) if limit is not None]
        return min(limits, default=None)

    def check_judged(self, judged: JudgedItems) -> None:
        """Raise an error if the metric cannot be computed with the judged items of all lists."""

    def weights(self, lists: ListView) -> NDArray[np.float64] | None:
        """Return the weight of each list in the average, shape (n_lists,); None if all are equal.

        The lists are as for :meth:`per_list`. The value of a list is then that of
        :class:`WeightedMean`.
        """
        return None

    @abstractmethod
    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Compute the metric for every list at several cut-offs, shape (n_cutoffs, n_lists).

        The lists are already condensed and cut as the metric needs. Cut-offs increase, with
        ``NO_CUTOFF`` for none; the metric's own cut-off is ignored.
        """


def column(cutoffs: Sequence[int]) -> NDArray[np.float64]:
    """Return cut-offs as a column, to divide arrays of shape (n_cutoffs, n_lists)."""
    return np.asarray(cutoffs, dtype=np.float64)[:, None]


def ratio(numerator: NDArray, denominator: NDArray) -> NDArray[np.float64]:
    """Divide; the result is 0 where the denominator is 0."""
    is_positive = denominator > 0
    quotient = numerator / np.where(is_positive, denominator, 1)
    return quotient if is_positive.all() else np.where(is_positive, quotient, 0.0)


def of_weighted_mean(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Return a value per list or user whose mean is the weighted mean of the given values.

    Its variance is that of a ratio (Cochran 1977, section 6.4):
    :math:`m + \frac{w}{\bar w} (x - m)` for the value x of weight w and the weighted mean m. If no
    weight is above 0, there is no mean, and all values are NaN.

    Examples
    --------
    >>> of_weighted_mean(np.array([1.0, 0.0]), np.array([3.0, 1.0])).tolist()
    [1.125, 0.375]
    """
    total = weights.sum()
    if not total > 0:
        return np.full(len(values), np.nan)
    mean = float(weights @ values / total)
    return np.asarray(mean + weights * (len(weights) / total) * (values - mean))


@dataclass(frozen=True)
class WeightedMean:
    r"""An average of lists or users with weights, or its root, as a value of each of them.

    The root :math:`\sqrt m` has the values :math:`\sqrt m + (x - m) / (2 \sqrt m)` for the values x
    of :func:`of_weighted_mean`, and the relative difference :math:`m / b - 1` to another weighted
    mean b, of the values y, has :math:`m / b - 1 + (x - y m / b) / b`. They depend on all lists of
    the average, so those of a group of users are computed anew.

    Attributes
    ----------
    values, weights : ndarray of float64, shape (n,)
        What is averaged, and its weight.
    is_root : bool
        Whether the average is the root of the weighted mean.
    base : WeightedMean, optional
        The weighted mean to which the average is the relative difference. Of a base of 0 it is NaN.

    Examples
    --------
    >>> WeightedMean(np.array([16.0, 0.0]), np.array([1.0, 3.0]), is_root=True).contributions
    array([3.5, 0.5])
    """

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    is_root: bool = False
    base: WeightedMean | None = None

    def of_all_lists(self, chosen: NDArray[np.bool_]) -> WeightedMean:
        """Return the parts of all lists, 0 for those that are not marked as chosen."""
        values, weights = np.zeros((2, len(chosen)))
        values[chosen], weights[chosen] = self.values, self.weights
        base = None if self.base is None else self.base.of_all_lists(chosen)
        return replace(self, values=values, weights=weights, base=base)

    @property
    def contributions(self) -> NDArray[np.float64]:
        """A value for each list or user, whose mean is the average."""
        if self.base is not None:
            own = of_weighted_mean(self.values, self.weights)
            others = self.base.contributions
            below = others.mean() if len(others) else float("nan")
            if not below > 0:
                return np.full(len(own), np.nan)
            over = own.mean() / below
            return np.asarray(over - 1 + (own - over * others) / below)
        if not self.is_root:
            return of_weighted_mean(self.values, self.weights)
        total = self.weights.sum()
        whole = float(np.sqrt(self.weights @ self.values / total)) if total > 0 else float("nan")
        if whole == 0:
            return np.zeros(len(self.values))
        linear = of_weighted_mean(self.values, self.weights)
        return np.asarray(whole + (linear - whole**2) / (2 * whole))


def slots(lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the number of ranks that count: the cut-off or, without one, the list's length."""
    depths = np.repeat(column(cutoffs), lists.n_lists, axis=1)
    for row, cutoff in enumerate(cutoffs):
        if cutoff == NO_CUTOFF:
            depths[row] = lists.lengths
    return depths


def filled(lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the number of ranks that count and are filled by the list."""
    return np.minimum(column(cutoffs), lists.lengths)


class Directions(frozenset[str]):
    """The names of metrics of which less is better; ``best_values`` has the best of some others."""

    best_values: dict[str, float]

    def __new__(
        cls, names: Iterable[str] = (), best_values: Mapping[str, float] | None = None
    ) -> Self:
        own = super().__new__(cls, names)
        own.best_values = dict(best_values or {})
        return own

    def __reduce__(self) -> tuple[Any, ...]:
        return Directions, (sorted(self), self.best_values)

    @classmethod
    def of(cls, metrics: Mapping[str, BaseMetric]) -> Directions:
        """Return what metrics say of themselves, by their names in a result."""
        told = {name: own.best_value for name, own in metrics.items()}
        best = {name: value for name, value in told.items() if value is not None}
        return cls((name for name, own in metrics.items() if own.less_is_better), best)

    def with_less(self, name: str) -> Directions:
        """Return these directions, and a further metric of which less is better."""
        return Directions({*self, name}, self.best_values)


def best_value_of(metric: str, less_is_better: Collection[str]) -> float | None:
    """Return the best value of a metric, if neither more nor less is better."""
    if isinstance(less_is_better, Directions):
        return less_is_better.best_values.get(metric)
    return None


def goodness(metric: str, means: ArrayLike, less_is_better: Collection[str]) -> NDArray[np.float64]:
    """Return numbers of which the highest are those of the best averages.

    Examples
    --------
    >>> goodness("MAE", [1.0, 2.0], {"MAE"}).tolist()
    [-1.0, -2.0]
    >>> goodness("bias", [-0.25, 0.5], Directions(best_values={"bias": 0.0})).tolist()
    [-0.25, -0.5]
    """
    own = np.asarray(means, dtype=np.float64)
    if (best := best_value_of(metric, less_is_better)) is not None:
        return -np.abs(own - best)
    return -own if metric in less_is_better else own
