# SPDX-License-Identifier: MIT
"""Interval scales against their definitions, and what they must leave as it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.statistics.paired_tests import sign_test, t_test, wilcoxon_test
from reproduction.studies.followups._shared.interval_scales import IntervalScale, on_interval_scale

SCALES: tuple[IntervalScale, ...] = ("equal-steps", "mean-ranks")
VALUES = st.lists(st.integers(0, 6).map(lambda hits: hits / 6), min_size=2, max_size=30)


@pytest.mark.parametrize("scale", SCALES)
@given(values=VALUES)
def test_order_and_ties_stay_and_the_scale_goes_from_0_to_1(
    scale: IntervalScale, values: list[float]
) -> None:
    scaled = on_interval_scale(values, scale)
    signs = np.sign(np.subtract.outer(values, values))
    assert np.array_equal(np.sign(np.subtract.outer(scaled, scaled)), signs)
    assert scaled.min() >= 0
    assert scaled.max() <= 1


@given(values=VALUES)
def test_equal_steps_lie_at_equal_distances(values: list[float]) -> None:
    places = np.unique(on_interval_scale(values, "equal-steps"))
    assert places == pytest.approx(np.linspace(0, 1, len(places)) if len(places) > 1 else [0])


@given(values=VALUES)
def test_a_mean_rank_counts_who_is_behind_and_half_of_who_is_level(values: list[float]) -> None:
    scaled = on_interval_scale(values, "mean-ranks")
    for value, place in zip(values, scaled, strict=True):
        behind = sum(other < value for other in values)
        level = sum(other == value for other in values) - 1
        assert place == pytest.approx((behind + level / 2) / (len(values) - 1))


def test_reciprocal_ranks_get_the_steps_between_ranks() -> None:
    values = [[1, 1 / 2, 1 / 3], [1 / 4, 1 / 5, 0]]
    scaled = on_interval_scale(values, "equal-steps")
    assert scaled == pytest.approx(np.array([[1, 0.8, 0.6], [0.4, 0.2, 0]]))


def test_rounding_errors_are_no_steps() -> None:
    values = [0.1 + 0.2, 0.3, 0.0, 1.0]
    assert on_interval_scale(values, "equal-steps").tolist() == [0.5, 0.5, 0, 1]


def test_values_are_told_apart_from_the_twelfth_decimal_on() -> None:
    for step, n_places in ((4e-13, 1), (1e-12, 3)):
        values = [0.25 - step, 0.25, 0.25 + step]
        for scale in SCALES:
            assert len(set(on_interval_scale(values, scale).tolist())) == n_places


@pytest.mark.parametrize("scale", SCALES)
def test_minus_zero_is_zero_and_the_shape_stays(scale: IntervalScale) -> None:
    found = on_interval_scale([[0.0, -0.0], [1.0, 1.0]], scale)
    assert found.shape == (2, 2)
    assert found[0, 0] == found[0, 1] < found[1, 0] == found[1, 1]
    assert on_interval_scale([[0.5]], scale).shape == (1, 1)


@pytest.mark.parametrize(("scale", "place"), [("equal-steps", 0.0), ("mean-ranks", 0.5)])
def test_values_that_are_all_the_same_have_one_place(scale: IntervalScale, place: float) -> None:
    assert on_interval_scale([0.25] * 3, scale).tolist() == [place] * 3
    assert on_interval_scale([0.25], scale).tolist() == [place]


def test_values_at_equal_distances_change_no_test_by_equal_steps() -> None:
    rng = np.random.default_rng(1)
    hits = rng.binomial(10, [[0.3], [0.35], [0.5]], (3, 200))
    hits[0, :11] = np.arange(11)
    precision = hits / 10
    scaled = on_interval_scale(precision, "equal-steps")
    assert t_test(scaled) == pytest.approx(t_test(precision))
    assert wilcoxon_test(scaled, decimals=9) == pytest.approx(wilcoxon_test(precision, decimals=9))


@pytest.mark.parametrize("scale", SCALES)
def test_no_scale_changes_the_sign_test(scale: IntervalScale) -> None:
    values = 1 / np.random.default_rng(2).integers(1, 9, (4, 60))
    assert sign_test(on_interval_scale(values, scale)).tolist() == sign_test(values).tolist()


@pytest.mark.parametrize(
    ("values", "scale", "message"),
    [
        ([1.0], "ordinal", "There is no interval scale ordinal; there are equal-steps"),
        ([], "equal-steps", "There are no values"),
        ([0.5, np.nan], "mean-ranks", "not a finite number"),
    ],
)
def test_what_has_no_scale_is_refused(
    values: list[float], scale: IntervalScale, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        on_interval_scale(values, scale)
