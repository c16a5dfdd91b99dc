# SPDX-License-Identifier: MIT
"""What metrics know of a whole dataset, counted from its ratings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from receval.data import ratings as ratings_table
from receval.data.ratings import Ratings
from receval.metrics.lists import DatasetMetadata


def positive(ratings: Ratings, threshold: float) -> list[int]:
    return DatasetMetadata.of(ratings, threshold).positive_ratings.tolist()


def ratings_of(users: list[int], items: list[int], values: list[float], n_items: int) -> Ratings:
    return Ratings(
        users=np.array(users, dtype=np.int32),
        items=np.array(items, dtype=np.int32),
        values=np.array(values, dtype=np.float32),
        user_ids=np.arange(max(users) + 1).astype(np.str_),
        item_ids=np.arange(n_items).astype(np.str_),
        events=True,
    )


def test_a_user_likes_an_item_at_the_threshold_and_above() -> None:
    ratings = ratings_of([0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 2], [5, 4, 5, 3, 5, 4], n_items=4)
    assert positive(ratings, 5) == [2, 1, 0, 0]
    assert positive(ratings, 4) == [3, 1, 1, 0]


def test_plays_of_a_pair_are_summed_and_the_pair_counts_once() -> None:
    ratings = ratings_of([0, 0, 0, 1, 1, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1] + [1] * 4, [1] * 10, 2)
    assert positive(ratings, 3) == [1, 1]
    assert positive(ratings, 1) == [2, 2]


@pytest.mark.each("values", [[-3.0, -1.0, -2.0], [5.0, -7.0, 0.5], [0.0, 0.0, 0.0]])
@pytest.mark.each("size", [1, 1000])
def test_the_highest_rating_may_be_of_any_user_and_sign(
    monkeypatch: pytest.MonkeyPatch, size: int, values: list[float]
) -> None:
    # User 2, who has no rating, may have a block of its own.
    monkeypatch.setattr(ratings_table, "_BLOCK_RATINGS", size)
    for turned in (values, values[1:] + values[:1], values[2:] + values[:2]):
        ratings = ratings_of([0, 1, 3], [0, 1, 1], turned, n_items=3)
        assert DatasetMetadata.of(ratings, 1).maximum_rating == max(values)


@pytest.mark.costly
def test_counts_do_not_depend_on_how_many_ratings_are_summed_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    n = 600
    ratings = ratings_of(
        rng.integers(0, 23, n).tolist(), rng.integers(0, 11, n).tolist(), [1.0] * n, 11
    )
    whole = positive(ratings, 3)
    highest = DatasetMetadata.of(ratings, 3).maximum_rating
    pairs = Counter(zip(ratings.users.tolist(), ratings.items.tolist(), strict=True))
    assert highest == max(pairs.values())
    for size in (1, 2, 3, 50, 599, 600, 601):
        monkeypatch.setattr(ratings_table, "_BLOCK_RATINGS", size)
        assert positive(ratings, 3) == whole
        assert DatasetMetadata.of(ratings, 3).maximum_rating == highest
    assert sum(whole) > 0
