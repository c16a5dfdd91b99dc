# SPDX-License-Identifier: MIT
"""Nine metrics at eleven cut-offs for many systems, against pytrec_eval, within one run.

    python benchmarks/metrics.py [--rounds 5] [--systems 21] [--peer-systems 3] [--users 6040]

The metrics and cut-offs are those of valcarce2020, the ratings are generated in MovieLens 1M's
shape, and a system is what it comes down to: ranks drawn for the judged items, towards the top of
lists of 3,500. Ours is the time from judged ranks to 99 means for every system: sorting the
judgments, binding the ranks, measuring, averaging.

pytrec_eval gets ready dictionaries with lists of 100 and computes what it can of the same: P,
recall, AP and nDCG at the eleven cut-offs; F1, RR, bpref and its own infAP of the whole lists; no
ERR. It is timed on some of the systems, and its time is scaled to all. One thread each.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import time

import numpy as np
import pytrec_eval
from evaluation import THRESHOLD, best, generated
from ratios import note_ratio

from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Judgments

NAMES = ("P", "Recall", "F1", "AP", "nDCG", "RR", "ERR", "bpref", "infAP")
CUTOFFS = (5, *range(10, 101, 10))
LENGTH = 3500
DEPTH = 100
GOAL = 2
"""Seconds for 21 systems on one core."""
MEASURES = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in ("P", "recall", "map_cut")}
MEASURES |= {f"ndcg_cut.{','.join(map(str, CUTOFFS))}", "set_F", "recip_rank", "bpref", "infAP"}
SAME = {
    "P@10": "P_10",
    "Recall@100": "recall_100",
    "F1@100": "set_F",
    "AP@50": "map_cut_50",
    "nDCG@20": "ndcg_cut_20",
    "RR@100": "recip_rank",
    "bpref@100": "bpref",
}


def drawn_ranks(judgments: Judgments, number: int) -> JudgedRanks:
    """Return ranks without repetition, towards the top of every list."""
    rng = generator(4, "benchmark", number)
    ranks = (LENGTH * rng.random(len(judgments)) ** 2.5).astype(np.int64) + 1
    for first, last in zip(judgments.indptr[:-1], judgments.indptr[1:], strict=True):
        order = np.argsort(ranks[first:last])
        steps = np.arange(last - first)
        ranks[first:last][order] = np.maximum.accumulate(ranks[first:last][order] - steps) + steps
    lengths = np.full(judgments.n_users, max(LENGTH, ranks.max()), dtype=np.int32)
    return JudgedRanks(ranks.astype(np.int32), lengths, lengths)


def top_of_lists(judgments: Judgments, outcome: JudgedRanks) -> dict[str, dict[str, float]]:
    """Return the first places of every list as pytrec_eval wants them."""
    run = {}
    for user in np.flatnonzero(np.diff(judgments.indptr)):
        rows = slice(judgments.indptr[user], judgments.indptr[user + 1])
        names = {place: f"unjudged-{place}" for place in range(1, DEPTH + 1)}
        for item, rank in zip(judgments.items[rows], outcome.ranks[rows].tolist(), strict=True):
            if rank <= DEPTH:
                names[rank] = str(item)
        run[str(user)] = {name: float(-place) for place, name in names.items()}
    return run


def main() -> None:
    """Print the durations and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--systems", type=int, default=21)
    parser.add_argument("--peer-systems", type=int, default=3)
    parser.add_argument("--users", type=int, default=6040)
    options = parser.parse_args()
    n_items = 3706
    users, items, values = generated(options.users, n_items, int(0.0447 * options.users * n_items))
    test = generator(2, "benchmark").random(len(users)) >= 0.8
    judgments = Judgments.from_pairs(users[test], items[test], values[test], options.users)
    liked = np.bincount(items[values >= THRESHOLD], minlength=n_items)
    metadata = DatasetMetadata(float(values.max()), liked)
    outcomes = [drawn_ranks(judgments, number) for number in range(options.systems)]
    metrics = [parse(f"{name}@{cutoff}") for name in NAMES for cutoff in CUTOFFS]

    def ours() -> list[np.ndarray]:
        judged = JudgedItems.of(judgments, THRESHOLD, metadata)
        means = []
        for outcome in outcomes:
            lists = JudgedLists.measured_by(judged, outcome, Protocol())
            means.append(mean(evaluate(metrics, lists), lists))
        return means

    qrels: dict[str, dict[str, int]] = {}
    for user, item, value in zip(judgments.users, judgments.items, judgments.values, strict=True):
        qrels.setdefault(str(user), {})[str(item)] = int(value)
    runs = [top_of_lists(judgments, outcome) for outcome in outcomes[: options.peer_systems]]

    def theirs() -> list[dict[str, float]]:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES, relevance_level=THRESHOLD)
        means = []
        for run in runs:
            answers = list(evaluator.evaluate(run).values())
            means.append({name: np.mean([a[name] for a in answers]) for name in answers[0]})
        return means

    started = time.perf_counter()
    own = ours()
    first = time.perf_counter() - started
    # The same numbers first: what is compared must do the same work.
    peers = theirs()
    for row, reference in zip(own, peers, strict=False):
        found = dict(zip([metric.label for metric in metrics], row, strict=True))
        for label, measure in SAME.items():
            assert np.isclose(found[label], reference[measure], atol=1e-9), (label, measure)

    mine = best(ours, options.rounds)
    peer = best(theirs, 2) * options.systems / len(runs)
    print(
        f"{options.systems} systems, {options.users:,} users, {len(judgments):,} test ratings, "
        f"{len(metrics)} measures; one thread"
    )
    for name, seconds in (
        (f"receval, {len(metrics)} measures, from judged ranks", mine),
        (f"receval, {len(metrics)} measures, first call", first),
        (f"pytrec_eval, {len(peers[0])} measures, input given", peer),
    ):
        print(f"  {name:<50}{seconds:8.3f} s   {seconds / mine:6.2f} x ours")
    work = f"{len(metrics)} measures of {options.systems} systems from judged ranks"
    note_ratio(work, f"pytrec_eval, {len(peers[0])} measures, input given", mine, peer)
    print(f"ours: {mine:.3f} s of at most {GOAL} s - {'ok' if mine <= GOAL else 'too slow'}")


if __name__ == "__main__":
    main()
