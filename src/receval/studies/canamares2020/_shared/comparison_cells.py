"""Cells of tables that compare systems: values and p-values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column
from receval.storage.files import real_values

NOTHING = "\N{EN DASH}"


def value_cell(value: float) -> str:
    """Print a value with four digits; a dash without one."""
    return NOTHING if np.isnan(value) else f"{value:.4f}"


def p_value_cell(p_value: float) -> str:
    """Print a p-value with three digits, a small one as a power of ten; a dash without one."""
    if np.isnan(p_value):
        return NOTHING
    return f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.1e}"


def system_columns(
    display: DisplayStyle, systems: Sequence[str], heading: str = ""
) -> list[Column]:
    """Return a column for the first system, and for each other one its value and p-value.

    Parameters
    ----------
    display : DisplayStyle
    systems : sequence of str
    heading : str
        Stands before the names, where a table has several such groups of columns.
    """
    before = f"{heading}: " if heading else ""
    first, *others = (display.short_titles[system] for system in systems)
    names = [first, *(name for other in others for name in (other, f"p ({other})"))]
    return [Column(before + name, "right") for name in names]


def system_cells(rows: pd.DataFrame, systems: Sequence[str]) -> list[str]:
    """Return the cells of :func:`system_columns`; dashes where there are no rows.

    Parameters
    ----------
    rows : DataFrame
        At most one row a system, with the columns system, value and p_value.
    systems : sequence of str
    """
    values, p_values = (
        dict(zip(rows["system"], real_values(rows[name]), strict=True))
        for name in ("value", "p_value")
    )
    first, *others = systems
    cells = [value_cell(values.get(first, np.nan))]
    for other in others:
        cells += [value_cell(values.get(other, np.nan)), p_value_cell(p_values.get(other, np.nan))]
    return cells
