# SPDX-License-Identifier: MIT
"""Orders of systems among sampled candidates, compared with those among all candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.sampled_moments import (
    AUC,
    EVERY,
    SAMPLINGS,
    UNIFORM,
    SampledMoments,
    sampled_taus,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {"uniform": "Drawn uniformly", "popularity": "Drawn by popularity"}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return the expected values of all systems and metrics, by number of candidates.

    Each relevant test rating is ranked among s sampled non-relevant candidates (1R NN), drawn
    uniformly without replacement or by training popularity with replacement. Expectations and
    variances are sums over all samples (:mod:`receval.sampled_metrics.sampled_moments`,
    :mod:`receval.sampled_metrics.weighted_candidates`). Values are means over relevant test
    ratings.

    Parameters of the artifact: ``names`` and ``metrics``; ``negatives``, the numbers s.

    Columns: dataset; sampling (``uniform`` or ``popularity``); negatives (``all`` under full
    ranking, with the sampling ``uniform``); metric (``AUC``, the mean share of candidates below the
    relevant item, only for all candidates); system; expected; sd (over samples, independent for
    each relevant item and system).
    """
    from receval.metrics.registry import parse_named

    metrics = parse_named(inputs.parameters["names"], inputs.parameters["metrics"])
    moments = SampledMoments(inputs, metrics)
    (experiment,) = inputs.experiments.values()
    found: list[tuple[str, str, str, object, object]] = []
    for sampling in SAMPLINGS:
        for size in map(int, inputs.parameters["negatives"]):
            means, variances = moments.at(sampling, size)
            for label, mean, variance in zip(metrics, means, variances, strict=True):
                found.append((sampling, str(size), label, mean, np.sqrt(variance)))
    for label, values in zip(metrics, moments.uniform.full, strict=True):
        found.append((UNIFORM, EVERY, label, values, 0.0))
    found.append((UNIFORM, EVERY, AUC, moments.auc, 0.0))
    tables = [
        pd.DataFrame(
            {
                "dataset": experiment.dataset,
                "sampling": sampling,
                "negatives": negatives,
                "metric": metric,
                "system": moments.systems,
                "expected": expected,
                "sd": deviation,
            }
        )
        for sampling, negatives, metric, expected, deviation in found
    ]
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau with the order among all candidates, and below it tau with the order by AUC.

    Parameters of the artifact: ``printed``, the numbers of candidates that are drawn, besides all.
    """
    from receval.figures.curves import line
    from receval.figures.finish import legend_below, letter_panels
    from receval.figures.style import DOUBLE_COLUMN, new_figure

    taus = sampled_taus(results)
    drawn = [*map(str, display.parameters["printed"]), EVERY]
    taus = taus[taus["negatives"].isin(drawn)]
    metrics = list(dict.fromkeys(taus["metric"]))
    styles = display.metric_styles(metrics)
    sizes = list(dict.fromkeys(taus["negatives"]))
    figure = new_figure(DOUBLE_COLUMN, 4.4)
    grid = figure.subplots(2, 2, sharex=True, sharey="row")
    dataset = next(iter(display.datasets.values()))
    for row, (column, label) in enumerate((("tau_full", "All candidates"), ("tau_auc", "AUC"))):
        for axes, sampling in zip(grid[row], SAMPLINGS, strict=True):
            for metric in metrics:
                own = taus[(taus["sampling"] == sampling) & (taus["metric"] == metric)]
                places = [sizes.index(size) for size in own["negatives"]]
                line(axes, places, own[column], styles[metric], metric)
            axes.set_title(f"{TITLES[sampling]}, {dataset}" if not row else TITLES[sampling])
        grid[row, 0].set_ylabel(f"$\\tau$ with the order by\n{label.lower() if not row else label}")
    for axes in grid[-1]:
        axes.set_xticks(range(len(sizes)), list(map(written_size, sizes)))
        axes.set_xlabel("Sampled candidates a relevant item")
    letter_panels(grid.flat)
    legend_below(figure)
    return figure


def written_size(size: str) -> str:
    """Return a number of candidates as it is printed."""
    return f"{int(size):,}" if size.isdigit() else size
