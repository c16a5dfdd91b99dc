# SPDX-License-Identifier: MIT
"""Rank a system on one fold under any number of protocols in one pass over its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol as Interface

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.protocols.candidates import (
    Sample,
    SampledCandidates,
    base_candidates,
    popular_head,
    popularity_percentiles,
)
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import NonComputable, Protocol
from receval.seeds import GeneratorFor
from receval.splits.split import Fold, Judgments
from receval.storage.kernel_cache import njit

# Scores of one block of users are held at a time: 8 MiB of float32, which stay in the cache while
# all passes read them.
_BLOCK_ENTRIES = 2**21

# For systems that are scored together 64 MiB: they share work per block of users.
_JOINT_ENTRIES = 2**24

# Systems share work among groups of this many users, so only whole groups are scored.
_GROUP_USERS = 256

PADDED = 64
"""Parts of a list begin at multiples of this number, so that they fill whole SIMD vectors."""


def in_ranked_precision(scores: ArrayLike) -> NDArray[np.floating]:
    """Return scores for ranking, in single precision if exact, else double; masked ones are NaN.

    Examples
    --------
    >>> [in_ranked_precision(np.ones(1, kind)).dtype.name for kind in ("f2", "f4", "i4", "f8")]
    ['float32', 'float32', 'float64', 'float64']
    """
    array = np.asanyarray(scores)
    if array.dtype.kind not in "buif":
        raise ValueError(
            f"The scores have the type {array.dtype}, but they must be real numbers. Return an "
            "array of floats, with NaN for items without a score."
        )
    is_single = np.can_cast(array.dtype, np.float32)
    real = array.astype(np.float32 if is_single else np.float64, copy=False)
    return np.asarray(np.ma.filled(real, np.nan))


class JointScorer(Interface):
    """The interface of several fitted systems that are scored together."""

    def __len__(self) -> int:
        """Return the number of systems."""
        ...

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of all items for some users, one system after the other."""
        ...


class Scorer(Interface):
    """The interface of a fitted system that can be ranked."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of all items for some users; NaN if not computable."""
        ...


def rank_judged(
    system: Scorer,
    fold: Fold,
    protocols: Sequence[Protocol],
    generator_for: GeneratorFor,
    part: str = "test",
    threshold: float | None = None,
    users: range | None = None,
) -> list[JudgedRanks]:
    """Rank the judged items of a fold under several protocols.

    Parameters
    ----------
    system : Scorer
        A fitted system. Each user with judgments is scored once, for all protocols.
    fold : Fold
        Its training items are no candidates; its test items are the judged items.
    protocols : sequence of Protocol
        Protocols that differ only in the sample size share one nested sample.
    generator_for : callable
        ``generator_for(name, ...)`` returns the generator of a named random choice. Its seed
        depends on the dataset, split and fold, but not on the system, so that all systems rank the
        same candidates.
    part : {"test", "unbiased"}
        The judgments to rank.
    threshold : float, optional
        Ratings at or above it are relevant; for protocols that need a threshold and have none.
    users : range, optional
        Consecutive users to rank, by default all. Their candidates and ranks do not depend on it.
        All other users are without ranks in the result (:meth:`JudgedRanks.of_users` removes them).

    Returns
    -------
    list of JudgedRanks
        In the order of ``protocols``.

    Raises
    ------
    ValueError
        The fold has no such judgments, a protocol needs a threshold and none is given, or the shape
        of the system's scores is not (users, items).

    Examples
    --------
    User 0 has two candidates, and tests the less popular one; user 1 has only one candidate:

    >>> from receval.recommenders.non_personalised import Popularity
    >>> from receval.seeds import generator
    >>> from receval.data.ratings import summed_matrix
    >>> from receval.splits.split import Judgments
    >>> users, items = np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])
    >>> train = summed_matrix(users, items, np.ones(4), shape=(3, 3))
    >>> fold = Fold(train, test=Judgments.from_pairs([0, 1], [2, 2], [5, 4], n_users=3))
    >>> system = Popularity().fit(train)
    >>> [judged] = rank_judged(system, fold, [Protocol()], lambda *names: generator(1, *names))
    >>> judged.ranks.tolist(), judged.lengths.tolist()
    ([2, 1], [2, 1, 0])
    """
    alone = _Alone(system, fold.train.shape[1])
    return rank_judged_together(alone, fold, protocols, generator_for, part, threshold, users)[0]


# What the passes over the scores of a fold share: tie order, samples, missing scores.


def tie_priority(protocol: Protocol, fold: Fold, generator_for: GeneratorFor) -> NDArray[np.uint32]:
    """Return the tie priority of each item; the smaller priority ranks higher."""
    n_items = fold.train.shape[1]
    if protocol.ties == "random":
        return generator_for("ties").permutation(n_items).astype(np.uint32)
    priority = np.arange(n_items, dtype=np.uint32)
    if protocol.ties == "librec":
        if len(fold.items_by_appearance) != n_items:
            raise ValueError(
                "LibRec's order of ties needs the items in the order of the train file. Set "
                "items_by_appearance of the fold, or make the fold with receval.splits.split.fold."
            )
        priority[fold.items_by_appearance] = np.arange(n_items, dtype=np.uint32)
    return priority


class SharedByPasses:
    """Data that the passes over the scores of one fold share.

    ``judgments`` are those of the part, "test" or "unbiased", which are ranked. Of all protocols of
    the ranking, those that differ only in other parameters share samples.
    """

    def __init__(
        self,
        fold: Fold,
        judgments: Judgments,
        generator_for: GeneratorFor,
        part: str,
        protocols: Sequence[Protocol],
    ) -> None:
        self.fold = fold
        self.judgments = judgments
        self.generator_for = generator_for
        self.part = part
        self.train_indptr = fold.train.indptr.astype(np.int64)
        self.train_items = fold.train.indices.astype(np.int32, copy=False)
        self._largest: dict[Protocol, int] = {}
        for protocol in protocols:
            drawn = _as_drawn(protocol)
            self._largest[drawn] = max(self._largest.get(drawn, 0), protocol.sampled or 0)
        self._samplers: dict[tuple[Protocol, int | None], SampledCandidates] = {}
        self._samples: dict[tuple[Protocol, int | None], tuple[tuple[int, int], Sample]] = {}

    def sample(
        self,
        protocol: Protocol,
        is_candidate: NDArray[np.bool_],
        is_ranked: NDArray[np.bool_],
        percentile: int | None,
        users: NDArray[np.int64],
    ) -> Sample:
        """Return the sampled candidates of the ranked users of a block.

        Samples are nested, and serve AR as well as 1R. A sample is therefore drawn once, in the
        largest size of any protocol, and kept until the next block.
        """
        drawn = _as_drawn(protocol)
        key = (drawn, percentile)
        if key not in self._samplers:
            self._samplers[key] = SampledCandidates(
                replace(drawn, sampled=self._largest[drawn]),
                self.fold,
                self.judgments,
                self.generator_for,
                self.part,
                is_candidate,
                percentile,
            )
        block = (int(users[0]), int(users[-1]))
        if key not in self._samples or self._samples[key][0] != block:
            is_drawn_for = np.zeros(self.judgments.n_users, dtype=bool)
            is_drawn_for[users] = is_ranked[users]
            self._samples[key] = (block, self._samplers[key].of_users(is_drawn_for))
        return self._samples[key][1]

    def lack_scores(
        self, scores: NDArray[np.floating], rows: NDArray[np.int64], users: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return which users have a judged item without a score."""
        starts, ends = self.judgments.indptr[users], self.judgments.indptr[users + 1]
        owners = np.repeat(np.arange(len(users)), ends - starts)
        indices = np.arange(len(owners)) + np.repeat(ends - np.cumsum(ends - starts), ends - starts)
        lacking = np.isnan(scores[rows[owners], self.judgments.items[indices]])
        return np.bincount(owners[lacking], minlength=len(users)) > 0


def _as_drawn(protocol: Protocol) -> Protocol:
    """Return the protocol reduced to what its samples depend on, except their size."""
    return replace(
        protocol,
        relevant="AR" if protocol.percentiles is None else "1R",
        sampled=None if protocol.sampled is None else 1,
        ties="random",
        non_computable="none",
    )


class FallbackScores:
    """Fallback scores to order non-computable items, which rank below all items with a score.

    ==============  ==========================================================================
    ``random``      a random order per user, the same for every system
    ``popularity``  the number of training ratings of the item
    ``average``     the mean of its training ratings; items without any come last
    ==============  ==========================================================================

    Ties are broken as for other scores. This is decision B2 of Cañamares et al. (2020), sections
    3.4 and 4.6.
    """

    def __init__(self, policy: NonComputable, fold: Fold, generator_for: GeneratorFor) -> None:
        self._rng = generator_for("non-computable") if policy == "random" else None
        self._words_drawn = 0
        n_items = fold.train.shape[1]
        counts = np.bincount(fold.train.indices, minlength=n_items)
        of_items = counts.astype(np.float64)
        if policy == "average":
            sums = np.bincount(fold.train.indices, weights=fold.train.data, minlength=n_items)
            of_items = np.full(n_items, -np.inf)
            np.divide(sums, counts, out=of_items, where=counts > 0)
        self._of_items = of_items.astype(np.float32)

    def where_not_computable(
        self, scores: NDArray[np.floating], indices: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return fallback scores of the items without a score; NaN for all others.

        ``indices`` has the index of each of these users among all ranked users. Call it for users
        in ascending order, because random orders are drawn in sequence. A user's random order does
        not depend on the other users of the call.
        """
        others = self._of_items
        if self._rng is not None:
            others = self._drawn(self._rng, indices, scores.shape[1])
        return np.where(np.isnan(scores), others, np.float32(np.nan))

    def _drawn(
        self, rng: np.random.Generator, indices: NDArray[np.int64], n_items: int
    ) -> NDArray[np.float32]:
        """Return some rows of the matrix that the generator would fill row by row."""
        words = rng.bit_generator
        if not isinstance(words, np.random.PCG64):
            raise TypeError(
                f"The random order of items without a score was given a {type(words).__name__}, "
                "but it needs a PCG64. Take generators from receval.seeds."
            )
        drawn = np.empty((len(indices), n_items), dtype=np.float32)
        starts = np.flatnonzero(np.diff(indices, prepend=-2) != 1)
        stops = np.flatnonzero(np.diff(indices, append=-2) != 1) + 1
        for start, stop in zip(starts, stops, strict=True):
            # PCG64 splits each word into two 32-bit numbers, the lower half first.
            word, half = divmod(int(indices[start]) * n_items, 2)
            n_numbers = half + int(stop - start) * n_items
            words.advance(word - self._words_drawn)
            numbers = rng.random(n_numbers, dtype=np.float32)
            drawn[start:stop] = numbers[half:].reshape(-1, n_items)
            self._words_drawn = word + (n_numbers + 1) // 2
        return drawn


# Kernels: the ranks of judged items by counting, without sorting the scores.


@njit(cache=True)
def _count_above(listed: NDArray[np.floating], score: np.floating) -> tuple[np.int32, np.int32]:
    """Count the listed items with a higher score and those with an equal one, ignoring NaN."""
    # Plain comparisons over contiguous memory, which the compiler vectorises. Counts have 32 bits,
    # because numba's default of 64 bits would halve the number of items per vector.
    above = np.int32(0)
    equal = np.int32(0)
    for item in range(len(listed)):
        above = np.int32(above + np.int32(listed[item] > score))
        equal = np.int32(equal + np.int32(listed[item] == score))
    return above, equal


@njit(cache=True)
def _count_ties(
    listed: NDArray[np.floating],
    priority: NDArray[np.uint32],
    score: np.floating,
    own: np.uint32,
) -> np.int32:
    """Count the listed items with the same score as an item that rank above it."""
    ties = np.int32(0)
    for item in range(len(listed)):
        ties = np.int32(ties + np.int32((listed[item] == score) & (priority[item] < own)))
    return ties


@njit(cache=True)
def _count_computable(listed: NDArray[np.floating]) -> np.int32:
    """Count the scores that are not NaN."""
    count = np.int32(0)
    for item in range(len(listed)):
        count = np.int32(count + np.int32(listed[item] == listed[item]))
    return count


@njit(cache=True)
def _heap_positions(
    listed: NDArray[np.floating],
    order: NDArray[np.int64],
    heap: NDArray[np.int64],
    heap_scores: NDArray[np.floating],
    positions: NDArray[np.uint32],
) -> None:
    """Write each listed item's position in the array of a binary min-heap of all listed scores.

    The items are inserted in the given order as in Java's PriorityQueue: each moves up as long as
    its parent is larger.
    """
    size = 0
    for item in order:
        score = listed[item]
        if score != score:
            continue
        position = size
        size += 1
        while position > 0:
            parent = (position - 1) >> 1
            if score >= heap_scores[parent]:
                break
            heap[position] = heap[parent]
            heap_scores[position] = heap_scores[parent]
            position = parent
        heap[position] = item
        heap_scores[position] = score
    for position in range(size):
        positions[heap[position]] = position


@njit(cache=True)
def rank_among_all(
    scores: NDArray[np.floating],
    score_rows: NDArray[np.int64],
    users: NDArray[np.int64],
    is_candidate: NDArray[np.bool_],
    priority: NDArray[np.uint32],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    judged_indptr: NDArray[np.int64],
    judged_items: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    one_relevant: bool,
    heap_order: NDArray[np.int64],
    ranks: NDArray[np.int32],
    lengths: NDArray[np.int32],
    candidates: NDArray[np.int32],
) -> None:
    r"""Rank judged items among all candidates (AN), and fill the last three arguments.

    .. math:: rank(i) = 1 + |\{c : s_c > s_i\}| + |\{c : s_c = s_i, priority(c) < priority(i)\}|

    The candidates are compared with each of the user's few judged items, without sorting.

    ``scores`` are those of a block of users, of shape (n_block, n_items), NaN if not computable.
    ``users`` are ranked for, each by its row of scores. ``is_candidate`` marks the base candidates;
    the kernel excludes the user's training items. Of items with equal scores, the one with the
    smaller priority ranks higher. Training items and judgments are compressed rows. Under 1R
    (``one_relevant``), a list has no other ``relevant`` items.

    ``heap_order`` has the items by priority, if equal scores have the order of the array of a
    min-heap into which the candidates are inserted (LibRec 2.0.0 with whole lists; only for AR). It
    is empty if ties are broken by priority.
    """
    outside = np.empty(len(is_candidate), dtype=np.int64)
    n_outside = 0
    for item in range(len(is_candidate)):
        if not is_candidate[item]:
            outside[n_outside] = item
            n_outside += 1
    listed = np.empty(len(is_candidate), dtype=scores.dtype)
    is_open = is_candidate.copy()
    heap = np.empty(len(heap_order), dtype=np.int64)
    heap_scores = np.empty(len(heap_order), dtype=scores.dtype)
    tie_order = priority.copy()
    for number in range(len(users)):
        user = users[number]
        own_scores = scores[score_rows[number]]
        for item in range(len(listed)):
            listed[item] = own_scores[item]
        for position in range(n_outside):
            listed[outside[position]] = np.nan
        n_open = len(is_candidate) - n_outside
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            item = train_items[entry]
            n_open -= int(is_candidate[item])
            is_open[item] = False
            listed[item] = np.nan
        first, end = judged_indptr[user], judged_indptr[user + 1]
        needs_heap = len(heap_order) > 0
        if one_relevant:
            # A relevant item is not in the list of another one.
            for row in range(first, end):
                item = judged_items[row]
                if relevant[row] and is_open[item]:
                    n_open -= 1
                    listed[item] = np.nan
        for row in range(first, end):
            item = judged_items[row]
            score = own_scores[item]
            ranks[row] = 0
            if is_open[item] and score == score and (relevant[row] or not one_relevant):
                above, equal = _count_above(listed, score)
                # Without ties, neither a second pass, which would take as long as the first, nor a
                # heap is needed. Under AR the count includes the item itself.
                if equal > np.int32(not one_relevant):
                    if needs_heap:
                        _heap_positions(listed, heap_order, heap, heap_scores, tie_order)
                        needs_heap = False
                    above += _count_ties(listed, tie_order, score, tie_order[item])
                ranks[row] = 1 + above
        lengths[user] = _count_computable(listed)
        candidates[user] = n_open
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            is_open[train_items[entry]] = is_candidate[train_items[entry]]


@njit(cache=True)
def rank_among_samples(
    scores: NDArray[np.floating],
    score_rows: NDArray[np.int64],
    users: NDArray[np.int64],
    is_candidate: NDArray[np.bool_],
    priority: NDArray[np.uint32],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    judged_indptr: NDArray[np.int64],
    judged_items: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    one_relevant: bool,
    sample_indptr: NDArray[np.int64],
    sample_items: NDArray[np.int32],
    sizes: NDArray[np.int64],
    ranks: NDArray[np.int32],
    lengths: NDArray[np.int32],
    candidates: NDArray[np.int32],
) -> None:
    """Rank judged items among nested samples (NN), and fill the last three arguments.

    The first arguments are those of :func:`rank_among_all`. The samples are compressed rows, in the
    order drawn. Sizes increase; one pass over the largest sample suffices for all. Ranks, lengths
    and candidates have a row per size.
    """
    n_items = len(is_candidate)
    n_sizes = len(sizes)
    in_train = np.zeros(n_items, dtype=np.bool_)
    drawn_at = np.full(n_items, -1, dtype=np.int64)
    # Scores and priorities of the list: under AR the relevant items, and then the sample. The items
    # that each size adds form a separate part, padded with NaN, which ranks above nothing.
    longest = 2 * n_items + PADDED * n_sizes
    listed = np.empty(longest, dtype=scores.dtype)
    listed_priority = np.zeros(longest, dtype=np.uint32)
    parts = np.zeros(n_sizes + 1, dtype=np.int64)
    for number in range(len(users)):
        user = users[number]
        own_scores = scores[score_rows[number]]
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            in_train[train_items[entry]] = True
        first, end = judged_indptr[user], judged_indptr[user + 1]
        n_relevant = 0
        if not one_relevant:
            for row in range(first, end):
                item = judged_items[row]
                if relevant[row] and is_candidate[item] and not in_train[item]:
                    listed[n_relevant] = own_scores[item]
                    listed_priority[n_relevant] = priority[item]
                    n_relevant += 1
        sample = sample_items[sample_indptr[user] : sample_indptr[user + 1]][: sizes[-1]]
        stop = n_relevant
        taken = 0
        n_ranked = np.int32(0)
        for size_row in range(n_sizes):
            size = min(sizes[size_row], len(sample))
            for position in range(taken, size):
                item = sample[position]
                drawn_at[item] = position
                listed[stop] = own_scores[item]
                listed_priority[stop] = priority[item]
                stop += 1
            taken = size
            while stop % PADDED:
                listed[stop] = np.nan
                stop += 1
            parts[size_row + 1] = stop
            n_ranked += _count_computable(listed[parts[size_row] : stop])
            lengths[size_row, user] = n_ranked
            candidates[size_row, user] = n_relevant + size
        for row in range(first, end):
            item = judged_items[row]
            score = own_scores[item]
            ranks[:, row] = 0
            index = drawn_at[item]
            is_drawn = index >= 0 and not one_relevant
            if not is_candidate[item] or in_train[item] or score != score:
                continue
            if not relevant[row] and not is_drawn:
                continue
            above = np.int32(0)
            n_smaller = 0
            for size_row in range(n_sizes):
                part = listed[parts[size_row] : parts[size_row + 1]]
                higher, equal = _count_above(part, score)
                above += higher
                # Under AR the item is compared with itself, in the first part or where it was
                # drawn.
                if relevant[row]:
                    meets_itself = size_row == 0 and not one_relevant
                else:
                    meets_itself = n_smaller <= index < sizes[size_row]
                if equal > np.int32(meets_itself):
                    priorities = listed_priority[parts[size_row] : parts[size_row + 1]]
                    above += _count_ties(part, priorities, score, priority[item])
                if relevant[row] or index < sizes[size_row]:
                    ranks[size_row, row] = 1 + above
                n_smaller = sizes[size_row]
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            in_train[train_items[entry]] = False
        for position in range(len(sample)):
            drawn_at[sample[position]] = -1


# Passes of the ranking kernels over blocks of scores, and their results.


class RankingPass:
    """One pass of a kernel over the scores, for a family of protocols with the same candidates.

    The protocols differ only in the sample size, or in the treatment of non-computable items. Under
    P1R, ``within`` marks the items of one percentile, whose number counts from 0.
    """

    def __init__(
        self,
        shared: SharedByPasses,
        family: list[Protocol],
        within: NDArray[np.bool_] | None = None,
        percentile: int | None = None,
    ) -> None:
        first = family[0]
        judgments = shared.judgments
        self.shared = shared
        self.family = family
        self.is_candidate = base_candidates(first, shared.fold, judgments)
        self.is_ranked = np.ones(judgments.n_users, dtype=bool)
        if within is not None:
            # Lists of users without a judged item in the percentile are not kept.
            self.is_candidate &= within
            self.is_ranked[:] = False
            self.is_ranked[judgments.users[within[judgments.items]]] = True
        if first.candidates == "train":
            self.is_ranked &= np.diff(shared.train_indptr) > 0
        self.priority = tie_priority(first, shared.fold, shared.generator_for)
        self.heap_order = np.argsort(self.priority)[: None if first.ties == "librec" else 0]
        self.relevant = (
            np.zeros(len(judgments), dtype=bool)
            if first.threshold is None
            else judgments.values >= first.threshold
        )
        self.sizes = np.array(sorted({p.sampled or 0 for p in family}), dtype=np.int64)
        self.found = _Found.empty(len(self.sizes), judgments)
        self.fallbacks = {
            policy: FallbackScores(policy, shared.fold, shared.generator_for)
            for policy in dict.fromkeys(protocol.non_computable for protocol in family)
            if policy != "none"
        }
        self.appended = {
            policy: _Found.empty(len(self.sizes), judgments) for policy in self.fallbacks
        }
        self.n_met = 0
        self.percentile = percentile

    def leave_out(self, users: NDArray[np.int64]) -> None:
        """Skip users who come before all ranked users, so that random orders stay the same."""
        self.n_met += int(self.is_ranked[users].sum())

    def rank(self, scores: NDArray[np.floating], users: NDArray[np.int64]) -> None:
        """Rank the judged items of one block of users, in ascending order of their codes."""
        sample = self._sample(users)
        rows = np.flatnonzero(self.is_ranked[users])
        users = users[rows]
        self._rank(scores, rows, users, sample, self.found)
        indices = np.arange(self.n_met, self.n_met + len(users))
        self.n_met += len(users)
        if not self.fallbacks:
            return
        # If all judged items have scores, the order of items without scores changes no rank.
        lacking = np.flatnonzero(self.shared.lack_scores(scores, rows, users))
        if not len(lacking):
            return
        own_scores, indices, users = scores[rows[lacking]], indices[lacking], users[lacking]
        for policy, fallback in self.fallbacks.items():
            # They are ranked in a separate list first, among the items without scores.
            others = fallback.where_not_computable(own_scores, indices)
            self._rank(others, np.arange(len(users)), users, sample, self.appended[policy])

    def _sample(self, users: NDArray[np.int64]) -> Sample | None:
        first = self.family[0]
        if first.sampled is None:
            return None
        return self.shared.sample(first, self.is_candidate, self.is_ranked, self.percentile, users)

    def _rank(
        self,
        scores: NDArray[np.floating],
        rows: NDArray[np.int64],
        users: NDArray[np.int64],
        sample: Sample | None,
        found: _Found,
    ) -> None:
        common = (
            scores,
            rows,
            users,
            self.is_candidate,
            self.priority,
            self.shared.train_indptr,
            self.shared.train_items,
            self.shared.judgments.indptr,
            self.shared.judgments.items,
            self.relevant,
            self.family[0].relevant == "1R",
        )
        if sample is None:
            rank_among_all(
                *common, self.heap_order, found.ranks[0], found.lengths[0], found.candidates[0]
            )
        else:
            rank_among_samples(
                *common, *sample, self.sizes, found.ranks, found.lengths, found.candidates
            )

    def judged_ranks(self) -> dict[Protocol, JudgedRanks]:
        """Return the judged ranks of each protocol of the family."""
        found = {"none": self.found}
        for policy, appended in self.appended.items():
            found[policy] = self.found.followed_by(appended, self.shared.judgments)
        share = self.family[0].head_removed
        if share is not None:
            is_head = popular_head(self.shared.fold, share)
            for one in found.values():
                one.ranks[:, is_head[self.shared.judgments.items]] = -1
        rows = {
            protocol: int(np.searchsorted(self.sizes, protocol.sampled or 0))
            for protocol in self.family
        }
        return {
            protocol: JudgedRanks(
                found[protocol.non_computable].ranks[row],
                found[protocol.non_computable].lengths[row],
                found[protocol.non_computable].candidates[row],
            )
            for protocol, row in rows.items()
        }


@dataclass(frozen=True)
class _Found:
    """Ranks, lengths and numbers of candidates, with one row per sample size."""

    ranks: NDArray[np.int32]
    lengths: NDArray[np.int32]
    candidates: NDArray[np.int32]

    @classmethod
    def empty(cls, n_sizes: int, judgments: Judgments) -> _Found:
        return cls(
            np.zeros((n_sizes, len(judgments)), dtype=np.int32),
            np.zeros((n_sizes, judgments.n_users), dtype=np.int32),
            np.zeros((n_sizes, judgments.n_users), dtype=np.int32),
        )

    def followed_by(self, other: _Found, judgments: Judgments) -> _Found:
        """Append lists of the remaining items of the same candidates."""
        behind = other.ranks + self.lengths[:, judgments.users]
        ranks = np.where((self.ranks == 0) & (other.ranks > 0), behind, self.ranks)
        return _Found(ranks, self.candidates, self.candidates)


class PercentilePass:
    """The passes of P1R, one per popularity percentile, for protocols with equally many."""

    def __init__(self, shared: SharedByPasses, family: list[Protocol]) -> None:
        self.shared = shared
        self.family = family
        number = family[0].percentiles or 0
        percentile_of = popularity_percentiles(shared.fold, number)
        self.percentiles = percentile_of[shared.judgments.items]
        self.passes = [
            RankingPass(shared, family, percentile_of == percentile, percentile)
            for percentile in range(number)
        ]

    def leave_out(self, users: NDArray[np.int64]) -> None:
        """Skip users who come before all ranked users."""
        for one_pass in self.passes:
            one_pass.leave_out(users)

    def rank(self, scores: NDArray[np.floating], users: NDArray[np.int64]) -> None:
        """Rank the judged items of one block of users within their percentiles."""
        for one_pass in self.passes:
            one_pass.rank(scores, users)

    def judged_ranks(self) -> dict[Protocol, JudgedRanks]:
        """Return the judged ranks of each protocol of the family."""
        users = self.shared.judgments.users
        by_percentile = [one_pass.judged_ranks() for one_pass in self.passes]
        merged = {}
        for protocol in self.family:
            ranks, lengths, candidates = (np.zeros(len(users), dtype=np.int32) for _ in range(3))
            for percentile, of_percentile in enumerate(by_percentile):
                rows = np.flatnonzero(self.percentiles == percentile)
                own = of_percentile[protocol]
                ranks[rows] = own.ranks[rows]
                lengths[rows] = own.lengths[users[rows]]
                candidates[rows] = own.candidates[users[rows]]
            merged[protocol] = JudgedRanks(ranks, lengths, candidates, self.percentiles)
        return merged


def rank_judged_together(
    systems: JointScorer,
    fold: Fold,
    protocols: Sequence[Protocol],
    generator_for: GeneratorFor,
    part: str = "test",
    threshold: float | None = None,
    users: range | None = None,
) -> list[list[JudgedRanks]]:
    """Rank the judged items of a fold for several systems that are scored together.

    ``systems.score`` returns an array of shape (n_systems, n_users, n_items). All else is as for
    :func:`rank_judged`, whose result is returned for each system.
    """
    judgments = fold.test if part == "test" else fold.unbiased
    if judgments is None:
        raise ValueError(f"The fold has no {part} judgments to rank.")
    complete = [protocol.with_threshold(threshold) for protocol in protocols]
    shared = SharedByPasses(fold, judgments, generator_for, part, complete)
    passes = [
        [
            RankingPass(shared, family)
            if family[0].percentiles is None
            else PercentilePass(shared, family)
            for family in _families(complete)
        ]
        for _ in range(len(systems))
    ]
    with_judgments = np.flatnonzero(np.diff(judgments.indptr)).astype(np.int64)
    if users is not None:
        before, wanted_end = np.searchsorted(with_judgments, [users.start, users.stop])
        for one_pass in chain.from_iterable(passes):
            one_pass.leave_out(with_judgments[:before])
        with_judgments = with_judgments[before:wanted_end]
    held = _BLOCK_ENTRIES if len(systems) == 1 else _JOINT_ENTRIES
    block = max(1, held // max(1, fold.train.shape[1] * len(systems)))
    block -= block % _GROUP_USERS if block > _GROUP_USERS else 0
    for start in range(0, len(with_judgments), block):
        own_users = with_judgments[start : start + block]
        for own_passes, scores in zip(passes, systems.score(own_users), strict=True):
            for one_pass in own_passes:
                one_pass.rank(scores, own_users)
    by_system: list[dict[Protocol, JudgedRanks]] = [{} for _ in passes]
    for found, own_passes in zip(by_system, passes, strict=True):
        for one_pass in own_passes:
            found.update(one_pass.judged_ranks())
    return [[found[protocol] for protocol in complete] for found in by_system]


class _Alone:
    """One system as a joint scorer, with its scores checked."""

    def __init__(self, system: Scorer, n_items: int) -> None:
        self._system = system
        self._n_items = n_items

    def __len__(self) -> int:
        return 1

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        scores = np.ascontiguousarray(in_ranked_precision(self._system.score(users)))
        if scores.shape != (len(users), self._n_items):
            own = getattr(self._system, "scorer", self._system)
            raise ValueError(
                f"{type(own).__name__}.score returned an array of shape {scores.shape} for "
                f"{len(users)} users and {self._n_items} items. The shape must be "
                f"{(len(users), self._n_items)}."
            )
        return scores[None]


def _families(protocols: Sequence[Protocol]) -> list[list[Protocol]]:
    """Group protocols that rank the same candidates, or nested samples of them."""
    families: dict[Protocol, list[Protocol]] = {}
    for protocol in dict.fromkeys(protocols):
        is_sampled = protocol.sampled is not None
        shared = replace(protocol, sampled=1 if is_sampled else None, non_computable="none")
        families.setdefault(shared, []).append(protocol)
    return list(families.values())
