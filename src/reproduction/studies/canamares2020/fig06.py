# SPDX-License-Identifier: MIT
"""Figure 6: effect of the cut-off (evaluation depth)."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.curves import logarithmic_x
from receval.figures.display import DisplayStyle
from receval.metrics.registry import parse
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.canamares2020.train_ratios import draw_system_curves


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the metric at all cut-offs for every experiment.

    Columns: experiment; dataset; metric (without its cut-off); cutoff; system; lists; value;
    p_value; verdict, the last five as in
    :meth:`reproduction.experiments.universes.MeasuredSystems.compared`.
    """
    from reproduction.experiments.universes import MeasuredSystems, starting_configuration

    metric = parse(str(inputs.parameters["metric"]))
    labels = [metric.at(int(depth)).label for depth in inputs.parameters["depths"]]
    tables = []
    for name, experiment in inputs.experiments.items():
        configuration = starting_configuration(experiment)
        measured = MeasuredSystems(experiment, configuration, labels)
        table = measured.compared(configuration, experiment=name, dataset=experiment.dataset)
        cutoffs = [parse(label).cutoff for label in table["metric"]]
        table["metric"] = metric.label
        table.insert(3, "cutoff", cutoffs)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per experiment, with one line per system over a logarithmic cut-off."""
    datasets = dict(zip(results["experiment"], results["dataset"], strict=True))
    titles = {
        name: "\n".join(filter(None, (display.datasets[dataset], display.experiments[name])))
        for name, dataset in datasets.items()
    }

    def finish(axes: Axes, _: str) -> None:
        logarithmic_x(axes)
        axes.set_xlabel("Depth $d$ (log scale)")
        axes.set_ylabel("nDCG@$d$")

    return draw_system_curves(
        results,
        display,
        titles,
        panel="experiment",
        shown="nDCG by depth",
        across="cutoff",
        finish=finish,
        markers=False,
    )
