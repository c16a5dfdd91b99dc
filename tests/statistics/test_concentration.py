# SPDX-License-Identifier: MIT
"""Density, inequality and distribution of ratings, by hand and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st

from receval.data.ratings import Ratings
from receval.statistics.inequality import (
    cumulative_shares,
    density,
    gini,
    popularity_segments,
    share_at_most,
)

COUNTS = st.lists(st.integers(0, 1000), min_size=1, max_size=40).filter(any)


@given(counts=COUNTS)
def test_gini_is_half_the_relative_mean_difference(counts: list[int]) -> None:
    differences = sum(abs(a - b) for a in counts for b in counts)
    expected = differences / (2 * len(counts) * sum(counts))
    assert gini(counts) == pytest.approx(expected, abs=1e-12)
    assert -1e-12 <= gini(counts) <= 1 - 1 / len(counts) + 1e-12


@pytest.mark.each("counts", [[], [0, 0], [3, -1]])
def test_counts_without_inequality_are_refused(counts: list[int]) -> None:
    with pytest.raises(ValueError, match=f"it was given {len(counts)} counts"):
        gini(counts)


@pytest.mark.costly
@given(counts=COUNTS, limits=st.lists(st.integers(-5, 1100), max_size=10))
def test_share_at_most_is_the_empirical_distribution(counts: list[int], limits: list[int]) -> None:
    expected = [sum(count <= limit for count in counts) / len(counts) for limit in limits]
    assert share_at_most(counts, limits).tolist() == expected


def test_density_counts_a_pair_once_that_is_known_and_was_drawn() -> None:
    ratings = Ratings(
        users=np.array([0, 0, 1], dtype=np.int32),
        items=np.array([1, 1, 0], dtype=np.int32),
        values=np.ones(3, dtype=np.float32),
        user_ids=np.array(["a", "b"]),
        item_ids=np.array(["p", "q"]),
        known=np.array([True, False, True]),
    )
    assert density(ratings) == 2 / 4


@pytest.mark.costly
@tries(15)
@given(
    order=st.lists(st.integers(0, 30), min_size=1, max_size=20, unique=True),
    segments=st.integers(1, 22),
)
def test_segments_are_equally_many_items_from_the_most_popular_on(
    order: list[int], segments: int
) -> None:
    values = np.arange(31.0) ** 2
    found = popularity_segments(np.array(order), segments, squares=values, negative=-values)
    by_segment: dict[int, list[int]] = {}
    for place in range(len(order)):
        by_segment.setdefault(place * segments // len(order) + 1, []).append(place)
    rows = found.to_dict("records")
    assert [row["segment"] for row in rows] == list(by_segment)
    for row, places in zip(rows, by_segment.values(), strict=True):
        assert (row["first_rank"], row["last_rank"]) == (places[0] + 1, places[-1] + 1)
        assert row["items"] == len(places)
        mean = np.mean([order[place] ** 2 for place in places])
        assert (row["squares"], row["negative"]) == pytest.approx((mean, -mean))


def test_density_counts_the_pairs_of_all_blocks_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("receval.data.ratings._BLOCK_RATINGS", 3)
    # Plays, some of a repeated pair, in blocks of 3, 3, 3 and 1 users.
    users, items = np.array([9, 0, 4, 4, 2, 7, 0, 3, 9], dtype=np.int32), np.arange(9) % 2
    ratings = Ratings(
        users=users,
        items=items.astype(np.int32),
        values=np.ones(9, dtype=np.float32),
        user_ids=np.arange(10).astype(str),
        item_ids=np.arange(2).astype(str),
        events=True,
    )
    sizes = [size for _, size, _ in ratings.blocks_of_users()]
    assert sizes == [3, 3, 3, 1]
    pairs = set(zip(users.tolist(), items.tolist(), strict=True))
    assert len(pairs) < len(ratings)
    assert density(ratings) == len(pairs) / 20


def test_a_curve_has_few_points_the_first_and_the_last_among_them() -> None:
    ranks, shares = cumulative_shares(np.full(1000, 7), 5)
    assert ranks.tolist() == [1, 251, 500, 750, 1000]
    assert shares == pytest.approx(ranks / 1000)


@pytest.mark.each(
    ("counts", "sentence"),
    [([], "it was given 0 counts"), ([0, 0], "from 0 to 0"), ([3, -1], "from -1 to 3")],
)
def test_counts_without_a_curve_are_refused(counts: list[int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        cumulative_shares(counts, 10)


@pytest.mark.each("points", [3, 40, 1000])
def test_a_curve_of_many_items_sums_them_from_the_most_popular_on(points: int) -> None:
    counts = np.random.default_rng(1).permutation(np.arange(300) ** 2)
    ranks, shares = cumulative_shares(counts, points)
    falling = sorted((int(count) for count in counts if count), reverse=True)
    assert (ranks[0], ranks[-1]) == (1, len(falling))
    assert len(ranks) == min(points, len(falling))
    expected = [sum(falling[:rank]) / sum(falling) for rank in ranks.tolist()]
    assert shares == pytest.approx(expected, rel=1e-12)
