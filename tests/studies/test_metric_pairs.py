"""Pairs of metrics over the systems: coordinates, Kendall's tau, coverage, published taus."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from studies.prepared import ROOT, inputs_of, look_of

from receval.config.settings import load_settings
from receval.figures.tables import to_markdown
from receval.metrics.parse import parse
from receval.plan import Plan
from receval.studies.inputs import ArtifactInputs
from receval.studies.menamaldonado2021 import taus
from receval.studies.metric_pairs import Axis, Panel, metric_pairs, panels_of
from receval.studies.numbers import read_numbers, write_numbers
from receval.studies.published import read_published_taus

STUDY = "menamaldonado2021"
PUBLISHED = ROOT / "config/published/taus.csv"
SYSTEMS = ("a", "b", "c", "d", "e")
OPTIMAL = ("best-p", "best-antip", "best-real")
PAIR = ["experiment", "x_evaluation", "x_metric", "y_evaluation", "y_metric"]

# Means over folds of five systems and three optimal rankings.
OBSERVED = {
    "P@10": [0.10, 0.20, 0.30, 0.40, 0.50, 0.60, 0.05, 0.55],
    "antiP@10": [0.05, 0.04, 0.10, 0.20, 0.15, 0.30, 0.01, 0.25],
    "RR@10": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
    "nDCG(gain=steps)@10": [0.5, 0.4, 0.3, 0.2, 0.1, 0.6, 0.7, 0.8],
}
REAL = {
    "P@10": [0.11, 0.19, 0.35, 0.33, 0.50, 0.61, 0.02, 0.70],
    "antiP@10": [0.50, 0.42, 0.30, 0.31, 0.20, 0.15, 0.60, 0.10],
    "RR@10": [0.15, 0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
    "nDCG(gain=steps)@10": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
}
RELEASED = {
    ("observed", "RR@10"): [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
    ("observed", "nDCG(gain=cm100k)@10"): [0.5, 0.3, 0.4, 0.2, 0.1, 0.6, 0.7, 0.8],
    ("real", "nDCG(gain=cm100k)@10"): [0.1, 0.3, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8],
}


def rows(
    evaluation: str, form: str, metric: str, values: list[float], experiment: str = "films"
) -> list[dict[str, Any]]:
    return [
        {
            "experiment": experiment,
            "dataset": "ml-1m",
            "split": "random-folds",
            "evaluation": evaluation,
            "form": form,
            "threshold": 4.0,
            "system": system,
            "role": "system" if system in SYSTEMS else "optimal",
            "metric": metric,
            "fold": fold,
            # Only means count.
            "value": value if fold == "mean" else 0.5,
            "lists": 10,
        }
        for fold in ("0", "mean")
        for system, value in zip((*SYSTEMS, *OPTIMAL), values, strict=True)
    ]


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    """The CSV of the artifact ``values`` with one experiment."""
    table = [
        row
        for evaluation, metrics in (("observed", OBSERVED), ("real", REAL))
        for metric, values in metrics.items()
        for row in rows(evaluation, "text", metric, values)
    ]
    for (evaluation, metric), values in RELEASED.items():
        table += rows(evaluation, "released", metric, values)
    write_numbers(pd.DataFrame(table), tmp_path / "values.csv")
    return tmp_path / "values.csv"


def pairs(numbers: Path, x: Axis, y: Axis, **parameters: Any) -> pd.DataFrame:
    inputs = inputs_of(
        numbers.parent,
        numbers={"values": numbers},
        shown={"films": True, "elsewhere": False},
        **{
            "x_evaluation": x.evaluation,
            "x_metrics": (x.metric,),
            "y_evaluation": y.evaluation,
            "y_metrics": (y.metric,),
            **parameters,
        },
    )
    return metric_pairs(inputs)


def observed(metric: str) -> Axis:
    return Axis("observed", metric)


def real(metric: str) -> Axis:
    return Axis("real", metric)


# --- tau --------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["P@10", "antiP@10", "RR@10"])
def test_tau_and_its_p_value_are_scipy_s_over_the_systems_alone(numbers: Path, metric: str) -> None:
    table = pairs(numbers, observed(metric), real(metric))
    text = table[table["form"] == "text"]
    assert text["system"].tolist() == list(SYSTEMS)
    expected = kendalltau(OBSERVED[metric][:5], REAL[metric][:5])
    assert set(text["tau"]) == {expected.statistic}
    assert set(text["p_value"]) == {expected.pvalue}
    assert set(text["systems"]) == {5}
    assert text["x"].tolist() == OBSERVED[metric][:5]
    assert text["y"].tolist() == REAL[metric][:5]


def test_optimal_rankings_that_are_shown_do_not_move_tau(numbers: Path) -> None:
    axes = observed("antiP@10"), observed("P@10")
    without = pairs(numbers, *axes)
    table = pairs(numbers, *axes, optimal=("best-p", "best-antip"), optimal_with=("P@10",))
    assert table["system"].tolist() == [*SYSTEMS, "best-p", "best-antip"]
    assert table["role"].tolist() == ["system"] * 5 + ["optimal"] * 2
    assert set(table["tau"]) == set(without["tau"]) == {0.6}
    with_them = kendalltau(OBSERVED["antiP@10"], OBSERVED["P@10"]).statistic
    assert with_them != pytest.approx(0.6)


def test_metrics_that_disagree_have_a_positive_tau_as_low_anti_precision_is_good(
    numbers: Path,
) -> None:
    # By observed values the most precise systems also have the most false positives: by precision e
    # is better than a, by anti-precision a is better than e.
    assert (pairs(numbers, observed("antiP@10"), observed("P@10"))["tau"] > 0).all()
    # By real values the most precise systems have the fewest.
    assert (pairs(numbers, real("antiP@10"), real("P@10"))["tau"] < 0).all()


def test_ties_are_those_of_tau_b(tmp_path: Path) -> None:
    x, y = [0.1, 0.1, 0.2, 0.3, 0.4], [0.5, 0.4, 0.4, 0.4, 0.1]
    table = [
        row
        for metric, values in (("P@10", x), ("antiP@10", y))
        for row in rows("observed", "text", metric, [*values, 0, 0, 0])
    ]
    write_numbers(pd.DataFrame(table), tmp_path / "values.csv")
    found = pairs(tmp_path / "values.csv", observed("P@10"), observed("antiP@10"))
    # Of ten pairs one is tied in x, three in y; six fall and none rises.
    assert found["tau"].to_numpy() == pytest.approx(-6 / np.sqrt(9 * 7))


# --- which systems and which forms ------------------------------------------------------------


def test_optimal_rankings_are_in_the_panels_that_the_figure_names_alone(numbers: Path) -> None:
    table = pairs(
        numbers,
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


def test_the_released_form_is_that_of_the_metric_of_the_same_name(numbers: Path) -> None:
    label = "nDCG(gain=steps)@10"
    table = pairs(numbers, observed(label), real(label))
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
    numbers: Path,
) -> None:
    table = pairs(numbers, observed("RR@10"), real("RR@10"))
    released = table[table["form"] == "released"]
    assert released["x"].tolist() == RELEASED["observed", "RR@10"][:5]
    assert released["y"].tolist() == REAL["RR@10"][:5]


def test_where_no_axis_differs_there_is_no_released_form(numbers: Path) -> None:
    table = pairs(numbers, observed("antiP@10"), real("P@10"))
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
    write_numbers(pd.DataFrame(table), tmp_path / "values.csv")
    found = pairs(tmp_path / "values.csv", observed("antiP@10"), observed(condensed))
    assert set(found["form"]) == {"text"}
    assert found["y"].tolist() == short


def test_an_experiment_whose_data_is_absent_has_no_rows(numbers: Path) -> None:
    assert set(pairs(numbers, observed("antiP@10"), observed("P@10"))["experiment"]) == {"films"}


@pytest.mark.parametrize(
    ("x", "y", "named"),
    [
        (observed("Recall@10"), observed("P@10"), "observed Recall@10"),
        (observed("P@10"), real("nDCL@10"), "real nDCL@10"),
        (observed("P@5"), observed("P@10"), "observed P@5"),
    ],
)
def test_a_metric_that_the_values_lack_is_refused_by_name(
    numbers: Path, x: Axis, y: Axis, named: str
) -> None:
    with pytest.raises(
        ValueError,
        match=f"has no {named} of the experiment films: name the metric in its parameters",
    ):
        pairs(numbers, x, y)


def test_panels_come_metric_by_metric_each_over_all_experiments() -> None:
    shown = ("movielens", "yahoo", "cm100k")
    panels = panels_of(look_of(STUDY, "fig12", edition="full").parameters, shown)
    assert [(panel.y.metric, panel.experiment) for panel in panels] == [
        (metric, experiment) for metric in ("P@10", "Recall@10") for experiment in shown
    ]
    assert panels[0] == Panel("movielens", observed("antiP@10"), observed("P@10"))


# --- coverage ---------------------------------------------------------------------------------


def test_coverage_is_the_mean_share_of_judged_items_over_what_the_figure_shows(
    numbers: Path,
) -> None:
    table = pairs(numbers, observed("P@10"), real("P@10"))
    # Observed: mean precision .3 and mean anti-precision .108 of the five systems.
    assert table["x_coverage"].to_numpy() == pytest.approx(0.30 + 0.108)
    assert table["y_coverage"].to_numpy() == pytest.approx(0.296 + 0.346)


def test_optimal_rankings_of_the_figure_count_for_coverage_in_all_its_panels(
    numbers: Path,
) -> None:
    # As the paper's 16 systems and two optimal rankings.
    table = pairs(
        numbers,
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


# --- published coefficients -------------------------------------------------------------------


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(load_settings(ROOT / "config", "full"), ROOT)


def test_published_taus_name_experiments_and_metrics_as_the_configuration_does(plan: Plan) -> None:
    published = read_published_taus(PUBLISHED)
    study = plan.settings.studies[STUDY]
    assert set(published["experiment"]) <= set(study.experiments)
    labels = {*published["x_metric"], *published["y_metric"]}
    assert [label for label in labels if parse(label).label != label] == []
    assert labels <= set(study.artifacts["values"].parameters["metrics"])
    for row in published.to_dict("records"):
        evaluations = study.experiments[row["experiment"]].evaluations
        assert {row["x_evaluation"], row["y_evaluation"]} <= set(evaluations)
    assert published["published"].between(-1, 1).all()


def test_every_published_tau_is_of_a_panel_of_its_figure_and_every_panel_has_one(
    plan: Plan,
) -> None:
    published = read_published_taus(PUBLISHED)
    for figure, own in published.groupby("figure"):
        artifact = plan.artifact(STUDY, str(figure))
        panels = panels_of(artifact.parameters, artifact.only_experiments)
        drawn = [
            (p.experiment, p.x.evaluation, p.x.metric, p.y.evaluation, p.y.metric) for p in panels
        ]
        assert Counter(own[PAIR].itertuples(index=False, name=None)) == Counter(drawn), figure
    assert set(published["figure"]) == {
        name for name, spec in plan.settings.studies[STUDY].artifacts.items()
        if "x_metrics" in spec.parameters
    }  # fmt: skip


def test_each_claim_has_one_tau_and_each_panel_of_a_figure_too() -> None:
    published = read_published_taus(PUBLISHED)
    assert published["claim"].is_unique
    assert not published.duplicated(["figure", *PAIR]).any()
    assert published["claim"].str.fullmatch(r"M-\d{3}").all()


HEADER = "claim,figure,experiment,x_evaluation,x_metric,y_evaluation,y_metric,published\n"
ROW = "M-001,fig12,films,observed,antiP@10,observed,P@10,"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (HEADER.replace("claim,", "") + "fig12,films,observed,a,observed,b,.5\n", "it must have"),
        (HEADER + ROW + "high\n", "every value in the column published must be a number"),
        (HEADER + ROW + "\n", "every value in the column published must be a number"),
        (HEADER + ROW + "0.5\n" + ROW + "0.6\n", "gives a value twice: M-001 fig12 films"),
    ],
)
def test_a_table_of_taus_that_is_not_clear_is_refused(
    tmp_path: Path, content: str, sentence: str
) -> None:
    path = tmp_path / "taus.csv"
    path.write_text("# A comment.\n" + content, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        read_published_taus(path)


def taus_of(
    numbers: Path, *published: tuple[str, str, float], tolerance: float = 0.1
) -> pd.DataFrame:
    """Compare published taus of panels, all on observed values of one experiment."""
    lines = [
        f"M-{place:03},fig99,films,observed,{x},observed,{y},{value}\n"
        for place, (x, y, value) in enumerate(published)
    ]
    lines.append("M-999,fig99,elsewhere,observed,antiP@10,observed,P@10,0.1\n")
    table = numbers.with_name("taus.csv")
    table.write_text(HEADER + "".join(lines), encoding="utf-8")
    return taus.data(inputs(numbers, published=table, tolerance=tolerance))


def inputs(numbers: Path, published: Path | None, **parameters: Any) -> ArtifactInputs:
    return inputs_of(
        numbers.parent,
        published=published,
        numbers={"values": numbers},
        shown={"films": True, "elsewhere": False},
        **parameters,
    )


def test_a_coefficient_of_an_unknown_experiment_is_refused(numbers: Path) -> None:
    published = numbers.parent / "taus.csv"
    row = "M-009,fig12,flims,observed,antiP@10,observed,P@10,0.5\n"
    published.write_text(HEADER + row, encoding="utf-8")
    with pytest.raises(
        ValueError, match="M-009 is of the experiment flims, but the study has film"
    ):
        taus.data(inputs(numbers, published, tolerance=0.1))


def test_an_optimal_ranking_that_the_values_lack_is_refused(numbers: Path) -> None:
    with pytest.raises(ValueError, match="names optimal-obs, but the optimal rankings among"):
        pairs(numbers, observed("antiP@10"), observed("P@10"), optimal=("optimal-obs",))


def test_every_published_tau_whose_data_is_there_has_ours_beside_it(numbers: Path) -> None:
    label = "nDCG(gain=steps)@10"
    table = taus_of(numbers, ("antiP@10", "P@10", 0.5), ("RR@10", label, -0.7))
    assert table["claim"].tolist() == ["M-000", "M-001"]
    assert table["systems"].tolist() == [5, 5]
    assert table["dataset"].tolist() == ["ml-1m", "ml-1m"]
    assert table["tau"].tolist() == pytest.approx([0.6, -1.0])
    assert table["tau_released"].tolist() == pytest.approx([0.6, -0.8])
    # The nearer of the two forms counts.
    assert table["tau_difference"].tolist() == pytest.approx([0.1, -0.1])
    assert table["p_value"].tolist() == pytest.approx(
        [
            kendalltau(OBSERVED["antiP@10"][:5], OBSERVED["P@10"][:5]).pvalue,
            kendalltau(OBSERVED["RR@10"][:5], OBSERVED[label][:5]).pvalue,
        ]
    )


@pytest.mark.parametrize(
    ("published", "within"),
    [
        (0.6, "yes"),
        (0.5, "yes"),
        (0.7, "yes"),
        # Published values have three digits: half of the last one may be rounding.
        (0.4996, "yes"),
        (0.499, ""),
        (0.7004, "yes"),
        (0.701, ""),
        (-0.6, ""),
    ],
)
def test_within_is_at_most_the_tolerance_but_for_rounding(
    numbers: Path, published: float, within: str
) -> None:
    (row,) = taus_of(numbers, ("antiP@10", "P@10", published)).to_dict("records")
    assert row["within"] == within
    assert row["tau_difference"] == pytest.approx(0.6 - published)


def test_the_table_of_taus_marks_those_that_are_farther_off(numbers: Path, tmp_path: Path) -> None:
    table = taus_of(numbers, ("antiP@10", "P@10", 0.6), ("RR@10", "P@10", -0.6))
    write_numbers(table, tmp_path / "taus.csv")
    printed = taus.tabulate(
        read_numbers(tmp_path / "taus.csv"), look_of(STUDY, "taus", edition="full")
    )
    assert [row[-1] for row in printed.rows] == ["yes", "no"]
    assert [row[4:6] for row in printed.rows] == [("0.600", "0.600"), ("-0.600", "1.000")]
    assert printed.rows[0][2:4] == ("observed antiP@10", "observed P@10")
    assert to_markdown(printed).count("\n| fig99 ") == 2


def test_the_table_of_taus_needs_the_published_ones(numbers: Path) -> None:
    with pytest.raises(ValueError, match="needs the key published"):
        taus.data(inputs(numbers, published=None, tolerance=0.1))
