"""The rules of drift, on the results that the repository tracks."""

from pathlib import Path

import pandas as pd
import pytest
from drift.small_study import drift_between, tracked_config

from receval.drift.changes import Kind
from receval.drift.comparison import ArtifactStatus
from receval.drift.tables import read_table, roles_of_columns

RESULTS = Path(__file__).resolve().parents[2] / "results"
TABLES = sorted(RESULTS.glob("*/*/*.csv"))


def name_of(path: Path) -> str:
    return str(path.relative_to(RESULTS))


def header(path: Path) -> list[str]:
    return pd.read_csv(path, nrows=0).columns.tolist()


@pytest.mark.parametrize("path", TABLES, ids=name_of)
def test_the_rows_of_a_tracked_table_can_be_told_apart(path, tmp_path):
    text = path.read_text()
    result = drift_between(text, text, tmp_path)
    assert result.status is ArtifactStatus.SAME, result.changes


WITH_FOLDS = [path for path in TABLES if {"fold", "value"} <= set(header(path))]


@pytest.mark.parametrize("path", WITH_FOLDS, ids=name_of)
def test_swapped_folds_of_a_tracked_table_are_caught(path, tmp_path):
    accepted = read_table(path)
    first, second = sorted(fold for fold in accepted["fold"].unique() if fold.isdigit())[:2]
    swapped = accepted.assign(fold=accepted["fold"].replace({first: second, second: first}))
    assert drift_between(accepted, swapped, tmp_path).drifted


# In the multiverse, lists are a decision and not a number.
WITH_LISTS = [
    path for path in TABLES if "lists" in header(path) and path.parent.name != "multiverse"
]
# Means over samples of judgments are no whole numbers of lists.
WITH_MEAN_LISTS = [path for path in WITH_LISTS if path.stem == "sampled_system_values"]


@pytest.mark.parametrize("path", WITH_MEAN_LISTS, ids=name_of)
def test_a_user_dropped_from_every_sample_is_caught(path, tmp_path):
    accepted = read_table(path)
    fresh = accepted.copy()
    fresh.loc[0, "lists"] = str(float(accepted.loc[0, "lists"]) - 1)
    (change,) = drift_between(accepted, fresh, tmp_path).changes
    assert (change.kind, change.column, change.difference) == (Kind.VALUE, "lists", -1)


@pytest.mark.parametrize(
    "path", [path for path in WITH_LISTS if path not in WITH_MEAN_LISTS], ids=name_of
)
def test_a_user_dropped_from_a_tracked_table_is_caught(path, tmp_path):
    accepted = read_table(path)
    assert "lists" in roles_of_columns(accepted, tracked_config()).counts
    fresh = accepted.copy()
    # Rows that average nothing, such as those of a curve, have no lists.
    row = accepted.index[accepted["lists"] != ""][0]
    fresh.loc[row, "lists"] = str(int(accepted.loc[row, "lists"]) - 1)
    (change,) = drift_between(accepted, fresh, tmp_path).changes
    assert (change.kind, change.column, change.difference) == (Kind.COUNT, "lists", -1)
