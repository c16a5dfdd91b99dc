# SPDX-License-Identifier: MIT
"""Orders of systems under splits that ignore time and that respect it, and how they agree.

All artifacts on time have their values by split from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.line_labels import with_named_lines
from receval.figures.printed_numbers import fixed
from receval.figures.style import DOUBLE_COLUMN, NO_WINNER, new_figure
from receval.figures.tables import Table, printed
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs
from receval.storage.files import real_values
from reproduction.studies._shared.heat_map import two_decimals
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


CHANCE = ("chance", "chance_low")
LOWEST_OF_CHANCE = 5.0
"""The percentile of tau by chance below which an order differs significantly."""


def taus_between_splits(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the orders under all pairs of splits of the same ratings, systems and protocol.

    Means are over the users with both training and test ratings. All pairs of folds are compared.
    Two folds of a random split differ, too, in both train and test. Another split often tests fewer
    users, whose means are less certain. So its order is also compared with orders of two random
    folds, one of which tests equally few users.

    Parameters of the artifact: ``names`` and ``metrics``; those of :func:`.tested_by`; ``samples``,
    how often users are drawn.

    Columns: dataset; protocol; metric; first and second (which ratings are in test under each
    split); tau (Kendall's tau-b, mean over pairs of folds); lowest (the lowest of these); moved
    (share of the pairs of systems that swap); same_best (share of the pairs of folds in which the
    same system is best); same_users (tau over only the users in test under both); chance and
    chance_low (if the first is random: mean and 5th percentile of tau between two random folds,
    with as many users drawn from one of them as the second split has); systems; users (of the
    second split, mean over folds); samples.
    """
    metrics = inputs.named_metrics()
    samples = int(inputs.parameters["samples"])
    rows = []
    for compared in systems_by_split(inputs, metrics):
        pairs = [(split, split) for split in compared.splits if len(split.folds) > 1]
        for first, second in [*pairs, *combinations(compared.splits, 2)]:
            for index, name in enumerate(metrics):

                def rng(
                    what: tuple[str, ...] = (first.dataset, first.split, second.split, name),
                ) -> np.random.Generator:
                    return generator(inputs.seed, "followups", "time", *what)

                rows.append(
                    {
                        "dataset": first.dataset,
                        "protocol": first.protocol,
                        "metric": name,
                        **_compared(first, second, index, samples, rng),
                        "systems": len(compared.systems),
                        "users": _n_users(second),
                        "samples": samples,
                    }
                )
    return pd.DataFrame(rows)


def _n_users(split: SplitValues) -> int:
    return round(float(np.mean([fold.shape[-1] for fold in split.folds])))


def _compared(
    first: SplitValues,
    second: SplitValues,
    metric: int,
    samples: int,
    rng: Callable[[], np.random.Generator],
) -> dict[str, Any]:
    same = first is second
    one, other = first.means(metric), second.means(metric)
    taus = taus_between_folds(one, other, same_split=same)
    chance = (float("nan"), float("nan"))
    if first.tested == RANDOM and len(first.folds) > 1:
        folds = [fold[metric] for fold in first.folds]
        drawn = taus_by_chance(folds, _n_users(second), samples, rng())
        chance = float(drawn.mean()), float(np.percentile(drawn, LOWEST_OF_CHANCE))
    return {
        "first": first.tested,
        "second": second.tested,
        "tau": float(taus.mean()),
        "lowest": float(taus.min()),
        "moved": moved_share(one, other, same_split=same),
        "same_best": same_best_share(one, other, same_split=same),
        "same_users": _tau_of_same_users(first, second, metric),
        **dict(zip(CHANCE, chance, strict=True)),
    }


def _tau_of_same_users(first: SplitValues, second: SplitValues, metric: int) -> float:
    """Return the mean tau over pairs of folds, by the users that both folds have in common."""
    taus = []
    for number, (one, of_one) in enumerate(zip(first.folds, first.users, strict=True)):
        start = number + 1 if first is second else 0
        for other, of_other in zip(second.folds[start:], second.users[start:], strict=True):
            _, here, there = np.intersect1d(of_one, of_other, return_indices=True)
            means = (
                values[metric][:, at].mean(axis=1) for values, at in ((one, here), (other, there))
            )
            taus.append(float(taus_between_folds(*means)[0]))
    return float(np.mean(taus))


def moved_share(one: ArrayLike, other: ArrayLike, *, same_split: bool = False) -> float:
    """Return the share of pairs of systems that swap, over pairs of folds."""
    signs, others = (
        pair_signs(np.atleast_2d(np.asarray(means, dtype=np.float64)), TOLERANCE_OF_MEANS)
        for means in (one, other)
    )
    moved = (signs[:, np.newaxis] * others[np.newaxis] < 0).mean(axis=2)
    return float(of_fold_pairs(moved, same_split=same_split).mean())


def same_best_share(one: ArrayLike, other: ArrayLike, *, same_split: bool = False) -> float:
    """Return the share of the pairs of folds in which the same system has the highest mean.

    The first of several systems with equal means counts.
    """
    best, others = (np.argmax(np.atleast_2d(np.asarray(means)), axis=1) for means in (one, other))
    same = best[:, np.newaxis] == others[np.newaxis]
    return float(of_fold_pairs(same, same_split=same_split).mean())


def taus_by_chance(
    folds: Sequence[NDArray[np.float64]], n_users: int, samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    r"""Return Kendall's tau-b between the order in a fold and that by some users of another fold.

    For every two folds :math:`f \neq f'` of a random split, `n_users` users of :math:`f'` are drawn
    with replacement. The order of the systems by the means of these users is compared with that by
    the means of all users of :math:`f`.
    """
    if len(folds) < 2:
        raise ValueError(
            "What chance does to an order is seen between folds of a split, which has "
            f"{len(folds)}: make it with more."
        )
    pairs = [(a, b) for a in range(len(folds)) for b in range(len(folds)) if a != b]
    of_each = -(-samples // len(pairs))
    means = [fold.mean(axis=1) for fold in folds]
    found = []
    for whole, sampled in pairs:
        values = folds[sampled]
        shares = np.full(values.shape[1], 1 / values.shape[1])
        counts = rng.multinomial(n_users, shares, size=of_each)
        drawn = counts @ values.T / n_users
        found.append(kendall_tau_b(drawn, means[whole], TOLERANCE_OF_MEANS).ravel())
    return np.concatenate(found)


def _title(tested: str) -> str:
    return SPLIT_TITLES[tested].replace("\n", " ")


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the means of all systems under all splits of the same ratings, by fold.

    Means are over the users with both training and test ratings. Others have no ratings to learn
    from, and a time cut leaves many of them.

    Parameters of the artifact: ``names`` and ``metrics``; those of :func:`.tested_by`; ``shown``,
    the metric that is drawn.

    Columns: dataset; protocol; split; tested (which ratings test); fold; metric; system; value;
    users (how many are averaged).

    With the parameter ``samples``, the results are those of :func:`taus_between_splits`.
    """
    if "samples" in inputs.parameters:
        return taus_between_splits(inputs)
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


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the coefficients, one row per metric and pair of splits."""
    texts = ("Ratings", "Split", "Other split", "Metric")
    heads = ("$`\\tau`$", "Same users", "Moved (%)", "Chance", "5th pct.", "Users")
    coefficients = ("tau", "same_users", *CHANCE, "moved")
    numbers = real_values(results[list(coefficients)])
    rows = []
    for row, own in zip(results.itertuples(), numbers, strict=True):
        *printed_taus, moved = own.tolist()
        tau, same_users, *chance = map(two_decimals, printed_taus)
        rows.append(
            (
                f"{display.datasets[str(row.dataset)]}, {row.systems} systems",
                _title(str(row.first)),
                _title(str(row.second)),
                str(row.metric),
                tau,
                same_users,
                fixed(100 * moved, 1),
                *chance,
                f"{row.users:,}",
            )
        )
    return printed(display, texts, heads, rows)
