# SPDX-License-Identifier: MIT
"""Permutation tests over random groups of sign flips, against all signs and the other engine."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.linalg import hadamard

from receval.statistics.permutation import permutation_test
from receval.statistics.sign_groups import sign_group_test, walsh_hadamard


def test_the_transform_is_the_product_with_the_hadamard_matrix() -> None:
    values = np.random.default_rng(1).normal(size=(3, 32))
    np.testing.assert_allclose(walsh_hadamard(values), values @ hadamard(32), atol=1e-12)


def test_p_values_come_near_those_of_all_signs() -> None:
    rows = np.random.default_rng(2).integers(-3, 5, (6, 9)).astype(float)
    signs = np.array(list(product((-1, 1), repeat=9)))
    sums = np.abs(signs @ rows.T)
    exact = (sums >= np.abs(rows.sum(axis=1)) - 1e-9).mean(axis=0)
    found = sign_group_test(rows, np.random.default_rng(3), 16).p_values
    np.testing.assert_allclose(found, exact, atol=0.02)


def test_p_values_come_near_those_of_the_engine_with_independent_signs() -> None:
    values = np.random.default_rng(4).normal(size=(1, 4, 60)) + 0.1 * np.arange(4)[:, None]
    engine = permutation_test(values, np.random.SeedSequence(5), 20_000).p_values[0]
    first, second = np.triu_indices(4, 1)
    rows = values[0, first] - values[0, second]
    found = sign_group_test(rows, np.random.default_rng(6), 14).p_values
    np.testing.assert_allclose(found, engine, atol=0.02)


def test_over_all_signs_of_the_data_every_place_in_the_group_is_as_likely() -> None:
    # Exactness: whatever the codes, ranks of the observed sum over all flips are uniform.
    sizes = np.array([1.0, 2.0, 4.1, 8.3, 16.7])
    flipped = np.array(list(product((-1, 1), repeat=5))) * sizes
    found = []
    for row in flipped:
        # The same codes for all: the same generator.
        found.append(sign_group_test(row[None], np.random.default_rng(7), 3))
    p_values = np.concatenate([test.p_values for test in found])
    for level in np.arange(1, 9) / 8:
        assert (p_values <= level + 1e-12).mean() <= level + 1e-12


@pytest.mark.costly
def test_without_differences_nothing_is_rejected_but_by_ties_at_random() -> None:
    test = sign_group_test(np.zeros((2000, 5)), np.random.default_rng(8))
    assert (test.p_values == 1).all()
    assert (test.equal == test.members).all()
    randomised = test.randomised(np.random.default_rng(9))
    assert 0.03 < (randomised <= 0.05).mean() < 0.07


@pytest.mark.costly
def test_ties_at_random_are_uniform_where_few_users_differ() -> None:
    rng = np.random.default_rng(10)
    rows = np.zeros((4000, 30))
    rows[:, :3] = rng.choice([-1.0, 1.0], (4000, 3))
    test = sign_group_test(rows, rng)
    assert not (test.p_values <= 0.05).any()
    assert 0.04 < (test.randomised(rng) <= 0.05).mean() < 0.06


@pytest.mark.parametrize("generators", [0, 21])
def test_groups_of_other_sizes_are_refused(generators: int) -> None:
    with pytest.raises(ValueError, match="1 to 20 generators"):
        sign_group_test(np.ones((1, 3)), np.random.default_rng(1), generators)


def test_a_single_row_is_refused() -> None:
    with pytest.raises(ValueError, match="must be"):
        sign_group_test(np.ones(3), np.random.default_rng(1))
