# SPDX-License-Identifier: MIT
"""The candidates of a protocol: base candidates, samples, and complete target sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.protocols.popularity import popular_head, popularity_percentiles
from receval.protocols.protocol import Protocol
from receval.protocols.weighted_samples import popularity_weights, weighted_candidates
from receval.seeds import GeneratorFor
from receval.splits.split import Fold, Judgments
from receval.storage.kernel_cache import njit

_BLOCK_ITEMS = 2**22


def base_candidates(protocol: Protocol, fold: Fold, judgments: Judgments) -> NDArray[np.bool_]:
    """Return the base candidates C of a protocol, of all percentiles, as a mask over items."""
    n_items = fold.train.shape[1]
    mask = np.full(n_items, protocol.candidates == "AI")
    if protocol.candidates in ("train", "rated"):
        _mark(mask, fold.train.indices)
    if protocol.candidates in ("TI", "rated"):
        _mark(mask, judgments.items)
    if protocol.head_removed is not None:
        mask &= ~popular_head(fold, protocol.head_removed)
    return mask


def _mark(mask: NDArray[np.bool_], items: NDArray[np.int32]) -> None:
    # As indices, items take twice the memory, so only some are converted at a time.
    for start in range(0, len(items), _BLOCK_ITEMS):
        mask[items[start : start + _BLOCK_ITEMS]] = True


Sample = tuple[NDArray[np.int64], NDArray[np.int32]]
"""The sampled candidates of all users as compressed rows, in the order drawn."""


class SampledCandidates:
    """Draws the sampled candidates of a protocol for some users at a time.

    Parameters
    ----------
    protocol : Protocol
        Must have a sample size and a threshold.
    fold : Fold
    judgments : Judgments
        The judgments of the fold's part.
    generator_for : callable
    part : {"test", "unbiased"}
    is_candidate : ndarray of bool, shape (n_items,)
        The base candidates; under P1R, those of one percentile.
    percentile : int, optional
        The number of that percentile, from 0.

    Raises
    ------
    ValueError
        The protocol has no sample size or no threshold.
    """

    def __init__(
        self,
        protocol: Protocol,
        fold: Fold,
        judgments: Judgments,
        generator_for: GeneratorFor,
        part: str,
        is_candidate: NDArray[np.bool_],
        percentile: int | None = None,
    ) -> None:
        if protocol.sampled is None or protocol.threshold is None:
            raise ValueError(f"{protocol.name} draws no sample, or has no relevance threshold.")
        self.size = protocol.sampled
        self.is_candidate = is_candidate
        relevant = judgments.values >= protocol.threshold
        indptr = np.zeros(judgments.n_users + 1, dtype=np.int64)
        np.cumsum(
            np.bincount(judgments.users[relevant], minlength=judgments.n_users), out=indptr[1:]
        )
        self.blocked = (
            fold.train.indptr.astype(np.int64),
            fold.train.indices.astype(np.int32, copy=False),
            indptr,
            judgments.items[relevant],
        )
        # The sample's name leaves out its size (samples are nested) and whether one or all
        # relevant items join it (the lemma of bellogin2017 compares AR and 1R on one sample).
        names = ["sample", part, protocol.candidates, f"{protocol.threshold:g}"]
        if percentile is not None:
            names.append(f"percentile {percentile + 1} of {protocol.percentiles}")
        self.weights: NDArray[np.float64] | None = None
        if protocol.sampled_by == "popularity":
            # The name differs, so that samples by popularity are independent of the uniform sample.
            names.append(f"by popularity to {protocol.power:g}")
            self.weights = popularity_weights(fold, protocol.power)
        # One seed per user, so that a user's sample does not depend on the other users.
        self.seeds = user_seeds(generator_for(*names), judgments.n_users)

    def of_users(self, is_drawn_for: NDArray[np.bool_]) -> Sample:
        """Draw for the users of a mask; the samples of all others are empty."""
        common = (self.is_candidate, *self.blocked, self.size, self.seeds, is_drawn_for)
        if self.weights is None:
            return sample_candidates(*common)
        return weighted_candidates(self.weights, *common)


def user_seeds(generator: np.random.Generator, n_users: int) -> NDArray[np.uint64]:
    """Draw the seed of each user's sample."""
    return generator.integers(0, 2**64, size=n_users, dtype=np.uint64)


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
    samples = np.empty(np.sum(is_drawn_for) * min(size, len(base)), dtype=np.int32)
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
        # Without a branch, because processors cannot predict which items are blocked.
        for item in base:
            pool[available] = item
            available += not blocked[item]
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            blocked[train_items[entry]] = False
        for entry in range(relevant_indptr[user], relevant_indptr[user + 1]):
            blocked[relevant_items[entry]] = False
        # The first steps of a Fisher-Yates shuffle: every beginning of the sample is itself
        # a uniform sample, as nested samples require.
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
    seeds: NDArray[np.uint64],
    is_drawn_for: NDArray[np.bool_] | None = None,
) -> Sample:
    r"""Draw :math:`N_u \subset C \setminus PR_{test}(u) \setminus R_{train}(u)` for every user.

    Parameters
    ----------
    is_candidate : ndarray of bool, shape (n_items,)
        The base candidates :math:`C`.
    train_indptr, train_items : ndarray
        Training items of each user, as compressed rows.
    relevant_indptr, relevant_items : ndarray
        Relevant test items of each user, as compressed rows.
    size : int
        :math:`|N_u|`; users with fewer candidates get all of them.
    seeds : ndarray of uint64, shape (n_users,)
        One seed per user (:func:`user_seeds`).
    is_drawn_for : ndarray of bool, shape (n_users,), optional
        Users to draw samples for, by default all; the samples of all others are empty.

    Returns
    -------
    indptr : ndarray of int64, shape (n_users + 1,)
    items : ndarray of int32
        The samples in the order drawn: the first ``k`` of a user are the sample of size ``k``.
    """
    n_users = len(relevant_indptr) - 1
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


@dataclass(frozen=True)
class TargetSets:
    r"""The items a system must rank for one user.

    Attributes
    ----------
    base : frozenset of int
        The base candidates :math:`C`.
    non_relevant : frozenset of int
        :math:`N_u`; under P1R, of all percentiles with a relevant item of the user.
    lists : tuple of frozenset of int
        :math:`T_u` alone under AR; :math:`T_u^1, T_u^2, \ldots` under 1R.
    """

    base: frozenset[int]
    non_relevant: frozenset[int]
    lists: tuple[frozenset[int], ...]


def target_sets(
    fold: Fold, protocol: Protocol, user: int, threshold: float, generator_for: GeneratorFor
) -> TargetSets:
    """Enumerate the target sets of a user (bellogin2017, section 3.1).

    Parameters
    ----------
    fold : Fold
    protocol : Protocol
    user : int
    threshold : float
        Ratings at or above it are relevant.
    generator_for : callable
        As for :func:`receval.protocols.evaluation.rank_judged`, which ranks the same samples.
    """
    complete = protocol.with_threshold(threshold)
    judgments = fold.test
    mine = slice(judgments.indptr[user], judgments.indptr[user + 1])
    relevant = frozenset(judgments.items[mine][judgments.values[mine] >= threshold].tolist())
    train = _row(fold.train.indptr, fold.train.indices, user)
    is_candidate = base_candidates(protocol, fold, judgments)
    base = frozenset(np.flatnonzero(is_candidate).tolist())
    reachable = sorted((relevant & base) - train)

    def non_relevant(within: NDArray[np.bool_], percentile: int | None) -> frozenset[int]:
        if protocol.sampled is None:
            return frozenset(np.flatnonzero(within).tolist()) - relevant - train
        sampled = SampledCandidates(
            complete, fold, judgments, generator_for, "test", within, percentile
        )
        return _row(*sampled.of_users(np.arange(judgments.n_users) == user), user)

    if protocol.percentiles is not None:
        percentile_of = popularity_percentiles(fold, protocol.percentiles)
        samples = {
            percentile: non_relevant(is_candidate & (percentile_of == percentile), percentile)
            for percentile in sorted({int(percentile_of[item]) for item in reachable})
        }
        lists = tuple(samples[int(percentile_of[item])] | {item} for item in reachable)
        return TargetSets(base, frozenset().union(*samples.values()), lists)
    others = non_relevant(is_candidate, None)
    if protocol.relevant == "AR":
        return TargetSets(base, others, (others | frozenset(reachable),))
    return TargetSets(base, others, tuple(others | {item} for item in reachable))


def _row(indptr: NDArray, items: NDArray, user: int) -> frozenset[int]:
    return frozenset(items[indptr[user] : indptr[user + 1]].tolist())
