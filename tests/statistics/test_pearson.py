# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.statistics.correlation import pearson_r


@pytest.mark.parametrize(
    ("one", "other", "r"),
    [
        ([1, 2, 3], [2, 4, 6], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        ([1, 2, 3], [1, 2, 1], 0),
        # Deviations of -1, 0, 1 and -4/3, -1/3, 5/3: 3 / sqrt(2 * 14/3).
        ([0, 1, 2], [0, 1, 3], 3 / np.sqrt(28 / 3)),
    ],
)
def test_correlations_by_hand(one: list[float], other: list[float], r: float) -> None:
    assert pearson_r(one, other) == pytest.approx(r, abs=1e-15)


@given(st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=2, max_size=30))
@pytest.mark.costly
def test_as_numpy_has_it(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=np.float64).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(pearson_r(x, y))
    else:
        assert pearson_r(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)


@pytest.mark.parametrize("column", [[], [1.0], [0.1, 0.1, 0.1]])
def test_what_does_not_vary_has_no_correlation(column: list[float]) -> None:
    assert np.isnan(pearson_r(column, np.arange(len(column))))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="leave the observation out"):
        pearson_r([1, wrong], [1, 2])


def test_columns_of_several_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        pearson_r([1, 2], [1, 2, 3])
