# SPDX-License-Identifier: MIT
"""Judged ranks of a few users: one example worked by hand, and random ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from receval.metrics.lists import DatasetMetadata, JudgedLists
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

THRESHOLD = 4.0
AR = Protocol()
ONE = Protocol("1R", "TI", 99, THRESHOLD)
METADATA = DatasetMetadata(maximum_rating=5.0, positive_ratings=np.array([16, 9, 4, 2, 1]))


def ranks(values: list[int], lengths: list[int]) -> JudgedRanks:
    sizes = np.array(lengths, dtype=np.int32)
    return JudgedRanks(np.array(values, dtype=np.int32), sizes, sizes)


def example() -> JudgedLists:
    """Three users: five judged items, one judged item that is not ranked, nothing judged.

    The list of the first has eight ranks: 5 stars, 2 stars, -, 4 stars, -, -, 1 star, -; an item
    of 4 stars is not in it.
    """
    judgments = Judgments.from_pairs([0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 0], [5, 2, 4, 1, 4, 5], 3)
    found = ranks([1, 2, 4, 7, 0, 0], [8, 0, 0])
    return JudgedLists.of(judgments, found, THRESHOLD, AR, METADATA)


def one_user(
    ratings: list[float], found: list[int], length: int, metadata: DatasetMetadata | None = METADATA
) -> JudgedLists:
    """One user's list: the ratings of the first items, and their ranks."""
    judgments = Judgments.from_pairs([0] * len(ratings), range(len(ratings)), ratings, 1)
    return JudgedLists.of(judgments, ranks(found, [length]), THRESHOLD, AR, metadata)


@dataclass(frozen=True, eq=False)
class Case:
    """One user's list and judgments, as papers write of them: items, sets, ratings."""

    listed: tuple[int, ...]
    ratings: dict[int, float]
    metadata: DatasetMetadata
    further: int = 0
    """Number of candidates that are neither listed nor rated."""

    def seen(self, condensed: bool, depth: int | None) -> Self:
        """Return the case with the list cut at a depth, then condensed."""
        kept, further = self.listed[:depth], self.further
        if condensed:
            kept, further = tuple(item for item in kept if item in self.ratings), 0
        elif depth is not None:
            further += len(set(self.listed[depth:]) - set(self.ratings))
        return type(self)(kept, self.ratings, self.metadata, further)

    @property
    def n_candidates(self) -> int:
        return len({*self.listed, *self.ratings}) + self.further

    @cached_property
    def relevant(self) -> set[int]:
        return {item for item, rating in self.ratings.items() if rating >= THRESHOLD}

    @cached_property
    def nonrelevant(self) -> set[int]:
        return set(self.ratings) - self.relevant


def random_cases(seed: int, step: float = 0.5) -> list[Case]:
    """Return seven users: one without relevant items, one without a list, one without judgments."""
    rng = np.random.default_rng(seed)
    n_items = int(rng.integers(8, 41))
    metadata = DatasetMetadata(5.0, rng.integers(1, 300, n_items))
    share = rng.uniform(0.1, 1.0)
    grades = np.arange(step, 5.0 + step, step)
    cases = []
    for user in range(7):
        judged = np.flatnonzero(rng.random(n_items) < share)
        given = rng.choice(grades[grades < THRESHOLD] if user == 0 else grades, len(judged))
        length = 0 if user == 1 else int(rng.integers(1, n_items + 1))
        listed = tuple(rng.permutation(n_items)[:length].tolist())
        ratings = dict(zip(judged.tolist(), given.tolist(), strict=True))
        further = int(rng.integers(3)) * user
        cases.append(Case(listed, {} if user == 2 else ratings, metadata, further))
    return cases


def judgments_of(cases: list[Case]) -> Judgments:
    rows = [(u, i, r) for u, case in enumerate(cases) for i, r in case.ratings.items()]
    users, items, values = zip(*rows, strict=True) if rows else ((), (), ())
    return Judgments.from_pairs(users, items, values, len(cases))


def ranks_of(cases: list[Case], judgments: Judgments) -> JudgedRanks:
    listed_ranks = [{item: rank for rank, item in enumerate(case.listed, 1)} for case in cases]
    pairs = zip(judgments.users.tolist(), judgments.items.tolist(), strict=True)
    found = ranks(
        [listed_ranks[user].get(item, 0) for user, item in pairs],
        [len(listed) for listed in listed_ranks],
    )
    sizes = np.array([case.n_candidates for case in cases], dtype=np.int32)
    return replace(found, candidates=sizes)


def lists_of(cases: list[Case]) -> JudgedLists:
    judgments = judgments_of(cases)
    found = ranks_of(cases, judgments)
    return JudgedLists.of(judgments, found, THRESHOLD, AR, cases[0].metadata)
