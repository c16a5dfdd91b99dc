# SPDX-License-Identifier: MIT
"""How near the kernels that scale comes down to are to what one core can do.

    python benchmarks/recommenders/roofline.py [--users 20000] [--repeats 3]
        [--record benchmarks/scale/roofline.json]

Netflix's 17,770 items and 209 ratings a user, a fifth of them held out. For each kernel: the bytes
that its loops read and write, wherever they are held, the operations on numbers that it cannot do
without, both a second, and which share that is of two measured ceilings of one core: copying an
array that no cache holds (measured of all cores together, too, to compare with), and additions and
multiplications of numbers in the first cache, as wide as the kernel's.
Above 100 % of the first, a kernel works in cache. The larger share is how near its roofline is
(Williams, Waterman and Patterson, CACM 2009). With `--record` what is printed is kept for
docs/scale.md, which `docs/scale/write_page.py` writes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from timing import fastest  # isort: skip - limits the threads of what is imported behind it

import numpy as np
from generated import skewed
from numba import njit
from ranking import one_fold, table
from scipy.sparse import csr_array

from receval.protocols.evaluation import rank_among_all
from receval.recommenders.cholesky import solve_rows
from receval.recommenders.neighbourhood import BlockMemory, nearest_rows
from receval.recommenders.products import inner_products, sparse_products

ITEMS, RATINGS_A_USER = 17_770, 209
NEIGHBOURS, FACTORS = 1_000, 50
SCORED = 1_000
"""Users of the block that is scored and ranked."""


@dataclass(frozen=True)
class Work:
    """What a kernel does in one call.

    Attributes
    ----------
    name : str
    stage : str
        Of a study, as tables of `study_at_scale.py` call it.
    call : callable
    n_bytes : float
        Read and written by its loops.
    operations : float
        On numbers.
    width : {8, 32, 64}
        Bits of these numbers.
    """

    name: str
    stage: str
    call: Callable[[], object]
    n_bytes: float
    operations: float
    width: int


def main() -> int:
    """Print the ceilings and a line a kernel."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep what is printed there")
    options = parser.parse_args()
    ratings = skewed(options.users, ITEMS, options.users * RATINGS_A_USER)
    data = one_fold(table(ratings))
    bandwidth = copied_a_second(options.repeats)
    of_all = copied_a_second(options.repeats, os.cpu_count() or 1)
    ceilings = {
        8: byte_additions_a_second(options.repeats),
        32: flops_a_second(options.repeats, np.float32),
        64: flops_a_second(options.repeats, np.float64),
    }
    print(f"copied, read and written: {bandwidth / 1e9:.1f} GB/s, by all cores {of_all / 1e9:.1f}")
    for bits in (32, 64):
        print(f"float{bits} additions and multiplications: {ceilings[bits] / 1e9:.1f} G/s")
    print(f"additions of bytes: {ceilings[8] / 1e9:.1f} G/s")
    print(f"{'kernel':<44}{'s':>8}{'GB/s':>8}{'of copy':>9}{'G op/s':>8}{'of peak':>9}")
    kernels = []
    for work in (
        _neighbours(data.train, 10),
        _neighbours(data.train, NEIGHBOURS),
        _neighbours_scored(data.train),
        _factors_scored(),
        _ranked(data),
        _solved(data.train),
    ):
        work.call()
        seconds = fastest(work.call, options.repeats)
        bytes_, operations = work.n_bytes / seconds, work.operations / seconds
        of_copy, of_peak = bytes_ / bandwidth, operations / ceilings[work.width]
        print(
            f"{work.name:<44}{seconds:8.3f}{bytes_ / 1e9:8.1f}{of_copy:9.0%}"
            f"{operations / 1e9:8.1f}{of_peak:9.0%}",
            flush=True,
        )
        kernels.append(
            {
                "kernel": work.name,
                "stage": work.stage,
                "bytes": round(work.n_bytes),
                "operations": round(work.operations),
                "bits": work.width,
                "seconds": round(seconds, 4),
                "of_copy": round(of_copy, 3),
                "of_peak": round(of_peak, 3),
            }
        )
    if options.record is not None:
        about = {
            "users": options.users,
            "copied_a_second": round(bandwidth),
            "copied_by_all_cores_a_second": round(of_all),
            "operations_a_second": {bits: round(most) for bits, most in ceilings.items()},
            "kernels": kernels,
        }
        options.record.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return 0


def copied_a_second(repeats: int, threads: int = 1) -> float:
    """Return the bytes a second that so many threads read and write where they copy an array."""
    source = np.ones(1 << 26)
    target = np.zeros_like(source)
    parts = list(zip(np.array_split(target, threads), np.array_split(source, threads), strict=True))
    with ThreadPoolExecutor(threads) as pool:
        seconds = fastest(lambda: list(pool.map(lambda part: np.copyto(*part), parts)), repeats)
    return 2 * source.nbytes / seconds


def flops_a_second(repeats: int, number: type[np.floating]) -> float:
    """Return the operations a second on such numbers of a loop over some in the first cache."""
    numbers = np.ones(1 << 10, dtype=number)
    factors = np.full(1 << 10, 0.5, dtype=number)
    rounds = 20_000
    _multiply_and_add(numbers, factors, 1)
    seconds = fastest(lambda: _multiply_and_add(numbers, factors, rounds), repeats)
    return 22 * rounds * len(numbers) / seconds


def byte_additions_a_second(repeats: int) -> float:
    """Return the additions of bytes a second of a loop over numbers in the first cache."""
    numbers = np.ones((8, 1 << 10), dtype=np.uint8)
    total = np.zeros(1 << 10, dtype=np.uint8)
    rounds = 50_000
    _add_bytes(total, numbers, 1)
    seconds = fastest(lambda: _add_bytes(total, numbers, rounds), repeats)
    return 8 * rounds * len(total) / seconds


@njit
def _multiply_and_add(numbers, factors, rounds):  # type: ignore[no-untyped-def]
    # Eight chains side by side, so that none waits for what it has begun.
    for _ in range(rounds):
        for n in range(len(numbers)):
            number, factor = numbers[n], factors[n]
            one, two, three, four = number, number + factor, number - factor, -number
            one = one * factor + factor
            two = two * factor + factor
            three = three * factor + factor
            four = four * factor + factor
            one = one * factor + factor
            two = two * factor + factor
            three = three * factor + factor
            four = four * factor + factor
            numbers[n] = (one + two) + (three + four)


@njit
def _add_bytes(total, numbers, rounds):  # type: ignore[no-untyped-def]
    a, b, c, d = numbers[0], numbers[1], numbers[2], numbers[3]
    e, f, g, h = numbers[4], numbers[5], numbers[6], numbers[7]
    for _ in range(rounds):
        for n in range(len(total)):
            total[n] = total[n] + a[n] + b[n] + c[n] + d[n] + e[n] + f[n] + g[n] + h[n]


def _neighbours(train: csr_array, neighbours: int) -> Work:
    """All pairs of users: a byte a line of the table and pair, 11 and two sums a product else.

    A pair has the lines of the user with fewer ratings. Keys are not counted, nor pairs of a sample
    that are compared before.
    """
    n_rows = train.shape[0]
    memory = BlockMemory.of(train[np.argsort(np.diff(train.indptr), kind="stable")])
    of_rows = np.append(memory.starts_of_values[:, 0], len(memory.places))
    lines = float((np.diff(of_rows) * np.arange(n_rows)[::-1]).sum())
    others = float((np.bincount(memory.columns).astype(np.float64) ** 2).sum() / 2)
    # Sums of pairs are set to zero, added to, and looked at.
    n_bytes = lines + 11 * others + 16 * n_rows**2 / 2
    return Work(
        f"{neighbours:,} neighbours of {n_rows:,} users",
        "neighbourhoods of users",
        lambda: nearest_rows(train, neighbours),
        n_bytes,
        lines + 2 * others,
        8,
    )


def _neighbours_scored(train: csr_array) -> Work:
    """Scores of a kNN: an item, its rating, and the score that it is added to."""
    users = np.arange(min(SCORED, train.shape[0]))
    similar = nearest_rows(train, NEIGHBOURS, wanted=range(len(users)))
    products = float(np.diff(train.indptr)[similar.indices].sum())
    scores = np.empty((len(users), ITEMS), dtype=np.float32)

    def score() -> None:
        scores[:] = np.nan
        sparse_products(users, similar, train, scores)

    n_bytes = 16 * products + scores.nbytes
    return Work(f"kNN scores of {len(users):,} users", "ranking", score, n_bytes, 2 * products, 32)


def _factors_scored() -> Work:
    """Scores of factors: a line of four factors and the scores for each four factors."""
    rng = np.random.default_rng(1)
    rows = rng.random((SCORED, FACTORS), dtype=np.float32)
    columns = rng.random((FACTORS, ITEMS), dtype=np.float32)
    scores = np.empty((SCORED, ITEMS), dtype=np.float32)
    return Work(
        f"MF scores of {SCORED:,} users",
        "ranking",
        lambda: inner_products(rows, columns, scores),
        scores.nbytes * (FACTORS + 2 * -(-FACTORS // 4)),
        2.0 * FACTORS * scores.size,
        32,
    )


def _ranked(data) -> Work:  # type: ignore[no-untyped-def]
    """Judged ranks: for each judgment all scores of the user, of which each is compared twice."""
    users = np.arange(min(SCORED, data.train.shape[0]))
    judged = data.test
    scores = np.random.default_rng(1).random((len(users), ITEMS), dtype=np.float32)
    found = [np.zeros(n, dtype=np.int32) for n in (len(judged), judged.n_users, judged.n_users)]
    arguments = (
        *(scores, users, users, np.ones(ITEMS, dtype=bool)),
        np.random.default_rng(2).permutation(ITEMS).astype(np.uint32),
        *(data.train.indptr.astype(np.int64), data.train.indices, judged.indptr, judged.items),
        *(np.zeros(len(judged), dtype=bool), False, np.empty(0, dtype=np.int64), *found),
    )
    compared = float(judged.indptr[len(users)]) * ITEMS
    return Work(
        f"judged ranks of {len(users):,} users",
        "ranking",
        lambda: rank_among_all(*arguments),
        4 * (compared + 3 * scores.size),
        2 * compared,
        32,
    )


def _solved(train: csr_array) -> Work:
    """Half a step of MF: grams of the factors of each user's items, and their equations."""
    rng = np.random.default_rng(1)
    fixed = rng.random((ITEMS, FACTORS))
    gram = fixed.T @ fixed
    solved = np.zeros((train.shape[0], FACTORS))
    roots = np.sqrt(train.data)
    arguments = (train.indptr, train.indices, roots, train.data, fixed, gram, solved)
    # A gram is symmetric: half of its products suffice.
    operations = train.nnz * FACTORS * (FACTORS + 4.0) + train.shape[0] * FACTORS**3 / 3.0
    n_bytes = 8.0 * FACTORS * 4 * train.nnz + 8.0 * FACTORS**2 * 3 * train.shape[0]
    return Work(
        f"MF, {FACTORS} factors of {train.shape[0]:,} users",
        "other training",
        lambda: solve_rows(*arguments),
        n_bytes,
        operations,
        64,
    )


if __name__ == "__main__":
    sys.exit(main())
