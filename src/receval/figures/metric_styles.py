# SPDX-License-Identifier: MIT
"""Styles of metrics in figures: a colour per metric, and shades of it for its cut-offs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from receval.figures.hues import shaded
from receval.figures.named_styles import MetricStyle
from receval.figures.style import MARKERS, SeriesStyle

NAMES_IN_PRINT = {"AP": "MAP", "RR": "MRR"}
"""Names in figures of metrics whose means over users have another name."""

LIGHTEST, DARKEST = 0.6, -0.75
"""Shades of the smallest and the largest cut-off."""

CUTOFF_MARKERS = ("p", "h", "d", "8")
"""Markers of the second, third, ... cut-off of a metric; no metric has them as its own."""


def plain_metric(name: str) -> str:
    """Return the plain metric of a printed name or label, such as MAP for ``GMAP`` and ``AP@100``.

    Examples
    --------
    >>> [plain_metric(name) for name in ("AP@100", "GF1*", "nDCG@5", "antiP@10", "ndcg(depth=5)")]
    ['MAP', 'F1', 'nDCG', 'antiP', 'ndcg']
    """
    metric = re.sub(r"[@(*].*", "", name)
    metric = re.sub(r"^G(?=[A-Za-z])", "", metric)
    return NAMES_IN_PRINT.get(metric, metric)


def metric_styles(names: Sequence[str], known: Mapping[str, MetricStyle]) -> dict[str, SeriesStyle]:
    """Return the style of each metric of a figure.

    ``GP`` or ``AP@100`` look like ``P`` or ``MAP``, and ``GF1*`` looks like ``F1`` but dotted.
    Several cut-offs of one metric have its hue, from light to dark in their order, and different
    markers.

    Raises
    ------
    ValueError
        A name is repeated, a metric has no style, or several names would look alike.
    """
    if len(set(names)) != len(names):
        raise ValueError(f"The metrics {', '.join(names)} repeat a name: each needs its own style.")
    plain = [plain_metric(name) for name in names]
    if unknown := sorted(set(plain) - set(known)):
        raise ValueError(
            f"No display style is known for {', '.join(unknown)}: add a colour and a marker for "
            "it to the metrics of config/display.yaml."
        )
    if len(names) > 1 and len(set(plain)) == 1:
        return _cutoffs(names, known[plain[0]], MARKERS)
    styles = {
        name: SeriesStyle(
            known[metric].colour, known[metric].marker, ":" if name.endswith("*") else "-"
        )
        for name, metric in zip(names, plain, strict=True)
    }
    for metric in set(plain):
        cutoffs = [name for name in names if name.partition("@")[0] == metric and "@" in name]
        if len(cutoffs) > 1:
            styles |= _cutoffs(cutoffs, known[metric], (known[metric].marker, *CUTOFF_MARKERS))
    if len(set(styles.values())) < len(styles):
        raise ValueError(
            f"Some of the metrics {', '.join(names)} would look alike: draw cut-offs, or one "
            "form of each metric."
        )
    return styles


def _cutoffs(
    names: Sequence[str], metric: MetricStyle, markers: Sequence[str]
) -> dict[str, SeriesStyle]:
    shades = np.linspace(LIGHTEST, DARKEST, len(names))
    return {
        name: SeriesStyle(
            shaded(metric.colour, round(float(shade), 3)), markers[index % len(markers)]
        )
        for index, (name, shade) in enumerate(zip(names, shades, strict=True))
    }
