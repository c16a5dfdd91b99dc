# SPDX-License-Identifier: MIT
"""The permutation test of all pairs and metrics, against scipy's, and its share of sgemm's speed.

    python benchmarks/permutation.py [--samples 100000] [--threads 2] [--peer-samples 1000]

210 pairs of systems x 9 metrics x 6,040 users, values generated. scipy.stats.permutation_test has
one pair and one metric a call; it is timed on a few pairs with few samples, in its vectorised form,
and its time is scaled to the whole table. The speed of sgemm is that of products of the same shape
on as many threads, measured in the same run.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from ratios import note_ratio
from scipy.stats import permutation_test as scipy_test

from receval.seeds import generator, seed_sequence
from receval.statistics.permutation import BLOCK, permutation_test

N_METRICS, N_SYSTEMS, N_USERS = 9, 21, 6040
PEER_PAIRS = 3
GOAL = 6
"""Seconds on two cores."""
GOAL_RATIO = 10_000


def drawn_values() -> np.ndarray:
    """Return values of systems whose means differ by a little or not at all."""
    rng = generator(4, "permutation benchmark")
    users = rng.random((N_METRICS, 1, N_USERS))
    systems = rng.normal(0, 0.005, (N_METRICS, N_SYSTEMS, 1))
    return users + systems + rng.normal(0, 0.2, (N_METRICS, N_SYSTEMS, N_USERS))


def product_speed(threads: int, rounds: int) -> float:
    """Return the multiplications and additions a second of products of the test's shape."""
    rng = generator(4, "products")
    left = [rng.random((BLOCK, N_USERS), dtype=np.float32) for _ in range(threads)]
    right = rng.random((N_USERS, N_METRICS * N_SYSTEMS), dtype=np.float32)
    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(rounds):
            started = time.perf_counter()
            list(pool.map(lambda one: [one @ right for _ in range(5)], left))
            operations = 2 * 5 * threads * BLOCK * N_USERS * right.shape[1]
            best = max(best, operations / (time.perf_counter() - started))
    return best


def main() -> None:
    """Print the durations and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer-samples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    values = drawn_values()
    seed = seed_sequence(4, "signs")
    permutation_test(values, seed, BLOCK)
    durations = []
    for _ in range(options.rounds):
        started = time.perf_counter()
        ours = permutation_test(values, seed, options.samples, options.threads)
        durations.append(time.perf_counter() - started)
    seconds = min(durations)
    print(f"{N_METRICS} metrics x 210 pairs x {N_USERS} users x {options.samples} samples")
    print(f"  receval, {options.threads} threads: {seconds:.2f} s (goal {GOAL} s)")
    operations = 2 * options.samples * N_USERS * N_METRICS * N_SYSTEMS
    speed = product_speed(options.threads, options.rounds)
    print(
        f"  share of sgemm's speed ({speed / 1e9:.0f} GFlop/s): {operations / seconds / speed:.0%}"
    )
    work = f"Permutation test of 210 pairs under {N_METRICS} metrics"
    note_ratio(work, "matrix products of this shape (sgemm)", seconds, operations / speed)
    started = time.perf_counter()
    for pair in range(1, PEER_PAIRS + 1):
        theirs = scipy_test(
            (values[0, 0], values[0, pair]),
            lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=options.peer_samples,
            batch=200,
            rng=generator(4, "scipy"),
        ).pvalue
        spread = np.sqrt(0.25 / options.peer_samples + 0.25 / options.samples)
        if abs(theirs - ours.p_values[0, pair - 1]) > 5 * spread:
            raise SystemExit(f"The p-values differ: {theirs} and {ours.p_values[0, pair - 1]}.")
    one = (time.perf_counter() - started) / PEER_PAIRS
    whole = one * options.samples / options.peer_samples * 210 * N_METRICS
    print(f"  scipy.stats.permutation_test, scaled from {PEER_PAIRS} pairs: {whole / 3600:.1f} h")
    note_ratio(work, "scipy.stats.permutation_test, scaled", seconds, whole)
    print(f"  scipy / receval: {whole / seconds:,.0f} (goal {GOAL_RATIO:,})")


if __name__ == "__main__":
    main()
