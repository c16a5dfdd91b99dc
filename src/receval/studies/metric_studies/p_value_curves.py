"""P-values of all pairs of systems under several metrics, and their curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, new_figure
from receval.statistics.multiple_comparisons import p_value_curve
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the p-value of every pair of systems under every metric.

    The parameter ``permutations`` of the artifact is the number of samples of signs. The columns
    are those of :func:`receval.evaluation.metric_comparison.p_values`.
    """
    from receval.evaluation.metric_comparison import p_values
    from receval.metrics.registry import parse_named

    return p_values(
        inputs.experiments.values(),
        parse_named(inputs.parameters["names"], inputs.parameters["metrics"]),
        inputs.seed,
        int(inputs.parameters["permutations"]),
    )


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the largest p-values of each metric by descending size, a panel for each dataset."""
    datasets = list(dict.fromkeys(results["dataset"]))
    styles = display.metric_styles(list(dict.fromkeys(results["metric"])))
    largest = int(display.parameters["largest_pairs"])
    width = SINGLE_COLUMN if len(datasets) == 1 else DOUBLE_COLUMN
    figure = new_figure(width, 2.9)
    panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        rows = results[results["dataset"] == dataset]
        for name, style in styles.items():
            curve = p_value_curve(rows.loc[rows["metric"] == name, "p_value"], largest)
            line(axes, np.arange(1, len(curve) + 1), curve, style, name)
        axes.set_title(display.datasets[dataset])
        axes.set_xlabel("pairs of systems by p-value")
        axes.set_xlim(0.5, largest + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    panels[0].set_ylabel("p-value")
    panels[0].set_ylim(bottom=0)
    legend_below(figure)
    return figure
