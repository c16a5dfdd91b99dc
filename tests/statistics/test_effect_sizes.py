# SPDX-License-Identifier: MIT
"""Effect sizes agree with their definitions, and their intervals hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from receval.statistics.effect_sizes import (
    dominance,
    hedges_difference,
    standardised_difference,
    superiority,
)
from receval.statistics.paired_tests import t_of_rows

ROWS = np.random.default_rng(1).normal(0.3, 1.0, (3, 40))


def test_d_z_is_t_over_the_root_of_the_number_of_users() -> None:
    sizes = standardised_difference(ROWS).sizes
    np.testing.assert_allclose(sizes, t_of_rows(ROWS) / np.sqrt(40), rtol=1e-12)


def test_hedges_correction_is_near_its_usual_approximation() -> None:
    plain, corrected = standardised_difference(ROWS), hedges_difference(ROWS)
    for own, other in zip(corrected, plain, strict=True):
        np.testing.assert_allclose(own / other, 1 - 3 / (4 * 39 - 1), rtol=1e-4)


def test_dominance_counts_wins_and_losses() -> None:
    assert dominance([[1, 2, -1, 0, 3]]).sizes.tolist() == [0.4]
    assert superiority([[1, 2, -1, 0, 3]]).sizes.tolist() == [0.7]


def test_a_system_that_always_wins_has_the_interval_of_clopper_and_pearson() -> None:
    found = superiority(np.ones((1, 12)))
    exact = stats.binomtest(12, 12).proportion_ci()
    assert found.low[0] == pytest.approx(exact.low)
    assert found.high[0] == 1.0
    lost = superiority(-np.ones((1, 12)))
    assert (lost.low[0], lost.high[0]) == (0.0, pytest.approx(1 - exact.low))


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=30))
def test_intervals_of_dominance_stay_within_their_range_and_change_sides(row: list[int]) -> None:
    found, turned = dominance([row]), dominance([[-own for own in row]])
    assert -1 <= found.low[0] <= found.sizes[0] <= found.high[0] <= 1
    assert found.low[0] == pytest.approx(-turned.high[0])


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.costly
def test_intervals_cover_the_effect_in_95_of_100_draws(skewed: bool) -> None:
    rng = np.random.default_rng(7)
    shape = (2000, 150)
    # An exponential difference less 0.5 has mean 0.5 and deviation 1, like the normal one.
    rows = rng.exponential(size=shape) - 0.5 if skewed else rng.normal(0.5, 1.0, shape)
    wins = 2 * np.exp(-0.5) - 1 if skewed else 2 * stats.norm.cdf(0.5) - 1
    for found, true in ((standardised_difference(rows), 0.5), (dominance(rows), wins)):
        covered = ((found.low <= true) & (true <= found.high)).mean()
        assert 0.925 <= covered <= 0.975


@pytest.mark.filterwarnings("error")
def test_without_spread_there_is_no_interval() -> None:
    found = standardised_difference([[0.0, 0, 0], [0.1, 0.1, 0.1]])
    assert found.sizes.tolist() == [0.0, np.inf]
    assert np.isnan(found.low).all()
    alone = standardised_difference([[0.5]])
    assert np.isnan(alone.sizes).all()
    assert np.isnan(hedges_difference([[0.5, 0.2]]).sizes).all()
    with pytest.raises(ValueError, match=r"must be \(k, n_users\)"):
        dominance([1.0, 2.0])
