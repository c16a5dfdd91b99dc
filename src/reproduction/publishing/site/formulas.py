# SPDX-License-Identifier: MIT
"""Formulas as MathML, which browsers set by themselves."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

_SIZE = re.compile(r"\\(?:[bB]igg?[lr]?|textstyle|displaystyle)(?![A-Za-z])")
_DOTS = re.compile(r"\\dots(?![a-z])")
_INDEXED = {"msub", "msup", "msubsup"}
_LETTER = re.compile(r"[A-Za-z]")
_PRODUCT = re.compile(r"[a-z][A-Z]")


def formula(latex: str, *, block: bool = False) -> str:
    """Return a formula of LaTeX as MathML.

    Letters that follow each other are one name, such as rank or TP, as all formulas here mean it;
    a small one before a capital is a product.

    Examples
    --------
    >>> formula("TP_k")
    '<math><msub><mi>TP</mi><mi>k</mi></msub></math>'
    """
    # Browsers size brackets and sums themselves.
    known = _DOTS.sub(r"\\ldots", _SIZE.sub("", latex.strip()))
    try:
        markup = tex2mathml(known, as_block=block)
    except (MathError, AttributeError) as error:
        # docutils stumbles over a line break in a formula, such as a doubled backslash.
        raise ValueError(
            f"The formula {latex.strip()!r} cannot be set: {error} Write it with other commands."
        ) from error
    # The name of the language is implied in HTML; the sign that a function is applied is invisible.
    markup = markup.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    root = ElementTree.fromstring(markup.replace("&ApplyFunction;", "\u2061"))
    for element in root.iter():
        if element.text and not element.text.strip():
            element.text = None
        element.tail = None
    for element in root.iter():
        if element.tag in ("math", "mrow", "mtd"):
            _join_letters(element)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _join_letters(element: ElementTree.Element) -> None:
    run: list[ElementTree.Element] = []
    for child in [*element, None]:
        letter = child[0] if child is not None and child.tag in _INDEXED else child
        is_name = letter is not None and _is_name(letter)
        if is_name and letter is not None:
            run.append(letter)
        # An index ends the name that it belongs to.
        if not is_name or letter is not child:
            _join(element, run)
            run = []


def _join(element: ElementTree.Element, run: list[ElementTree.Element]) -> None:
    name = "".join(letter.text or "" for letter in run)
    if len(run) < 2 or _PRODUCT.fullmatch(name):
        return
    *before, last = run
    last.text = name
    for letter in before:
        element.remove(letter)


def _is_name(element: ElementTree.Element) -> bool:
    return element.tag == "mi" and bool(_LETTER.fullmatch(element.text or ""))
