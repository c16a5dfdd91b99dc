# SPDX-License-Identifier: MIT
"""WBPR's drifting popularities: against lists of LibRec in four caches, one draw after another."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.java_oracle import OracleRandom
from recommenders.matrices import COLD_USER, generated, to_matrix

from receval.recommenders import wbpr
from receval.recommenders.librec.java_random import JavaRandom
from receval.recommenders.wbpr import DriftingPopularitySampler, cache_segments

Dense = NDArray[np.float64]
Rated = NDArray[np.bool_]

WORD = 0xFFFFFFFF


def segment_of(number: int) -> int:
    """Return the segment by Guava's own steps, in whole numbers cut to 32 bits."""
    h = number & WORD
    h = (h + (((h << 15) & WORD) ^ 0xFFFFCD7D)) & WORD
    h ^= h >> 10
    h = (h + (h << 3)) & WORD
    h ^= h >> 6
    h = (h + (h << 2) + (h << 14)) & WORD
    h ^= h >> 16
    return h >> 30


class ListsOfLibRec:
    """One weight an item, and for up to 50 users of each segment a list of unrated items."""

    def __init__(self, rated: Rated) -> None:
        popularity = rated.sum(axis=0)
        rated_items = np.flatnonzero(popularity)
        self.items = rated_items[np.argsort(-popularity[rated_items], kind="stable")]
        self.weights = popularity.astype(float)
        self.rated = rated
        self.users = np.flatnonzero(rated.any(axis=1))
        self.first_item = int(rated_items[0])
        self.segments = {int(user): segment_of(n) for n, user in enumerate(self.users)}
        self.lists = [OrderedDict[int, Dense]() for _ in range(4)]
        self.ways_out = self.forgotten = 0

    def list_of(self, user: int) -> Dense:
        """Return the list of a user; make it, and change the weights, unless it is there."""
        cache = self.lists[self.segments[user]]
        if user in cache:
            cache.move_to_end(user)
            return cache[user]
        if len(cache) == 50:
            cache.popitem(last=False)
            self.forgotten += 1
        is_listed = ~self.rated[user] & (self.weights > 0)
        cache[user] = self.items[is_listed[self.items]]
        # Summed one by one, as there.
        self.weights[cache[user]] /= np.cumsum(self.weights[cache[user]])[-1]
        return cache[user]

    def drawn(self, java: OracleRandom) -> tuple[int, int, int]:
        """Draw a user, a rated item and another one."""
        user = java.one_of(self.users)
        item = java.one_of(np.flatnonzero(self.rated[user]))
        listed, bound = self.list_of(user), java.double()
        reached = np.cumsum(self.weights[listed])
        if reached[-1] < bound:
            self.ways_out += 1
            return user, item, self.first_item
        return user, item, int(listed[np.searchsorted(reached, bound)])


def drawn_by(sampler: DriftingPopularitySampler, number: int) -> list[tuple[int, int, int]]:
    return [
        (int(user), int(item), int(other))
        for block in sampler.blocks(number)
        for user, item, other in zip(*block, strict=True)
    ]


def sample(n_users: int, n_items: int, n_of_nearly_all: int) -> Rated:
    """Return who rated what: not the first item, and some users all others but one each."""
    _, rated = generated(n_users, n_items)
    rated[:, 0] = False
    popularity = rated.sum(axis=0)
    falling = np.argsort(-popularity)[: np.count_nonzero(popularity)]
    for number in range(n_of_nearly_all):
        user = 50 + 100 * number
        rated[user, falling] = True
        rated[user, falling[number]] = False
    return rated


@pytest.mark.costly
@pytest.mark.parametrize(
    ("n_users", "n_items", "n_of_nearly_all", "number"),
    # Users of four full caches and more, and weights that fall far, so that what rounding leaves
    # of a sum would soon be all of it; items of less than one sum, of one and one more, and of
    # several. Last, users whose unrated items have a part in 10^16 of the weights.
    [
        (350, 150, 0, 8_000),
        (230, 40, 0, 6_000),
        (60, 45, 0, 3_000),
        (250, 64, 0, 3_000),
        (250, 67, 0, 3_000),
        (2500, 130, 20, 6_000),
    ],
)
def test_draws_are_those_of_the_lists_of_librec(
    n_users: int, n_items: int, n_of_nearly_all: int, number: int
) -> None:
    rated = sample(n_users, n_items, n_of_nearly_all)
    sampler = DriftingPopularitySampler(to_matrix(rated * 1.0, rated), JavaRandom(1))
    lists, oracle = ListsOfLibRec(rated), OracleRandom(1)
    assert COLD_USER not in lists.segments
    for _ in range(2):
        expected = [lists.drawn(oracle) for _ in range(number // 2)]
        assert drawn_by(sampler, number // 2) == expected
        # The weights are those of the lists, but for one factor of all.
        ratios = sampler.weights / lists.weights[lists.items]
        counted = lists.weights[lists.items] > 1e-200
        np.testing.assert_allclose(ratios[counted], ratios[counted][0], rtol=1e-8)
    assert (lists.forgotten > 100) == (n_users > 200)
    # The way out is the first item that anybody has rated.
    assert lists.first_item == 1
    assert lists.ways_out > 0
    shares = lists.weights[lists.items] / rated.sum(axis=0)[lists.items]
    assert shares.min() < 1e-3 * shares.max()


@pytest.mark.each(("block", "sizes"), [(1, [1] * 8), (2, [2] * 4), (3, [3, 3, 2]), (7, [7, 1])])
def test_draws_in_blocks_are_one_sequence(
    block: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, rated = generated(40, 20)
    train = to_matrix(rated * 1.0, rated)
    monkeypatch.setattr(wbpr, "BLOCK", block)
    sampler, oracle = DriftingPopularitySampler(train, JavaRandom(5)), OracleRandom(5)
    assert [len(users) for users, _, _ in sampler.blocks(8)] == sizes
    # A block's users are drawn before the weights of the next one change.
    lists = ListsOfLibRec(rated)
    for _ in range(8):
        lists.drawn(oracle)
    assert drawn_by(sampler, 200) == [lists.drawn(oracle) for _ in range(200)]


def test_sums_are_taken_from_scratch_as_often_within_a_block_as_where_blocks_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Every block begins with sums from scratch. The weights are equal to the last bit: they would
    # show what rounding leaves of sums that grow older.
    _, rated = generated(230, 40)
    train, number = to_matrix(rated * 1.0, rated), 3 * wbpr.REFRESH
    samplers = [DriftingPopularitySampler(train, JavaRandom(1)) for _ in range(2)]
    assert len(list(samplers[0].blocks(number))) == 1
    monkeypatch.setattr(wbpr, "BLOCK", wbpr.REFRESH)
    assert len(list(samplers[1].blocks(number))) == 3
    assert samplers[1].weights.tobytes() == samplers[0].weights.tobytes()


def test_a_common_factor_of_all_weights_changes_no_draw_however_small_it_is() -> None:
    _, rated = generated(230, 40)
    samplers = [
        DriftingPopularitySampler(to_matrix(rated * 1.0, rated), JavaRandom(1)) for _ in range(2)
    ]
    # As after so many lists; a power of two changes no digit.
    samplers[1].weights *= 2.0**-1000
    samplers[1]._scale *= 2.0**1000
    assert drawn_by(samplers[0], 2000) == drawn_by(samplers[1], 2000)


def test_a_user_whose_unrated_items_have_lost_all_weight_gets_the_way_out() -> None:
    rated = np.array([[1, 1, 0], [1, 0, 1]], dtype=bool)
    sampler = DriftingPopularitySampler(to_matrix(rated * 1.0, rated), JavaRandom(1))
    sampler.weights[1:] = 0.0  # What both users have rated keeps its weight.
    assert {other for _, _, other in drawn_by(sampler, 20)} == {0}
    assert sampler.weights.tolist() == [2.0, 0.0, 0.0]


@given(numbers=st.lists(st.integers(0, 2**31 - 1), max_size=50))
def test_segments_are_those_of_guava(numbers: list[int]) -> None:
    found = cache_segments(np.array(numbers, dtype=np.int64))
    assert found.tolist() == [segment_of(number) for number in numbers]
