# SPDX-License-Identifier: MIT
"""By how much pruning changes nDCG@10 and the order of systems, and on how many splits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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

COMPARED = ("pruned", "chance", "served_pruned", "served")

CHANGED = ("pruned", "same_users", "training", "unpruned", "served")


def effects_of(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise the artifact ``pruned_scores`` over the draws.

    Columns: dataset; pruned_below; system (``mean`` over all); pruned, same_users, training,
    unpruned, served (mean change over the draws, in per cent; see
    :func:`.pruned_scores.changes_of`); draws; pruned_up, training_up, unpruned_down and served_down
    (in how many draws the change is positive, or negative); gone (in how many the change of served
    is at most half that of pruned); and for the mean, those of :func:`_orders`.
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
        orders = _orders(results[results["dataset"] == dataset], int(level))
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
                    "gone": int((own["served"] <= own["pruned"] / 2).sum()),
                    **(orders if name == MEAN else dict.fromkeys(orders, np.nan)),
                }
            )
    return pd.DataFrame(rows)


def _orders(results: pd.DataFrame, level: int) -> dict[str, float]:
    """Compare the order of the systems after pruning with that on unpruned data.

    Means over draws of Kendall's tau-b between both: tau_pruned and tau_unpruned, by that value;
    tau_chance, between unpruned data of two draws. Over the systems that serve removed users:
    tau_served_pruned and tau_served, by the values pruned and served. And numbers of draws:
    reordered, in which tau_pruned is lower than that between unpruned data of this draw and the
    next one (of the last draw, the first); nearer and farther, in which tau_served is higher, or
    lower, than tau_served_pruned.
    """
    at_level = results[results["pruned_below"] == level]
    serving = at_level.groupby("system")["served"].count()
    those = [name for name in TITLES if serving[name]]

    def values(below: int, column: str, systems: Iterable[str]) -> NDArray[np.float64]:
        own = results[results["pruned_below"] == below]
        table = own.pivot_table(column, "draw", "system")
        return np.asarray(table[list(systems)].to_numpy(dtype=np.float64))

    def taus(one: Iterable[Any], other: Iterable[Any]) -> NDArray[np.float64]:
        pairs = zip(one, other, strict=True)
        return np.array(
            [kendall_tau_b(a[None], b[None], TOLERANCE_OF_MEANS)[0, 0] for a, b in pairs]
        )

    everything, of_those = values(1, "pruned", TITLES), values(1, "pruned", those)
    found = {name: taus(everything, values(level, name, TITLES)) for name in ("pruned", "unpruned")}
    following = taus(everything, np.roll(everything, -1, axis=0))
    found["chance"] = following[:-1]
    found["served_pruned"] = taus(of_those, values(level, "pruned", those))
    found["served"] = taus(of_those, values(level, "served", those))
    means = {
        f"tau_{name}": float(own.mean()) if len(own) else np.nan for name, own in found.items()
    }
    return means | {
        "reordered": int((found["pruned"] < following).sum()) if len(following) > 1 else np.nan,
        "nearer": int((found["served"] > found["served_pruned"]).sum()),
        "farther": int((found["served"] < found["served_pruned"]).sum()),
    }


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``pruned_scores``; the columns are those of :func:`effects_of`."""
    return effects_of(read_results(inputs.results["pruned_scores"]))


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and level: mean changes over systems, splits and taus."""

    headers = ["Fewest ratings", "Pruned test", "Same users", "Training", "All users", "Served"]
    headers += ["Pruned up", "All down", "$`\\tau`$ pruned", "$`\\tau`$ chance"]
    headers += ["$`\\tau_4`$ pruned", "$`\\tau_4`$ served"]
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
