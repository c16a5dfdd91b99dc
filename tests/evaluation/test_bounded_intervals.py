# SPDX-License-Identifier: MIT
"""Intervals of metrics of all users stay within their bounds, or are left out with a note."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import receval as rv
from receval.evaluation.by_user import interval_within


@given(
    mean=st.floats(1e-6, 1 - 1e-6), half=st.floats(1e-6, 10), upper=st.sampled_from([1.0, np.inf])
)
def test_an_interval_has_its_average_within_it_and_lies_within_the_bounds(
    mean: float, half: float, upper: float
) -> None:
    low, high = interval_within(np.array([mean]), np.array([half]), (0.0, upper))
    assert 0 <= low[0] < mean < high[0] <= upper


def test_a_narrow_interval_is_that_of_the_t_distribution() -> None:
    low, high = interval_within(np.array([0.4]), np.array([1e-6]), (0.0, 1.0))
    assert (low[0], high[0]) == pytest.approx((0.4 - 1e-6, 0.4 + 1e-6), abs=1e-11)


def test_a_coverage_at_its_limit_has_no_interval_but_a_note() -> None:
    test = {"user": list("abc"), "item": list("xyz")}
    run = {"a": {"x": 1.0, "y": 0.5}, "b": {"y": 1.0, "z": 0.5}, "c": {"z": 1.0, "x": 0.5}}
    result = rv.evaluate_runs(
        test, {"all": run}, metrics=["ItemCoverage@2", "Gini@2", "RR"], depth="whole"
    )
    summary = result.summary().set_index("metric")
    assert summary.loc["ItemCoverage@2", "mean"] == 1.0
    assert summary.loc[["ItemCoverage@2", "Gini@2"], ["low", "high"]].isna().all(axis=None)
    notes = [str(note) for note in result.notes if note.code == "no-interval"]
    assert len(notes) == 2
    assert result.bounds["Gini@2"] == (0.0, 1.0)


def test_identifiers_in_lists_and_values_have_the_types_of_the_table() -> None:
    data = rv.split(
        rv.read_ratings({"user": [7, 7, 10, 10], "item": list("xyxy"), "rating": [1] * 4}),
        "user-ratio",
        train_ratio=0.5,
    )
    result = rv.evaluate(data, {"Pop": rv.Popularity()}, lists=2)
    assert set(result.lists()["user"]) == set(result.per_user()["user"]) == {7, 10}
    assert set(result.lists()["item"]) <= {"x", "y"}


def test_printed_pairs_have_all_columns() -> None:
    test = {"user": list("abc"), "item": list("xyz")}
    runs = {name: {"a": {"x": 1.0}, "b": {name: 1.0}} for name in ("one", "two")}
    pairs = rv.evaluate_runs(test, runs, metrics="RR", depth="whole").compare(margin=0.1, power=0.8)
    assert all(name in str(pairs) for name in pairs.columns)
