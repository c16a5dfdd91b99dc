# SPDX-License-Identifier: MIT
"""Columns and cells of tables that compare systems: values and p-values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import p_value, significant
from receval.figures.tables import Column
from receval.storage.files import real_values


def system_columns(display: DisplayStyle, systems: Sequence[str]) -> list[Column]:
    """Return a column for the first system, and for each other one its value and p-value."""
    first, *others = (display.short_titles[system] for system in systems)
    names = [first, *(name for other in others for name in (other, f"p, {other}"))]
    return [Column(name, "right") for name in names]


def system_cells(rows: pd.DataFrame, systems: Sequence[str]) -> list[str]:
    """Return the cells of :func:`system_columns`; dashes where there are no rows."""
    values, p_values = (
        dict(zip(rows["system"], real_values(rows[name]), strict=True))
        for name in ("value", "p_value")
    )
    first, *others = systems
    cells = [significant(values.get(first, np.nan))]
    for other in others:
        cells += [significant(values.get(other, np.nan)), p_value(p_values.get(other, np.nan))]
    return cells
