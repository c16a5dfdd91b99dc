# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from receval.seeds import block_seed
from receval.statistics import bootstrap
from receval.statistics.bootstrap import (
    InnerTest,
    bootstrap_test_of_pairs,
    poisson_resamples,
    rejected_shares,
    shifted_bootstrap_test,
)

Values = NDArray[np.float64]
SMALL = st.integers(-3, 3)


def eighths(seed: int, shape: tuple[int, ...]) -> Values:
    """Differences that are a little above 0, many of them tied or 0."""
    return np.random.default_rng(seed).integers(-6, 10, shape) / 8


def looped(differences: Values, resamples: Values, test: InnerTest, level: float) -> float:
    """Repeat each user's difference as often as the user is in the sample, and test the sample."""
    rejections = 0
    for counts in resamples:
        sample = np.repeat(differences, counts.astype(int))
        if test == "sign":
            wins, losses = int((sample > 0).sum()), int((sample < 0).sum())
            rejections += wins + losses > 0 and stats.binomtest(wins, wins + losses).pvalue < level
        elif len(sample) >= 2 and np.ptp(sample) == 0:
            rejections += sample[0] != 0
        elif len(sample) >= 2:
            rejections += stats.ttest_1samp(sample, 0.0).pvalue < level
    return rejections / len(resamples)


@pytest.mark.costly
@pytest.mark.parametrize("level", [0.05, 0.3])
@pytest.mark.parametrize("test", ["t", "sign"])
def test_shares_are_those_of_testing_every_sample(test: InnerTest, level: float) -> None:
    differences = eighths(1, (3, 25))
    resamples = poisson_resamples(25, 60, np.random.default_rng(2))
    found = rejected_shares(differences, resamples, test, level)
    expected = [looped(row, resamples, test, level) for row in differences]
    np.testing.assert_array_equal(found, expected)
    assert any(0 < share < 1 for share in expected)


@given(
    arrays(np.float64, 4, elements=st.integers(-3, 3).map(lambda number: number / 4)),
    arrays(np.float64, (5, 4), elements=st.integers(0, 3).map(float)),
    st.sampled_from(["t", "sign"]),
)
@pytest.mark.costly
def test_shares_of_few_users_are_those_of_testing_every_sample(
    differences: Values, resamples: Values, test: InnerTest
) -> None:
    found = rejected_shares(differences, resamples, test, 0.2)
    np.testing.assert_array_equal(found, [looped(differences, resamples, test, 0.2)])


@pytest.mark.each("difference", [0.1, -0.3, 1 / 3, 1e-9])
def test_every_sample_of_a_constant_difference_rejects(difference: float) -> None:
    resamples = poisson_resamples(30, 50, np.random.default_rng(3))
    constant = np.full(30, difference)
    assert rejected_shares(constant, resamples, "t").tolist() == [1.0]
    assert rejected_shares(constant, resamples, "sign").tolist() == [1.0]


def test_two_users_are_enough_for_a_t_test_and_one_user_is_not() -> None:
    resamples = np.array([[1.0, 1, 0], [2, 0, 0], [0, 1, 0], [0, 0, 0]])
    assert rejected_shares(np.full(3, 0.5), resamples, "t").tolist() == [0.5]


def test_resamples_are_those_of_the_generator_and_of_poisson() -> None:
    one, two = (poisson_resamples(200, 300, np.random.default_rng(6)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert (one.shape, one.dtype) == ((300, 200), np.float64)
    assert np.array_equal(one, np.round(one))
    # 60,000 draws: mean and variance 1, e^-1 of them 0, within five standard errors.
    assert one.mean() == pytest.approx(1, abs=5 / np.sqrt(60_000))
    assert one.var() == pytest.approx(1, abs=5 * np.sqrt(3 / 60_000))
    assert (one == 0).mean() == pytest.approx(np.exp(-1), abs=0.01)


@pytest.mark.costly
def test_a_level_is_a_twentieth_and_the_test_is_students_if_nothing_else_is_said() -> None:
    differences = eighths(7, (2, 9))
    resamples = poisson_resamples(9, 60, np.random.default_rng(8))
    expected = [looped(row, resamples, "t", 0.05) for row in differences]
    assert rejected_shares(differences, resamples).tolist() == expected


@given(
    rows=arrays(np.int64, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=SMALL),
    samples=st.integers(1, 30),
    seed=st.integers(0, 999),
)
def test_resampled_means_as_far_from_the_mean_as_it_is_from_0_are_counted(
    rows: NDArray[np.int64], samples: int, seed: int
) -> None:
    n_users = rows.shape[1]
    drawn = np.random.default_rng(seed).integers(0, n_users, (samples, n_users)).tolist()
    expected = []
    for row in rows.tolist():
        far = [abs(sum(row[user] for user in own) - sum(row)) >= abs(sum(row)) for own in drawn]
        expected.append((1 + sum(far)) / (1 + samples))
    found = shifted_bootstrap_test(rows / 8, samples, np.random.default_rng(seed))
    assert found.tolist() == expected


@pytest.mark.filterwarnings("error")
@pytest.mark.each("exponent", [-1000, -40, 0, 40, 980])
def test_a_row_has_the_same_p_value_beside_others_and_on_any_scale(exponent: int) -> None:
    rows = eighths(9, (3, 7)) * np.array([[1.0], [2.0**20], [2.0**-20]])
    scaled = np.ldexp(rows, exponent)
    found = shifted_bootstrap_test(scaled, 40, np.random.default_rng(1))
    alone = [shifted_bootstrap_test([row], 40, np.random.default_rng(1))[0] for row in rows]
    assert found.tolist() == alone
    assert len(set(alone)) > 1
    of_pairs = [
        bootstrap_test_of_pairs(np.stack([own, 0 * own], axis=1), np.random.SeedSequence(1), 40)
        for own in (rows, scaled)
    ]
    assert of_pairs[0].tolist() == of_pairs[1].tolist()


def test_differences_and_resamples_of_other_users_are_refused() -> None:
    with pytest.raises(
        ValueError, match="differences are of 3 users, but the resamples are of 4 users"
    ):
        rejected_shares([0.1, 0.2, 0.3], np.ones((5, 4)))


@pytest.mark.parametrize("test", ["t", "sign"])
def test_no_sample_of_equal_systems_rejects(test: InnerTest) -> None:
    resamples = poisson_resamples(30, 50, np.random.default_rng(3))
    assert rejected_shares(np.zeros((2, 30)), resamples, test).tolist() == [0.0, 0.0]


@pytest.mark.costly
def test_the_test_of_all_pairs_agrees_with_the_one_of_rows() -> None:
    rng = np.random.default_rng(4)
    values = rng.random((2, 3, 60)) + np.array([0, 0.05, 0.1])[:, None]
    found = bootstrap_test_of_pairs(values, np.random.SeedSequence(1), 20_000)
    assert found.shape == (2, 3)
    for metric, own in enumerate(values):
        rows = own[[0, 0, 1]] - own[[1, 2, 2]]
        expected = shifted_bootstrap_test(rows, 20_000, rng)
        np.testing.assert_allclose(found[metric], expected, atol=0.02)


@pytest.mark.each(
    ("block", "samples"), [(1, 9), (2, 21), (3, 28), (28, 29), (29, 29), (30, 29), (50, 53)]
)
def test_resamples_of_pairs_in_blocks_count_as_one_by_one(
    block: int, samples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if block != 50:  # the number that is part of what a seed means
        monkeypatch.setattr(bootstrap, "SAMPLES_PER_BLOCK", block)
    seed = np.random.SeedSequence(7)
    values = eighths(3, (2, 3, 11))
    reached = np.zeros((2, 3), dtype=int)
    for number, start in enumerate(range(0, samples, block)):
        generator = np.random.Generator(np.random.PCG64(block_seed(seed, number)))
        for _ in range(min(block, samples - start)):
            drawn = values[..., generator.integers(0, 11, 11)].sum(axis=2)
            for pair, (one, other) in enumerate(((0, 1), (0, 2), (1, 2))):
                wanted = values[:, one].sum(axis=1) - values[:, other].sum(axis=1)
                found = drawn[:, one] - drawn[:, other]
                reached[:, pair] += abs(found - wanted) >= abs(wanted) - 1e-9
    expected = (1 + reached) / (1 + samples)
    np.testing.assert_array_equal(bootstrap_test_of_pairs(values, seed, samples), expected)


def test_identical_systems_do_not_differ_and_no_seed_is_used_up() -> None:
    values = np.random.default_rng(5).random((1, 1, 30)).repeat(2, axis=1)
    seed = np.random.SeedSequence(2)
    assert bootstrap_test_of_pairs(values, seed, 99).tolist() == [[1.0]]
    other = np.stack([values[0, 0], values[0, 1] + np.linspace(-1, 1.5, 30)])[None]
    first = bootstrap_test_of_pairs(other, seed, 120)
    np.testing.assert_array_equal(first, bootstrap_test_of_pairs(other, seed, 120))
    with pytest.raises(ValueError, match="at least 1 is needed"):
        bootstrap_test_of_pairs(other, seed, 0)
    with pytest.raises(ValueError, match="must be \\(n_metrics"):
        bootstrap_test_of_pairs(other[0], seed, 9)
