# SPDX-License-Identifier: MIT
"""The paired permutation test of all pairs, against enumeration and scipy's test of one pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from system_values import few_eighths

from receval.seeds import block_seed
from receval.statistics import permutation
from receval.statistics.permutation import BLOCK, PermutationTest, permutation_test

SEED = np.random.SeedSequence(2020)


def drawn(n_metrics: int = 2, n_systems: int = 4, n_users: int = 30) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.random((n_metrics, n_systems, n_users)) + rng.normal(0, 0.1, (n_systems, 1))


@pytest.mark.parametrize("threads", [2, 3])
def test_results_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    values = drawn()
    samples = 3 * BLOCK + 7
    one = permutation_test(values, SEED, samples)
    several = permutation_test(values, SEED, samples, threads)
    np.testing.assert_array_equal(one.exceeded, several.exceeded)


def test_a_hundred_thousand_samples_are_drawn_as_in_the_papers() -> None:
    test = permutation_test(np.zeros((1, 2, 1)), SEED)
    assert (test.samples, test.exceeded.tolist()) == (100_000, [[100_000]])


def test_p_is_valid_and_the_plain_share_is_there() -> None:
    test = PermutationTest(np.array([[0, 9]]), 9)
    assert test.p_values.tolist() == [[0.1, 1.0]]
    assert test.shares.tolist() == [[0.0, 1.0]]


def test_equal_systems_have_p_one_and_far_ones_the_smallest_p() -> None:
    rng = np.random.default_rng(3)
    base = rng.random(500)
    values = np.array([[base, base, base + 1 + rng.random(500)]])
    p_values = permutation_test(values, SEED, 999).p_values
    np.testing.assert_allclose(p_values, [[1.0, 0.001, 0.001]])


@pytest.mark.each(
    ("values", "samples", "word"),
    [
        (np.zeros((2, 3)), 10, "n_metrics"),
        (np.zeros((1, 1, 3)), 10, "at least 2 systems"),
        (np.full((1, 2, 3), np.nan), 10, "finite"),
        (np.zeros((1, 2, 3)), 0, "at least 1"),
    ],
)
def test_what_cannot_be_tested_is_refused(values: np.ndarray, samples: int, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        permutation_test(values, SEED, samples)


@pytest.mark.filterwarnings("error")
@pytest.mark.each("exponent", [-1000, -130, 130, 1000])
def test_p_does_not_depend_on_the_scale_of_a_metric(exponent: int) -> None:
    values = drawn()
    values[:, 0, :5] = 0
    values[:, 2] = values[:, 1]
    scaled = values.copy()
    scaled[1] = np.ldexp(values[1], exponent)
    expected = permutation_test(values, SEED, 2000).exceeded
    np.testing.assert_array_equal(permutation_test(scaled, SEED, 2000).exceeded, expected)


def test_p_does_not_depend_on_what_all_values_of_a_user_have_in_common() -> None:
    shifted = drawn() + 1000 * np.arange(30)
    expected = permutation_test(drawn(), SEED, 2000).exceeded
    np.testing.assert_array_equal(permutation_test(shifted, SEED, 2000).exceeded, expected)


def signs_of(number: int, size: int, n_users: int) -> np.ndarray:
    """Return the signs of one block of samples: a bit a user, the lowest of a word first."""
    rng = np.random.Generator(np.random.SFC64(block_seed(SEED, number)))
    words = rng.integers(0, 2**64, size=(size, -(-n_users // 64)), dtype=np.uint64).tolist()
    return np.array(
        [[2 * (own[user // 64] >> user % 64 & 1) - 1 for user in range(n_users)] for own in words]
    )


@pytest.mark.each(
    ("block", "samples", "n_users"),
    [(1, 5, 30), (2, 29, 64), (3, 29, 150), (3, 30, 1), (28, 29, 65), (29, 29, 63), (30, 29, 128)],
)
def test_samples_in_blocks_count_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, block: int, samples: int, n_users: int
) -> None:
    monkeypatch.setattr(permutation, "BLOCK", block)
    values = np.random.default_rng(1).random((2, 4, n_users))
    sizes = [min(block, samples - start) for start in range(0, samples, block)]
    signs = [signs_of(number, size, n_users) for number, size in enumerate(sizes)]
    assert_counted(values, signs)


@given(values=few_eighths(min_users=1, max_users=9))
@pytest.mark.costly
def test_sums_that_are_as_far_from_0_as_the_observed_one_count(values: np.ndarray) -> None:
    assert_counted(values, [signs_of(0, 40, values.shape[2])])


def test_a_block_of_a_seed_has_a_thousand_samples() -> None:
    values = np.random.default_rng(2).random((3, 6, 9))
    assert_counted(values, [signs_of(0, 1000, 9), signs_of(1, 3, 9)])


def assert_counted(values: np.ndarray, signs: list[np.ndarray]) -> None:
    pairs = list(zip(*np.triu_indices(values.shape[1], 1), strict=True))
    differences = np.array([[table[i] - table[j] for i, j in pairs] for table in values])
    sums = np.abs(differences @ np.concatenate(signs).T)
    # Of a single user all sums are as far from 0, but for rounding.
    expected = (sums >= np.abs(differences.sum(axis=2))[..., None] - 1e-9).sum(axis=2)
    found = permutation_test(values, SEED, sum(map(len, signs)))
    np.testing.assert_array_equal(found.exceeded, expected)
