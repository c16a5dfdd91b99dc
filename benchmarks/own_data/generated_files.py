# SPDX-License-Identifier: MIT
"""Files of the size of MovieLens 20M and of long runs, generated: ratings, judgments, lists.

    python benchmarks/own_data/generated_files.py FOLDER [--size 1]

Identifiers are text, rows of ratings stand in the order of time, so that users are mixed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from receval.seeds import generator

RATINGS, RATERS, ITEMS = 20_000_000, 138_493, 26_744
"""Of MovieLens 20M."""

SEARCHERS, DEPTH, JUDGED, RUNS = 50_000, 100, 60, 2
"""Two runs of 50,000 lists of 100 items: ten million lines; 60 judgments a user, three million."""

STARS = np.arange(0.5, 5.1, 0.5)


def write_ratings(path: Path, size: float) -> None:
    """Write user, item, rating and timestamp as CSV; no pair twice."""
    rng = generator(1, "benchmark", "own data", "ratings")
    n_ratings, n_users = round(RATINGS * size), max(2, round(RATERS * size))
    activity = rng.lognormal(0, 1, n_users)
    popularity = 1.0 / (100 + np.arange(ITEMS)) ** 0.8
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < n_ratings:
        missing = n_ratings + n_ratings // 4 - len(keys)
        users = rng.choice(n_users, missing, p=activity / activity.sum()).astype(np.int64)
        items = rng.choice(ITEMS, missing, p=popularity / popularity.sum())
        keys = np.unique(np.concatenate([keys, users * ITEMS + items]))
    keys = rng.permutation(keys)[:n_ratings]
    with path.open("wb") as file:
        for number, part in enumerate(np.array_split(keys, max(1, n_ratings // 1_000_000))):
            table = pa.table(
                {
                    "userId": _named("user", part // ITEMS, n_users),
                    "movieId": _named("movie", part % ITEMS, ITEMS),
                    "rating": rng.choice(STARS, len(part)),
                    "timestamp": 789_652_009 + 1_000_000 * number + np.arange(len(part)),
                }
            )
            _append(table, file, ",", with_header=number == 0)


def write_judgments_and_runs(folder: Path, size: float) -> None:
    """Write judgments of TREC with grades 0 to 2, and runs with different scores in each list."""
    rng = generator(1, "benchmark", "own data", "runs")
    n_users = max(2, round(SEARCHERS * size))
    blocks = np.array_split(np.arange(n_users), max(1, n_users // 5_000))
    names = [folder / "test.qrels", *(folder / f"run-{n}.run" for n in range(1, RUNS + 1))]
    files = [name.open("wb") for name in names]
    for users in blocks:
        judged = _different_items(rng, len(users), JUDGED)
        grades = rng.choice(3, judged.shape, p=[0.5, 0.3, 0.2])
        table = {
            "user": _named("user", np.repeat(users, JUDGED), n_users),
            "iteration": np.zeros(judged.size, dtype=np.int64),
            "item": _named("movie", judged.ravel(), ITEMS),
            "grade": grades.ravel(),
        }
        _append(pa.table(table), files[0], " ", with_header=False)
        for number, file in enumerate(files[1:], 1):
            listed = _different_items(rng, len(users), DEPTH)
            ranks = np.tile(np.arange(1, DEPTH + 1), len(users))
            # A fraction below 1 leaves the order of ranks as it is, and no two scores alike.
            scores = DEPTH - ranks + rng.integers(0, 1000, len(ranks)) / 1000
            table = {
                "user": _named("user", np.repeat(users, DEPTH), n_users),
                "Q0": pa.array(["Q0"]).take(np.zeros(len(ranks), dtype=np.int32)),
                "item": _named("movie", listed.ravel(), ITEMS),
                "rank": ranks,
                "score": scores,
                "tag": pa.array([f"run-{number}"]).take(np.zeros(len(ranks), dtype=np.int32)),
            }
            _append(pa.table(table), file, " ", with_header=False)
    for file in files:
        file.close()


def _different_items(rng: np.random.Generator, n_users: int, depth: int) -> np.ndarray:
    """Return items of each user, the popular ones more often, none twice."""
    # One item out of each of as many parts of all items; parts grow from the popular ones on.
    ends = np.unique(np.geomspace(1, ITEMS / depth, depth).cumsum().astype(np.int64))
    ends = ends * (ITEMS - depth) // ends[-1] + np.arange(1, len(ends) + 1)
    starts = np.r_[0, ends[:-1]]
    chosen = starts + (rng.random((n_users, len(ends))) * (ends - starts)).astype(np.int64)
    return np.asarray(rng.permuted(chosen, axis=1))


def _named(word: str, codes: np.ndarray, size: int) -> pa.Array:
    width = len(str(size))
    names = pa.array([f"{word}-{code:0{width}d}" for code in range(size)])
    return names.take(pa.array(codes))


def _append(table: pa.Table, file: object, delimiter: str, *, with_header: bool) -> None:
    options = pa.csv.WriteOptions(
        include_header=with_header, delimiter=delimiter, quoting_style="none"
    )
    pa.csv.write_csv(table, file, options)


def main() -> None:
    """Write all files into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=float, default=1)
    options = parser.parse_args()
    write_ratings(options.folder / "ratings.csv", options.size)
    write_judgments_and_runs(options.folder, options.size)


if __name__ == "__main__":
    main()
