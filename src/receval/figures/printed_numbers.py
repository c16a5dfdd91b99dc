# SPDX-License-Identifier: MIT
"""Format numbers, also within texts, for tables and figures.

Numbers below 1 have no zero before the point, negative numbers have a true minus sign, and small
numbers keep their significant digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite, isnan

DIGITS = 3
"""Default number of significant digits of a value."""

NOTHING = "\N{EN DASH}"
"""Printed if there is no value."""

SMALLEST_P = 0.001
"""Smaller p-values are printed as "< .001"."""

_MINUS = "\N{MINUS SIGN}"
_FIGURE_SPACE, _POINT_SPACE = "\N{FIGURE SPACE}", "\N{PUNCTUATION SPACE}"

_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?)0*(\d+)\b")
_IN_TEXTS = (
    (re.compile(r"(?<![\w.,])0(?=\.\d)"), ""),
    (re.compile(r"(?<![\w)\]}-])-(?=\.?\d)"), _MINUS),
    (re.compile(r"(?<=[\w)]) - (?=[\w(])"), f" {_MINUS} "),
    (re.compile(r"(?<=\d)%"), " %"),
    # The x of a product, such as coverage x reduced; in "x and y" or "the x axis" it is a name.
    (re.compile(r"(?<=\w) x (?!(?:and|or|axis)\b)(?=\w)"), " \N{MULTIPLICATION SIGN} "),
    (re.compile(">="), "\N{GREATER-THAN OR EQUAL TO}"),
    (re.compile("<="), "\N{LESS-THAN OR EQUAL TO}"),
)
_FORMULA = re.compile(r"(\$`.+?`\$)")


def fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """Format a number with a fixed number of decimals; a dash if there is no number.

    Examples
    --------
    >>> fixed(0.9291, 3), fixed(1234.5, 1), fixed(0.2, 1, signed=True)
    ('.929', '1,234.5', '+.2')
    """
    if isnan(value):
        return NOTHING
    digits = f"{abs(value):,.{decimals}f}"
    is_zero = not digits.strip("0.,")
    sign = "" if is_zero else _MINUS if value < 0 else "+" if signed else ""
    return sign + (digits[1:] if digits.startswith("0.") else digits)


def significant(value: float, digits: int = DIGITS, *, signed: bool = False) -> str:
    """Format a number with some significant digits; larger whole numbers are printed in full.

    Examples
    --------
    >>> significant(0.45331), significant(0.00081234), significant(12.345), significant(0)
    ('.453', '.000812', '12.3', '0')
    >>> significant(0.9996), significant(6040), significant(0.00114, signed=True)
    ('1.00', '6,040', '+.00114')
    """
    if value == 0 or not isfinite(value):
        return NOTHING if not isfinite(value) else "0"
    # Use the exponent after rounding: .9996 becomes 1.00.
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return fixed(value, max(0, digits - 1 - exponent), signed=signed)


def p_value(value: float) -> str:
    """Format a p-value with three decimals, or as "< .001".

    Examples
    --------
    >>> p_value(0.597), p_value(3.4e-75)
    ('.597', '< .001')
    """
    if not isnan(value) and value < SMALLEST_P:
        return f"< {fixed(SMALLEST_P, 3)}"
    return fixed(value, 3)


def as_written(value: float) -> str:
    """Format a number with all of its digits, such as a published number.

    Examples
    --------
    >>> as_written(0.0067), as_written(10000.0), as_written(0.1)
    ('.0067', '10,000', '.1')
    """
    if value == int(value):
        return fixed(value, 0)
    return fixed(value, len(f"{value:.12f}".rstrip("0").partition(".")[2]))


def in_text(text: str) -> str:
    r"""Format the numbers within a text like those of tables; formulas do not change.

    Examples
    --------
    >>> in_text("between 0.1 and 0.25, p >= 0.05, for 50% of the users")
    'between .1 and .25, p ≥ .05, for 50 % of the users'
    >>> print(in_text("from 1.769e-6"))
    from $`1.769 \times 10^{-6}`$
    """
    return by_parts(by_parts(text, lambda part: _POWER.sub(_as_formula, part)), _replaced)


def by_parts(text: str, plain: Callable[[str], str], formula: Callable[[str], str] = str) -> str:
    """Change the plain parts of a text, and its formulas with their marks."""
    return "".join(
        formula(part) if _FORMULA.fullmatch(part) else plain(part) for part in _FORMULA.split(text)
    )


def _as_formula(power: re.Match[str]) -> str:
    factor, sign, exponent = power.groups()
    before = "" if factor == "1" else rf"{factor} \times "
    return rf"$`{before}10^{{{sign.strip('+')}{exponent}}}`$"


def _replaced(text: str) -> str:
    for pattern, replacement in _IN_TEXTS:
        text = pattern.sub(replacement, text)
    return text


def on_points(cells: Sequence[str]) -> list[str]:
    """Pad the cells of a column of numbers so that their decimal points are aligned.

    The spaces are as wide as a digit or a point. Cells without a number do not change.

    Examples
    --------
    >>> [cell.replace("\N{FIGURE SPACE}", "_") for cell in on_points([".453", ".00081", "any"])]
    ['.453__', '.00081', 'any']
    """
    decimals = [_decimals(cell) for cell in cells]
    most = max((number for number in decimals if number is not None), default=0)
    return [
        cell
        if number is None or not most
        else cell + _POINT_SPACE * (number == 0) + _FIGURE_SPACE * (most - number)
        for cell, number in zip(cells, decimals, strict=True)
    ]


def _decimals(cell: str) -> int | None:
    if not re.search(r"\d$", cell):
        return None
    return len(cell) - cell.rindex(".") - 1 if re.search(r"\.\d+$", cell) else 0
