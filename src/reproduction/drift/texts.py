# SPDX-License-Identifier: MIT
"""Two cells of words and numbers: equal words, and numbers as near as a tolerance asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from receval.storage.messages import shortened
from reproduction.drift.spec import Tolerance

_MINUS = "\N{MINUS SIGN}"

# Digits within a word, such as P@10, C-034 or 3/4, are letters of a name.
_NUMBER = re.compile(
    rf"""
    (?<!\S) [(\[{{"']*
    (?P<number>
        [+\-{_MINUS}]?
        (?: (?: \d{{1,3}}(?:,\d{{3}})+ | \d+ ) (?: \.(?P<decimals>\d+) )?
          | \.(?P<no_zero>\d+) )
        (?: [eE] (?P<exponent>[+\-{_MINUS}]?\d+) )?
    )
    (?= (?P<percent>[ ]?%)? [.,;:!?)\]}}"']* (?!\S) )
    """,
    re.ASCII | re.VERBOSE,
)


@dataclass(frozen=True)
class PrintedNumber:
    """A number as a text prints it.

    Attributes
    ----------
    value : float
        The number; of per cents the share, as columns of values have it.
    unit : float
        What its last digit counts: .01 of ``.48``. 0 of a whole number, which is not rounded.
    start : int
        Where it begins in the text.
    """

    value: float
    unit: float
    start: int


@dataclass(frozen=True)
class NumberChange:
    """A number that is another in the fresh text, and how far it may be from the accepted one."""

    accepted: PrintedNumber
    fresh: PrintedNumber
    allowed: float

    @property
    def difference(self) -> float:
        """Fresh minus accepted."""
        return self.fresh.value - self.accepted.value


def words_and_numbers(text: str) -> tuple[tuple[str, ...], tuple[PrintedNumber, ...]]:
    """Return the words before, between and after the numbers of a text, and these numbers.

    Notes
    -----
    A number is a word of its own, with punctuation around it: an integer or a decimal, with or
    without a zero before the point, with either minus, separated thousands or an exponent. Digits
    in any other word belong to a name.

    Examples
    --------
    >>> words, numbers = words_and_numbers("P@10 of MF: .48 against 1,160.")
    >>> words
    ('P@10 of MF: ', ' against ', '.')
    >>> [number.value for number in numbers]
    [0.48, 1160.0]
    """
    text = _on_one_line(text)
    words: list[str] = []
    numbers: list[PrintedNumber] = []
    end = 0
    for found in _NUMBER.finditer(text):
        words.append(text[end : found.start("number")])
        end = found.end("number")
        numbers.append(_printed_number(found))
    return (*words, text[end:]), tuple(numbers)


def changes_of_numbers(
    accepted: str, fresh: str, tolerance: Tolerance
) -> list[NumberChange] | None:
    """Return the numbers of a text that moved, with how far they could have.

    Returns
    -------
    list of NumberChange, or None
        In the order of the text; None where the words differ, or there are more or fewer numbers.

    Notes
    -----
    Two whole numbers, as in "17 of 20 pairs", are counts and move as counts may. Per cents are
    shares, and rounded even if they are whole. What stands behind a rounded number may move by the
    tolerance, so that the printed one may move further: by half a unit of the last digit of each.
    Without a tolerance nothing moves, and the printed numbers must be equal.

    Examples
    --------
    >>> allowed = Tolerance(absolute=0.25, reason="an example")
    >>> moves = changes_of_numbers("1.5 in 17 of 20", "1.0 in 16 of 20", allowed)
    >>> [(move.difference, move.allowed) for move in moves]
    [(-0.5, 0.35), (-1.0, 0.0)]
    >>> changes_of_numbers("above 1.5", "below 1.5", allowed)
    """
    words, before = words_and_numbers(accepted)
    other_words, after = words_and_numbers(fresh)
    if words != other_words:
        return None
    return [
        NumberChange(old, new, _allowed(old, new, tolerance))
        for old, new in zip(before, after, strict=True)
        if old.value != new.value
    ]


def first_difference(one: str, other: str) -> int:
    """Return at which character two texts begin to differ.

    Examples
    --------
    >>> first_difference("MF leads.", "MF loses.")
    4
    """
    one, other = _on_one_line(one), _on_one_line(other)
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def part_of(text: str, place: int, most: int = 80) -> str:
    """Return a text, or of a long one the part about a place.

    Examples
    --------
    >>> part_of("The best of all systems is MF.", 27, most=21)
    '...systems is MF.'
    """
    text = _on_one_line(text)
    if len(text) <= most:
        return shortened(text, most)
    # At a word, so that no half of one stands at the beginning.
    begin = text.rfind(" ", 0, max(0, place - most // 3)) + 1
    dots = "..." if begin else ""
    return dots + shortened(text[begin:], most - len(dots))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _printed_number(found: re.Match[str]) -> PrintedNumber:
    digits = found["number"].replace(_MINUS, "-").replace(",", "")
    decimals = found["decimals"] or found["no_zero"] or ""
    exponent = int((found["exponent"] or "0").replace(_MINUS, "-"))
    share = 100 if found["percent"] else 1
    is_whole = not (decimals or found["exponent"] or found["percent"])
    unit = 0.0 if is_whole else 10.0 ** (exponent - len(decimals)) / share
    return PrintedNumber(float(digits) / share, unit, found.start("number"))


def _allowed(accepted: PrintedNumber, fresh: PrintedNumber, tolerance: Tolerance) -> float:
    """Return how far a printed number may move."""
    if accepted.unit == fresh.unit == 0:
        return float(tolerance.counts)
    bound = max(tolerance.absolute, tolerance.relative * abs(accepted.value))
    if bound == 0:
        return 0.0
    return bound + (accepted.unit + fresh.unit) / 2
