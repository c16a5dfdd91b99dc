# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from receval.protocols.evaluation import FallbackScores
from receval.seeds import generator
from receval.splits.split import Fold, Judgments

N_USERS = 9


def seeded(*names: str | int) -> np.random.Generator:
    return generator(3, *names)


def untrained(n_items: int) -> Fold:
    train = csr_array((N_USERS, n_items), dtype=np.float32)
    return Fold(train, Judgments.from_pairs([], [], [], N_USERS))


@given(
    n_items=st.integers(1, 6),
    blocks=st.lists(st.sets(st.integers(0, N_USERS - 1)), min_size=1, max_size=3),
)
def test_a_users_random_order_does_not_depend_on_who_else_is_asked_for(
    n_items: int, blocks: list[set[int]]
) -> None:
    whole = seeded("non-computable").random((len(blocks) * N_USERS, n_items), dtype=np.float32)
    fallback = FallbackScores("random", untrained(n_items), seeded)
    for number, block in enumerate(blocks):
        indices = np.array(sorted(block), dtype=np.int64) + number * N_USERS
        scores = np.full((len(indices), n_items), np.nan, dtype=np.float32)
        drawn = fallback.where_not_computable(scores, indices)
        np.testing.assert_array_equal(drawn, whole[indices])


def test_fallbacks_are_numbers_and_means_of_training_ratings() -> None:
    train = csr_array(np.array([[4, 0, 1, 0], [2, 0, 0, 5]], dtype=np.float32))
    own = np.array([[np.nan, np.nan, np.nan, 7], [8, np.nan, np.nan, np.nan]], dtype=np.float32)
    fold = Fold(train, Judgments.from_pairs([], [], [], 2))
    expected = {"popularity": [2, 0, 1, 1], "average": [3, -np.inf, 1, 5]}
    for policy, of_items in expected.items():
        found = FallbackScores(policy, fold, seeded).where_not_computable(own, np.arange(2))
        np.testing.assert_array_equal(found, np.where(np.isnan(own), of_items, np.nan))


def test_a_generator_that_cannot_leap_is_refused() -> None:
    fallback = FallbackScores(
        "random", untrained(2), lambda *names: np.random.Generator(np.random.MT19937(1))
    )
    with pytest.raises(TypeError, match=r"MT19937.*receval\.seeds"):
        fallback.where_not_computable(np.full((1, 2), np.nan, dtype=np.float32), np.array([0]))
