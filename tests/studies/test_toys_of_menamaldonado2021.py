# SPDX-License-Identifier: MIT
"""Figures 2, 3, 4 and 8 of menamaldonado2021: toy examples and what the paper says of them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, drawn_alone, family_of
from studies.toys import EXAMPLES, STUDY, number, results_of

from reproduction.studies.menamaldonado2021 import lemma_cases as lemmas
from reproduction.studies.menamaldonado2021 import toy_examples
from reproduction.studies.menamaldonado2021.toy_examples import ToyMatrix

# --- figure 2 ---------------------------------------------------------------------------------

FIGURE_2 = {
    # Claims M-012 to M-029 and the cells that no claim names.
    ("p(rel|i)", "a"): "6/10",
    ("p(train|i)", "a"): "4/10",
    ("p(test|i)", "a"): "4/10",
    ("p(rel|train,i)", "a"): "3/4",
    ("p(rel|test,i)", "a"): "3/4",
    ("p(rel|not train,i)", "a"): "3/6",
    ("p(rel,test|i)", "a"): "3/10",
    ("p(train|rel,i)", "a"): "3/6",
    ("p(rel|i)", "b"): "4/10",
    ("p(train|i)", "b"): "2/10",
    ("p(test|i)", "b"): "2/10",
    ("p(rel|train,i)", "b"): "1/2",
    ("p(rel|test,i)", "b"): "1/2",
    ("p(rel|not train,i)", "b"): "3/8",
    ("p(rel,test|i)", "b"): "1/10",
    ("p(train|rel,i)", "b"): "1/4",
    ("p(rel)", ""): "10/20",
    ("p(train)", ""): "6/20",
    ("p(test)", ""): "6/20",
    ("p(rel|train)", ""): "4/6",
    ("p(rel|test)", ""): "4/6",
    ("p(rel|not train)", ""): "6/14",
    ("p(rel,test)", ""): "4/20",
    ("p(train|rel)", ""): "4/10",
}


def test_figure_2_has_the_fractions_of_the_paper_and_no_others(tmp_path: Path) -> None:
    results = results_of("fig02", tmp_path)
    shares = results[results["quantity"].str.startswith("p(")]
    found = {(row["quantity"], row["item"]): row["fraction"] for row in shares.to_dict("records")}
    assert found == FIGURE_2
    for row in shares.to_dict("records"):
        assert row["number"] == pytest.approx(float(Fraction(row["fraction"])))


@pytest.mark.each(("quantity", "item"), FIGURE_2)
def test_the_fractions_are_counted_in_the_cells_that_are_drawn(
    tmp_path: Path, quantity: str, item: str
) -> None:
    results = results_of("fig02", tmp_path)
    cells = results[results["quantity"].isin(["rated", "relevant"])]
    state = {(r["quantity"], r["item"], r["user"]): r["number"] for r in cells.to_dict("records")}
    pairs = {(i, u) for _, i, u in state}

    def holds(event: str, pair: tuple[str, str]) -> bool:
        if event.startswith("not "):
            return not holds(event[4:], pair)
        trains = int(pair[1][1:]) <= 5
        return {
            "rel": state["relevant", *pair] == 1,
            "train": state["rated", *pair] == 1 and trains,
            "test": state["rated", *pair] == 1 and not trains,
            "i": pair[0] == item,
        }[event]

    event, _, condition = quantity.removeprefix("p(").removesuffix(")").partition("|")
    whole = [p for p in pairs if all(holds(e, p) for e in condition.split(",") if e)]
    part = [p for p in whole if all(holds(e, p) for e in event.split(","))]
    assert f"{len(part)}/{len(whole)}" == FIGURE_2[quantity, item]


def test_users_have_the_values_of_section_5(tmp_path: Path) -> None:
    results = results_of("fig02", tmp_path)
    value = partial(number, results, ranking="<a,b>")
    # M-030 and M-031; for u6 relevance is known of both items.
    assert value("real P@2", user="u8") == 1
    assert value("observed P@2", user="u8") == 1 / 2
    assert value("real antiP@2", user="u7") == 1 / 2
    assert value("observed antiP@2", user="u7") == 0
    assert value("observed P@2", user="u6") == value("real P@2", user="u6") == 1
    assert value("observed antiP@2", user="u6") == value("real antiP@2", user="u6") == 0


def test_the_rated_pairs_follow_from_the_paper_but_for_two() -> None:
    # All ways to rate with equal halves and the printed relevance; u8 likes b (section 5).
    relevance = {"a": "11100", "b": "10100"}
    fitting = []
    for rated in product(product((True, False), repeat=5), repeat=2):
        marks = {
            item: "".join(
                {"1": "+", "0": "-"}[mark] if is_rated else mark
                for mark, is_rated in zip(relevance[item], rated[index], strict=True)
            )
            for index, item in enumerate(relevance)
        }
        matrix = ToyMatrix.mirrored(marks)
        u6, u7, u8 = (matrix.rated[matrix.users.index(name)] for name in ("u6", "u7", "u8"))
        if not (all(u6) and u7.tolist() == u8.tolist() == [True, False]):
            continue
        fractions = {
            (quantity, item): fraction
            for quantity in toy_examples.PRINTED
            for item, fraction in zip("ab", matrix.fractions(quantity), strict=True)
        }
        if all(FIGURE_2[key] == fraction for key, fraction in fractions.items()):
            fitting.append(marks)
    assert toy_examples.TOY in fitting
    assert {marks["a"] for marks in fitting} == {"+++-0", "+++0-"}
    assert {marks["b"] for marks in fitting} == {"+01-0", "+010-"}


# --- figure 3 ---------------------------------------------------------------------------------


def test_f_is_steeper_in_all_cases_of_figure_3(tmp_path: Path) -> None:
    results = results_of("fig03", tmp_path)
    f, g = (results[results["function"] == name].set_index("case") for name in "fg")
    assert f["decrement_rate"].tolist() == pytest.approx([2 / 3, 1 / 2, 2 / 3, 1 / 2])
    assert g["decrement_rate"].tolist() == pytest.approx([1 / 3] * 4)
    assert set(f["steeper"]) == {"yes"}
    assert set(g["steeper"]) == {"no"}
    assert f["agreement"].tolist() == ["agree", "agree", "disagree", "disagree"]
    assert f["agreement"].tolist() == g["agreement"].tolist()
    # What the caption of the paper's figure says.
    functions = {"f": f, "g": g}
    differences = {name: (rows["of_a"] - rows["of_b"]).abs() for name, rows in functions.items()}
    largest = {name: rows[["of_a", "of_b"]].max(axis=1) for name, rows in functions.items()}
    for case in ("(1)", "(3)"):
        assert (differences["f"][case], differences["g"][case]) == (2, 1)
        assert largest["f"][case] == largest["g"][case] == 3
    for case in ("(2)", "(4)"):
        assert differences["f"][case] == differences["g"][case] == 1
        assert (largest["f"][case], largest["g"][case]) == (2, 3)


# --- figures 4 and 8 --------------------------------------------------------------------------


def of_example(results: pd.DataFrame, example: str) -> pd.DataFrame:
    return results[results["example"] == example]


def test_example_1_is_that_of_section_6_1(tmp_path: Path) -> None:
    rows = of_example(results_of("fig04", tmp_path), "#1")
    # M-042 to M-044.
    assert number(rows, "p(rel|train,i)", item="a") == 3 / 5
    assert number(rows, "p(rel|train,i)", item="b") == 1 / 2
    rate = number(rows, "decrement rate: p(rel|train,i)")
    assert rate == pytest.approx(1 / 6)
    assert number(rows, "odds of p(train|i)", item="a") == 1
    assert number(rows, "odds of p(train|i)", item="b") == 0.25
    assert number(rows, "decrement rate: odds of p(train|i)") == 0.75
    # Three of five target users like a and two do not; one likes b and one does not.
    values = {
        (metric, ranking): number(rows, f"observed {metric}@1", ranking=ranking)
        for metric in ("P", "antiP")
        for ranking in ("<a,b>", "<b,a>")
    }
    assert values == {
        ("P", "<a,b>"): 0.6,
        ("antiP", "<a,b>"): 0.4,
        ("P", "<b,a>"): 0.2,
        ("antiP", "<b,a>"): 0.2,
    }
    assert number(rows, "agreement: observed P@1, observed antiP@1") == -1


def test_example_2_is_that_of_section_6_1(tmp_path: Path) -> None:
    rows = of_example(results_of("fig04", tmp_path), "#2")
    # M-045 to M-047.
    assert number(rows, "decrement rate: p(rel|train,i)") == 1
    assert number(rows, "p(rel|train,i)", item="b") == 0
    assert number(rows, "decrement rate: p(not rel|train,i)") == pytest.approx(0.2)
    less = number(rows, "p(not rel|train,i)", item="a")
    assert less < number(rows, "p(not rel|train,i)", item="b")
    assert number(rows, "decrement rate: odds of p(train|i)") == 0.75
    assert number(rows, "agreement: p(train|i), p(rel|train,i)") == 1
    assert number(rows, "agreement: observed P@1, observed antiP@1") == -1


def test_example_3_is_that_of_section_6_1(tmp_path: Path) -> None:
    rows = of_example(results_of("fig04", tmp_path), "#3")
    popularity = number(rows, "decrement rate: odds of p(train|i)")
    for relevance in ("p(rel|train,i)", "p(not rel|train,i)"):
        assert 2 * popularity < number(rows, f"decrement rate: {relevance}")
        assert number(rows, f"steeper: odds of p(train|i) than {relevance}") == 0
    # M-048.
    assert number(rows, "agreement: observed P@1, observed antiP@1") == 1


@pytest.mark.parametrize("artifact", ["fig04", "fig08"])
def test_optimal_rankings_and_lemma_1_say_what_the_metrics_say(
    tmp_path: Path, artifact: str
) -> None:
    results = results_of(artifact, tmp_path)
    for example, marks in EXAMPLES[artifact].items():
        rows = of_example(results, example)
        metrics = number(rows, "agreement: observed P@1, observed antiP@1")
        assert metrics == number(rows, "agreement: phi of observed P, phi of observed antiP")
        shares = ToyMatrix.mirrored(marks).probabilities
        steepness = [
            _steepness(shares.p_train, function)
            for function in (shares.p_relevant_given_train, shares.p_not_relevant_given_train)
        ]
        relevance = np.sign(-np.diff(shares.p_relevant_given_train))
        predicted = lemmas.lemma1_predicts_disagreement(1, relevance, *steepness)
        assert bool(predicted[0]) == (metrics < 0)


def _steepness(popularity: Any, function: Any) -> int:
    """Return 1 where the odds are steeper, by exact fractions."""

    def rate(values: list[Fraction]) -> Fraction:
        return abs(values[0] - values[1]) / max(values)

    exact = [Fraction(float(p)).limit_denominator(1000) for p in popularity]
    other = [Fraction(float(p)).limit_denominator(1000) for p in function]
    difference = rate([p / (1 - p) for p in exact]) - rate(other)
    return int(difference > 0) - int(difference < 0)


# M-062 and M-063: which observed metric is consistent with its real value.
@pytest.mark.parametrize(
    ("example", "together", "precision", "anti_precision"), [("#1a", 1, 1, -1), ("#1b", -1, -1, 1)]
)
def test_examples_1a_and_1b_are_those_of_section_7_3(
    tmp_path: Path, example: str, together: int, precision: int, anti_precision: int
) -> None:
    rows = of_example(results_of("fig08", tmp_path), example)
    assert number(rows, "agreement: p(train|i), p(rel|i)") == together
    for metric, expected in (("P", precision), ("antiP", anti_precision)):
        values = f"agreement: observed {metric}@1, real {metric}@1"
        rankings = f"agreement: phi of observed {metric}, phi of real {metric}"
        assert number(rows, values) == number(rows, rankings) == expected
    # Conclusion 1.
    assert number(rows, "agreement: phi of real P, phi of real antiP") == 1
    assert number(rows, "p(rel|train,i)", item="a") == number(rows, "p(rel|i)", item="a")
    assert number(rows, "p(rel|train,i)", item="b") != number(rows, "p(rel|i)", item="b")
    for relevance in ("p(rel|i)", "p(not rel|i)"):
        assert number(rows, f"steeper: odds of p(train|i) than {relevance}") == 1
    # What lemma 3 predicts, though its premise does not hold of b.
    assert lemmas.lemma3_predicts_consistent_precision(1, together, 1) == (precision > 0)
    assert lemmas.lemma3_predicts_consistent_anti_precision(1, together, 1) == (anti_precision > 0)


def test_figure_8_has_the_ratings_of_example_1_and_relevance_of_all_pairs() -> None:
    first = ToyMatrix.mirrored(EXAMPLES["fig04"]["#1"])
    for marks in EXAMPLES["fig08"].values():
        matrix = ToyMatrix.mirrored(marks)
        assert matrix.is_complete
        assert (matrix.rated == first.rated).all()
        assert (matrix.relevant[matrix.rated] == first.relevant[first.rated]).all()


# --- drawings ---------------------------------------------------------------------------------


@pytest.mark.costly
def test_figures_print_the_verdicts_of_their_numbers(tmp_path: Path) -> None:
    printed = {}
    for artifact in ("fig04", "fig08"):
        figure = drawn_alone(
            family_of(STUDY, artifact), results_of(artifact, tmp_path), display_of(STUDY, artifact)
        )
        printed[artifact] = [
            [text.get_text() for text in axes.texts if text.get_text().endswith(".")]
            for axes in figure.axes
        ]
    assert printed["fig04"] == [
        ["The two metrics disagree."],
        ["The two metrics disagree."],
        ["The two metrics agree."],
    ]
    assert printed["fig08"] == [
        ["Observed precision is consistent.", "Observed anti-precision is not consistent."],
        ["Observed precision is not consistent.", "Observed anti-precision is consistent."],
    ]
