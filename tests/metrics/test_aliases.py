# SPDX-License-Identifier: MIT
"""Metrics by usual names, whatever their letters and signs."""

from __future__ import annotations

import pytest

from receval.metrics.aliases import any_metric, labels_by_name, metric_of_alias
from receval.metrics.registry import (
    ALL_METRICS,
    RATING_METRICS,
    metric_class,
    parse,
    parse_any,
    parse_named,
)


@pytest.mark.each("name", [*ALL_METRICS, *labels_by_name()])
def test_a_name_is_understood_in_any_letters_with_any_cut_off(name: str) -> None:
    label = name if name in ALL_METRICS else labels_by_name()[name]
    for written in (name, name.upper(), "-".join(name.lower()), f" {name} "):
        for sign in ("@", "_", " "):
            if label.partition("(")[0] in RATING_METRICS:
                assert any_metric(written) == parse_any(label), written
                continue
            expected = parse_any(f"{label}@17")
            assert any_metric(f"{written}{sign}17") == expected, written


def test_no_two_metrics_have_the_same_other_name() -> None:
    all_names = list(ALL_METRICS)
    others = [
        other for name in all_names for other in vars(metric_class(name)).get("other_names", ())
    ]
    assert len(labels_by_name()) == len(all_names) + len(others)


@pytest.mark.each(
    ("name", "label"),
    [
        ("Mean Average Precision", "AP"),
        ("hit-rate@5", "Hit@5"),
        ("P(denominator=filled)@5", "P(denominator=filled)@5"),
        ("ndcg(gain=exp)_7", "nDCG(gain=exp)@7"),
        ("ndcg (gain=exp) 7", "nDCG(gain=exp)@7"),
        ("hits@3", "Hit(form=count)@3"),
    ],
)
def test_words_signs_and_parameters_go_together(name: str, label: str) -> None:
    assert any_metric(name).label == label


def test_a_metric_is_its_own_name() -> None:
    metric = parse("RBP(phi=0.5)@3")
    assert any_metric(metric) is metric


@pytest.mark.each(
    ("name", "message"),
    [
        ("ndgc@10", r"no metric 'ndgc'; did you mean nDCL or nDCG or DCG\? There are P"),
        ("precisionn", r"no metric 'precisionn'; did you mean P or Rprec or AP\? There are P,"),
        ("xyzzyxyz@3", "no metric 'xyzzyxyz'; there are P, antiP"),
        ("@10", "'@10' is not the label of a metric"),
        ("P@0", "'P@0' is not the label of a metric"),
    ],
)
def test_what_is_no_metric_is_refused_with_the_nearest(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric_of_alias(name)


@pytest.mark.each(
    ("names", "labels"), [(["a"], ["P", "RR"]), (["a", "b"], ["P"]), (["a", "a"], ["P", "RR"])]
)
def test_metrics_that_a_paper_names_have_a_name_each(names: list[str], labels: list[str]) -> None:
    with pytest.raises(ValueError, match="do not fit the metrics"):
        parse_named(names, labels)
    assert parse_named(["a", "b"], ["P", "RR"]) == {"a": parse("P"), "b": parse("RR")}


@pytest.mark.each("name", ["Coverage@10", "coverage", "cov@5"])
def test_coverage_which_may_mean_three_things_is_refused_with_their_names(name: str) -> None:
    with pytest.raises(ValueError, match=r"share of the catalogue .*FilledRanks.*UserCoverage"):
        metric_of_alias(name)
