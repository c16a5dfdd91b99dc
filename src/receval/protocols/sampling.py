"""Seeded samples of non-relevant candidates, nested in their size."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def _next_random(state: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Advance a SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    mixed = state
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, mixed ^ (mixed >> np.uint64(31))


@njit(cache=True)
def _sample(
    is_candidate: NDArray[np.bool_],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    relevant_indptr: NDArray[np.int64],
    relevant_items: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    size: int,
    is_drawn_for: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    n_users = len(relevant_indptr) - 1
    base = np.flatnonzero(is_candidate).astype(np.int32)
    indptr = np.zeros(n_users + 1, dtype=np.int64)
    samples = np.empty(n_users * min(size, len(base)), dtype=np.int32)
    blocked = np.zeros(len(is_candidate), dtype=np.bool_)
    pool = np.empty(len(base) + 1, dtype=np.int32)
    filled = 0
    for user in range(n_users):
        indptr[user + 1] = filled
        if not is_drawn_for[user]:
            continue
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            blocked[train_items[entry]] = True
        for entry in range(relevant_indptr[user], relevant_indptr[user + 1]):
            blocked[relevant_items[entry]] = True
        available = 0
        # Without a branch: which items are blocked is nothing a processor can guess.
        for item in base:
            pool[available] = item
            available += not blocked[item]
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            blocked[train_items[entry]] = False
        for entry in range(relevant_indptr[user], relevant_indptr[user + 1]):
            blocked[relevant_items[entry]] = False
        # The first steps of a Fisher-Yates shuffle: every beginning of the sample is itself
        # a uniform sample, which is what nesting needs.
        state = seeds[user]
        for drawn in range(min(size, available)):
            state, random = _next_random(state)
            left = np.uint64(available - drawn)
            other = drawn + np.int64(((random >> np.uint64(32)) * left) >> np.uint64(32))
            pool[drawn], pool[other] = pool[other], pool[drawn]
            samples[filled] = pool[drawn]
            filled += 1
        indptr[user + 1] = filled
    return indptr, samples[:filled].copy()


def sample_candidates(
    is_candidate: NDArray[np.bool_],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    relevant_indptr: NDArray[np.int64],
    relevant_items: NDArray[np.int32],
    size: int,
    generator: np.random.Generator,
    is_drawn_for: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    r"""Draw :math:`N_u \subset C \setminus PR_{test}(u) \setminus R_{train}(u)` for every user.

    Parameters
    ----------
    is_candidate : ndarray of bool, shape (n_items,)
        The base candidates :math:`C`.
    train_indptr, train_items : ndarray
        Training items of each user (compressed rows).
    relevant_indptr, relevant_items : ndarray
        Relevant test items of each user (compressed rows).
    size : int
        :math:`|N_u|`, or all that is left where it is fewer.
    generator : numpy Generator
        Gives one seed a user, so that a user's sample does not depend on the other users' sets.
    is_drawn_for : ndarray of bool, shape (n_users,), optional
        Users whose sample is wanted; all by default. The samples of the others are left empty.

    Returns
    -------
    indptr : ndarray of int64, shape (n_users + 1,)
    items : ndarray of int32
        The samples in the order drawn: the first ``k`` of a user are the sample of size ``k``.
    """
    n_users = len(relevant_indptr) - 1
    seeds = generator.integers(0, 2**64, size=n_users, dtype=np.uint64)
    return _sample(
        is_candidate,
        np.asarray(train_indptr, dtype=np.int64),
        np.asarray(train_items, dtype=np.int32),
        relevant_indptr,
        relevant_items,
        seeds,
        size,
        np.ones(n_users, dtype=np.bool_) if is_drawn_for is None else is_drawn_for,
    )
