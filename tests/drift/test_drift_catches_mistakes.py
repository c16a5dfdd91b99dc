# SPDX-License-Identifier: MIT
"""Mutation test: each mistake goes into the real code, and the drift report must show it."""

import pytest
from drift.small_study import (
    change_discount,
    drift_between,
    drop_a_user,
    shift_cutoff,
    small_study,
)

from reproduction.drift.changes import Kind
from reproduction.drift.comparison import ArtifactStatus


@pytest.fixture(scope="module")
def accepted():
    return small_study()


def rows_moved(result, column):
    return {change.row for change in result.changes if change.column == column}


@pytest.mark.costly
def test_the_same_code_and_seeds_do_not_drift(accepted, tmp_path):
    result = drift_between(accepted, small_study(), tmp_path)
    assert result.status is ArtifactStatus.SAME
    assert result.compared == 2 * len(accepted)


def test_another_order_of_rows_and_columns_does_not_drift(accepted, tmp_path):
    shuffled = accepted.sample(frac=1, random_state=3)[accepted.columns[::-1]]
    assert drift_between(accepted, shuffled, tmp_path).status is ArtifactStatus.SAME


def test_near_ties_that_fall_the_other_way_are_tolerated(accepted, tmp_path):
    fresh = small_study(other_processor=True)
    assert not accepted.equals(fresh), "the test needs scores that do change ranks"
    result = drift_between(accepted, fresh, tmp_path)
    assert result.status is ArtifactStatus.TOLERATED, result.changes
    assert 0 < result.tolerated < len(accepted)


def test_a_changed_discount_is_caught(accepted, tmp_path, monkeypatch):
    change_discount(monkeypatch)
    result = drift_between(accepted, small_study(), tmp_path)
    moved = rows_moved(result, "value")
    assert moved
    assert all("metric=nDCG" in row for row in moved)
    assert all(
        any(f"protocol={protocol}" in row and f"fold={fold}" in row for row in moved)
        for protocol in accepted["protocol"].unique()
        for fold in (0, 1)
    )


def test_an_off_by_one_cutoff_is_caught(accepted, tmp_path, monkeypatch):
    shift_cutoff(monkeypatch)
    result = drift_between(accepted, small_study(), tmp_path)
    moved = rows_moved(result, "value")
    assert len(moved) > 0.8 * len(accepted)
    for metric in accepted["metric"].unique():
        assert any(f"metric={metric}" in row for row in moved)


def test_a_swapped_seed_of_the_split_is_caught(accepted, tmp_path):
    result = drift_between(accepted, small_study(split_seed=2), tmp_path)
    assert result.drifted
    for system in accepted["system"].unique():
        assert any(f"system={system}" in row for row in rows_moved(result, "value"))


def test_a_swapped_seed_of_one_system_is_caught_in_that_system_alone(accepted, tmp_path):
    result = drift_between(accepted, small_study(system_seed=2), tmp_path)
    assert result.drifted
    assert all("system=random" in change.row for change in result.changes)


def test_swapped_folds_are_caught(accepted, tmp_path):
    swapped = accepted.assign(fold=1 - accepted["fold"])
    assert drift_between(accepted, swapped, tmp_path).drifted


def test_a_dropped_user_is_caught_in_every_row(accepted, tmp_path, monkeypatch):
    drop_a_user(monkeypatch)
    result = drift_between(accepted, small_study(), tmp_path)
    counts = [change for change in result.changes if change.kind is Kind.COUNT]
    assert len(counts) == len(accepted)
    assert {(change.column, change.difference) for change in counts} == {("lists", -1)}
