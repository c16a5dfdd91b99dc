# SPDX-License-Identifier: MIT
"""How datasets look: in ink, told apart by dash and marker, as colours are those of systems."""

from __future__ import annotations

from collections.abc import Sequence

from receval.figures.style import INK, LINE_STYLES, MARKERS, SeriesStyle


def dataset_styles(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return the style of each dataset of a figure, in their order.

    Examples
    --------
    >>> [style.line for style in dataset_styles(["ml-1m", "netflix"]).values()]
    ['-', '--']
    """
    if len(set(names)) != len(names) or len(names) > len(LINE_STYLES):
        raise ValueError(
            f"The datasets {', '.join(names)} need each its own dash: name each once, and at most "
            f"{len(LINE_STYLES)}."
        )
    return {
        name: SeriesStyle(INK, marker, dash)
        for name, marker, dash in zip(names, MARKERS, LINE_STYLES, strict=False)
    }
