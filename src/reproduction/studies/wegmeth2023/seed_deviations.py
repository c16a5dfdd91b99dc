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


def largest(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest deviation from the mean over the last axis, in per cent of this mean."""
    middles = values.mean(axis=-1, keepdims=True)
    return np.asarray(np.abs(values / middles - 1).max(axis=-1) * 100)


def spread_of_one(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation over seeds of the value in a single fold, in per cent.

    The values have shape (..., n_seeds, n_folds), and every fold is a hold-out. Variances over
    seeds are averaged over the folds. Folds of one seed are not compared with each other, because
    they depend on each other.
    """
    spread = np.sqrt(values.var(axis=-2, ddof=1).mean(axis=-1))
    return np.asarray(spread / values.mean(axis=(-2, -1)) * 100)


def spread_of_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation over seeds of the mean over the folds, in per cent."""
    means = values.mean(axis=-1)
    return np.asarray(means.std(axis=-1, ddof=1) / means.mean(axis=-1) * 100)


MEASURES = {
    "sd": (spread_of_one, spread_of_means),
    "largest": (
        lambda values: largest(values[..., 0]),
        lambda values: largest(values.mean(axis=-1)),
    ),
}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the deviations over the seeds of ``split_seeds``, in per cent of the mean.

    Which of the folds of a seed is the hold-out is a matter of chance. Besides the first fold of
    each seed, as in the released code, one fold of each seed is drawn at random many times. And
    because the seeds themselves are a sample, as many seeds are drawn from them, with replacement,
    as often.

    Parameters of the artifact: ``draws``, how often; ``hold_out_bound`` and ``cross_bound``, the
    largest deviations that the paper gives, in per cent.

    Columns: dataset; system; metric; cutoff; users (mean number); value (mean over seeds and
    folds); interval (half the width of a 95 % interval over the users of one hold-out);
    hold_out_sd (of :func:`spread_of_one`); hold_out_largest (largest deviation of first folds);
    drawn_lowest, drawn_highest (of the largest deviation over the draws); cross_sd (of
    :func:`spread_of_means`); cross_largest; ratio (of cross_sd to hold_out_sd); smaller (share of
    the draws in which the largest deviation by cross-validation is smaller than by hold-out);
    drawn_within (share of the draws in which the largest deviation is within the paper's bound);
    cross_within (number of seeds whose deviation by cross-validation is); hold_out_sd_down,
    cross_sd_down (share of the draws of seeds in which the deviation is smaller than at the next
    lower cut-off); hold_out_largest_down, cross_largest_down (than at the lowest cut-off; empty
    there, all four); draws; seeds; outside (per cent of all folds of all seeds whose deviation from
    the mean over the seeds is larger than the interval);
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
        key: float(largest(own["value"].to_numpy()))
        for key, own in results[results["varied"] == "training"].groupby(keys, sort=False)
    }
    rows = []
    resampled: dict[tuple[object, ...], list[NDArray[np.float64]]] = {}
    for key, own in results[results["varied"] == "split"].groupby(keys, sort=False):
        values = by_seed_and_fold(own)
        n_seeds, n_folds = values.shape
        # The same folds and seeds are drawn for all systems, metrics and cut-offs.
        rng = generator(inputs.seed, STUDY, str(key[0]), "hold-outs")
        folds = rng.integers(n_folds, size=(draws, n_seeds))
        drawn = largest(values[np.arange(n_seeds), folds])
        rng = generator(inputs.seed, STUDY, str(key[0]), "seeds")
        again = values[rng.integers(n_seeds, size=(draws, n_seeds))]
        crossed = np.abs(deviations(values.mean(axis=1)))
        interval = float(HALF_WIDTH * own["error"].mean() / values.mean() * 100)
        row = dict(zip(keys, key, strict=True))
        falls = {}
        for name, of_schemes in MEASURES.items():
            for scheme, measure in zip(("hold_out", "cross"), of_schemes, strict=True):
                column = f"{scheme}_{name}"
                row[column] = float(measure(values))
                series = resampled.setdefault((*key[:3], column), [])
                series.append(measure(again))
                lower = series[max(len(series) - 2, 0) if name == "sd" else 0]
                share = float((series[-1] < lower).mean())
                falls[f"{column}_down"] = share if len(series) > 1 else float("nan")
        rows.append(
            {
                **row,
                **falls,
                "users": float(own["users"].mean()),
                "value": float(values.mean()),
                "interval": interval,
                "drawn_lowest": float(drawn.min()),
                "drawn_highest": float(drawn.max()),
                "ratio": row["cross_sd"] / row["hold_out_sd"],
                "smaller": float((crossed.max() < drawn).mean()),
                "drawn_within": float((drawn <= hold_out_bound).mean()),
                "cross_within": int((crossed <= cross_bound).sum()),
                "draws": draws,
                "seeds": n_seeds,
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
