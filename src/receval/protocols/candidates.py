# SPDX-License-Identifier: MIT
"""The candidates of a protocol: base candidates, samples, target sets, and popular items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.protocols.protocol import Protocol
from receval.seeds import GeneratorFor
from receval.splits.split import Fold, Judgments
from receval.storage.kernel_cache import njit


def popularity(fold: Fold) -> NDArray[np.int64]:
    """Return the number of users with a training or test rating of each item, :math:`|R(i)|`."""
    n_items = fold.train.shape[1]
    trains = np.bincount(fold.train.indices, minlength=n_items)
    tests = np.bincount(fold.test.items, minlength=n_items)
    return (trains + tests).astype(np.int64)


def popularity_percentiles(fold: Fold, percentiles: int) -> NDArray[np.int16]:
    r"""Partition the items into popularity percentiles of equal size.

    Those with most ratings are in percentile 0. Items of equal popularity are in the order of their
    codes. Sizes differ by at most one. These are the :math:`\mathcal{I}_k` of Bellogín et al.
    (2017), section 6.1.
    """
    n_items = fold.train.shape[1]
    if percentiles > n_items:
        raise ValueError(
            f"{n_items} items cannot be divided into {percentiles} popularity percentiles. Ask for "
            "at most as many percentiles as there are items."
        )
    order = np.argsort(-popularity(fold), kind="stable")
    percentile_of = np.empty(n_items, dtype=np.int16)
    percentile_of[order] = np.arange(n_items) * percentiles // n_items
    return percentile_of


def popular_head(fold: Fold, share: float) -> NDArray[np.bool_]:
    """Mark the most popular items, a share of all, whose number is rounded.

    Items of equal popularity are in the order of their codes. Bellogín et al. (2017), section 6.3
    (the "-10 % head" bars of figure 8), after Cremonesi et al. 2010.
    """
    n_items = fold.train.shape[1]
    is_head = np.zeros(n_items, dtype=bool)
    is_head[np.argsort(-popularity(fold), kind="stable")[: round(share * n_items)]] = True
    return is_head


_BLOCK_ITEMS = 2**22

# Far below all logarithms of weights and noise, whose absolute values are at most some hundreds.
_LAST = -1e6


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

    The protocol must have a sample size and a threshold. ``judgments`` are those of the fold's
    part, "test" or "unbiased". ``is_candidate`` marks the base candidates; under P1R, those of one
    percentile, whose number counts from 0.
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
        # relevant items join it (the lemma of Bellogín et al. 2017 compares AR and 1R on one
        # sample).
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
        return sample_candidates(*common, self.weights)


def popularity_weights(fold: Fold, power: float) -> NDArray[np.float64]:
    r"""Return the weight :math:`|R_{train}(i)|^\alpha` of each item, 0 without training ratings.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=np.float32))
    >>> fold = Fold(train, Judgments.from_pairs([0], [2], [1], n_users=4))
    >>> popularity_weights(fold, power=0.5).round(2).tolist()
    [2.0, 1.41, 0.0]
    """
    counts = np.bincount(fold.train.indices, minlength=fold.train.shape[1])
    if not counts.any():
        raise ValueError(
            "Candidates cannot be drawn by popularity, because there are no training ratings to "
            "count. Give training ratings (train=...), or draw candidates uniformly."
        )
    return np.where(counts > 0, counts.astype(np.float64) ** power, 0.0)


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
    base: NDArray[np.int32],
    n_items: int,
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    relevant_indptr: NDArray[np.int64],
    relevant_items: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    size: int,
    is_drawn_for: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    n_users = len(relevant_indptr) - 1
    indptr = np.zeros(n_users + 1, dtype=np.int64)
    samples = np.empty(np.sum(is_drawn_for) * min(size, len(base)), dtype=np.int32)
    blocked = np.zeros(n_items, dtype=np.bool_)
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
    return indptr, samples[:filled]


@njit(cache=True)
def _draw(
    log_weights: NDArray[np.float64],
    base: NDArray[np.int32],
    n_items: int,
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    relevant_indptr: NDArray[np.int64],
    relevant_items: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    size: int,
    is_drawn_for: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    n_users = len(relevant_indptr) - 1
    indptr = np.zeros(n_users + 1, dtype=np.int64)
    samples = np.empty(n_users * min(size, len(base)), dtype=np.int32)
    blocked = np.zeros(n_items, dtype=np.bool_)
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
        for index in np.argsort(keys)[:drawn]:
            samples[filled] = base[index]
            filled += 1
        indptr[user + 1] = filled
    return indptr, samples[:filled]


def sample_candidates(
    is_candidate: NDArray[np.bool_],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    relevant_indptr: NDArray[np.int64],
    relevant_items: NDArray[np.int32],
    size: int,
    seeds: NDArray[np.uint64],
    is_drawn_for: NDArray[np.bool_] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Sample:
    r"""Draw :math:`N_u \subset C \setminus PR_{test}(u) \setminus R_{train}(u)` for every user.

    ``is_candidate`` marks :math:`C`; the user's training and relevant test items are compressed
    rows. Users with fewer than ``size`` candidates get all of them. Samples are drawn for some
    users, by default all, each with a seed of its own (:func:`user_seeds`), and do not depend on
    other users. They are in the order drawn: the first ``k`` of a user are the sample of size
    ``k``.

    With ``weights``, by item and at least 0, items are drawn one after the other without
    replacement, each with probability :math:`w_i / \sum_j w_j` over the items j that are left. The
    first draw is thus proportional to the weights; in larger samples the shares of popular items
    are lower than that, because an item is drawn only once. Samples are drawn with Gumbel keys
    (Yellott 1977), which are equivalent to the exponential keys of Efraimidis and Spirakis (2006):
    with independent standard Gumbel noise :math:`g_i` the sample of size k is the items with the k
    largest :math:`\log w_i + g_i`, in descending order, so that samples are nested. Items of weight
    0 are drawn last, all with the same probability.

    Examples
    --------
    For each of 9000 users, one of three items with the weights 6, 3 and 0 is drawn:

    >>> nothing = np.zeros(9001, dtype=np.int64), np.zeros(0, dtype=np.int32)
    >>> _, items = sample_candidates(
    ...     np.ones(3, dtype=bool), *nothing, *nothing, 1,
    ...     np.random.default_rng(1).integers(0, 2**64, size=9000, dtype=np.uint64),
    ...     weights=np.array([6.0, 3.0, 0.0]),
    ... )
    >>> (np.bincount(items, minlength=3) / 9000).round(2).tolist()
    [0.67, 0.33, 0.0]
    """
    n_users = len(relevant_indptr) - 1
    rows = (
        # Not by the kernels, since numba takes seconds to compile what numpy does here.
        np.flatnonzero(is_candidate).astype(np.int32),
        len(is_candidate),
        np.asarray(train_indptr, dtype=np.int64),
        np.asarray(train_items, dtype=np.int32),
        relevant_indptr,
        relevant_items,
        seeds,
        size,
        np.ones(n_users, dtype=np.bool_) if is_drawn_for is None else is_drawn_for,
    )
    if weights is None:
        indptr, samples = _sample(*rows)
    else:
        log_weights = np.full(len(weights), _LAST)
        np.log(weights, out=log_weights, where=weights > 0)
        indptr, samples = _draw(log_weights, *rows)
    return indptr, samples.copy()


@dataclass(frozen=True)
class TargetSets:
    r"""The items a system must rank for one user.

    ``base`` are the base candidates :math:`C`. ``non_relevant`` is :math:`N_u`; under P1R, of all
    percentiles with a relevant item of the user. ``lists`` are :math:`T_u` alone under AR, and
    :math:`T_u^1, T_u^2, \ldots` under 1R.
    """

    base: frozenset[int]
    non_relevant: frozenset[int]
    lists: tuple[frozenset[int], ...]


def target_sets(
    fold: Fold, protocol: Protocol, user: int, threshold: float, generator_for: GeneratorFor
) -> TargetSets:
    """Enumerate the target sets of a user (Bellogín et al. 2017, section 3.1).

    Ratings at or above the threshold are relevant. The generators are those of
    :func:`receval.protocols.evaluation.rank_judged`, which ranks the same samples.
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
