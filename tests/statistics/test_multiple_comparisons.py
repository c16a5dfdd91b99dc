# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.statistics.multiple_comparisons import (
    benjamini_hochberg,
    bonferroni,
    discriminative_power,
    holm,
    p_value_curve,
)

METHODS = [holm, benjamini_hochberg]
FAMILIES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0])), min_size=1, max_size=6
)


def closed_bonferroni(p_values: list[float]) -> list[float]:
    """Return Holm's values as the closure of Bonferroni's test over all sets of hypotheses."""
    indices = range(len(p_values))
    sets = [s for size in indices for s in combinations(indices, size + 1)]
    return [
        max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in sets if index in s)
        for index in indices
    ]


@given(p_values=FAMILIES)
def test_holm_is_the_closure_of_bonferroni(p_values: list[float]) -> None:
    np.testing.assert_allclose(holm(p_values), closed_bonferroni(p_values), rtol=1e-12)


def stepped_up(p_values: list[float]) -> list[float]:
    """Return, for each p-value, the lowest level at which the step-up method rejects it."""
    n_tests, ordered = len(p_values), sorted(p_values)
    levels = [min(1.0, n_tests / (rank + 1) * p) for rank, p in enumerate(ordered)]
    return [min(levels[ordered.index(p) :]) for p in p_values]


@given(p_values=FAMILIES)
def test_benjamini_hochberg_is_the_lowest_level_that_rejects(p_values: list[float]) -> None:
    np.testing.assert_allclose(benjamini_hochberg(p_values), stepped_up(p_values), rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_each_row_is_a_family_of_its_own(method: Callable) -> None:
    families = np.random.default_rng(5).random((2, 3, 10)) ** 3
    found = method(families)
    for index in np.ndindex(2, 3):
        assert np.array_equal(found[index], method(families[index]))


@pytest.mark.parametrize("method", METHODS)
def test_one_p_value_stays_and_none_stay_none(method: Callable) -> None:
    assert method([0.2]).tolist() == [0.2]
    assert method(np.empty((3, 0))).shape == (3, 0)


@pytest.mark.each("method", [*METHODS, p_value_curve, discriminative_power])
@pytest.mark.each("bad", [np.nan, -1e-9, 1.5, np.inf])
def test_what_is_no_probability_is_refused(method: Callable, bad: float) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, but 1 of 3 do not; the first is"):
        method([0.1, bad, 0.2])


@pytest.mark.parametrize("method", METHODS)
def test_a_single_number_is_refused(method: Callable) -> None:
    with pytest.raises(ValueError, match="Put it in a list"):
        method(0.05)


def test_the_curve_falls_from_the_largest_p_value() -> None:
    curves = p_value_curve([[0.1, 0.9, 0.5], [0.0, 0.2, 0.2]])
    assert curves.tolist() == [[0.9, 0.5, 0.1], [0.2, 0.2, 0.0]]
    assert p_value_curve([0.1, 0.9, 0.5], largest=2).tolist() == [0.9, 0.5]


def test_power_sums_unordered_pairs_and_the_released_form_counts_each_twice() -> None:
    assert discriminative_power([[0.1, 0.9], [0.25, 0.5]]).tolist() == [1.0, 0.75]
    assert discriminative_power([0.25, 0.5], "ordered") == 1.5
    with pytest.raises(ValueError, match="'unordered' or 'ordered'"):
        discriminative_power([0.5], "all")  # type: ignore[arg-type]


def test_bonferroni_multiplies_and_is_never_below_holm() -> None:
    p = np.random.default_rng(2).random((3, 6)) / 3
    np.testing.assert_allclose(bonferroni(p), np.minimum(6 * p, 1))
    assert (bonferroni(p) >= holm(p)).all()
