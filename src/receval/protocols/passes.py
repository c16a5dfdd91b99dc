"""Passes of the ranking kernels over blocks of scores, and what they collect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import GeneratorFor, base_candidates, draw_sample
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.non_computable import FallbackScores
from receval.protocols.popularity import popular_head, popularity_percentiles
from receval.protocols.protocol import Protocol
from receval.protocols.ranking import rank_among_all, rank_among_samples
from receval.splits.split import Fold, Judgments


class SharedByPasses:
    """What the passes over the scores of one fold share.

    Parameters
    ----------
    fold : Fold
    judgments : Judgments
        Those of the part, which are ranked.
    generator_for : callable
        As for :func:`receval.protocols.evaluation.rank_judged`.
    part : {"test", "unbiased"}
    """

    def __init__(
        self, fold: Fold, judgments: Judgments, generator_for: GeneratorFor, part: str
    ) -> None:
        self.fold = fold
        self.judgments = judgments
        self.generator_for = generator_for
        self.part = part
        self.train_indptr = fold.train.indptr.astype(np.int64)
        self.train_items = fold.train.indices.astype(np.int32)

    def priority(self, protocol: Protocol) -> NDArray[np.uint32]:
        """Return the order of items with equal scores: the smaller ranks higher."""
        n_items = self.fold.train.shape[1]
        if protocol.ties == "random":
            return self.generator_for("ties").permutation(n_items).astype(np.uint32)
        priority = np.arange(n_items, dtype=np.uint32)
        if protocol.ties == "librec":
            if len(self.fold.items_by_appearance) != n_items:
                raise ValueError(
                    "LibRec's order of ties needs the items in the order of the train file: give "
                    "the fold its items_by_appearance, or make it with receval.splits.split.fold."
                )
            priority[self.fold.items_by_appearance] = np.arange(n_items, dtype=np.uint32)
        return priority


class RankingPass:
    """One pass of a kernel over the scores, for protocols that differ in their sample's size alone.

    Parameters
    ----------
    shared : SharedByPasses
    family : list of Protocol
        By increasing size of the sample.
    within : ndarray of bool, shape (n_items,), optional
        Items that may be candidates at all, under P1R those of one percentile.
    percentile : int, optional
        Number of that percentile, from 0.
    """

    def __init__(
        self,
        shared: SharedByPasses,
        family: list[Protocol],
        within: NDArray[np.bool_] | None = None,
        percentile: int | None = None,
    ) -> None:
        first, last = family[0], family[-1]
        judgments = shared.judgments
        self.shared = shared
        self.family = family
        self.is_candidate = base_candidates(first, shared.fold, judgments)
        if within is not None:
            self.is_candidate &= within
        self.priority = shared.priority(first)
        self.relevant = (
            np.zeros(len(judgments), dtype=bool)
            if first.threshold is None
            else judgments.values >= first.threshold
        )
        self.found = _Found.empty(len(family), judgments)
        self.appended = None
        if first.non_computable != "none":
            self.appended = _Found.empty(len(family), judgments)
            self.fallback = FallbackScores(first.non_computable, shared.fold, shared.generator_for)
        self.sizes = np.array([protocol.sampled or 0 for protocol in family], dtype=np.int64)
        if first.sampled is not None:
            self.sample = draw_sample(
                last,
                shared.fold,
                judgments,
                shared.generator_for,
                shared.part,
                self.is_candidate,
                percentile,
            )

    def rank(self, scores: NDArray[np.float32], users: NDArray[np.int64]) -> None:
        """Rank the judged items of one block of users."""
        if self.family[0].candidates == "train":
            has_train = np.diff(self.shared.train_indptr)[users] > 0
            scores, users = np.ascontiguousarray(scores[has_train]), users[has_train]
        self._rank(scores, users, self.found)
        if self.appended is not None:
            # In a list of their own first: there the others are those that have no score.
            self._rank(self.fallback.where_not_computable(scores), users, self.appended)

    def _rank(self, scores: NDArray[np.float32], users: NDArray[np.int64], found: _Found) -> None:
        common = (
            scores,
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
        if self.family[0].sampled is None:
            rank_among_all(
                *common,
                self.family[0].ties == "librec",
                found.ranks[0],
                found.lengths[0],
                found.candidates[0],
            )
        else:
            rank_among_samples(
                *common,
                *self.sample,
                self.sizes,
                found.ranks,
                found.lengths,
                found.candidates,
            )

    def outcomes(self) -> dict[Protocol, JudgedRanks]:
        """Return the judged ranks of each protocol of the family."""
        found = self.found
        if self.appended is not None:
            found = found.followed_by(self.appended, self.shared.judgments)
        share = self.family[0].head_removed
        if share is not None:
            is_head = popular_head(self.shared.fold, share)
            found.ranks[:, is_head[self.shared.judgments.items]] = -1
        return {
            protocol: JudgedRanks(found.ranks[row], found.lengths[row], found.candidates[row])
            for row, protocol in enumerate(self.family)
        }


@dataclass(frozen=True)
class _Found:
    """Ranks, lengths and numbers of candidates, one row for each size of the sample."""

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
        """Append the lists of items that have no place in these, of the same candidates."""
        behind = other.ranks + self.lengths[:, judgments.users]
        ranks = np.where((self.ranks == 0) & (other.ranks > 0), behind, self.ranks)
        return _Found(ranks, self.lengths + other.lengths, self.candidates)


class PercentilePass:
    """P1R: one pass for each popularity percentile, whose lists are kept where they belong.

    Parameters
    ----------
    shared : SharedByPasses
    family : list of Protocol
        With the same number of percentiles, by increasing size of the sample.
    """

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

    def rank(self, scores: NDArray[np.float32], users: NDArray[np.int64]) -> None:
        """Rank the judged items of one block of users within their percentiles."""
        for one_pass in self.passes:
            one_pass.rank(scores, users)

    def outcomes(self) -> dict[Protocol, JudgedRanks]:
        """Return the judged ranks of each protocol of the family."""
        users = self.shared.judgments.users
        by_percentile = [one_pass.outcomes() for one_pass in self.passes]
        merged = {}
        for protocol in self.family:
            ranks, lengths, candidates = (np.zeros(len(users), dtype=np.int32) for _ in range(3))
            for percentile, outcomes in enumerate(by_percentile):
                rows = np.flatnonzero(self.percentiles == percentile)
                outcome = outcomes[protocol]
                ranks[rows] = outcome.ranks[rows]
                lengths[rows] = outcome.lengths[users[rows]]
                candidates[rows] = outcome.candidates[users[rows]]
            merged[protocol] = JudgedRanks(ranks, lengths, candidates, self.percentiles)
        return merged
