# SPDX-License-Identifier: MIT
"""Weighted sampling without replacement for many users at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.seeds import gumbel_noise
from reproduction.simulation.spec import RandomSample

FIRST_RATING_BONUS = 1e3
"""Lifts a pair above all others of its user; log-weights and Gumbel noise stay far below it."""


def sample_items(
    log_weights: NDArray[np.float64],
    counts: NDArray[np.int64],
    noise: NDArray[np.float64],
    *,
    cover_items: bool = False,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw ``counts[u]`` distinct items for every user u, weighted, by the Gumbel top-k trick.

    The items with the largest ``log_weights[u] + noise[u]`` are a sample without replacement in
    which the next item is always drawn with probability proportional to its weight among those
    that are left.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_users,)
        Number of items per user; a user with fewer items of non-zero weight gets all of those.
    cover_items : bool
        Give each item to the user with the largest ``log_weights + log(counts) + noise`` before
        anything else, so that no item stays without a user (unless one user finds more items
        than they may have). Raw rating files hold no item without a rating.

    References
    ----------
    Yellott, J. I., The relationship between Luce's choice axiom, Thurstone's theory of
    comparative judgment, and the double exponential distribution. J. Math. Psychol. 15 (1977).
    """
    keys = log_weights + noise
    if cover_items:
        with np.errstate(divide="ignore"):
            finders = np.argmax(keys + np.log(counts)[:, np.newaxis], axis=0)
        keys[finders, np.arange(keys.shape[1])] += FIRST_RATING_BONUS
    order = np.argsort(-keys, axis=1)
    available = np.isfinite(keys).sum(axis=1)
    taken = np.arange(keys.shape[1]) < np.minimum(counts, available)[:, np.newaxis]
    users, ranks = np.nonzero(taken)
    return users.astype(np.int32), order[users, ranks].astype(np.int32)


def draw_random_sample(
    sample: RandomSample | None, shape: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw items uniformly without replacement for the first users."""
    drawn = np.zeros(shape, dtype=np.bool_)
    if sample is not None:
        counts = np.zeros(shape[0], dtype=np.int64)
        counts[: sample.users] = rng.integers(sample.minimum, sample.maximum + 1, sample.users)
        drawn[sample_items(np.zeros(shape), counts, gumbel_noise(shape, rng))] = True
    return drawn
