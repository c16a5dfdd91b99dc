"""How curves of metrics are drawn: each metric in its colour, cut-offs of one in its shades."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from receval.figures.hues import shaded
from receval.figures.named_styles import MetricStyle
from receval.figures.style import MARKERS, SeriesStyle

NAMES_IN_PRINT = {"AP": "MAP", "RR": "MRR"}
"""A metric of one user by the name of its mean over users, which figures print."""

LIGHTEST, DARKEST = 0.6, -0.75
"""Shades of the smallest and the largest cut-off."""


def plain_metric(name: str) -> str:
    """Return the metric that a printed name or label is of: MAP for ``GMAP`` and ``AP@100``.

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

    ``GP`` or ``AP@100`` look like ``P`` or ``MAP``, and ``GF1*`` like ``F1`` but dotted. Where
    all are cut-offs of one metric, they go from light to dark in its hue, in their order.

    Parameters
    ----------
    names : sequence of str
        As they are printed.
    known : mapping of str to MetricStyle
        The registry (``config/display.yaml``).

    Raises
    ------
    ValueError
        For repeated names, metrics without a style, or several names that would look alike.
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
        shades = np.linspace(LIGHTEST, DARKEST, len(names))
        return {
            name: SeriesStyle(
                shaded(known[plain[0]].colour, round(float(shade), 3)),
                MARKERS[index % len(MARKERS)],
            )
            for index, (name, shade) in enumerate(zip(names, shades, strict=True))
        }
    styles = {
        name: SeriesStyle(
            known[metric].colour, known[metric].marker, ":" if name.endswith("*") else "-"
        )
        for name, metric in zip(names, plain, strict=True)
    }
    if len(set(styles.values())) < len(styles):
        raise ValueError(
            f"Some of the metrics {', '.join(names)} would look alike: draw the cut-offs of one "
            "metric, or one cut-off of each."
        )
    return styles
