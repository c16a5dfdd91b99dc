# SPDX-License-Identifier: MIT
"""The rules of drift, on the results that the repository tracks."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from drift.small_study import drift_between, tracked_config

from reproduction.drift.changes import (
    ColumnRoles,
    Kind,
    compare_tables,
    numeric,
    read_table,
    roles_of_columns,
    row_labels,
)
from reproduction.drift.spec import DriftSpec

pytestmark = pytest.mark.repository

RESULTS = Path(__file__).resolve().parents[2] / "results"
TABLES = sorted([*RESULTS.glob("*/*.csv"), *RESULTS.glob("*/*/*.csv")])
FOLDERS = {
    folder: [path for path in TABLES if path.parent == folder]
    for folder in sorted({path.parent for path in TABLES})
}
"""The tables of each study, and those of all."""

ROWS = 100
"""Of a table with a mistake, so many rows are compared: one mistake is as good as on all rows."""


def name_of(path: Path) -> str:
    return str(path.relative_to(RESULTS))


@cache
def header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


@dataclass(frozen=True)
class Tracked:
    """A tracked table, how it is compared, and what its columns are for."""

    cells: pd.DataFrame
    config: DriftSpec
    roles: ColumnRoles


@cache
def tracked(path: Path) -> Tracked:
    config = tracked_config().of("/".join(path.relative_to(RESULTS).with_suffix("").parts[1:]))
    cells = read_table(path)
    return Tracked(cells, config, roles_of_columns(cells, config))


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_the_rows_of_a_tracked_table_can_be_told_apart(folder):
    for path in FOLDERS[folder]:
        table = tracked(path)
        found = compare_tables(table.cells, table.cells, table.config, table.roles)
        assert found.changes == (), path


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_another_word_in_a_text_of_a_tracked_table_is_named(folder):
    for table in map(tracked, FOLDERS[folder]):
        for column in table.roles.texts:
            row = table.cells[column].str.len().idxmax()
            accepted = table.cells.loc[row : row + ROWS]
            fresh = accepted.copy()
            first, space, rest = accepted.loc[row, column].partition(" ")
            fresh.loc[row, column] = f"{first}s{space}{rest}"
            (change,) = compare_tables(accepted, fresh, table.config, table.roles).changes
            keys = row_labels(accepted.loc[[row]], table.roles.keys)[0]
            assert (change.kind, change.row, change.column) == (Kind.TEXT, keys, column)


IDENTIFYING = {
    *(
        "algorithm",
        "artifact",
        "compared",
        "design",
        "function",
        "gain",
        "known",
        "lemma",
        "list_form",
    ),
    *("odds_are", "package", "panel", "paper", "popularity_and_average_rating", "ranking"),
    *("rating_depends_on", "ratings", "role", "study", "tested", "title"),
    *("x_evaluation", "x_metric", "y_evaluation", "y_metric"),
    # The first columns of tables of words.
    *("Alternative", "Cranfield paradigm", "Design setting", "Information retrieval"),
    *("Symbol", "Task element"),
}
"""Columns that say which row it is, though in no tracked table they alone tell two rows apart."""


def test_a_column_of_words_says_which_row_it_is_or_is_declared():
    needed, spared = set(), set()
    for path in TABLES:
        table, keys = tracked(path).cells, tracked(path).roles.keys
        # Of a column that is needed anywhere, or named, no more is to be known.
        for column in (key for key in keys if key not in needed | IDENTIFYING):
            if not numeric(table[column].drop_duplicates()).all():
                others = [key for key in keys if key != column]
                apart = not table.duplicated(others).any() if others else len(table) < 2
                (spared if apart else needed).add(column)
    assert spared - needed == set(), (
        "name the others under words or texts in config/drift.yaml, or here"
    )


WITH_FOLDS = [path for path in TABLES if {"fold", "value"} <= set(header(path))]


@pytest.mark.parametrize("path", WITH_FOLDS, ids=name_of)
def test_swapped_folds_of_a_tracked_table_are_caught(path, tmp_path):
    accepted = tracked(path).cells
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
    accepted = tracked(path).cells
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
    accepted = tracked(path).cells
    roles = roles_of_columns(accepted, tracked_config())
    assert "lists" in roles.counts
    # Rows that average nothing, such as those of a curve, have no lists.
    row = accepted.index[accepted["lists"] != ""][0]
    accepted = accepted.loc[row : row + ROWS]
    fresh = accepted.copy()
    fresh.loc[row, "lists"] = str(int(accepted.loc[row, "lists"]) - 1)
    (change,) = compare_tables(accepted, fresh, tracked_config(), roles).changes
    assert (change.kind, change.column, change.difference) == (Kind.COUNT, "lists", -1)
