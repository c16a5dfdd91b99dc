# SPDX-License-Identifier: MIT
"""Of which source of chance a number varies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway

from reproduction.claims.repetition import SOURCES, variance_components, variance_table


def crossed(values: np.ndarray, claim: str = "B-001") -> pd.DataFrame:
    """The rows of one number in a crossed design."""
    rows = [
        {"claim": claim, "artifact": "fig02", "cells": "value", "label": "pop", "value": value}
        | dict(zip(SOURCES, (f"s{i}", f"t{j}", f"c{k}"), strict=True))
        for (i, j, k), value in np.ndenumerate(values)
    ]
    return pd.DataFrame(rows)


@pytest.mark.each(("axis", "source"), list(enumerate(SOURCES)))
def test_each_axis_is_that_of_its_source(axis: int, source: str) -> None:
    levels = np.expand_dims(np.array([0.0, 4.0, 2.0]), tuple({0, 1, 2} - {axis}))
    parts = variance_components(levels + np.zeros((3, 3, 3)))
    assert getattr(parts, source) == pytest.approx(4.0)
    assert parts.shares()[source] == pytest.approx(1.0)


def test_what_a_system_seed_does_on_each_split_alone_is_the_systems() -> None:
    # +1 and -1 in a chessboard of splits and system seeds: no level has an effect of its own.
    board = np.array([[1.0, -1.0], [-1.0, 1.0]])
    parts = variance_components(np.repeat(board[:, :, None], 2, axis=2))
    assert (parts.split, parts.system) == (0, 0)
    assert parts.split_system > 0
    assert parts.shares()["system"] == pytest.approx(1.0)


def test_two_by_two_by_two_numbers_worked_by_hand() -> None:
    # 0 to 7: effects of 2, 1 and .5 about the mean; nothing else. Mean squares 8 e^2 / 1.
    parts = variance_components(np.arange(8.0).reshape(2, 2, 2))
    assert (parts.split, parts.system, parts.candidates) == (8.0, 2.0, 0.5)
    assert parts.total == 10.5
    shares = parts.shares()
    assert [shares[name] for name in SOURCES] == pytest.approx([8 / 10.5, 2 / 10.5, 0.5 / 10.5])


def test_with_one_factor_the_components_are_those_of_a_one_way_analysis() -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    values = rng.normal(size=(4, 3, 5)) + rng.normal(size=4)[:, None, None] * 5
    groups = values.reshape(4, -1)
    within = groups.var(axis=1, ddof=1).mean()
    between = f_oneway(*groups).statistic * within
    parts = variance_components(values)
    # The whole design splits the within of the one-way analysis further.
    assert parts.split == pytest.approx((between - within) / 15, rel=0.1)


def test_the_components_of_many_designs_are_the_variances_they_are_drawn_with() -> None:
    rng = np.random.Generator(np.random.PCG64(11))
    found = np.zeros(4)
    for _ in range(300):
        draw = rng.normal(size=(3, 3, 3)) * 0.5
        draw += 3 * rng.normal(size=(3, 1, 1)) + 2 * rng.normal(size=(3, 3, 1))
        draw += rng.normal(size=(1, 1, 3))
        parts = variance_components(draw)
        found += (parts.split, parts.split_system, parts.candidates, parts.rest)
    assert found / 300 == pytest.approx([9.0, 4.0, 1.0, 0.25], rel=0.25)


@pytest.mark.each("shape", [(3, 3), (1, 3, 3), (3, 3, 1)])
def test_designs_without_two_levels_of_three_sources_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at least two levels"):
        variance_components(np.zeros(shape))


def test_the_table_has_each_number_once_with_all_claims_that_read_it() -> None:
    values = np.arange(8.0).reshape(2, 2, 2)
    table = variance_table(pd.concat([crossed(values), crossed(values, "B-007")]))
    (row,) = table.to_dict("records")
    assert (row["claims"], row["mean"]) == ("B-001 B-007", 3.5)
    assert row["standard_deviation"] == pytest.approx(np.sqrt(10.5))
    assert sum(row[name] for name in (*SOURCES, "rest")) == pytest.approx(1.0)


def test_the_order_of_runs_does_not_matter() -> None:
    rows = crossed(np.random.Generator(np.random.PCG64(5)).random((3, 3, 3)))
    pd.testing.assert_frame_equal(variance_table(rows), variance_table(rows[::-1]))


def test_a_combination_that_was_not_run_is_missed() -> None:
    rows = crossed(np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="Run all combinations"):
        variance_table(rows[:-1])


def test_a_number_that_never_varies_has_no_shares() -> None:
    (row,) = variance_table(crossed(np.ones((2, 2, 2)))).to_dict("records")
    assert row["standard_deviation"] == 0
    assert all(np.isnan(row[name]) for name in (*SOURCES, "rest"))
