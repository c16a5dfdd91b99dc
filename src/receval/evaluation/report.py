# SPDX-License-Identifier: MIT
"""Write the results of any command as an HTML page and a folder of files."""

from __future__ import annotations

import hashlib
import html
import json
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from glob import escape
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from receval.data.reading import ReadingReport, told_together
from receval.figures.style import figure_style
from receval.figures.tables import Column, Table, to_latex, to_markdown, without_marks_in_names
from receval.notes import MOST_SHOWN, Note, gravest_first
from receval.storage.files import encoded, replacing, results_text, sha256_of
from receval.storage.messages import enumerated, how_many, printable, quoted, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The parts of reports: tables, figures and texts.

LONGEST_SHOWN = 200
"""The most characters of a cell in a report."""


@dataclass(frozen=True)
class ReportTable:
    """A table of a report, and the name of its files without extension.

    Cells of more than :data:`LONGEST_SHOWN` characters are shortened in the middle; the data files
    are complete.
    """

    name: str
    table: Table

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(_short, row)) for row in self.table.rows)
        columns = tuple(replace(own, header=_short(own.header)) for own in self.table.columns)
        object.__setattr__(self, "table", replace(self.table, rows=rows, columns=columns))

    @property
    def files(self) -> dict[str, str]:
        """The contents of its files by name, without formats that cannot be rendered."""
        return {name: text for name, text in self._rendered.items() if not isinstance(text, Note)}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on files that were left out, with the reason."""
        return tuple(text for text in self._rendered.values() if isinstance(text, Note))

    @cached_property
    def _rendered(self) -> dict[str, str]:
        found: dict[str, str] = {}
        latex = partial(to_latex, names_packages=True)
        for end, render in ((".md", to_markdown), (".tex", latex)):
            name = f"{self.name}{end}"
            try:
                found[name] = render(without_marks_in_names(self.table))
            except Exception as error:
                # If one format fails, the other formats and the data are still right.
                found[name] = Note("no-table", _left_out(f"The table {name}", "written", error))
        return found


@dataclass(frozen=True)
class ReportFigure:
    """A figure of a report, the name of its file without extension, and what it shows."""

    name: str
    svg: str
    caption: str

    @property
    def files(self) -> dict[str, str]:
        """The content of its file by name."""
        return {f"{self.name}.svg": self.svg}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Always empty: a figure that cannot be drawn becomes a text."""
        return ()

    @classmethod
    def drawn(cls, name: str, draw: Callable[[], Figure], caption: str) -> ReportPart:
        """Draw a figure in the common style, or return a text and a note on why this failed.

        Tables and data do not need the figure.
        """
        from matplotlib import rc_context

        from receval.figures.finish import borrow_letters, rendered_svg

        try:
            # A dollar sign in a name is not a formula.
            with figure_style(), rc_context({"text.parse_math": False}):
                figure = draw()
                if lacking := borrow_letters(figure):
                    caption += f" Boxes stand for letters that no font here has: {lacking[:20]}."
            with warnings.catch_warnings():
                # The caption mentions this.
                warnings.filterwarnings("ignore", message="Glyph .* missing from font")
                svg = rendered_svg(figure, title=caption).decode()
            return cls(name, svg, caption)
        except Exception as error:
            # Even if a figure cannot be drawn, the other results are right.
            text = _left_out(f"The figure {name}", "drawn", error)
            return ReportText("A figure left out", (caption, text), (Note("no-figure", text),))


@dataclass(frozen=True)
class ReportText:
    """Paragraphs of plain text under a heading, and notes for the report."""

    heading: str
    paragraphs: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    @property
    def files(self) -> dict[str, str]:
        """Always empty: a text has no file."""
        return {}


def _left_out(part: str, made: str, error: Exception) -> str:
    reason = shortened(str(error).strip() or type(error).__name__, 200)
    return f"{part} could not be {made} and was left out: {reason}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else shortened(text, LONGEST_SHOWN, middle=True)


ReportPart = ReportTable | ReportFigure | ReportText


PAGE = "report.html"


# A report as one self-contained page: sortable tables, figures, texts and the settings.

_CELL = re.compile(r"[\s,%]")
_NUMBER = re.compile(r"^([<>]?)\s*([+\u2212-]?)(\.?\d[\d.]*)")


GENERATOR = '<meta name="generator" content="receval">'
"""The tag that identifies a page as a report."""


def report_page(
    title: str,
    parts: Sequence[ReportPart],
    notes: Sequence[str],
    settings: Mapping[str, Any],
    first: ReportPart | None = None,
) -> str:
    """Return a page with a whole result.

    The parts are in the order of the page, after the notes, but for the first one. The settings are
    what is needed to repeat the call, as JSON-compatible values.

    Examples
    --------
    >>> table = Table("Averages", (Column("System"), Column("P@5", "right")), (("Pop", ".25"),))
    >>> page = report_page("Mine", [ReportTable("averages", table)], ["A note."], {"seed": 1})
    >>> "<h1>Mine</h1>" in page, 'data-value="0.25"' in page
    (True, True)
    """
    style, script = (
        files("receval.evaluation").joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js")
    )
    told = "".join(f"<li>{_shown(note)}</li>" for note in notes)
    sections = [
        "" if first is None else _part(first),
        f'<section aria-label="Notes"><ul class="notes">{told}</ul></section>' if told else "",
        *map(_part, parts),
        "<section><h2>Settings</h2><p>These settings are needed to repeat the call.</p>"
        '<pre tabindex="0" role="region" aria-label="Settings">'
        f"{_shown(json.dumps(settings, indent=2, ensure_ascii=False))}</pre>"
        "</section>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"{GENERATOR}"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{_shown(title)}</title><style>\n{style}</style></head>\n<body>\n<main>\n"
        f"<h1>{_shown(title)}</h1>\n" + "\n".join(filter(None, sections)) + "\n</main>\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _part(part: ReportPart) -> str:
    if isinstance(part, ReportTable):
        return _section(part.table)
    if isinstance(part, ReportFigure):
        return (
            f'<figure class="wide" tabindex="0">{part.svg[part.svg.index("<svg") :]}'
            f"<figcaption>{_shown(part.caption)}</figcaption></figure>"
        )
    told = "".join(f"<p>{_shown(text)}</p>" for text in part.paragraphs)
    return f"<section><h2>{_shown(part.heading)}</h2>{told}</section>"


def _section(table: Table) -> str:
    heads = "".join(
        f'<th scope="col" class="{column.alignment}"><button type="button">'
        f"{_breakable(column.header)}</button></th>"
        for column in table.columns
    )
    rows = "\n".join(
        "<tr>" + "".join(map(_cell, row, table.columns)) + "</tr>" for row in table.rows
    )
    title = _shown(table.title)
    notes = "".join(f"<p>{_shown(note)}</p>" for note in table.notes)
    return (
        f"<section><h2>{title}</h2><p>{_shown(table.caption)}</p>"
        f'<div class="wide" tabindex="0" role="region" aria-label="{title}"><table>'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>{notes}</section>"
    )


def _cell(text: str, column: Column) -> str:
    value = ""
    if column.alignment == "right" and (found := _NUMBER.match(_CELL.sub("", text))):
        sign = "-" if found[2] in ("-", "\N{MINUS SIGN}") else ""
        # "Less than" a number sorts before the number.
        number = float(f"{sign}{found[3]}") - (1e-9 if found[1] == "<" else 0)
        value = f' data-value="{number:.12g}"'
    shown = _breakable(text) if column.alignment == "left" else _shown(text)
    return f'<td class="{column.alignment}"{value}>{shown}</td>'


def _breakable(text: str) -> str:
    """Return the text of a cell; a long one, such as the name of a metric, may take two lines."""
    shown = _shown(text)
    if len(text) < 20:
        return shown
    return f'<span class="long">{re.sub(r"(?<=[^ ])(?=[(@])", "<wbr>", shown)}</span>'


def _shown(text: str) -> str:
    return html.escape(printable(text, kept="\n"))


# The folder of a report. Files that receval wrote are replaced as a whole; other files are kept.
#
# The settings hold the SHA-256 of each file of the report and of themselves. Only these identify
# an earlier report, since any program may write a list of names.


SETTINGS = "settings.json"
FILES = "files"

_WRITTEN = (".csv", ".html", ".md", ".svg", ".tex")


def settings_text(settings: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    """Return the text of a report's settings, with the digests that identify its files.

    They are the SHA-256 of the report's other files, by name.
    """
    whole = {**settings, FILES: dict(digests)}
    signed = {**digests, SETTINGS: _digest(json.loads(json.dumps(whole)))}
    whole[FILES] = dict(sorted(signed.items()))
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def files_of_report(folder: Path) -> dict[str, str]:
    """Return the files of the report last written into a folder, with their SHA-256.

    Empty if receval did not write the settings, or they have been changed since.
    """
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        own = settings[FILES].pop(SETTINGS)
        files = {str(name): str(digest) for name, digest in settings[FILES].items()}
        if own != _digest(settings):
            return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    # A name never leads out of the folder, whatever the settings contain.
    return {
        name: digest
        for name, digest in files.items()
        if Path(name).name == name and name.endswith(_WRITTEN)
    }


def refuse_files_of_others(folder: Path) -> None:
    """Refuse to write into a folder with files that no report wrote, or that were changed.

    A folder with a report may have other files, which are kept. Hidden files are ignored.
    """
    if not folder.is_dir():
        return
    earlier = files_of_report(folder)
    if earlier:
        others = [
            name
            for name, digest in earlier.items()
            if not (_is_as_written(folder / name, digest) or _left_over(folder / name, digest))
        ]
    else:
        others = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    _refuse(folder, others)


@contextmanager
def replacing_report(
    folder: Path, *, force: bool = False, inputs: Collection[Path] = ()
) -> Iterator[Callable[[str], Path]]:
    """Yield a function that names a temporary file for each file of a report.

    The files are moved into place at the end of the ``with`` block. An error before that, such as a
    full disk, leaves the earlier report unchanged. Unless forced, files that receval did not write
    (:func:`refuse_files_of_others`) are never written over, and files that the command reads never
    are.
    """
    if not force:
        refuse_files_of_others(folder)
    earlier = files_of_report(folder)
    own = {*earlier, SETTINGS} if earlier else set()
    read = {path.resolve() for path in inputs}
    names: list[str] = []
    with ExitStack() as all_files:

        def beside(name: str) -> Path:
            target = folder / name
            if target.resolve() in read:
                raise ValueError(
                    f"{quoted(str(target), 150)} is an input of this command, which would "
                    "overwrite it. Name another folder with --out."
                )
            if target.is_dir():
                raise ValueError(
                    f"{quoted(str(target), 150)} is a folder, but the report has a file of this "
                    "name. Name another folder with --out."
                )
            if not force and name not in own and (target.exists() or target.is_symlink()):
                _refuse(folder, [name])
            names.append(name)
            return all_files.enter_context(replacing(target))

        yield beside
        gone = [
            folder / name
            for name, digest in earlier.items()
            if name not in names and _is_as_written(folder / name, digest)
        ]
    for path in gone:
        path.unlink(missing_ok=True)
    for name, digest in earlier.items():
        for path in _left_over(folder / name, digest):
            path.unlink(missing_ok=True)


def _refuse(folder: Path, names: Sequence[str]) -> None:
    if names:
        raise ValueError(
            f"{quoted(str(folder), 150)} contains {enumerated(names)}, which receval did not "
            "write or which somebody has changed. Name another folder with --out, or write there "
            "anyway with --force. Files with other names than those of the report are kept."
        )


def _is_as_written(path: Path, digest: str) -> bool:
    """Tell whether a file is unchanged since a report wrote it, or is gone."""
    if path.is_symlink() or path.is_dir():
        return False
    return not path.exists() or sha256_of(path) == digest


def _left_over(path: Path, digest: str) -> list[Path]:
    """Return the temporary copies of a file that a killed process left behind.

    Settings are moved first, so they may list files that are not in place yet.
    """
    return [
        part
        for part in path.parent.glob(f".{escape(path.name)}.*.part")
        if part.is_file() and not part.is_symlink() and sha256_of(part) == digest
    ]


def _digest(settings: object) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Report:
    """The whole output of a command: tables, figures and texts in order, and their data.

    The data are tidy tables by the names of their CSV files, without the extension. Notes say what
    may mislead, and how the numbers were computed. The settings are what is needed to repeat the
    call, as JSON-compatible values. ``reading`` tells how files and tables were read, and
    ``relevance`` what is relevant, in sentences.

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
        """The tables in their printed form."""
        return tuple(part.table for part in self.parts if isinstance(part, ReportTable))

    def page(self) -> str:
        """Return the report as one self-contained HTML page."""
        read = [" ".join(map(str.strip, lines)) for lines in told_together(self.reading)]
        parts, opening = self.parts, None
        if read or self.relevance:
            opening = ReportText("What was read", (*read, *self.relevance))
        first, others = self._shown_notes()
        if others:
            parts = (*parts, ReportText("Further notes", tuple(others)))
        return report_page(self.title, parts, first, self.settings, opening)

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """All notes, including those on reading and on parts, the gravest first."""
        of_parts = (part.notes for part in self.parts)
        told = chain(*(own.notes for own in self.reading), self.notes, *of_parts)
        return gravest_first(told)

    def note_lines(self) -> list[str]:
        """Return the notes to show above the tables, and how many others there are."""
        shown, others = self._shown_notes()
        lines = [f"Note: {note} ({note.code})" for note in shown]
        if others:
            lines.append(f"... and {how_many(len(others), 'further note')}: see {PAGE}.")
        return lines

    def _shown_notes(self) -> tuple[list[Note], list[Note]]:
        """Return the notes that are shown, first one of each kind, and the others."""
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
        """Return how everything was read, in a few lines."""
        lines = list(chain.from_iterable(told_together(self.reading)))
        room = most - len(self.relevance)
        if len(lines) > room:
            left = lines[room - 1 :]
            lines = [*lines[: room - 1], f"... and {len(left)} more lines: see {PAGE}."]
            told = "\n".join(lines)
            unread = [
                name
                for own in self.reading
                if own.unread and not any(line in told for line in own.lines()[:1])
                for name in own.unread
            ]
            if unread := [own for own in dict.fromkeys(unread) if own not in told]:
                lines[-1] += f" Other columns that were not read: {enumerated(unread)}."
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

        The folder is created if missing. An earlier report there is replaced as a whole. A folder
        with other files is refused, unless ``force`` replaces those with the same names. The
        settings are further content of :data:`SETTINGS`, besides ``result``, the report's own
        settings. ``for_spreadsheets`` puts an apostrophe before CSV texts that a spreadsheet would
        compute.
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
                "relevance": list(self.relevance),
                "notes": [note.as_dict() for note in self.all_notes],
            }
            write(SETTINGS, settings_text(own, digests))
        return [folder / name for name in sorted(digests)]


# Texts that spreadsheets take for formulas, except numbers.
_COMPUTED = r"^[=+\-@\t\r](?!(?<=[+\-])[\d.]+(?:e[+\-]?\d+)?$)"


def _as_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before each text that a spreadsheet would compute."""
    shown = rows.copy()
    for name in rows.select_dtypes(exclude="number"):
        texts = rows[name].astype(str)
        if (computed := texts.str.contains(_COMPUTED, case=False)).any():
            shown[name] = texts.where(~computed, "'" + texts)
    return shown
