# SPDX-License-Identifier: MIT
"""Quantities: which numbers a selection finds, and what is made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from claims.made_up import STUDY, line, numbers, quantity, sources_of, values_of
from pydantic import ValidationError
from scipy.stats import kendalltau, pearsonr, spearmanr

from reproduction.claims.sources import ClaimContext, NotMeasuredError


def of(system: str) -> dict[str, object]:
    return {"where": {"system": system}}


def test_cells_are_those_of_the_dataset_of_the_check(tmp_path: Path) -> None:
    rows = [*values_of(pop=0.2), {"dataset": "cm100k", "system": "pop", "value": 0.9}]
    sources = sources_of(tmp_path, rows)
    assert numbers(of("pop"), sources).number() == 0.2
    other = {"where": {"system": "pop", "dataset": "cm100k"}}
    assert numbers(other, sources).number() == 0.9


def test_cells_are_labelled_by_the_columns_under_each(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, [*line("pop", at1=0.1, at2=0.3), *line("mf", at1=0.2)])
    found = numbers({"each": ["system", "x"]}, sources)
    assert found.labels == (("pop", "1"), ("pop", "2"), ("mf", "1"))
    assert found.values.tolist() == [0.1, 0.3, 0.2]


def test_whole_numbers_are_found_however_they_are_written(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, line("pop", at5=0.1, at10=0.2))
    for written in (10, 10.0, "10"):
        assert numbers({"where": {"x": written}}, sources).number() == 0.2


@pytest.mark.each(
    ("take", "wanted"),
    [
        ("mean", 0.3),
        ("median", 0.2),
        ("lowest", 0.1),
        ("highest", 0.6),
        ("range", 0.5),
        ("sum", 0.9),
        ("count", 3),
        ("first", 0.2),
        ("last", 0.6),
    ],
)
def test_one_number_is_taken_from_several(tmp_path: Path, take: str, wanted: float) -> None:
    sources = sources_of(tmp_path, values_of(a=0.2, b=0.1, c=0.6))
    assert numbers({"column": "value", "take": take}, sources).number() == pytest.approx(wanted)
    taken = numbers({"of": {"each": ["system"]}, "take": take}, sources)
    assert taken.number() == pytest.approx(wanted)


def test_a_text_is_counted_where_it_is_equal(tmp_path: Path) -> None:
    rows = [
        {"dataset": "ml-1m", "system": s, "verdict": v} for s, v in zip("abc", "xyx", strict=True)
    ]
    sources = sources_of(tmp_path, rows)
    share = {"column": "verdict", "equal": "x", "take": "mean"}
    assert numbers(share, sources).number() == pytest.approx(2 / 3)


def test_differences_quotients_and_products_go_label_by_label(tmp_path: Path) -> None:
    # Rows of b in another order.
    rows = [*line("a", at1=0.4, at2=0.9), *line("b", at2=0.3, at1=0.2)]
    sources = sources_of(tmp_path, rows)
    a, b = ({**of(name), "each": ["x"]} for name in "ab")
    assert numbers({"difference": [a, b]}, sources).values == pytest.approx([0.2, 0.6])
    assert numbers({"quotient": [a, b]}, sources).values == pytest.approx([2, 3])
    assert numbers({"product": [a, 10]}, sources).values == pytest.approx([4, 9])
    assert numbers({"logarithm": 1e-5}, sources).number() == pytest.approx(-5)
    negative = numbers({"magnitude": {"difference": [b, a]}}, sources)
    # In the order of the first.
    assert dict(zip(negative.labels, negative.values, strict=True)) == pytest.approx(
        {("2",): 0.6, ("1",): 0.2}
    )


@pytest.mark.each(
    ("coefficient", "oracle"),
    [("kendall", kendalltau), ("pearson", pearsonr), ("spearman", spearmanr)],
)
def test_correlations_are_those_of_scipy(tmp_path: Path, coefficient: str, oracle: object) -> None:
    one, other = [0.3, 0.1, 0.5, 0.4, 0.2], [0.2, 0.2, 0.9, 0.3, 0.1]
    rows = [
        {"dataset": "ml-1m", "system": s, "metric": m, "value": v}
        for m, values in (("P", one), ("AP", other))
        for s, v in zip("abcde", values, strict=True)
    ]
    sources = sources_of(tmp_path, rows)
    pair = [{"where": {"metric": metric}, "each": ["system"]} for metric in ("P", "AP")]
    found = numbers({"correlation": pair, "coefficient": coefficient}, sources).number()
    assert found == pytest.approx(oracle(one, other).statistic)  # type: ignore[operator]


def test_every_two_cut_offs_of_one_metric_are_correlated_over_systems(tmp_path: Path) -> None:
    rows = [*line("P", at1=1, at2=2, at3=3), *line("R@5", at1=3, at2=2, at3=1)]
    rows += [*line("P@5", at1=1, at2=3, at3=2), *line("R", at1=3, at2=2, at3=1)]
    cells = {"each": ["system", "x"]}
    found = numbers({"every_two": cells, "up_to": "@"}, sources_of(tmp_path, rows))
    assert found.by_label() == pytest.approx({("P and P@5",): 1 / 3, ("R@5 and R",): 1})
    assert len(numbers({"every_two": cells}, sources_of(tmp_path, rows)).values) == 6
    with pytest.raises(ValueError, match=r"3 occur on one side only"):
        numbers({"every_two": cells}, sources_of(tmp_path, rows[:-1]))


def test_equal_values_share_the_best_rank_and_groups_are_ranked_apart(tmp_path: Path) -> None:
    rows = [*line("P", at1=3, at2=1, at3=3), *line("R", at1=2, at2=np.nan, at3=1)]
    sources = sources_of(tmp_path, rows)
    cells = {"each": ["system", "x"]}
    of_higher, of_lower = (
        numbers({"rank": cells, "ahead": ahead}, sources).values for ahead in ("higher", "lower")
    )
    assert of_higher[:3].tolist() == [1, 3, 1]
    np.testing.assert_array_equal(of_lower[3:], [2, np.nan, 1])
    only = numbers({"rank": cells, "only": ["3"]}, sources)
    assert only.by_label() == {("P", "3"): 1, ("R", "3"): 2}


def test_sorted_numbers_are_labelled_by_rank(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(a=1.0, b=np.nan, c=2.0))
    found = numbers({"in_order": {"each": ["system"]}}, sources)
    assert found.by_label() == {("1",): 2, ("2",): 1}


def test_settings_are_read_from_the_record(tmp_path: Path) -> None:
    systems = ["pop", "mf"]
    sources = sources_of(tmp_path, values_of(pop=1), experiment={"systems": systems, "k": 100})
    path = "config/experiment"
    assert numbers({"setting": f"{path}/systems", "count": True}, sources).number() == 2
    assert numbers({"setting": f"{path}/k"}, sources).number() == 100
    assert numbers({"setting": f"{path}/systems", "equal": systems}, sources).number() == 1
    assert numbers({"setting": f"{path}/k", "equal": 50}, sources).number() == 0
    assert numbers({"setting": "datasets/ml-1m/n_users"}, sources).number() == 6040


@pytest.mark.each(
    ("plain", "message"),
    [
        ({"where": {"system": "slim"}}, "no row of bellogin2017/fig01 with system=slim"),
        (
            {"column": "p_value"},
            "fig01 has no column p_value. Its columns are dataset, system, value",
        ),
        ({"column": "value"}, "fig01 has 2 cells .* which nothing tells apart"),
        ({"setting": "config/study"}, "The provenance of bellogin2017 has no config/study"),
        ({"setting": "config"}, "is not a number. Set equal to compare"),
        ({"rank": {"each": ["system"]}, "only": ["slim"]}, "There is no slim, only mf, pop"),
        (
            {"difference": [{"each": ["system"]}, {"where": {"system": "mf"}, "each": ["system"]}]},
            "are not of the same things: pop",
        ),
    ],
)
def test_what_cannot_be_selected_is_refused_in_a_sentence(
    tmp_path: Path, plain: object, message: str
) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.2, mf=0.3))
    with pytest.raises(ValueError, match=message):
        numbers(plain, sources)


def test_what_was_not_made_is_not_measured(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.2))
    with pytest.raises(NotMeasuredError, match="the results of bellogin2017/fig99"):
        numbers({"artifact": "fig99", **of("pop")}, sources)
    with pytest.raises(NotMeasuredError, match="the dataset netflix"):
        numbers(of("pop"), sources, ClaimContext(STUDY, "fig01", "netflix"))


@pytest.mark.each("plain", [{"colum": "x"}, {"take": "most"}, {"difference": [1]}, "P"])
def test_a_quantity_that_is_none_is_refused(plain: object) -> None:
    with pytest.raises(ValidationError):
        quantity(plain)


def test_everything_that_is_read_is_noted(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.2, mf=0.3))
    plain = {"quotient": [of("pop"), of("mf")]}
    numbers(plain, sources)
    assert [reading.source for reading in sources.readings] == ["bellogin2017/fig01"] * 2
    assert sources.readings[0].cells == "system=pop, dataset=ml-1m: value"
    assert [read.values.tolist() for read in sources.numbers] == [[0.2], [0.3]]
    assert np.isnan(numbers(plain, sources).low).all()


def test_a_quantity_overrides_the_rows_that_its_check_selects_and_another_artifact_ignores_them(
    tmp_path: Path,
) -> None:
    sources = sources_of(tmp_path, line("pop", at5=0.1, at10=0.2))
    place = ClaimContext(STUDY, "fig01", where={"x": 5})
    assert numbers({}, sources, place).number() == 0.1
    assert numbers({"where": {"x": 10}}, sources, place).number() == 0.2
    assert numbers({"artifact": f"{STUDY}/fig01", "take": "count"}, sources, place).number() == 2


def test_quantities_side_by_side_have_their_names_as_last_labels(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, line("pop", at1=0.1, at2=0.2))
    found = numbers({"named": {"one": {"each": ["x"]}, "other": 3}}, sources)
    assert found.by_label() == {("1", "one"): 0.1, ("2", "one"): 0.2, ("other",): 3}


def test_cells_without_a_value_are_those_of_no_such_row(tmp_path: Path) -> None:
    table = {"dataset": "ml-1m", "k": [1, 2, 3, ""], "lists": [5, 4, 0, 5], "value": [1, 2, "", 4]}
    sources = sources_of(tmp_path, pd.DataFrame(table).to_dict("records"))
    found = numbers({"each": ["k"], "without": {"k": "", "lists": 0}}, sources)
    assert found.by_label() == {("1",): 1, ("2",): 2}
    assert sources.readings[0].cells == "dataset=ml-1m, k!=, lists!=0: value by k"
    with pytest.raises(ValueError, match="has no column nothing"):
        numbers({"without": {"nothing": 1}}, sources)
