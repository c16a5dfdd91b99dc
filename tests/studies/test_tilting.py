# SPDX-License-Identifier: MIT
"""Populations tilted to a wanted effect."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from reproduction.studies.followups._shared.inference import tilted_to_effect


def effect_of(differences: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    mean = weights @ differences
    return float(mean / np.sqrt(weights @ (differences - mean) ** 2))


@pytest.mark.parametrize("effect", [-0.4, 0.0, 0.05, 0.5, 2.0])
def test_the_population_has_the_wanted_effect(effect: float) -> None:
    rng = np.random.default_rng(1)
    for differences in (rng.normal(0.3, 1, 400), rng.choice([-1, 0, 0, 0, 5], 400).astype(float)):
        weights = tilted_to_effect(differences, effect)
        assert weights.sum() == pytest.approx(1)
        assert effect_of(differences, weights) == pytest.approx(effect, abs=1e-9)


def test_by_hand_two_values_are_weighted_until_their_mean_is_nothing() -> None:
    # p * 3 = (1 - p) * 1, so p = 1/4.
    weights = tilted_to_effect([3, -1], 0.0)
    np.testing.assert_allclose(weights, [0.25, 0.75], atol=1e-12)


def test_weights_are_exponential_in_the_difference() -> None:
    weights = tilted_to_effect([-2, 0, 1, 3], 0.0)
    logs = np.log(weights)
    slopes = np.diff(logs) / np.diff([-2, 0, 1, 3])
    np.testing.assert_allclose(slopes, slopes[0], atol=1e-9)


def test_an_effect_that_is_there_leaves_all_users_alike() -> None:
    differences = np.random.default_rng(2).normal(0.2, 1, 50)
    own = differences.mean() / differences.std()
    np.testing.assert_allclose(tilted_to_effect(differences, own), 1 / 50, atol=1e-9)


def test_without_a_tilt_all_users_have_exactly_the_same_weight() -> None:
    assert tilted_to_effect([3, -1, -1, -1], 0.0).tolist() == [0.25] * 4


def test_the_unit_of_the_values_does_not_matter() -> None:
    differences = np.random.default_rng(3).normal(0.2, 1, 50)
    one, other = (tilted_to_effect(unit * differences, 0.1) for unit in (1, 1e-6))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_differences_of_one_sign_are_refused() -> None:
    with pytest.raises(ValueError, match="nowhere better"):
        tilted_to_effect([0.0, 1.0, 2.0], 0.0)
