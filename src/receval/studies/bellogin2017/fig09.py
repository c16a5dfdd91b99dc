"""Figure 9: metrics for incomplete or biased judgments, under the configurations of figure 2."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.legend import legend_below, note
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.statistics.confidence import means_with_intervals
from receval.storage.tidy_csv import real_values
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.bellogin2017._shared.configuration_bars import (
    configurations,
    draw_configurations,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the metrics of every dataset, protocol, system and fold, and the means over folds.

    Under 1R there is no bpref, for which a list needs items judged non-relevant. The metrics that
    the parameter ``drawn`` leaves out are other forms of those in the figure.

    The columns are those of :func:`receval.evaluation.values_by_fold.values_by_fold`.
    """
    from receval.evaluation.values_by_fold import values_by_fold
    from receval.metrics.registry import parse

    metrics = [parse(label) for label in inputs.parameters["metrics"]]
    tables = [values_by_fold(experiment, metrics) for experiment in inputs.experiments.values()]
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a row of panels for each metric that is drawn, a panel for each dataset."""
    bars = means_with_intervals(results)
    bars["configuration"] = configurations(bars)
    cutoffs = [f"@{n:g}" if n == n else "" for n in real_values(bars["cutoff"])]
    bars["label"] = bars["metric"] + cutoffs
    drawn = dict(zip(display.parameters["drawn"], display.parameters["titles"], strict=True))
    datasets = list(dict.fromkeys(bars["dataset"]))
    bars = _with_gaps(bars, list(drawn))
    groups = bars.groupby("dataset")["configuration"].nunique()
    figure = new_figure(DOUBLE_COLUMN, 1.5 * len(drawn) + 0.5)
    grid = figure.subplots(
        len(drawn), len(datasets), width_ratios=groups[datasets].tolist(), squeeze=False
    )
    for (label, title), panels in zip(drawn.items(), grid, strict=True):
        for axes, dataset in zip(panels, datasets, strict=True):
            chosen = bars[(bars["label"] == label) & (bars["dataset"] == dataset)]
            draw_configurations(axes, chosen, display)
            if axes in grid[0]:
                axes.set_title(display.datasets[dataset])
        panels[0].set_ylabel(title)
    legend_below(figure)
    if display.absence:
        note(figure, display.absence)
    return figure


def _with_gaps(bars: pd.DataFrame, labels: list[str]) -> pd.DataFrame:
    """Return the bars of some metrics, with NaN where a metric has no value."""
    keys = ["dataset", "configuration", "system"]
    places = bars[keys].drop_duplicates()
    wanted = pd.concat([places.assign(label=label) for label in labels], ignore_index=True)
    return wanted.merge(bars, on=[*keys, "label"], how="left")
