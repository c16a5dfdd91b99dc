# SPDX-License-Identifier: MIT
"""The cells that decide a claim, read once, and the rule on whatever numbers stand in them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.spec_types import Model
from receval.storage.files import real_values
from reproduction.claims.comparison_rules import Rule
from reproduction.claims.quantities import Computed, Setting, evaluated
from reproduction.claims.sources import (
    ClaimContext,
    ClaimSources,
    LabelledValues,
    NotMeasuredError,
    SelectedCells,
    taken,
)
from reproduction.claims.spec import EachRule
from reproduction.claims.verdicts import Finding

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


class NoValueError(ValueError):
    """Other numbers leave a rule without a number where there was one."""


class RowNumbers(ClaimSources):
    """Sources in whose tables each cell of one column is the number of its row."""

    def __init__(self, sources: ClaimSources) -> None:
        super().__init__(sources.results, {})
        self._tables, self._records = sources._tables, sources._records
        self._numbered: dict[tuple[str, str], pd.DataFrame] = {}
        self.column: str | None = None

    def table(self, artifact: str) -> pd.DataFrame:
        table = super().table(artifact)
        if self.column is None or self.column not in table.columns:
            return table
        known = (artifact, self.column)
        if known not in self._numbered:
            numbers = np.arange(len(table), dtype=np.float64)
            self._numbered[known] = table.assign(**{self.column: numbers})
        return self._numbered[known]


class Cells:
    """Cells of results, settings and computed numbers, each of them once.

    Attributes
    ----------
    values : ndarray of float64
        What stands in them; other numbers may take their place.
    """

    def __init__(self, sources: RowNumbers) -> None:
        self.sources = sources
        self.values: Numbers = np.empty(0)
        self._places: dict[Hashable, int] = {}

    def places(self, keys: list[Hashable], values: Numbers) -> Places:
        """Return where cells are; those that nobody has read before are added."""
        new = dict(zip(keys, values.tolist(), strict=True))
        added = [key for key in new if key not in self._places]
        for key in added:
            self._places[key] = len(self._places)
        self.values = np.concatenate([self.values, [new[key] for key in added]])
        return np.array([self._places[key] for key in keys], dtype=np.intp)


@dataclass
class CellsOfQuantity:
    """What is read for a quantity: which cells, and what is taken from them."""

    cells: Cells
    labels: list[tuple[str, ...]]
    places: Places
    take: Any = None

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return what stands in the cells now."""
        values = self.cells.values[self.places]
        if self.take is not None:
            return taken(self.labels, values, self.take)
        return LabelledValues.of(self.labels, values)


@dataclass
class Unread:
    """A quantity that cannot be read, which raises whenever it is asked for."""

    error: Exception

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        raise self.error


@dataclass
class NumbersStay:
    """A quantity a rule looks at, which has as many numbers as with the cells as they were.

    Where there is none, nearly any rule fails: that another verdict is due to that says nothing.
    """

    of: Any
    unknown: int | None = field(default=None)

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the numbers.

        Raises
        ------
        NoValueError
            Fewer of them are finite than at first.
        """
        found = evaluated(self.of, sources, context)
        unknown = int((~np.isfinite(found.values)).sum())
        if self.unknown is None:
            self.unknown = unknown
        elif unknown > self.unknown:
            raise NoValueError("there is no number where there was one")
        return found


@dataclass(frozen=True)
class CellRule:
    """A rule on cells that were read before.

    Attributes
    ----------
    name : str
        Of a part, what it says; empty of a whole claim.
    rule : Rule
        Its quantities take their numbers from the cells.
    readings : list of ndarray of int
        The cells of each of its readings.
    """

    name: str
    rule: Any
    readings: list[Places]
    cells: Cells
    context: ClaimContext

    def judge(self) -> Finding:
        """Return what the rule says of the numbers that are in the cells.

        Raises
        ------
        NotMeasuredError
            What decides it was not measured.
        ValueError
            Such numbers cannot be judged.
        """
        found: Finding = self.rule.judge(self.cells.sources, self.context)
        return found

    def parts(self) -> Iterator[CellRule]:
        """Yield the parts of a rule with parts, and theirs, without those that have parts."""
        if not isinstance(self.rule, EachRule):
            return
        for name, part in self.rule.parts.items():
            own = CellRule(
                f"{self.name} / {name}" if self.name else name,
                part,
                list(_readings(part)),
                self.cells,
                self.context,
            )
            if isinstance(part, EachRule):
                yield from own.parts()
            else:
                yield own


def rule_on_cells(rule: Any, context: ClaimContext, sources: RowNumbers) -> CellRule:
    """Return a rule that takes its numbers from cells, which are read here once and for all."""
    cells = Cells(sources)
    on_cells = _on_cells(rule, context, cells)
    return CellRule("", on_cells, list(_readings(on_cells)), cells, context)


def _on_cells(value: Any, context: ClaimContext, cells: Cells) -> Any:
    if isinstance(value, SelectedCells | Setting | Computed):
        try:
            return _read(value, context, cells)
        except (NotMeasuredError, ValueError) as error:
            return Unread(error)
    if isinstance(value, Model):
        own = {
            name: _on_cells(getattr(value, name), context, cells)
            for name in type(value).model_fields
        }
        if isinstance(value, Rule):
            own = {
                name: NumbersStay(found) if hasattr(found, "evaluate") else found
                for name, found in own.items()
            }
        return value.model_copy(update=own)
    if isinstance(value, Mapping):
        return {name: _on_cells(own, context, cells) for name, own in value.items()}
    if isinstance(value, tuple):
        return tuple(_on_cells(own, context, cells) for own in value)
    return value


def _read(
    quantity: SelectedCells | Setting | Computed, context: ClaimContext, cells: Cells
) -> CellsOfQuantity:
    sources = cells.sources
    sources.column = None
    sources.forget()
    if isinstance(quantity, Setting | Computed):
        quantity.evaluate(sources, context)
        key = (context.study, quantity.model_dump_json())
        return CellsOfQuantity(cells, [()], cells.places([key], sources.numbers[-1].values))
    name = context.full(quantity.artifact)
    selecting = {*context.where, *quantity.where, *quantity.without, *quantity.each, "dataset"}
    if quantity.take == "count" or quantity.column in {*selecting, *(quantity.pair or ())}:
        # How many cells there are is no cell; nor is what is both read and selected by one number.
        quantity.evaluate(sources, context)
        read, reading = sources.numbers[-1], sources.readings[-1]
        keys: list[Hashable] = [(reading, number) for number in range(len(read.values))]
        take = None if quantity.take == "count" else quantity.take
        return CellsOfQuantity(cells, list(read.labels), cells.places(keys, read.values), take)
    sources.column = quantity.column
    quantity.model_copy(update={"equal": None, "low": None, "high": None}).evaluate(
        sources, context
    )
    sources.column = None
    read = sources.numbers[-1]
    rows = read.values.astype(np.intp)
    found = sources.table(name)[quantity.column].iloc[rows]
    if quantity.equal is None:
        values = real_values(found)
    else:
        values = (found.astype(str) == quantity.equal).to_numpy(dtype=np.float64)
    keys = [(name, quantity.column, quantity.equal, row) for row in rows.tolist()]
    return CellsOfQuantity(cells, list(read.labels), cells.places(keys, values), quantity.take)


def _readings(value: Any) -> Iterator[Places]:
    """Yield the cells of each quantity in a rule."""
    if isinstance(value, CellsOfQuantity):
        yield value.places
    elif isinstance(value, NumbersStay):
        yield from _readings(value.of)
    elif isinstance(value, Model):
        for name in type(value).model_fields:
            yield from _readings(getattr(value, name))
    elif isinstance(value, Mapping | tuple):
        for own in value.values() if isinstance(value, Mapping) else value:
            yield from _readings(own)
