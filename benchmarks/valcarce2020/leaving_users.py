# SPDX-License-Identifier: MIT
"""Why the figures of valcarce2020 on users differ from ours: experiments of docs/robustness.md.

    python benchmarks/valcarce2020/leaving_users.py work/full/ml-1m [largest random]

The folder is that of the prepared MovieLens 1M after a run of the full edition. Printed is the
mean tau over the levels 100, 99, ..., 1 per cent of users. It takes a minute of one thread.

largest: the users with most ratings leave; other units, samples of users and values of systems.
random: random users leave, under geometric means; other forms and samples.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from lists_of_systems import (
    ALL,
    FOUR,
    METRIC_NAMES,
    RELEASED,
    SYSTEMS,
    TOOL,
    TestedUsers,
    heading,
    line,
    lists_of,
    tau,
)
from lists_of_systems import measured_users as measured
from numpy.typing import NDArray

Values = NDArray[np.float64]
PERCENTS = np.arange(100, 0, -1)


def curve(
    folds: Sequence[TestedUsers],
    weights: Sequence[Values],
    leaving: Callable[[TestedUsers], NDArray[np.int64]],
    logarithms: bool = False,
    scale: Values | float = 1.0,
    digits: int = 12,
) -> Values:
    """Return the mean tau over levels by metric; users with the lowest order stay longest."""
    total: Values | float = 0.0
    for users, weight in zip(folds, weights, strict=True):
        order = leaving(users)
        last = np.maximum(1, np.floor(len(order) * PERCENTS / 100 + 0.5).astype(np.int64)) - 1
        sums = np.cumsum(users.values[:, :, order] * weight[order], axis=2)[:, :, last]
        means = sums / np.maximum(np.cumsum(weight[order])[last], 1e-9)
        total = total + (np.exp(means) if logarithms else means)
    values = np.round(np.asarray(total) / len(folds) * scale, digits)
    return np.asarray(np.nanmean(tau(values[:, :, 0], values), axis=1))


def by_size(size: str) -> Callable[[TestedUsers], NDArray[np.int64]]:
    def order(users: TestedUsers) -> NDArray[np.int64]:
        sizes = getattr(users, size)
        return np.lexsort((np.random.default_rng(2).random(len(sizes)), sizes))

    return order


def largest_users(prepared: Path) -> None:
    folds = [measured(*each) for each in lists_of(prepared, "random-folds", SYSTEMS)]
    (once,) = [measured(*each) for each in lists_of(prepared, "user-80", SYSTEMS)]
    ones = [np.ones(len(users.relevant)) for users in folds]
    heading("Mean tau, largest users leave")
    line("ours", curve(folds, ones, by_size("test_ratings")))
    labels = [f"{name}(depth=100)" for name in TOOL]
    of_tool = [measured(*each, labels) for each in lists_of(prepared, "random-folds", SYSTEMS)]
    line("measures of the released tool", curve(of_tool, ones, by_size("test_ratings")))
    line("largest by relevant test ratings", curve(folds, ones, by_size("relevant")))
    line(
        "split of valcarce2018",
        curve([once], [np.ones(len(once.relevant))], by_size("test_ratings")),
    )
    for number, users in enumerate(folds):
        line(f"fold {number} alone", curve([users], [ones[number]], by_size("test_ratings")))
    full = sum(users.values.mean(axis=2) for users in folds) / len(folds)
    rng = np.random.default_rng(1)
    for label, chosen in (("none", []), ("BPRMF", FOUR[3:]), ("the four", FOUR), ("all", ALL)):
        scale = np.ones_like(full)
        scale[:, chosen] = (RELEASED[100] / full)[:, chosen]
        scale = scale[:, :, None]
        line(
            f"scaled to released values: {label}",
            curve(folds, ones, by_size("test_ratings"), False, scale),
        )
        drawn = np.array([
            curve(folds, [rng.poisson(1.0, len(one)).astype(float) for one in ones],
                  by_size("test_ratings"), False, scale)
            for _ in range(50)
        ])  # fmt: skip
        best = {name: drawn[:, METRIC_NAMES.index(name)] for name in METRIC_NAMES}
        for one, other in (("infAP", "nDCG"), ("bpref", "nDCG"), ("infAP", "P"), ("bpref", "P")):
            share = np.mean(best[one] > best[other])
            print(f"  of 50 samples of users, {one} above {other}: {share:.2f}")


def logarithms(users: TestedUsers, zeros_are_one: Sequence[str]) -> TestedUsers:
    found = np.log(np.maximum(users.values, 1e-5))
    for name in zeros_are_one:
        row = METRIC_NAMES.index(name)
        found[row][users.values[row] == 0] = 0.0
    return users._replace(values=found)


def random_users(prepared: Path) -> None:
    folds = [measured(*each) for each in lists_of(prepared, "random-folds", SYSTEMS)]
    once = [measured(*each) for each in lists_of(prepared, "user-80", SYSTEMS)]
    rest = [i for i in ALL if i not in FOUR]
    close = [i for i in rest if SYSTEMS[i] not in ("random", "ht", "pop", "uir", "rm1", "rw")]
    heading("Mean tau of geometric means, random users leave")
    tool = ("F1", "MRR")
    for label, chosen, zeros, kept, digits in (
        ("floor", folds, (), ALL, 12),
        ("released form of F1 and MRR", folds, tool, ALL, 12),
        ("that form, values in four digits", folds, tool, ALL, 4),
        ("that form for all metrics", folds, METRIC_NAMES, ALL, 12),
        ("released form, one fold", folds[:1], tool, ALL, 12),
        ("released form, split of valcarce2018", once, tool, ALL, 12),
        ("released form, without the four", folds, tool, rest, 12),
        ("released form, 11 systems that are close", folds, tool, close, 12),
    ):
        logged = [logarithms(users, zeros) for users in chosen]
        logged = [users._replace(values=users.values[:, kept]) for users in logged]
        ones = [np.ones(len(users.relevant)) for users in logged]
        rng = np.random.default_rng(1)

        def drawn_order(users: TestedUsers, rng: np.random.Generator = rng) -> NDArray[np.int64]:
            return rng.permutation(len(users.relevant))

        drawn = [curve(logged, ones, drawn_order, True, 1.0, digits) for _ in range(20)]
        line(label, np.mean(drawn, axis=0))


PARTS = {"largest": largest_users, "random": random_users}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    options = parser.parse_args()
    for part in options.parts:
        PARTS[part](options.prepared)
