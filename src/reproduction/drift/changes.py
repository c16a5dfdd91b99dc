# SPDX-License-Identifier: MIT
"""The differences between two tables, row by row and column by column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.files import VALUE_OF_SYSTEM
from reproduction.drift.spec import DriftSpec, Tolerance
from reproduction.drift.tables import (
    SYSTEM,
    VALUE,
    ColumnRoles,
    numbers,
    numeric,
    roles_of_columns,
    row_labels,
)
from reproduction.drift.texts import changes_of_numbers, first_difference, part_of

# Keeps a difference that equals its tolerance in decimal digits from failing in binary ones.
_ALLOWANCE = 1 + 1e-9


class Kind(StrEnum):
    """What a change is."""

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
    """One difference that no tolerance covers.

    Attributes
    ----------
    kind : Kind
        What it is.
    row : str
        The keys of the row, or nothing where the change concerns a whole column.
    column : str
        The column, or nothing where the change concerns a whole row.
    accepted, fresh : str
        The text of the two cells; of a long one the part about what moved.
    difference : float
        Fresh minus accepted; NaN where that is not a number. Of a text whose words are equal, that
        of the first number that moved too far.
    tolerance : float
        How large the difference may be; NaN where the change is not a number's.
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
    """What comparing two tables gave.

    Attributes
    ----------
    changes : tuple of Change
        Every difference that no tolerance covers; within a column of numbers the largest first.
    tolerated : int
        Number of cells that moved within their tolerance.
    compared : int
        Number of cells compared.
    systems : mapping of str to int
        In how many cells each system moved too far, those of most cells first.
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
    """Compare two tables of text cells; the order of rows and columns does not matter.

    Parameters
    ----------
    accepted, fresh : DataFrame of str
        As :func:`reproduction.drift.tables.read_table` returns them. One and the same object, where
        both are known to be equal, saves the comparison of cells.

    Notes
    -----
    Two whole numbers are counts, also in a column of real values: 6040.0 against 6041.0 is a count
    that changed, however wide the relative tolerance. They may move by the tolerance's ``counts``.
    NaN equals NaN and nothing else. Texts are compared by
    :func:`reproduction.drift.texts.changes_of_numbers`.
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
    for column in [name for name in (*roles.counts, *roles.values) if name in fresh.columns]:
        allowed = _tolerances(accepted, column, config)
        cells = _Cells(accepted, fresh, column, allowed, config.tolerance(column).counts)
        changes += cells.changes(Kind.COUNT if column in roles.counts else Kind.VALUE)
        tolerated += int((cells.differ & ~cells.moved).sum())
        compared += len(common)
    for column in [name for name in roles.texts if name in fresh.columns]:
        found, within = _changes_of_texts(accepted[column], fresh[column], config.tolerance(column))
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
        # Beside a column of values these are other columns of theirs, such as a lowest and highest.
        columns = [change.column for change in cells]
        systems = [
            c.removeprefix(VALUE_OF_SYSTEM) for c in columns if c.startswith(VALUE_OF_SYSTEM)
        ]
    return dict(Counter(systems).most_common())


def _compared_with_itself(table: pd.DataFrame, roles: ColumnRoles) -> TableChanges:
    """Compare a table with itself: only rows that cannot be told apart are to be reported."""
    labels = row_labels(table, roles.keys)
    changes = () if labels.is_unique else tuple(_changes_of_rows(labels, labels))
    rows = int((~labels.duplicated(keep=False)).sum())
    columns = len(roles.counts) + len(roles.values) + len(roles.texts)
    return TableChanges(changes, tolerated=0, compared=rows * columns)


def _changes_of_rows(accepted: pd.Index[str], fresh: pd.Index[str]) -> Iterator[Change]:
    """Yield the rows that one side lacks, and those that cannot be told apart."""
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
    """Return how far each cell of a column may move that is no whole number."""
    tolerance = config.tolerance(column)
    size = np.abs(numbers(accepted[column]))
    # A share of infinity would let an infinite value become any other.
    share = np.where(np.isfinite(size), size, 0.0) * tolerance.relative
    allowed = np.maximum(tolerance.absolute, share)
    if tolerance.per_list and config.lists in accepted.columns:
        lists = numbers(accepted[config.lists])
        per_list = np.full(len(accepted), np.nan)
        np.divide(tolerance.per_list, lists, out=per_list, where=lists > 0)
        allowed = np.fmax(allowed, per_list)
    return allowed


def _changes_of_texts(
    accepted: pd.Series[str], fresh: pd.Series[str], tolerance: Tolerance
) -> tuple[list[Change], int]:
    """Return the texts of a column that changed, and how many are within the tolerance."""
    changes: list[Change] = []
    tolerated = 0
    for row in np.flatnonzero(accepted.to_numpy() != fresh.to_numpy()).tolist():
        old, new = accepted.iloc[row], fresh.iloc[row]
        change = partial(Change, Kind.TEXT, accepted.index[row], str(accepted.name))
        moves = changes_of_numbers(old, new, tolerance)
        if moves is None:
            place = first_difference(old, new)
            changes.append(change(part_of(old, place), part_of(new, place)))
            continue
        beyond = [move for move in moves if abs(move.difference) > move.allowed * _ALLOWANCE]
        for move in beyond[:1]:
            shown = part_of(old, move.accepted.start), part_of(new, move.fresh.start)
            changes.append(change(*shown, move.difference, move.allowed))
        tolerated += bool(moves) and not beyond
    return changes, tolerated


class _Cells:
    """The cells of one column in the rows that both tables have."""

    def __init__(
        self,
        accepted: pd.DataFrame,
        fresh: pd.DataFrame,
        column: str,
        allowed: NDArray[np.float64],
        allowed_of_counts: int,
    ) -> None:
        self.column = column
        self.accepted = accepted[column]
        self.fresh = fresh[column]
        before, after = numbers(self.accepted), numbers(self.fresh)
        both_nan = np.isnan(before) & np.isnan(after)
        with np.errstate(invalid="ignore"):
            self.difference = after - before
            counts = (before % 1 == 0) & (after % 1 == 0)
        self.allowed = np.where(counts, allowed_of_counts, allowed)
        is_number = numeric(self.fresh)
        self.differ = ~((before == after) | both_nan) | ~is_number
        self.moved = self.differ & ~(np.abs(self.difference) <= self.allowed * _ALLOWANCE)

    def changes(self, kind: Kind) -> Iterable[Change]:
        """Yield the cells that moved too far, the largest difference first."""
        sizes = np.where(np.isnan(self.difference), np.inf, np.abs(self.difference))
        for row in sorted(np.flatnonzero(self.moved).tolist(), key=lambda row: -sizes[row]):
            yield Change(
                kind,
                row=self.accepted.index[row],
                column=self.column,
                accepted=self.accepted.iloc[row],
                fresh=self.fresh.iloc[row],
                difference=float(self.difference[row]),
                tolerance=float(self.allowed[row]),
            )
