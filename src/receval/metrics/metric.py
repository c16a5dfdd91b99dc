"""What every metric shares: its parameters, its label, and the lists it is computed on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import NO_CUTOFF, ListView


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """A metric with its parameters; a value: equal parameters, equal metric.

    A list that is missing or empty scores 0; which lists are averaged is the aggregation's
    business (:mod:`receval.metrics.aggregation`).

    Parameters
    ----------
    cutoff : int, optional
        Only ranks up to it count; None looks at whole lists.
    condensed : bool
        Measure the list of judged items alone.
    depth : int, optional
        Lists are cut at this length before anything else, as a run of that depth would be. It
        differs from a cut-off where a metric normalises by the cut-off (uncut nDCG on lists of
        100 is ``nDCG(depth=100)``).
    """

    name: ClassVar[str]
    needs_all_judgments: ClassVar[bool] = False
    cutoff: int | None = None
    condensed: bool = False
    depth: int | None = None

    def __post_init__(self) -> None:
        for parameter in ("cutoff", "depth"):
            value = getattr(self, parameter)
            if value is not None and value < 1:
                raise ValueError(
                    f"The {parameter} of {self.name} is {value}; it must be at least 1, or None."
                )

    @property
    def label(self) -> str:
        """The one printed form, such as ``nDCG(gain=exponential)@10``.

        Parameters at their default are left out; :func:`receval.metrics.parse.parse` reads it.
        """
        shown = [
            f"{field.name}={getattr(self, field.name)}".lower()
            if isinstance(getattr(self, field.name), bool)
            else f"{field.name}={getattr(self, field.name)}"
            for field in sorted(fields(self), key=lambda field: field.name)
            if field.name != "cutoff" and getattr(self, field.name) != field.default
        ]
        parameters = f"({','.join(shown)})" if shown else ""
        return f"{self.name}{parameters}" + (f"@{self.cutoff}" if self.cutoff else "")

    def at(self, cutoff: int | None) -> Self:
        """Return the same metric at another cut-off."""
        return replace(self, cutoff=cutoff)

    @abstractmethod
    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Compute the metric for every list at several cut-offs.

        Parameters
        ----------
        lists : ListView
            Already condensed and cut as the metric asks.
        cutoffs : tuple of int
            Increasing; ``NO_CUTOFF`` for none. The metric's own cut-off is not looked at.

        Returns
        -------
        ndarray of float64, shape (n_cutoffs, n_lists)
        """


def column(cutoffs: Sequence[int]) -> NDArray[np.float64]:
    """Return cut-offs as a column, to divide (n_cutoffs, n_lists) arrays by."""
    return np.asarray(cutoffs, dtype=np.float64)[:, None]


def ratio(numerator: NDArray, denominator: NDArray) -> NDArray[np.float64]:
    """Divide, with 0 where the denominator is 0."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    quotient = np.zeros(shape)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def slots(lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the number of places looked at: the cut-off, or without one the list's length."""
    places = np.repeat(column(cutoffs), lists.n_lists, axis=1)
    for row, cutoff in enumerate(cutoffs):
        if cutoff == NO_CUTOFF:
            places[row] = lists.lengths
    return places
