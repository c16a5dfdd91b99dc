# SPDX-License-Identifier: MIT
"""What metrics know of a whole dataset, counted from its ratings."""

from __future__ import annotations

import numpy as np
import pytest

from receval import ratings as ratings_table
from receval.metrics.judged_items import DatasetMetadata
from receval.ratings import Ratings


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


@pytest.mark.costly
def test_counts_do_not_depend_on_how_many_ratings_are_summed_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    n = 3000
    ratings = ratings_of(
        rng.integers(0, 41, n).tolist(), rng.integers(0, 30, n).tolist(), [1.0] * n, 30
    )
    whole = positive(ratings, 3)
    for size in (1, 50, 700, 2999):
        monkeypatch.setattr(ratings_table, "_BLOCK_RATINGS", size)
        assert positive(ratings, 3) == whole
    assert sum(whole) > 0
