# SPDX-License-Identifier: MIT
"""The cut-off among all candidates that a cut-off among sampled ones amounts to, by system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROPORTION = "#7f7f7f"
"""Colour of the line of as many candidates in proportion."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return at which cut-off full recall is what recall among samples is expected to be.

    Candidates are drawn uniformly without replacement
    (:func:`reproduction.studies.followups._shared.common_cutoffs.common_cutoffs`).

    Parameters of the artifact: ``metrics``, labels of recall; ``negatives``, numbers of candidates.

    Columns: dataset; negatives; cutoff (among samples); system; expected (among samples);
    full_cutoff (of the system by itself; 0 where nothing is expected to be found); share (of the
    candidates); common_cutoff (the one whose full values are nearest to the expected ones of all
    systems); at_common (the full value there).
    """
    from receval.metrics.registry import parse
    from reproduction.studies.followups._shared.common_cutoffs import common_cutoffs
    from reproduction.studies.followups._shared.sampled_moments_of_systems import SampledMoments

    metrics = {str(label): parse(str(label)) for label in inputs.parameters["metrics"]}
    moments = SampledMoments(inputs, metrics).uniform
    (experiment,) = inputs.experiments.values()
    found = [common_cutoffs(moments, int(size)) for size in inputs.parameters["negatives"]]
    table = pd.concat(found, ignore_index=True).assign(dataset=experiment.dataset)
    columns = ("dataset", "negatives", "cutoff", "system", "expected", "full_cutoff", "share")
    return table[[*columns, "common_cutoff", "at_common"]]


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the cut-off of every system in proportion, a panel a number of candidates.

    Parameters of the artifact: ``named``, the systems that have names; all others are thin lines.
    """
    from receval.figures.curves import line
    from receval.figures.finish import legend_below, letter_panels
    from receval.figures.style import DOUBLE_COLUMN, new_figure

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
        # Those with names are on top.
        for name in [*(name for name in systems if name not in named), *named]:
            own = panel[panel["system"] == name]
            places = [cutoffs.index(cutoff) for cutoff in own["cutoff"]]
            ratios = real_values(own["share"]) * (int(size) + 1) / own["cutoff"].to_numpy()
            label = display.short_titles[name] if name in named else None
            line(axes, places, ratios, styles[name], label, markers=name in named)
            if name not in named:
                axes.lines[-1].set_linewidth(0.5)
        axes.set_xticks(range(len(cutoffs)), [str(cutoff) for cutoff in cutoffs])
        axes.set_xlabel("Cut-off among samples")
        axes.set_title(f"{int(size):,} sampled" + ("" if number else f", {dataset}"))
    grid[0].set_ylim(bottom=0)
    grid[0].set_ylabel("Cut-off among all candidates\n(ratio to that in proportion)")
    letter_panels(grid)
    legend_below(figure)
    return figure
