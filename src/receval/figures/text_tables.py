"""Printing an artifact's numbers as a table, with the artifact's title, caption and absences."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table


def printed(
    display: DisplayStyle, columns: Sequence[Column], rows: Sequence[Sequence[str]]
) -> Table:
    """Return a table with an artifact's title and caption, and a note on absent datasets."""
    return Table(
        title=display.title,
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        caption=display.caption,
        notes=(display.absence,) if display.absence else (),
    )


def printed_text(
    display: DisplayStyle, text: pd.DataFrame, widths: Sequence[float | None]
) -> Table:
    """Return a table of text whose headings are the names of the columns."""
    columns = [Column(str(name), width=width) for name, width in zip(text, widths, strict=True)]
    rows = text.fillna("").astype(str).to_numpy().tolist()
    return printed(display, columns, rows)
