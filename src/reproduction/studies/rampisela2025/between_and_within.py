# SPDX-License-Identifier: MIT
"""Inequality over users, within groups and between groups, from few groups to many."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from receval.figures.curves import plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, new_figure, series_styles
from receval.statistics.inequality import MEASURES
from receval.storage.files import read_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.rampisela2025.measured_groups import GROUPINGS, PARTS, name_of

LEGEND = {
    "over_users": "over users",
    "within": "within groups",
    "between": "between groups",
    "by_chance": "between random groups of the same sizes",
}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Average the measured groups over the runs of each draw, and these means over draws.

    Columns: dataset; users; grouping; tested (the number of users, the largest of a draw); groups;
    metric (the measure); part; mean; low, high (the smallest and the largest of a draw).
    """
    results = read_results(inputs.results["measured_groups"])
    rows = []
    keys = ["dataset", "users", "grouping"]
    for key, own in results.groupby(keys, sort=False):
        for measure in MEASURES:
            for part in PARTS:
                column = own[f"{measure.lower()}_{part}"].astype(float)
                means = column.groupby(own["draw"]).mean()
                summary = (means.mean(), means.min(), means.max())
                counts = (own["tested"].max(), own["groups"].max())
                rows.append((*key, *counts, measure, part, *summary))
    columns = [*keys, "tested", "groups", "metric", "part", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel per measure (row) and sample of users (column), with the groupings across."""

    samples = list(results[["dataset", "users"]].drop_duplicates().itertuples(index=False))
    styles = series_styles(list(LEGEND))
    figure = new_figure(DOUBLE_COLUMN, 5.6)
    panels = figure.subplots(len(MEASURES), len(samples), squeeze=False, sharex=True, sharey="row")
    names = [name_of(grouping) for grouping in GROUPINGS]
    for column, (dataset, users) in enumerate(samples):
        of_sample = results[(results["dataset"] == dataset) & (results["users"] == users)]
        for row, measure in enumerate(MEASURES):
            axes = panels[row, column]
            own = of_sample[of_sample["metric"] == measure]
            for place, (part, text) in enumerate(LEGEND.items()):
                values = own[own["part"] == part].set_index("grouping").loc[names]
                means = values["mean"].to_numpy(dtype=float)
                ends = (means - values["low"], values["high"] - means)
                axes.errorbar(
                    [across + 0.14 * (place - 1.5) for across in range(len(names))],
                    means,
                    yerr=[end.to_numpy(dtype=float).clip(0) for end in ends],
                    linestyle="none",
                    marker=styles[part].marker,
                    markersize=4,
                    color=styles[part].colour,
                    elinewidth=0.8,
                    label=text if row == column == 0 else None,
                )
            axes.set_yscale("log")
            plain_numbers(axes.yaxis)
            axes.yaxis.set_minor_formatter(NullFormatter())
            if column == 0:
                axes.set_ylabel("Inequality of nDCG@10\n(log scale)")
            count = own["tested"].max()
            axes.set_title(f"{measure}, {count:,} users of {display.datasets[dataset]}")
        counts = of_sample.drop_duplicates("grouping").set_index("grouping")["groups"]
        broken = [name.replace("occupation", "job").replace(" and ", ",\n") for name in names]
        labels = [f"{text}\n({counts[name]})" for name, text in zip(names, broken, strict=True)]
        panels[-1, column].set_xticks(range(len(names)), labels, fontsize=6.5)
        panels[-1, column].set_xlabel("Grouped by (number of groups)")
    letter_panels(panels.ravel())
    legend_below(figure, columns=4)
    return figure
