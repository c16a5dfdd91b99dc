"""Every named system on one fold of MovieLens 1M's shape, against its time budget.

    python benchmarks/recommenders/all_systems.py [--only ht bprmf] [--prepared work/full/ml-1m]

Fit and rank (AllItems, 20 per cent of the ratings held out), one thread, compiled before on a small
matrix. Systems that learn from grades get them. Fails where a system is over its budget, or all of
them on five folds over theirs. ``--prepared`` takes the ratings of a prepared dataset instead of
generated ones; HT's choice of items needs at least 3,500.
"""

from __future__ import annotations

import timing  # noqa: F401  (limits the threads before NumPy is imported)

# isort: split
import argparse
import sys
import time
from pathlib import Path

import numpy as np
from generated import ml1m_shaped
from scipy.sparse import csr_array

from receval.config.settings import load_settings
from receval.config.systems import SystemSpec
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.ratings import Ratings
from receval.recommenders.grades import relevance_grades
from receval.recommenders.registry import make
from receval.splits.split import Fold, Judgments, summed_matrix

RELEVANT_FROM = 4.0
BUDGET, LONGER = 30.0, 60.0
WITH_MORE_TIME = {"ht", "rm1", "rm2"}
FOLDS, CORES, MINUTES = 5, 2, 20.0


def main() -> None:
    """Print the durations of every system and whether they are within the budgets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--prepared", type=Path)
    options = parser.parse_args()
    systems = load_settings(Path("config"), "full").systems
    names = options.only or list(systems)
    ratings = ml1m_shaped()
    if options.prepared:
        table = Ratings.read(options.prepared)
        shape = (table.n_users, table.n_items)
        ratings = summed_matrix(table.users, table.items, table.values, shape)
    whole, small = held_out(ratings), held_out(ratings[:300])
    print(f"{'system':<32}{'fit':>9}{'rank':>9}{'budget':>9}   seconds")
    over, total = [], 0.0
    for name in names:
        seconds_of(systems[name], small)
        fit, rank = seconds_of(systems[name], whole)
        budget = LONGER if name in WITH_MORE_TIME else BUDGET
        total += fit + rank
        late = fit + rank > budget
        over += [name] * late
        print(f"{name:<32}{fit:9.2f}{rank:9.2f}{budget:9.0f}{'   over' * late}", flush=True)
    minutes = total * FOLDS / CORES / 60
    print(
        f"{len(names)} systems: {total:.0f} s a fold; {FOLDS} folds on {CORES} cores take "
        f"{minutes:.1f} minutes, {MINUTES:.0f} are allowed"
    )
    if over or minutes > MINUTES:
        sys.exit(f"Over the budget: {', '.join(over) or 'all of them together'}.")


def held_out(ratings: csr_array) -> Fold:
    """Split a fifth of the ratings off at random."""
    users = np.repeat(np.arange(ratings.shape[0]), np.diff(ratings.indptr))
    test = np.random.default_rng(1).random(ratings.nnz) < 0.2
    train, judged = (
        (users[part], ratings.indices[part], ratings.data[part]) for part in (~test, test)
    )
    everyone, everything = np.arange(ratings.shape[0]), np.arange(ratings.shape[1])
    return Fold(
        train=summed_matrix(*train, ratings.shape),
        test=Judgments.from_pairs(*judged, ratings.shape[0]),
        users_by_appearance=everyone.astype(np.int32),
        items_by_appearance=everything.astype(np.int32),
    )


def seconds_of(spec: SystemSpec, data: Fold) -> tuple[float, float]:
    """Return the durations of fitting a system and of ranking its scores."""
    train, judged = data.train, data.test.matrix(data.train.shape[1])
    if spec.learns_from == "grades":
        train, judged = (relevance_grades(part, RELEVANT_FROM) for part in (train, judged))
    model = make(spec.recommender, spec.parameters, seed=1)
    met = (data.users_by_appearance, data.items_by_appearance)
    start = time.perf_counter()
    model.fit(
        train, judged if model.reads_test else None, met if spec.order == "appearance" else None
    )
    fitted = time.perf_counter()
    rank_judged(model, data, [Protocol()], lambda *names: np.random.default_rng(1))
    return fitted - start, time.perf_counter() - fitted


if __name__ == "__main__":
    main()
