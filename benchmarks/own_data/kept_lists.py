# SPDX-License-Identifier: MIT
"""What keeping the first 100 items of each list costs, beside evaluating without lists.

    python benchmarks/own_data/kept_lists.py ML-1M            at most 1.3 of the time without
    python benchmarks/own_data/kept_lists.py --ratings 1e8    generated ratings, lists to Parquet

Processor seconds of one process, the least of three rounds (of one for generated ratings). With
MovieLens 1M five systems are trained and evaluated, together and each alone; with generated
ratings, Popularity.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import receval as rv

MOST = 1.3
PER_USER = 209
"""Ratings per user, as of Netflix."""

N_ITEMS = 17_770


def generated(n_ratings: int) -> rv.Ratings:
    """Return ratings of different items for each user: an arithmetic sequence of codes."""
    rng = np.random.default_rng(1)
    n_users = n_ratings // PER_USER
    users = np.repeat(np.arange(n_users, dtype=np.int32), PER_USER)
    first, step = rng.integers(1, N_ITEMS // PER_USER, size=(2, n_users), dtype=np.int32)
    places = np.tile(np.arange(PER_USER, dtype=np.int32), n_users)
    return rv.Ratings(
        users,
        (first * 97 + step)[users] + places * step[users],
        values=rng.integers(1, 6, len(users)).astype(np.float32),
        user_ids=np.arange(n_users).astype(str),
        item_ids=np.arange(2 * N_ITEMS).astype(str),
    )


def least(evaluate: Callable[[], object], rounds: int) -> float:
    """Return the least processor time of some rounds."""
    found = []
    for _ in range(rounds):
        begun = time.process_time()
        evaluate()
        found.append(time.process_time() - begun)
    return min(found)


def main() -> int:
    """Measure, and return 1 if lists in memory cost more than they may."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="that of MovieLens 1M")
    parser.add_argument("--ratings", type=float, default=1e7)
    chosen = parser.parse_args()
    systems: dict[str, Any] = {"Pop": rv.Popularity()}
    if chosen.folder is None:
        ratings, rounds = generated(int(chosen.ratings)), 1
    else:
        ratings, rounds = rv.read_ratings(chosen.folder / "ratings.dat"), 3
        knn = {"UserKNN": rv.UserKNN(neighbours=100), "ItemKNN": rv.ItemKNN(neighbours=100)}
        systems |= {"Random": rv.Random(), **knn, "MF": rv.WRMF(factors=20)}
    split = rv.split(ratings, "user-ratio", train_ratio=0.8, seed=1)

    def evaluate(chosen: dict[str, Any] = systems, **options: Any) -> None:
        rv.evaluate(split, chosen, metrics=["nDCG@10"], **options)

    few = rv.split(generated(20_000), "user-ratio", seed=1)
    rv.evaluate(few, {name: rv.Popularity() for name in systems}, lists=100)
    without = least(evaluate, rounds)
    ratio = 0.0
    with tempfile.TemporaryDirectory() as folder:
        ways: dict[str, dict[str, Any]] = {"to Parquet": {"lists": 100, "lists_to": folder}}
        if chosen.folder is not None:
            ways = {"in memory": {"lists": 100}, **ways}
        for name, options in ways.items():
            taken = least(lambda options=options: evaluate(**options), rounds)  # type: ignore[misc]
            print(
                f"lists {name}: {taken:.2f} CPU s, {taken / without:.2f} of {without:.2f} without"
            )
            ratio = taken / without if name == "in memory" else ratio
    if chosen.folder is not None:
        for name, system in systems.items():
            alone = {name: system}
            own = least(lambda alone=alone: evaluate(alone), rounds)  # type: ignore[misc]
            taken = least(lambda alone=alone: evaluate(alone, lists=100), rounds)  # type: ignore[misc]
            print(f"{name} alone: {taken / own:.2f} of {own:.2f} without")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{ratings!r}: at most {peak:.1f} GiB")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
