# SPDX-License-Identifier: MIT
"""Rules: when a claim holds, holds in part, and does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claims.made_up import STUDY, judged, line, sources_of, values_of
from pydantic import ValidationError

from reproduction.claims.sources import ClaimContext, ClaimSources, NotMeasuredError
from reproduction.claims.verdicts import ClaimVerdict, failing, verdict_of

HOLDS, PART, FAILS = ClaimVerdict.HOLDS, ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.DOES_NOT_HOLD


def number(published: float, **more: Any) -> dict[str, Any]:
    ours = {"where": {"system": "pop"}}
    return {"rule": "number", "ours": ours, "published": published, **more}


@pytest.mark.each(
    ("published", "more", "verdict"),
    [
        (0.25, {}, HOLDS),
        (0.26, {}, FAILS),
        (0.26, {"within": 0.01}, HOLDS),
        (0.27, {"within": 0.01, "nearly": 2}, PART),
        (0.28, {"within": 0.01, "nearly": 2}, FAILS),
        (0.2, {"share": 0.25}, HOLDS),
        (0.2, {"share": 0.2}, FAILS),
    ],
)
def test_a_number_holds_within_its_tolerance(
    tmp_path: Path, published: float, more: dict[str, Any], verdict: ClaimVerdict
) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.25))
    found = judged(number(published, because="as rounded", **more), sources)
    assert found.verdict is verdict
    assert (found.value, found.published) == (0.25, published)
    assert ("Off by" in found.detail) is (verdict is not HOLDS)


def test_a_tolerance_without_a_reason_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="needs a reason for its width"):
        judged(number(0.25, within=0.1), sources_of(tmp_path, values_of(pop=0.25)))


@pytest.mark.each(
    ("left", "sign", "right", "more", "verdict"),
    [
        (0.2, "<", 0.3, {}, HOLDS),
        (0.3, "<", 0.3, {}, FAILS),
        (0.3, "<=", 0.3, {}, HOLDS),
        (0.3, ">", 0.2, {"margin": 0.05}, HOLDS),
        (0.3, ">", 0.2, {"margin": 0.15}, FAILS),
        (0.3, "~", 0.28, {}, HOLDS),
        (0.3, "~", 0.26, {}, FAILS),
        (0.3, "~", 0.26, {"alike": 0.2}, HOLDS),
        (0.3, "=", 0.3, {}, HOLDS),
        (0.3, "=", 0.31, {"within": 0.02}, HOLDS),
        (0.3, ">", 0.2, {"p_value": 0.04}, HOLDS),
        (0.3, ">", 0.2, {"p_value": 0.06}, FAILS),
        (0.3, "~", 0.29, {"p_value": 0.06}, HOLDS),
        (0.3, "~", 0.29, {"p_value": 0.04}, FAILS),
    ],
)
def test_a_comparison_holds_where_the_sign_is_right(
    tmp_path: Path,
    left: float,
    sign: str,
    right: float,
    more: dict[str, Any],
    verdict: ClaimVerdict,
) -> None:
    sources = sources_of(tmp_path, values_of(pop=left, mf=right))
    sides = {"left": {"where": {"system": "pop"}}, "right": {"where": {"system": "mf"}}}
    found = judged({"rule": "comparison", "sign": sign, **sides, **more}, sources)
    assert found.verdict is verdict


@pytest.mark.each(
    ("threshold", "enough", "verdict", "detail"),
    [
        (0.05, 1, HOLDS, ""),
        (0.15, 1, PART, "Not shown: a (1 of 3)."),
        (0.25, 1, FAILS, "Not shown: a and b (2 of 3)."),
        (0.15, 0.6, HOLDS, "Not shown: a (1 of 3)."),
    ],
)
def test_a_comparison_of_several_holds_in_part_where_half_of_them_do(
    tmp_path: Path, threshold: float, enough: float, verdict: ClaimVerdict, detail: str
) -> None:
    sources = sources_of(tmp_path, values_of(a=0.1, b=0.2, c=0.3))
    rule = {"rule": "comparison", "left": {"each": ["system"]}, "sign": ">", "right": threshold}
    found = judged({**rule, "enough": enough}, sources)
    assert (found.verdict, found.detail) == (verdict, detail)


@pytest.mark.each(
    ("tiers", "more", "verdict"),
    [
        ([["plsa"], ["pop"], ["others"]], {}, HOLDS),
        ([["others"], ["random"]], {}, HOLDS),
        ([["pop"], ["plsa"], ["random"]], {}, PART),
        ([["random"], ["others"]], {}, FAILS),
        ([["random"], ["others"]], {"ahead": "lower"}, HOLDS),
        ([["mf"], ["knn"]], {}, FAILS),
        ([["mf"], ["knn"]], {"ties": True}, HOLDS),
    ],
)
def test_an_order_holds_where_every_pair_of_tiers_is_in_order(
    tmp_path: Path, tiers: list[list[str]], more: dict[str, Any], verdict: ClaimVerdict
) -> None:
    sources = sources_of(tmp_path, values_of(plsa=0.4, pop=0.3, mf=0.2, knn=0.2, random=0.1))
    rule = {"rule": "order", "values": {"each": ["system"]}, "tiers": tiers, **more}
    assert judged(rule, sources).verdict is verdict


def test_an_order_of_systems_that_are_not_there_is_refused(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(plsa=0.4, pop=0.3))
    rule = {"rule": "order", "values": {"each": ["system"]}, "tiers": [["slim"], ["others"]]}
    with pytest.raises(
        ValueError, match=r"There is no slim, only plsa, pop\. Correct the selection"
    ):
        judged(rule, sources)


@pytest.mark.each(
    ("points", "more", "verdict"),
    [
        ((1, 2, 3, 4), {"direction": "rising"}, HOLDS),
        ((1, 3, 2, 4), {"direction": "rising"}, FAILS),
        ((1, 3, 2, 4), {"direction": "rising", "steps": 0.6}, HOLDS),
        ((4, 3, 2, 1), {"direction": "falling"}, HOLDS),
        ((4, 4.1, 4, 4.2), {"direction": "flat"}, HOLDS),
        ((4, 5, 4, 4), {"direction": "flat"}, FAILS),
        ((1, 3, 2, 1), {"direction": "peak", "between": [2, 3]}, HOLDS),
        ((1, 3, 2, 1), {"direction": "peak", "between": [3, 4]}, FAILS),
        ((3, 1, 2, 3), {"direction": "dip", "between": [2, 2]}, HOLDS),
        ((1, 2, 3, 4.1), {"direction": "linear", "steps": 0.99}, HOLDS),
        ((1, 4, 9, 25), {"direction": "linear", "steps": 0.99}, FAILS),
    ],
)
def test_a_trend_holds_where_the_numbers_go_that_way(
    tmp_path: Path, points: tuple[float, ...], more: dict[str, Any], verdict: ClaimVerdict
) -> None:
    named = {f"at{x}": y for x, y in enumerate(points, start=1)}
    sources = sources_of(tmp_path, line("pop", **named))
    assert judged({"rule": "trend", "values": {"each": ["x"]}, **more}, sources).verdict is verdict


def test_series_that_go_otherwise_are_named(tmp_path: Path) -> None:
    rows = [*line("pop", at1=1, at2=2), *line("mf", at1=2, at2=1)]
    values = {"each": ["system", "x"]}
    sources = sources_of(tmp_path, rows)
    found = judged({"rule": "trend", "values": values, "direction": "rising"}, sources)
    assert (found.verdict, found.detail) == (PART, "Not shown: mf (1 of 2).")


def test_a_part_that_is_a_number_says_what_it_counts(tmp_path: Path) -> None:
    points = [{"dataset": "ml-1m", "draw": draw, "value": 1 + draw} for draw in range(3)]
    sources = sources_of(tmp_path, points)
    left = {"quotient": [{"each": ["draw"]}, 2]}
    found = judged({"rule": "comparison", "left": left, "sign": ">", "right": 1}, sources)
    assert found.ours == "split 0 .500, split 1 1.00, split 2 1.50; against 1.00"
    assert found.detail == "Not shown: splits 0 and 1 (2 of 3)."


def test_a_single_series_that_goes_otherwise_says_how_it_goes(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, line("pop", at1=0.2, at2=0.5, at3=0.4))
    rule = {"rule": "trend", "values": {"each": ["x"]}, "direction": "rising"}
    assert judged(rule, sources).detail == "It goes .200, .500, .400."


def test_a_peak_needs_bounds(tmp_path: Path) -> None:
    rule = {"rule": "trend", "values": {"each": ["x"]}, "direction": "peak"}
    with pytest.raises(ValidationError, match="between is required for a peak or a dip"):
        judged(rule, sources_of(tmp_path, line("pop", at1=1, at2=2)))


@pytest.mark.each(
    ("mf", "more", "verdict"),
    [
        ((1, 2, 4), {"leads": "left"}, HOLDS),
        ((1, 2, 4), {"leads": "left", "between": [2, 3]}, HOLDS),
        # Ends of the range and of the interval of a crossing belong to them.
        ((1, 2, 4), {"leads": "left", "between": [1, 2]}, HOLDS),
        ((1, 2, 4), {"leads": "left", "between": [3, 4]}, HOLDS),
        ((1, 4, 5), {"leads": "left", "between": [2.5, 3]}, PART),
        ((4, 2, 1), {"leads": "left"}, FAILS),
        ((1, 2, 2), {"leads": "left"}, FAILS),
        ((1, 2, 2), {"leads": "none"}, HOLDS),
        ((1, 2, 4), {"leads": "none"}, FAILS),
        ((4, 2, 1), {"leads": "right"}, HOLDS),
    ],
)
def test_lines_cross_once_and_in_the_direction_that_is_claimed(
    tmp_path: Path, mf: tuple[float, ...], more: dict[str, Any], verdict: ClaimVerdict
) -> None:
    rows = [*line("knn", at1=3, at2=3, at3=3)]
    rows += line("mf", **{f"at{x}": y for x, y in enumerate(mf, start=1)})
    sides = {
        side: {"where": {"system": name}, "each": ["x"]}
        for side, name in (("left", "knn"), ("right", "mf"))
    }
    sources = sources_of(tmp_path, rows)
    assert judged({"rule": "crossing", **sides, **more}, sources).verdict is verdict


@pytest.mark.parametrize(
    ("thresholds", "apart", "together"),
    [((0.1, 0.2), HOLDS, HOLDS), ((0.1, 0.3), PART, FAILS), ((0.3, 0.4), FAILS, FAILS)],
)
def test_parts_that_count_together_hold_together_only(
    tmp_path: Path, thresholds: tuple[float, float], apart: ClaimVerdict, together: ClaimVerdict
) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.25))
    parts = {
        name: {"rule": "comparison", "left": {"column": "value"}, "sign": ">", "right": threshold}
        for name, threshold in zip(("first", "second"), thresholds, strict=True)
    }
    rule = {"rule": "each", "parts": parts}
    assert judged(rule, sources).verdict is apart
    assert judged({**rule, "together": True}, sources).verdict is together
    # What holds in part does so together as well.
    twice = {"rule": "each", "parts": {"one": rule, "two": rule}, "together": True}
    assert judged(twice, sources).verdict is apart


def test_what_nothing_measures_says_what_would(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.25))
    with pytest.raises(NotMeasuredError, match="the queries of TREC"):
        judged({"rule": "unmeasured", "needs": "the queries of TREC"}, sources)


def test_an_unknown_rule_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="rule"):
        judged({"rule": "guess"}, sources_of(tmp_path, values_of(pop=0.25)))


def test_a_claim_without_parts_has_no_verdict() -> None:
    with pytest.raises(ValueError, match="A claim without parts cannot be judged"):
        verdict_of([])


def test_many_failing_parts_are_counted() -> None:
    parts = [(False, f"m{number}") for number in range(8)]
    assert failing(parts) == "Not shown: m0, m1, m2, m3, m4, m5 and 2 more (8 of 8)."


# --- the same order -----------------------------------------------------------------------------

PLACE = ClaimContext(STUDY, "fig01", where={"kept": 100})
ALIKE = {
    "rule": "same-order",
    "values": {"where": {"metric": "AP"}, "each": ["metric", "system"]},
    "reference": {"where": {"metric": "P"}, "each": ["system"]},
}
P_VALUES = {
    "named": {
        name: {"where": {"metric": "P"}, "column": f"p_{name}", "each": ["system"]}
        for name in ("a", "b")
    }
}


@pytest.fixture
def evidence(tmp_path: Path) -> ClaimSources:
    """Two systems by two metrics, of which one is measured with half of the judgments, too."""
    columns = ("dataset", "metric", "kept", "system", "value", "p_a", "p_b")
    rows = [
        ("ml-1m", "P", 100, "a", 3.0, 1.0, 0.2),
        ("ml-1m", "P", 100, "b", 2.0, 0.2, 1.0),
        ("ml-1m", "P", 50, "a", 1.5, 1.0, 0.01),
        ("ml-1m", "P", 50, "b", 1.0, 0.01, 1.0),
        ("ml-1m", "AP", 100, "a", 0.3, 1.0, 0.01),
        ("ml-1m", "AP", 100, "b", 0.4, 0.01, 1.0),
    ]
    return sources_of(tmp_path, [dict(zip(columns, row, strict=True)) for row in rows])


@pytest.mark.parametrize(
    ("changes", "verdict", "ours", "detail"),
    [
        ({}, FAILS, "1 of 1 pairs change places", "In another order: AP: a and b."),
        # Differences that are not significant do not count.
        ({"p_reference": P_VALUES}, HOLDS, "0 of 1 pairs change places", ""),
        (
            {"values": {"where": {"metric": "P", "kept": 50}, "each": ["kept", "system"]}},
            HOLDS,
            "0 of 1 pairs change places",
            "",
        ),
    ],
)
def test_things_that_change_places_are_named(
    evidence: ClaimSources, changes: dict[str, Any], verdict: str, ours: str, detail: str
) -> None:
    found = judged({**ALIKE, **changes}, evidence, PLACE)
    assert (found.verdict, found.ours, found.detail) == (verdict, ours, detail)


def test_orders_of_other_things_are_refused(evidence: ClaimSources) -> None:
    only_a = {"where": {"metric": "P", "system": "a"}, "each": ["system"]}
    with pytest.raises(ValueError, match=r"One order is of a, b, but the other is of a\. Select"):
        judged({**ALIKE, "reference": only_a}, evidence, PLACE)
