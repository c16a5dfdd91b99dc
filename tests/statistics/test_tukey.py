# SPDX-License-Identifier: MIT
from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import studentized_range, t
from system_values import all_pairs, tied_values

from receval.seeds import block_seed
from receval.statistics import tukey
from receval.statistics.tukey import (
    honestly_significant_differences,
    randomised_tukey_hsd,
    residual_mean_squares,
)

Values = NDArray[np.float64]
SAMPLES = 6000
SEED = np.random.SeedSequence(20_12)


def randomised(values: Values, samples: int = 200, *, count_observed: bool = True) -> Values:
    """Return p-values, or the shares of the permutations without the observed values."""
    found = randomised_tukey_hsd(values, samples=samples, seed=SEED)
    return found if count_observed else np.round(found * (samples + 1) - 1) / samples


def all_permutations(values: Values) -> list[float]:
    """Return every pair's p-value over all permutations of every user's values."""
    n_systems, n_users = values.shape
    orders = list(permutations(range(n_systems)))
    ranges = []
    for chosen in product(orders, repeat=n_users):
        permuted = np.array([values[list(order), u] for u, order in enumerate(chosen)])
        means = permuted.mean(axis=0)
        ranges.append(means.max() - means.min())
    means = values.mean(axis=1)
    return [
        float(np.mean(np.array(ranges) >= abs(means[i] - means[j]) - 1e-9))
        for i, j in all_pairs(n_systems)
    ]


def test_residuals_of_a_small_layout() -> None:
    # Means of systems 2, 4, 3, of users 2, 4, of all 3; residuals 1 and -1, 0 and 0, -1 and 1.
    values = np.array([[2.0, 2.0], [3.0, 5.0], [1.0, 5.0]])
    assert residual_mean_squares(values) == pytest.approx(4 / 2)


@pytest.mark.parametrize("shape", [(2, 9), (3, 4, 30)])
def test_residual_mean_square_is_half_the_mean_variance_of_differences(
    shape: tuple[int, ...],
) -> None:
    values = tied_values(6, shape)
    variances = [
        (values[..., i, :] - values[..., j, :]).var(axis=-1, ddof=1)
        for i, j in all_pairs(shape[-2])
    ]
    np.testing.assert_allclose(residual_mean_squares(values), np.mean(variances, axis=0) / 2)


@pytest.mark.costly
@pytest.mark.parametrize("seed", [0, 1])
def test_randomised_p_values_approach_those_of_all_permutations(seed: int) -> None:
    values = tied_values(seed, (3, 4)) + np.array([[0.5], [0.0], [0.125]])
    expected = np.array(all_permutations(values))
    found = randomised(values, SAMPLES, count_observed=False)
    # Four standard errors of a share.
    errors = np.sqrt(expected * (1 - expected) / SAMPLES)
    assert (np.abs(found - expected) <= 4 * errors).all()


def test_the_observed_values_count_as_one_permutation_unless_asked_otherwise() -> None:
    # No permutation in sight reaches this difference.
    values = np.zeros((3, 200))
    values[0] = 1
    assert randomised(values, 99).tolist() == [1 / 100, 1 / 100, 1.0]
    assert randomised(values, 99, count_observed=False).tolist() == [0.0, 0.0, 1.0]


def test_a_range_that_equals_the_difference_but_for_rounding_counts() -> None:
    # All permutations of one user have the range 0.1 + 0.2; in other users nothing differs, but
    # their sums are rounded in another order.
    rng = np.random.default_rng(7)
    values = np.repeat(rng.random((1, 501)), 3, axis=0)
    values[:, 250] = [0.3, 0.2, 0.0]
    found = randomised(values, 100, count_observed=False)
    assert found.tolist() == [1.0, 1.0, 1.0]


def test_the_rounding_of_sums_over_many_users_is_allowed_for() -> None:
    # The systems differ for one user: every order leaves the difference of the sums as it is.
    values = np.random.default_rng(1).random((5, 1, 200_000)).repeat(2, axis=1)
    values[:, 1, 0] += 0.1
    assert (randomised(values, samples=3) == 1).all()


def test_another_seed_gives_other_p_values() -> None:
    values = tied_values(13, (2, 5, 60))
    seed = np.random.SeedSequence(3, spawn_key=(8,))
    once = randomised_tukey_hsd(values, samples=57, seed=seed)
    assert np.array_equal(randomised_tukey_hsd(values, samples=57, seed=seed), once)
    for other in (np.random.SeedSequence(3), np.random.SeedSequence(3, spawn_key=(9,))):
        assert not np.array_equal(randomised_tukey_hsd(values, samples=57, seed=other), once)


def test_a_metric_does_not_depend_on_the_others() -> None:
    values = tied_values(16, (2, 3, 4, 50))
    found = randomised(values)
    assert found.shape == (2, 3, 6)
    for index in np.ndindex(2, 3):
        assert np.array_equal(randomised(values[index]), found[index])


def test_there_is_at_least_one_sample() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        randomised(np.zeros((2, 3)), 0)


def range_of_a_sample(values: Values, generator: np.random.Generator) -> float:
    """Return the range of the systems' sums, every user's values shuffled."""
    n_systems, n_users = values.shape
    draws = generator.integers(0, 2**32, (n_users, n_systems - 1), dtype=np.uint32).tolist()
    order, sums = list(range(n_systems)), [0.0] * n_systems
    for user, own in enumerate(draws):
        for index in reversed(range(1, n_systems)):
            other = own[index - 1] * (index + 1) >> 32
            order[index], order[other] = order[other], order[index]
        sums = [total + values[system, user] for total, system in zip(sums, order, strict=True)]
    return max(sums) - min(sums)


@pytest.mark.each(
    ("block", "samples"),
    [(1, 9), (2, 20), (3, 28), (3, 30), (28, 29), (29, 29), (30, 29), (50, 53)],
)
def test_samples_in_blocks_count_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, block: int, samples: int
) -> None:
    if block != 50:  # the number that is part of what a seed means
        monkeypatch.setattr(tukey, "SAMPLES_PER_BLOCK", block)
    values = tied_values(21, (4, 30)) + np.array([[0.125], [0.0], [0.0], [0.0]])
    ranges = []
    for number, start in enumerate(range(0, samples, block)):
        generator = np.random.Generator(np.random.PCG64(block_seed(SEED, number)))
        size = min(block, samples - start)
        ranges += [range_of_a_sample(values, generator) for _ in range(size)]
    sums = values.sum(axis=1)
    expected = [
        sum(found >= abs(sums[i] - sums[j]) - 1e-9 for found in ranges) / len(ranges)
        for i, j in all_pairs(4)
    ]
    assert randomised(values, len(ranges), count_observed=False).tolist() == expected


@pytest.mark.costly
def test_the_honest_difference_agrees_with_the_table_of_the_studentized_range() -> None:
    # Three systems, six users: the table's 5 % point of 3 means with 10 degrees of freedom is
    # 3.877. Residuals that are orthogonal to the effects give MSE = 1.2, so MSE / n = 0.2.
    residuals = np.array([[1, -1, 1, -1, 1, -1], [-1, 1, -1, 1, -1, 1], [0, 0, 0, 0, 0, 0]])
    values = residuals + np.array([[2.0], [0.0], [0.0]]) + np.arange(6.0)
    assert residual_mean_squares(values) == pytest.approx(1.2)
    found = honestly_significant_differences(values, 0.05)
    assert found == pytest.approx(3.877 * np.sqrt(0.2), abs=2e-4)


@pytest.mark.parametrize(("n_systems", "n_users"), [(2, 2), (2, 40), (5, 12)])
@pytest.mark.parametrize("level", [0.05, 0.2])
@pytest.mark.costly
def test_a_difference_as_large_as_the_honest_one_has_the_level_as_p_value(
    n_systems: int, n_users: int, level: float
) -> None:
    values = tied_values(11, (3, n_systems, n_users))
    found = honestly_significant_differences(values, level)
    freedom = (n_systems - 1) * (n_users - 1)
    q = found / np.sqrt(residual_mean_squares(values) / n_users)
    assert studentized_range.sf(q, n_systems, freedom) == pytest.approx([level] * 3, rel=1e-6)
    if n_systems == 2:
        errors = (values[:, 0] - values[:, 1]).std(axis=1, ddof=1) / np.sqrt(n_users)
        assert found == pytest.approx(t.isf(level / 2, n_users - 1) * errors, rel=1e-6)


@pytest.mark.costly
def test_randomised_p_values_come_near_to_those_of_normal_errors() -> None:
    values = np.random.default_rng(5).normal(size=(4, 300))
    values += np.array([[0.2], [0.1], [0.0], [0.0]])
    first, second = np.transpose(all_pairs(4))
    distances = np.abs(values.mean(axis=1)[first] - values.mean(axis=1)[second])
    q = distances / np.sqrt(residual_mean_squares(values) / 300)
    expected = studentized_range.sf(q, 4, 3 * 299)
    assert randomised(values, 4000) == pytest.approx(expected, abs=0.04)


def test_identical_systems_have_p_1_and_missing_values_none() -> None:
    row = np.random.default_rng(1).random(7)
    assert randomised(np.array([row, row, row])).tolist() == [1.0, 1.0, 1.0]
    for test in (randomised, residual_mean_squares):
        with pytest.raises(ValueError, match="not a finite number"):
            test(np.array([[0.0, np.nan], [0.0, 1.0]]))
