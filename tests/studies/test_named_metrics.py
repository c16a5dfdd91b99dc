# SPDX-License-Identifier: MIT
"""Metrics by the names of their papers."""

from __future__ import annotations

import pytest

from receval.metrics.registry import parse, parse_named


def test_metrics_are_found_by_the_papers_names_in_their_order() -> None:
    metrics = parse_named(["MRR", "MAP"], ["RR@100", "AP@100"])
    assert list(metrics) == ["MRR", "MAP"]
    assert list(metrics.values()) == [parse("RR@100"), parse("AP@100")]


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["P", "MAP"], ["P@100"]),
        (["P"], ["P@100", "AP@100"]),
        (["P", "P"], ["P@10", "P@100"]),
    ],
)
def test_names_that_are_no_names_of_the_metrics_are_refused(
    names: list[str], labels: list[str]
) -> None:
    with pytest.raises(ValueError, match=r"names P.* one for each of the metrics P@10.* differ"):
        parse_named(names, labels)


def test_an_unknown_metric_is_refused_by_its_name() -> None:
    with pytest.raises(ValueError, match="no metric 'Precison'"):
        parse_named(["P"], ["Precison@100"])


def test_the_released_forms_have_the_same_names() -> None:
    released = parse_named(["P", "nDCG"], ["P(depth=100)", "nDCG(depth=100,ideal=all)"])
    assert list(released) == ["P", "nDCG"]
    assert released["P"] == parse("P(depth=100)")
    assert released["nDCG"] == parse("nDCG(depth=100,ideal=all)")
