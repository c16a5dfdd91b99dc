# SPDX-License-Identifier: MIT
"""A result as one page that loads nothing: tables that sort, the figure, the settings."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from receval.figures.tables import Column, Table

_CELL = re.compile(r"[\s,%]")
_NUMBER = re.compile(r"^([<>]?)\s*([+\u2212-]?)(\.?\d[\d.]*)")


def report_page(
    title: str,
    tables: Sequence[Table],
    figure: str,
    notes: Sequence[str],
    settings: Mapping[str, Any],
) -> str:
    """Return a page with all of a result.

    Parameters
    ----------
    title : str
    tables : sequence of Table
    figure : str
        An SVG.
    notes : sequence of str
        What is worth knowing about the data.
    settings : mapping
        What the same call needs to be made again, as JSON has it.

    Examples
    --------
    >>> table = Table("Averages", (Column("System"), Column("P@5", "right")), (("Pop", ".25"),))
    >>> page = report_page("Mine", [table], "<svg></svg>", ["A note."], {"seed": 1})
    >>> "<h1>Mine</h1>" in page, 'data-value="0.25"' in page
    (True, True)
    """
    style, script = (
        files("receval.comparison").joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js")
    )
    told = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    parts = [
        f'<section aria-label="Notes"><ul class="notes">{told}</ul></section>' if told else "",
        _section(tables[0]),
        f'<figure class="wide" tabindex="0">{_inline_svg(figure)}<figcaption>Averages with their '
        "95&#8239;% intervals over users.</figcaption></figure>",
        *map(_section, tables[1:]),
        "<section><h2>Settings</h2><p>The same call needs these to be made again.</p>"
        f"<pre>{html.escape(json.dumps(settings, indent=2, ensure_ascii=False))}</pre></section>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>\n{style}</style></head>\n<body>\n<main>\n"
        f"<h1>{html.escape(title)}</h1>\n" + "\n".join(filter(None, parts)) + "\n</main>\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _section(table: Table) -> str:
    heads = "".join(
        f'<th scope="col" class="{column.alignment}"><button type="button">'
        f"{html.escape(column.header)}</button></th>"
        for column in table.columns
    )
    rows = "\n".join(
        "<tr>" + "".join(map(_cell, row, table.columns)) + "</tr>" for row in table.rows
    )
    title = html.escape(table.title)
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in table.notes)
    return (
        f"<section><h2>{title}</h2><p>{html.escape(table.caption)}</p>"
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
    return f'<td class="{column.alignment}"{value}>{html.escape(text)}</td>'


def _inline_svg(figure: str) -> str:
    """Return an SVG without what stands before its element, and with room to shrink."""
    return figure[figure.index("<svg") :]
