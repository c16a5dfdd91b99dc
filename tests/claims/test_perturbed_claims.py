# SPDX-License-Identifier: MIT
"""No verdict stands whatever the numbers are: other deciding cells give another one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from claims.perturbations import constant, telling_change

from receval.claims.ledger import judge
from receval.claims.sources import ClaimSources
from receval.claims.spec import PaperClaims, read_claims
from receval.claims.verdicts import DECIDED

ROOT = Path(__file__).resolve().parents[2]
PAPERS = {path.stem: read_claims(path) for path in sorted((ROOT / "config/claims").glob("*.yaml"))}
CHECKS = [
    (paper, number, position)
    for paper, spec in PAPERS.items()
    for number, claim in spec.claims.items()
    for position in range(len(claim.checks))
]


@cache
def sources() -> ClaimSources:
    return ClaimSources.of_folder(ROOT / "results" / "full")


@pytest.mark.parametrize(("paper", "number", "position"), CHECKS)
def test_other_deciding_numbers_give_another_verdict(
    paper: str, number: str, position: int
) -> None:
    claim = PAPERS[paper].claims[number]
    check = claim.checks[position]
    finding = judge(check, claim, paper, sources())
    if finding.verdict not in DECIDED:
        return
    assert telling_change(claim, check, paper, sources(), finding) is not None


def test_a_verdict_that_no_number_changes_is_noticed() -> None:
    paper, number, position = next(
        (paper, number, position)
        for paper, number, position in CHECKS
        if PAPERS[paper].claims[number].checks[position].decide.rule == "comparison"
    )
    claim: PaperClaims = PAPERS[paper]
    check = constant(claim.claims[number].checks[position])
    finding = judge(check, claim.claims[number], paper, sources())
    assert telling_change(claim.claims[number], check, paper, sources(), finding) is None
