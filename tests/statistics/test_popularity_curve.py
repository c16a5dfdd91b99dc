"""Cumulated popularity, by hand and against all pairs at once."""

from __future__ import annotations

import numpy as np
import pytest

from receval import ratings as ratings_table
from receval.ratings import Ratings, positive_counts
from receval.statistics.concentration import cumulative_shares


def ratings_of(users: list[int], items: list[int], values: list[float], n_items: int) -> Ratings:
    return Ratings(
        users=np.array(users, dtype=np.int32),
        items=np.array(items, dtype=np.int32),
        values=np.array(values, dtype=np.float32),
        user_ids=np.arange(max(users) + 1).astype(np.str_),
        item_ids=np.arange(n_items).astype(np.str_),
    )


def test_a_user_likes_an_item_at_the_threshold_and_above() -> None:
    ratings = ratings_of([0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 2], [5, 4, 5, 3, 5, 4], n_items=4)
    assert positive_counts(ratings, 5).tolist() == [2, 1, 0, 0]
    assert positive_counts(ratings, 4).tolist() == [3, 1, 1, 0]


def test_plays_of_a_pair_are_summed_and_the_pair_counts_once() -> None:
    ratings = ratings_of([0, 0, 0, 1, 1, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1] + [1] * 4, [1] * 10, 2)
    assert positive_counts(ratings, 3).tolist() == [1, 1]
    assert positive_counts(ratings, 1).tolist() == [2, 2]


def test_counts_do_not_depend_on_how_many_ratings_are_summed_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    n = 3000
    ratings = ratings_of(
        rng.integers(0, 41, n).tolist(), rng.integers(0, 30, n).tolist(), [1.0] * n, 30
    )
    whole = positive_counts(ratings, 3)
    for size in (1, 50, 700, 2999):
        monkeypatch.setattr(ratings_table, "_BLOCK_RATINGS", size)
        assert positive_counts(ratings, 3).tolist() == whole.tolist()
    assert whole.sum() > 0


def test_cumulative_shares_by_hand() -> None:
    ranks, shares = cumulative_shares([1, 0, 6, 3, 0], 100)
    assert ranks.tolist() == [1, 2, 3]
    assert shares == pytest.approx([0.6, 0.9, 1.0])


def test_a_curve_has_few_points_the_first_and_the_last_among_them() -> None:
    ranks, shares = cumulative_shares(np.full(1000, 7), 5)
    assert ranks.tolist() == [1, 251, 500, 750, 1000]
    assert shares == pytest.approx(ranks / 1000)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [([], "there are 0 of them"), ([0, 0], "from 0 to 0"), ([3, -1], "from -1 to 3")],
)
def test_counts_without_a_curve_are_refused(counts: list[int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        cumulative_shares(counts, 10)
