# SPDX-License-Identifier: MIT
"""Every system of config/systems.yaml against its budget of time.

    python benchmarks/recommenders/all_systems.py [--only rm1 rm2] [--real work/full/ml-1m]

Fits each system to one fold, 80 % of generated ratings of MovieLens 1M's shape or of a prepared
dataset, and ranks the other 20 % under the AllItems protocol, one thread each; what numba compiles
is compiled on a few generated ratings first. Systems that learn from grades get those of threshold
4, oracles get the held-out ratings. The budgets are seconds a fold for both steps, and minutes for
five folds of all systems on two cores, which jobs of one thread each share evenly. Every system is
timed once. The exit status is 1 where a budget is exceeded.
"""

from __future__ import annotations

from timing import fastest  # limits the threads before NumPy is imported

# isort: split
import argparse
import sys
from pathlib import Path

from generated import add_size, ml1m_shaped
from ranking import one_fold, rank, table

from receval.data.ratings import Ratings
from receval.recommenders.base import RatingMatrix, Recommender, make
from receval.recommenders.training_ratings import relevance_grades
from receval.seeds import integer_seed
from receval.splits.split import Fold
from reproduction.config.settings import load_settings
from reproduction.config.systems import SystemSpec

CONFIG = Path(__file__).resolve().parents[2] / "config"
THRESHOLD = 4.0
BUDGET = 30.0
SLOW_BUDGET = 60.0
SLOW = ("ht", "rm1", "rm2")
FOLDS, CORES = 5, 2
MINUTES = 20.0
TINY = 0.1


def main() -> None:
    """Print the durations and fail where one is above its budget."""
    systems = load_settings(CONFIG, "full").systems
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", choices=list(systems), default=list(systems)
    )
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="of a prepared dataset")
    add_size(parser)
    options = parser.parse_args()
    ratings = Ratings.read(options.real) if options.real else table(ml1m_shaped(options.size))
    data, tiny = one_fold(ratings), one_fold(table(ml1m_shaped(TINY)))
    print(
        f"{ratings.n_users:,} users, {ratings.n_items:,} items, {data.train.nnz:,} training and "
        f"{len(data.test):,} held-out ratings; one thread"
    )
    print(f"  {'system':<32}{'fit s':>9}{'rank s':>9}{'budget s':>9}")
    total, exceeded = 0.0, 0
    for name in options.only:
        compile_on(tiny, name, systems[name])
        model = named(name, systems[name])
        fit = fastest(lambda model=model, name=name: learn(model, data, systems[name]), 1)
        ranks = fastest(lambda model=model: rank(model, data), 1)
        budget = SLOW_BUDGET if name in SLOW else BUDGET
        mark = "   OVER BUDGET" if fit + ranks > budget else ""
        print(f"  {name:<32}{fit:9.2f}{ranks:9.2f}{budget:9.0f}{mark}", flush=True)
        total += fit + ranks
        exceeded += bool(mark)
    minutes = total * FOLDS / CORES / 60
    mark = "   OVER BUDGET" if minutes > MINUTES else ""
    print(f"  sum of {len(options.only)} systems: {total:.1f} s")
    print(
        f"  {FOLDS} folds of them on {CORES} cores: {minutes:.1f} min; the budget of all is "
        f"{MINUTES:.0f} min{mark}"
    )
    sys.exit(1 if exceeded or mark else 0)


def named(name: str, spec: SystemSpec) -> Recommender:
    """Return a system as it is configured, not fitted."""
    return make(spec.recommender, spec.parameters, integer_seed(1, "benchmark", name))


def learn(model: Recommender, data: Fold, spec: SystemSpec) -> None:
    """Fit a system to what it learns from; making grades of ratings belongs to it."""

    def values_to_learn(values: RatingMatrix) -> RatingMatrix:
        return relevance_grades(values, THRESHOLD) if spec.learns_from == "grades" else values

    judged = None
    if model.reads_test:
        judged = values_to_learn(data.test.matrix(data.train.shape[1]))
    met = (data.users_by_appearance, data.items_by_appearance)
    model.fit(values_to_learn(data.train), judged, met if spec.order == "appearance" else None)


def compile_on(tiny: Fold, name: str, spec: SystemSpec) -> None:
    """Fit and rank a few ratings, so that everything is compiled."""
    model = named(name, spec)
    learn(model, tiny, spec)
    rank(model, tiny)


if __name__ == "__main__":
    main()
