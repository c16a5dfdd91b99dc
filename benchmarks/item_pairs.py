# SPDX-License-Identifier: MIT
"""All pairs of items by order and steepness, against numpy on the pairs of a sample of items.

    python benchmarks/item_pairs.py [--items 3706] [--peer-items 1000]

Counts of users are generated. numpy compares all pairs of the first items at once, in floating
point; its time is scaled by the number of pairs.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import time

import numpy as np

from receval.seeds import generator
from receval.theory.item_pairs import is_steeper, item_pairs, odds
from receval.theory.rating_probabilities import (
    RatingProbabilities,
    observed_anti_precision_ranking,
    observed_precision_ranking,
    real_precision_ranking,
)

N_USERS = 6040
GOAL = 10
"""Seconds for the pairs of MovieLens 1M."""


def drawn_counts(n_items: int) -> RatingProbabilities:
    """Return counts of items with a skewed popularity, none of them rated by nobody or all."""
    rng = generator(4, "item pairs benchmark")
    train = 1 + rng.binomial(N_USERS - 2, rng.beta(0.3, 6, n_items))
    liked = rng.beta(4, 4, n_items)
    relevant_train = rng.binomial(train, liked)
    relevant = relevant_train + rng.binomial(N_USERS - train, liked)
    return RatingProbabilities(np.full(n_items, N_USERS), train, relevant_train, relevant)


def with_numpy(counts: RatingProbabilities) -> float:
    """Return the share of pairs that are consistent and of steep popularity, by arrays of pairs."""
    a, b = np.triu_indices(len(counts.train), 1)
    popularity, relevance = odds(counts.p_train), counts.p_relevant
    steep = is_steeper(popularity[a], popularity[b], relevance[a], relevance[b])
    steep &= is_steeper(popularity[a], popularity[b], 1 - relevance[a], 1 - relevance[b])
    real = real_precision_ranking(counts)
    for function in (observed_precision_ranking, observed_anti_precision_ranking):
        values = function(counts)
        steep |= np.sign(values[a] - values[b]) == np.sign(real[a] - real[b])
    return float(steep.mean())


def main() -> None:
    """Print the durations and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=3706)
    parser.add_argument("--peer-items", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    counts = drawn_counts(options.items)
    item_pairs(counts.select(np.arange(10)), "all")
    durations = []
    for _ in range(options.rounds):
        started = time.perf_counter()
        found = item_pairs(counts, "all")
        durations.append(time.perf_counter() - started)
    seconds = min(durations)
    print(f"{found.n_pairs:,} pairs of {options.items} items, {len(found.pairs)} cases")
    print(f"  receval: {seconds:.2f} s (goal {GOAL} s)")
    few = counts.select(np.arange(min(options.peer_items, options.items)))
    started = time.perf_counter()
    share = with_numpy(few)
    pairs = len(few.train) * (len(few.train) - 1) // 2
    theirs = (time.perf_counter() - started) * found.n_pairs / pairs
    ours = item_pairs(few, "all")
    cases = (ours.steeper_than_relevance > 0) & (ours.steeper_than_non_relevance > 0)
    cases |= ours.observed_precision == ours.real_ranking
    cases |= ours.observed_anti_precision == ours.real_ranking
    if abs(share - ours.share(cases)) > 1e-3:
        raise SystemExit(f"The shares differ: {share} and {ours.share(cases)}.")
    print(f"  numpy, scaled from {pairs:,} pairs: {theirs:.2f} s")
    print(f"  numpy / receval: {theirs / seconds:.1f}")
    if seconds > GOAL:
        raise SystemExit("Slower than the goal.")


if __name__ == "__main__":
    main()
