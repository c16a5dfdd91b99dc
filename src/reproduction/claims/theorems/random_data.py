# SPDX-License-Identifier: MIT
"""Small random data on which theorems are worked out; all chance in them comes from names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol as Interface

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.metrics.judged_items import DatasetMetadata
from receval.metrics.lists import JudgedLists
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, Fold, Judgments, Split, fold
from receval.splits.uniform_test import split_with_uniform_test
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw, simulate_ratings

USERS, ITEMS, RATINGS = 400, 200, 16_000

TEST_SHARE = 0.2

_NAMES = (2017, "small random data")


class RandomScorer(Interface):
    """A fitted system."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of all items for some users."""
        ...


@dataclass(frozen=True)
class RandomScores:
    """A system that knows nothing, by its number."""

    number: int

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return scores drawn independently for every pair of user and item."""
        rng = generator(*_NAMES, "scores", self.number)
        return rng.random((USERS, ITEMS), dtype=np.float32)[users]


@cache
def skewed_ratings() -> Ratings:
    """Return ratings with skewed popularity and values from 1 to 5, none of them a preference."""
    source = Ratings(
        users=np.zeros(5, dtype=np.int32),
        items=np.arange(5, dtype=np.int32),
        values=np.arange(1, 6, dtype=np.float32),
        user_ids=np.arange(USERS).astype(str),
        item_ids=np.arange(ITEMS).astype(str),
    )
    counts = ShiftedPowerLaw(1.0, 0.0, 5.0, 1.0).counts(ITEMS, USERS, RATINGS)
    return simulate_ratings(source, counts, generator(*_NAMES, "ratings"))


def fold_of_coin_flips(number: int) -> Fold:
    """Return a fold of the ratings, of which each tests with the probability ``TEST_SHARE``."""
    ratings = skewed_ratings()
    tests = generator(*_NAMES, "coin flips", number).random(len(ratings)) < TEST_SHARE
    return fold(ratings, Split((np.where(tests, TEST, TRAIN).astype(np.uint8),)), 0)


def split_of_uniform_tests(folds: int) -> Split:
    """Return a split of the ratings with as many test ratings of every target item."""
    seeded = partial(generator, *_NAMES, "uniform test")
    return split_with_uniform_test(
        skewed_ratings(), seeded, test_share=TEST_SHARE, min_train_ratio=0.2, folds=folds
    )


def lists_of(system: RandomScorer, data: Fold, protocol: Protocol) -> JudgedLists:
    """Return the lists of a system under a protocol that has a threshold."""
    assert protocol.threshold is not None
    seeded = partial(generator, *_NAMES, "ranking")
    (ranks,) = rank_judged(system, data, [protocol], seeded)
    metadata = DatasetMetadata.of(skewed_ratings(), protocol.threshold)
    return JudgedLists.of(data.test, ranks, protocol.threshold, protocol, metadata)


def one_list_a_rank(size: int, protocol: Protocol) -> JudgedLists:
    """Return lists of a size whose only judged items, all relevant, stand at each rank in turn."""
    users = np.arange(size)
    judgments = Judgments.from_pairs(users, users, 1 + users % 5, n_users=size)
    # Under 1R the relevant item is not counted in.
    length = size - 1 if protocol.relevant == "1R" else size
    lengths = np.full(size, length, dtype=np.int32)
    ranks = JudgedRanks(np.arange(1, size + 1, dtype=np.int32), lengths, lengths)
    return JudgedLists.of(judgments, ranks, 1, protocol)
