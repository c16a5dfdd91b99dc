"""What all panels have in common: letters before their titles, and how numbers are printed."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase

from matplotlib.axes import Axes
from matplotlib.ticker import ScalarFormatter


class AxisNumbers(ScalarFormatter):
    """Numbers of an axis without the zero before the point: 0, .05, .10; -.5, 0, .5, 1.0."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return how a number is printed; see :meth:`matplotlib.ticker.Formatter.__call__`."""
        return short_number(super().__call__(x, pos))


def short_number(text: str) -> str:
    """Return a printed number without the zero before its point, and 0 for any zero.

    Examples
    --------
    >>> [short_number(text) for text in ("0.05", "-0.50", "1.0", "0.00", "10")]
    ['.05', '-.50', '1.0', '0', '10']
    """
    digits = text.lstrip("-\N{MINUS SIGN}")
    if digits.strip("0.") == "" and digits:
        return "0"
    if digits.startswith("0."):
        return text[: len(text) - len(digits)] + digits[1:]
    return text


def number_axes(panels: Iterable[Axes]) -> None:
    """Let all axes that have matplotlib's own numbers print them as the other figures do."""
    for axes in panels:
        for axis in (axes.xaxis, axes.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(AxisNumbers())


def letter_panels(panels: Iterable[Axes]) -> None:
    """Put (a), (b) ... before the titles of panels; a single one gets no letter.

    Raises
    ------
    ValueError
        There are more panels than letters.
    """
    lettered = list(panels)
    if len(lettered) > len(ascii_lowercase):
        raise ValueError(f"There are {len(lettered)} panels, more than letters to name them by.")
    if len(lettered) > 1:
        for letter, axes in zip(ascii_lowercase, lettered, strict=False):
            axes.set_title(f"({letter}) {axes.get_title(loc='left')}".rstrip())
