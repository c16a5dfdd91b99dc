# SPDX-License-Identifier: MIT
"""Permutation tests over random groups of sign flips, against all signs and the other engine."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.linalg import hadamard

from receval.statistics.difference_tests import sign_group_test, walsh_hadamard

SMALL = st.integers(-3, 3)


def test_the_transform_is_the_product_with_the_hadamard_matrix() -> None:
    values = np.random.default_rng(1).normal(size=(3, 32))
    np.testing.assert_allclose(walsh_hadamard(values), values @ hadamard(32), atol=1e-12)


@given(
    rows=arrays(np.int64, st.tuples(st.integers(1, 3), st.integers(0, 6)), elements=SMALL),
    generators=st.integers(1, 5),
    seed=st.integers(0, 999),
)
def test_all_members_of_the_group_are_counted(
    rows: NDArray[np.int64], generators: int, seed: int
) -> None:
    members = 2**generators
    codes = np.random.default_rng(seed).integers(0, members, rows.shape)
    # Tenths are rounded, and what is equal but for rounding counts as equal.
    rng = np.random.default_rng(seed)
    found = sign_group_test(rows / 10, rng, generators)
    expected = []
    for row, own in zip(rows.tolist(), codes.tolist(), strict=True):
        sums = [
            abs(
                sum(
                    (-1) ** (flips & code).bit_count() * d for d, code in zip(row, own, strict=True)
                )
            )
            for flips in range(members)
        ]
        expected.append((sum(s > sums[0] for s in sums), sums.count(sums[0])))
    assert list(zip(found.greater.tolist(), found.equal.tolist(), strict=True)) == expected
    assert found.members == members
    assert found.p_values.tolist() == [(above + level) / members for above, level in expected]
    places = np.random.default_rng(1).random(len(rows)).tolist()
    assert found.randomised(np.random.default_rng(1)).tolist() == [
        (above + level * place) / members
        for (above, level), place in zip(expected, places, strict=True)
    ]


@pytest.mark.parametrize("generators", [1, 20])
@pytest.mark.costly
def test_a_group_has_one_to_twenty_generators(generators: int) -> None:
    test = sign_group_test(np.ones((1, 1)), np.random.default_rng(1), generators)
    assert (test.members, test.equal.tolist()) == (2**generators, [2**generators])


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
    with pytest.raises(ValueError, match="a group has 1 to 20"):
        sign_group_test(np.ones((1, 3)), np.random.default_rng(1), generators)


def test_a_single_row_is_refused() -> None:
    with pytest.raises(ValueError, match="must be"):
        sign_group_test(np.ones(3), np.random.default_rng(1))
