# SPDX-License-Identifier: MIT
"""Forms and settings of the systems of valcarce2018 that no search met, beside their values.

    python benchmarks/valcarce2018/forms.py PREPARED [--systems nncosngbr-ub ...] [--every 4]

PREPARED is the folder of the prepared MovieLens 1M, ``work/full/ml-1m`` after a run of the full
edition. Printed are Markdown tables: P@10, P@100, nDCG and MAP as published, and beside them RR,
recall at 100 and the mean difference between score and rating (of the first 100 items, users
without a judged one count 0), which no search saw: the authors' repository has them
(dvalcarce/evalMetrics, results-all-ml-1M-pop.csv). The difference tells what scale the scores had.

The neighbourhoods are walked for every user anew, so ``--every 4`` takes every fourth one: P@10 is
then within about 3 per cent of that of all.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from neighbourhoods import ItemForms, UserForms
from numpy.typing import NDArray
from scipy.sparse import csr_array
from settings import BPRMF, BPRMF_POSITIVES, HT, ITEMS, SVD, USERS
from walks import AbsorbingTime, SubgraphHittingTime

from receval.data.ratings import Ratings
from receval.metrics.lists import JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged_together
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders import biased_mf, bprmf, hitting_time
from receval.seeds import generator
from receval.splits.split import Fold, Judgments, Split, fold
from reproduction.experiments.values import Measurement, measure

METRICS = (
    "P@10", "P@100", "nDCG(depth=100)", "AP(depth=100)", "RR(depth=100)", "Recall@100",
)  # fmt: skip
DEPTH, THRESHOLD = 100, 4
PUBLISHED = {
    "nncosngbr-ub": (0.0718, 0.0217, 0.0998, 0.0404, 0.2094, 0.1504, 0.944),
    "nncosngbr-ib": (0.0214, 0.0159, 0.0648, 0.0090, 0.0685, 0.0886, 2.891),
    "svd": (0.0495, 0.0317, 0.0935, 0.0212, 0.1228, 0.1914, 0.496),
    "ht": (0.0067, 0.0184, 0.0750, 0.0082, 0.0319, 0.1656, 3.010),
    "bprmf": (0.2816, 0.1054, 0.4515, 0.2063, 0.5645, 0.6427, 1.562),
}


class Recorded:
    """Systems that are scored together, and what scores they gave the judged items."""

    def __init__(self, scorer: Any, judgments: Judgments) -> None:
        self._scorer, self._judgments = scorer, judgments
        self._n = len(scorer) if hasattr(scorer, "__len__") else 1
        self.scores = np.full((self._n, len(judgments.items)), np.nan, dtype=np.float32)

    def __len__(self) -> int:
        return self._n

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores, form by form."""
        scores = np.ascontiguousarray(self._scorer.score(users), dtype=np.float32)
        scores = scores.reshape(self._n, len(users), -1)
        for row, user in enumerate(users):
            part = slice(self._judgments.indptr[user], self._judgments.indptr[user + 1])
            self.scores[:, part] = scores[:, row, self._judgments.items[part]]
        return scores


def difference(ranked: JudgedRanks, scores: NDArray[np.float32], judgments: Judgments) -> float:
    """Return the users' mean of |score - rating| over the judged among the first 100."""
    users = np.repeat(np.arange(judgments.n_users), np.diff(judgments.indptr))
    near = (ranked.ranks > 0) & (ranked.ranks <= DEPTH)
    errors = np.abs(scores[near] - judgments.values[near])
    size = judgments.n_users
    sums = np.bincount(users[near], weights=errors, minlength=size)
    counts = np.bincount(users[near], minlength=size)
    return float((sums / np.maximum(counts, 1))[np.diff(judgments.indptr) > 0].mean())


def print_values(labels: Iterable[str], scorer: Any, data: Fold) -> None:
    """Print a row of the table for every form of a scorer."""
    recorded = Recorded(scorer, data.test)
    protocol = Protocol()
    generator_for = partial(generator, 0, "ml-1m", "user-80", 0)
    judged = JudgedItems.of(data.test, THRESHOLD)
    measurement = Measurement(tuple(map(parse, METRICS)), "tested")
    ranked = rank_judged_together(recorded, data, [protocol], generator_for)
    for label, (ranks,), scores in zip(labels, ranked, recorded.scores, strict=True):
        values = measure(JudgedLists.measured_by(judged, ranks, protocol), measurement).values[0]
        print_row(label, [*values, difference(ranks, scores, data.test)])


def print_row(label: str, values: Iterable[float]) -> None:
    numbers = " | ".join(f"{value:.4f}".lstrip("0") for value in values)
    print(f"| {label} | {numbers} |", flush=True)


def read_fold(prepared: Path, every: int) -> Fold:
    """Return the split's fold with the test ratings of every n-th user."""
    data = fold(Ratings.read(prepared), Split.read(prepared / "user-80" / "split.npz"), 0)
    test = data.test
    users = np.repeat(np.arange(test.n_users), np.diff(test.indptr))
    kept = users % every == 0
    chosen = Judgments.from_pairs(users[kept], test.items[kept], test.values[kept], test.n_users)
    return Fold(data.train, test=chosen)


def factorisations(system: str, train: csr_array) -> Iterator[tuple[str, Any]]:
    """Train one setting after the other."""
    if system == "svd":
        for label, setting in SVD.items():
            yield label, biased_mf.BiasedMF(**setting).fit(train)
        return
    for label, setting in BPRMF.items():
        yield label, bprmf.BPRMF(**setting).fit(train)
    for least in BPRMF_POSITIVES:
        positives = train.copy()
        positives.data[positives.data < least] = 0
        positives.eliminate_zeros()
        label = "in use: 100 factors, rate .02, .005, 70 epochs"
        model = bprmf.BPRMF(**BPRMF[label]).fit(positives)
        yield f"the same, positives from {least:g}", model


def walks(train: csr_array) -> Iterator[tuple[str, Any]]:
    """Prepare one walk after the other."""
    for items in HT:
        yield f"{items} items", hitting_time.HittingTime(15, items).fit(train)
    yield "3520 items, 5 steps", hitting_time.HittingTime(5, 3520).fit(train)
    yield "3520 items, 45 steps", hitting_time.HittingTime(45, 3520).fit(train)
    ones = csr_array((np.ones_like(train.data), train.indices, train.indptr), shape=train.shape)
    yield "3520 items, ratings unweighted", hitting_time.HittingTime(15, 3520).fit(ones)
    for items in (3000, 3520):
        yield f"walk on {items} items alone", SubgraphHittingTime(train, items)
    yield "absorbing time", AbsorbingTime(train)


def main() -> None:
    """Print a table for every system."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("--systems", nargs="+", choices=PUBLISHED, default=list(PUBLISHED))
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    data = read_fold(options.prepared, options.every)
    for system in options.systems:
        start = time.process_time()
        print(f"\n| {system} | P@10 | P@100 | nDCG | MAP | RR | recall | difference |")
        print("| --- " + "| ---: " * 7 + "|")
        print_row("published", PUBLISHED[system])
        if system == "nncosngbr-ub":
            print_values([form.label for form in USERS], UserForms(data.train, USERS), data)
        elif system == "nncosngbr-ib":
            print_values([form.label for form in ITEMS], ItemForms(data.train, ITEMS), data)
        else:
            tried = walks(data.train) if system == "ht" else factorisations(system, data.train)
            for label, model in tried:
                print_values([label], model, data)
        print(f"\n{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
