# SPDX-License-Identifier: MIT
"""Pairs of metrics over the systems: coordinates, Kendall's tau, coverage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from studies.prepared import display_of, inputs_of
from studies.values_of_systems import OBSERVED, REAL, RELEASED, SYSTEMS, rows, write_values

from receval.storage.files import write_results
from reproduction.studies.menamaldonado2021.metric_scatter import Axis, Panel, data, panels_of

STUDY = "menamaldonado2021"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write_values(tmp_path)


def pairs(results: Path, x: Axis, y: Axis, **parameters: Any) -> pd.DataFrame:
    inputs = inputs_of(
        results.parent,
        results={"values": results},
        shown={"films": True, "elsewhere": False},
        **{
            "x_evaluation": x.evaluation,
            "x_metrics": (x.metric,),
            "y_evaluation": y.evaluation,
            "y_metrics": (y.metric,),
            **parameters,
        },
    )
    return data(inputs)


def observed(metric: str) -> Axis:
    return Axis("observed", metric)


def real(metric: str) -> Axis:
    return Axis("real", metric)


# --- tau --------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["P@10", "antiP@10", "RR@10"])
def test_tau_and_its_p_value_are_scipy_s_over_the_systems_alone(results: Path, metric: str) -> None:
    table = pairs(results, observed(metric), real(metric))
    text = table[table["form"] == "text"]
    # The other experiment has no data.
    assert set(table["experiment"]) == {"films"}
    assert text["system"].tolist() == list(SYSTEMS)
    expected = kendalltau(OBSERVED[metric][:5], REAL[metric][:5])
    assert set(text["tau"]) == {expected.statistic}
    assert set(text["p_value"]) == {expected.pvalue}
    assert set(text["systems"]) == {5}
    assert text["x"].tolist() == OBSERVED[metric][:5]
    assert text["y"].tolist() == REAL[metric][:5]


def test_optimal_rankings_that_are_shown_do_not_move_tau(results: Path) -> None:
    axes = observed("antiP@10"), observed("P@10")
    without = pairs(results, *axes)
    table = pairs(results, *axes, optimal=("best-p", "best-antip"), optimal_with=("P@10",))
    assert table["system"].tolist() == [*SYSTEMS, "best-p", "best-antip"]
    assert table["role"].tolist() == ["system"] * 5 + ["optimal"] * 2
    assert set(table["tau"]) == set(without["tau"]) == {0.6}
    with_them = kendalltau(OBSERVED["antiP@10"], OBSERVED["P@10"]).statistic
    assert with_them != pytest.approx(0.6)


def test_ties_are_those_of_tau_b(tmp_path: Path) -> None:
    x, y = [0.1, 0.1, 0.2, 0.3, 0.4], [0.5, 0.4, 0.4, 0.4, 0.1]
    table = [
        row
        for metric, values in (("P@10", x), ("antiP@10", y))
        for row in rows("observed", "text", metric, [*values, 0, 0, 0])
    ]
    write_results(pd.DataFrame(table), tmp_path / "values.csv")
    found = pairs(tmp_path / "values.csv", observed("P@10"), observed("antiP@10"))
    # Of ten pairs one is tied in x, three in y; six fall and none rises.
    assert found["tau"].to_numpy() == pytest.approx(-6 / np.sqrt(9 * 7))


# --- which systems and which forms ------------------------------------------------------------


def test_optimal_rankings_are_in_the_panels_that_the_figure_names_alone(results: Path) -> None:
    table = pairs(
        results,
        observed("antiP@10"),
        observed("P@10"),
        x_metrics=("antiP@10", "antiP@10"),
        y_metrics=("P@10", "RR@10"),
        optimal=("best-real",),
        optimal_with=("P@10",),
    )
    shown = table[table["form"] == "text"].groupby("y_metric")["system"].apply(list)
    assert shown["P@10"] == [*SYSTEMS, "best-real"]
    assert shown["RR@10"] == list(SYSTEMS)


def test_the_released_form_may_have_another_optimal_ranking(results: Path) -> None:
    table = pairs(
        results,
        observed("RR@10"),
        real("RR@10"),
        optimal=("best-p",),
        optimal_released=("best-real",),
        optimal_with=("RR@10",),
    )
    shown = table.groupby("form")["system"].apply(list)
    assert shown["text"] == [*SYSTEMS, "best-p"]
    assert shown["released"] == [*SYSTEMS, "best-real"]


def test_the_released_form_is_that_of_the_metric_of_the_same_name(results: Path) -> None:
    label = "nDCG(gain=steps)@10"
    table = pairs(results, observed(label), real(label))
    assert table["form"].tolist() == ["text"] * 5 + ["released"] * 5
    assert set(table["x_metric"]) == set(table["y_metric"]) == {label}
    released = table[table["form"] == "released"]
    assert released["x"].tolist() == RELEASED["observed", "nDCG(gain=cm100k)@10"][:5]
    assert released["y"].tolist() == RELEASED["real", "nDCG(gain=cm100k)@10"][:5]
    assert table["tau"][:5].to_numpy() == pytest.approx(-1)
    assert set(released["tau"]) == {
        kendalltau(released["x"].to_numpy(), released["y"].to_numpy()).statistic
    }


def test_an_axis_that_the_released_code_shares_with_the_text_is_that_of_the_text(
    results: Path,
) -> None:
    table = pairs(results, observed("RR@10"), real("RR@10"))
    released = table[table["form"] == "released"]
    assert released["x"].tolist() == RELEASED["observed", "RR@10"][:5]
    assert released["y"].tolist() == REAL["RR@10"][:5]


def test_where_no_axis_differs_there_is_no_released_form(results: Path) -> None:
    table = pairs(results, observed("antiP@10"), real("P@10"))
    assert set(table["form"]) == {"text"}


def test_condensed_metrics_have_no_released_form_of_full_ones(tmp_path: Path) -> None:
    condensed = "P(condensed=true,denominator=filled)@10"
    full, short, released = [0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.1, 0.2, 0.4, 0.3], [0.9] * 5
    table = [
        row
        for form, metric, values in (
            ("text", "P@10", full),
            ("text", "antiP@10", full),
            ("text", condensed, short),
            ("text", f"anti{condensed}", full),
            ("released", "P@10", released),
        )
        for row in rows("observed", form, metric, [*values, 0, 0, 0])
    ]
    write_results(pd.DataFrame(table), tmp_path / "values.csv")
    found = pairs(tmp_path / "values.csv", observed("antiP@10"), observed(condensed))
    assert set(found["form"]) == {"text"}
    assert found["y"].tolist() == short


@pytest.mark.parametrize(
    ("x", "y", "named"),
    [
        (observed("Recall@10"), observed("P@10"), "observed Recall@10"),
        (observed("P@10"), real("nDCL@10"), "real nDCL@10"),
        (observed("P@5"), observed("P@10"), "observed P@5"),
    ],
)
def test_a_metric_that_the_values_lack_is_refused_by_name(
    results: Path, x: Axis, y: Axis, named: str
) -> None:
    with pytest.raises(
        ValueError,
        match=f"has no {named} of the experiment films: name the metric in its parameters",
    ):
        pairs(results, x, y)


def test_panels_come_metric_by_metric_each_over_all_experiments() -> None:
    shown = ("movielens", "yahoo", "cm100k")
    panels = panels_of(display_of(STUDY, "fig12", edition="full").parameters, shown)
    assert [(panel.y.metric, panel.experiment) for panel in panels] == [
        (metric, experiment) for metric in ("P@10", "Recall@10") for experiment in shown
    ]
    assert panels[0] == Panel("movielens", observed("antiP@10"), observed("P@10"))


# --- coverage ---------------------------------------------------------------------------------


def test_coverage_is_the_mean_share_of_judged_items_over_what_the_figure_shows(
    results: Path,
) -> None:
    table = pairs(results, observed("P@10"), real("P@10"))
    # Observed: mean precision .3 and mean anti-precision .108 of the five systems.
    assert table["x_coverage"].to_numpy() == pytest.approx(0.30 + 0.108)
    assert table["y_coverage"].to_numpy() == pytest.approx(0.296 + 0.346)


def test_optimal_rankings_of_the_figure_count_for_coverage_in_all_its_panels(results: Path) -> None:
    # As the paper's 16 systems and two optimal rankings.
    table = pairs(
        results,
        observed("antiP@10"),
        observed("P@10"),
        x_metrics=("antiP@10", "antiP@10"),
        y_metrics=("P@10", "RR@10"),
        optimal=("best-p", "best-antip"),
        optimal_with=("P@10",),
    )
    sums = np.array(OBSERVED["P@10"]) + np.array(OBSERVED["antiP@10"])
    text = table[table["form"] == "text"]
    assert set(text["y_metric"]) == {"P@10", "RR@10"}
    assert text["x_coverage"].to_numpy() == pytest.approx(sums[:7].mean())


def test_an_optimal_ranking_that_the_values_lack_is_refused(results: Path) -> None:
    with pytest.raises(ValueError, match="names optimal-obs, but the optimal rankings among"):
        pairs(results, observed("antiP@10"), observed("P@10"), optimal=("optimal-obs",))
