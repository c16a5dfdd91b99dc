# SPDX-License-Identifier: MIT
"""Kendall's tau between orders of systems under several splits, and its variation by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.time_orders import (
    RANDOM,
    SPLIT_TITLES,
    SplitValues,
    of_fold_pairs,
    systems_by_split,
    taus_between_folds,
)

CHANCE = ("chance", "chance_low")
LOWEST_OF_CHANCE = 5.0
"""The percentile of tau by chance below which an order differs significantly."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def _title(tested: str) -> str:
    return SPLIT_TITLES[tested].replace("\n", " ")
