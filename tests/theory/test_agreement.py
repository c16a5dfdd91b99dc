# SPDX-License-Identifier: MIT
from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.theory.item_pairs import agree, decrement_rate, disagree, is_steeper, odds

POSITIVE = st.fractions(min_value=0, max_value=50, max_denominator=60)


def test_odds_by_hand() -> None:
    np.testing.assert_array_equal(odds([0, 0.2, 0.5, 0.75, 1]), [0, 0.25, 1, 3, np.inf])
    assert float(odds(0.5)) == 1
    assert np.isnan(odds(np.nan))


@pytest.mark.parametrize("wrong", [-0.1, 1.1])
def test_only_probabilities_have_odds(wrong: float) -> None:
    # The first of several is named.
    for values in ([[0, 1], [wrong, 0.5]], [0, 1, wrong, 7, -7]):
        with pytest.raises(ValueError, match=f"^{wrong:g} has no odds"):
            odds(values)


# Figure 4: average ratings .6 and .5; odds of .5 and .2; p(rel | train) of 1 / 5 and 0.
@pytest.mark.each(
    ("first", "second", "rate"),
    [
        (0.6, 0.5, 1 / 6),
        (1.0, 0.25, 0.75),
        (0.2, 0.0, 1.0),
        (0.0, 0.0, 0.0),
        (3.0, 3.0, 0.0),
        (np.inf, 2.0, 1.0),
        (np.inf, np.inf, 0.0),
        (np.inf, 0.0, 1.0),
        (np.nan, 2.0, np.nan),
        (np.inf, np.nan, np.nan),
    ],
)
def test_decrement_rates_by_hand(first: float, second: float, rate: float) -> None:
    for a, b in ((first, second), (second, first)):
        assert float(decrement_rate(a, b)) == pytest.approx(rate, nan_ok=True)


def test_negative_values_have_no_decrement_rate() -> None:
    with pytest.raises(ValueError, match="without negative values"):
        decrement_rate([0.5, -0.5], [0.2, 0.2])


@given(POSITIVE, POSITIVE)
@pytest.mark.costly
def test_the_decrement_rate_is_equation_11(a: Fraction, b: Fraction) -> None:
    expected = abs(a - b) / max(a, b) if max(a, b) else Fraction(0)
    assert float(decrement_rate(float(a), float(b))) == pytest.approx(float(expected), abs=1e-12)


# Figure 3: in all four examples f is steeper than g.
@pytest.mark.each(
    ("f", "g", "relation"),
    [
        ((1, 3), (2, 3), agree),
        ((1, 2), (2, 3), agree),
        ((1, 3), (3, 2), disagree),
        ((1, 2), (3, 2), disagree),
    ],
)
def test_the_examples_of_figure_3(f: tuple, g: tuple, relation: object) -> None:
    assert is_steeper(*f, *g)
    assert not is_steeper(*g, *f)
    assert bool(agree(*f, *g)) is (relation is agree)
    assert bool(disagree(*f, *g)) is (relation is disagree)


@given(POSITIVE, POSITIVE, POSITIVE, POSITIVE)
@pytest.mark.costly
def test_agreement_is_definition_1(fa: Fraction, fb: Fraction, ga: Fraction, gb: Fraction) -> None:
    values = [float(value) for value in (fa, fb, ga, gb)]
    assert bool(agree(*values)) == ((fa < fb and ga < gb) or (fa > fb and ga > gb))
    assert bool(disagree(*values)) == ((fa < fb and ga > gb) or (fa > fb and ga < gb))


def test_equal_values_neither_agree_nor_disagree() -> None:
    flat, falling = (2.0, 2.0), (2.0, 1.0)
    for f, g in ((flat, falling), (falling, flat), (flat, flat), ((np.inf, np.inf), falling)):
        assert not agree(*f, *g)
        assert not disagree(*f, *g)


def test_arrays_are_compared_element_by_element() -> None:
    columns = np.array([[1, 3, 2, 3], [1, 3, 3, 2], [2, 2, 2, 1]]).T
    assert agree(*columns).tolist() == [True, False, False]
    assert disagree(*columns).tolist() == [False, True, False]
    assert is_steeper(*columns).tolist() == [True, True, False]
