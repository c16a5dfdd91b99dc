# SPDX-License-Identifier: MIT
"""The best system stands first and has the letter a, whichever end of a metric is the good one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import receval as rv
from receval.diagnosis.tables_and_figures import judgments_table
from receval.evaluation.formatting import draw_intervals
from receval.evaluation.result import EvaluationResult, load_result
from receval.evaluation.runs import evaluate_runs
from receval.figures.style import figure_style
from receval.figures.tables import to_latex, to_markdown
from receval.metrics.registry import ALL_METRICS, METRICS, metric_class, parse_any

LESS = {"antiP", "Fallout", "antiRR", "nDCL", "Unjudged", "RBPresidual", "PercentileRank"}
# What is judged non-relevant, unjudged or not yet known, at a depth where all of them have it.
MEASURED = ["antiP@2", "Fallout@2", "antiRR", "nDCL@2", "Unjudged@2", "RBPresidual"]


@pytest.fixture(scope="module")
def result() -> EvaluationResult:
    """Ten users: one system lists what they like, one what they dislike and nobody judged."""
    users = [f"u{number}" for number in range(10)]
    test = {
        "user": users * 4,
        "item": ["x"] * 10 + ["y"] * 10 + ["bad"] * 10 + ["worse"] * 10,
        "rating": [5] * 20 + [1] * 20,
    }
    runs = {
        "poor": {user: {"bad": 3.0, "z": 2.0, "v": 1.0} for user in users},
        "good": {user: {"x": 3.0, "y": 2.0, "bad": 1.0} for user in users},
    }
    return evaluate_runs(
        test, runs, metrics=[*MEASURED, "P@2"], depth="whole", relevant=4, protocols="AR AI-AN"
    )


def test_every_metric_says_which_end_is_the_good_one() -> None:
    assert {name for name in METRICS if metric_class(name).less_is_better} == LESS


@pytest.mark.parametrize("metric", [*MEASURED, "P@2"])
def test_the_best_system_is_first_and_has_the_letter_a(
    result: EvaluationResult, metric: str
) -> None:
    groups = result.groups()
    own = groups[groups["metric"] == metric]
    assert own[["system", "letters", "ahead"]].to_numpy().tolist() == [
        ["good", "a", 0],
        ["poor", "b", 1],
    ]


def test_tables_have_an_arrow_where_less_is_better(result: EvaluationResult) -> None:
    averages, pairs = result.tables()
    heads = [column.header for column in averages.columns]
    assert heads == ["System", *(f"{name} ↓" for name in MEASURED), "P@2"]
    assert [(row[0], row[-1]) for row in averages.rows] == [("good", "1.0000a"), ("poor", ".0000b")]
    assert {row[0] for row in pairs.rows} == set(heads[1:])
    for table in (averages, pairs):
        assert "↓: less is better" in table.caption
        assert r"$\downarrow$" in to_latex(table)
        assert "antiP@2 ↓" in to_markdown(table)


def test_what_is_printed_has_the_arrow(result: EvaluationResult) -> None:
    assert "antiP@2 ↓" in str(result)


def test_orders_by_disliked_items_are_from_the_best_system_to_the_worst() -> None:
    cells = {"metric": "P@10", "other": "antiP@10", "tau": -1.0}
    agreement = pd.DataFrame([{"comparison": "liked with disliked, observed", **cells}])
    table = judgments_table(agreement, None)
    assert table.rows[0][1] == "P@10 and antiP@10 ↓"
    assert "↓: less is better" in table.notes[0]


@pytest.mark.costly
def test_the_figure_has_the_arrow_and_the_best_above(result: EvaluationResult) -> None:
    with figure_style():
        figure = draw_intervals(result.summary(), result.less_is_better)
    assert figure.axes[0].get_xlabel() == "antiP@2 ↓"
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["good", "poor"]


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
def test_directions_may_be_given_as_plain_names(result: EvaluationResult, tmp_path: Path) -> None:
    plain = replace(result, less_is_better=frozenset({"antiP@2"}))
    plain.save(tmp_path / "saved")
    assert load_result(tmp_path / "saved").less_is_better == {"antiP@2"}


def test_files_of_data_have_the_plain_names(result: EvaluationResult, tmp_path: Path) -> None:
    result.as_report().write(tmp_path)
    for name in ("averages", "pairs", "groups", "per_user"):
        assert "↓" not in (tmp_path / f"{name}.csv").read_text(encoding="utf-8")
    assert "antiP@2 ↓" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_metrics_of_which_a_value_is_the_best_say_it_and_no_direction() -> None:
    kinds = {name: metric_class(name) for name in ALL_METRICS}
    found = {name: own.best_value for name, own in kinds.items() if own.best_value is not None}
    assert found == {"BiasDisparity": 0.0, "PopularityLift": 0.0}
    assert not any(kinds[name].less_is_better for name in found)
    assert parse_any("BiasDisparity(form=recommendations)@10").best_value == 1.0
    # No system can change what users rated in training.
    assert parse_any("BiasDisparity(form=training)@10").best_value is None


@pytest.fixture(scope="module")
def biased() -> EvaluationResult:
    """Four users: of what they rated, half are comedies; of lists, nearly none, half and all."""
    users = list("abcd")
    items = {
        "c1": "comedy",
        "c2": "comedy",
        "c3": "comedy",
        "d1": "drama",
        "d2": "drama",
        "d3": "drama",
    }
    features = pd.DataFrame({"item": list(items), "genre": list(items.values())})
    train = {"user": users * 2, "item": ["c1"] * 4 + ["d1"] * 4, "rating": [5] * 8}
    test = {"user": users * 2, "item": ["c2"] * 4 + ["d2"] * 4, "rating": [5] * 8}
    listed = {"all": ("c2", "c3"), "half": ("c2", "d2"), "few": ("d2", "d3")}
    runs = {
        name: {
            user: {item: 2.0 - place for place, item in enumerate(dict.fromkeys(own))}
            for user in users
        }
        for name, own in listed.items()
    }
    metric = "BiasDisparity(feature=genre,value=comedy)@2"
    options = {"train": train, "item_features": features, "protocols": "AR AI-AN"}
    return evaluate_runs(test, runs, metrics=metric, depth="whole", relevant=4, **options)


def test_the_system_nearest_to_the_best_value_is_first_and_bold_everywhere(
    biased: EvaluationResult, tmp_path: Path
) -> None:
    assert biased.summary().set_index("system")["mean"].to_dict() == {
        "all": 1.0,
        "half": 0.0,
        "few": -1.0,
    }
    (averages, *_) = biased.tables()
    assert averages.columns[-1].header.endswith("@2 → 0")
    assert "→: the value at the arrow is the best" in averages.caption
    assert biased.groups()["system"].iloc[0] == averages.rows[0][0] == "half"
    assert [row for (row, _), style in averages.styles.items() if style.is_bold] == [0]
    biased.save(tmp_path / "saved")
    assert load_result(tmp_path / "saved").tables() == biased.tables()


def test_margins_tell_of_no_inferior_system_where_a_value_is_the_best(
    biased: EvaluationResult,
) -> None:
    how: Any = {"test": "t", "margin": 0.1}
    assert biased.compare(**how)[["p_not_inferior", "not_inferior"]].isna().all(axis=None)
    assert biased.pair_rows(**how)[0].not_inferior is None
    assert "Inferiority is not tested in BiasDisparity" in biased.tables(**how)[1].caption


def test_tuning_refuses_a_metric_of_which_a_value_is_the_best() -> None:
    ratings = {"user": [1, 1, 1, 2, 2, 2], "item": [1, 2, 3, 1, 2, 4], "rating": [5] * 6}
    with pytest.raises(ValueError, match=r"PopularityLift@5 is best at 0, so that neither"):
        rv.tune(
            rv.split(rv.read_ratings(pd.DataFrame(ratings)), "leave-out", seed=1),
            {"kNN": (rv.UserKNN, {"neighbours": [1, 2]})},
            metric="PopularityLift@5",
        )
