# SPDX-License-Identifier: MIT
"""Escape plain text with marked formulas for Markdown and LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

APART = "\u200b"
"""Invisible character that breaks up what would be a formula mark or a dash; names have none."""

_FORMULA = re.compile(r"(\$`.+?`\$)")

# Underscores within words, "<" before a space, and ampersands that begin no entity are harmless.
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
    """Escape text so that GitHub's Markdown prints it unchanged, inside and outside tables.

    A formula keeps its marks (``$`` and a backquote), so that GitHub typesets it. Bars are escaped
    even in formulas, because Markdown splits tables into cells first.
    """
    return _by_parts(
        text,
        plain=lambda part: _MARKDOWN.sub(r"\\\1", part).replace(APART, ""),
        formula=lambda part: f"$`{part.replace('|', chr(92) + '|')}`$",
    )


def escape_latex(text: str) -> str:
    """Escape text so that LaTeX prints it unchanged; formulas become inline mathematics.

    Characters without a LaTeX command do not change; :func:`is_set_by_pdflatex` tells whether
    pdflatex can print them.
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
    # LaTeX turns hyphens into dashes unless something empty separates them.
    return re.sub("-(?=-)", f"-{APART}", text)


def _latex_character(character: str) -> str:
    return "{}" if character == APART else _LATEX.get(character, character)


def is_set_by_pdflatex(text: str) -> bool:
    """Tell whether pdflatex can print all letters of a LaTeX text: ASCII and other Latin letters.

    Others, such as Greek and Chinese letters, need lualatex or xelatex, and a suitable font.
    """
    return text.isascii() or all(
        character.isascii() or unicodedata.name(character, "").startswith("LATIN ")
        for character in text
    )
