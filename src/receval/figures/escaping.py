# SPDX-License-Identifier: MIT
"""Plain text with marked formulas, made safe for Markdown and for LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

APART = "\u200b"
"""Stands within what is no mark of a formula, or no dash, and is never shown: names have none."""

_FORMULA = re.compile(r"(\$`.+?`\$)")

# Underscores within words, "<" before a space and ampersands that begin no entity are harmless.
_MARKDOWN = re.compile(r"([\\`*\[\]|~$]|<(?! )|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;))")

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "`": r"\textasciigrave{}",
    "\u00a0": "~",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\ldots{}",
    "\u2212": "$-$",
    "\u00d7": r"$\times$",
    "\u00f7": r"$\div$",
    "\u00b1": r"$\pm$",
    "\u00b7": r"$\cdot$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "\u2260": r"$\neq$",
    "\u2248": r"$\approx$",
    "\u221e": r"$\infty$",
    "\u2192": r"$\rightarrow$",
    "\u2190": r"$\leftarrow$",
    "\u2193": r"$\downarrow$",
    "\u2020": r"\dag{}",
    "\u2007": r"\phantom{0}",
    "\u2008": r"\phantom{.}",
}


def escape_markdown(text: str) -> str:
    """Return text that GitHub's Markdown prints as it is, inside and outside of tables.

    A formula in its marks (``$`` and a backquote) keeps them: GitHub sets it. Bars are escaped
    in it too, because a table is cut into cells before anything else is read.
    """
    return _by_parts(
        text,
        plain=lambda part: _MARKDOWN.sub(r"\\\1", part).replace(APART, ""),
        formula=lambda part: f"$`{part.replace('|', chr(92) + '|')}`$",
    )


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it is; a formula becomes inline mathematics.

    Characters without a command stay. Of those pdflatex prints the ones that
    :func:`is_set_by_pdflatex` knows.
    """
    return _by_parts(
        text,
        plain=lambda part: "".join(_latex_character(c) for c in _apart(part)),
        formula=lambda part: f"${part}$",
    )


def _by_parts(text: str, plain: Callable[[str], str], formula: Callable[[str], str]) -> str:
    return "".join(
        formula(part[2:-2]) if _FORMULA.fullmatch(part) else plain(part)
        for part in _FORMULA.split(text)
    )


def _apart(text: str) -> str:
    # LaTeX joins hyphens to dashes; an empty character between them keeps them apart.
    return re.sub("-(?=-)", f"-{APART}", text)


def _latex_character(character: str) -> str:
    return "{}" if character == APART else _LATEX.get(character, character)


def is_set_by_pdflatex(text: str) -> bool:
    """Tell whether pdflatex has all letters of a text for LaTeX: ASCII's and Latin ones.

    Others, such as Greek and Chinese ones, need lualatex or xelatex, and a font that has them.
    """
    return text.isascii() or all(
        character.isascii() or unicodedata.name(character, "").startswith("LATIN ")
        for character in text
    )
