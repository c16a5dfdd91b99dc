# SPDX-License-Identifier: MIT
"""What came of an evaluation as a page and as a folder of files, whatever was asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from receval.comparison.report_page import report_page
from receval.comparison.report_parts import ReportFigure, ReportPart, ReportTable, ReportText
from receval.figures.latex_tables import save_table
from receval.figures.tables import Table
from receval.interchange.reading import ReadingReport, told_together
from receval.notes import MOST_SHOWN, Note, gravest_first
from receval.storage.files import write_atomically, write_results
from receval.storage.messages import how_many

SETTINGS = "settings.json"
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
        of_parts = (part.notes for part in self.parts if isinstance(part, ReportText))
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

    def write(self, folder: Path | str, settings: Mapping[str, Any] | None = None) -> list[Path]:
        """Write the report into a folder: data, tables, figures, the page, and settings.

        Parameters
        ----------
        folder : Path or str
            Made where it is missing. What an earlier report wrote there, by its own settings, is
            replaced or taken away; all other files stay.
        settings : mapping, optional
            What :data:`SETTINGS` holds beside ``result``, the report's own settings.

        Returns
        -------
        list of Path
            What was written.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        earlier = files_of_report(folder)
        written = []
        for name, rows in self.data.items():
            written.append(folder / f"{name}.csv")
            write_results(rows, written[-1])
        for part in self.parts:
            if isinstance(part, ReportTable):
                both = folder / f"{part.name}.md", folder / f"{part.name}.tex"
                save_table(part.table, *both)
                written += both
            elif isinstance(part, ReportFigure):
                written.append(folder / f"{part.name}.svg")
                write_atomically(written[-1], part.svg)
        written += [folder / PAGE, folder / SETTINGS]
        write_atomically(folder / PAGE, self.page())
        names = sorted(path.name for path in written)
        both_settings = {
            **(settings or {}),
            "result": self.settings,
            "reading": [report.as_dict() for report in self.reading],
            "notes": [note.as_dict() for note in self.all_notes],
            "files": names,
        }
        text = json.dumps(both_settings, indent=2, ensure_ascii=False)
        write_atomically(folder / SETTINGS, text + "\n")
        for name in earlier.difference(names):
            (folder / name).unlink(missing_ok=True)
        return written


def files_of_report(folder: Path) -> set[str]:
    """Return the names of the files of the report that was last written into a folder."""
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        names = [Path(str(name)) for name in settings["files"]]
    except (OSError, ValueError, TypeError, KeyError):
        return set()
    # No name leads out of the folder, whoever wrote the settings.
    return {path.name for path in names if path.name == str(path)}
