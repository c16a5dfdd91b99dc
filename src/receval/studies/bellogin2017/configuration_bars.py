"""Bars of metrics: a group for each configuration of the evaluation, a bar for each system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import stdtrit

from receval.figures.bars import grouped_bars
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.storage.files import real_values
from receval.studies._shared.inputs import ArtifactInputs

CONFIDENCE = 0.95
"""How often an interval would hold the mean of all folds that might be drawn."""

CONFIGURATION = ("dataset", "split", "protocol", "sampled", "system", "metric", "cutoff")
"""The columns that tell one bar from another."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the metrics of every dataset, protocol, system and fold, and the means over folds.

    Parameters of the artifact: ``metrics``. Those that ``drawn`` leaves out are other forms of the
    ones in the figure. Under 1R there is no bpref, for which a list needs items judged
    non-relevant.

    The columns are those of :func:`receval.evaluation.values_by_fold.values_by_fold`.
    """
    from receval.evaluation.values_by_fold import values_by_fold
    from receval.metrics.registry import parse

    metrics = [parse(label) for label in inputs.parameters["metrics"]]
    tables = [values_by_fold(experiment, metrics) for experiment in inputs.experiments.values()]
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a row of panels for each metric that is drawn, a panel for each dataset.

    Parameters of the artifact: ``drawn`` and, aligned with it, ``titles``; ``row_height`` (inches).
    """
    bars = means_with_intervals(results)
    bars["configuration"] = _configurations(bars)
    cutoffs = [f"@{n:g}" if n == n else "" for n in real_values(bars["cutoff"])]
    bars["label"] = bars["metric"] + cutoffs
    drawn = dict(zip(display.parameters["drawn"], display.parameters["titles"], strict=True))
    datasets = list(dict.fromkeys(bars["dataset"]))
    bars = _with_gaps(bars, list(drawn))
    groups = bars.groupby("dataset")["configuration"].nunique()
    figure = new_figure(DOUBLE_COLUMN, display.parameters["row_height"] * len(drawn) + 0.5)
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
    return figure


def means_with_intervals(
    results: pd.DataFrame, keys: Sequence[str] = CONFIGURATION
) -> pd.DataFrame:
    r"""Return the means over folds, each with half the width of its confidence interval.

    .. math:: h = t_{n-1}(0.975)\, s / \sqrt{n}

    with :math:`s` the standard deviation over the :math:`n` folds; NaN with a single fold.

    Parameters
    ----------
    results : DataFrame
        A row for each fold and, with ``mean`` for the fold, one for their mean.
    keys : sequence of str
        The columns by which rows belong together.

    Returns
    -------
    DataFrame
        The rows of the means, with the column ``half_interval`` more.
    """
    by = list(keys)
    folds = results[results["fold"] != "mean"]
    spread = folds.groupby(by, sort=False, dropna=False)["value"].agg(["std", "size"])
    with np.errstate(invalid="ignore"):
        factor = stdtrit(spread["size"] - 1, (1 + CONFIDENCE) / 2) / np.sqrt(spread["size"])
    spread["half_interval"] = factor * spread["std"]
    means = results[results["fold"] == "mean"]
    return means.merge(spread["half_interval"].reset_index(), on=by, how="left")


def draw_configurations(axes: Axes, bars: pd.DataFrame, display: DisplayStyle) -> None:
    """Draw the bars of one metric on one dataset.

    Parameters
    ----------
    axes : Axes
    bars : DataFrame
        What :func:`means_with_intervals` returns, with the column ``configuration``: the label of
        the group.
    display : DisplayStyle
    """
    grouped_bars(
        axes,
        bars,
        group="configuration",
        series="system",
        value="value",
        error="half_interval",
        styles=display.styles(bars["system"].unique()),
        series_labels=display.titles,
    )
    lowest = (bars["value"] - bars["half_interval"].fillna(0)).min()
    if lowest < 0:
        axes.set_ylim(bottom=1.05 * lowest)
        axes.axhline(0, color="black", linewidth=0.6)


def _configurations(bars: pd.DataFrame) -> pd.Series[str]:
    """Name the protocol of each row, and below it the number of sampled candidates."""
    sampled = bars["sampled"].astype(str)
    return bars["protocol"] + "\n" + sampled.where(sampled == "", "$|N_u|$ = " + sampled)


def _with_gaps(bars: pd.DataFrame, labels: list[str]) -> pd.DataFrame:
    """Return the bars of some metrics, with NaN where a metric has no value."""
    keys = ["dataset", "configuration", "system"]
    groups = bars[keys].drop_duplicates()
    wanted = pd.concat([groups.assign(label=label) for label in labels], ignore_index=True)
    return wanted.merge(bars, on=[*keys, "label"], how="left")
