# SPDX-License-Identifier: MIT
"""By how much pruning changes nDCG@10 and the order of systems, and on how many splits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.winter2025.pruned_scores import (
    GENERATED_TITLE,
    TITLES,
    changes_of,
    with_numbers,
)

MEAN = "mean"
"""Stands for the mean over all systems in the column ``system``."""

COMPARED = ("pruned", "unpruned", "chance")

CHANGED = ("pruned", "same_users", "training", "unpruned", "served")


def effects_of(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise the artifact ``pruned_scores`` over the draws.

    Columns: dataset; pruned_below; system (``mean`` over all); pruned, same_users, training,
    unpruned, served (mean change over the draws, in per cent; see
    :func:`.pruned_scores.changes_of`); draws; pruned_up, training_up, unpruned_down and served_down
    (in how many draws the change is positive, or negative); and for the mean, tau_pruned and
    tau_unpruned (mean over draws of Kendall's tau-b between the orders of the systems by that value
    and on unpruned data) and tau_chance (between unpruned data of two draws).
    """
    results = with_numbers(results)
    changes = changes_of(results)
    changes = changes[changes["pruned_below"] > 1]
    keys = ["dataset", "pruned_below", "draw"]
    # A mean over the systems that can serve removed users would not be comparable with the others.
    averages = changes.groupby(keys, sort=False)[list(CHANGED)].mean().reset_index()
    both = pd.concat([changes, averages.assign(system=MEAN)], ignore_index=True)
    order = [*TITLES, MEAN]
    rows = []
    for (dataset, level), table in both.groupby(["dataset", "pruned_below"], sort=False):
        taus = _taus(results[results["dataset"] == dataset], int(level))
        for name in order:
            own = table[table["system"] == name]
            rows.append(
                {
                    "dataset": dataset,
                    "pruned_below": int(level),
                    "system": name,
                    **{column: own[column].mean() for column in CHANGED},
                    "draws": len(own),
                    "pruned_up": int((own["pruned"] > 0).sum()),
                    "training_up": int((own["training"] > 0).sum()),
                    "unpruned_down": int((own["unpruned"] < 0).sum()),
                    "served_down": int((own["served"] < 0).sum()),
                    **(taus if name == MEAN else dict.fromkeys(taus, np.nan)),
                }
            )
    return pd.DataFrame(rows)


def _taus(results: pd.DataFrame, level: int) -> dict[str, float]:
    def values(below: int, column: str) -> NDArray[np.float64]:
        own = results[results["pruned_below"] == below]
        table = own.pivot_table(column, "draw", "system")
        return np.asarray(table[list(TITLES)].to_numpy(dtype=np.float64))

    def tau(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        return float(kendall_tau_b(one[None], other[None], TOLERANCE_OF_MEANS)[0, 0])

    everything = values(1, "pruned")
    by_column = {
        f"tau_{column}": [
            tau(one, other) for one, other in zip(everything, values(level, column), strict=True)
        ]
        for column in ("pruned", "unpruned")
    }
    by_column["tau_chance"] = [tau(one, other) for one, other in pairwise(everything)]
    return {name: float(np.mean(taus)) if taus else np.nan for name, taus in by_column.items()}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``pruned_scores``; the columns are those of :func:`effects_of`."""
    return effects_of(read_results(inputs.results["pruned_scores"]))


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and level: mean changes over systems, splits and taus."""

    headers = ["Fewest ratings", "Pruned test", "Same users", "Training", "All users", "Served"]
    headers += ["Pruned up", "All down", "$`\\tau`$ pruned", "$`\\tau`$ all", "$`\\tau`$ chance"]
    means = results[results["system"] == MEAN]
    values = real_values(means[[*CHANGED, *(f"tau_{name}" for name in COMPARED)]])
    rows = [
        (
            display.datasets.get(str(row.dataset), GENERATED_TITLE),
            str(row.pruned_below),
            *(fixed(change, 1, signed=True) for change in numbers[: len(CHANGED)]),
            f"{row.pruned_up} of {row.draws}",
            f"{row.unpruned_down} of {row.draws}",
            *map(two_decimals, numbers[len(CHANGED) :]),
        )
        for row, numbers in zip(means.itertuples(), values.tolist(), strict=True)
    ]
    return printed(display, ["Dataset"], headers, rows)
