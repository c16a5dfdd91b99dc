# SPDX-License-Identifier: MIT
"""Convert Markdown to HTML pages for Snakemake's report."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em;max-width:75em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}"
    "th,td{padding:.25em .75em;text-align:left;vertical-align:top}"
    "thead{border-top:2px solid #222;border-bottom:1px solid #222}"
    "tbody{border-bottom:2px solid #222}"
    "td[style*=right]{font-variant-numeric:tabular-nums}"
)


def as_html_page(markdown: str, title: str) -> str:
    """Return a page of Markdown as a self-contained HTML file, with its formulas in LaTeX.

    Links are text, because their targets are not in the report.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["link", "image", "autolink"])
    tokens = parser.parse(markdown)
    for token in tokens:
        for formula in formulas_in(token.children or ()):
            # Our Markdown escapes bars outside of tables, too, where nothing removes the backslash.
            formula.content = formula.content.replace(r"\|", "|")
    body = parser.renderer.render(tokens, parser.options, {})
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )


def formulas_in(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield each code between dollars, which is a formula, and remove its dollars."""
    for before, code, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (
            code.type == "code_inline"
            and before.type == after.type == "text"
            and before.content.endswith("$")
            and after.content.startswith("$")
        ):
            before.content, after.content = before.content[:-1], after.content[1:]
            yield code
