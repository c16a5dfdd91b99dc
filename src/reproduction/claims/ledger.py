# SPDX-License-Identifier: MIT
"""The ledger: the verdicts on all claims, one row per claim and dataset."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import pandas as pd

from reproduction.claims.cells import ClaimContext
from reproduction.claims.certainty import KEYS, told_of_splits, verdict_of_splits
from reproduction.claims.quantities import evaluated
from reproduction.claims.rules.comparison import ContradictionRule
from reproduction.claims.sources import ClaimSources, MissingCellsError, NotMeasuredError
from reproduction.claims.spec import CheckSpec, ClaimSpec, PaperClaims, told
from reproduction.claims.verdicts import (
    ClaimVerdict,
    Finding,
    overall_in_paper,
    overall_verdict,
)


@dataclass(frozen=True)
class LedgerRow:
    """One claim on one dataset: a row of ``claims.csv``, all of it text.

    Attributes
    ----------
    claim, paper, where, kind, statement, dataset, expected : str
        What the paper says, and where.
    form : str
        Another form of the claim, whose verdict is shown beside the claim's and not counted.
    in_paper, printed : str
        What the paper's own values say about it, in a word and in a sentence.
    published, value, low, high, ours : str
        The paper's number, ours and its interval, and a sentence on ours.
    rule, because, verdict, detail, reason, needs : str
        How and why it was decided in this way, and the result.
    one_split, splits : str
        The verdict of the single split, and a sentence on other splits.
    artifact, cells : str
        What decided it.
    """

    claim: str
    paper: str
    where: str
    kind: str
    statement: str
    dataset: str
    form: str
    expected: str
    in_paper: str
    printed: str
    published: str
    value: str
    low: str
    high: str
    ours: str
    rule: str
    because: str
    verdict: str
    one_split: str
    splits: str
    detail: str
    reason: str
    needs: str
    artifact: str
    cells: str


COLUMNS = tuple(field.name for field in fields(LedgerRow))
"""Columns of the ledger's CSV; docs/claims.md describes them."""

_BY_DEFINITION = ("setting", "definition")


def judge(check: CheckSpec, claim: ClaimSpec, paper: str, sources: ClaimSources) -> Finding:
    """Decide a claim on one dataset."""
    sources.forget()
    if isinstance(check.decide, ContradictionRule):
        # The text alone decides it, whatever data are available.
        return check.decide.judge(sources, ClaimContext(paper))
    if check.dataset and not sources.has(paper, check.dataset):
        return _undecidable(check, f"the dataset {check.dataset}")
    try:
        finding = check.decide.judge(
            sources, ClaimContext(paper, check.artifact, check.dataset, check.where)
        )
    except NotMeasuredError as error:
        return _undecidable(check, str(error))
    except MissingCellsError:
        if not check.needs:
            raise
        return _undecidable(check, check.needs)
    if finding.verdict is ClaimVerdict.HOLDS and claim.kind in _BY_DEFINITION:
        return replace(finding, verdict=ClaimVerdict.AS_DEFINED)
    return finding


def _undecidable(check: CheckSpec, needs: str) -> Finding:
    rule = check.decide
    published = rule.published_number()
    return Finding(ClaimVerdict.UNDECIDABLE, "", rule.in_words(), needs, published)


def judged_claims(
    papers: Iterable[PaperClaims], sources: ClaimSources, certainty: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the ledger of some papers.

    ``certainty`` has how certain verdicts are (:data:`reproduction.claims.certainty.COLUMNS`). If
    enough splits were tried, they decide instead of the single split of the sources
    (:func:`reproduction.claims.certainty.verdict_of_splits`).
    """
    rows = [
        ledger_row(number, claim, check, paper.paper, sources)
        for paper in papers
        for number, claim in paper.claims.items()
        for check in claim.checks
    ]
    if certainty is not None:
        known = {tuple(row[key] for key in KEYS): row for row in certainty.to_dict("records")}
        rows = [_by_splits(row, known.get(tuple(row[key] for key in KEYS))) for row in rows]
    for row in rows:
        if row["verdict"] in (ClaimVerdict.HOLDS, ClaimVerdict.AS_DEFINED):
            row["reason"] = ""
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _by_splits(row: dict[str, Any], found: Mapping[Hashable, Any] | None) -> dict[str, Any]:
    """Return a row with the verdict of all splits that were tried, if there are enough."""
    if found is None or row["verdict"] == ClaimVerdict.UNDECIDABLE:
        return row
    if not int(found["replications"] or 0):
        # Splits were not tried, or they lack the cells that decide this claim.
        return row
    verdict = verdict_of_splits(ClaimVerdict(row["verdict"]), found)
    told: dict[str, Any] = {"verdict": str(verdict), "splits": told_of_splits(row["value"], found)}
    if not math.isnan(float(found["low"] or "nan")):
        told |= {"low": float(found["low"]), "high": float(found["high"])}
    if verdict in (ClaimVerdict.HOLDS, ClaimVerdict.AS_DEFINED):
        told["detail"] = ""
    return row | told


def ledger_row(
    number: str, claim: ClaimSpec, check: CheckSpec, paper: str, sources: ClaimSources
) -> dict[str, Any]:
    """Return the row of a claim on one dataset; its readings stay in the sources."""
    try:
        finding = judge(check, claim, paper, sources)
    except ValueError as error:
        on = f" on {check.dataset}" if check.dataset else ""
        raise ValueError(f"The claim {number}{on} cannot be judged: {error}") from error
    is_undecidable = finding.verdict is ClaimVerdict.UNDECIDABLE
    has_reason = not is_undecidable and not sources.is_reduced(paper)
    readings = list(dict.fromkeys(sources.readings))
    printed = check.in_paper or claim.in_paper
    return {
        "claim": number,
        "paper": paper,
        "where": claim.where,
        "kind": claim.kind,
        "statement": claim.statement,
        "dataset": check.dataset or "",
        "form": check.form,
        "expected": check.expected or claim.expected,
        "in_paper": printed.found if printed else "",
        "printed": printed.because if printed else "",
        "published": finding.published,
        "value": finding.value,
        "low": finding.low,
        "high": finding.high,
        "ours": "" if is_undecidable else _here(check, paper, sources) or finding.ours,
        "rule": finding.rule,
        "because": check.decide.why(),
        "verdict": str(finding.verdict),
        "one_split": str(finding.verdict),
        "splits": "",
        "detail": "" if is_undecidable else finding.detail,
        # Reasons are known for the real data only.
        "reason": (check.reason or claim.reason) if has_reason else "",
        "needs": finding.detail if is_undecidable else "",
        "artifact": "; ".join(dict.fromkeys(r.source for r in readings if r.source)),
        "cells": "; ".join(dict.fromkeys(reading.cells for reading in readings)),
    }


def _here(check: CheckSpec, paper: str, sources: ClaimSources) -> str:
    """Return the sentence of a check with its numbers; empty if a number is missing."""
    context = ClaimContext(paper, check.artifact, check.dataset, check.where)
    # Numbers in a sentence decide nothing, so they are not listed among the deciding cells.
    aside = sources.aside()
    try:
        numbers = {
            name: evaluated(quantity, aside, context).number()
            for name, quantity in check.numbers.items()
        }
    except NotMeasuredError:
        return ""
    # For example an average over no users, in the demo.
    return "" if any(map(math.isnan, numbers.values())) else told(check.here, numbers)


def claims_of(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return one row per claim, with the verdict over the datasets on which it is decided.

    ``in_paper`` is what the paper's own values say
    (:func:`reproduction.claims.verdicts.overall_in_paper`), ``datasets`` on how many it is decided,
    and ``verdict`` the one over all of them (:func:`reproduction.claims.verdicts.overall_verdict`).
    """
    own = ledger[ledger["form"] == ""]
    rows = [
        (
            claim,
            rows["paper"].iloc[0],
            rows["kind"].iloc[0],
            overall_in_paper(list(rows["in_paper"])) or "not given",
            int((rows["verdict"] != ClaimVerdict.UNDECIDABLE).sum()),
            overall_verdict(list(rows["verdict"])),
        )
        for claim, rows in own.groupby("claim", sort=False)
    ]
    return pd.DataFrame(rows, columns=["claim", "paper", "kind", "in_paper", "datasets", "verdict"])
