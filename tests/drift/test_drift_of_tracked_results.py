# SPDX-License-Identifier: MIT
"""The rules of drift, on the results that the repository tracks."""

import csv
from functools import cache
from pathlib import Path

import pytest
from drift.small_study import drift_between, tracked_config

from receval.drift.changes import Kind, compare_tables
from receval.drift.tables import read_table, roles_of_columns

RESULTS = Path(__file__).resolve().parents[2] / "results"
TABLES = sorted(RESULTS.glob("*/*/*.csv"))


def name_of(path: Path) -> str:
    return str(path.relative_to(RESULTS))


@cache
def header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


@pytest.mark.parametrize("path", TABLES, ids=name_of)
def test_the_rows_of_a_tracked_table_can_be_told_apart(path):
    table = read_table(path)
    assert compare_tables(table, table, tracked_config()).changes == ()


ROWS = 100
"""Of a table with a mistake, so many rows are compared: one mistake is as good as on all rows."""

WITH_FOLDS = [path for path in TABLES if {"fold", "value"} <= set(header(path))]


@pytest.mark.parametrize("path", WITH_FOLDS, ids=name_of)
def test_swapped_folds_of_a_tracked_table_are_caught(path, tmp_path):
    accepted = read_table(path)
    first, second = sorted(fold for fold in accepted["fold"].unique() if fold.isdigit())[:2]
    accepted = accepted[accepted["fold"].isin([first, second])].groupby("fold").head(ROWS)
    swapped = accepted.assign(fold=accepted["fold"].replace({first: second, second: first}))
    assert drift_between(accepted, swapped, tmp_path).drifted


# In the multiverse, lists are a decision and not a number.
WITH_LISTS = [
    path for path in TABLES if "lists" in header(path) and path.parent.name != "multiverse"
]
# Means over samples of judgments are no whole numbers of lists.
WITH_MEAN_LISTS = [path for path in WITH_LISTS if path.stem == "sampled_system_values"]


@pytest.mark.parametrize("path", WITH_MEAN_LISTS, ids=name_of)
def test_a_user_dropped_from_every_sample_is_caught(path):
    accepted = read_table(path)
    roles = roles_of_columns(accepted, tracked_config())
    accepted = accepted.head(ROWS)
    fresh = accepted.copy()
    fresh.loc[0, "lists"] = str(float(accepted.loc[0, "lists"]) - 1)
    (change,) = compare_tables(accepted, fresh, tracked_config(), roles).changes
    assert (change.kind, change.column, change.difference) == (Kind.VALUE, "lists", -1)


@pytest.mark.parametrize(
    "path", [path for path in WITH_LISTS if path not in WITH_MEAN_LISTS], ids=name_of
)
def test_a_user_dropped_from_a_tracked_table_is_caught(path):
    accepted = read_table(path)
    roles = roles_of_columns(accepted, tracked_config())
    assert "lists" in roles.counts
    # Rows that average nothing, such as those of a curve, have no lists.
    row = accepted.index[accepted["lists"] != ""][0]
    accepted = accepted.loc[row : row + ROWS]
    fresh = accepted.copy()
    fresh.loc[row, "lists"] = str(int(accepted.loc[row, "lists"]) - 1)
    (change,) = compare_tables(accepted, fresh, tracked_config(), roles).changes
    assert (change.kind, change.column, change.difference) == (Kind.COUNT, "lists", -1)
