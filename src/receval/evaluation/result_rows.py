# SPDX-License-Identifier: MIT
"""The rows of a result as named tuples, so that type checkers know their columns."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import pandas as pd


class AverageRow(NamedTuple):
    """An average with its 95 % interval, over a number of users."""

    protocol: str
    metric: str
    system: str
    mean: float
    low: float
    high: float
    users: int


class PairRow(NamedTuple):
    """Two systems compared under a metric; what was not asked for is None.

    The columns are those of :func:`receval.evaluation.comparison.pair_table`, except that
    ``p_corrected`` is the p-value by which the difference is significant.
    """

    protocol: str
    metric: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    effect_size: float
    p: float
    p_corrected: float
    significant: bool
    method: str
    effect_low: float | None = None
    effect_high: float | None = None
    margin: float | None = None
    p_equivalent: float | None = None
    equivalent: bool | None = None
    p_not_inferior: float | None = None
    not_inferior: bool | None = None
    detectable: float | None = None


class GroupRow(NamedTuple):
    """A system with its letters, and how many systems are significantly better."""

    protocol: str
    metric: str
    system: str
    mean: float
    letters: str
    ahead: int


Row = TypeVar("Row", AverageRow, PairRow, GroupRow)


def typed_rows(table: pd.DataFrame, kind: type[Row]) -> tuple[Row, ...]:
    """Return the rows of a table with the columns of a kind; optional ones may be missing.

    Examples
    --------
    >>> table = pd.DataFrame([{"protocol": "AR AI-AN", "metric": "RR", "system": "Pop",
    ...     "mean": 0.5, "low": 0.25, "high": 0.75, "users": 9}])
    >>> typed_rows(table, AverageRow)[0].mean
    0.5
    """
    columns = [name for name in kind._fields if name in table]
    # Lists of Python's own types: numpy's would be no float and no bool to a checker.
    lists = [table[name].tolist() for name in columns]
    return tuple(kind(**dict(zip(columns, row, strict=True))) for row in zip(*lists, strict=True))
