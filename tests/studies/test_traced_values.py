# SPDX-License-Identifier: MIT
"""Coefficients and tests of the studies of metrics, again from the values of the systems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, inputs_of, saved, write_experiment

from receval.figures.printed_numbers import significant
from receval.protocols.protocol import Protocol
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.metric_studies import metric_agreement, p_values, system_values

SYSTEMS = ("pop", "random", "slim", "svd", "lda", "uir")
NAMES = ("P", "F1", "MRR")
PARAMETERS: dict[str, Any] = {
    "names": NAMES,
    "metrics": ("P@5", "F1@5", "RR@5"),
    "released": ("P(depth=7)", "F1(depth=7)", "RR(depth=7)"),
    "averages": ("arithmetic", "geometric", "geometric(zeros=one)"),
    "permutations": 50,
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    """One dataset in two folds, of which not every user is tested in both."""
    folder = tmp_path_factory.mktemp("traced")
    described = write_experiment(
        folder, "ml-1m", SYSTEMS, [Protocol()], evaluated_users="tested", folds=2, tested_share=0.1
    )
    return inputs_of(folder, experiments={"movielens": described}, **PARAMETERS)


@pytest.fixture(scope="module")
def traced(inputs: ArtifactInputs, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The values as their file has them."""
    return saved(system_values.data(inputs), tmp_path_factory.mktemp("csv"))


def values_of(
    traced: pd.DataFrame, form: str = "text", average: str = "arithmetic", first: str = "users"
) -> np.ndarray:
    """Return the values, a row a metric, a column a system."""
    rows = traced[
        (traced["form"] == form)
        & (traced["average"] == average)
        & (traced["averaged_first"] == first)
    ]
    assert rows["metric"].tolist() == [name for name in NAMES for _ in SYSTEMS]
    assert rows["system"].tolist() == list(SYSTEMS) * len(NAMES)
    return rows["value"].to_numpy(dtype=np.float64).reshape(len(NAMES), len(SYSTEMS))


def tau_of(values: np.ndarray) -> np.ndarray:
    return kendall_tau_b(values, values, TOLERANCE_OF_MEANS).ravel()


def test_coefficients_of_agreement_are_those_of_the_values(
    inputs: ArtifactInputs, traced: pd.DataFrame
) -> None:
    found = metric_agreement.data(inputs)
    np.testing.assert_allclose(found["tau"], tau_of(values_of(traced)))
    released = np.round(values_of(traced, "released"), metric_agreement.RELEASED_DIGITS)
    np.testing.assert_allclose(found["tau_released"], tau_of(released))


def test_geometric_coefficients_are_those_of_the_values(
    inputs: ArtifactInputs, traced: pd.DataFrame
) -> None:
    found = metric_agreement.data_geometric(inputs)
    floored = values_of(traced, average="geometric")
    np.testing.assert_allclose(found.loc[found["average"] == "geometric", "tau"], tau_of(floored))
    ones = values_of(traced, average="geometric(zeros=one)")
    # The released tool counts a user without a hit as 1 under F1 and RR.
    theirs = np.stack([floored[0], *ones[1:]])
    np.testing.assert_allclose(found.loc[found["average"] == "released", "tau"], tau_of(theirs))


def test_differences_that_are_tested_are_those_of_the_values(
    inputs: ArtifactInputs, traced: pd.DataFrame
) -> None:
    found = p_values.data_curves(inputs)
    by_folds_first = values_of(traced, first="folds")
    for row in found.to_dict("records"):
        of_metric = dict(zip(SYSTEMS, by_folds_first[NAMES.index(row["metric"])], strict=True))
        difference = of_metric[row["system_a"]] - of_metric[row["system_b"]]
        assert row["difference"] == pytest.approx(difference, abs=1e-9)
    # Otherwise a test of the other values would pass as well.
    assert np.abs(by_folds_first - values_of(traced)).max() > 1e-4


def test_lists_are_the_users_that_a_value_averages(
    inputs: ArtifactInputs, traced: pd.DataFrame
) -> None:
    experiment = inputs.experiments["movielens"]
    tested = [set(experiment.fold(number).test.users.tolist()) for number in experiment.folds]
    by_first = traced.groupby("averaged_first")["lists"].unique()
    assert by_first["users"].tolist() == [sum(map(len, tested))]
    assert by_first["folds"].tolist() == [len(set.union(*tested))]


def test_a_split_of_one_fold_has_its_values_once(tmp_path: Path) -> None:
    described = write_experiment(
        tmp_path, "ml-1m", SYSTEMS, [Protocol()], evaluated_users="tested", folds=1
    )
    inputs = inputs_of(tmp_path, experiments={"movielens": described}, **PARAMETERS)
    table = system_values.data(inputs)
    assert table["averaged_first"].unique().tolist() == ["users"]
    assert len(table) == (3 + 1) * len(NAMES) * len(SYSTEMS)


def test_a_row_of_the_table_is_a_system_s_means(traced: pd.DataFrame) -> None:
    display = replace(
        display_of("valcarce2020", "system_values"), parameters={"printed": ["MRR", "P"]}
    )
    table = system_values.tabulate(traced, display)
    values = values_of(traced)
    assert [column.header for column in table.columns] == ["Dataset", "System", "MRR", "P"]
    assert len(table.rows) == len(SYSTEMS)
    for row, of_system in zip(table.rows, values.T, strict=True):
        assert row[0] == "ML-1M twin"
        assert row[2:] == (significant(of_system[2]), significant(of_system[0]))
