# SPDX-License-Identifier: MIT
"""java.util.Random against whole numbers of Python, and what LibRec's pairwise systems draw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.java_oracle import OracleRandom
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix

from receval.recommenders.base import RatingMatrix
from receval.recommenders.librec.java_random import JavaRandom, JavaSampler, _draw_popular
from receval.recommenders.librec.random import LibRecRandom

Rated = NDArray[np.bool_]

SEEDS = st.integers(-(1 << 63), (1 << 63) - 1)
BOUNDS = st.one_of(
    st.integers(1, 2**31 - 1),
    st.sampled_from([1 << bits for bits in range(31)]),
    # Nearly half of the numbers are drawn again, or hardly any; three of the last are 2^31 + 1.
    st.sampled_from([2**30 + 1, 2**30 + 2**29, 2**31 - 1, 2**31 - 2, 715827883]),
)


def test_known_numbers_of_java() -> None:
    # What ``new Random(42)`` prints; the first of ``nextInt(10)`` are known from many texts.
    assert JavaRandom(42).integers(10, 10).tolist() == [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]
    assert JavaRandom(42).doubles(1)[0] == 0.7275636800328681
    assert JavaRandom(42).normals(1)[0] == pytest.approx(1.1419053154730547, rel=1e-15)
    oracle = OracleRandom(42)
    assert [oracle.integer(10) for _ in range(10)] == [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]


@given(seed=SEEDS, bound=BOUNDS)
def test_whole_numbers_are_those_of_the_documentation(seed: int, bound: int) -> None:
    oracle, java = OracleRandom(seed), JavaRandom(seed)
    assert java.integers(bound, 3, 7).ravel().tolist() == [oracle.integer(bound) for _ in range(21)]
    assert int(java.state[0]) == oracle.state


@given(seed=SEEDS)
def test_real_numbers_are_those_of_the_documentation(seed: int) -> None:
    oracle, java = OracleRandom(seed), JavaRandom(seed)
    assert java.doubles(2, 5).ravel().tolist() == [oracle.double() for _ in range(10)]
    assert java.doubles(0, 4).shape == (0, 4)
    assert int(java.state[0]) == oracle.state


@given(seed=SEEDS, sizes=st.lists(st.integers(0, 5), max_size=6))
def test_the_second_of_two_normals_is_kept_for_the_next_call(seed: int, sizes: list[int]) -> None:
    oracle, java = OracleRandom(seed), JavaRandom(seed)
    for size in sizes:
        expected = [oracle.normal() for _ in range(size)]
        # C's logarithm and numba's may differ in the last bit.
        np.testing.assert_allclose(java.normals(size), expected, rtol=1e-15)
        assert int(java.state[0]) == oracle.state
    np.testing.assert_allclose(java.normals(2, 3)[1, 2], [oracle.normal() for _ in range(6)][-1])


def test_a_kept_normal_outlives_other_draws() -> None:
    oracle, java = OracleRandom(3), JavaRandom(3)
    for _ in range(3):
        assert java.normals(3).tolist() == pytest.approx([oracle.normal() for _ in range(3)])
        assert java.integers(7, 2).tolist() == [oracle.integer(7), oracle.integer(7)]
        assert java.doubles(1)[0] == oracle.double()


def sample() -> tuple[RatingMatrix, Rated]:
    values, rated = generated(n_users=23, n_items=17, seed=2)
    return to_matrix(values, rated), rated


@pytest.mark.each("size", [1, 2, 3, 30])
def test_groups_are_drawn_in_the_order_of_librec(size: int) -> None:
    train, rated = sample()
    sampler, oracle = JavaSampler(train, JavaRandom(9)), OracleRandom(9)
    warm, items = np.flatnonzero(rated.any(axis=1)), np.flatnonzero(rated.any(axis=0))
    np.testing.assert_array_equal(sampler.eligible, warm)
    for number in (1, 100):
        drawn = sampler.groups(number, size)
        for user, above, below, group, n_members in zip(*drawn, strict=True):
            assert user == oracle.one_of(warm)
            assert above == oracle.one_of(np.flatnonzero(rated[user]))
            raters = np.flatnonzero(rated[:, above])
            expected = [user]
            if len(raters) <= size:
                expected += [rater for rater in raters if rater != user]
            while len(expected) < min(size, len(raters)):
                rater = oracle.one_of(raters)
                if rater not in expected:
                    expected.append(rater)
            assert group[:n_members].tolist() == expected
            other = oracle.one_of(items)
            while rated[user, other]:
                other = oracle.one_of(items)
            assert below == other
    assert COLD_USER not in warm
    assert COLD_ITEM not in items


def test_rated_items_come_with_a_number_each() -> None:
    train, rated = sample()
    sampler, oracle = JavaSampler(train, JavaRandom(4)), OracleRandom(4)
    for user, item, share in zip(*sampler.rated(300), strict=True):
        assert user == oracle.one_of(np.flatnonzero(rated.any(axis=1)))
        assert item == oracle.one_of(np.flatnonzero(rated[user]))
        assert share == oracle.double()


def test_popular_negatives_are_where_the_sum_of_rising_shares_reaches_a_number() -> None:
    train, rated = sample()
    sampler, oracle = JavaSampler(train, JavaRandom(8)), OracleRandom(8)
    popularity = rated.sum(axis=0)
    rising = sorted(np.flatnonzero(popularity), key=lambda item: popularity[item])
    users = np.random.default_rng(1).choice(sampler.eligible, 150)
    for user, item in zip(users, sampler.negatives(users), strict=True):
        expected = None
        while expected is None or rated[user, expected]:
            bound, reached = oracle.double(), 0.0
            for expected in rising:
                reached += popularity[expected] / train.nnz
                if reached >= bound:
                    break
        assert item == expected


def test_a_number_that_no_sum_reaches_draws_the_last_item() -> None:
    # Rounded, the sums may end below 1.
    items, starts = np.array([4, 2, 7], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    rated, users = np.array([4], dtype=np.int32), np.zeros(50, dtype=np.int32)
    drawn = np.empty(50, dtype=np.int32)
    state = JavaRandom(1).state
    _draw_popular(state, items, np.array([0.01, 0.02, 0.03]), starts, rated, users, drawn)
    oracle, expected = OracleRandom(1), []
    while len(expected) < 50:
        number = oracle.double()
        if number > 0.01:
            expected.append(2 if number <= 0.02 else 7)
    assert drawn.tolist() == expected
    assert int(state[0]) == oracle.state


def test_a_user_who_has_rated_everything_is_refused() -> None:
    _, rated = generated(n_users=8, n_items=9)
    rated[6, rated.any(axis=0)] = True
    with pytest.raises(ValueError, match="The user 6 has rated every item that anybody has"):
        JavaSampler(to_matrix(rated * 1.0, rated), JavaRandom(1))


def test_random_scores_are_drawn_for_unrated_items_alone() -> None:
    train, rated = sample()
    # Ascending, LibRec draws for each user that it knows and each item that it knows.
    java, expected = OracleRandom(5), np.full(rated.shape, np.nan)
    for user in np.flatnonzero(rated.any(axis=1)):
        for item in np.flatnonzero(rated.any(axis=0)):
            # Nothing is drawn for a rated item.
            if not rated[user, item]:
                expected[user, item] = java.double()
    assert np.isnan(expected[COLD_USER]).all()
    assert np.isnan(expected[:, COLD_ITEM]).all()
    model = LibRecRandom(librec_seed=5, seed=9).fit(train)
    np.testing.assert_array_equal(model.score(np.arange(23)), expected.astype(np.float32))
    # Whoever is asked for alone has the same scores.
    some = np.array([23 - 1, COLD_USER, 0])
    np.testing.assert_array_equal(model.score(some), expected[some].astype(np.float32))
