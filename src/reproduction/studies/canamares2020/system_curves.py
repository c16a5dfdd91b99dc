# SPDX-License-Identifier: MIT
"""Figures 2 to 6: curves of systems over the train ratio, ranks in the list, and cut-offs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter
from numpy.typing import NDArray

from receval.figures.curves import line, logarithmic_x
from receval.figures.display import DisplayStyle, panel_title
from receval.figures.finish import beside
from receval.figures.line_labels import with_named_lines
from receval.figures.style import DOUBLE_COLUMN, INK, SINGLE_COLUMN, SeriesStyle, new_figure
from receval.metrics.registry import parse
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import PUBLISHED_GREY, published_line, published_mark

if TYPE_CHECKING:
    from receval.metrics.lists import ListView

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


def data_train_ratios(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw_train_ratios(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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


TOP = 10
"""The line in the figure; items above it are not in the top ten of the full list."""

ARROW = 14.0
"""Length in points of the arrow from a lower limit of the paper's value."""

COMPLETE, ANY = "complete", "any"
"""Users whose condensed lists reach the last rank under all systems, or all with an item."""


def data_fig05(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the mean full-list rank of the first, second, ... item of the condensed list.

    Columns: dataset; evaluated_users (``complete``: users whose condensed lists reach the last rank
    under all systems, the same at all ranks; ``any``: all users with an item at this rank); depth
    (rank in the condensed list); system; lists (number of these users); value (the mean rank; empty
    without such users).
    """
    from reproduction.experiments.universes import ExperimentUniverses, starting_configuration

    deepest = int(inputs.parameters["depth"])
    rows = []
    for experiment in inputs.experiments.values():
        configuration = starting_configuration(experiment)
        universes = ExperimentUniverses({experiment.split: experiment})
        has_train = universes.has_train(configuration)
        # The lists of all systems may not fit in memory.
        ranks = {
            system: first_ranks(universes.lists(configuration, system).full, deepest)
            for system in experiment.all_systems
        }
        reaches_last = np.all([own[:, -1] > 0 for own in ranks.values()], axis=0)
        for users in (COMPLETE, ANY):
            for system, own in ranks.items():
                for depth, at_depth in enumerate(own.T, start=1):
                    chosen = reaches_last if users == COMPLETE else at_depth > 0
                    evaluated_users = at_depth[chosen & has_train]
                    rows.append(
                        {
                            "dataset": experiment.dataset,
                            "evaluated_users": users,
                            "depth": depth,
                            "system": system,
                            "lists": len(evaluated_users),
                            "value": float(evaluated_users.mean())
                            if len(evaluated_users)
                            else np.nan,
                        }
                    )
    return pd.DataFrame(rows)


def first_ranks(lists: ListView, depth: int) -> NDArray[np.int32]:
    """Return the full-list ranks of the first items of the condensed lists."""
    indices = lists.starts[:-1, np.newaxis] + np.arange(depth)
    there = indices < lists.starts[1:, np.newaxis]
    ranks = np.zeros(indices.shape, dtype=np.int32)
    ranks[there] = lists.ranks[indices[there]]
    return ranks


def draw_fig05(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the top ten for complete users: one panel per dataset, one line per system.

    Parameters of the artifact: ``paper`` (:func:`.paper_says`): a rank in the condensed list, one
    in the full list, and words if the paper gives only a lower limit.
    """
    complete = results[results["evaluated_users"] == COMPLETE]
    ends = complete["depth"].min(), complete["depth"].max()

    def finish(axes: Axes, dataset: str) -> None:
        axes.plot(ends, [TOP, TOP], color=INK, linestyle=":", linewidth=0.8, label="full top 10")
        for condensed, full, *words in paper_says(display).get(dataset, ()):
            if words:
                _draw_above(axes, float(condensed), float(full), f"paper: {' '.join(words)}")
            else:
                published_mark(axes, float(condensed), float(full), side="above")
        axes.set_xlabel("Rank in the condensed list")
        axes.set_ylabel("Mean rank in the full list")
        axes.xaxis.set_major_locator(MultipleLocator(1))
        axes.set_ylim(bottom=0)

    return draw_system_curves(
        complete,
        display,
        display.datasets,
        shown="Ranks in both lists",
        across="depth",
        finish=finish,
        markers=False,
    )


def _draw_above(axes: Axes, x: float, y: float, words: str) -> None:
    """Draw a grey arrow up from a lower limit of the paper's value, with words beside it."""
    arrow = {
        "arrowstyle": "<|-,head_width=0.15,head_length=0.3",
        "color": PUBLISHED_GREY,
        "linewidth": 0.8,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    # The size of the head of an arrow follows the font.
    beside(axes, "", (x, y), (0, ARROW), arrowprops=arrow, annotation_clip=False, fontsize=None)
    axes.plot([x], [y], marker="_", markersize=5, color=PUBLISHED_GREY, clip_on=False)
    beside(axes, words, (x, y), (4.5, 0), ha="left", va="center", color=PUBLISHED_GREY)


def data_fig06(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw_fig06(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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
