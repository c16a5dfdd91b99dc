# SPDX-License-Identifier: MIT
"""Corrections of sampled metrics: how close they come to the values among all candidates."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.curves import line, plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure, series_styles
from receval.metrics.registry import parse
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.sampled_orders import (
    ESTIMATOR_TITLES,
    LARGEST_SPREAD,
    NONE,
    SampledMoments,
    correction_errors,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the expected value of each estimator of a metric among all candidates.

    Candidates are drawn uniformly. The estimators are those of
    :mod:`receval.sampled_metrics.rank_corrections`, and ``none``, the sampled metric itself.

    Parameters of the artifact: ``metrics``, labels; ``negatives``, numbers of candidates.

    Columns: dataset; metric; negatives; estimator; system; full (the value among all candidates);
    expected (mean over samples); sd (over samples; empty for the most likely ranks, which are
    estimated from expected shares, and if above ten times the systems' mean value).
    """
    from receval.sampled_metrics.rank_corrections import corrected_values

    metrics = {str(label): parse(str(label)) for label in inputs.parameters["metrics"]}
    moments = SampledMoments(inputs, metrics).uniform
    (experiment,) = inputs.experiments.values()
    tables = []
    for size in map(int, inputs.parameters["negatives"]):
        means, variances = moments.at(size)
        tables += [
            pd.DataFrame(
                {
                    "metric": label,
                    "negatives": size,
                    "estimator": NONE,
                    "system": list(moments.odds),
                    "full": moments.full[row],
                    "expected": means[row],
                    "sd": np.sqrt(variances[row]),
                }
            )
            for row, label in enumerate(metrics)
        ]
        tables.append(corrected_values(moments, size).drop(columns="bias"))
    table = pd.concat(tables, ignore_index=True).assign(dataset=experiment.dataset)
    # Larger ones are useless as estimates, and their digits depend on the solver.
    level = table.groupby(["metric", "negatives"])["full"].transform("mean")
    table["sd"] = table["sd"].where(table["sd"] <= LARGEST_SPREAD * level)
    columns = ("dataset", "metric", "negatives", "estimator", "system", "full", "expected", "sd")
    return table[list(columns)]


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw error and tau with the full order by cut-off, one column per number of candidates."""

    errors = correction_errors(results)
    metrics = list(dict.fromkeys(errors["metric"]))
    sizes = list(dict.fromkeys(errors["negatives"]))
    styles = series_styles(list(ESTIMATOR_TITLES.values()))
    figure = new_figure(DOUBLE_COLUMN, 4.2)
    grid = figure.subplots(2, len(sizes), sharex=True, sharey="row", squeeze=False)
    dataset = next(iter(display.datasets.values()))
    for column, size in enumerate(sizes):
        for row, of in enumerate(("error", "tau")):
            axes = grid[row, column]
            for estimator, title in ESTIMATOR_TITLES.items():
                own = errors[(errors["negatives"] == size) & (errors["estimator"] == estimator)]
                values = own.set_index("metric")[of].reindex(metrics).to_numpy(dtype=np.float64)
                line(axes, np.arange(len(metrics)), values, styles[title], title)
            axes.set_xticks(range(len(metrics)), [name.partition("@")[2] for name in metrics])
        grid[0, column].set_yscale("log")
        plain_numbers(grid[0, column].yaxis)
        grid[0, column].set_title(f"Error, {int(size):,} sampled, {dataset}")
        grid[1, column].set_title(f"Order, {int(size):,} sampled")
        grid[1, column].set_xlabel(f"Cut-off of {metrics[0].partition('@')[0]}")
    grid[0, 0].set_ylabel("Error (% of the mean value,\nroot mean square, log scale)")
    grid[1, 0].set_ylabel("$\\tau$ with the order by\nall candidates")
    return with_legend(grid.flat)
