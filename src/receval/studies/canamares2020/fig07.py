"""Figure 7: what is done with items that have no score."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.bars import GROUP_WIDTH, grouped_bars
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure, ordered_styles
from receval.studies._shared.inputs import ArtifactInputs

POLICY_TITLES = {
    "none": "None",
    "random": "Random",
    "popularity": "Popularity",
    "average": "Average rating",
}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the metrics on condensed lists of all users, by policy and number of neighbours.

    Columns: dataset; policy; neighbours; metric; system; lists; value; p_value; verdict, the last
    five as in :meth:`.MeasuredSystems.compared`: against the
    fewest neighbours.

    Raises
    ------
    ValueError
        The parameter ``neighbours`` has not one number for each system.
    """
    from receval.studies.canamares2020._shared.measured_systems import (
        MeasuredSystems,
        aligned_parameter,
        starting_configuration,
    )

    labels = [str(label) for label in inputs.parameters["metrics"]]
    tables = []
    for experiment in inputs.experiments.values():
        neighbours = aligned_parameter(inputs, "neighbours", experiment.systems)
        start = starting_configuration(experiment).but(users="all", lists="condensed")
        for policy in POLICY_TITLES:
            configuration = start.but(non_computable=policy)
            measured = MeasuredSystems(experiment, configuration, labels, experiment.systems)
            table = measured.compared(configuration, dataset=experiment.dataset, policy=policy)
            table.insert(2, "neighbours", table["system"].map(neighbours))
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a group of bars for each policy, and the coverage as crosses on them."""
    _, drawn, coverage = display.parameters["metrics"]
    results = results.assign(series="k = " + results["neighbours"].astype(int).astype(str))
    styles = ordered_styles(list(dict.fromkeys(results["series"])))
    figure = new_figure(DOUBLE_COLUMN, 2.8)
    axes = figure.subplots()
    grouped_bars(
        axes,
        results[results["metric"] == drawn],
        group="policy",
        series="series",
        value="value",
        styles=styles,
        group_order=list(POLICY_TITLES),
        group_labels=POLICY_TITLES,
    )
    crosses = results[results["metric"] == coverage].set_index(["policy", "series"])["value"]
    width = GROUP_WIDTH / len(styles)
    positions = [
        (group + (bar - (len(styles) - 1) / 2) * width, crosses[policy, series])
        for group, policy in enumerate(POLICY_TITLES)
        for bar, series in enumerate(styles)
    ]
    x, y = np.array(positions).T
    axes.plot(
        x, y, linestyle="none", marker="x", color=INK, markeredgewidth=1.2, label="Coverage@10"
    )
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("Items without a score")
    axes.set_ylabel("nDCG@10, Coverage@10")
    legend_below(figure)
    return figure
