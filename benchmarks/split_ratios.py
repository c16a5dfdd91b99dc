# SPDX-License-Identifier: MIT
"""Ranking and evaluating a system at nine split ratios, against a goal of 60 s, training apart.

    python benchmarks/split_ratios.py [--real work/full/ml-1m] [--systems knn-user] [--size 0.1]

The split is canamares2020's: each rating trains with probability .1 to .9, with the same coins for
all nine. The ratings are generated in MovieLens 1M's shape or those of a prepared dataset. RankSys'
user kNN and MF are trained on each ratio as they are configured, which is timed but does not count.
What counts is making the fold, ranking its test ratings under the AllItems protocol (AR AI-AN) and
evaluating them by P and nDCG of full and condensed lists, coverage and unjudged places. One
thread; every step is timed once, and what numba compiles is compiled on a few generated ratings
first. The exit status is 1 where a system takes longer than the goal.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from recommenders.generated import add_size, ml1m_shaped
from recommenders.ranking import table

from receval.data.ratings import Ratings
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender, make
from receval.seeds import generator, integer_seed
from receval.splits.kinds import RandomRatio, make_split
from receval.splits.split import Fold, Split, fold
from reproduction.config.settings import load_settings
from reproduction.config.systems import SystemSpec

CONFIG = Path(__file__).resolve().parents[1] / "config"
SYSTEMS = ("knn-user", "ranksys-mf")
RATIOS = tuple(tenth / 10 for tenth in range(1, 10))
THRESHOLD = 4.0
LABELS = (
    "P@10",
    "nDCG(gain=binary)@10",
    "P(condensed=true)@10",
    "nDCG(condensed=true,gain=binary)@10",
    "Coverage@10",
    "UserCoverage",
    "Unjudged@10",
)
METRICS = [parse(label) for label in LABELS]
PROTOCOL = Protocol()
GOAL = 60.0
"""Seconds for nine ratios of one system on one core."""
TINY = 0.05

Result = TypeVar("Result")


def split_of(ratings: Ratings) -> Split:
    """Return one fold for every ratio."""
    spec = RandomRatio(kind="random-ratio", train_ratio=RATIOS)
    return make_split(ratings, spec, 1, "benchmark", "split-ratios", {})


def rank(model: Recommender, data: Fold) -> JudgedRanks:
    """Return the ranks of the test ratings."""
    return rank_judged(model, data, [PROTOCOL], partial(generator, 1, "benchmark"))[0]


def measured(data: Fold, outcome: JudgedRanks) -> np.ndarray:
    """Return the means of all metrics over the users with test ratings."""
    lists = JudgedLists.of(data.test, outcome, THRESHOLD, PROTOCOL)
    return mean(evaluate(METRICS, lists), lists)


def timed(job: Callable[[], Result]) -> tuple[Result, float]:
    """Return what a job returns, and how many seconds it took."""
    started = time.perf_counter()
    result = job()
    return result, time.perf_counter() - started


def steps(name: str, spec: SystemSpec, ratings: Ratings, split: Split, number: int) -> np.ndarray:
    """Return the seconds of training, making the fold, ranking and evaluating at one ratio."""
    data, making = timed(lambda: fold(ratings, split, number))
    model = make(spec.recommender, spec.parameters, integer_seed(1, "benchmark", name))
    _, training = timed(lambda: model.fit(data.train))
    outcome, ranking = timed(lambda: rank(model, data))
    _, evaluating = timed(lambda: measured(data, outcome))
    return np.array([training, making, ranking, evaluating])


def main() -> None:
    """Print the durations, and fail where a system takes longer than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="of a prepared dataset")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS, metavar="NAME")
    add_size(parser)
    options = parser.parse_args()
    specs = load_settings(CONFIG, "full").systems
    ratings = Ratings.read(options.real) if options.real else table(ml1m_shaped(options.size))
    split = split_of(ratings)
    tiny = table(ml1m_shaped(TINY))
    print(
        f"{len(ratings):,} ratings of {ratings.n_users:,} users and {ratings.n_items:,} items, "
        f"{len(RATIOS)} split ratios, {len(METRICS)} measures; one thread"
    )
    slow = False
    for name in options.systems:
        steps(name, specs[name], tiny, split_of(tiny), 0)
        print(
            f"{name}\n  {'ratio':>7}{'train s':>10}{'fold s':>10}{'rank s':>10}{'evaluate s':>12}"
        )
        sums = np.zeros(4)
        for number, ratio in enumerate(RATIOS):
            seconds = steps(name, specs[name], ratings, split, number)
            print(line(f"{ratio:.1f}", seconds), flush=True)
            sums += seconds
        print(line("sum", sums))
        counted = float(sums[1:].sum())
        slow |= counted > GOAL
        verdict = "ok" if counted <= GOAL else "TOO SLOW"
        print(
            f"  without training: {counted:.1f} s of at most {GOAL:.0f} s - {verdict}", flush=True
        )
    sys.exit(1 if slow else 0)


def line(title: str, seconds: np.ndarray) -> str:
    """Return one line of the table."""
    training, making, ranking, evaluating = seconds
    return f"  {title:>7}{training:10.2f}{making:10.2f}{ranking:10.2f}{evaluating:12.3f}"


if __name__ == "__main__":
    main()
