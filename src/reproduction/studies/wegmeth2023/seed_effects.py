# SPDX-License-Identifier: MIT
"""What the seed of the split decides: which of two systems leads, and values by number of folds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.wegmeth2023.split_seeds import (
    SYSTEM_TITLES,
    by_seed_and_fold,
    interactions,
    largest,
    rows_of_folds,
    spread_of_means,
    spread_of_one,
)


def same_seed_share(ahead: NDArray[np.float64], behind: NDArray[np.float64]) -> float:
    """Return the percentage of seeds with which the system behind has the higher value.

    Examples
    --------
    >>> same_seed_share(np.array([3.0, 2.0]), np.array([1.0, 2.5]))
    50.0
    """
    return float(100 * (behind > ahead).mean())


def other_seed_share(ahead: NDArray[np.float64], behind: NDArray[np.float64]) -> float:
    """Return the percentage of pairs of different seeds, in which the system behind is higher.

    Each system is measured with its own seed, as when a value is copied from another paper.

    Examples
    --------
    >>> other_seed_share(np.array([3.0, 2.0]), np.array([1.0, 3.5]))
    50.0
    """
    higher = behind[:, None] > ahead
    np.fill_diagonal(higher, val=False)
    n_seeds = len(ahead)
    return float(100 * higher.sum() / (n_seeds * (n_seeds - 1)))


def data_orders(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return for each pair of systems how often a seed puts the system behind ahead.

    Behind is the system with the lower mean over all seeds and folds of ``split_seeds``.

    Columns: dataset; metric; cutoff; ahead, behind; difference (of the means, in per cent of the
    higher one); scheme (``hold-out`` or ``cross-validation``); same_seed, other_seeds (percentages
    of :func:`same_seed_share` and :func:`other_seed_share`); possible (1 if the best seed of the
    system behind beats the worst of the other, else 0).
    """
    results = read_results(inputs.results["split_seeds"])
    results = results[results["varied"] == "split"]
    results = results.assign(value=real_values(results["value"]))
    rows = []
    for (dataset, metric, cutoff), own in results.groupby(
        ["dataset", "metric", "cutoff"], sort=False
    ):
        values = {
            str(system): by_seed_and_fold(each)
            for system, each in own.groupby("system", sort=False)
        }
        for pair in combinations(values, 2):
            ahead, behind = sorted(pair, key=lambda name: -values[name].mean())
            higher, lower = values[ahead], values[behind]
            for scheme, one, other in (
                ("hold-out", higher[:, 0], lower[:, 0]),
                ("cross-validation", higher.mean(axis=1), lower.mean(axis=1)),
            ):
                rows.append(
                    {
                        "dataset": dataset,
                        "metric": metric,
                        "cutoff": cutoff,
                        "ahead": ahead,
                        "behind": behind,
                        "difference": float(100 * (1 - lower.mean() / higher.mean())),
                        "scheme": scheme,
                        "same_seed": same_seed_share(one, other),
                        "other_seeds": other_seed_share(one, other),
                        "possible": int(other.max() > one.min()),
                    }
                )
    return pd.DataFrame(rows)


def tabulate_orders(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset, pair of systems and cut-off of precision."""
    shown = results[results["metric"] == "P"]
    keys = ["dataset", "ahead", "behind", "cutoff"]
    rows = []
    for (dataset, ahead, behind, cutoff), own in shown.groupby(keys, sort=False):
        schemes = own.set_index("scheme")
        rows.append(
            (
                display.datasets[str(dataset)],
                f"{SYSTEM_TITLES[str(ahead)]} over {SYSTEM_TITLES[str(behind)]}",
                f"P@{cutoff}",
                fixed(float(own["difference"].iloc[0]), 1),
                *(
                    fixed(float(schemes.loc[scheme, column]), 0)
                    for scheme in ("hold-out", "cross-validation")
                    for column in ("same_seed", "other_seeds")
                ),
            )
        )
    numbers = ["Difference", "Hold-out, same seed", "Other seeds"]
    numbers += ["CV, same seed", "CV, other seeds"]
    return printed(display, ("Data", "Systems", "Metric"), numbers, rows)


def data_by_folds(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the spread over seeds with two, five and ten folds, in per cent of the mean.

    The mean of as many hold-outs of different seeds would have the spread of one, divided by the
    root of their number, with as many trainings as the cross-validation.

    Parameters of the artifact: those of :mod:`.split_seeds`, where ``folds`` is a list.

    Columns: dataset; system; metric; cutoff; folds; value (mean over seeds and folds); hold_out_sd,
    cross_sd (as in :func:`.deviations_over_seeds`); repeated_sd (of the mean of as many independent
    hold-outs); cross_largest (largest deviation by cross-validation).
    """
    rows = []
    for dataset, ratings in inputs.all_ratings():
        played = interactions(ratings, float(inputs.parameters[dataset]))
        for folds in inputs.parameters["folds"]:
            table = pd.DataFrame(rows_of_folds(inputs, dataset, played, int(folds)))
            keys = ["system", "metric", "cutoff"]
            for key, own in table.groupby(keys, sort=False):
                values = by_seed_and_fold(own)
                one = float(spread_of_one(values))
                rows.append(
                    {
                        "dataset": dataset,
                        **dict(zip(keys, key, strict=True)),
                        "folds": int(folds),
                        "value": float(values.mean()),
                        "hold_out_sd": one,
                        "cross_sd": float(spread_of_means(values)),
                        "repeated_sd": float(one / np.sqrt(int(folds))),
                        "cross_largest": float(largest(values.mean(axis=1))),
                    }
                )
    return pd.DataFrame(rows)


def tabulate_by_folds(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per system, cut-off of precision and number of folds."""
    numbers = {
        "Value": ("value", 3),
        "SD, one hold-out": ("hold_out_sd", 1),
        "SD, hold-outs": ("repeated_sd", 1),
        "SD, cross-validation": ("cross_sd", 1),
        "Largest": ("cross_largest", 1),
    }
    shown = results[results["metric"] == "P"].sort_values(
        ["dataset", "system", "cutoff", "folds"], kind="stable"
    )
    rows = [
        (
            display.datasets[str(row["dataset"])],
            SYSTEM_TITLES[str(row["system"])],
            f"P@{row['cutoff']}",
            f"{row['folds']}",
            *(fixed(float(row[column]), decimals) for column, decimals in numbers.values()),
        )
        for _, row in shown.iterrows()
    ]
    return printed(display, ("Data", "System", "Metric"), ("Folds", *numbers), rows)
