"""Agreement of metrics: Kendall's tau between the orders in which they put the systems."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import heat_map
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, new_figure
from receval.statistics.correlation import kendall_tau_b
from receval.storage.files import real_values
from receval.studies._shared.inputs import ArtifactInputs

RELEASED_DIGITS = 4
"""Digits of the released values from which the papers' coefficients were computed."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the correlation of every pair of metrics.

    Parameters of the artifact, aligned: ``names`` (printed), ``metrics`` (labels of the text's
    forms) and ``released`` (labels of the released tool's).

    Columns: dataset; average (over users); metric_a, metric_b (every ordered pair, a metric with
    itself included); tau (of the text's forms of the metrics); tau_released (of the released
    tool's, with values rounded to four digits as the paper's were: rounding ties systems); systems
    (how many are ordered).
    """
    from receval.evaluation.metric_comparison import agreement_of, system_values
    from receval.metrics.averages import Arithmetic
    from receval.metrics.registry import parse_named

    metrics = parse_named(inputs.parameters["names"], inputs.parameters["metrics"])
    released = parse_named(inputs.parameters["names"], inputs.parameters["released"])
    both = [*metrics.values(), *released.values()]
    tables = []
    for experiment in inputs.experiments.values():
        (values,) = system_values(experiment, both, [Arithmetic()])
        own, theirs = values[: len(metrics)], np.round(values[len(metrics) :], RELEASED_DIGITS)
        table = agreement_of(own, list(metrics), experiment.dataset, Arithmetic.name)
        table.insert(5, "tau_released", kendall_tau_b(theirs, theirs).ravel())
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a heat map for each dataset."""
    return draw_agreement(results, display, {"arithmetic": ""})


def draw_agreement(
    results: pd.DataFrame, display: DisplayStyle, titles: Mapping[str, str], prefix: str = ""
) -> Figure:
    """Draw a heat map for each dataset (across) and average (down), with its numbers.

    Parameters
    ----------
    results : DataFrame
        From :func:`data`, or with the columns of :func:`.agreement_of`.
    display : DisplayStyle
    titles : mapping of str to str
        The averages to draw, and what is printed for each; nothing for an empty title.
    prefix : str
        Put before the names of the metrics.
    """
    datasets = list(dict.fromkeys(results["dataset"]))
    names = list(dict.fromkeys(results["metric_a"]))
    # Panels are as wide as they can be with readable numbers, and no wider.
    width = min(DOUBLE_COLUMN, max(SINGLE_COLUMN, 0.9 + 0.3 * len(names) * len(datasets)))
    # A panel's names stand beside and below it, its title above.
    height = ((width - 0.7) / len(datasets) + 0.15) * len(titles) + 0.2
    # One scale for all panels, from just below the lowest coefficient, so that colours differ.
    known = real_values(results["tau"])
    known = known[~np.isnan(known)]
    lowest = min(0.9, np.floor(known.min() * 10 - 1e-9) / 10) if len(known) else 0.0
    figure = new_figure(width, height)
    panels = figure.subplots(len(titles), len(datasets), squeeze=False)
    images = []
    for row, (average, title) in zip(panels, titles.items(), strict=True):
        for axes, dataset in zip(row, datasets, strict=True):
            rows = results[(results["dataset"] == dataset) & (results["average"] == average)]
            tau = real_values(rows["tau"]).reshape(len(names), len(names))
            shown = [f"{prefix}{name}" for name in names]
            images.append(heat_map(axes, tau, shown, lowest))
            axes.set_title(display.datasets[dataset] + (f"\n{title}" if title else ""))
    figure.colorbar(images[0], ax=panels, label="Kendall's $\\tau$", shrink=0.6, aspect=25)
    return figure
