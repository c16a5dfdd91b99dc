# SPDX-License-Identifier: MIT
"""Why valcarce2018 and valcarce2020 differ from ours: experiments of docs/robustness.md.

    python benchmarks/valcarce2020/differences.py work/full/ml-1m [power items]

The folder is that of the prepared MovieLens 1M after a run of the full edition. It takes ten
seconds of one thread; leaving_users.py has the figures in which users leave.

power: discriminative power over ordered pairs, by the normal approximation of the permutation
test (it is within .1 of it), with our values of systems and with released ones in place of them.
items: tau when the most popular items leave, of the released values and of ours, with other units
of removal and with released values in place of ours.
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
    METRICS,
    RELEASED,
    SYSTEMS,
    heading,
    line,
    lists_of,
    means_over_folds,
    tau,
)
from numpy.typing import NDArray
from scipy.stats import norm

from receval.metrics.averages import Arithmetic
from receval.metrics.registry import parse
from receval.missing_judgments.incompleteness import AggregatedMetric, IncompleteFold
from receval.statistics.pairs import system_pairs

Values = NDArray[np.float64]
BPRMF = FOUR[3:]
# Ratios of their values at low levels are of a few hits.
FEW_HITS = ("random", "pop", "uir")
TWINS = {("rsv", "rw"): 0, ("pop", "uir"): 1}
# Of the twins four digits tell nothing: the released p-values (data/discriminative-ml-1M.csv).
TWINS_P = np.array([
    (.1624, .5591, .1718, .0147, .0875, .2831, .3843, .2283, .2631),
    (.0030, .5901, .0095, .0004, .2082, .3294, .3435, .5418, .6052),
])  # fmt: skip
FIRST, SECOND = system_pairs(len(SYSTEMS))
PAIRS = list(zip(FIRST, SECOND, strict=True))


def replaced(values: Values, chosen: Sequence[int], level: int = 100) -> Values:
    values = np.round(values, 4)
    values[:, chosen] = RELEASED[level][:, chosen]
    return values


def power(means: Values, errors: Values, twins: bool = True) -> Values:
    """Return the sum of p-values over ordered pairs, of means (n_metrics, n_systems)."""
    distance = np.abs(means[:, FIRST] - means[:, SECOND])
    p_values = 2 * norm.sf(np.divide(distance, errors, np.zeros_like(distance), where=errors > 0))
    for (one, other), row in TWINS.items() if twins else ():
        pair = (SYSTEMS[i] == one and SYSTEMS[j] == other for i, j in PAIRS)
        p_values[:, list(pair).index(True)] = TWINS_P[row]
    return np.asarray(2 * p_values.sum(axis=1))


def discriminative_power(prepared: Path) -> None:
    for split, study in (("user-80", "valcarce2018"), ("random-folds", "valcarce2020")):
        values = means_over_folds(lists_of(prepared, split, SYSTEMS))
        spread = (values[:, FIRST] - values[:, SECOND]).std(axis=2)
        errors, means = spread / np.sqrt(values.shape[2]), values.mean(axis=2)
        heading(f"Discriminative power, {study}")
        line("ours", power(means, errors, twins=False), 2)
        line("ours, twins as released", power(means, errors), 2)
        for label, chosen in (("BPRMF", BPRMF), ("the four", FOUR), ("all", ALL)):
            line(f"released values of {label}", power(replaced(means, chosen), errors), 2)
        rng, n_users = np.random.default_rng(1), values.shape[2]
        drawn = []
        for _ in range(200):
            users = rng.multinomial(n_users, np.full(n_users, 1 / n_users)) / n_users
            drawn.append(power(values @ users, errors, twins=False))
        _, recall, f1, average, gain, reciprocal, _, bpref, _ = np.array(drawn).T
        precision = np.array(drawn)[:, 0]
        for label, holds in (
            ("MRR above bpref", reciprocal > bpref),
            ("nDCG below P", gain < precision),
            ("MAP below P", average < precision),
            ("F1 below P", f1 < precision),
            ("MAP below Recall", average < recall),
        ):
            print(f"of 200 samples of users, {label}: {np.mean(holds):.2f}")


def popular_items(prepared: Path) -> None:
    ((data, lists),) = lists_of(prepared, "user-80", SYSTEMS)
    reduced = IncompleteFold(
        lists, [AggregatedMetric(parse(m), Arithmetic()) for m in METRICS.values()]
    )
    items, n_items = data.test.items, data.train.shape[1]
    in_test = np.bincount(items, minlength=n_items)
    liked = np.bincount(items[data.test.values >= 4], minlength=n_items)
    everywhere = in_test + np.bincount(data.train.indices, minlength=n_items)
    levels = np.array([100, 94, 90, 80])
    rng = np.random.default_rng(1)
    for label, popularity, counted in (
        ("test ratings, share of test items (ours)", in_test, in_test),
        ("relevant test ratings, of items with one", liked, liked),
        ("test ratings, share of all items", in_test, everywhere),
        ("all ratings, share of all items", everywhere, everywhere),
    ):
        order = np.empty(n_items, dtype=np.int64)
        order[np.lexsort((rng.random(n_items), popularity))] = np.arange(n_items)
        removed = np.floor(np.count_nonzero(counted) * (100 - levels) / 100 + 0.5)
        kept = n_items - removed.astype(np.int64)
        values, _ = reduced.values(order[items], kept)
        for level, own in zip(levels[1:], values[1:], strict=True):
            heading(f"{level} % of items kept: {label}")
            near = [i for i in ALL if i not in FOUR and SYSTEMS[i] not in FEW_HITS]
            ratio = np.log(own[:, near] / RELEASED[level][:, near]).mean(axis=1)
            line("mean log of values over released ones", ratio)
            line("tau, paper (from released values)", tau(RELEASED[100], RELEASED[level]))
            line("tau, ours", tau(values[0], own))
            for name, chosen in (("BPRMF", BPRMF), ("the four", FOUR)):
                both = replaced(values[0], chosen), replaced(own, chosen, level)
                line(f"tau, released values of {name}", tau(*both))
            rest = [i for i in ALL if i not in FOUR]
            line(
                "tau without the four, paper", tau(RELEASED[100][:, rest], RELEASED[level][:, rest])
            )
            line("tau without the four, ours", tau(values[0][:, rest], own[:, rest]))
            print("Pop's P:", f"{own[0, SYSTEMS.index('pop')]:.5f}; released", end=" ")
            print(f"{RELEASED[level][0, SYSTEMS.index('pop')]:.4f}")


PARTS = {"power": discriminative_power, "items": popular_items}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    options = parser.parse_args()
    for part in options.parts:
        PARTS[part](options.prepared)
