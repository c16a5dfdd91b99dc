# SPDX-License-Identifier: MIT
"""Passes of the ranking kernels over blocks of scores, and what they collect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import Sample, base_candidates
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.popularity import popular_head, popularity_percentiles
from receval.protocols.protocol import Protocol
from receval.protocols.ranking import rank_among_all, rank_among_samples
from receval.protocols.shared_by_passes import FallbackScores, SharedByPasses
from receval.splits.split import Judgments


class RankingPass:
    """One pass of a kernel over the scores, for protocols of the same candidates.

    They differ in the size of their sample, or in what happens to non-computable items, alone.

    Parameters
    ----------
    shared : SharedByPasses
    family : list of Protocol
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
        first = family[0]
        judgments = shared.judgments
        self.shared = shared
        self.family = family
        self.is_candidate = base_candidates(first, shared.fold, judgments)
        self.is_ranked = np.ones(judgments.n_users, dtype=bool)
        if within is not None:
            # Who has no judged item there has no list that is kept.
            self.is_candidate &= within
            self.is_ranked[:] = False
            self.is_ranked[judgments.users[within[judgments.items]]] = True
        if first.candidates == "train":
            self.is_ranked &= np.diff(shared.train_indptr) > 0
        self.priority = shared.priority(first)
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
        """Pass over users who come before all that are ranked: their random orders stay theirs."""
        self.n_met += int(self.is_ranked[users].sum())

    def rank(self, scores: NDArray[np.floating], users: NDArray[np.int64]) -> None:
        """Rank the judged items of one block of users, whose codes rise."""
        sample = self._sample(users)
        rows = np.flatnonzero(self.is_ranked[users])
        users = users[rows]
        self._rank(scores, rows, users, sample, self.found)
        indices = np.arange(self.n_met, self.n_met + len(users))
        self.n_met += len(users)
        if not self.fallbacks:
            return
        # Where all judged items have a score, no other order moves any.
        lacking = np.flatnonzero(self.shared.lack_scores(scores, rows, users))
        if not len(lacking):
            return
        own_scores, indices, users = scores[rows[lacking]], indices[lacking], users[lacking]
        for policy, fallback in self.fallbacks.items():
            # In a list of their own first: there the others are those that have no score.
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
        """Append the lists of items that are not in these, of the same candidates."""
        behind = other.ranks + self.lengths[:, judgments.users]
        ranks = np.where((self.ranks == 0) & (other.ranks > 0), behind, self.ranks)
        return _Found(ranks, self.candidates, self.candidates)


class PercentilePass:
    """P1R: one pass for each popularity percentile, whose lists are kept where they belong.

    Parameters
    ----------
    shared : SharedByPasses
    family : list of Protocol
        With the same number of percentiles.
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

    def leave_out(self, users: NDArray[np.int64]) -> None:
        """Pass over users who come before all that are ranked."""
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
