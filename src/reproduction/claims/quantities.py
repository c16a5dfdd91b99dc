# SPDX-License-Identifier: MIT
"""Quantities of claims: numbers read from the results, and computations on them.

A quantity is written as plain YAML. A number stands for itself; a mapping with ``column`` or
``where`` selects cells of an artifact's CSV (:mod:`reproduction.claims.cells`); the other forms are
identified by their first key.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import AfterValidator, Discriminator, Field, Tag

from receval.spec_types import Model, NonEmptyText
from receval.statistics.correlation import kendall_tau_b, pearson_r
from receval.storage.messages import enumerated
from reproduction.claims.cells import ClaimContext, Scalar, SelectedCells, Taken, taken
from reproduction.claims.sources import ClaimSources, LabelledValues, Reading, aligned
from reproduction.config.reading import check_name


class Taking(Model):
    """One number taken from the several numbers of each group.

    Attributes
    ----------
    of : Quantity
    take : str
        As for :class:`SelectedCells`.
    each : tuple of int
        The positions of the quantity's labels that are kept.
    """

    of: Quantity
    take: Taken
    each: tuple[int, ...] = ()

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the number of each group."""
        numbers = evaluated(self.of, sources, context)
        labels = [tuple(label[position] for position in self.each) for label in numbers.labels]
        return taken(labels, numbers.values, self.take)


def evaluated(quantity: Quantity, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
    """Return the numbers of a quantity, of which a constant is one."""
    if isinstance(quantity, int | float):
        return LabelledValues.single(float(quantity))
    return quantity.evaluate(sources, context)


class Named(Model):
    """Several quantities beside each other, such as the cells of several columns.

    Attributes
    ----------
    named : dict of str to Quantity
        By a name that becomes the last label of each of its numbers.
    """

    named: Annotated[dict[NonEmptyText, Quantity], Field(min_length=2)]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the numbers of all quantities, one after the other."""
        found = [
            (name, evaluated(quantity, sources, context)) for name, quantity in self.named.items()
        ]
        labels = [(*label, name) for name, numbers in found for label in numbers.labels]
        return LabelledValues.of(labels, np.concatenate([numbers.values for _, numbers in found]))


class _OfTwo(Model):
    """A quantity made of two, label by label."""

    def _two(
        self, pair: tuple[Quantity, Quantity], sources: ClaimSources, context: ClaimContext
    ) -> tuple[LabelledValues, NDArray[np.float64]]:
        return aligned(evaluated(pair[0], sources, context), evaluated(pair[1], sources, context))


class DifferenceOf(_OfTwo):
    """The first quantity less the second."""

    difference: tuple[Quantity, Quantity]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a difference for each label."""
        one, other = self._two(self.difference, sources, context)
        return LabelledValues.of(one.labels, one.values - other)


class QuotientOf(_OfTwo):
    """The first quantity divided by the second."""

    quotient: tuple[Quantity, Quantity]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a quotient for each label."""
        one, other = self._two(self.quotient, sources, context)
        with np.errstate(divide="ignore", invalid="ignore"):
            return LabelledValues.of(one.labels, one.values / other)


class ProductOf(_OfTwo):
    """The first quantity times the second."""

    product: tuple[Quantity, Quantity]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a product for each label."""
        one, other = self._two(self.product, sources, context)
        return LabelledValues.of(one.labels, one.values * other)


class MagnitudeOf(Model):
    """A quantity without its sign."""

    magnitude: Quantity

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a magnitude for each label."""
        numbers = evaluated(self.magnitude, sources, context)
        return LabelledValues.of(numbers.labels, np.abs(numbers.values))


class LogarithmOf(Model):
    """The common logarithm of a quantity, for numbers that differ by orders of magnitude."""

    logarithm: Quantity

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a logarithm for each label; minus infinity for 0, NaN for negative numbers."""
        numbers = evaluated(self.logarithm, sources, context)
        with np.errstate(divide="ignore", invalid="ignore"):
            return LabelledValues.of(numbers.labels, np.log10(numbers.values))


# Orders of numbers: their ranks, and the sorted numbers.

Ahead = Literal["higher", "lower"]


def ranks_of(numbers: LabelledValues, ahead: Ahead) -> LabelledValues:
    """Return the rank of each number among those whose labels differ only in the last part.

    Examples
    --------
    >>> values = LabelledValues.of([("Pop",), ("Avg",), ("Random",)], np.array([0.3, 0.1, 0.3]))
    >>> ranks_of(values, "higher").values.tolist()
    [1.0, 3.0, 1.0]
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for position, label in enumerate(numbers.labels):
        if not label:
            raise ValueError("A rank needs several things to rank: name a column under each.")
        groups.setdefault(label[:-1], []).append(position)
    ranks = np.full(len(numbers.values), np.nan)
    for positions in groups.values():
        values = numbers.values[positions]
        leading = values[None, :] > values[:, None]
        if ahead == "lower":
            leading = values[None, :] < values[:, None]
        ranks[positions] = np.where(np.isnan(values), np.nan, 1 + leading.sum(axis=1))
    return LabelledValues.of(numbers.labels, ranks)


def from_the_highest(numbers: LabelledValues) -> LabelledValues:
    """Return the numbers from the highest to the lowest, labelled by rank.

    NaN is left out.
    """
    known = numbers.values[~np.isnan(numbers.values)]
    labels = [(str(rank),) for rank in range(1, len(known) + 1)]
    return LabelledValues.of(labels, np.sort(known)[::-1])


class RankOf(Model):
    """The rank of each number among those whose labels differ only in the last part.

    Attributes
    ----------
    rank : Quantity
    ahead : {"higher", "lower"}
        Which values lead; equal values share the best of their ranks.
    only : tuple of str
        The last labels of the ranks to keep; all by default.
    """

    rank: Quantity
    ahead: Ahead = "higher"
    only: tuple[str, ...] = ()

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a rank for each label."""
        ranks = ranks_of(evaluated(self.rank, sources, context), self.ahead)
        there = {label[-1] for label in ranks.labels}
        for name in self.only:
            if name not in there:
                raise sources.missing(context.study, name, enumerated(sorted(there)))
        kept = [i for i, label in enumerate(ranks.labels) if label[-1] in (self.only or there)]
        return LabelledValues.of([ranks.labels[i] for i in kept], ranks.values[kept])


class InOrder(Model):
    """All numbers from the highest to the lowest, labelled 1, 2 and so on.

    Attributes
    ----------
    in_order : Quantity
    """

    in_order: Quantity

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the sorted numbers."""
        return from_the_highest(evaluated(self.in_order, sources, context))


class Correlation(_OfTwo):
    """The correlation of two quantities, over all labels except those in ``each``.

    Attributes
    ----------
    correlation : tuple of two Quantity
    coefficient : {"kendall", "pearson", "spearman"}
    each : tuple of int
        The positions of the labels that distinguish correlations.
    """

    correlation: tuple[Quantity, Quantity]
    coefficient: Literal["kendall", "pearson", "spearman"] = "kendall"
    each: tuple[int, ...] = ()

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a coefficient for each group of labels."""
        one, other = self._two(self.correlation, sources, context)
        groups = [tuple(label[position] for position in self.each) for label in one.labels]
        distinct = list(dict.fromkeys(groups))
        values = []
        for group in distinct:
            own = np.array([found == group for found in groups])
            values.append(self._coefficient(one.values[own], other[own]))
        return LabelledValues.of(distinct, np.array(values))

    def _coefficient(self, one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        if self.coefficient == "kendall":
            return float(kendall_tau_b(one[None, :], other[None, :])[0, 0])
        if self.coefficient == "spearman":
            one, other = (pd.Series(x).rank().to_numpy() for x in (one, other))
        return pearson_r(one, other)


# Numbers that are not in the results: settings, and numbers that the library computes.


class Setting(Model):
    """A setting of the configuration: a number, or 1 if it equals the expected value.

    Attributes
    ----------
    setting : str
        Keys of the study's ``provenance.json``, joined by slashes.
    equal : value or list, optional
        Take 1 if the setting is this, and 0 if not. Otherwise it must be a number.
    count : bool
        Take the number of entries.
    """

    setting: NonEmptyText
    equal: Scalar | tuple[Scalar, ...] | None = None
    count: bool = False

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the number."""
        found = sources.setting(context.study, self.setting)
        if self.equal is not None:
            wanted = list(self.equal) if isinstance(self.equal, tuple) else self.equal
            number = float(found == wanted)
        elif self.count:
            number = float(len(found))
        elif isinstance(found, int | float):
            number = float(found)
        else:
            raise ValueError(
                f"The setting {self.setting} of {context.study} is no number: say what it is to "
                "equal, or that its entries are to be counted."
            )
        reading = Reading("", f"the setting {self.setting}")
        return LabelledValues.single(float(sources.read(reading, np.array([number]))[0]))


class Computed(Model):
    """A number that a function of the library computes without any results.

    Attributes
    ----------
    computed : str
        The function, as ``module:name``; it takes nothing and returns a number.
    """

    computed: Annotated[str, AfterValidator(lambda name: _own(name))]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the number."""
        module, _, name = self.computed.partition(":")
        number = float(getattr(import_module(module), name)())
        reading = Reading("", f"computed by {self.computed.partition(':')[2]}")
        return LabelledValues.single(float(sources.read(reading, np.array([number]))[0]))


def _own(name: str) -> str:
    check_name(name, plugins=())
    return name


_FORMS: dict[str, type[Model]] = {
    "difference": DifferenceOf,
    "quotient": QuotientOf,
    "product": ProductOf,
    "magnitude": MagnitudeOf,
    "logarithm": LogarithmOf,
    "rank": RankOf,
    "in_order": InOrder,
    "correlation": Correlation,
    "setting": Setting,
    "computed": Computed,
    "of": Taking,
    "named": Named,
}


def _form(value: object) -> str:
    """Return the name of the model that a value or plain values belong to."""
    if isinstance(value, Mapping):
        named = (form for key, form in _FORMS.items() if key in value)
        return next(named, SelectedCells).__name__
    return type(value).__name__ if isinstance(value, Model) else "constant"


Quantity = Annotated[
    Annotated[float, Tag("constant")]
    | Annotated[SelectedCells, Tag("SelectedCells")]
    | Annotated[Taking, Tag("Taking")]
    | Annotated[Named, Tag("Named")]
    | Annotated[DifferenceOf, Tag("DifferenceOf")]
    | Annotated[QuotientOf, Tag("QuotientOf")]
    | Annotated[ProductOf, Tag("ProductOf")]
    | Annotated[MagnitudeOf, Tag("MagnitudeOf")]
    | Annotated[LogarithmOf, Tag("LogarithmOf")]
    | Annotated[RankOf, Tag("RankOf")]
    | Annotated[InOrder, Tag("InOrder")]
    | Annotated[Correlation, Tag("Correlation")]
    | Annotated[Setting, Tag("Setting")]
    | Annotated[Computed, Tag("Computed")],
    Discriminator(_form),
]
"""A number, or where it is taken from."""

for _model in (
    Taking,
    Named,
    DifferenceOf,
    QuotientOf,
    ProductOf,
    MagnitudeOf,
    LogarithmOf,
    RankOf,
    InOrder,
    Correlation,
):
    _model.model_rebuild()
