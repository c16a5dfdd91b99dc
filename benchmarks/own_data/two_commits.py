# SPDX-License-Identifier: MIT
"""What the commands take with the code of two commits, on the same files and in turn.

    git worktree add FOLDER COMMIT
    python benchmarks/own_data/two_commits.py FOLDER --ratings ratings.dat [--rounds 7]

``ratings.dat`` is MovieLens 1M's (or any text of users, items and ratings that `receval` reads).
Measured are `receval evaluate` and `receval diagnose` on all ratings, `receval runs` on a fifth of
them as test, with two runs of 100 items per user, and reading the ratings alone. Each job is a
process of its own on one thread. The commits take turns, so that a machine whose speed changes
slows both. Printed are processor seconds of both, medians of rounds, and the median of the ratios
of single rounds, now to before.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from measure import Measured, run

from receval import Ratings, read_ratings
from receval.seeds import generator

ROOT = Path(__file__).resolve().parents[2]
TRAINED, DEPTH = 0.8, 100
NOISE = {"popular": 0.2, "mixed": 2.0}
"""By how much a run's scores differ from popularity, as the deviation of a logarithm."""

RESULTS = "results"

READING = "import sys, receval; receval.read_ratings(sys.argv[1])"


def write_files(ratings: Ratings, folder: Path) -> None:
    """Write the ratings, a fifth of them as test, and the runs."""
    rng = generator(1, "benchmark", "commands of two commits")
    users, items = ratings.users, ratings.items
    trains = rng.random(len(ratings)) < TRAINED
    table = pd.DataFrame(
        {
            "user": ratings.user_ids[users],
            "item": ratings.item_ids[items],
            "rating": ratings.values,
        }
    )
    for name, rows in {"ratings": table, "test": table[~trains], "train": table[trains]}.items():
        rows.to_csv(folder / f"{name}.csv", index=False)
    popularity = np.log1p(np.bincount(items[trains], minlength=ratings.n_items))
    for name, deviation in NOISE.items():
        noise = rng.standard_normal((ratings.n_users, ratings.n_items))
        scores = popularity + deviation * noise
        scores[users[trains], items[trains]] = -np.inf
        best = np.argsort(-scores, axis=1)[:, :DEPTH].ravel()
        rows = np.repeat(np.arange(ratings.n_users), DEPTH)
        listed = {
            "user": ratings.user_ids[rows],
            "item": ratings.item_ids[best],
            "score": scores[rows, best],
        }
        pd.DataFrame(listed).to_csv(folder / f"{name}.csv", index=False)


def commands(folder: Path) -> dict[str, list[str]]:
    """Return what is measured: arguments of Python by name."""
    evaluate = ["-m", "receval", "evaluate", str(folder / "ratings.csv")]
    data = ["--test", str(folder / "test.csv"), "--train", str(folder / "train.csv")]
    # A commit refuses what another one wrote before results had digests.
    out = ["--out", RESULTS]
    return {
        "receval evaluate, Pop and item kNN": [
            *evaluate, "--system", "pop", "--system", "item-knn", *out,
        ],
        "receval runs, two of 100 items per user": [
            "-m", "receval", "runs", *data, *(str(folder / f"{run}.csv") for run in NOISE), *out,
        ],
        "receval diagnose": ["-m", "receval", "diagnose", str(folder / "ratings.csv"), *out],
        "reading the ratings": ["-c", READING, str(folder / "ratings.csv")],
    }  # fmt: skip


def main() -> None:
    """Print a row per job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="a checkout of the other commit")
    parser.add_argument("--ratings", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_files(read_ratings(options.ratings), folder)
        print(f"{'job':<42}{'before':>9}{'now':>9}{'ratio':>8}")
        sources = {"before": options.before, "now": ROOT}
        for name, arguments in commands(folder).items():
            measured = {when: Measured() for when in sources}
            for _ in range(1 + options.rounds):
                for when, source in sources.items():
                    path = {"PYTHONPATH": str(source / "src")}
                    results = str(folder / f"{RESULTS}-{when}")
                    own = [results if word == RESULTS else word for word in arguments]
                    run([sys.executable, *own], measured[when], path)
            # The first round filled the caches of files and of kernels.
            before, now = (own.seconds[1:] for own in measured.values())
            ratio = median(ours / theirs for theirs, ours in zip(before, now, strict=True))
            print(f"{name:<42}{median(before):>9.2f}{median(now):>9.2f}{ratio:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
