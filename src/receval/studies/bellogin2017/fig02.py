"""Figure 2: the same precision under AR and 1R configurations."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.legend import legend_below, note
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.statistics.confidence import means_with_intervals
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.bellogin2017._shared.configuration_bars import (
    configurations,
    draw_configurations,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the metric of every dataset, protocol, system and fold, and the means over folds.

    The columns are those of :func:`receval.evaluation.values_by_fold.values_by_fold`.
    """
    from receval.evaluation.values_by_fold import values_by_fold
    from receval.metrics.registry import parse

    metric = parse(inputs.parameters["metric"])
    tables = [values_by_fold(experiment, [metric]) for experiment in inputs.experiments.values()]
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel a dataset: a group of bars for each configuration, a bar for each system."""
    datasets = list(dict.fromkeys(results["dataset"]))
    bars = means_with_intervals(results)
    bars["configuration"] = configurations(bars)
    figure = new_figure(DOUBLE_COLUMN, 2.7)
    groups = [bars[bars["dataset"] == name]["configuration"].nunique() for name in datasets]
    panels = figure.subplots(1, len(datasets), width_ratios=groups, squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        draw_configurations(axes, bars[bars["dataset"] == dataset], display)
        axes.set_title(display.datasets[dataset])
    panels[0].set_ylabel(display.parameters["metric"])
    legend_below(figure)
    if display.absence:
        note(figure, display.absence)
    return figure
