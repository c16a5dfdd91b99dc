# SPDX-License-Identifier: MIT
"""Generated ratings for the benchmarks: users and items are skewed as in MovieLens 1M."""

from __future__ import annotations

import argparse

import numpy as np
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.seeds import generator

SHARES = (0.056, 0.107, 0.261, 0.349, 0.227)


def ml1m_shaped(size: float = 1.0, seed: int = 1) -> RatingMatrix:
    """Return 1,000,000 ratings of 6,040 users and 3,706 items, values 1 to 5, float32.

    Parameters
    ----------
    size : float
        Share of the users and items, to try a program out; as dense as the whole.
    seed : int
        Seed of everything that is drawn.
    """
    return sized(6_040, 3_706, 1_000_000, size, seed)


def sized(n_users: int, n_items: int, n_ratings: int, size: float, seed: int = 1) -> RatingMatrix:
    """Return `skewed` ratings with a share of the users and of the items, as dense as the whole."""
    return skewed(round(n_users * size), round(n_items * size), round(n_ratings * size**2), seed)


def add_size(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--size``."""
    parser.add_argument(
        "--size", type=float, default=1.0, help="share of the users and items, to try it out"
    )


def skewed(n_users: int, n_items: int, n_ratings: int, seed: int = 1) -> RatingMatrix:
    """Draw distinct pairs of user and item, both long-tailed, and a rating of 1 to 5 for each.

    Works through the users in blocks: beside the result it needs some 80 MiB.

    Parameters
    ----------
    n_users, n_items, n_ratings : int
        Shape of the matrix and number of its entries.
    seed : int
        Seed of everything that is drawn.

    Returns
    -------
    csr_array of float32, shape (n_users, n_items)
        The ratings.
    """
    rng = generator(seed, "benchmark")
    activity = rng.lognormal(0.0, 1.1, n_users)
    lengths = _capped(activity / activity.sum() * n_ratings, n_items // 2, n_ratings)
    popularity = 1.0 / (30 + np.arange(n_items)) ** 1.2
    popularity = rng.permutation(popularity / popularity.sum())
    starts = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.empty(n_ratings, dtype=np.int32)
    block = max(1, 2**22 // n_items)
    for first in range(0, n_users, block):
        counts = lengths[first : first + block]
        # The n_u smallest of exponential waiting times are a sample without replacement.
        waits = rng.standard_exponential((len(counts), n_items)) / popularity
        last = np.sort(waits, axis=1)[np.arange(len(counts)), counts - 1]
        chosen = waits <= last[:, None]
        indices[starts[first] : starts[first + len(counts)]] = np.nonzero(chosen)[1]
    values = rng.choice(np.arange(1, 6, dtype=np.float32), n_ratings, p=SHARES)
    return csr_array((values, indices, starts.astype(np.int32)), shape=(n_users, n_items))


def _capped(shares: np.ndarray, most: int, total: int) -> np.ndarray:
    """Return whole lengths of 1 to ``most`` with that total, in proportion to the shares."""
    lengths = np.clip(shares.astype(np.int64), 1, most)
    while (missing := total - lengths.sum()) != 0:
        room = np.flatnonzero(lengths < most if missing > 0 else lengths > 1)
        lengths[room[: abs(missing)]] += np.sign(missing)
    return lengths
