# SPDX-License-Identifier: MIT
r"""Sample candidates with probabilities that grow with their popularity.

Items are drawn one after the other without replacement, each with probability :math:`w_i / \sum_j
w_j` over the items j that are left, where :math:`w_i = |R_{train}(i)|^\alpha`. The first draw is
thus proportional to the weights; in larger samples the shares of popular items are lower than that,
because an item is drawn only once. Samples are drawn with Gumbel keys (Yellott 1977), which are
equivalent to the exponential keys of Efraimidis and Spirakis (2006): with independent standard
Gumbel noise :math:`g_i` the sample of size k is the items with the k largest :math:`\log w_i +
g_i`, in descending order, so that samples are nested.

Items without a training rating have the weight 0. They are drawn last, all with the same
probability.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.splits.split import Fold
from receval.storage.kernel_cache import njit

# Far below all logarithms of weights and noise, whose absolute values are at most some hundreds.
_LAST = -1e6


def popularity_weights(fold: Fold, power: float) -> NDArray[np.float64]:
    r"""Return the weight :math:`|R_{train}(i)|^\alpha` of each item, 0 without training ratings.

    Parameters
    ----------
    fold : Fold
    power : float
        :math:`\alpha`, at least 0.

    Returns
    -------
    ndarray of float64, shape (n_items,)

    Raises
    ------
    ValueError
        The fold has no training ratings, so that no item is more popular than another.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from receval.splits.split import Judgments
    >>> train = csr_array(np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=np.float32))
    >>> fold = Fold(train, Judgments.from_pairs([0], [2], [1], n_users=4))
    >>> popularity_weights(fold, power=0.5).round(2).tolist()
    [2.0, 1.41, 0.0]
    """
    counts = np.bincount(fold.train.indices, minlength=fold.train.shape[1])
    if not counts.any():
        raise ValueError(
            "Candidates cannot be drawn by popularity, because there are no training ratings to "
            "count: give them (train=...), or draw candidates uniformly."
        )
    return np.where(counts > 0, counts.astype(np.float64) ** power, 0.0)


def weighted_candidates(
    weights: NDArray[np.float64],
    is_candidate: NDArray[np.bool_],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    relevant_indptr: NDArray[np.int64],
    relevant_items: NDArray[np.int32],
    size: int,
    seeds: NDArray[np.uint64],
    is_drawn_for: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    r"""Draw :math:`N_u` for every user with weights, as the module describes.

    Parameters
    ----------
    weights : ndarray of float64, shape (n_items,)
        At least 0; items of weight 0 are drawn last.
    is_candidate, train_indptr, train_items, relevant_indptr, relevant_items, size, seeds
        As for :func:`receval.protocols.candidates.sample_candidates`.
    is_drawn_for : ndarray of bool, shape (n_users,), optional
        Users to draw samples for, by default all; the samples do not depend on it.

    Returns
    -------
    indptr : ndarray of int64, shape (n_users + 1,)
    items : ndarray of int32
        The samples in the order drawn: the first ``k`` of a user are the sample of size ``k``.

    Examples
    --------
    For each of 9000 users, one of three items with the weights 6, 3 and 0 is drawn:

    >>> nothing = np.zeros(9001, dtype=np.int64), np.zeros(0, dtype=np.int32)
    >>> _, items = weighted_candidates(
    ...     np.array([6.0, 3.0, 0.0]), np.ones(3, dtype=bool), *nothing, *nothing, 1,
    ...     np.random.default_rng(1).integers(0, 2**64, size=9000, dtype=np.uint64),
    ... )
    >>> (np.bincount(items, minlength=3) / 9000).round(2).tolist()
    [0.67, 0.33, 0.0]
    """
    n_users = len(relevant_indptr) - 1
    log_weights = np.full(len(weights), _LAST)
    np.log(weights, out=log_weights, where=weights > 0)
    return _draw(
        log_weights,
        is_candidate,
        np.asarray(train_indptr, dtype=np.int64),
        np.asarray(train_items, dtype=np.int32),
        relevant_indptr,
        relevant_items,
        seeds,
        size,
        np.ones(n_users, dtype=np.bool_) if is_drawn_for is None else is_drawn_for,
    )


@njit(cache=True)
def _next_random(state: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Advance a SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    mixed = state
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, mixed ^ (mixed >> np.uint64(31))


@njit(cache=True)
def _draw(
    log_weights: NDArray[np.float64],
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
    keys = np.empty(len(base), dtype=np.float64)
    filled = 0
    for user in range(n_users):
        indptr[user + 1] = filled
        if not is_drawn_for[user]:
            continue
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            blocked[train_items[entry]] = True
        for entry in range(relevant_indptr[user], relevant_indptr[user + 1]):
            blocked[relevant_items[entry]] = True
        state = seeds[user]
        available = 0
        for index in range(len(base)):
            # Every candidate uses one word, so that an item's noise does not depend on other items.
            state, random = _next_random(state)
            if blocked[base[index]]:
                keys[index] = np.inf
                continue
            # The middle of one of 2^53 intervals, never 0 or 1, whose logarithms would be infinite.
            uniform = (np.float64(random >> np.uint64(11)) + 0.5) / 9007199254740992.0
            keys[index] = np.log(-np.log(uniform)) - log_weights[base[index]]
            available += 1
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            blocked[train_items[entry]] = False
        for entry in range(relevant_indptr[user], relevant_indptr[user + 1]):
            blocked[relevant_items[entry]] = False
        drawn = min(size, available)
        order = np.argsort(keys)[:drawn]
        for index in order:
            samples[filled] = base[index]
            filled += 1
        indptr[user + 1] = filled
    return indptr, samples[:filled].copy()
