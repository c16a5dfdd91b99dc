"""Printing an artifact's numbers as a table, with the artifact's title, caption and absences."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.figures.display import Look
from receval.figures.tables import Column, Table


def printed(look: Look, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table with an artifact's title and caption, and a note on absent datasets."""
    return Table(
        title=look.title,
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        caption=look.caption,
        notes=(look.absence,) if look.absence else (),
    )


def printed_text(look: Look, text: pd.DataFrame, widths: Sequence[float | None]) -> Table:
    """Return a table of text whose headings are the names of the columns."""
    columns = [Column(str(name), width=width) for name, width in zip(text, widths, strict=True)]
    rows = text.fillna("").astype(str).to_numpy().tolist()
    return printed(look, columns, rows)
