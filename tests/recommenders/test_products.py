# SPDX-License-Identifier: MIT
"""Scores of factor models have the bits of a sum in the order of the factors."""

from __future__ import annotations

import numpy as np
import pytest

from receval.recommenders.products import TILE, inner_products


@pytest.mark.parametrize("n_factors", [1, 3, 4, 7, 50])
@pytest.mark.parametrize("n_items", [1, TILE - 1, TILE, TILE + 1, 2 * TILE + 3])
def test_products_are_summed_factor_by_factor_whatever_the_tiles(
    n_factors: int, n_items: int
) -> None:
    rng = np.random.default_rng(n_factors)
    rows = rng.normal(size=(5, n_factors)).astype(np.float32)
    rows[2] = np.nan
    columns = rng.normal(size=(n_factors, n_items)).astype(np.float32)
    expected = np.zeros((5, n_items), dtype=np.float32)
    for factor in range(n_factors):
        expected += rows[:, [factor]] * columns[factor]
    found = np.full_like(expected, 9)
    inner_products(rows, columns, found)
    np.testing.assert_array_equal(found, expected)
