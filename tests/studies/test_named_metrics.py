"""Metrics by the names of their papers, which look the same in every figure."""

from __future__ import annotations

import pytest

from receval.figures.style import STANDARD_METRICS, SeriesStyle, metric_styles
from receval.metrics.registry import parse, parse_named

OF_2018 = ("P", "Recall", "MAP", "nDCG", "MRR", "bpref", "infAP")
OF_2020 = ("P", "Recall", "F1", "MAP", "nDCG", "MRR", "ERR", "bpref", "infAP")


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
    released = parse_named(["P", "nDCG"], ["set_P(depth=100)", "ndcg(depth=100)"])
    assert list(released) == ["P", "nDCG"]
    assert released["P"] == parse("P(depth=100)")
    assert released["nDCG"] == parse("nDCG(depth=100,ideal=all)")


def test_a_metric_looks_the_same_in_every_figure() -> None:
    before, after = metric_styles(OF_2018), metric_styles(OF_2020)
    assert before.items() <= after.items()
    assert metric_styles(["infAP", "P"])["P"] == after["P"]
    assert len(set(after.values())) == len(OF_2020)
    assert len(set(metric_styles(STANDARD_METRICS).values())) == len(STANDARD_METRICS)


def test_a_geometric_metric_looks_like_the_metric() -> None:
    plain = metric_styles(OF_2020)
    geometric = metric_styles([f"G{name}" for name in OF_2020])
    assert list(geometric) == [f"G{name}" for name in OF_2020]
    assert list(geometric.values()) == list(plain.values())


def test_the_released_form_is_the_metric_dotted() -> None:
    styles = metric_styles(["GF1", "GMRR", "GF1*", "GMRR*"])
    plain = metric_styles(OF_2020)
    for name in ("F1", "MRR"):
        own = plain[name]
        assert styles[f"G{name}"] == own
        assert own.line != ":"
        assert styles[f"G{name}*"] == SeriesStyle(own.colour, own.marker, ":", own.hatch)


def test_cut_offs_of_one_metric_have_an_order_of_colours() -> None:
    names = ["nDCG@5", "nDCG@10", "nDCG@20"]
    styles = metric_styles(names)
    assert list(styles) == names
    light = [sum(int(style.colour[i : i + 2], 16) for i in (1, 3, 5)) for style in styles.values()]
    assert light == sorted(light, reverse=True)
    assert len(set(light)) == 3
