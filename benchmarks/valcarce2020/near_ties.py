# SPDX-License-Identifier: MIT
"""Why Gbpref, not GF1 or GMRR, is the least robust when random users leave: docs/robustness.md.

    python benchmarks/valcarce2020/near_ties.py work/full/ml-1m

The folder is that of the prepared MovieLens 1M after a run of the full edition. It takes a minute
of one thread. With z the difference of two systems in standard errors over users, a share f of the
users orders them the other way round with the probability Phi(-z sqrt(f / (1 - f))); the mean tau
follows from it, without any sample of users.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from leaving_users import PERCENTS, Values, logarithms
from lists_of_systems import (
    METRIC_NAMES,
    SYSTEMS,
    TestedUsers,
    heading,
    line,
    lists_of,
    measured_users,
)
from scipy.stats import norm

ONE, OTHER = np.array(list(combinations(range(len(SYSTEMS)), 2))).T
RELEASED_FORMS = ["F1", "MRR"]
LAST_DISTANCE = 12.0
"""In standard errors: farther pairs never change sides."""

_KEPT = PERCENTS[1:] / 100
_DISTANCES = np.linspace(0, LAST_DISTANCE, 601)
# At the first level all users are there.
_FLIPPED = (
    np.array([norm.cdf(-each * np.sqrt(_KEPT / (1 - _KEPT))).sum() for each in _DISTANCES])
    / len(PERCENTS)
)  # fmt: skip


def means_and_errors(folds: Sequence[TestedUsers]) -> tuple[Values, Values]:
    """Return the systems' geometric means and the standard errors of the pairs' differences."""
    means: Values | float = 0.0
    variances: Values | float = 0.0
    for users in folds:
        mean = np.exp(users.values.mean(axis=2))
        # A mean of logarithms moves its exponential by as much as that is large.
        moved = users.values * mean[:, :, None]
        apart = (moved[:, ONE] - moved[:, OTHER]).var(axis=2)
        means, variances = means + mean, variances + apart / moved.shape[2]
    return np.asarray(means), np.sqrt(variances)


def mean_tau(means: Values, errors: Values) -> Values:
    """Return the expected mean tau of each metric over the levels; equal systems stay equal."""
    apart = np.abs(means[:, ONE] - means[:, OTHER])
    known = (errors > 0) & (apart > 1e-12)
    z = np.divide(apart, errors, out=np.full_like(apart, LAST_DISTANCE), where=known)
    flipped = np.interp(np.minimum(z, LAST_DISTANCE), _DISTANCES, _FLIPPED)
    flipped[z >= LAST_DISTANCE] = 0.0
    return np.asarray(1 - 2 * flipped.mean(axis=1))


def print_last(label: str, drawn: Values) -> None:
    """Print how often bpref is last, and how often F1 and MRR are the last two."""
    order = [[METRIC_NAMES[i] for i in np.argsort(taus)[:2]] for taus in drawn]
    last = np.mean([names[0] == "bpref" for names in order])
    both = np.mean([sorted(names) == RELEASED_FORMS for names in order])
    print(f"{label:44} Gbpref last {last:.2f}, GF1* and GMRR* the last two {both:.3f}")


def near_ties(prepared: Path, ranked: Sequence[Path], split: str) -> None:
    lists = [fold for folder in ranked for fold in lists_of(prepared, split, SYSTEMS, folder)]
    measured = [measured_users(*each) for each in lists]
    folds = [logarithms(users, RELEASED_FORMS) for users in measured]
    heading("Geometric means, released form of F1 and MRR")
    means, errors = means_and_errors(folds)
    line("mean tau from distances", mean_tau(means, errors))
    floored = means_and_errors([logarithms(users, ()) for users in measured])
    line("the same with the floor", mean_tau(*floored))
    line("users with 0", np.mean([(users.values == 0).mean((1, 2)) for users in measured], axis=0))
    # The best 13 stand apart from all others under every metric.
    best = np.argsort(-means[METRIC_NAMES.index("bpref")])[:13]
    among = np.isin(ONE, best) & np.isin(OTHER, best)
    for label, found in (("", (means, errors)), (" with the floor", floored)):
        larger = np.maximum(found[0][:, ONE], found[0][:, OTHER])
        relative = np.median((found[1] / larger)[:, among], axis=1)
        line(f"relative error of pairs of the best{label}", relative, 4)
        near = (np.abs(found[0][:, ONE] - found[0][:, OTHER]) < 2 * found[1]) & (found[1] > 0)
        line(f"pairs within two standard errors{label}", near.sum(axis=1), 0)
    apart = np.abs(means[:, ONE] - means[:, OTHER]) / np.maximum(means[:, ONE], means[:, OTHER])
    line("pairs less than 1 % apart", ((apart < 0.01) & (errors > 0)).sum(axis=1), 0)
    rng = np.random.default_rng(1)
    for spread in (0.02, 0.05, 0.1):
        moved = [means * np.exp(rng.normal(0, spread, means.shape)) for _ in range(2000)]
        print_last(
            f"values of systems moved by {100 * spread:g} %",
            np.array([mean_tau(each, errors) for each in moved]),
        )
    drawn = []
    for _ in range(200):
        sample: Values | float = 0.0
        for users in folds:
            weights = rng.poisson(1.0, users.values.shape[2]).astype(float)
            sample = sample + np.exp(users.values @ weights / weights.sum())
        drawn.append(mean_tau(np.asarray(sample), errors))
    print_last("samples of users", np.array(drawn))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("split", nargs="?", default="random-folds")
    parser.add_argument("--ranked", type=Path, nargs="*", help="folders of splits, if elsewhere")
    options = parser.parse_args()
    near_ties(options.prepared, options.ranked or [options.prepared], options.split)
