# SPDX-License-Identifier: MIT
"""Which metrics are robust when judgments leave by chance: experiments of docs/robustness.md.

    python benchmarks/valcarce2020/leaving_ratings.py work/full/ml-1m

The folder is that of the prepared MovieLens 1M after a run of the full edition. Printed is the
mean tau over the levels 95, 90, ..., 5 per cent, by metric and in order, with other values of
systems in place of ours. It takes some minutes of one thread.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from lists_of_systems import (
    ALL,
    FOUR,
    METRIC_NAMES,
    METRICS,
    RELEASED,
    SYSTEMS,
    heading,
    line,
    lists_of,
    tau,
)
from numpy.typing import NDArray

from receval.metrics.averages import Arithmetic, Geometric
from receval.metrics.registry import parse
from receval.missing_judgments.incompleteness import AggregatedMetric, IncompleteFold
from receval.missing_judgments.judgment_sampling import SamplingUnit, sampling_order
from receval.splits.split import Fold

Values = NDArray[np.float64]
LEVELS = np.array([100, *range(95, 0, -5)])
SAMPLES = 10
UNITS: tuple[SamplingUnit, ...] = ("ratings", "items", "users")


Folds = Sequence[tuple[Fold, IncompleteFold]]


def sampled_values(folds: Folds, unit: SamplingUnit, samples: int = SAMPLES) -> Values:
    """Return values by judgments left, (n_folds, n_samples, n_levels, n_metrics, n_systems)."""
    found = []
    for data, fold in folds:
        values = []
        for number in range(samples):
            order, n_units = sampling_order(data.test, unit, np.random.default_rng(number))
            kept = np.floor(n_units * LEVELS / 100 + 0.5).astype(np.int64)
            values.append(fold.values(order, kept)[0])
        found.append(values)
    return np.array(found)


def mean_taus(values: Values, kept: Sequence[int] = ALL, lowest: int = 5) -> Values:
    """Return the mean tau over levels and samples by metric, of (n_samples, n_levels, ...)."""
    level = (lowest <= LEVELS) & (LEVELS < 100)
    own = values[..., kept]
    taus = [tau(each[0], np.moveaxis(each, 0, -1))[:, level] for each in own]
    return np.asarray(np.nanmean(taus, axis=(0, 2)))


def print_all(label: str, folds: Values, ratio: Values) -> None:
    """Print the mean taus with other values of systems in place of ours."""

    def scaled(chosen: Sequence[int]) -> Values:
        scale = np.ones_like(ratio)
        scale[:, chosen] = ratio[:, chosen]
        return values * scale

    values = folds.mean(axis=0)
    heading(label)
    for name, taus in (
        ("ours", mean_taus(values)),
        ("each fold by itself", np.mean([mean_taus(fold) for fold in folds], axis=0)),
        ("no level below 50 %", mean_taus(values, lowest=50)),
        ("values in four digits", mean_taus(np.round(values, 4))),
        ("without the four", mean_taus(values, [i for i in ALL if i not in FOUR])),
        ("scaled: BPRMF", mean_taus(scaled(FOUR[3:]))),
        ("scaled: the four", mean_taus(scaled(FOUR))),
        ("scaled: all", mean_taus(scaled(ALL))),
    ):
        line(name, taus, 4)
        print("  in order:", *(METRIC_NAMES[i] for i in np.argsort(-taus)), flush=True)


def leaving(prepared: Path, ranked: Sequence[Path], split: str) -> None:
    lists = [fold for folder in ranked for fold in lists_of(prepared, split, SYSTEMS, folder)]
    ratio: Values | float = 1.0
    for average, units in ((Arithmetic(), UNITS[:1]), (Geometric(), UNITS)):
        metrics = [AggregatedMetric(parse(label), average) for label in METRICS.values()]
        folds = [(data, IncompleteFold(of_systems, metrics)) for data, of_systems in lists]
        for unit in units:
            values = sampled_values(folds, unit)
            if average == Arithmetic():
                ratio = RELEASED[100] / values[:, 0, 0].mean(axis=0)
            print_all(f"{split}: {unit} leave, {average.label} means", values, np.asarray(ratio))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("splits", nargs="*", default=["random-folds", "user-80"])
    parser.add_argument("--ranked", type=Path, nargs="*", help="folders of splits, if elsewhere")
    options = parser.parse_args()
    for name in options.splits:
        leaving(options.prepared, options.ranked or [options.prepared], name)
