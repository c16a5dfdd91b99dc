"""How metrics look: the papers' nine have the same colour and marker in every figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from receval.figures.style import SeriesStyle, ordered_styles, series_styles

STANDARD = ("P", "Recall", "MAP", "nDCG", "MRR", "bpref", "infAP", "F1", "ERR")
"""Metrics of the papers by name: each has the same colour and marker in every figure."""


def metric_styles(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return the style of each metric: that of its name where it is one of the papers' nine.

    ``GP`` or ``GMAP`` look like ``P`` or ``MAP``, and ``GF1*`` like ``F1`` but dotted. Other names,
    such as cut-offs of one metric, go from light to dark in their order.
    """
    plain = [_plain(name) for name in names]
    if not set(plain) <= set(STANDARD):
        return ordered_styles(names)
    styles = series_styles(STANDARD)
    return {
        name: replace(styles[own], line=":") if name.endswith("*") else styles[own]
        for name, own in zip(names, plain, strict=True)
    }


def _plain(name: str) -> str:
    return name if name in STANDARD else name.removeprefix("G").removesuffix("*")
