# SPDX-License-Identifier: MIT
"""A report as one page that loads nothing: tables that sort, figures, texts, the settings."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from receval.evaluation.report_parts import ReportFigure, ReportPart, ReportTable
from receval.figures.tables import Column, Table
from receval.storage.messages import printable

_CELL = re.compile(r"[\s,%]")
_NUMBER = re.compile(r"^([<>]?)\s*([+\u2212-]?)(\.?\d[\d.]*)")


GENERATOR = '<meta name="generator" content="receval">'
"""By which a page of a report is known."""


def report_page(
    title: str,
    parts: Sequence[ReportPart],
    notes: Sequence[str],
    settings: Mapping[str, Any],
) -> str:
    """Return a page with all of a result.

    Parameters
    ----------
    parts : sequence of ReportTable, ReportFigure or ReportText
        In the order in which the page shows them.
    settings : mapping
        What the same call needs to be made again, as JSON has it.

    Examples
    --------
    >>> from receval.evaluation.report_parts import ReportTable
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
        f'<section aria-label="Notes"><ul class="notes">{told}</ul></section>' if told else "",
        *map(_part, parts),
        "<section><h2>Settings</h2><p>The same call needs these to be made again.</p>"
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
            f'<figure class="wide" tabindex="0">{_inline_svg(part.svg)}'
            f"<figcaption>{_shown(part.caption)}</figcaption></figure>"
        )
    told = "".join(f"<p>{_shown(text)}</p>" for text in part.paragraphs)
    return f"<section><h2>{_shown(part.heading)}</h2>{told}</section>"


def _section(table: Table) -> str:
    heads = "".join(
        f'<th scope="col" class="{column.alignment}"><button type="button">'
        f"{_shown(column.header)}</button></th>"
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
        # What is smaller than a number stands before it.
        number = float(f"{sign}{found[3]}") - (1e-9 if found[1] == "<" else 0)
        value = f' data-value="{number:.12g}"'
    return f'<td class="{column.alignment}"{value}>{_shown(text)}</td>'


def _shown(text: str) -> str:
    return html.escape(printable(text, kept="\n"))


def _inline_svg(figure: str) -> str:
    """Return an SVG without what stands before its element, and with room to shrink."""
    return figure[figure.index("<svg") :]
