# SPDX-License-Identifier: MIT
"""Averages over users: arithmetic and geometric means, the median and weighted means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.labels import check_choices, printed_parameters, read_parameters
from receval.storage.messages import quoted

FLOOR = 1e-5
"""trec_eval's lower bound of values in a logarithm."""

MEAN_DECIMALS = 12
"""Means are rounded to this many decimals, because rounding errors depend on the order of
summation. Sums that are updated step by step have errors near 1e-13."""


@dataclass(frozen=True, kw_only=True)
class Average(ABC):
    """The base class of averages over users."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def label(self) -> str:
        """The one printed form, such as ``geometric(floor=0.001)``; see :func:`parse_average`."""
        return f"{self.name}{printed_parameters(self)}"

    @abstractmethod
    def of(
        self, values: NDArray[np.float64], n_test: NDArray, n_relevant: NDArray
    ) -> NDArray[np.float64]:
        """Average values of users, at least one, over the last axis.

        Given with them are the numbers of test ratings, and of positive ones, of each user.
        """


class QuasiArithmetic(Average):
    """An average that is an arithmetic mean of transformed values, transformed back."""

    @abstractmethod
    def transformed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return f(values)."""

    @abstractmethod
    def restored(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inverse of f at the means of transformed values."""

    def of(
        self, values: NDArray[np.float64], n_test: NDArray, n_relevant: NDArray
    ) -> NDArray[np.float64]:
        return self.restored(self.transformed(values).mean(axis=-1))


@dataclass(frozen=True, kw_only=True)
class Arithmetic(QuasiArithmetic):
    r"""The mean, :math:`\frac{1}{n} \sum_u x_u`.

    Examples
    --------
    >>> users = np.ones(2)
    >>> float(Arithmetic().of(np.array([0.25, 0.75]), n_test=users, n_relevant=users))
    0.5
    """

    name: ClassVar[str] = "arithmetic"

    def transformed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values

    def restored(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        return means


@dataclass(frozen=True, kw_only=True)
class Geometric(QuasiArithmetic):
    r"""The geometric mean with a floor, :math:`\exp \frac{1}{n} \sum_u \ln \max(x_u, floor)`.

    (Robertson 2006; trec_eval's ``gm_map``; Valcarce et al. 2020, section 7.)

    Parameters
    ----------
    floor : float
        Smaller values count as the floor.
    zeros : {"floor", "one"}
        What values of 0 count as. ``one`` is how the released tool of Valcarce et al. (2020)
        averages F1 and RR: it leaves the logarithm of a user without a hit at 0, the value of a
        perfect list.
    """

    name: ClassVar[str] = "geometric"
    floor: float = FLOOR
    zeros: Literal["floor", "one"] = "floor"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.floor > 0:
            raise ValueError(f"The floor of the geometric mean is {self.floor}; it must exceed 0.")

    def transformed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        floored = np.maximum(values, self.floor)
        if self.zeros == "one":
            floored[values == 0.0] = 1.0
        return np.log(floored, out=floored)

    def restored(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(means)


@dataclass(frozen=True, kw_only=True)
class AdjustedGeometric(QuasiArithmetic):
    r"""The geometric mean of shifted values, shifted back: the epsilon-adjusted geometric mean.

    .. math:: \exp\left(\frac{1}{n} \sum_u \ln(x_u + \epsilon)\right) - \epsilon

    (Cañamares et al. 2020, section 4.5, which gives no epsilon.)

    Parameters
    ----------
    epsilon : float
        Above 0.
    """

    name: ClassVar[str] = "geometric-adjusted"
    epsilon: float = FLOOR

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.epsilon > 0:
            raise ValueError(
                f"The epsilon of the adjusted geometric mean is {self.epsilon}; it must exceed 0."
            )

    def transformed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(values + self.epsilon)

    def restored(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(means) - self.epsilon


@dataclass(frozen=True, kw_only=True)
class Median(Average):
    """The median of the values."""

    name: ClassVar[str] = "median"

    def of(
        self, values: NDArray[np.float64], n_test: NDArray, n_relevant: NDArray
    ) -> NDArray[np.float64]:
        return np.median(values, axis=-1)


@dataclass(frozen=True, kw_only=True)
class Weighted(Average):
    r"""The mean weighted by ratings, :math:`\sum_u w_u x_u / \sum_u w_u`.

    (Steck 2013; Cañamares et al. 2020, decision C3.)

    Parameters
    ----------
    by : {"test", "positive"}
        Weigh a user by the number of test ratings, or of positive test ratings.
    """

    name: ClassVar[str] = "weighted"
    by: Literal["test", "positive"] = "test"

    def of(
        self, values: NDArray[np.float64], n_test: NDArray, n_relevant: NDArray
    ) -> NDArray[np.float64]:
        weights = np.asarray(n_test if self.by == "test" else n_relevant, dtype=np.float64)
        if not weights.sum() > 0:
            raise ValueError(
                f"The users to average have no {self.by} ratings, so their weights are all 0."
            )
        return np.asarray(values @ (weights / weights.sum()), dtype=np.float64)


AVERAGES: dict[str, type[Average]] = {
    kind.name: kind for kind in (Arithmetic, Geometric, AdjustedGeometric, Median, Weighted)
}
"""Class of each average by name."""


def parse_average(label: str) -> Average:
    """Return the average of a label such as ``arithmetic`` or ``geometric(floor=0.001)``.

    Examples
    --------
    >>> average = parse_average("geometric(floor=0.01)")
    >>> average.floor
    0.01
    >>> users = np.ones(2)
    >>> float(average.of(np.array([0.25, 1.0]), n_test=users, n_relevant=users))
    0.5
    """
    name, bracket, rest = label.strip().partition("(")
    if name not in AVERAGES or (bracket and not rest.endswith(")")):
        raise ValueError(
            f"{quoted(label)} is not the label of an average. Write name(parameter=value,...) with "
            f"one of the names {', '.join(AVERAGES)}."
        )
    values: dict[str, Any] = read_parameters(AVERAGES[name], rest.removesuffix(")"), label)
    return AVERAGES[name](**values)
