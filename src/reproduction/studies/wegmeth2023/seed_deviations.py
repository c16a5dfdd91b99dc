# SPDX-License-Identifier: MIT
"""How far values deviate from their mean over the seeds of the split, in numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.seeds import generator
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.wegmeth2023.split_seeds import (
    HALF_WIDTH,
    STUDY,
    SYSTEM_TITLES,
    by_seed_and_fold,
    deviations,
)


def largest(values: NDArray[np.float64]) -> float:
    """Return the largest deviation from the mean, in per cent of it."""
    return float(np.abs(deviations(values)).max())


def spread_of_one(values: NDArray[np.float64]) -> float:
    """Return the standard deviation over seeds of the value in a single fold, in per cent.

    The values have shape (n_seeds, n_folds), and every fold is a hold-out. Variances over seeds are
    averaged over the folds. Folds of one seed are not compared with each other, because they depend
    on each other.
    """
    return float(np.sqrt(values.var(axis=0, ddof=1).mean()) / values.mean() * 100)


def spread_of_means(values: NDArray[np.float64]) -> float:
    """Return the standard deviation over seeds of the mean over the folds, in per cent."""
    means = values.mean(axis=1)
    return float(means.std(ddof=1) / means.mean() * 100)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the deviations over the seeds of ``split_seeds``, in per cent of the mean.

    Which of the folds of a seed is the hold-out is a matter of chance. Besides the first fold of
    each seed, as in the released code, one fold of each seed is drawn at random several times.

    Parameters of the artifact: ``draws``, how often; ``hold_out_bound`` and ``cross_bound``, the
    largest deviations that the paper gives, in per cent.

    Columns: dataset; system; metric; cutoff; users (mean number); value (mean over seeds and
    folds); interval (half the width of a 95 % interval over the users of one hold-out);
    hold_out_sd (of :func:`spread_of_one`); hold_out_largest (largest deviation of first folds);
    drawn_lowest, drawn_highest (of the largest deviation over the draws); cross_sd (of
    :func:`spread_of_means`); cross_largest; ratio (of cross_sd to hold_out_sd); smaller (number of
    draws in which the largest deviation by cross-validation is smaller than by hold-out);
    drawn_within (number of draws in which the largest deviation is within the paper's bound);
    cross_within (number of seeds whose deviation by cross-validation is); draws; seeds; outside
    (per cent of all folds of all seeds whose deviation from the mean over the seeds is larger than
    the interval);
    training_largest (of ALS on one split, if only its training seed varies; empty for the others).
    """
    results = read_results(inputs.results["split_seeds"])
    results = results.assign(value=real_values(results["value"]))
    draws = int(inputs.parameters["draws"])
    hold_out_bound, cross_bound = (
        float(inputs.parameters[name]) for name in ("hold_out_bound", "cross_bound")
    )
    keys = ["dataset", "system", "metric", "cutoff"]
    retrained = {
        key: largest(own["value"].to_numpy())
        for key, own in results[results["varied"] == "training"].groupby(keys, sort=False)
    }
    rows = []
    for key, own in results[results["varied"] == "split"].groupby(keys, sort=False):
        values = by_seed_and_fold(own)
        # The same folds are drawn for all systems and metrics.
        rng = generator(inputs.seed, STUDY, str(key[0]), "hold-outs")
        chosen = rng.integers(values.shape[1], size=(draws, len(values)))
        drawn = [largest(values[np.arange(len(values)), folds]) for folds in chosen]
        crossed = np.abs(deviations(values.mean(axis=1)))
        by_folds = float(crossed.max())
        interval = float(HALF_WIDTH * own["error"].mean() / values.mean() * 100)
        one, mean = spread_of_one(values), spread_of_means(values)
        rows.append(
            {
                **dict(zip(keys, key, strict=True)),
                "users": float(own["users"].mean()),
                "value": float(values.mean()),
                "interval": interval,
                "hold_out_sd": one,
                "hold_out_largest": largest(values[:, 0]),
                "drawn_lowest": min(drawn),
                "drawn_highest": max(drawn),
                "cross_sd": mean,
                "cross_largest": by_folds,
                "ratio": mean / one,
                "smaller": sum(by_folds < each for each in drawn),
                "drawn_within": sum(each <= hold_out_bound for each in drawn),
                "cross_within": int((crossed <= cross_bound).sum()),
                "draws": draws,
                "seeds": len(values),
                "outside": float(100 * (np.abs(deviations(values)) > interval).mean()),
                "training_largest": retrained.get(key, float("nan")),
            }
        )
    return pd.DataFrame(rows)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset, system and metric; nDCG@1 is P@1 and has none."""
    retrained = real_values(results["training_largest"])
    shown = results.assign(training_largest=retrained)
    shown = shown[(shown["metric"] == "P") | (shown["cutoff"] > 1)]
    numbers = {
        "Value": ("value", 3),
        "Interval": ("interval", 1),
        "Hold-out, SD": ("hold_out_sd", 2),
        "Hold-out, largest": ("hold_out_largest", 1),
        "CV, SD": ("cross_sd", 2),
        "CV, largest": ("cross_largest", 1),
        "CV / hold-out": ("ratio", 2),
        "Outside": ("outside", 0),
        "Training seed": ("training_largest", 1),
    }
    rows = [
        (
            display.datasets[str(row["dataset"])],
            SYSTEM_TITLES[str(row["system"])],
            f"{row['metric']}@{row['cutoff']}",
            *(fixed(float(row[column]), decimals) for column, decimals in numbers.values()),
        )
        for _, row in shown.iterrows()
    ]
    return printed(display, ("Data", "System", "Metric"), list(numbers), rows)
