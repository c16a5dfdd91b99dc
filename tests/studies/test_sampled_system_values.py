# SPDX-License-Identifier: MIT
"""Rank stability and mean values again, from the values of the systems under sampled judgments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, saved
from studies.test_rank_stability import (
    MEASURES,
    NINE_SYSTEMS,
    PERCENTS,
    inputs_from,
    write_sampling,
)

from receval.figures.printed_numbers import significant
from reproduction.studies.metric_studies import system_values
from reproduction.studies.metric_studies.rank_stability import read_samplings

COLUMNS = [f"value_{system}" for system in NINE_SYSTEMS]


def traced(folder: Path, *archives: Path) -> pd.DataFrame:
    """Return the values as their file has them."""
    present = ("ml-1m", "librarything")
    return saved(system_values.data_sampled(inputs_from(*archives, present=present)), folder)


def test_a_row_has_the_means_over_the_samples_of_a_level(tmp_path: Path) -> None:
    archives = [
        write_sampling(tmp_path / "ratings.npz", "librarything", "ml-1m"),
        write_sampling(tmp_path / "items.npz", "ml-1m", seed=2),
    ]
    table = traced(tmp_path, *archives)
    assert len(table) == 3 * len(MEASURES) * len(PERCENTS)
    keys = ["dataset", "judgment_sampling", "average", "metric", "kept_percent"]
    assert table["dataset"].is_monotonic_decreasing  # ml-1m, librarything: as configured
    table = table.set_index(keys)
    for path in archives:
        for values in read_samplings(path):
            for index, (average, metric) in enumerate(MEASURES):
                for level, percent in enumerate(PERCENTS):
                    row = table.loc[(values.dataset, path.stem, average, metric, percent)]
                    means = values.values[level, :, index].mean(axis=0)
                    np.testing.assert_allclose(row[COLUMNS].to_numpy(dtype=float), means)
                    assert row["lists"] == pytest.approx(values.evaluated_users[level].mean())


def test_the_table_has_a_row_for_each_system_and_a_column_for_each_level(tmp_path: Path) -> None:
    table = traced(tmp_path, write_sampling(tmp_path / "ratings.npz", "ml-1m"))
    display = display_of("valcarce2020", "sampled_system_values")
    titled = next(iter(display.systems.values()))
    display = replace(
        display,
        systems=dict.fromkeys(NINE_SYSTEMS, titled),
        parameters={
            "printed": "RR@5",
            "printed_sampling": "ratings",
            "printed_percents": [100, 10],
        },
    )
    printed = system_values.tabulate_sampled(table, display)
    assert [c.header for c in printed.columns] == ["Dataset", "System", "100 %", "10 %"]
    shown = table[(table["average"] == "arithmetic") & (table["metric"] == "RR@5")]
    values = shown.set_index("kept_percent")[COLUMNS]
    assert [row[2:] for row in printed.rows] == [
        tuple(significant(values.loc[percent, name]) for percent in (100, 10)) for name in COLUMNS
    ]


def test_a_level_that_the_sampling_lacks_is_refused_with_those_that_it_has(tmp_path: Path) -> None:
    table = traced(tmp_path, write_sampling(tmp_path / "ratings.npz", "ml-1m"))
    parameters = {"printed": "RR@5", "printed_sampling": "ratings", "printed_percents": [100, 7]}
    display = replace(display_of("valcarce2020", "sampled_system_values"), parameters=parameters)
    with pytest.raises(ValueError, match=r"has 7, but the judgment sampling ratings has only"):
        system_values.tabulate_sampled(table, display)
