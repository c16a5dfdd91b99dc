# SPDX-License-Identifier: MIT
"""How much the seed of the split matters by the number of folds of the cross-validation."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
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


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
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
