# SPDX-License-Identifier: MIT
"""No verdict stands whatever the numbers are: other deciding cells give another one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from claims.deciding_cells import CellRule, NoValueError, RowNumbers, rule_on_cells, telling_change
from claims.made_up import CONTEXT, own_statements, sources_of, values_of
from pydantic import TypeAdapter

from reproduction.claims.comparison_rules import ContradictionRule
from reproduction.claims.ledger import judge
from reproduction.claims.sources import ClaimContext, ClaimSources, NotMeasuredError
from reproduction.claims.spec import AnyRule, CheckSpec, ClaimSpec, read_claims
from reproduction.claims.verdicts import ClaimVerdict

pytestmark = pytest.mark.repository

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "config/claims").glob("*.yaml"))


@cache
def sources() -> ClaimSources:
    return ClaimSources.of_folder(ROOT / "results" / "full")


@cache
def row_numbers() -> RowNumbers:
    return RowNumbers(sources())


def unchanging(whole: CellRule) -> list[str]:
    """Names of what no number can change: the whole rule, which has none, and its parts."""
    found = []
    for part in (whole, *whole.parts()):
        try:
            finding = part.judge()
        except NotMeasuredError:
            continue
        if telling_change(part, finding) is None:
            found.append(part.name)
    return found


def unchanging_parts(paper: str, number: str, claim: ClaimSpec, check: CheckSpec) -> list[str]:
    """Names of what no number changes in a check of a claim, each with the claim's number."""
    finding = judge(check, claim, paper, sources())
    if finding.verdict is ClaimVerdict.UNDECIDABLE or isinstance(check.decide, ContradictionRule):
        return []
    context = ClaimContext(paper, check.artifact, check.dataset, check.where)
    whole = rule_on_cells(check.decide, context, row_numbers())
    on_cells = whole.judge()
    assert (on_cells.ours, on_cells.detail) == (finding.ours, finding.detail), number
    return [f"{number}: {name}" for name in unchanging(whole)]


@pytest.mark.repository
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_other_deciding_numbers_give_another_verdict_on_each_claim_and_on_each_part(
    file: Path,
) -> None:
    found = [
        name
        for number, claim in read_claims(file).claims.items()
        for check in claim.checks
        for name in unchanging_parts(file.stem, number, claim, check)
    ]
    assert found == []


@pytest.mark.repository
def test_other_deciding_numbers_give_another_verdict_on_each_statement_of_our_own() -> None:
    found = [
        name
        for study, artifact, statement in own_statements()
        for check in statement.checks_on(artifact)
        for name in unchanging_parts(
            study, f"{study}/{artifact}", statement.as_claim(artifact), check
        )
    ]
    assert found == []


POP = {"where": {"system": "pop"}}
ALL = {"where": {"system": ["pop", "knn"]}}


def can_fail(sign: str = ">") -> dict[str, Any]:
    return {"rule": "comparison", "left": POP, "sign": sign, "right": {"where": {"system": "knn"}}}


CANNOT_FAIL: dict[str, dict[str, Any]] = {
    "of constants": {"rule": "comparison", "left": 0, "sign": "<", "right": 1},
    # Nothing but NaN could change it.
    "of a magnitude": {"rule": "comparison", "left": {"magnitude": POP}, "sign": ">=", "right": 0},
    # Numbers of their own on either side could change it, but they are of the same cells.
    "of the same cells": {
        "rule": "comparison",
        "left": {**ALL, "take": "lowest"},
        "sign": "<=",
        "right": POP,
    },
    # 0 / 0 could change it.
    "of a quotient": {
        "rule": "comparison",
        "left": {"quotient": [POP, POP]},
        "sign": "=",
        "right": 1,
    },
}


def made_up(plain: dict[str, Any], folder: Path) -> CellRule:
    numbered = RowNumbers(sources_of(folder, values_of(pop=0.25, knn=0.5)))
    rule: AnyRule = TypeAdapter(AnyRule).validate_python(plain)
    whole = rule_on_cells(rule, CONTEXT, numbered)
    whole.judge()
    return whole


@pytest.mark.parametrize("rule", CANNOT_FAIL.values(), ids=CANNOT_FAIL)
def test_a_verdict_that_no_number_changes_is_noticed(rule: dict[str, Any], tmp_path: Path) -> None:
    assert unchanging(made_up(rule, tmp_path)) == [""]


@pytest.mark.parametrize(
    ("sign", "whole"),
    # Two parts that contradict each other, beside some that hold: always in part.
    [("<", []), (">", [""])],
)
def test_a_part_that_no_number_changes_is_noticed(
    sign: str, whole: list[str], tmp_path: Path
) -> None:
    inner = {"rule": "each", "parts": {"can": can_fail("<"), **CANNOT_FAIL}}
    rule = {"rule": "each", "parts": {"can": can_fail(sign), "inner": inner}}
    parts = [f"inner / {name}" for name in CANNOT_FAIL]
    assert unchanging(made_up(rule, tmp_path)) == whole + parts


def test_a_rule_that_can_fail_is_not_blamed(tmp_path: Path) -> None:
    assert unchanging(made_up(can_fail(), tmp_path)) == []


def test_a_change_that_leaves_no_number_is_none(tmp_path: Path) -> None:
    whole = made_up(can_fail(), tmp_path)
    whole.cells.values = whole.cells.values * float("nan")
    with pytest.raises(NoValueError):
        whole.judge()
