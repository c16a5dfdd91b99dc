# SPDX-License-Identifier: MIT
"""Quantities of claims: numbers read from the results, and computations on them.

A quantity is written as plain YAML. A number stands for itself; a mapping with ``column`` or
``where`` selects cells of an artifact's CSV (:mod:`reproduction.claims.sources`); the other forms
are identified by their first key.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import AfterValidator, Discriminator, Field, Tag

from receval.spec_types import Model, NonEmptyText
from receval.statistics.correlation import kendall_tau_b, pearson_r
from receval.storage.messages import enumerated
from reproduction.claims.sources import (
    ClaimContext,
    ClaimSources,
    LabelledValues,
    Scalar,
    SelectedCells,
    Taken,
    aligned,
    distinct_labels,
    taken,
)
from reproduction.config.reading import check_name


class Taking(Model):
    """One number taken from the several numbers of each group.

    - ``take``: As for :class:`SelectedCells`.
    - ``each``: The positions of the quantity's labels that are kept.
    """

    of: Quantity
    take: Taken
    each: tuple[int, ...] = ()

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        numbers = evaluated(self.of, sources, context)
        *labels, columns = _kept(numbers, self.each)
        return taken(labels, numbers.values, self.take, columns)


def _kept(numbers: LabelledValues, positions: tuple[int, ...]) -> list[tuple[str, ...]]:
    """Return these positions of all labels, and last of the columns."""
    labels = (*numbers.labels, numbers.columns)
    return [tuple(label[position] for position in positions) for label in labels]


def evaluated(quantity: Quantity, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
    """Return the numbers of a quantity, of which a constant is one."""
    if isinstance(quantity, int | float):
        return LabelledValues.single(float(quantity))
    return quantity.evaluate(sources, context)


class Named(Model):
    """Several quantities beside each other, such as the cells of several columns.

    - ``named``: By a name that becomes the last label of each of its numbers.
    """

    named: Annotated[dict[NonEmptyText, Quantity], Field(min_length=2)]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        found = [
            (name, evaluated(quantity, sources, context)) for name, quantity in self.named.items()
        ]
        labels = [(*label, name) for name, numbers in found for label in numbers.labels]
        values = np.concatenate([numbers.values for _, numbers in found])
        return LabelledValues.of(labels, values, (*found[0][1].columns, ""))


def _of_two(
    pair: tuple[Quantity, Quantity], sources: ClaimSources, context: ClaimContext
) -> tuple[LabelledValues, NDArray[np.float64]]:
    """Return the numbers of two quantities, label by label."""
    return aligned(*(evaluated(quantity, sources, context) for quantity in pair))


class _ByLabel(Model):
    """A function of numpy, label by label, of the only field: a quantity, or a pair of them."""

    _function: ClassVar[np.ufunc]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return a number for each label."""
        (name,) = type(self).model_fields
        operands = getattr(self, name)
        if isinstance(operands, tuple):
            one, other = _of_two(operands, sources, context)
            values = [one.values, other]
        else:
            one = evaluated(operands, sources, context)
            values = [one.values]
        # Infinite or NaN where a number is 0 or negative, without a warning.
        with np.errstate(divide="ignore", invalid="ignore"):
            return LabelledValues.of(one.labels, self._function(*values), one.columns)


class DifferenceOf(_ByLabel):
    """The first quantity less the second."""

    _function: ClassVar = np.subtract
    difference: tuple[Quantity, Quantity]


class QuotientOf(_ByLabel):
    """The first quantity divided by the second."""

    _function: ClassVar = np.divide
    quotient: tuple[Quantity, Quantity]


class ProductOf(_ByLabel):
    """The first quantity times the second."""

    _function: ClassVar = np.multiply
    product: tuple[Quantity, Quantity]


class MagnitudeOf(_ByLabel):
    """A quantity without its sign."""

    _function: ClassVar = np.abs
    magnitude: Quantity


class LogarithmOf(_ByLabel):
    """The common logarithm of a quantity, for numbers that differ by orders of magnitude."""

    _function: ClassVar = np.log10
    logarithm: Quantity


class RankOf(Model):
    """The rank of each number among those whose labels differ only in the last part.

    - ``ahead``: Which values lead; equal values share the best of their ranks.
    - ``only``: The last labels of the ranks to keep; all by default.
    """

    rank: Quantity
    ahead: Literal["higher", "lower"] = "higher"
    only: tuple[str, ...] = ()

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        numbers = evaluated(self.rank, sources, context)
        if () in numbers.labels:
            raise ValueError("A rank needs several things to rank. Name a column under each.")
        groups = pd.Series([label[:-1] for label in numbers.labels])
        ranks = pd.Series(numbers.values).groupby(groups).rank("min", self.ahead == "lower")
        there = {label[-1] for label in numbers.labels}
        for name in self.only:
            if name not in there:
                raise sources.missing(context.study, name, enumerated(sorted(there)))
        kept = [i for i, label in enumerate(numbers.labels) if label[-1] in (self.only or there)]
        labels = [numbers.labels[i] for i in kept]
        return LabelledValues.of(labels, ranks.to_numpy()[kept], numbers.columns)


class InOrder(Model):
    """All numbers from the highest to the lowest, labelled 1, 2 and so on."""

    in_order: Quantity

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        values = evaluated(self.in_order, sources, context).values
        known = np.sort(values[~np.isnan(values)])[::-1]
        ranks = [(str(rank),) for rank in range(1, len(known) + 1)]
        return LabelledValues.of(ranks, known, ("rank",))


class Correlation(Model):
    """The correlation of two quantities, over all labels except those in ``each``.

    - ``each``: The positions of the labels that distinguish correlations.
    """

    correlation: tuple[Quantity, Quantity]
    coefficient: Literal["kendall", "pearson", "spearman"] = "kendall"
    each: tuple[int, ...] = ()

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        one, other = _of_two(self.correlation, sources, context)
        *labels, columns = _kept(one, self.each)
        distinct, codes = distinct_labels(labels)
        values = [
            self._coefficient(one.values[codes == code], other[codes == code])
            for code in range(len(distinct))
        ]
        return LabelledValues.of(distinct, np.array(values), columns)

    def _coefficient(self, one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        if self.coefficient == "kendall":
            return float(kendall_tau_b(one[None, :], other[None, :])[0, 0])
        if self.coefficient == "spearman":
            one, other = (pd.Series(x).rank().to_numpy() for x in (one, other))
        return pearson_r(one, other)


class EveryTwo(Model):
    """Kendall's tau between every two things over their last labels; the other labels name a thing.

    - ``up_to``: Only pairs of things whose names are the same up to this text.
    """

    every_two: Quantity
    up_to: NonEmptyText | None = None

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        groups = evaluated(self.every_two, sources, context).by_last_label(
            "Two things are compared by what both have. Name its column last under each."
        )
        labels, taus = [], []
        for (one, left), (other, right) in combinations(groups.items(), 2):
            names = [", ".join(one), ", ".join(other)]
            if self.up_to is None or len({name.partition(self.up_to)[0] for name in names}) == 1:
                values = aligned(*(_by_name(own) for own in (left, right)))
                labels.append((" and ".join(names),))
                taus.append(kendall_tau_b(values[0].values[None], values[1][None])[0, 0])
        return LabelledValues.of(labels, np.array(taus), ("pair",))


def _by_name(own: Mapping[str, float]) -> LabelledValues:
    return LabelledValues.of([(name,) for name in own], np.array([*own.values()]))


# Numbers that are not in the results: settings, and numbers that the library computes.


class Setting(Model):
    """A setting of the configuration: a number, or 1 if it equals the expected value.

    - ``setting``: Keys of the study's ``provenance.json``, joined by slashes.
    - ``equal``: Take 1 if the setting is this, and 0 if not. Otherwise it must be a number.
    - ``count``: Take the number of entries.
    """

    setting: NonEmptyText
    equal: Scalar | tuple[Scalar, ...] | None = None
    count: bool = False

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
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
                f"The setting {self.setting} of {context.study} is not a number. Set equal to "
                "compare it with a value, or count to count its entries."
            )
        return sources.note_one(f"the setting {self.setting}", number)


class Computed(Model):
    """A number that a function of the library computes without any results.

    - ``computed``: The function, as ``module:name``; it takes nothing and returns a number.
    """

    computed: Annotated[str, AfterValidator(lambda name: _own(name))]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        module, _, name = self.computed.partition(":")
        number = float(getattr(import_module(module), name)())
        return sources.note_one(f"computed by {name}", number)


def _own(name: str) -> str:
    check_name(name, plugins=())
    return name


_FORMS: tuple[type[Model], ...] = (
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
    EveryTwo,
    Setting,
    Computed,
)
_BY_FIRST_KEY = {next(iter(form.model_fields)): form.__name__ for form in _FORMS}


def _form(value: object) -> str:
    """Return the name of the model that a value or plain values belong to."""
    if isinstance(value, Mapping):
        return next((name for key, name in _BY_FIRST_KEY.items() if key in value), "SelectedCells")
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
    | Annotated[EveryTwo, Tag("EveryTwo")]
    | Annotated[Setting, Tag("Setting")]
    | Annotated[Computed, Tag("Computed")],
    Discriminator(_form),
]
"""A number, or where it is taken from."""

for _model in _FORMS:
    _model.model_rebuild()
