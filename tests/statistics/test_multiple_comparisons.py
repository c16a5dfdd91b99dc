# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.statistics.multiple_comparisons import benjamini_hochberg, holm

METHODS = [holm, benjamini_hochberg]
FAMILIES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0])),
    min_size=1,
    max_size=6,
)


def closed_bonferroni(p_values: list[float]) -> list[float]:
    """Return Holm's values as the closure of Bonferroni's test over all sets of hypotheses."""
    indices = range(len(p_values))
    sets = [s for size in indices for s in combinations(indices, size + 1)]
    return [
        max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in sets if index in s)
        for index in indices
    ]


def test_holm_of_a_few_p_values() -> None:
    # In order .005, .01, .03, .04: 4 * .005, 3 * .01, 2 * .03, and .04 not below its predecessor.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_by_the_definition_of_statsmodels() -> None:
    # multipletests(method="holm"): max over the smaller ones of p times (m - rank from 0), at most
    # 1. Equal p-values get the value of the first of them: in order 3 * .2, 2 * .2, 1 * .9.
    assert holm([0.9, 0.2, 0.2]) == pytest.approx([0.9, 0.6, 0.6])
    # 4 * .3 and 3 * .4 exceed 1; all after them are 1, however small their own step.
    assert holm([0.5, 0.3, 0.4, 0.9]).tolist() == [1, 1, 1, 1]
    # A p-value of 0 stays 0, and one of 1 stays 1.
    assert holm([1, 0]).tolist() == [1, 0]


def test_benjamini_hochberg_of_a_few_p_values() -> None:
    # In order .005, .01, .03, .04: 4 * .005, 2 * .01, 4/3 * .03, .04.
    found = benjamini_hochberg([0.01, 0.04, 0.03, 0.005])
    assert found == pytest.approx([0.02, 0.04, 0.04, 0.02])
    # The second step, 2 * .04 / 2, is not above its successor's.
    assert benjamini_hochberg([0.03, 0.04]) == pytest.approx([0.04, 0.04])


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
@given(p_values=FAMILIES)
def test_adjusted_values_keep_the_order_and_lie_between_p_and_1(
    method: Callable, p_values: list[float]
) -> None:
    adjusted = method(p_values)
    # n / n * p is p but for rounding.
    assert (adjusted >= np.array(p_values) * (1 - 1e-15)).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@pytest.mark.parametrize("method", METHODS)
@given(p_values=FAMILIES, random=st.randoms())
def test_a_value_is_adjusted_the_same_wherever_it_stands(
    method: Callable, p_values: list[float], random: object
) -> None:
    order = list(range(len(p_values)))
    random.shuffle(order)
    shuffled = method([p_values[index] for index in order])
    assert np.array_equal(shuffled, method(p_values)[order])


@given(p_values=FAMILIES)
def test_holm_is_at_least_benjamini_hochberg(p_values: list[float]) -> None:
    assert (holm(p_values) >= benjamini_hochberg(p_values) * (1 - 1e-12)).all()


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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [np.nan, -1e-9, 1.5, np.inf])
def test_what_is_no_probability_is_refused(method: Callable, bad: float) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1; 1 of 3 do not, the first is"):
        method([0.1, bad, 0.2])


@pytest.mark.parametrize("method", METHODS)
def test_a_single_number_is_refused(method: Callable) -> None:
    with pytest.raises(ValueError, match="Put it in a list"):
        method(0.05)
