# SPDX-License-Identifier: MIT
"""What came of an evaluation as a page and as a folder of files, whatever was asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from receval.data.reading import ReadingReport, told_together
from receval.evaluation.report_folder import SETTINGS, replacing_report, settings_text
from receval.evaluation.report_page import report_page
from receval.evaluation.report_parts import ReportPart, ReportTable, ReportText
from receval.figures.tables import Table
from receval.notes import MOST_SHOWN, Note, gravest_first
from receval.storage.files import encoded, results_text, sha256_of
from receval.storage.messages import how_many

PAGE = "report.html"


@dataclass(frozen=True)
class Report:
    """All that a command tells: tables, figures and texts in their order, and the data behind.

    Attributes
    ----------
    title : str
    parts : tuple of ReportTable, ReportFigure or ReportText
        As a reader wants them.
    data : mapping of str to DataFrame
        Tidy tables by the names of their CSV files, without an end.
    notes : tuple of Note
        What may mislead, and how the numbers came about.
    settings : mapping
        What the same call needs to be made again, as JSON has it.
    reading : tuple of ReadingReport
        How files and tables were read.
    relevance : tuple of str
        What is relevant, in a sentence.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from receval.figures.tables import Column
    >>> table = Table("Averages", (Column("System"), Column("P@5", "right")), (("Pop", ".25"),))
    >>> rows = pd.DataFrame({"system": ["Pop"], "mean": [0.25]})
    >>> report = Report("Mine", (ReportTable("averages", table),), {"averages": rows})
    >>> with TemporaryDirectory() as folder:
    ...     [path.name for path in report.write(Path(folder), {"receval": "1.0.0"})]
    ['averages.csv', 'averages.md', 'averages.tex', 'report.html', 'settings.json']
    """

    title: str
    parts: tuple[ReportPart, ...]
    data: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    reading: tuple[ReadingReport, ...] = ()
    relevance: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, as they are printed."""
        return tuple(part.table for part in self.parts if isinstance(part, ReportTable))

    def page(self) -> str:
        """Return the report as one page for browsers, which loads nothing."""
        read = [" ".join(map(str.strip, lines)) for lines in told_together(self.reading)]
        parts = self.parts
        if read or self.relevance:
            parts = (ReportText("What was read", (*read, *self.relevance)), *parts)
        first, others = self._shown_notes()
        if others:
            parts = (*parts, ReportText("Further notes", tuple(others)))
        return report_page(self.title, parts, first, self.settings)

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """Those on reading and on parts, too, the gravest first, each once."""
        of_parts = (part.notes for part in self.parts)
        told = chain(*(own.notes for own in self.reading), self.notes, *of_parts)
        return gravest_first(told)

    def note_lines(self) -> list[str]:
        """Return the notes that stand above the tables, and how many others there are."""
        shown, others = self._shown_notes()
        lines = [f"Note: {note} ({note.code})" for note in shown]
        if others:
            lines.append(f"... and {how_many(len(others), 'further note')}: see {PAGE}.")
        return lines

    def _shown_notes(self) -> tuple[list[Note], list[Note]]:
        """Return the notes that are seen first, one of each kind first, and others."""
        notes = list(self.all_notes)
        if len(notes) > MOST_SHOWN:
            first = list({note.code: note for note in reversed(notes)}.values())[::-1]
            again = [note for note in notes if note not in first]
            chosen = [*first, *again][:MOST_SHOWN]
            notes = [
                *(note for note in notes if note in chosen),
                *(note for note in notes if note not in chosen),
            ]
        return notes[:MOST_SHOWN], notes[MOST_SHOWN:]

    def reading_lines(self, most: int = 8) -> list[str]:
        """Return how everything was read, in no more lines than a person reads before numbers."""
        lines = list(chain.from_iterable(told_together(self.reading)))
        room = most - len(self.relevance)
        if len(lines) > room:
            left = lines[room - 1 :]
            lines = [*lines[: room - 1], f"... and {len(left)} lines more: see {PAGE}."]
        return [*lines, *self.relevance]

    def write(
        self,
        folder: Path | str,
        settings: Mapping[str, Any] | None = None,
        *,
        force: bool = False,
        inputs: Collection[Path] = (),
        for_spreadsheets: bool = False,
    ) -> list[Path]:
        """Write the report into a folder: data, tables, figures, the page, and settings.

        Parameters
        ----------
        folder : Path or str
            Made where it is missing. What an earlier report wrote there is replaced or taken away
            as a whole; a folder with files of others is refused.
        settings : mapping, optional
            What :data:`SETTINGS` holds beside ``result``, the report's own settings.
        force : bool
            Whether to write into a folder with files of others all the same, and over those that
            have the names of the report's.
        for_spreadsheets : bool
            Whether texts in CSV that a spreadsheet would compute get an apostrophe before them.
        """
        folder, digests = Path(folder), {}
        with replacing_report(folder, force=force, inputs=inputs) as beside:

            def write(name: str, text: str) -> None:
                path = beside(name)
                path.write_bytes(encoded(text))
                digests[name] = sha256_of(path)

            for name, rows in self.data.items():
                write(f"{name}.csv", results_text(_as_texts(rows) if for_spreadsheets else rows))
            for part in self.parts:
                for name, text in part.files.items():
                    write(name, text)
            write(PAGE, self.page())
            own = {
                **(settings or {}),
                "result": self.settings,
                "reading": [one.as_dict() for one in self.reading],
                "notes": [note.as_dict() for note in self.all_notes],
            }
            write(SETTINGS, settings_text(own, digests))
        return [folder / name for name in sorted(digests)]


# What spreadsheets take for a formula; a number is none.
_COMPUTED = r"^[=+\-@\t\r](?!(?<=[+\-])[\d.]+(?:e[+\-]?\d+)?$)"


def _as_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with an apostrophe before each text that a spreadsheet would compute."""
    shown = rows.copy()
    for name in rows.select_dtypes(exclude="number"):
        texts = rows[name].astype(str)
        if (computed := texts.str.contains(_COMPUTED, case=False)).any():
            shown[name] = texts.where(~computed, "'" + texts)
    return shown
