# SPDX-License-Identifier: MIT
"""Figure 8 of canamares2020 on a few ratings: averages over all users and over those covered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel
from studies.compared_experiments import (
    OVERLAPS,
    STUDY,
    inputs_of_overlaps,
    parameters_of,
    precision,
)
from studies.prepared import display_of, drawn, family_of, problems_of, saved

from receval.multiverse.decisions import Configuration
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.canamares2020 import coverage


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    return inputs_of_overlaps(tmp_path_factory.mktemp("overlaps"))


@pytest.fixture(scope="module")
def of_both(inputs: ArtifactInputs) -> pd.DataFrame:
    """The numbers of both datasets."""
    return coverage.data_fig08(inputs)


def test_the_full_average_is_the_coverage_times_the_reduced_one(of_both: pd.DataFrame) -> None:
    results = of_both
    keys = ["dataset", "metric", "system"]
    metrics = results[~results["metric"].str.contains("Coverage")]
    values = metrics.pivot_table(index=keys, columns="average", values="value")
    assert len(values) == 2 * 4 * 9
    np.testing.assert_allclose(values["coverage x reduced"], values["full"], atol=1e-12)
    # As the paper prints it, the reduced average would be smaller than the full one.
    assert (values["coverage x full"] < values["reduced"]).all()
    coverage = results[results["metric"].isin(["UserCoverage", "Coverage@1"])]
    assert set(coverage["average"]) == {"full"}
    # Seven users have no list; not all others have a test rating.
    tested = coverage["lists"]
    assert tested.between(28, 30).all()
    np.testing.assert_allclose(coverage["value"], (tested - 7) / tested)


def test_systems_are_compared_with_mf_on_users_whom_both_cover(
    inputs: ArtifactInputs, of_both: pd.DataFrame
) -> None:
    results = of_both[of_both["dataset"] == "ml-1m"]
    rows = results[(results["metric"] == "P@10") & (results["system"] == "knn-overlap-10")]
    rows = rows.set_index("average")
    experiment = inputs.experiments["ml-1m-overlap"]
    knn, mf = (precision(experiment, name, 0) for name in ("knn-overlap-10", "ranksys-mf"))
    assert rows.loc["full", "p_value"] == pytest.approx(ttest_rel(mf, knn).pvalue)
    covered = ttest_rel(mf[7:], knn[7:]).pvalue
    assert rows.loc["reduced", "p_value"] == pytest.approx(covered)
    assert rows.loc["reduced", "value"] == pytest.approx(knn[7:].mean())
    assert rows.loc["reduced", "minimum_overlap"] == "10"
    assert rows["lists"].to_dict() == {
        "full": len(knn),
        "reduced": len(knn) - 7,
        "coverage x reduced": len(knn) - 7,
        "coverage x full": len(knn),
    }


@pytest.mark.costly
@pytest.mark.parametrize("without_list", [7, 30])
def test_figure_8_draws_averages_above_and_coverage_below(
    tmp_path: Path, of_both: pd.DataFrame, without_list: int
) -> None:
    datasets, absent, numbers = ("ml-1m", "netflix"), (), of_both
    if without_list != 7:
        datasets, absent = ("ml-1m",), ("netflix",)
        numbers = coverage.data_fig08(inputs_of_overlaps(tmp_path, datasets, without_list))
    results = saved(numbers, tmp_path)
    figure = drawn(family_of(STUDY, "fig08"), results, display_of(STUDY, "fig08", absent))
    assert problems_of(figure) == []
    above, below = figure.axes[: len(datasets)], figure.axes[len(datasets) :]
    for upper, lower in zip(above, below, strict=True):
        reduced, full, mf, text = upper.lines[:4]
        for curve in (reduced, full, *lower.lines):
            assert list(curve.get_xdata()) == list(OVERLAPS)
        assert upper.get_ylim()[0] == 0
        assert (mf.get_linestyle(), text.get_linestyle()) == ("-", "--")
        assert len(set(mf.get_ydata())) == 1
        assert np.isnan(reduced.get_ydata()).all() == (without_list == 30)


def test_the_starting_configuration_has_the_metrics_of_figure_8() -> None:
    labels = parameters_of("fig08")["metrics"]
    for form in ("full", "condensed"):
        start = Configuration(lists=form)
        assert {start.metric_label, start.replace(metric={"name": "P"}).metric_label} <= set(labels)
