# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from system_values import all_pairs, few_eighths, indices_of_reversed, tied_values

from receval.statistics.effect_sizes import (
    cohen_dz,
    hedges_gz,
    mean_differences,
    outcome_shares,
    rank_biserial,
)

Values = NDArray[np.float64]
SIGNED = [mean_differences, cohen_dz, hedges_gz, rank_biserial]


def test_effects_of_a_few_differences() -> None:
    # Differences 1, 2, 3, 0, -1: mean 1, squared deviations 0 + 1 + 4 + 1 + 4 = 10.
    values = np.array([[2.0, 3.0, 3.0, 5.0, 0.0], [1.0, 1.0, 0.0, 5.0, 1.0]])
    assert mean_differences(values) == pytest.approx(1)
    assert cohen_dz(values) == pytest.approx(1 / np.sqrt(10 / 4))
    # With 4 degrees of freedom: gamma(2) / (sqrt(2) gamma(1.5)), gamma(1.5) = sqrt(pi) / 2.
    assert hedges_gz(values) == pytest.approx(2 / np.sqrt(2 * np.pi) / np.sqrt(10 / 4))
    # Ranks 1.5, 3, 4 are positive, 1.5 is negative.
    assert rank_biserial(values) == pytest.approx((8.5 - 1.5) / 10)
    assert [share.tolist() for share in outcome_shares(values)] == [[0.6], [0.2], [0.2]]


def test_pairs_and_metrics_have_their_own_effects() -> None:
    values = tied_values(8, (2, 4, 30))
    for metric, table in enumerate(values):
        for index, (i, j) in enumerate(all_pairs(4)):
            d = table[i] - table[j]
            ranks = stats.rankdata(abs(d[d != 0]))
            expected = {
                mean_differences: d.mean(),
                cohen_dz: d.mean() / d.std(ddof=1),
                rank_biserial: (ranks * np.sign(d[d != 0])).sum() / ranks.sum(),
            }
            for effect, number in expected.items():
                assert effect(values)[metric, index] == pytest.approx(number, abs=1e-12)
            shares = [share[metric, index] for share in outcome_shares(values)]
            assert shares == [(d > 0).mean(), (d == 0).mean(), (d < 0).mean()]


@pytest.mark.parametrize(("n_users", "tolerance"), [(5, 1e-2), (20, 1e-3), (1000, 1e-7)])
def test_hedges_correction_is_near_its_approximation(n_users: int, tolerance: float) -> None:
    values = tied_values(2, (2, n_users))
    factor = hedges_gz(values) / cohen_dz(values)
    assert factor == pytest.approx(1 - 3 / (4 * (n_users - 1) - 1), abs=tolerance)


@pytest.mark.costly
def test_hedges_correction_removes_the_bias() -> None:
    values = np.zeros((4000, 2, 6))
    values[:, 0] = np.random.default_rng(4).normal(0.5, 1, (4000, 6))
    assert hedges_gz(values).mean() == pytest.approx(0.5, abs=0.03)
    assert cohen_dz(values).mean() > 0.57


@pytest.mark.parametrize("effect", SIGNED)
def test_identical_systems_have_no_effect(effect: Callable) -> None:
    row = np.random.default_rng(1).random(7)
    assert effect(np.array([row, row, row])).tolist() == [0.0, 0.0, 0.0]


def test_a_constant_difference_is_infinite_in_its_deviations() -> None:
    values = np.array([[0.1, 0.1, 0.1], [0.0, 0.0, 0.0]])
    for effect in (cohen_dz, hedges_gz):
        assert effect(values).tolist() == [np.inf]
        assert effect(values[::-1]).tolist() == [-np.inf]
    assert rank_biserial(values).tolist() == [1.0]


def test_decimals_tie_what_only_rounding_tells_apart() -> None:
    values = np.array([[0.3, 0.0], [0.1, 0.2]])
    assert rank_biserial(values)[0] != 0
    assert rank_biserial(values, decimals=9).tolist() == [0.0]


@pytest.mark.parametrize(
    ("effect", "n_users"),
    [(mean_differences, 1), (cohen_dz, 2), (hedges_gz, 3), (rank_biserial, 1), (outcome_shares, 1)],
)
def test_too_few_users_are_refused(effect: Callable, n_users: int) -> None:
    effect(np.zeros((2, n_users)))
    with pytest.raises(ValueError, match=rf"at least 2 systems and {n_users} user\(s\)"):
        effect(np.zeros((2, n_users - 1)))


@pytest.mark.parametrize("effect", SIGNED)
@given(values=few_eighths(min_users=3))
@pytest.mark.costly
def test_effects_change_their_sign_with_the_order_of_systems(
    effect: Callable, values: Values
) -> None:
    turned = effect(values[:, ::-1])[:, indices_of_reversed(values.shape[1])]
    assert np.array_equal(effect(values), -turned)


@given(values=few_eighths())
@pytest.mark.costly
def test_better_is_worse_the_other_way_round(values: Values) -> None:
    found = outcome_shares(values)
    indices = indices_of_reversed(values.shape[1])
    turned = [share[:, indices] for share in outcome_shares(values[:, ::-1])]
    for share, other in zip(found, turned[::-1], strict=True):
        assert np.array_equal(share, other)
    np.testing.assert_allclose(sum(found), 1)


@pytest.mark.parametrize("effect", SIGNED)
@given(values=few_eighths(min_users=3), constant=st.integers(-50, 50), random=st.randoms())
@pytest.mark.costly
def test_effects_know_neither_the_order_of_users_nor_an_added_constant(
    effect: Callable, values: Values, constant: int, random: object
) -> None:
    users = list(range(values.shape[-1]))
    random.shuffle(users)
    found = effect(values[..., users] + constant)
    np.testing.assert_allclose(found, effect(values), rtol=1e-9, atol=1e-12)


@given(values=few_eighths())
@pytest.mark.costly
def test_rank_biserial_lies_between_minus_1_and_1(values: Values) -> None:
    assert (np.abs(rank_biserial(values)) <= 1).all()
