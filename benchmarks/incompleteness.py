# SPDX-License-Identifier: MIT
"""Robustness to removed judgments: valcarce2020's five experiments, against pytrec_eval.

    python benchmarks/incompleteness.py [--processes 2] [--samples 50] [--folds 5]

Ratings of MovieLens 1M's shape are generated, and ranks are drawn for 21 systems and 9 metrics
(see metrics.py). Five kinds of judgment sampling, 100 levels, 50 samples of random ones. The
folds are the same one again and again: their work is the same. pytrec_eval measures one system by
half of the test ratings, from lists of 100 in ready dictionaries, by the seven of the nine metrics
that it has (no ERR, and another infAP); the ratio is to the mean time of one sample and system in
ours, which measures only the users again who lost a judgment since the level before.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import time
from functools import cache
from multiprocessing import Pool

import numpy as np
import pytrec_eval
from evaluation import THRESHOLD, generated
from metrics import drawn_ranks, top_of_lists

from receval.metrics.averages import Arithmetic
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.missing_judgments.incompleteness import NAMES, AggregatedMetric, IncompleteFold
from receval.missing_judgments.judgment_sampling import RANDOM, kept_units, sampling_order
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Judgments

KINDS = ("ratings", "items", "users", "popular-items", "largest-users")
PERCENTS = np.arange(100.0, 0.0, -1.0)
N_SYSTEMS, N_USERS, N_ITEMS = 21, 6040, 3706
MEASURES = {"P.100", "recall.100", "set_F", "map_cut.100", "ndcg_cut.100", "recip_rank", "bpref"}
GOAL = 5
"""Minutes on two cores."""


@cache
def test_ratings() -> tuple[Judgments, float]:
    """Return generated test ratings, and the highest rating."""
    users, items, values = generated(N_USERS, N_ITEMS, int(0.0447 * N_USERS * N_ITEMS))
    test = generator(2, "benchmark").random(len(users)) >= 0.8
    return Judgments.from_pairs(users[test], items[test], values[test], N_USERS), values.max()


@cache
def reduced_fold() -> IncompleteFold:
    """Return the lists of all systems, ready for judgment sampling."""
    judgments, highest = test_ratings()
    metadata = DatasetMetadata(float(highest), np.ones(N_ITEMS, dtype=np.int64))
    judged = JudgedItems.of(judgments, THRESHOLD, metadata)
    outcomes = [drawn_ranks(judgments, number) for number in range(N_SYSTEMS)]
    lists = [JudgedLists.measured_by(judged, outcome, Protocol()) for outcome in outcomes]
    return IncompleteFold(
        lists, [AggregatedMetric(parse(f"{name}@100"), Arithmetic()) for name in NAMES]
    )


def remove(task: tuple[str, int, int]) -> None:
    """Measure all systems at all levels of some samples of one kind of judgment sampling."""
    kind, fold, samples = task
    for sample in range(samples if kind in RANDOM else 1):
        rng = generator(5, kind, fold, sample)
        order, n_units = sampling_order(test_ratings()[0], kind, rng)
        reduced_fold().values(order, kept_units(n_units, PERCENTS))


def pytrec_seconds() -> float:
    """Return the time in which pytrec_eval measures one system by half of the judgments."""
    judgments, _ = test_ratings()
    half = generator(6, "half").random(len(judgments)) < 0.5
    qrels: dict[str, dict[str, int]] = {}
    rows = zip(judgments.users[half], judgments.items[half], judgments.values[half], strict=True)
    for user, item, value in rows:
        qrels.setdefault(str(user), {})[str(item)] = int(value)
    run = top_of_lists(judgments, drawn_ranks(judgments, 0))
    durations = []
    for _ in range(3):
        started = time.perf_counter()
        pytrec_eval.RelevanceEvaluator(qrels, MEASURES, relevance_level=THRESHOLD).evaluate(run)
        durations.append(time.perf_counter() - started)
    return min(durations)


def main() -> None:
    """Print the durations and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    reduced_fold()  # before the processes part, so that they share it and all is compiled
    tasks = [(kind, fold, options.samples) for kind in KINDS for fold in range(options.folds)]
    started = time.perf_counter()
    with Pool(options.processes) as pool:
        pool.map(remove, tasks, chunksize=1)
    seconds = time.perf_counter() - started
    n_random = sum(kind in RANDOM for kind in KINDS)
    orders = options.folds * (n_random * options.samples + len(KINDS) - n_random)
    print(f"5 kinds of sampling x 100 levels x {options.samples} samples x 21 systems x 9 metrics")
    print(
        f"  receval, {options.folds} folds, {options.processes} processes: {seconds:.0f} s", end=""
    )
    print(f" (goal for 50 samples and 5 folds on two cores: {60 * GOAL} s)")
    started = time.perf_counter()
    remove(("ratings", 0, 1))
    one = (time.perf_counter() - started) / len(PERCENTS) / N_SYSTEMS
    theirs = pytrec_seconds()
    print(f"  one sample and system: receval {1e3 * one:.2f} ms, pytrec_eval {1e3 * theirs:.0f} ms")
    print(
        f"  pytrec_eval / receval: {theirs / one:,.0f}; {orders * len(PERCENTS):,} samples in all"
    )


if __name__ == "__main__":
    main()
