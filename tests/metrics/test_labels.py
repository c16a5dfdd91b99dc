# SPDX-License-Identifier: MIT
"""A metric is a value with parameters and one label, which reads back as the same metric."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.forms import ALL, COMMON, choices

from receval.metrics.registry import METRICS, metric_class, module_of, parse


@pytest.mark.each("metric", ALL, ids=lambda metric: metric.label)
def test_the_label_of_every_value_of_every_parameter_reads_back(metric) -> None:
    assert parse(metric.label) == metric
    assert parse(metric.label).label == metric.label


def test_no_two_metrics_share_a_label() -> None:
    assert len({metric.label for metric in ALL}) == len(set(ALL)) == len(ALL)


@given(
    metric=st.sampled_from(ALL),
    cutoff=st.none() | st.integers(1, 500),
    condensed=st.booleans(),
    depth=st.none() | st.integers(1, 500),
)
def test_labels_with_cutoff_depth_and_condensing_read_back(
    metric, cutoff: int | None, condensed: bool, depth: int | None
) -> None:
    changed = replace(metric, cutoff=cutoff, condensed=condensed, depth=depth)
    assert parse(changed.label) == changed
    assert changed.at(None).label == changed.label.partition("@")[0]


@given(phi=st.floats(0, 1, exclude_min=True, exclude_max=True), gamma=st.floats(0, 1e6))
def test_any_number_reads_back_to_its_last_digit(phi: float, gamma: float) -> None:
    assert parse(metric_class("RBP")(phi=phi).label).phi == phi
    assert parse(metric_class("StratifiedRecall")(gamma=gamma).label).gamma == gamma


def test_equal_metrics_have_one_label() -> None:
    for labels in (
        ("StratifiedRecall(gamma=2)@5", "StratifiedRecall(gamma=2.0)@5"),
        ("RBP", "RBP(phi=0.9)", "RBP(phi=0.90)", " RBP( phi = .9 ) "),
        ("nDCG(gain=exp,ideal=all)@10", "nDCG(ideal=all, gain=exp)@10"),
        ("P@10", "P()@10", "P(condensed=false)@10", "P(denominator=cutoff)@10"),
    ):
        metrics = {parse(label) for label in labels}
        assert [metric.label for metric in metrics] == [labels[0]]
    whole = metric_class("StratifiedRecall")(gamma=2)
    assert whole.label == parse("StratifiedRecall(gamma=2.0)").label == "StratifiedRecall(gamma=2)"


def test_a_label_shows_what_differs_from_the_default_in_alphabetical_order() -> None:
    metric = metric_class("nDCG")(cutoff=10, ideal="all", gain="exp", depth=100, condensed=True)
    assert metric.label == "nDCG(condensed=true,depth=100,gain=exp,ideal=all)@10"
    assert metric_class("nDCG")(gain="rating", ideal="cut").label == "nDCG"


def test_a_metric_knows_its_name_and_its_module() -> None:
    for name in METRICS:
        assert parse(name).name == name
        assert module_of(f"{name}(condensed=true)@10") == type(parse(name)).__module__


@pytest.mark.each(
    ("label", "words"),
    [
        ("P@0", "not the label of a metric"),
        ("P@", "not the label of a metric"),
        ("P@1.5", "not the label of a metric"),
        ("P(depth=2", "not the label of a metric"),
        ("", "not the label of a metric"),
        ("MAP@10", "no metric 'MAP'.*antiP.*Unjudged"),
        ("ndcg@10", "no metric 'ndcg'.*nDCG"),
        ("P(gain=binary)@10", "Its parameters: .*condensed"),
        ("P(depth=2,depth=3)@10", "given once"),
        ("P(depth)", "parameter=value"),
        ("P(cutoff=5)", "must be a parameter of P"),
        (
            "nDCG(gain=square)@10",
            "one of rating, binary, exp, exp-normalised, exp-relevant, exp-steps, .*, cm100k",
        ),
        ("P(condensed=yes)", "true or false"),
        ("P(depth=deep)", "whole number"),
        ("P(depth=2.5)", "whole number"),
        ("P(depth=0)", "at least 1"),
        ("RBP(phi=much)", "must be a number"),
        ("RBP(phi=1)", "between 0 and 1"),
        ("RBO(phi=0)", "between 0 and 1"),
        ("RBPresidual(phi=nan)", "between 0 and 1"),
        ("StratifiedRecall(gamma=-1)", "at least 0"),
        ("StratifiedRecall(gamma=nan)", "at least 0"),
    ],
)
def test_bad_labels_are_refused_with_what_is_accepted(label: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(label)


def test_every_word_of_every_parameter_is_accepted_and_no_other() -> None:
    for name in METRICS:
        kind = metric_class(name)
        for parameter, values in choices(kind).items():
            assert parameter not in COMMON
            if isinstance(values[0], str):
                with pytest.raises(ValueError, match=", ".join(values)):
                    kind(**{parameter: "other"})


def test_the_reach_is_the_last_rank_that_matters() -> None:
    assert parse("P@10").reach == 10
    assert parse("P(depth=5)@10").reach == 5
    assert parse("P(depth=20)@10").reach == 10
    assert parse("P").reach is None
    # The tenth judged item may stand anywhere.
    assert parse("P(condensed=true)@10").reach is None
    assert parse("P(condensed=true,depth=50)@10").reach == 50
    # All items of the list count as others.
    assert parse("AUC@10").reach is None
    assert parse("logAUC(depth=50)@10").reach == 50
    # The best of all listed items make the ideal list.
    assert parse("nDCG(ideal=listed)@10").reach is None
    assert parse("nDCG(depth=50,ideal=listed)@10").reach == 50
    assert parse("nDCG(ideal=all)@10").reach == 10
