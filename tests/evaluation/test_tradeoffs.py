# SPDX-License-Identifier: MIT
"""A figure shows accuracy against what whole lists have, a panel for each metric."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import receval as rv
from receval.evaluation.result_report import draw_tradeoffs, tradeoffs_caption
from receval.figures.style import figure_style


@pytest.fixture(scope="module")
def result() -> rv.EvaluationResult:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((30, 15)) < 0.5)
    table = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    halves = rv.split(rv.read_ratings(table), "user-ratio", train_ratio=0.5, seed=1)
    systems = {"Pop": rv.Popularity(), "Random": rv.Random(seed=2)}
    metrics = ["ItemCoverage@3", "nDCG@3", "Gini@3", "RR"]
    return rv.evaluate(halves, systems, metrics=metrics, relevant=3)


def test_a_panel_has_the_averages_and_their_intervals_as_crosses(
    result: rv.EvaluationResult,
) -> None:
    summary = result.summary().set_index(["metric", "system"])
    with figure_style():
        figure = draw_tradeoffs(
            result.summary(), "nDCG@3", ["ItemCoverage@3", "Gini@3"], result.less_is_better
        )
    assert [axes.get_ylabel() for axes in figure.axes] == ["ItemCoverage@3", "Gini@3 \u2193"]
    lines = figure.axes[1].get_lines()
    x, y = summary.loc[("nDCG@3", "Random")], summary.loc[("Gini@3", "Random")]
    of_random = next(place for place, line in enumerate(lines) if line.get_label() == "Random")
    across, up, point = lines[of_random - 2 : of_random + 1]
    assert list(across.get_xdata()) == [x["low"], x["high"]]
    assert list(up.get_ydata()) == [y["low"], y["high"]]
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (x["mean"], y["mean"])


@pytest.mark.costly
def test_the_figure_is_written_and_stands_in_the_report(
    result: rv.EvaluationResult, tmp_path: Path
) -> None:
    result.plot_tradeoffs(tmp_path / "a.svg", "nDCG@3")
    assert "nDCG@3 against ItemCoverage@3, Gini@3" in (tmp_path / "a.svg").read_text("utf-8")
    result.plot_tradeoffs(tmp_path / "b.svg", against=["RR"])
    page = result.as_report().page()
    assert "Averages under nDCG@3 against ItemCoverage@3, Gini@3" in page


def test_a_result_without_metrics_of_lists_has_no_such_figure() -> None:
    test = {"user": list("ab"), "item": list("xy"), "rating": [1, 1]}
    run = {user: {"x": 2.0, "y": 1.0} for user in "ab"}
    plain = rv.evaluate_runs(test, {"mine": run}, metrics=["RR", "P@1"], depth="whole")
    assert not [part for part in plain.as_report().parts if "tradeoffs" in vars(part).values()]
    with pytest.raises(ValueError, match="the result has only RR, P@1"):
        plain.plot_tradeoffs("a.svg")


@pytest.mark.each(
    ("path", "options", "words"),
    [
        ("a.svg", {"accuracy": "P@9"}, "P@9 was not measured. The metrics of the result are"),
        ("a.svg", {"against": ["P@9"]}, "P@9 was not measured"),
        ("a.png", {}, "neither .svg nor .pdf"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    result: rv.EvaluationResult, path: str, options: dict, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        result.plot_tradeoffs(path, **options)


def test_of_many_systems_the_most_accurate_have_colours(result: rv.EvaluationResult) -> None:
    summary = result.summary()
    own = summary[summary["system"] == "Pop"]
    rows = [
        own.assign(system=f"user-knn:neighbours={n},similarity=cosine", mean=own["mean"] + n / 99)
        for n in range(10, 35)
    ]
    table = pd.concat(rows)
    with figure_style():
        figure = draw_tradeoffs(table, "nDCG@3", ["Gini@3"])
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    assert names == {f"...{n},similarity=cosine" for n in range(25, 35)}
    assert "10 most accurate" in tradeoffs_caption(table, "nDCG@3", ["Gini@3"])
