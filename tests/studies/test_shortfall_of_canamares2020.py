# SPDX-License-Identifier: MIT
"""Figure 8 of canamares2020 on a few ratings: averages over all users and over those covered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from studies.compared_experiments import (
    OVERLAPS,
    STUDY,
    inputs_of_overlaps,
    parameters_of,
    precision,
)
from studies.prepared import display_of, drawn, problems_of, saved

from receval.multiverse.decisions import Configuration
from reproduction.studies.canamares2020 import fig08


def test_the_full_average_is_the_coverage_times_the_reduced_one(tmp_path: Path) -> None:
    results = fig08.data(inputs_of_overlaps(tmp_path))
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


def test_systems_are_compared_with_mf_on_users_whom_both_cover(tmp_path: Path) -> None:
    inputs = inputs_of_overlaps(tmp_path, ("ml-1m",))
    results = fig08.data(inputs)
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
@pytest.mark.parametrize(
    ("datasets", "absent", "without_list"),
    [(("ml-1m", "netflix"), (), 7), (("ml-1m",), ("netflix",), 30)],
)
def test_figure_8_draws_averages_above_and_coverage_below(
    tmp_path: Path, datasets: tuple[str, ...], absent: tuple[str, ...], without_list: int
) -> None:
    results = saved(fig08.data(inputs_of_overlaps(tmp_path, datasets, without_list)), tmp_path)
    figure = drawn(fig08, results, display_of(STUDY, "fig08", absent))
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
