# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from system_values import all_pairs, tied_values

from receval.statistics import pairs
from receval.statistics.pairs import checked_values, over_pairs, system_pairs


@pytest.mark.each("n_systems", [1, 2, 3, 7])
def test_pairs_are_in_the_order_of_the_upper_triangle(n_systems: int) -> None:
    first, second = system_pairs(n_systems)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == all_pairs(n_systems)
    expected = np.triu_indices(n_systems, 1)
    assert np.array_equal(first, expected[0])
    assert np.array_equal(second, expected[1])


@pytest.mark.each("leading", [(), (3,), (2, 3)])
def test_differences_are_those_of_each_pair_in_order(leading: tuple[int, ...]) -> None:
    values = tied_values(1, (*leading, 4, 5))
    first, second = system_pairs(4)
    for user in range(5):
        found = over_pairs(values, lambda differences, user=user: differences[:, user])
        assert found.shape == (*leading, 6)
        assert np.array_equal(found, values[..., first, user] - values[..., second, user])


@pytest.mark.each("rows", [1, 2, 3, 11, 12, 99])
def test_counted_differences_are_those_of_each_pair_in_blocks_of_any_size(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = tied_values(2, (2, 4, 5))
    first, second = system_pairs(4)
    sizes: list[int] = []

    def counted(differences: NDArray[np.float64]) -> NDArray[np.float64]:
        sizes.append(len(differences))
        return np.count_nonzero(differences > 0, axis=1).astype(np.float64)

    monkeypatch.setattr(pairs, "BLOCK_DIFFERENCES", rows * 5 + 4)
    found = over_pairs(values, counted, exact=True)
    expected = (values[:, first] > values[:, second]).sum(axis=2)
    assert np.array_equal(found, expected)
    assert max(sizes) == min(rows, 12)
    assert sum(sizes) == 12


@pytest.mark.each("shape", [(5,), (1, 5), (3, 4, 0), (2, 1)])
def test_values_that_cannot_be_compared_are_refused_with_their_shape(
    shape: tuple[int, ...],
) -> None:
    with pytest.raises(ValueError, match=r"n_users\) with at least 2 systems and 2 user") as error:
        checked_values(np.zeros(shape), min_users=2)
    assert str(shape) in str(error.value)


@pytest.mark.each("bad", [np.nan, np.inf, -np.inf])
def test_the_first_value_that_is_no_number_is_refused_with_its_place(bad: float) -> None:
    values = np.zeros((2, 3, 4))
    values[1, 1, 2] = values[1, 2, 3] = bad
    with pytest.raises(ValueError, match="system 1 for user 2 is not a finite number"):
        checked_values(values)
