# SPDX-License-Identifier: MIT
"""Find the differences between two tables of results that exceed their tolerances."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.files import VALUE_OF_SYSTEM
from receval.storage.messages import quoted, shortened
from reproduction.drift.spec import DriftSpec, Tolerance

# So that a difference that equals its tolerance in decimal does not fail in binary.
_ALLOWANCE = 1 + 1e-9


# The CSV of an artifact as text, and the roles of its columns.

SYSTEM = "system"
"""The column with the names of systems."""

VALUE = "value"
"""The column with the values, one per row."""

_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class ColumnRoles:
    """The roles of the columns of an artifact's CSV.

    Keys identify a row. Counts are whole numbers, which must be equal; values are real numbers,
    which have a tolerance, as have the numbers in texts.
    """

    keys: tuple[str, ...]
    counts: tuple[str, ...]
    values: tuple[str, ...]
    texts: tuple[str, ...] = ()

    @property
    def compared(self) -> tuple[str, ...]:
        """The columns that are compared cell by cell, those of text last."""
        return (*self.counts, *self.values, *self.texts)


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV with every cell as text; a damaged one or one with a column twice is refused."""
    try:
        rows = pd.read_csv(
            path, header=None, dtype=str, keep_default_na=False, na_values=[], encoding="utf-8"
        )
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} is not a CSV with a header: {shortened(str(error), 200)}."
        ) from error
    header = rows.iloc[0].tolist()
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(
            f"{path} has several columns named {quoted(repeated[0])}. Rename all but one."
        )
    return rows.iloc[1:].set_axis(header, axis="columns").reset_index(drop=True)


def numbers(cells: pd.Series[str]) -> NDArray[np.float64]:
    """Return the numbers of a column; NaN for empty cells, for ``nan`` and for other text."""
    return pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def numeric(cells: pd.Series[str]) -> NDArray[np.bool_]:
    """Return which cells are numbers, empty, or ``nan``."""
    stands_for_nothing = cells.str.lower().isin(["", "nan"]).to_numpy(dtype=bool)
    return stands_for_nothing | ~np.isnan(numbers(cells))


def roles_of_columns(table: pd.DataFrame, config: DriftSpec) -> ColumnRoles:
    """Return the roles of the columns of an accepted table.

    The configuration names the texts, and the digests, which have no role. Keys are the other
    columns that are not all numbers, and those that the configuration names. If these do not
    identify all rows, columns of whole numbers become keys from the left until they do. The other
    columns of whole numbers are counts, and the rest are values.
    """
    keys: list[str] = []
    counts: list[str] = []
    values: list[str] = []
    texts = [column for column in table.columns if config.is_text(column)]
    for column in table.columns:
        if column in texts or config.is_digest(column):
            continue
        cells = table[column].drop_duplicates()
        empty = (cells == "").to_numpy(dtype=bool)
        if config.is_key(column) or not numeric(cells).all() or empty.all():
            keys.append(column)
        elif (cells.str.fullmatch(r"[+-]?\d+") | empty).all():
            counts.append(column)
        else:
            values.append(column)
    while counts and (table.duplicated(keys).any() if keys else len(table) > 1):
        keys.append(counts.pop(0))
    in_order = [column for column in table.columns if column in keys]
    return ColumnRoles(tuple(in_order), tuple(counts), tuple(values), tuple(texts))


def row_labels(table: pd.DataFrame, keys: tuple[str, ...]) -> pd.Index[str]:
    """Return names of rows from keys, such as ``system=pop, cutoff=10``; 5 and 5.0 are the same."""
    labels = np.full(len(table), "", dtype=object)
    for position, key in enumerate(keys):
        # Faster, because a key has few distinct cells.
        codes, cells = pd.factorize(table[key].to_numpy(dtype=object))
        before = f"{'' if position == 0 else ', '}{key}="
        names = np.array([before + _key_text(cell) for cell in cells], dtype=object)
        labels = labels + names[codes]
    return pd.Index(labels, dtype=object)


def _key_text(cell: str) -> str:
    # Only plain numbers are rewritten, because leading zeros and signs are part of identifiers.
    return f"{float(cell):.15g}" if _PLAIN_NUMBER.fullmatch(cell) else cell


class Kind(StrEnum):
    """The kinds of changes."""

    VALUE = "value"
    COUNT = "count"
    TEXT = "text"
    ROW_MISSING = "row missing"
    ROW_NEW = "row new"
    ROWS_ALIKE = "rows with the same keys"
    COLUMN_MISSING = "column missing"
    COLUMN_NEW = "column new"


@dataclass(frozen=True)
class Change:
    """One difference that exceeds its tolerance.

    The row is named by its keys, or empty if a whole column changed, and the column is empty if a
    whole row did. Long cells are shortened to the part around the change. The difference is fresh
    minus accepted, or NaN if that is not a number; in a text with equal words, that of the first
    number that moved too far.
    """

    kind: Kind
    row: str = ""
    column: str = ""
    accepted: str = ""
    fresh: str = ""
    difference: float = float("nan")
    tolerance: float = float("nan")


@dataclass(frozen=True)
class TableChanges:
    """The result of comparing two tables; in a column of numbers the largest change is first.

    ``tolerated`` counts the cells that moved within their tolerance, and ``systems`` those of each
    system that moved too far, in decreasing order.
    """

    changes: tuple[Change, ...]
    tolerated: int
    compared: int
    systems: Mapping[str, int] = field(default_factory=dict)


def compare_tables(
    accepted: pd.DataFrame,
    fresh: pd.DataFrame,
    config: DriftSpec,
    roles: ColumnRoles | None = None,
) -> TableChanges:
    """Compare two tables of text cells, regardless of the order of rows and columns.

    The tables are those of :func:`read_table`. If they are the same object, cells are not compared.

    Two whole numbers are counts, even in a column of real values. They may move by the tolerance's
    ``counts``, whatever its relative tolerance: 6040.0 and 6041.0 are a changed count. NaN equals
    only NaN. Texts are compared by :func:`changes_of_numbers`.
    """
    roles = roles_of_columns(accepted, config) if roles is None else roles
    if fresh is accepted:
        return _compared_with_itself(accepted, roles)
    changes = [
        Change(kind, column=column)
        for kind, columns in (
            (Kind.COLUMN_MISSING, accepted.columns.difference(fresh.columns, sort=False)),
            (Kind.COLUMN_NEW, fresh.columns.difference(accepted.columns, sort=False)),
        )
        for column in columns
    ]
    if not set(roles.keys) <= set(fresh.columns):
        return TableChanges(tuple(changes), tolerated=0, compared=0)

    accepted = accepted.set_axis(row_labels(accepted, roles.keys), axis="index")
    fresh = fresh.set_axis(row_labels(fresh, roles.keys), axis="index")
    changes += _changes_of_rows(accepted.index, fresh.index)
    unambiguous = accepted.index[~accepted.index.duplicated(keep=False)]
    common = unambiguous[unambiguous.isin(fresh.index[~fresh.index.duplicated(keep=False)])]
    accepted, fresh = accepted.loc[common], fresh.loc[common]

    tolerated = compared = 0
    for column in [name for name in roles.compared if name in fresh.columns]:
        cells, tolerance = (accepted[column], fresh[column]), config.tolerance(column)
        if column in roles.texts:
            found, within = _changes_of_texts(*cells, tolerance)
        else:
            kind = Kind.COUNT if column in roles.counts else Kind.VALUE
            allowed = _tolerances(accepted, column, config)
            found, within = _changes_of_numbers(*cells, kind, allowed, tolerance.counts)
        changes += found
        tolerated += within
        compared += len(common)
    return TableChanges(tuple(changes), tolerated, compared, _systems_of(changes, accepted))


def _systems_of(changes: Sequence[Change], accepted: pd.DataFrame) -> dict[str, int]:
    """Count the changes of cells by the system of their row, or of their column."""
    cells = [change for change in changes if change.row in accepted.index]
    systems: list[str] = []
    if SYSTEM in accepted.columns:
        systems = accepted.loc[[change.row for change in cells], SYSTEM].tolist()
    elif VALUE not in accepted.columns:
        # If there is a column of values, these are other columns of the systems, such as a minimum.
        columns = [change.column for change in cells]
        systems = [
            c.removeprefix(VALUE_OF_SYSTEM) for c in columns if c.startswith(VALUE_OF_SYSTEM)
        ]
    return dict(Counter(systems).most_common())


def _compared_with_itself(table: pd.DataFrame, roles: ColumnRoles) -> TableChanges:
    """Compare a table with itself, which only reports rows with equal keys."""
    labels = row_labels(table, roles.keys)
    changes = () if labels.is_unique else tuple(_changes_of_rows(labels, labels))
    rows = int((~labels.duplicated(keep=False)).sum())
    return TableChanges(changes, tolerated=0, compared=rows * len(roles.compared))


def _changes_of_rows(accepted: pd.Index[str], fresh: pd.Index[str]) -> Iterator[Change]:
    """Yield the rows that one side lacks, and those with equal keys."""
    for row in accepted[~accepted.isin(fresh)].unique():
        yield Change(Kind.ROW_MISSING, row=row)
    for row in fresh[~fresh.isin(accepted)].unique():
        yield Change(Kind.ROW_NEW, row=row)
    alike = accepted[accepted.duplicated()].append(fresh[fresh.duplicated()])
    for row in alike.unique():
        yield Change(
            Kind.ROWS_ALIKE,
            row=row,
            accepted=f"{(accepted == row).sum()} rows",
            fresh=f"{(fresh == row).sum()} rows",
        )


def _tolerances(accepted: pd.DataFrame, column: str, config: DriftSpec) -> NDArray[np.float64]:
    """Return how far each cell of a column may move, unless it is a whole number."""
    tolerance = config.tolerance(column)
    size = np.abs(numbers(accepted[column]))
    # Otherwise an infinite value could become any other.
    share = np.where(np.isfinite(size), size, 0.0) * tolerance.relative
    allowed = np.maximum(tolerance.absolute, share)
    if tolerance.per_list and config.lists in accepted.columns:
        lists = numbers(accepted[config.lists])
        per_list = np.full(len(accepted), np.nan)
        np.divide(tolerance.per_list, lists, out=per_list, where=lists > 0)
        allowed = np.fmax(allowed, per_list)
    return allowed


# Comparison of texts: words must be equal, and numbers must be within a tolerance.

_MINUS = "\N{MINUS SIGN}"

# Digits within a word, such as P@10, C-034 or 3/4, are not numbers.
_NUMBER = re.compile(
    rf"""
    (?<!\S) [(\[{{"']*
    (?P<number>
        [+\-{_MINUS}]?
        (?: (?: \d{{1,3}}(?:,\d{{3}})+ | \d+ ) (?: \.(?P<decimals>\d+) )?
          | \.(?P<no_zero>\d+) )
        (?: [eE] (?P<exponent>[+\-{_MINUS}]?\d+) )?
    )
    (?= (?P<percent>[ ]?%)? [.,;:!?)\]}}"']* (?!\S) )
    """,
    re.ASCII | re.VERBOSE,
)


@dataclass(frozen=True)
class PrintedNumber:
    """A number as a text prints it, and its position in the text.

    Percentages are converted to shares, as in columns of values. The unit is that of the last
    digit: .01 for ``.48``; 0 for a whole number, which is not rounded.
    """

    value: float
    unit: float
    start: int


@dataclass(frozen=True)
class NumberChange:
    """A number that differs in the fresh text, with the allowed difference."""

    accepted: PrintedNumber
    fresh: PrintedNumber
    allowed: float

    @property
    def difference(self) -> float:
        """Fresh minus accepted."""
        return self.fresh.value - self.accepted.value


def words_and_numbers(text: str) -> tuple[tuple[str, ...], tuple[PrintedNumber, ...]]:
    """Split a text into its numbers and the words before, between and after them.

    A number is a separate word, possibly with punctuation around it: an integer or a decimal, with
    or without a zero before the point, with a hyphen or minus sign, separated thousands or an
    exponent. Digits in other words are part of a name.

    Examples
    --------
    >>> words, numbers = words_and_numbers("P@10 of MF: .48 against 1,160.")
    >>> words
    ('P@10 of MF: ', ' against ', '.')
    >>> [number.value for number in numbers]
    [0.48, 1160.0]
    """
    text = _on_one_line(text)
    words: list[str] = []
    numbers: list[PrintedNumber] = []
    end = 0
    for found in _NUMBER.finditer(text):
        words.append(text[end : found.start("number")])
        end = found.end("number")
        numbers.append(_printed_number(found))
    return (*words, text[end:]), tuple(numbers)


def changes_of_numbers(
    accepted: str, fresh: str, tolerance: Tolerance
) -> list[NumberChange] | None:
    """Return the numbers of a text that changed, in its order, with the allowed differences.

    There are none to return (None) if the words or the number of numbers differ. Two whole numbers,
    as in "17 of 20 pairs", are counts with the tolerance of counts. Percentages are shares, and
    count as rounded even if they are whole. The value behind a rounded number may move by the
    tolerance, so the printed number may move further, by half a unit of the last digit of each.
    Without a tolerance the printed numbers must be equal.

    Examples
    --------
    >>> allowed = Tolerance(absolute=0.25, reason="an example")
    >>> moves = changes_of_numbers("1.5 in 17 of 20", "1.0 in 16 of 20", allowed)
    >>> [(move.difference, move.allowed) for move in moves]
    [(-0.5, 0.35), (-1.0, 0.0)]
    >>> changes_of_numbers("above 1.5", "below 1.5", allowed)
    """
    words, before = words_and_numbers(accepted)
    other_words, after = words_and_numbers(fresh)
    if words != other_words:
        return None
    return [
        NumberChange(old, new, _allowed(old, new, tolerance))
        for old, new in zip(before, after, strict=True)
        if old.value != new.value
    ]


def part_of(text: str, place: int, most: int = 80) -> str:
    """Return a text, shortened to the part around a position if it is long.

    Examples
    --------
    >>> part_of("The best of all systems is MF.", 27, most=21)
    '...systems is MF.'
    """
    text = _on_one_line(text)
    if len(text) <= most:
        return shortened(text, most)
    # Begin at the start of a word.
    begin = text.rfind(" ", 0, max(0, place - most // 3)) + 1
    dots = "..." if begin else ""
    return dots + shortened(text[begin:], most - len(dots))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _printed_number(found: re.Match[str]) -> PrintedNumber:
    digits = found["number"].replace(_MINUS, "-").replace(",", "")
    decimals = found["decimals"] or found["no_zero"] or ""
    exponent = int((found["exponent"] or "0").replace(_MINUS, "-"))
    share = 100 if found["percent"] else 1
    is_whole = not (decimals or found["exponent"] or found["percent"])
    unit = 0.0 if is_whole else 10.0 ** (exponent - len(decimals)) / share
    return PrintedNumber(float(digits) / share, unit, found.start("number"))


def _allowed(accepted: PrintedNumber, fresh: PrintedNumber, tolerance: Tolerance) -> float:
    """Return how far a printed number may move."""
    if accepted.unit == fresh.unit == 0:
        return float(tolerance.counts)
    bound = max(tolerance.absolute, tolerance.relative * abs(accepted.value))
    if bound == 0:
        return 0.0
    return bound + (accepted.unit + fresh.unit) / 2


def _changes_of_texts(
    accepted: pd.Series[str], fresh: pd.Series[str], tolerance: Tolerance
) -> tuple[list[Change], int]:
    """Return the changed texts of a column, and the number of texts within the tolerance."""
    changes: list[Change] = []
    tolerated = 0
    for row in np.flatnonzero(accepted.to_numpy() != fresh.to_numpy()).tolist():
        old, new = accepted.iloc[row], fresh.iloc[row]
        change = partial(Change, Kind.TEXT, accepted.index[row], str(accepted.name))
        moves = changes_of_numbers(old, new, tolerance)
        if moves is None:
            one, other = _on_one_line(old), _on_one_line(new)
            pairs = enumerate(zip(one, other, strict=False))
            place = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
            changes.append(change(part_of(old, place), part_of(new, place)))
            continue
        beyond = [move for move in moves if abs(move.difference) > move.allowed * _ALLOWANCE]
        for move in beyond[:1]:
            shown = part_of(old, move.accepted.start), part_of(new, move.fresh.start)
            changes.append(change(*shown, move.difference, move.allowed))
        tolerated += bool(moves) and not beyond
    return changes, tolerated


def _changes_of_numbers(
    accepted: pd.Series[str],
    fresh: pd.Series[str],
    kind: Kind,
    allowed: NDArray[np.float64],
    allowed_of_counts: int,
) -> tuple[list[Change], int]:
    """Return the cells that moved too far, the largest difference first, and how many others moved.

    ``allowed`` has the bound of each cell, unless it is a whole number on both sides.
    """
    before, after = numbers(accepted), numbers(fresh)
    both_nan = np.isnan(before) & np.isnan(after)
    with np.errstate(invalid="ignore"):
        difference = after - before
        counts = (before % 1 == 0) & (after % 1 == 0)
    allowed = np.where(counts, allowed_of_counts, allowed)
    differ = ~((before == after) | both_nan) | ~numeric(fresh)
    moved = differ & ~(np.abs(difference) <= allowed * _ALLOWANCE)
    sizes = np.where(np.isnan(difference), np.inf, np.abs(difference))
    changes = [
        Change(
            kind,
            accepted.index[row],
            str(accepted.name),
            accepted.iloc[row],
            fresh.iloc[row],
            float(difference[row]),
            float(allowed[row]),
        )
        for row in sorted(np.flatnonzero(moved).tolist(), key=lambda row: -sizes[row])
    ]
    return changes, int((differ & ~moved).sum())
