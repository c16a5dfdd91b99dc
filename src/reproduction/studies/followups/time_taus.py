# SPDX-License-Identifier: MIT
"""Kendall's tau between orders of systems under several splits, and its variation by chance."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Column, Table, printed
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.values_by_split import (
    RANDOM,
    SPLIT_TITLES,
    SplitValues,
    systems_by_split,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CHANCE = ("chance", "chance_low")
LOWEST_OF_CHANCE = 5.0
"""The percentile of tau by chance below which an order differs significantly."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the orders under all pairs of splits of the same ratings, systems and protocol.

    Means are over the users with both training and test ratings. All pairs of folds are compared
    (:mod:`reproduction.studies.followups._shared.values_by_split`).

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
    from receval.metrics.registry import parse_named
    from receval.seeds import generator

    metrics = parse_named(inputs.parameters["names"], inputs.parameters["metrics"])
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
    from reproduction.studies.followups._shared.values_by_split import (
        moved_share,
        same_best_share,
        taus_between_folds,
        taus_by_chance,
    )

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
    from reproduction.studies.followups._shared.values_by_split import taus_between_folds

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


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the coefficients, one row per metric and pair of splits."""
    columns = [
        *(Column(name) for name in ("Ratings", "Split", "Other split", "Metric")),
        *(Column(name, "right") for name in ("$`\\tau`$", "Same users", "Moved (%)")),
        *(Column(name, "right") for name in ("Chance", "5th pct.", "Users")),
    ]
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
    return printed(display, columns, rows)


def _title(tested: str) -> str:
    return SPLIT_TITLES[tested].replace("\n", " ")
