# SPDX-License-Identifier: MIT
"""Figures 7 and 8: items without a score, and a kNN that scores fewer of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import beside, letter_panels
from receval.figures.line_labels import label_lines, readable
from receval.figures.style import DOUBLE_COLUMN, INK, SINGLE_COLUMN, SeriesStyle, new_figure
from receval.storage.files import real_values
from reproduction.studies._shared.bars import bar_offsets, grouped_bars
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.canamares2020.system_curves import draw_limit, paper_says

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment

POLICY_TITLES = {
    "none": "None: left out",
    "random": "Random order",
    "popularity": "By popularity",
    "average": "By average rating",
}

K_SIZE = 6.5
"""Font size of the numbers of neighbours, in points."""


def data_fig07(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the metrics on all users' condensed lists, by policy and number of neighbours.

    Columns: dataset; policy; neighbours; metric; system; lists; value; p_value; verdict, the last
    five as in :meth:`.MeasuredSystems.compared`, against the fewest neighbours.
    """
    from reproduction.experiments.universes import (
        MeasuredSystems,
        starting_configuration,
    )

    labels = [str(label) for label in inputs.parameters["metrics"]]
    tables = []
    for experiment in inputs.experiments.values():
        neighbours = aligned_parameter(inputs, "neighbours", experiment.systems)
        start = starting_configuration(experiment).replace(users="all", lists="condensed")
        for policy in POLICY_TITLES:
            configuration = start.replace(non_computable=policy)
            measured = MeasuredSystems(experiment, configuration, labels, experiment.systems)
            table = measured.compared(configuration, dataset=experiment.dataset, policy=policy)
            table.insert(2, "neighbours", table["system"].map(neighbours))
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def aligned_parameter(
    inputs: ArtifactInputs, parameter: str, systems: Sequence[str]
) -> dict[str, int]:
    """Return each system's number from a parameter, such as its number of neighbours.

    The parameter lists increasing numbers. If the name of a system ends in a number, it must be its
    own.
    """
    numbers = [int(number) for number in inputs.parameters[parameter]]
    if len(numbers) != len(systems):
        raise ValueError(
            f"The parameter {parameter} has {len(numbers)} numbers for the systems "
            f"{', '.join(systems)}: give one for each of these {len(systems)}."
        )
    if sorted(set(numbers)) != numbers:
        raise ValueError(
            f"The parameter {parameter} is {', '.join(map(str, numbers))}, which does not "
            "increase: list numbers and systems from the smallest to the largest."
        )
    aligned = dict(zip(systems, numbers, strict=True))
    for system, number in aligned.items():
        ending = system.rpartition("-")[2]
        if ending.isdigit() and int(ending) != number:
            raise ValueError(
                f"The parameter {parameter} gives the system {system} the number {number}, but "
                f"its name says {ending}: list both in the same order."
            )
    return aligned


def draw_fig07(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one group of bars per policy, with k below each bar and its coverage as a cross."""
    _, drawn, coverage = display.parameters["metrics"]
    neighbours = dict(zip(results["system"], results["neighbours"].astype(int), strict=True))
    styles = display.styles(neighbours)
    figure = new_figure(DOUBLE_COLUMN, 2.5)
    axes = figure.subplots()
    grouped_bars(
        axes,
        results[results["metric"] == drawn],
        group="policy",
        series="system",
        value="value",
        styles=styles,
        group_order=list(POLICY_TITLES),
        group_labels=POLICY_TITLES,
        series_labels=display.titles,
    )
    # The lightest bar is nearly white.
    for bar in axes.patches:
        bar.set_edgecolor(INK)
    crosses = results[results["metric"] == coverage].set_index(["policy", "system"])["value"]
    offsets, _ = bar_offsets(list(styles))
    bars = [
        (group + offset, policy, system)
        for group, policy in enumerate(POLICY_TITLES)
        for system, offset in offsets.items()
    ]
    axes.plot(
        [x for x, *_ in bars],
        [crosses[policy, system] for _, policy, system in bars],
        linestyle="none",
        marker="x",
        color=INK,
        markeredgewidth=1.2,
    )
    _name_bars(axes, [(x, neighbours[system]) for x, _, system in bars])
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("Treatment of items without a score")
    axes.set_ylabel("nDCG@10 (bars),\nCoverage@10 (crosses)")
    datasets = ", ".join(display.datasets[name] for name in dict.fromkeys(results["dataset"]))
    axes.set_title(f"kNN with k neighbours, {datasets}")
    return figure


def _name_bars(axes: Axes, bars: Sequence[tuple[float, int]]) -> None:
    """Print k below each bar, above the name of its group."""
    names = [f"k = {k}" if x == bars[0][0] else f"{k}" for x, k in bars]
    # The middle bar has the same position as the group's name.
    axes.xaxis.remove_overlapping_locs = False
    axes.set_xticks([x for x, _ in bars], names, minor=True, fontsize=K_SIZE)
    axes.tick_params(axis="x", which="minor", length=0, pad=2)
    axes.tick_params(axis="x", which="major", pad=12)


USER_COVERAGE = "UserCoverage"
FULL, REDUCED = "full", "reduced"
PRODUCTS = {"coverage x reduced": REDUCED, "coverage x full": FULL}
"""The equation between both averages (equal to the full one), correct and as printed."""

KNN = {REDUCED: ("kNN, reduced", "-"), FULL: ("kNN, full", ":")}
"""Names and dashes of the averages; systems that the paper lacks are dashed."""


def data_fig08(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return full and reduced averages and the coverage, of kNN by minimum overlap and of MF.

    Columns: dataset; average (full, reduced, or a product of the user coverage and one of these);
    minimum_overlap (empty for systems without it); metric; system; lists; value; p_value; verdict,
    the last five as in :meth:`.MeasuredSystems.compared`, against the parameter ``reference``. The
    test under the reduced average is over the users that both systems cover. The paper does not say
    whether these lists are condensed, so both are measured and full ones are drawn.
    """
    return pd.concat(
        [_of_experiment(experiment, inputs) for experiment in inputs.experiments.values()],
        ignore_index=True,
    )


def _of_experiment(experiment: Experiment, inputs: ArtifactInputs) -> pd.DataFrame:
    from reproduction.experiments.universes import MeasuredSystems, starting_configuration

    reference = str(inputs.parameters["reference"])
    neighbourhoods = [system for system in experiment.systems if system != reference]
    overlaps = aligned_parameter(inputs, "overlaps", neighbourhoods)
    systems = [reference, *neighbourhoods, *experiment.extra_systems]
    metrics = inputs.metrics()
    tables = []
    for form in ("full", "condensed"):
        start = starting_configuration(experiment).replace(lists=form)
        labels = [m.label for m in metrics if m.condensed == (form == "condensed")]
        measured = MeasuredSystems(experiment, start, labels, systems)
        full, reduced = (
            measured.compared(start.replace(coverage=average)).assign(average=average)
            for average in (FULL, REDUCED)
        )
        tables += [full, *_with_coverage(full, reduced)]
    results = pd.concat(tables, ignore_index=True)
    results.insert(0, "minimum_overlap", [str(overlaps.get(s, "")) for s in results["system"]])
    results.insert(0, "average", results.pop("average"))
    results.insert(0, "dataset", experiment.dataset)
    return results


def _with_coverage(full: pd.DataFrame, reduced: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the reduced averages, and both averages times the user coverage."""
    of_users = full["metric"].str.startswith(USER_COVERAGE)
    coverage = full[of_users].set_index("system")["value"]
    # Coverage is a share of all users, so its reduced average is meaningless.
    averages = {
        name: table[~table["metric"].str.contains("Coverage")]
        for name, table in ((FULL, full), (REDUCED, reduced))
    }
    yield averages[REDUCED]
    for product, factor in PRODUCTS.items():
        table = averages[factor]
        values = table["value"].to_numpy() * coverage[table["system"]].to_numpy()
        yield table.assign(average=product, value=values, p_value=np.nan, verdict="")


def draw_fig08(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the averages by minimum overlap, MF as horizontal lines, and the coverage below.

    Parameters of the artifact: ``paper`` (:func:`.paper_says`): the overlap beyond which the
    reduced average of kNN is above MF.
    """
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(SINGLE_COLUMN if len(datasets) == 1 else DOUBLE_COLUMN, 3.9)
    panels = figure.subplots(
        2, len(datasets), squeeze=False, sharex=True, gridspec_kw={"height_ratios": (3, 2)}
    )
    for (above, below), dataset in zip(panels.T, datasets, strict=True):
        own = results[results["dataset"] == dataset]
        _draw_averages(above, own, display)
        above.set_title(f"Precision, {display.datasets[dataset]}")
        for (limit,) in paper_says(display).get(dataset, ()):
            draw_limit(above, float(limit), "", f"paper: kNN (reduced)\nahead beyond {limit}")
        coverage = own[own["metric"] == USER_COVERAGE]
        _over_overlap(below, coverage, _of_knn(display, "-"), None)
        below.set_title("Users who get a recommendation")
        below.set_ylabel("User coverage\nof kNN (%)")
        below.set_xlabel("Minimum overlap (items in common)")
        below.set_xticks(display.parameters["overlaps"])
        # Shares of nearly 0 have whole marks.
        below.set_ylim(-0.03, 1.05)
        below.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=""))
    letter_panels(panels.ravel())
    label_lines(panels[0])
    return figure


def _draw_averages(axes: Axes, own: pd.DataFrame, display: DisplayStyle) -> None:
    metric = display.parameters["metrics"][0]
    of_metric = own[own["metric"] == metric]
    for average, (label, dash) in KNN.items():
        _over_overlap(
            axes, of_metric[of_metric["average"] == average], _of_knn(display, dash), label
        )
    ends = [min(display.parameters["overlaps"]), max(display.parameters["overlaps"])]
    others = of_metric[(of_metric["average"] == FULL) & (of_metric["minimum_overlap"] == "")]
    for system, style in display.styles(others["system"]).items():
        (value,) = others.loc[others["system"] == system, "value"]
        height = [float(value)] * 2
        line(axes, ends, height, style, display.short_titles[system], markers=False)
    axes.set_ylabel(metric)
    axes.set_ylim(bottom=0)


def _of_knn(display: DisplayStyle, dash: str) -> SeriesStyle:
    """Return the style of the middle kNN for all of its points, since the first is too light."""
    reference = display.parameters["reference"]
    hues = [
        name for name in display.systems if name != reference and name not in display.extra_systems
    ]
    middle = hues[len(hues) // 2]
    return replace(display.styles([middle])[middle], line=dash)


def _over_overlap(axes: Axes, rows: pd.DataFrame, style: SeriesStyle, label: str | None) -> None:
    points = real_values(rows[["minimum_overlap", "value"]])
    points = points[~np.isnan(points[:, 0])]
    known = points[~np.isnan(points[:, 1])]
    if label is not None and len(known) < len(points):
        if len(known):
            # At the edge of the panel the name would look like a part of the line.
            beside(axes, label, known[-1], (5, 0), va="center", color=readable(style.colour))
        label = None
    line(axes, points[:, 0], points[:, 1], style, label)
