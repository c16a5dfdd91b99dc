# SPDX-License-Identifier: MIT
"""What a row of the ledger says: its rule and why, by how much a claim fails, and intervals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from claims.made_up import CONTEXT, STUDY, claims_of_paper, judged, sources_of, values_of
from claims.test_ledger import NEWER, NUMBERS, ROOT, claim_of
from pydantic import TypeAdapter, ValidationError

from receval.storage.files import read_results
from reproduction.claims.comparison_rules import ComparisonRule, NumberRule
from reproduction.claims.ledger import COLUMNS, judged_claims
from reproduction.claims.repetition import digest_of_check
from reproduction.claims.sources import SelectedCells
from reproduction.claims.spec import AnyRule, CheckSpec, PaperClaims
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.config.settings import load_settings

POP: dict[str, Any] = {"where": {"system": "pop"}}
MF: dict[str, Any] = {"where": {"system": "mf"}}


def rule(plain: Any) -> AnyRule:
    made: AnyRule = TypeAdapter(AnyRule).validate_python(plain)
    return made


def compared(sign: str, **more: Any) -> dict[str, Any]:
    return {"rule": "comparison", "left": POP, "sign": sign, "right": MF, **more}


def in_order(*tiers: str) -> dict[str, Any]:
    return {"rule": "order", "values": {"each": ["system"]}, "tiers": [[name] for name in tiers]}


# --- the rule, and why ------------------------------------------------------------------------


def test_parts_give_their_reasons_by_name_and_one_reason_once(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.2, mf=0.3))

    def each(one: str, other: str, because: str = "") -> str:
        parts = {"first": compared("<", because=one), "second": compared("<", because=other)}
        return rule({"rule": "each", "because": because, "parts": parts}).why(sources, CONTEXT)

    assert each("as rounded", "as rounded") == "as rounded"
    assert each("as rounded", "as cut") == "first: as rounded; second: as cut"
    assert each("", "as cut", "both count") == "both count; second: as cut"
    assert each("", "") == ""


@pytest.mark.parametrize(
    ("sign", "limit", "enough", "flip"),
    [
        ("<", 0.95, 1.0, ".90"),
        ("<", 0.75, 1.0, ".70"),
        ("<", 0.95, 0.75, ".80"),
        (">=", 0.6, 1.0, ".50"),
        (">=", 0.72, 1.0, ".80"),
        (">", 0.1, 0.75, ".70"),
    ],
)
def test_a_reason_has_the_limit_at_which_the_verdict_would_flip(
    tmp_path: Path, sign: str, limit: float, enough: float, flip: str
) -> None:
    sources = sources_of(tmp_path, values_of(a=0.7, b=0.5, c=0.9, d=0.8))
    left = {"each": ["system"]}
    plain = {"rule": "comparison", "left": left, "sign": sign, "enough": enough}
    why = "our reading; it would flip at {flip:.2f}; thus"
    own = rule({**plain, "right": limit, "because": why})
    assert own.why(sources, CONTEXT) == f"our reading; it would flip at {flip}; thus"
    near = (float(flip) + off for off in (-0.001, 0.001))
    below, above = (judged({**plain, "right": at}, sources).verdict for at in near)
    assert below is not above
    assert judged({**plain, "right": limit}, sources).verdict in (below, above)


@pytest.mark.parametrize(
    ("sign", "limit", "enough", "flip"),
    [
        ({"sign": "~"}, "alike", 1.0, ".50"),
        ({"sign": "~"}, "alike", 0.75, ".20"),
        ({"sign": "="}, "within", 1.0, ".40"),
        ({"sign": "="}, "within", 0.75, ".20"),
    ],
)
def test_likeness_flips_at_the_difference_that_is_just_allowed(
    tmp_path: Path, sign: dict[str, str], limit: str, enough: float, flip: str
) -> None:
    sources = sources_of(tmp_path, values_of(a=0.8, b=0.4, c=1.0, d=0.82))
    plain = {"rule": "comparison", "left": {"each": ["system"]}, "right": 0.8, "enough": enough}
    own = rule({**plain, **sign, limit: 0.7, "because": "it would flip at {flip:.2f}"})
    assert own.why(sources, CONTEXT) == f"it would flip at {flip}"
    near = (float(flip) + off for off in (-0.001, 0.001))
    below, above = (judged({**plain, **sign, limit: at}, sources).verdict for at in near)
    assert (below, above) == (ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.HOLDS)


@pytest.mark.parametrize(
    ("limit", "verdict", "holding"),
    [
        (18.5, "holds", 19),
        (17.5, "depends on the split", 18),
        (1.5, "depends on the split", 2),
        (0.5, "does not hold", 1),
    ],
)
def test_a_studys_own_splits_decide_as_replications_do(
    tmp_path: Path, limit: float, verdict: str, holding: int
) -> None:
    rows = [{"dataset": "ml-1m", "draw": at, "value": at} for at in range(20)]
    sources = sources_of(tmp_path, rows)
    plain = {"rule": "comparison", "left": {"each": ["draw"]}, "sign": "<", "right": limit}
    found = judged({**plain, "over_splits": True}, sources)
    assert (found.verdict, found.by_split.count(ClaimVerdict.HOLDS)) == (verdict, holding)
    # Where one of two parts always holds, the claim holds, or in part, on each split.
    always = {**plain, "right": 99, "over_splits": True}
    parts = {"one": {**plain, "over_splits": True}, "another": always}
    both = judged({"rule": "each", "parts": parts}, sources)
    assert both.verdict == {"does not hold": "holds in part"}.get(verdict, verdict)
    assert both.by_split.count(ClaimVerdict.HOLDS_IN_PART) == 20 - holding
    never = {**plain, "right": -1, "over_splits": True}
    three = {"rule": "each", "parts": {**parts, "never": never}}
    assert judged(three, sources).verdict == "holds in part"


def test_where_splits_decide_the_flip_is_where_their_verdict_changes(tmp_path: Path) -> None:
    rows = [{"dataset": "ml-1m", "draw": at, "value": at} for at in range(20)]
    sources = sources_of(tmp_path, rows)
    plain = {"rule": "comparison", "left": {"each": ["draw"]}, "sign": "<", "because": "{flip:.0f}"}
    for limit, flip in (30, "18"), (12, "18"), (8, "1"), (-3, "1"):
        own = rule({**plain, "right": limit, "over_splits": True})
        assert own.why(sources, CONTEXT) == flip


def test_a_reason_leaves_out_where_a_verdict_flips_that_no_number_decides(tmp_path: Path) -> None:
    plain = compared("<", right=0.5, because="our reading; it would flip at {flip:.2f}; thus")
    unknown = sources_of(tmp_path, values_of(pop=float("nan"), mf=0.3))
    assert rule(plain).why(unknown, CONTEXT) == "our reading; thus"
    elsewhere = replace(CONTEXT, artifact="fig02")
    assert rule(plain).why(unknown, elsewhere) == "our reading; thus"


@pytest.mark.parametrize(
    "more", [{"right": MF}, {"margin": 0.1}, {"p_value": 0.5}, {"sign": "~", "within": 0.1}]
)
def test_a_reason_that_asks_for_the_flip_of_a_rule_without_one_number_is_refused(
    more: dict[str, Any],
) -> None:
    plain = {**compared("<", right=0.5, because="at {flip:.2f}"), **more}
    with pytest.raises(ValidationError, match="a verdict flips at a number on the right"):
        rule(plain)


def test_a_rule_needs_no_data_to_be_told(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.2, mf=0.3))
    plain = compared(">", margin=0.05, p_value=0.5)
    words = "more than the other, by .05, significantly"
    assert rule(plain).in_words() == judged(plain, sources).rule == words
    assert rule(compared("<=", right=0.5)).in_words() == "at most .5"


def test_every_column_of_the_ledger_is_explained() -> None:
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert [name for name in COLUMNS if f"`{name}`" not in page] == []


# --- by how much ------------------------------------------------------------------------------


@pytest.mark.each(
    ("plain", "detail"),
    [
        (compared(">"), ".200 is not more than .300."),
        (compared(">", right=0.25), ".200 is not more than .25."),
        (compared(">", right=3, margin=0.5), ".200 is not more than 3, by .5."),
        (compared(">="), ".200 is not at least .300."),
        (compared("="), ".200 is not equal to .300."),
        (compared("~"), ".200 is not within 10 % of .300."),
        (compared("<"), ""),
        (compared("<", p_value=0.06), "Not significant: p = .0600."),
        (compared("~", alike=0.5, p_value=0.04), "Significant: p = .0400."),
        (in_order("pop", "mf"), "pop has .200, mf .300."),
        (in_order("mf", "pop"), ""),
        ({**in_order("pop", "mf"), "ahead": "lower"}, ""),
    ],
)
def test_what_fails_alone_says_by_how_much(tmp_path: Path, plain: Any, detail: str) -> None:
    assert judged(plain, sources_of(tmp_path, values_of(pop=0.2, mf=0.3))).detail == detail


@pytest.mark.each(
    ("plain", "parts"),
    [
        (compared(">"), ""),
        (compared(">", right=0.25), ""),
        ({"rule": "number", "ours": POP, "published": 1}, ""),
        (compared("<", p_value=0.06), "Not significant: p = .0600."),
        (
            {"rule": "each", "parts": {"first": compared(">"), "second": in_order("pop", "mf")}},
            "Not shown: first and second (2 of 2). Second: pop has .200, mf .300.",
        ),
    ],
)
def test_beside_a_sentence_of_our_own_only_parts_are_named(
    tmp_path: Path, plain: Any, parts: str
) -> None:
    finding = judged(plain, sources_of(tmp_path, values_of(pop=0.2, mf=0.3)))
    assert finding.only_parts == parts
    assert finding.detail != ""


@pytest.mark.each(
    ("expected", "published", "said"),
    [
        (".3", 0.3, "Here it is .2500; the paper has .3."),
        ("25.5 %", 25.5, "Here it is .2500 %; the paper has 25.5 %."),
        # The rule compares with a share here, and print has per cent.
        ("25.5 %", 0.255, "Here it is .2500; the paper has 25.5 %."),
    ],
)
def test_a_number_alone_is_told_beside_the_papers(
    tmp_path: Path, expected: str, published: float, said: str
) -> None:
    (claim,) = claim_of(tmp_path).claims.values()
    decide = rule({"rule": "number", "ours": POP, "published": published})
    check = claim.checks[0].model_copy(update={"decide": decide})
    plain = claim.model_copy(update={"checks": (check,), "expected": expected})
    claims = PaperClaims(paper=STUDY, claims={"B-001": plain})
    (row,) = judged_claims([claims], sources_of(tmp_path, values_of(pop=0.25))).to_dict("records")
    assert row["ours"] == said


def test_what_has_no_value_says_so(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(pop=np.nan, mf=0.3))
    assert judged(compared(">"), sources).detail == "There is no value."
    assert judged(in_order("pop", "mf"), sources).detail == "pop has no value, mf .300."


def test_a_row_has_names_in_print(tmp_path: Path) -> None:
    by = values_of(**{"pop": 0.2, "P(gain=binary)@10": 0.1, "user-knn": 0.3})
    (claim,) = claim_of(tmp_path).claims.values()
    check = claim.checks[0].model_copy(
        update={"decide": rule(in_order("pop", "user-knn", "others"))}
    )
    claims = PaperClaims(
        paper=STUDY,
        systems={"pop": "POP", "user-knn": "KNN"},
        claims={"B-001": claim.model_copy(update={"checks": (check,)})},
    )
    (row,) = judged_claims([claims], sources_of(tmp_path, by)).to_dict("records")
    assert row["ours"] == "KNN, POP, P@10"
    assert row["detail"] == "Not shown: POP before KNN (1 of 3)."


def test_no_sentence_of_the_ledger_has_the_key_of_a_system() -> None:
    ledger = read_results(ROOT / "results" / "full" / "claims.csv")
    keys = {*load_settings(ROOT / "config", "full").systems}
    keys |= {key for paper in (*NUMBERS, *NEWER) for key in claims_of_paper(paper).systems}
    for column in ("ours", "detail", "splits", "reason"):
        said = ledger[column].str.findall(r"[\w-]+")
        # Ratings, orders and settings are random, too.
        found = said.map(lambda words: sorted((keys - {"random"}) & set(words)))
        assert ledger.loc[found.map(bool), "claim"].tolist() == []


# --- intervals --------------------------------------------------------------------------------

WITH_INTERVAL = [
    {"dataset": "ml-1m", "system": "pop", "value": 0.2, "value_low": 0.1, "value_high": 0.4}
]
ENDS = {"low": "value_low", "high": "value_high"}


@pytest.mark.parametrize(
    "plain",
    [
        {"rule": "number", "ours": {**POP, **ENDS}, "published": 0.2},
        {"rule": "comparison", "left": {**POP, **ENDS}, "sign": "<", "right": 0.3},
    ],
)
def test_a_number_that_decides_alone_has_its_interval(tmp_path: Path, plain: Any) -> None:
    found = judged(plain, sources_of(tmp_path, WITH_INTERVAL))
    assert (found.value, found.low, found.high) == (0.2, 0.1, 0.4)


def test_an_interval_decides_nothing_and_leaves_the_digest_as_it_is(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, WITH_INTERVAL)
    digests, rows = [], []
    for ends in ("", ", low: value_low, high: value_high", ", low: value_low"):
        claims = claim_of(tmp_path, ends=ends)
        (claim,) = claims.claims.values()
        digests.append(digest_of_check(claim, claim.checks[0]))
        rows.append(judged_claims([claims], sources))
    assert len(set(digests)) == 1
    assert [row["high"].notna().tolist() for row in rows] == [[False], [True], [False]]
    others = [row.drop(columns=["low", "high"]) for row in rows]
    for other in others[1:]:
        pd.testing.assert_frame_equal(others[0], other)


def test_a_digest_is_another_where_other_cells_decide(tmp_path: Path) -> None:
    digests = set()
    for ends in ("", ", column: value_low", ", take: mean"):
        (claim,) = claim_of(tmp_path, ends=ends).claims.values()
        digests.add(digest_of_check(claim, claim.checks[0]))
    assert len(digests) == 3


def number_read(check: CheckSpec) -> SelectedCells | None:
    """The cell that decides alone, if it is one of an artifact."""
    decide = check.decide
    if isinstance(decide, NumberRule) and isinstance(decide.ours, SelectedCells):
        return decide.ours
    if isinstance(decide, ComparisonRule) and isinstance(decide.left, SelectedCells):
        return None if decide.left.each else decide.left
    return None


def test_a_number_whose_artifact_has_its_interval_names_it() -> None:
    for paper in NUMBERS:
        for number, claim in claims_of_paper(paper).claims.items():
            for check in claim.checks:
                cells = number_read(check)
                if cells is None or cells.take is not None or cells.low:
                    continue
                artifact = cells.artifact or check.artifact
                assert artifact is not None
                name = artifact if "/" in artifact else f"{paper}/{artifact}"
                columns = read_results(ROOT / "results" / "full" / f"{name}.csv").columns
                assert f"{cells.column}_low" not in columns, number
