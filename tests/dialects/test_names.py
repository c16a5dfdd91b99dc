# SPDX-License-Identifier: MIT
"""A tool's metric is asked for by the tool's name; what is not there is refused, and why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import receval as rv
from receval.evaluation.measuring import _in_dialect
from receval.metrics.aliases import any_metric
from receval.metrics.dialects import DIALECTS, Dialect, _first_label, dialect
from receval.metrics.registry import parse


@pytest.mark.costly
@pytest.mark.parametrize("name", DIALECTS)
def test_every_metric_of_a_dialect_is_found_and_has_words(name: str) -> None:
    spoken = dialect(name)
    said = str(spoken)
    assert said == spoken.describe()
    assert spoken.version in said
    assert all(source in said for source in spoken.sources)
    for entry, (form, label) in zip(spoken.entries, spoken.metrics().items(), strict=True):
        assert entry.form == form
        asked = form.replace("[@k]", "@7").replace("@k", "@7")
        assert (
            spoken.metric(asked).label
            == parse(label.replace("[@k]", "@7").replace("@k", "@7")).label
        )
        assert f"{form}: " in said
        for alias in entry.aliases:
            head, space, options = alias.partition(" ")
            cut = "" if entry.cutoff == "none" else "@7"
            assert spoken.entry(f"{head}{cut}{space}{options}") == entry


@pytest.mark.each(
    ("name", "asked", "label"),
    [
        ("recbole", "NDCG@10", "nDCG(gain=binary)@10"),
        ("RecBole", "hit@5", "Hit@5"),
        ("elliot", "MAP@10", "AP(denominator=cutoff,terms=ranks)@10"),
        ("warprec", "MAP@10", "AP(denominator=reachable)@10"),
        ("lenskit", "NDCG(n=5,gain='rating',weight=LogRankWeight(offset=1))", "nDCG@5"),
        ("lenskit", "AveragePrecision", "AP(denominator=listed)"),
        ("trec_eval", "P_5", "P@5"),
        ("pytrec_eval", "P.5", "P@5"),
        ("trec_eval", "map_cut_10", "AP@10"),
        ("trec_eval", "map", "AP"),
        ("ir_measures", "P(judged_only=True)@5", "P(condensed=true)@5"),
        ("ranx", "rbp.85", "RBP(gain=relevant,phi=0.85)"),
        ("recommenders", "map@5", "AP@5"),
        ("recommenders", "map_at_5", "AP(denominator=reachable)@5"),
        ("librec", "NDCG@5", "nDCG(gain=binary,ideal=filled)@5"),
        ("librec-3.0", "NDCG@5", "nDCG(ideal=filled)@5"),
        ("valcarce2018", "set_P(depth=100)", "P(depth=100)"),
        ("valcarce2018", "ndcg depth=100", "nDCG(depth=100,ideal=all)"),
        ("valcarce2018", "err@10", "ERR(maximum=user)@10"),
        ("valcarce2018", "infAP2", "infAP"),
    ],
)
def test_a_name_in_any_of_its_forms_is_one_metric(name: str, asked: str, label: str) -> None:
    assert dialect(name).metric(asked).label == label


@pytest.mark.each(
    ("name", "asked", "words"),
    [
        (
            "recbole",
            "ndgc@10",
            r"no metric 'ndgc@10'; did you mean ndcg@k.*\? There are ndcg@k, map@k",
        ),
        ("recbole", "ndcg", "needs a cut-off. Write ndcg@10"),
        ("cornac", "MAE", r"it is MAE\(over=users\), or MAE with user_based=False\."),
        ("recbole", "logloss", "it is LogLoss"),
        ("lenskit", "MeanPopRank", r"it is ARP\(unit=quantile\)\."),
        ("recpack", "IntraListDiversityK@10", r"it is ILD\(feature=...\)"),
        ("rectools", "Serendipity@10", "it is Serendipity\\(form=ranks\\)"),
        ("elliot", "ARP@10", r"it is ARP\."),
        ("elliot", "Gini@10", r"it is 1 minus Gini\(denominator=others\)\. Write Gini\(den.*@10"),
        ("recbole", "P.5@3", "one cut-off"),
        ("recbole", "@5", "not the name of a metric"),
        ("trec_eval", "map@10", "map of trec_eval has no cut-off"),
        ("ir_measures", "nDCG(gains={3:1})@5", "cannot compute it with gains="),
        ("valcarce2018", "zzz", "no metric 'zzz'; there are set_P"),
    ],
)
def test_what_a_dialect_has_not_is_refused_with_the_reason(
    name: str, asked: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        dialect(name).metric(asked)


def test_an_unknown_dialect_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="no dialect 'elliott'; did you mean elliot"):
        dialect("elliott")
    with pytest.raises(ValueError, match="there are recbole, elliot"):
        dialect("zzz")
    assert dialect(dialect("ranx")) is dialect("ranx")


def test_what_is_relevant_is_the_tools_rule() -> None:
    values = np.array([-1.0, 0, 2, 5], dtype=np.float32)
    assert dialect("recbole").threshold(values) == -1
    assert dialect("warprec").threshold(values) == 2
    assert dialect("trec_eval").threshold(values) == 1
    with pytest.raises(ValueError, match="relevant to WarpRec, which counts test ratings above 0"):
        dialect("warprec").threshold(np.array([0.0]))


@pytest.mark.each("name", ["set_P", "map", "ndcg", "recip_rank", "err", "infAP2"])
def test_names_of_the_released_tool_are_no_labels(name: str) -> None:
    with pytest.raises(ValueError, match="There is no metric"):
        parse(name)


def test_the_label_that_a_refusal_tells_is_taken_in_every_dialect() -> None:
    asked = {own: (*dialect(own).of_lists, *dialect(own).of_ratings) for own in DIALECTS}
    names = [(own, name) for own, found in asked.items() for name in found]
    assert len(names) > 50
    for own, name in names:
        with pytest.raises(ValueError, match=r"Write \S+, for example") as refusal:
            dialect(own).metric(name)
        told = str(refusal.value).partition(" Write ")[2].partition(", for example")[0]
        assert _in_dialect(dialect(own), told) == {told: any_metric(told)}, (own, name)


def test_brackets_say_that_a_metric_is_of_receval_in_a_dialect() -> None:
    test = {"user": ["a", "a", "b"], "item": ["x", "y", "x"], "rating": [1, 3, 5]}
    runs = {"m": {"a": {"x": 2.0, "y": 3.0}, "b": {"x": 2.0}}}
    for given in ("MSE(over=ratings)", any_metric("MSE")):
        options = {"metrics": given, "rating_scores": "m", "depth": "whole", "dialect": "elliot"}
        result = rv.evaluate_runs(test, runs, **options)
        assert result.summary()["mean"].tolist() == pytest.approx([10 / 3])
        assert result.metrics == ("MSE(over=ratings)",)


def test_every_metric_of_a_tool_has_a_label_or_a_reason() -> None:
    tools = json.loads((Path(__file__).parent / "metric_names.json").read_text(encoding="utf-8"))
    assert {"warprec", "elliot", "recbole", "lenskit", "rectools", "replay", "recpack"} == {*tools}
    for tool, own in tools.items():
        spoken = dialect(tool)
        assert spoken.version in own["versions"]
        for name in own["names"]:
            if not any(_is_taken(spoken, f"{name}{cutoff}") for cutoff in ("", "@10")):
                with pytest.raises(ValueError, match=r" it is |receval has no metric of this name"):
                    spoken.metric(name)


def _is_taken(spoken: Dialect, asked: str) -> bool:
    try:
        return any_metric(spoken.metric(asked).label).label == spoken.metric(asked).label
    except ValueError:
        return False


def test_metrics_of_lists_are_those_that_the_values_of_the_tools_confirmed() -> None:
    text = (Path(__file__).parents[2] / "docs" / "dialects.md").read_text(encoding="utf-8")
    page = text.partition("## Metrics of whole lists")[2]
    for own in map(dialect, DIALECTS):
        for name, told in own.of_lists.items():
            label = _first_label(told)
            (section,) = re.findall(rf"^### {own.tool} .*?(?=^###|\Z)", page, re.M | re.S)
            assert f"`{name}`" in section, (own.name, name)
            assert f"`{label}`" in section, (own.name, name)
            any_metric(label.replace("...", "genre") + "@10")
