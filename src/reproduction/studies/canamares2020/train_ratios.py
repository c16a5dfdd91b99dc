# SPDX-License-Identifier: MIT
"""Curves of systems over the train ratio (decision A2); other figures draw theirs with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter

from receval.figures.curves import line
from receval.figures.display import DisplayStyle, panel_title
from receval.figures.finish import beside
from receval.figures.line_labels import with_named_lines
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, SeriesStyle, new_figure
from receval.metrics.registry import parse
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import PUBLISHED_GREY, published_line

HEIGHT = 2.4


def styles_by_short_title(display: DisplayStyle, systems: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return the style of each system; systems with the same short title share one.

    So kNN looks the same in all panels, whatever its number of neighbours.
    """
    own = display.styles(systems)
    by_title: dict[str, SeriesStyle] = {}
    for system, style in own.items():
        by_title.setdefault(display.short_titles[system], style)
    return {system: by_title[display.short_titles[system]] for system in own}


def draw_system_curves(
    results: pd.DataFrame,
    display: DisplayStyle,
    titles: Mapping[str, str],
    *,
    shown: str,
    across: str,
    finish: Callable[[Axes, str], None],
    panel: str = "dataset",
    markers: bool = True,
) -> Figure:
    """Draw one panel per dataset or experiment, with one line per system, named at its end.

    A title says what is ``shown`` where there is one panel.
    ``finish`` takes a panel and its name, labels the axes and adds further elements.
    """
    names = list(dict.fromkeys(results[panel]))
    styles = styles_by_short_title(display, dict.fromkeys(results["system"]))
    figure = new_figure(SINGLE_COLUMN if len(names) == 1 else DOUBLE_COLUMN, HEIGHT)
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        own = results[results[panel] == name]
        for system in dict.fromkeys(own["system"]):
            points = own[own["system"] == system].sort_values(across)
            x, y = real_values(points[[across, "value"]]).T
            # A system without any value has no end of a line for its name.
            label = None if np.isnan(y).all() else display.short_titles[system]
            line(axes, x, y, styles[system], label, markers=markers)
        axes.set_title(panel_title(titles[name], shown, alone=len(names) == 1))
        finish(axes, name)
    return with_named_lines(panels)


# Statements of the paper's text about a figure, from the parameters of its artifact.


def paper_says(display: DisplayStyle) -> dict[str, list[list[str]]]:
    """Return the entries of the parameter ``paper`` by dataset.

    Each entry is the name of a dataset and further words, such as ``ml-1m 0.5``. The artifact's
    ``draw`` says what they mean. Twins have no entries.
    """
    said: dict[str, list[list[str]]] = {}
    for entry in display.parameters.get("paper", ()):
        dataset, *words = str(entry).split()
        said.setdefault(dataset, []).append(words)
    return said


def draw_limit(axes: Axes, x: float, before: str, beyond: str) -> None:
    """Draw a vertical grey line where the paper's finding changes, with words on both sides."""
    axes.axvline(x, color=PUBLISHED_GREY, linewidth=0.7, linestyle=(0, (1, 1.5)), zorder=1.5)
    style = {"xycoords": axes.get_xaxis_transform(), "va": "bottom", "color": PUBLISHED_GREY}
    for words, shift, align in ((before, -3, "right"), (beyond, 3, "left")):
        beside(axes, words, (x, 0), (shift, 3), ha=align, **style)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the artifact's metric under the starting configuration, at every train ratio.

    Parameters of the artifact: ``metric``; ``users`` (``tested`` or ``relevant``: which users are
    averaged, with rows for each). Lists are condensed if the metric says so. Large ratios leave
    some users without a relevant test rating; they count 0 among the tested.

    Columns: dataset; train_ratio; evaluated_users; metric; system; lists; value; p_value; verdict,
    the last five as in :meth:`.MeasuredSystems.compared`.
    """
    from reproduction.experiments.universes import (
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

    Parameters of the artifact: ``ylabel``; ``panel``, what a single panel shows; ``paper``
    (:func:`.paper_says`): ``lowest`` and a lower limit of all values, or ``crossover`` and the
    ratio up to which kNN is ahead of MF.
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

    panel = parameters["panel"]
    return draw_system_curves(
        shown, display, display.datasets, shown=panel, across="train_ratio", finish=finish
    )
