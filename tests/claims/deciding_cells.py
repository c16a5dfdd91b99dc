# SPDX-License-Identifier: MIT
"""The cells that decide a claim, read once, and the verdict on other numbers in their place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.spec_types import Model
from receval.storage.files import real_values
from reproduction.claims.comparison_rules import NumberRule, Rule
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
from reproduction.claims.verdicts import ClaimVerdict, Finding

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
    """Cells of results, settings and computed numbers, each once; other values may be put in."""

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
    columns: tuple[str, ...] = ()
    take: Any = None

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return what stands in the cells now."""
        values = self.cells.values[self.places]
        if self.take is not None:
            return taken(self.labels, values, self.take, self.columns)
        return LabelledValues.of(self.labels, values, self.columns)


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
        """Return the numbers, unless fewer of them are finite than at first."""
        found = evaluated(self.of, sources, context)
        unknown = int((~np.isfinite(found.values)).sum())
        if self.unknown is None:
            self.unknown = unknown
        elif unknown > self.unknown:
            raise NoValueError("there is no number where there was one")
        return found


@dataclass(frozen=True)
class CellRule:
    """A rule on cells that were read before, and the cells of each of its readings.

    The name is what a part says, or empty for a whole claim.
    """

    name: str
    rule: Any
    readings: list[Places]
    cells: Cells
    context: ClaimContext

    def judge(self) -> Finding:
        """Return what the rule says of the numbers that are in the cells."""
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
        places = cells.places(keys, read.values)
        return CellsOfQuantity(cells, list(read.labels), places, quantity.each, take)
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
    places = cells.places(keys, values)
    return CellsOfQuantity(cells, list(read.labels), places, quantity.each, quantity.take)


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


# Other numbers in the place of those that decide.

Change = Callable[[Numbers], Numbers]

TRIES = 300
"""Random changes, after the named ones."""


def _a_line_with_an_end(values: Numbers) -> Numbers:
    line, end = np.linspace(0, 1, len(values)), max(1, len(values) // 5)
    line[-end:] = line[-end:][::-1]
    return line


NAMED: dict[str, Change] = {
    "the other sign": np.negative,
    "the other order": lambda values: values[::-1],
    "none of them": np.zeros_like,
    "all one": np.ones_like,
    "ten times as large": lambda values: 10 * values,
    "next to nothing": lambda values: 1e-20 * values,
    "one more": lambda values: values + 1,
    "one less": lambda values: values - 1,
    "all the same": lambda values: np.full_like(values, _mean(values)),
    "a rising line": lambda values: np.linspace(0, 1, len(values)),
    "a falling line": lambda values: np.linspace(1, 0, len(values)),
    "a rising line whose last fifth falls": _a_line_with_an_end,
    "a hill": lambda values: 1 - np.abs(np.linspace(-1, 1, len(values))),
    "a valley": lambda values: np.abs(np.linspace(-1, 1, len(values))),
}
"""That there is no number is none of them: without numbers nearly any rule fails."""

SWAPS = 20
"""Pairs of readings whose numbers change places."""


def _mean(values: Numbers) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else 0.0


def changes(part: CellRule, before: Numbers) -> Iterator[tuple[str, Numbers]]:
    """Yield other numbers in the place of those before, the likeliest to matter first."""
    known = {**NAMED, **_around_the_published_number(part)}
    for name, change in known.items():
        yield f"{name} everywhere", _changed(part, before, change)
    readings = part.readings
    for one, other in list(combinations(range(len(readings)), 2))[:SWAPS]:
        if len(readings[one]) == len(readings[other]):
            values = before.copy()
            values[readings[one]] = before[readings[other]]
            values[readings[other]] = before[readings[one]]
            yield f"{one} and {other} in each other's place", values
    # Of claims with many readings few random changes are needed, of one alone none may be enough.
    for number in range(TRIES):
        yield f"random numbers {number}", _random(part, before, number)
    for name, change in known.items():
        for number in range(len(readings)):
            yield f"{name} in {number}", _changed(part, before, change, number)


def _around_the_published_number(part: CellRule) -> dict[str, Change]:
    if not isinstance(part.rule, NumberRule):
        return {}
    published = part.rule.published
    tolerance = max(part.rule.within, part.rule.share * abs(published)) * part.rule.nearly
    beyond = 2 * tolerance or 1
    return {
        "the published number": lambda values: np.full_like(values, published),
        "more than the published number": lambda values: np.full_like(values, published + beyond),
        "less than the published number": lambda values: np.full_like(values, published - beyond),
        "more by twice the tolerance": lambda values: values + beyond,
        "less by twice the tolerance": lambda values: values - beyond,
    }


def _changed(part: CellRule, before: Numbers, change: Change, only: int | None = None) -> Numbers:
    values = before.copy()
    for number, places in enumerate(part.readings):
        if only in (None, number):
            values[places] = change(before[places])
    return values


def _random(part: CellRule, before: Numbers, seed: int) -> Numbers:
    values = before.copy()
    for number, places in enumerate(part.readings):
        own = np.random.default_rng([seed, number])
        values[places] = _drawn(before[places], own)
    return values


def _drawn(values: Numbers, own: np.random.Generator) -> Numbers:
    level, spread = own.normal(), own.exponential()
    if own.random() < 0.5:
        return own.permutation(values)
    if own.random() < 0.5:
        return np.sort(own.normal(level, spread, len(values)))[:: own.choice([-1, 1])]
    return own.normal(level, spread, len(values))


def telling_change(part: CellRule, finding: Finding) -> str | None:
    """Return a change of the deciding numbers that gives another verdict; None if none does.

    The finding is what the rule says without a change.
    """
    before = part.cells.values
    try:
        for name, numbers in changes(part, before):
            part.cells.values = numbers
            if _verdict(part) not in (None, finding.verdict):
                return name
        for wanted in (ClaimVerdict.HOLDS, ClaimVerdict.DOES_NOT_HOLD):
            part.cells.values = before
            if wanted is not finding.verdict and _part_by_part(part, wanted) is wanted:
                return f"each part {wanted}"
    finally:
        part.cells.values = before
    return None


def _verdict(part: CellRule) -> ClaimVerdict | None:
    """Return what the rule says of the numbers in the cells; None of such as cannot be judged."""
    try:
        return part.judge().verdict
    except NotMeasuredError:
        # What is not measured could now change what the other parts say.
        return ClaimVerdict.UNDECIDABLE
    except ValueError:
        return None


def _part_by_part(whole: CellRule, wanted: ClaimVerdict) -> ClaimVerdict | None:
    """Return the verdict once parts, one after the other, have got the wanted one, if they can.

    Where parts read the same cells, numbers that are drawn for all at once seldom suit all.
    """
    parts = list(whole.parts())
    # What a part did to others is mended when it is their turn again.
    for part in [*parts, *parts]:
        at_first = whole.cells.values
        if _verdict(part) is wanted:
            continue
        reached = _count(parts, wanted)
        for _, numbers in changes(part, at_first):
            whole.cells.values = numbers
            if _verdict(part) is wanted and _count(parts, wanted) > reached:
                break
        else:
            whole.cells.values = at_first
    return _verdict(whole)


def _count(parts: list[CellRule], wanted: ClaimVerdict) -> int:
    return sum(_verdict(part) is wanted for part in parts)
