# SPDX-License-Identifier: MIT
"""Mutation test: each mistake goes into the real code, and the drift report must show it."""

import pytest
from drift.small_study import change_discount, drift_between, drop_a_user, shift_cutoff, small_study

from reproduction.drift.changes import Kind
from reproduction.drift.comparison import ArtifactStatus


@pytest.fixture(scope="module")
def accepted():
    return small_study()


@pytest.mark.costly
def test_neither_the_same_study_nor_another_order_of_its_table_drifts(accepted, tmp_path):
    result = drift_between(accepted, small_study(), tmp_path)
    assert result.status is ArtifactStatus.SAME
    assert result.compared == 2 * len(accepted)
    shuffled = accepted.sample(frac=1, random_state=3)[accepted.columns[::-1]]
    assert drift_between(accepted, shuffled, tmp_path).status is ArtifactStatus.SAME


def test_near_ties_that_fall_the_other_way_are_tolerated(accepted, tmp_path):
    fresh = small_study(other_processor=True)
    assert not accepted.equals(fresh), "the test needs scores that do change ranks"
    result = drift_between(accepted, fresh, tmp_path)
    assert result.status is ArtifactStatus.TOLERATED, result.changes
    assert 0 < result.tolerated < len(accepted)


def keys(column, *values):
    return {f"{column}={value}" for value in values}


SYSTEMS = keys("system", "popularity", "puresvd", "random")
METRICS = keys("metric", "P", "Recall", "nDCG")
FOLDS = keys("fold", 0, 1)


@pytest.mark.parametrize(
    ("mistake", "seeds", "moved", "still"),
    [
        (change_discount, {}, FOLDS | keys("metric", "nDCG"), METRICS - keys("metric", "nDCG")),
        (shift_cutoff, {}, FOLDS | METRICS | SYSTEMS, set()),
        (None, {"split_seed": 2}, FOLDS | SYSTEMS, set()),
        (None, {"system_seed": 2}, keys("system", "random"), SYSTEMS - keys("system", "random")),
    ],
    ids=["discount", "cut-off", "seed of the split", "seed of a system"],
)
def test_a_mistake_is_caught_where_it_changes_values_and_nowhere_else(
    mistake, seeds, moved, still, accepted, tmp_path, monkeypatch
):
    if mistake:
        mistake(monkeypatch)
    result = drift_between(accepted, small_study(**seeds), tmp_path)
    assert result.drifted
    rows = {key for change in result.changes for key in change.row.split(", ")}
    assert moved <= rows
    assert not still & rows


def test_a_dropped_user_is_caught_in_every_row(accepted, tmp_path, monkeypatch):
    drop_a_user(monkeypatch)
    result = drift_between(accepted, small_study(), tmp_path)
    counts = [change for change in result.changes if change.kind is Kind.COUNT]
    assert len(counts) == len(accepted)
    assert {(change.column, change.difference) for change in counts} == {("lists", -1)}
