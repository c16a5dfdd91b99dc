# SPDX-License-Identifier: MIT
"""Ratings from numbers of plays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from receval.recommenders.training_ratings import ratings_from_plays


def test_ratings_follow_the_users_distribution_of_plays() -> None:
    # 100 plays: shares of plays on items played no more often .05, .05, .20, .45, 1.
    plays = csr_array(np.array([[0, 2, 55, 3, 15, 25], [7, 0, 0, 0, 0, 0]], dtype=np.float32))
    ratings = ratings_from_plays(plays).toarray()
    np.testing.assert_array_equal(ratings[0], [0, 1, 5, 1, 1, 3])
    np.testing.assert_array_equal(ratings[1], [5, 0, 0, 0, 0, 0])


@given(seed=st.integers(0, 1000))
def test_more_plays_never_mean_a_lower_rating_and_equal_plays_equal_ratings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, size=(4, 12)).astype(np.float32)
    plays = csr_array(counts)
    ratings = ratings_from_plays(plays).toarray()
    for row, user in zip(counts, ratings, strict=True):
        listened = row > 0
        if not listened.any():
            continue
        total = row.sum()
        expected = [np.ceil(5 * row[row <= n].sum() / total) for n in row[listened]]
        np.testing.assert_array_equal(user[listened], expected)
        assert user[row.argmax()] == 5


def test_numbers_of_plays_that_are_not_positive_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        ratings_from_plays(csr_array(([-1.0], ([0], [0])), shape=(1, 1)))
