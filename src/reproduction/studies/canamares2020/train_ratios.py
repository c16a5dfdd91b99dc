# SPDX-License-Identifier: MIT
"""Curves of a metric over the train ratio (decision A2)."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_line
from reproduction.studies.canamares2020._shared.system_curves import (
    draw_limit,
    draw_system_curves,
    paper_says,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the artifact's metric under the starting configuration, at every train ratio.

    Parameters of the artifact: ``metric``; ``users`` (``tested`` or ``relevant``: which users are
    averaged, with rows for each). Lists are condensed if the metric says so. Large ratios leave
    some users without a relevant test rating; they count 0 among the tested.

    Columns: dataset; train_ratio; evaluated_users; metric; system; lists; value; p_value; verdict,
    the last five as in :meth:`.MeasuredSystems.compared`.
    """
    from receval.metrics.registry import parse
    from reproduction.studies.canamares2020._shared.measured_systems import (
        MeasuredSystems,
        starting_configuration,
        train_ratios,
    )

    label = str(inputs.parameters["metric"])
    form = "condensed" if parse(label).condensed else "full"
    tables = []
    for experiment in inputs.experiments.values():
        for ratio in train_ratios(experiment):
            configuration = starting_configuration(experiment).replace(
                split={"train_ratio": ratio}, lists=form
            )
            measured = MeasuredSystems(experiment, configuration, [label])
            for users in inputs.parameters["users"]:
                names = {
                    "dataset": experiment.dataset,
                    "train_ratio": ratio,
                    "evaluated_users": users,
                }
                tables.append(measured.compared(configuration, users, **names))
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per dataset, with one line per system, for the first kind of users.

    Parameters of the artifact: ``ylabel``; ``paper`` (:func:`.paper_says`): ``lowest`` and a lower
    limit of all values, or ``crossover`` and the ratio up to which kNN is ahead of MF.
    """
    parameters = display.parameters
    said = paper_says(display)
    shown = results[results["evaluated_users"] == parameters["users"][0]]
    ratios = shown["train_ratio"].min(), shown["train_ratio"].max()

    def finish(axes: Axes, dataset: str) -> None:
        for what, number in said.get(dataset, ()):
            if what == "lowest":
                published_line(
                    axes,
                    ratios,
                    (float(number), float(number)),
                    "paper: \N{GREATER-THAN OR EQUAL TO} 50",
                )
            else:
                draw_limit(axes, float(number), "paper: kNN ahead", "MF ahead")
        axes.set_xlabel("Train ratio")
        axes.set_ylabel(parameters["ylabel"])
        if parameters["metric"].startswith("Unjudged"):
            axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=""))
        axes.xaxis.set_major_locator(MultipleLocator(0.1))

    return draw_system_curves(
        shown, display, display.datasets, panel="dataset", across="train_ratio", finish=finish
    )
