# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest

from receval.statistics.multiple_comparisons import discriminative_power, p_value_curve


def test_the_curve_falls_from_the_largest_p_value() -> None:
    curves = p_value_curve([[0.1, 0.9, 0.5], [0.0, 0.2, 0.2]])
    assert curves.tolist() == [[0.9, 0.5, 0.1], [0.2, 0.2, 0.0]]
    assert p_value_curve([0.1, 0.9, 0.5], largest=2).tolist() == [0.9, 0.5]


def test_power_sums_unordered_pairs_and_the_released_form_counts_each_twice() -> None:
    assert discriminative_power([[0.1, 0.9], [0.25, 0.5]]).tolist() == [1.0, 0.75]
    assert discriminative_power([0.25, 0.5], "ordered") == 1.5


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan])
def test_what_is_no_probability_is_refused(value: float) -> None:
    for function in (p_value_curve, discriminative_power):
        with pytest.raises(ValueError, match="between 0 and 1"):
            function([0.5, value])


def test_other_sums_are_refused() -> None:
    with pytest.raises(ValueError, match="unordered or ordered"):
        discriminative_power([0.5], "all")  # type: ignore[arg-type]
