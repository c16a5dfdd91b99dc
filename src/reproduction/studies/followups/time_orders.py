# SPDX-License-Identifier: MIT
"""Orders of systems under splits that ignore time and under splits that respect it.

All artifacts on time have their values by split from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.line_labels import with_named_lines
from receval.figures.style import DOUBLE_COLUMN, NO_WINNER, new_figure
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment


@dataclass(frozen=True)
class SplitValues:
    """Values per user of the systems in every fold of a split.

    For each fold, `folds` has values of shape (n_metrics, n_systems, n_users) of the users with
    both training and test ratings, and `users` their codes, ascending.
    """

    dataset: str
    protocol: str
    split: str
    tested: str
    folds: tuple[NDArray[np.float64], ...]
    users: tuple[NDArray[np.int64], ...]

    def means(self, metric: int) -> NDArray[np.float64]:
        """Return the means over users of a metric, shape (n_folds, n_systems)."""
        return np.array([fold[metric].mean(axis=1) for fold in self.folds])


@dataclass(frozen=True)
class SystemsBySplit:
    """Splits of a dataset in the order of :data:`SPLIT_TITLES`, and the systems of all of them."""

    systems: tuple[str, ...]
    splits: tuple[SplitValues, ...]


MOVED = 3  # places by which a system must move to have a colour in the figure

RANDOM = "random"

SPLIT_TITLES = {
    RANDOM: "Random",
    "newest_of_users": "Newest of\neach user",
    "last_of_users": "Last of\neach user",
    "newest": "Newest\nof all",
}
"""Which ratings are in test, from splits that ignore time to those by a time cut."""


def tested_by(split: str, parameters: Mapping[str, Any]) -> str:
    """Return which ratings a split tests: one of :data:`SPLIT_TITLES`."""
    for kind in SPLIT_TITLES:
        if split in parameters[kind]:
            return kind
    raise ValueError(
        f"Nothing says which ratings the split {split} tests: name it under one of the parameters "
        f"{', '.join(SPLIT_TITLES)}."
    )


def in_order(tested: Iterable[str]) -> list[str]:
    """Return the distinct kinds of tests, in the order of :data:`SPLIT_TITLES`."""
    found = set(tested)
    return [kind for kind in SPLIT_TITLES if kind in found]


def systems_by_split(
    inputs: ArtifactInputs, metrics: Mapping[str, Metric]
) -> Iterator[SystemsBySplit]:
    """Yield groups of two or more experiments on the same ratings under the same protocol."""
    groups: dict[tuple[str, str, str], list[Experiment]] = {}
    for experiment in inputs.experiments.values():
        protocol = experiment.only_protocol
        groups.setdefault((experiment.dataset, protocol.name, protocol.ties), []).append(experiment)
    for group in groups.values():
        tested = [tested_by(experiment.split, inputs.parameters) for experiment in group]
        if len(set(tested)) < 2:
            continue
        systems = tuple(
            system
            for system in group[0].all_systems
            if all(system in experiment.all_systems for experiment in group)
        )
        splits = []
        for experiment, of_split in zip(group, tested, strict=True):
            measured = [_values(experiment, systems, metrics, n) for n in experiment.folds]
            names = experiment.dataset, experiment.only_protocol.name, experiment.split, of_split
            splits.append(SplitValues(*names, *zip(*measured, strict=True)))
        places = list(SPLIT_TITLES)
        splits.sort(key=lambda split: places.index(split.tested))
        yield SystemsBySplit(systems, tuple(splits))


def _values(
    experiment: Experiment, systems: tuple[str, ...], metrics: Mapping[str, Metric], number: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from receval.metrics.evaluation import evaluate, evaluated_lists

    trained = np.diff(experiment.fold(number).train.indptr) > 0
    values = []
    users = np.empty(0, dtype=np.int64)
    for system in systems:
        lists = experiment.lists(system, experiment.only_protocol, number)
        chosen = evaluated_lists(lists, "tested") & trained[lists.users]
        users = lists.users[chosen]
        values.append(evaluate(tuple(metrics.values()), lists)[:, chosen])
    return np.stack(values, axis=1), users


def taus_between_folds(
    one: ArrayLike, other: ArrayLike, *, same_split: bool = False
) -> NDArray[np.float64]:
    """Return Kendall's tau-b between the orders in every fold of one split and of another."""
    return of_fold_pairs(kendall_tau_b(one, other, TOLERANCE_OF_MEANS), same_split=same_split)


def of_fold_pairs(values: NDArray[np.float64], *, same_split: bool) -> NDArray[np.float64]:
    """Return the values of all pairs of folds, of a matrix of one split's folds by another's.

    If both are the same folds, each pair of different folds counts once.
    """
    return values[np.triu_indices(len(values), 1)] if same_split else values.ravel()


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the means of all systems under all splits of the same ratings, by fold.

    Means are over the users with both training and test ratings. Others have no ratings to learn
    from, and a time cut leaves many of them.

    Parameters of the artifact: ``names`` and ``metrics``; those of :func:`.tested_by`; ``shown``,
    the metric that is drawn.

    Columns: dataset; protocol; split; tested (which ratings test); fold; metric; system; value;
    users (how many are averaged).
    """
    metrics = inputs.named_metrics()
    tables = [
        pd.DataFrame(
            {
                "dataset": split.dataset,
                "protocol": split.protocol,
                "split": split.split,
                "tested": split.tested,
                "fold": number,
                "metric": name,
                "system": compared.systems,
                "value": fold[index].mean(axis=1),
                "users": fold.shape[-1],
            }
        )
        for compared in systems_by_split(inputs, metrics)
        for split in compared.splits
        for number, fold in enumerate(split.folds)
        for index, name in enumerate(metrics)
    ]
    return pd.concat(tables, ignore_index=True)


def taus_with_random(results: pd.DataFrame) -> dict[str, float]:
    """Return the mean tau with a random fold, by split; for random splits, between two folds."""
    tables = {
        str(tested): own.pivot_table("value", "fold", "system", sort=False).to_numpy()
        for tested, own in results.groupby("tested")
    }
    own = tables[RANDOM]
    return {
        tested: float(taus_between_folds(own, other, same_split=tested == RANDOM).mean())
        for tested, other in tables.items()
        if tested != RANDOM or len(own) > 1
    }


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the position of every system, one panel per dataset and protocol.

    Names are on both sides, on the left with the place. Systems that move by few places are grey.
    """

    shown = results[results["metric"] == display.parameters["shown"]]
    panels = [own for _, own in shown.groupby(["dataset", "protocol"], sort=False)]
    rows = [panels[start : start + 2] for start in range(0, len(panels), 2)]
    figure = new_figure(DOUBLE_COLUMN, 3.4 * len(rows))
    drawn = []
    # The width is in proportion to the number of splits, whose names must fit.
    for part, row in zip(figure.subfigures(len(rows), 1, squeeze=False)[:, 0], rows, strict=True):
        widths = [own["tested"].nunique() + 1 for own in row]
        grid = part.subplots(1, len(row), squeeze=False, width_ratios=widths)[0]
        for axes, own in zip(grid, row, strict=True):
            _draw_places(axes, own, display)
        grid[0].set_ylabel(f"Place by mean {display.parameters['shown']}")
        drawn += list(grid)
    return with_named_lines(drawn)


def _draw_places(axes: Axes, results: pd.DataFrame, display: DisplayStyle) -> None:

    tested = in_order(results["tested"])
    means = results.pivot_table("value", "tested", "system", sort=False)
    places = means.loc[tested].rank(axis=1, ascending=False, method="average")
    styles = display.styles(places.columns)
    for system in places:
        style, moves = styles[str(system)], np.ptp(places[system]) >= MOVED
        style = style if moves else replace(style, colour=NO_WINNER)
        line(axes, np.arange(len(tested)), places[system], style, display.short_titles[str(system)])
        axes.lines[-1].set_zorder(2.1 if moves else 2)
    taus = taus_with_random(results)
    axes.set_xticks(
        range(len(tested)),
        [
            f"{SPLIT_TITLES[name]}\n$\\tau$ {two_decimals(taus[name])}"
            if name in taus
            else SPLIT_TITLES[name]
            for name in tested
        ],
    )
    axes.set_xlim(-0.15, len(tested) - 0.85)
    n_systems = places.shape[1]
    axes.set_ylim(n_systems + 0.6, 0.4)
    begun = places.loc[tested[0]]
    names = {
        place: ", ".join(
            display.short_titles[str(system)] for system in begun.index[begun == place]
        )
        for place in sorted(set(begun))
    }
    axes.set_yticks(list(names), [f"{name}  {place:g}" for place, name in names.items()])
    axes.tick_params(axis="y", labelsize=6.5)
    axes.grid(visible=False, axis="x")
    axes.set_title(f"{display.datasets[str(results['dataset'].iloc[0])]}, {n_systems} systems")
