# SPDX-License-Identifier: MIT
"""Convert Markdown to HTML pages for Snakemake's report."""

from __future__ import annotations

import html
import re
from itertools import groupby

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em;max-width:75em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}"
    "th,td{padding:.25em .75em;text-align:left;vertical-align:top}"
    "thead{border-top:2px solid #222;border-bottom:1px solid #222}"
    "tbody{border-bottom:2px solid #222}"
    ".right{text-align:right}.center{text-align:center}"
    "td.right{font-variant-numeric:tabular-nums}"
)
_FORMULA = re.compile(r"\$`(.+?)`\$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_RULE = re.compile(r"\|(?: *:?-+:? *\|)+")


def as_html_page(markdown: str, title: str) -> str:
    """Return a page of Markdown as a self-contained HTML file.

    It supports the Markdown of :mod:`receval.figures.tables`, the pages of the studies and the
    drift report: headings, paragraphs, lists, tables with aligned columns, strong and emphasised
    text, escaped characters, and formulas, which it shows in LaTeX.
    """
    blocks = re.split(r"\n{2,}", markdown.strip("\n"))
    body = "\n".join(part for block in blocks for part in _block(block.splitlines()))
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _block(lines: list[str]) -> list[str]:
    if len(lines) > 1 and lines[0].startswith("|") and _RULE.fullmatch(lines[1]):
        return [_table(lines)]
    return [
        part for kind, group in groupby(lines, _kind) for part in _paragraphs(kind, list(group))
    ]


def _kind(line: str) -> str:
    if re.match(r"#{1,6} ", line):
        return "heading"
    return "list" if line.startswith("- ") else "text"


def _paragraphs(kind: str, lines: list[str]) -> list[str]:
    if kind == "heading":
        levels = [len(line) - len(line.lstrip("#")) for line in lines]
        return [
            f"<h{level}>{_inline(line[level:].strip())}</h{level}>"
            for level, line in zip(levels, lines, strict=True)
        ]
    if kind == "list":
        items = "".join(f"<li>{_inline(line[2:])}</li>" for line in lines)
        return [f"<ul>{items}</ul>"]
    return [f"<p>{_inline(' '.join(lines))}</p>"]


def _table(lines: list[str]) -> str:
    header, rule, *rows = (_cells(line) for line in lines)
    alignments = [
        ("center" if cell.startswith(":") else "right") if cell.endswith(":") else "left"
        for cell in rule
    ]

    def row(cells: list[str], tag: str) -> str:
        inner = "".join(
            f'<{tag} class="{alignment}">{_inline(cell)}</{tag}>'
            for cell, alignment in zip(cells, alignments, strict=True)
        )
        return f"<tr>{inner}</tr>"

    body = "\n".join(row(cells, "td") for cells in rows)
    return f"<table>\n<thead>{row(header, 'th')}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _cells(line: str) -> list[str]:
    """Split a row at its bars; an escaped bar is text."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _inline(text: str) -> str:
    """Return text with Markdown turned into tags and everything else escaped."""
    # Parts that must not change are replaced by characters that our texts never contain.
    kept: list[str] = []

    def keep(content: str) -> str:
        kept.append(html.escape(content))
        return f"\ue000{len(kept) - 1}\ue001"

    text = _FORMULA.sub(
        lambda found: f"<code>{keep(found[1].replace(chr(92) + '|', '|'))}</code>",
        _ESCAPED_OUTSIDE.sub(lambda found: found[0] if found[1] is None else keep(found[1]), text),
    )
    parts = re.split(r"(</?code>)", text)
    text = "".join(part if part in ("<code>", "</code>") else html.escape(part) for part in parts)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)
    return re.sub("\ue000(\\d+)\ue001", lambda found: kept[int(found[1])], text)


# A backslash in a formula is LaTeX; elsewhere it escapes the next character.
_ESCAPED_OUTSIDE = re.compile(rf"{_FORMULA.pattern.replace('(', '(?:')}|{_ESCAPED.pattern}")
