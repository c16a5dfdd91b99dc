# SPDX-License-Identifier: MIT
"""What raw rows name: codes of users and items, and pairs that occur more than once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from receval.data.repeats import REPEAT_RULES, merge_repeats, refuse_repeats

if TYPE_CHECKING:
    from receval.spec_types import Duplicates
    from reproduction.datasets.reports import ParseReport


def kept_rows(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    values: NDArray,
    report: ParseReport,
    complain: Callable[[int, str], Exception],
    by_default: Duplicates = "error",
    lines: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray]:
    """Return the rows of a format that stay, and their values, and give account of the others.

    Examples
    --------
    >>> from reproduction.datasets.reports import ParseReport, RawDataError
    >>> report = ParseReport(duplicates="last")
    >>> users, items, values = np.array([7, 7, 7]), np.array([1, 2, 1]), np.array([5.0, 3.0, 2.0])
    >>> rows, kept = kept_rows(
    ...     users, items, values, report, lambda row, reason: RawDataError("a.csv", row + 1, reason)
    ... )
    >>> rows.tolist(), kept.tolist(), report.repeats_collapsed
    ([1, 2], [3.0, 2.0], 1)
    """
    duplicates = report.duplicates or by_default
    if duplicates == "error":
        refuse_repeats(users, items, complain, lines)
        return np.arange(len(users)), values
    rows, merged = merge_repeats(users, items, values, duplicates)
    report.repeats_collapsed = len(users) - len(rows)
    report.repeat_rule = REPEAT_RULES[duplicates]
    return rows, merged
