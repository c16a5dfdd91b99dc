# SPDX-License-Identifier: MIT
"""Ranking and 46 measures against pytrec_eval and implicit, as ratios within one run.

    python benchmarks/evaluation.py [--rounds 5] [--users 6040] [--items 3706]

Data of MovieLens 1M's shape is generated (or read: --ratings path/to/ratings.dat); the system is
implicit's own ALS model, so that all three evaluate the same recommendations. One thread each.

pytrec_eval gets lists of 100 and is timed with and without building its input. implicit's
``ranking_metrics_at_k`` computes four metrics at one cut-off and ranks for itself.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytrec_eval
from implicit.als import AlternatingLeastSquares
from implicit.evaluation import ranking_metrics_at_k
from ratios import note_ratio
from scipy.sparse import csr_array, csr_matrix

from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Fold, Judgments

CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 70, 100)
DEPTH = 100
THRESHOLD = 4
FAMILIES = ("P", "Recall", "nDCG", "antiP")


def generated(n_users: int, n_items: int, n_ratings: int) -> tuple[np.ndarray, ...]:
    """Return users, items and ratings with the long tail of MovieLens 1M."""
    rng = generator(1, "benchmark")
    popularity = 1.0 / (30 + np.arange(n_items)) ** 1.2
    users = rng.integers(0, n_users, 3 * n_ratings)
    items = rng.choice(n_items, 3 * n_ratings, p=popularity / popularity.sum())
    pairs = np.unique(users.astype(np.int64) * n_items + items)
    pairs = np.sort(rng.permutation(pairs)[:n_ratings])
    ratings = rng.choice([1, 2, 3, 4, 5], len(pairs), p=[0.056, 0.107, 0.261, 0.349, 0.227])
    return pairs // n_items, pairs % n_items, ratings


def read(path: Path) -> tuple[np.ndarray, ...]:
    """Return users, items and ratings of a ratings.dat."""
    table = pd.read_csv(path, sep=":", header=None, usecols=[0, 2, 4])
    users, items = (pd.factorize(table[column])[0] for column in (0, 2))
    return users, items, table[4].to_numpy()


class FactorModel:
    """implicit's model as a system of ours."""

    def __init__(self, model: AlternatingLeastSquares) -> None:
        self.users = np.asarray(model.user_factors)
        self.items = np.ascontiguousarray(np.asarray(model.item_factors).T)

    def score(self, users: np.ndarray) -> np.ndarray:
        """Return the products of factors."""
        return self.users[users] @ self.items


def best(job: Callable[[], object], rounds: int) -> float:
    """Return the least of several durations in seconds; the machine may be shared."""
    durations = []
    for _ in range(rounds):
        start = time.perf_counter()
        job()
        durations.append(time.perf_counter() - start)
    return min(durations)


def main() -> None:
    """Print the durations and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--users", type=int, default=6040)
    parser.add_argument("--items", type=int, default=3706)
    parser.add_argument("--ratings", type=Path)
    options = parser.parse_args()
    users, items, values = (
        read(options.ratings)
        if options.ratings
        else generated(options.users, options.items, int(0.0447 * options.users * options.items))
    )
    shape = (int(users.max()) + 1, int(items.max()) + 1)
    in_train = generator(2, "benchmark").random(len(users)) < 0.8
    train = csr_array(
        (values[in_train].astype(np.float32), (users[in_train], items[in_train])), shape=shape
    )
    judgments = Judgments.from_pairs(
        users[~in_train], items[~in_train], values[~in_train], shape[0]
    )
    model = AlternatingLeastSquares(factors=50, iterations=5, random_state=1, num_threads=1)
    model.fit(csr_matrix(train), show_progress=False)
    system = FactorModel(model)
    fold = Fold(train, judgments, None)
    protocol = Protocol()
    metrics: list[Metric] = [parse(f"{name}@{n}") for name in FAMILIES for n in CUTOFFS]
    metrics += [parse(f"nDCG(depth={DEPTH})"), parse("Fallout@10")]

    def rank() -> JudgedLists:
        (outcome,) = rank_judged(system, fold, [protocol], lambda *n: generator(3, *n))
        return JudgedLists.of(judgments, outcome, THRESHOLD, protocol)

    def ours() -> np.ndarray:
        lists = rank()
        return mean(evaluate(metrics, lists), lists)

    lists = rank()
    names = [str(i) for i in range(max(shape))]
    tested = np.flatnonzero(np.diff(judgments.indptr))
    measures = {
        f"{name}.{','.join(map(str, CUTOFFS))}" for name in ("P", "recall", "ndcg_cut", "success")
    } | {"ndcg", "map"}

    def inputs() -> tuple[dict, dict]:
        found, scores = model.recommend(
            tested, csr_matrix(train)[tested], N=DEPTH, filter_already_liked_items=True
        )
        run = {
            names[user]: dict(zip([names[i] for i in row], map(float, values), strict=True))
            for user, row, values in zip(tested, found, scores, strict=True)
        }
        qrels = {}
        for user in tested:
            rows = slice(judgments.indptr[user], judgments.indptr[user + 1])
            judged = (names[i] for i in judgments.items[rows])
            qrels[names[user]] = dict(zip(judged, map(int, judgments.values[rows]), strict=True))
        return qrels, run

    prepared = inputs()

    def trec(given: tuple[dict, dict] | None = None) -> dict:
        qrels, run = given or inputs()
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=THRESHOLD)
        answers = evaluator.evaluate(run)
        return {
            measure: np.mean([answer[measure] for answer in answers.values()])
            for measure in next(iter(answers.values()))
        }

    relevant = ~in_train & (values >= THRESHOLD)
    test = csr_matrix(
        (np.ones(relevant.sum(), dtype=np.float32), (users[relevant], items[relevant])),
        shape=shape,
    )
    sparse_train = csr_matrix(train)

    def implicit_metrics() -> dict:
        return ranking_metrics_at_k(
            model, sparse_train, test, K=10, show_progress=False, num_threads=1
        )

    # The same numbers first: what is compared must do the same work.
    theirs, own = trec(prepared), dict(zip([m.label for m in metrics], ours(), strict=True))
    for label, measure in (
        ("P@10", "P_10"),
        ("Recall@30", "recall_30"),
        ("nDCG@10", "ndcg_cut_10"),
    ):
        assert abs(own[label] - theirs[measure]) < 2e-4, (label, own[label], theirs[measure])

    durations = {
        "ranking, judged items only": best(rank, options.rounds),
        "46 measures from judged ranks": best(lambda: evaluate(metrics, lists), options.rounds),
        "ranking + 46 measures": best(ours, options.rounds),
        "implicit ranking_metrics_at_k (4 metrics, 1 cut-off)": best(
            implicit_metrics, options.rounds
        ),
        "pytrec_eval, 46 measures, input given": best(lambda: trec(prepared), options.rounds),
        "pytrec_eval, 46 measures, with top 100 and input": best(trec, options.rounds),
    }
    whole = durations["ranking + 46 measures"]
    print(f"{shape[0]:,} users, {shape[1]:,} items, {len(judgments):,} judgments; one thread")
    for name, seconds in durations.items():
        print(f"  {name:<55}{seconds:8.3f} s   {seconds / whole:6.2f} x ours")
        if name.startswith(("implicit", "pytrec_eval")):
            note_ratio("Ranking and 46 measures", name, whole, seconds)


if __name__ == "__main__":
    main()
