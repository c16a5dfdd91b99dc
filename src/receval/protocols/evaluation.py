"""Ranking one system on one fold under any number of protocols, in one pass over its scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol as Interface

import numpy as np
from numpy.typing import NDArray

from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.protocols.ranking import rank_among_all, rank_among_samples
from receval.protocols.sampling import sample_candidates
from receval.splits.split import Fold, Judgments

# Scores of one block of users are held at a time: 64 MiB of float32.
_BLOCK_ENTRIES = 2**24


class Scorer(Interface):
    """What ranking needs of a fitted system."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of all items for some users; NaN where not computable."""
        ...


GeneratorFor = Callable[..., np.random.Generator]
"""Gives the random generator of a named choice: ``generator_for("ties")``."""


def base_candidates(protocol: Protocol, fold: Fold, judgments: Judgments) -> NDArray[np.bool_]:
    """Return the base candidates C of a protocol as a mask over items."""
    n_items = fold.train.shape[1]
    if protocol.candidates == "AI":
        return np.ones(n_items, dtype=bool)
    mask = np.zeros(n_items, dtype=bool)
    mask[judgments.items if protocol.candidates == "TI" else fold.train.indices] = True
    return mask


def rank_judged(
    system: Scorer,
    fold: Fold,
    protocols: Sequence[Protocol],
    generator_for: GeneratorFor,
    part: str = "test",
) -> list[JudgedRanks]:
    """Rank the judged items of a fold under several protocols.

    Parameters
    ----------
    system : Scorer
        A fitted system; each user with judgments is scored once, whatever the number of protocols.
    fold : Fold
        Its training ratings are no candidates; its test ratings are the judged items.
    protocols : sequence of Protocol
        Those that differ in the size of the sample alone share one nested sample.
    generator_for : callable
        ``generator_for(name, ...)`` returns the generator of a named choice, seeded by dataset,
        split and fold but never by system: all systems rank the same candidates.
    part : {"test", "unbiased"}
        The judgments to rank.

    Returns
    -------
    list of JudgedRanks
        In the order of ``protocols``.
    """
    judgments = fold.test if part == "test" else fold.unbiased
    if judgments is None:
        raise ValueError(f"The fold has no {part} judgments to rank.")
    ranker = _FoldRanker(fold, judgments, generator_for, part)
    passes = [ranker.plan(family) for family in _families(protocols)]
    with_judgments = np.flatnonzero(np.diff(judgments.indptr)).astype(np.int64)
    n_items = fold.train.shape[1]
    block = max(1, _BLOCK_ENTRIES // max(1, n_items))
    for start in range(0, len(with_judgments), block):
        users = with_judgments[start : start + block]
        scores = np.ascontiguousarray(system.score(users), dtype=np.float32)
        if scores.shape != (len(users), n_items):
            raise ValueError(
                f"{type(system).__name__}.score returned an array of shape {scores.shape} for "
                f"{len(users)} users and {n_items} items; it must be {(len(users), n_items)}."
            )
        for one_pass in passes:
            one_pass.rank(scores, users)
    outcomes: dict[Protocol, JudgedRanks] = {}
    for one_pass in passes:
        outcomes.update(one_pass.outcomes())
    return [outcomes[protocol] for protocol in protocols]


def _families(protocols: Sequence[Protocol]) -> list[list[Protocol]]:
    """Group protocols that differ in the size of their sample alone, sizes increasing."""
    families: dict[tuple[Protocol, bool], list[Protocol]] = {}
    for protocol in dict.fromkeys(protocols):
        shared = replace(protocol, sampled=None if protocol.sampled is None else 1)
        families.setdefault((shared, protocol.sampled is None), []).append(protocol)
    return [sorted(family, key=lambda p: p.sampled or 0) for family in families.values()]


class _FoldRanker:
    """What all protocols of a fold share."""

    def __init__(
        self, fold: Fold, judgments: Judgments, generator_for: GeneratorFor, part: str
    ) -> None:
        self.fold = fold
        self.judgments = judgments
        self.generator_for = generator_for
        self.part = part
        self.train_indptr = fold.train.indptr.astype(np.int64)
        self.train_items = fold.train.indices.astype(np.int32)

    def plan(self, family: list[Protocol]) -> _Pass:
        return _Pass(self, family)

    def priority(self, protocol: Protocol) -> NDArray[np.uint32]:
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


class _Pass:
    """One pass of a kernel over the scores, for the protocols of one family."""

    def __init__(self, shared: _FoldRanker, family: list[Protocol]) -> None:
        first = family[0]
        judgments = shared.judgments
        self.shared = shared
        self.family = family
        self.is_candidate = base_candidates(first, shared.fold, judgments)
        self.priority = shared.priority(first)
        self.relevant = (
            np.zeros(len(judgments), dtype=bool)
            if first.threshold is None
            else judgments.values >= first.threshold
        )
        n_rows = len(family)
        self.ranks = np.zeros((n_rows, len(judgments)), dtype=np.int32)
        self.lengths = np.zeros((n_rows, judgments.n_users), dtype=np.int32)
        self.candidates = np.zeros((n_rows, judgments.n_users), dtype=np.int32)
        self.sizes = np.array([protocol.sampled or 0 for protocol in family], dtype=np.int64)
        if first.sampled is not None:
            self.sample = self._draw(first)

    def _draw(self, protocol: Protocol) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        judgments = self.shared.judgments
        relevant_users = judgments.users[self.relevant]
        relevant_indptr = np.zeros(judgments.n_users + 1, dtype=np.int64)
        np.cumsum(np.bincount(relevant_users, minlength=judgments.n_users), out=relevant_indptr[1:])
        # The sample's name leaves out its size (samples are nested) and whether one or all
        # relevant items join it (the lemma of bellogin2017 compares AR and 1R on one sample).
        return sample_candidates(
            self.is_candidate,
            self.shared.train_indptr,
            self.shared.train_items,
            relevant_indptr,
            judgments.items[self.relevant],
            int(self.sizes[-1]),
            self.shared.generator_for(
                "sample", self.shared.part, protocol.candidates, f"{protocol.threshold:g}"
            ),
        )

    def rank(self, scores: NDArray[np.float32], users: NDArray[np.int64]) -> None:
        """Rank the judged items of one block of users."""
        if self.family[0].candidates == "train":
            has_train = np.diff(self.shared.train_indptr)[users] > 0
            scores, users = np.ascontiguousarray(scores[has_train]), users[has_train]
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
                self.ranks[0],
                self.lengths[0],
                self.candidates[0],
            )
        else:
            rank_among_samples(
                *common,
                *self.sample,
                self.sizes,
                self.ranks,
                self.lengths,
                self.candidates,
            )

    def outcomes(self) -> dict[Protocol, JudgedRanks]:
        """Return the judged ranks of each protocol of the family."""
        return {
            protocol: JudgedRanks(self.ranks[row], self.lengths[row], self.candidates[row])
            for row, protocol in enumerate(self.family)
        }
