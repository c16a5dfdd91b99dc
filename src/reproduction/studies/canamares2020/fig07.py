# SPDX-License-Identifier: MIT
"""Figure 7: effect of how items without a score are treated."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from reproduction.studies._shared.bars import bar_offsets, grouped_bars
from reproduction.studies._shared.inputs import ArtifactInputs

POLICY_TITLES = {
    "none": "None: left out",
    "random": "Random order",
    "popularity": "By popularity",
    "average": "By average rating",
}

K_SIZE = 6.5
"""Font size of the numbers of neighbours, in points."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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
