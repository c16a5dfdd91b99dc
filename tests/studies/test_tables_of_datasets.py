# SPDX-License-Identifier: MIT
"""Statistics of datasets, and the papers' tables that print them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from studies.prepared import display_of, inputs_of, ratings_of, saved

from receval.figures.tables import Table
from reproduction.studies._shared.tables import data_datasets, dataset_statistics, tabulate_datasets

# Ratings by item: 3, 1, 0, 0; by user: 2, 1, 1.
PLAIN = ratings_of([(0, 0, 5), (0, 1, 3), (1, 0, 4), (2, 0, 1)], n_users=3, n_items=4)
FLAGGED = ratings_of([(0, 0, 4), (0, 1, 3), (1, 0, 1)], 2, 2, known=[True, False, False])
# As the papers have them: MovieLens 1M and Yahoo! R3.
PUBLISHED: list[dict[str, Any]] = [
    {
        "dataset": "ml-1m",
        "users": 6040,
        "items": 3706,
        "ratings": 1000209,
        "density_percent": 4.468362562,
        "item_gini": 0.634426,
        "user_gini": 0.528838,
        "known_ratings": 0,
        "unknown_ratings": 0,
    },
    {
        "dataset": "yahoo-r3",
        "users": 5400,
        "items": 1000,
        "ratings": 183179,
        "density_percent": 3.392203704,
        "item_gini": 0.4,
        "user_gini": 0.5,
        "known_ratings": 129179,
        "unknown_ratings": 54000,
    },
]


def test_statistics_by_hand() -> None:
    rows = dataset_statistics([("ml-1m", PLAIN), ("cm100k", FLAGGED)])
    assert rows.to_dict("records") == [
        {
            "dataset": "ml-1m",
            "users": 3,
            "items": 4,
            "ratings": 4,
            "density_percent": pytest.approx(100 * 4 / 12),
            # Weights -3, -1, 1, 3 over 0, 0, 1, 3: (1 + 9) / (4 * 4).
            "item_gini": pytest.approx(10 / 16),
            # Weights -2, 0, 2 over 1, 1, 2: 2 / (3 * 4).
            "user_gini": pytest.approx(2 / 12),
            "known_ratings": 0,
            "unknown_ratings": 0,
        },
        {
            "dataset": "cm100k",
            "users": 2,
            "items": 2,
            "ratings": 3,
            "density_percent": pytest.approx(75),
            "item_gini": pytest.approx(1 / 6),
            "user_gini": pytest.approx(1 / 6),
            "known_ratings": 1,
            "unknown_ratings": 2,
        },
    ]


TABLES = [
    (
        ("valcarce2018", "table2"),
        ["users", "items", "ratings", "density_percent", "item_gini", "user_gini"],
    ),
    (("canamares2020", "table1"), ["users", "items", "ratings", "density_percent"]),
    (
        ("menamaldonado2021", "table2"),
        ["users", "items", "ratings", "known_ratings", "unknown_ratings"],
    ),
]


@pytest.mark.parametrize(("artifact", "columns"), TABLES)
def test_each_table_has_its_columns_and_one_row_a_dataset(
    tmp_path: Path, artifact: tuple[str, str], columns: list[str]
) -> None:
    parameters = display_of(*artifact).parameters
    inputs = inputs_of(tmp_path, {"ml-1m": PLAIN, "cm100k": FLAGGED}, **parameters)
    results = data_datasets(inputs)
    assert list(results.columns) == ["dataset", *columns]
    expected = dataset_statistics(inputs.all_ratings())[["dataset", *columns]]
    pd.testing.assert_frame_equal(results, expected)


def printed(tmp_path: Path, study: str, artifact: str, *absent: str) -> Table:
    """Print the published numbers from the columns that the table's CSV has."""
    display = display_of(study, artifact)
    columns = ["dataset", *display.parameters["columns"]]
    rows = [row for row in PUBLISHED if row["dataset"] in display.datasets]
    results = saved(pd.DataFrame(rows)[columns], tmp_path)
    return tabulate_datasets(results, display_of(study, artifact, absent))


@pytest.mark.each(
    ("artifact", "absent", "rows"),
    [
        (
            ("valcarce2018", "table2"),
            (),
            [("ML-1M twin", "6,040", "3,706", "1,000,209", "4.468", ".634")],
        ),
        (
            ("valcarce2020", "table2"),
            (),
            [("ML-1M twin", "6,040", "3,706", "1,000,209", "4.468", ".529", ".634")],
        ),
        (
            ("canamares2020", "table1"),
            ("netflix",),
            [("ML-1M twin", "6,040", "3,706", "1,000,209", "4.468")],
        ),
        # What users rated in MovieLens they all chose; there is no part drawn for them.
        (
            ("menamaldonado2021", "table2"),
            (),
            [
                ("ML-1M twin", "6,040", "3,706", "1,000,209", "1,000,209", "none"),
                ("Yahoo! R3 twin", "5,400", "1,000", "183,179", "129,179", "54,000"),
            ],
        ),
    ],
)
def test_statistics_are_printed_as_each_paper_prints_them(
    tmp_path: Path, artifact: tuple[str, str], absent: tuple[str, ...], rows: list[tuple[str, ...]]
) -> None:
    table = printed(tmp_path, *artifact, *absent)
    assert table.rows == tuple(rows)
    headings = display_of(*artifact).parameters["headings"]
    assert [column.header for column in table.columns] == ["Dataset", *headings]
    assert [column.alignment for column in table.columns] == ["left", *["right"] * len(headings)]
    note = "Absent: Netflix twin (README: how to get the datasets)."
    assert table.notes == ((note,) if absent else ())
