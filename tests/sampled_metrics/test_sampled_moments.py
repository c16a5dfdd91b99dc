# SPDX-License-Identifier: MIT
"""Expectations over ranks among samples, against the hypergeometric distribution of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom
from theory.exact_chances import assert_chances, hypergeometric

from receval.sampled_metrics.sampled_candidates import SamplingOdds, expected_of_ranks


@settings(max_examples=10)
@given(
    pools=st.lists(st.integers(1, 3000), min_size=1, max_size=4),
    sampled=st.integers(1, 1000),
    seed=st.integers(0, 10_000),
)
# What lies far from the likeliest number has chances below the smallest that a number can hold.
@pytest.mark.costly
@example(pools=[4000, 2000, 1], sampled=1000, seed=1)
def test_expectations_over_ranks_are_sums_over_hypergeometric_numbers(
    pools: list[int], sampled: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    # Of every user: nobody above, everybody, half of them, any number, and one who is not ranked.
    above = np.concatenate([[0, pool, pool // 2, rng.integers(0, pool + 1), -1] for pool in pools])
    users = np.repeat(np.arange(len(pools)), 5)
    odds = SamplingOdds(
        users, np.full(len(users), 5.0, np.float32), above, users, np.array(pools), False, 4.0, 5.0
    )
    tables = rng.random((min(sampled, max(pools)) + 2, 3))
    found = expected_of_ranks(odds, tables, sampled)
    for own, number, user in zip(found, above, users, strict=True):
        size = min(sampled, pools[user])
        expected = tables[0]
        if number >= 0:
            chances = hypergeom.pmf(np.arange(size + 1), pools[user], number, size)
            expected = chances @ tables[1 : size + 2]
        np.testing.assert_allclose(own, expected, rtol=1e-9)


@given(pool=st.integers(0, 250), share=st.floats(0, 1), sampled=st.integers(1, 250))
@example(pool=250, share=0.5, sampled=125)
@pytest.mark.costly
def test_every_rank_has_its_hypergeometric_chance(pool: int, share: float, sampled: int) -> None:
    above, size = int(share * pool), min(sampled, pool)
    one = np.zeros(1, dtype=np.int64)
    odds = SamplingOdds(
        one, np.ones(1, np.float32), one + above, one, np.array([pool]), True, 1.0, None
    )
    found = expected_of_ranks(odds, np.eye(size + 2), sampled)
    assert_chances(found[0, 1:], hypergeometric(pool, above, size), rarest=1e-20)


def test_nobody_has_no_expectation() -> None:
    none = np.empty(0, dtype=np.int64)
    odds = SamplingOdds(none, none.astype(np.float32), none, none, np.array([3]), True, 4.0, 5.0)
    assert expected_of_ranks(odds, np.ones((5, 2)), 3).shape == (0, 2)
