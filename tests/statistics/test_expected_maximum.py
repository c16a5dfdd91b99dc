# SPDX-License-Identifier: MIT
"""The expected best of some trials, by formula and by listing all draws."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.statistics.expected_maximum import expected_maximum

VALUES = st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=5)


@given(values=VALUES, replacement=st.booleans())
def test_means_and_deviations_are_those_of_all_draws(
    values: list[float], replacement: bool
) -> None:
    means, deviations = expected_maximum(values, replacement=replacement)
    for n in range(1, len(values) + 1):
        drawn = product(values, repeat=n) if replacement else combinations(values, n)
        best = np.array([max(own) for own in drawn])
        assert means[n - 1] == pytest.approx(best.mean(), abs=1e-9)
        assert deviations[n - 1] == pytest.approx(best.std(), abs=1e-6)


def test_values_of_three_trials_worked_by_hand() -> None:
    # With replacement, the best of two of 0, 3 and 6 has the probabilities 1/9, 3/9 and 5/9.
    means, _ = expected_maximum([6.0, 0.0, 3.0])
    assert means.tolist() == pytest.approx([3.0, 39 / 9, (7 * 3 + 19 * 6) / 27])


def test_a_thousand_trials_neither_overflow_nor_fall() -> None:
    for replacement in (True, False):
        means, _ = expected_maximum(np.arange(1000.0), replacement=replacement)
        assert np.isfinite(means).all()
        assert (np.diff(means) > 0).all()


@pytest.mark.parametrize("values", [[], [0.1, float("nan")]])
def test_no_values_and_failed_trials_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="Leave out failed trials"):
        expected_maximum(values)
