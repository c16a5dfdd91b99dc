# SPDX-License-Identifier: MIT
"""Kendall's tau of joint measures with measures of relevance, of fairness, and with each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import letter_panels
from receval.figures.heat_map import coloured_cells
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.rampisela2024.measured_lists import (
    FAIRNESS,
    JOINT,
    LESS_IS_BETTER,
    MEASURES,
    RELEVANCE,
)


def taus_of_folds(
    results: pd.DataFrame, depth: int
) -> Iterator[tuple[str, int, NDArray[np.float64]]]:
    """Yield dataset, fold, and Kendall's tau-b of all measures, shape (n_metrics, n_metrics).

    The ordered runs are all systems, each before and after re-ranking. Measures of which less is
    better have the other sign, so that 1 always means that two agree on which runs are better.
    """
    whole = results[results["ranks"] == f"1-{depth}"]
    signs = np.array([-1.0 if name in LESS_IS_BETTER else 1.0 for name in MEASURES])
    for (dataset, number), own in whole.groupby(["dataset", "fold"], sort=False):
        values = np.array([real_values(own[name]) for name in MEASURES]) * signs[:, None]
        # Values may be as small as 1e-7: what counts as a tie is relative to their size.
        values /= np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)
        yield str(dataset), int(number), kendall_tau_b(values, values, TOLERANCE_OF_MEANS)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the mean tau over folds of each joint measure with each measure.

    Parameter of the artifact: ``depth``.

    Columns: dataset; metric; compared_with; folds; tau (mean over the folds in which it is
    defined: not all runs are level under one of the two); low and high (the smallest and the
    largest).
    """
    results = read_results(inputs.results["measured_lists"])
    found: dict[str, list[NDArray[np.float64]]] = {}
    for dataset, _, taus in taus_of_folds(results, int(inputs.parameters["depth"])):
        found.setdefault(dataset, []).append(taus)
    rows = []
    for dataset, of_folds in found.items():
        stacked = np.array(of_folds)
        for measure in JOINT:
            for other in MEASURES:
                taus = stacked[:, MEASURES.index(measure), MEASURES.index(other)]
                taus = taus[np.isfinite(taus)]
                summary = [taus.mean(), taus.min(), taus.max()] if len(taus) else [np.nan] * 3
                rows.append((dataset, measure, other, len(taus), *summary))
    columns = ["dataset", "metric", "compared_with", "folds", "tau", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a heat map per dataset, with joint measures as rows."""

    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 0.9 + 2.4 * len(datasets))
    panels = figure.subplots(len(datasets), 1, squeeze=False)[:, 0]
    for axes, dataset in zip(panels, datasets, strict=True):
        own = results[results["dataset"] == dataset]
        taus = real_values(own["tau"]).reshape(len(JOINT), len(MEASURES))
        image = coloured_cells(axes, taus, JOINT, MEASURES, -1, 1)
        axes.set_aspect("auto")
        axes.tick_params(axis="x", labelsize=6.5)
        for edge in (len(RELEVANCE), len(RELEVANCE) + len(FAIRNESS)):
            axes.axvline(edge - 0.5, color="black", linewidth=1.2)
        axes.set_title(f"Agreement of measures, {display.datasets[dataset]}")
    panels[-1].set_xlabel("Relevance (6), fairness (5) and joint measures (9)")
    letter_panels(panels)
    # Beside the panels it would take the width that numbers below 0 need.
    below = figure.colorbar(image, ax=list(panels), location="bottom", shrink=0.5, aspect=40)
    below.set_label("Kendall's $\\tau$")
    return figure
