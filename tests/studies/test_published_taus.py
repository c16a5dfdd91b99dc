"""Published Kendall's taus and ours beside them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy.stats import kendalltau
from studies.prepared import ROOT, display_of, inputs_of
from studies.values_of_systems import OBSERVED, write_values

from receval.config.settings import load_settings
from receval.figures.tables import to_markdown
from receval.metrics.registry import parse
from receval.storage.files import read_results, write_results
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies._shared.published import read_published_taus
from receval.studies.menamaldonado2021 import taus
from receval.studies.menamaldonado2021._shared.metric_pairs import panels_of
from receval.workflow.plan.plan import Plan

STUDY = "menamaldonado2021"
PUBLISHED = ROOT / "config/published/taus.csv"
PAIR = ["experiment", "x_evaluation", "x_metric", "y_evaluation", "y_metric"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write_values(tmp_path)


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
        artifact = plan.artifacts.spec(STUDY, str(figure))
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
    results: Path, *published: tuple[str, str, float], tolerance: float = 0.1
) -> pd.DataFrame:
    """Compare published taus of panels, all on observed values of one experiment."""
    lines = [
        f"M-{place:03},fig99,films,observed,{x},observed,{y},{value}\n"
        for place, (x, y, value) in enumerate(published)
    ]
    lines.append("M-999,fig99,elsewhere,observed,antiP@10,observed,P@10,0.1\n")
    table = results.with_name("taus.csv")
    table.write_text(HEADER + "".join(lines), encoding="utf-8")
    return taus.data(inputs(results, published=table, tolerance=tolerance))


def inputs(results: Path, published: Path | None, **parameters: Any) -> ArtifactInputs:
    return inputs_of(
        results.parent,
        published=published,
        results={"values": results},
        shown={"films": True, "elsewhere": False},
        **parameters,
    )


def test_a_coefficient_of_an_unknown_experiment_is_refused(results: Path) -> None:
    published = results.parent / "taus.csv"
    row = "M-009,fig12,flims,observed,antiP@10,observed,P@10,0.5\n"
    published.write_text(HEADER + row, encoding="utf-8")
    with pytest.raises(
        ValueError, match="M-009 is of the experiment flims, but the study has film"
    ):
        taus.data(inputs(results, published, tolerance=0.1))


def test_every_published_tau_whose_data_is_there_has_ours_beside_it(results: Path) -> None:
    label = "nDCG(gain=steps)@10"
    table = taus_of(results, ("antiP@10", "P@10", 0.5), ("RR@10", label, -0.7))
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
    results: Path, published: float, within: str
) -> None:
    (row,) = taus_of(results, ("antiP@10", "P@10", published)).to_dict("records")
    assert row["within"] == within
    assert row["tau_difference"] == pytest.approx(0.6 - published)


def test_the_table_of_taus_marks_those_that_are_farther_off(results: Path, tmp_path: Path) -> None:
    table = taus_of(results, ("antiP@10", "P@10", 0.6), ("RR@10", "P@10", -0.6))
    write_results(table, tmp_path / "taus.csv")
    printed = taus.tabulate(
        read_results(tmp_path / "taus.csv"), display_of(STUDY, "taus", edition="full")
    )
    assert printed.columns[0].header == "Within .10"
    assert [row[:2] for row in printed.rows] == [("yes", "99"), ("no", "99")]
    assert [row[5:7] for row in printed.rows] == [
        (".600", ".600"),
        ("\N{MINUS SIGN}.600", "1.000"),
    ]
    assert printed.rows[0][3:5] == ("Observed antiP@10", "Observed P@10")
    assert to_markdown(printed).count("| 99 ") == 2
    # Where the released form has the same coefficients, no column repeats them.
    assert [column.header for column in printed.columns][5:] == ["Published", "Ours", "p"]
    apart = read_results(tmp_path / "taus.csv").assign(tau_released=0.1)
    columns = taus.tabulate(apart, display_of(STUDY, "taus", edition="full")).columns
    assert [column.header for column in columns][6:] == ["Text's form", "p", "Released form"]


def test_the_table_of_taus_needs_the_published_ones(results: Path) -> None:
    with pytest.raises(ValueError, match="needs the key published"):
        taus.data(inputs(results, published=None, tolerance=0.1))
