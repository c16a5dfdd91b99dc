"""Letters before the titles of panels."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase

from matplotlib.axes import Axes


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
