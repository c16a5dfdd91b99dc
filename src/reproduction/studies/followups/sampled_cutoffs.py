# SPDX-License-Identifier: MIT
"""Which cut-off among all candidates a cut-off among sampled ones is equivalent to, by system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, NO_WINNER, new_figure
from receval.metrics.registry import parse
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.sampled_metrics.sampled_moments import AuditedMoments

PROPORTION = "#7f7f7f"
"""Colour of the line of cut-offs in proportion to the number of candidates."""


def common_cutoffs(moments: AuditedMoments, sampled: int) -> pd.DataFrame:
    r"""Return the cut-off whose full values are nearest to the sampled values of all systems.

    .. math:: K^* = \arg\min_K \sum_s (\mathrm{Recall}_s@K
        - E[\mathrm{Recall}_s@k \text{ among samples}])^2

    over the systems s; the smallest of equally near ones. No mapping of the cut-off k alone can be
    nearer, on average over these systems.

    Columns: those of :func:`receval.sampled_metrics.sampled_moments.full_cutoffs`, whose
    ``full_cutoff`` is of each single system, and: ``expected`` (among samples), ``common_cutoff``
    (:math:`K^*`), ``at_common`` (the full value there).

    Source: Li, Jin, Gao and Liu (2020), "On sampling top-K recommendation evaluation", KDD:
    :math:`SHR@k \approx HR@f(k)`.
    """
    from receval.sampled_metrics.sampled_moments import full_cutoffs

    table = full_cutoffs(moments, sampled)
    columns = list(moments.metrics)
    ranks = {name: np.sort(own.above[own.above >= 0] + 1) for name, own in moments.odds.items()}
    found = []
    for metric, own in table.groupby("metric", sort=False):
        column = columns.index(str(metric))
        expected = moments.at(sampled)[0][column]
        first = moments.tables[1, column]
        tried = np.arange(own["full_cutoff"].min(), own["full_cutoff"].max() + 1)
        # The share of the relevant items whose rank is at most each cut-off.
        shares = [
            np.searchsorted(ranks[name], tried, side="right") / len(moments.owners)
            for name in own["system"]
        ]
        full = np.stack([first * each for each in shares])
        # Sums of squares that differ only by rounding are equal.
        losses = ((full - expected[:, None]) ** 2).sum(axis=0).round(15)
        best = int(losses.argmin())
        found.append(
            own.assign(expected=expected, common_cutoff=tried[best], at_common=full[:, best])
        )
    return pd.concat(found, ignore_index=True) if found else table


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the cut-off at which full recall equals the expected recall among samples.

    Candidates are drawn uniformly without replacement (:func:`common_cutoffs`).

    Parameters of the artifact: ``metrics``, labels of recall; ``negatives``, numbers of candidates.

    Columns: dataset; negatives; cutoff (among samples); system; expected (among samples);
    full_cutoff (of the single system; 0 if nothing is expected to be found); share (of the
    candidates); common_cutoff (the one whose full values are nearest to the expected ones of all
    systems); at_common (the full value there).
    """
    from reproduction.studies.followups.sampled_orders import SampledMoments

    metrics = {str(label): parse(str(label)) for label in inputs.parameters["metrics"]}
    moments = SampledMoments(inputs, metrics).uniform
    (experiment,) = inputs.experiments.values()
    found = [common_cutoffs(moments, int(size)) for size in inputs.parameters["negatives"]]
    table = pd.concat(found, ignore_index=True).assign(dataset=experiment.dataset)
    columns = ("dataset", "negatives", "cutoff", "system", "expected", "full_cutoff", "share")
    return table[[*columns, "common_cutoff", "at_common"]]


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the cut-offs of all systems as shares, one panel per number of candidates.

    Parameters of the artifact: ``named``, the systems with names; all others are thin grey lines.
    """
    sizes = list(dict.fromkeys(results["negatives"]))
    systems = list(dict.fromkeys(results["system"]))
    cutoffs = sorted(set(results["cutoff"]))
    styles = display.styles(systems)
    named = [name for name in display.parameters["named"] if name in systems]
    figure = new_figure(DOUBLE_COLUMN, 3.0)
    grid = figure.subplots(1, len(sizes), sharex=True, sharey=True, squeeze=False)[0]
    dataset = next(iter(display.datasets.values()))
    for number, (axes, size) in enumerate(zip(grid, sizes, strict=True)):
        panel = results[results["negatives"] == size]
        axes.axhline(1, color=PROPORTION, linestyle=":", linewidth=1)
        # Lines with names are on top.
        for name in [*(name for name in systems if name not in named), *named]:
            own = panel[panel["system"] == name]
            places = [cutoffs.index(cutoff) for cutoff in own["cutoff"]]
            ratios = real_values(own["share"]) * (int(size) + 1) / own["cutoff"].to_numpy()
            label = display.short_titles[name] if name in named else None
            line(axes, places, ratios, styles[name], label, markers=name in named)
            if name not in named:
                axes.lines[-1].set(linewidth=0.5, color=NO_WINNER, zorder=1.5)
        axes.set_xticks(range(len(cutoffs)), [str(cutoff) for cutoff in cutoffs])
        axes.set_xlabel("Cut-off among samples")
        axes.set_title(f"{int(size):,} sampled" + ("" if number else f", {dataset}"))
    grid[0].set_ylabel(
        "Equivalent cut-off among all candidates\n(1 = in proportion to their number)"
    )
    return with_legend(grid)
