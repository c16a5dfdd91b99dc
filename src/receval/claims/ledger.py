# SPDX-License-Identifier: MIT
"""The ledger: a verdict on every claim, one row a claim and dataset."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from receval.claims.cells import ClaimContext
from receval.claims.sources import ClaimSources, NotMeasuredError
from receval.claims.spec import CheckSpec, ClaimSpec, PaperClaims
from receval.claims.verdicts import ClaimVerdict, Finding

COLUMNS = (
    "claim",
    "paper",
    "where",
    "kind",
    "statement",
    "dataset",
    "form",
    "expected",
    "published",
    "value",
    "low",
    "high",
    "ours",
    "rule",
    "because",
    "verdict",
    "detail",
    "reason",
    "needs",
    "artifact",
    "cells",
)
"""Of the ledger's CSV; docs/claims.md says what each holds."""

_BY_DEFINITION = ("setting", "definition")


def judge(check: CheckSpec, claim: ClaimSpec, paper: str, sources: ClaimSources) -> Finding:
    """Decide a claim on one dataset.

    Raises
    ------
    ValueError
        The check selects what results do not have, though their dataset is there.
    """
    sources.forget()
    if check.dataset and not sources.has(paper, check.dataset):
        return _undecidable(check, f"the dataset {check.dataset}")
    try:
        finding = check.decide.judge(
            sources, ClaimContext(paper, check.artifact, check.dataset, check.where)
        )
    except NotMeasuredError as error:
        return _undecidable(check, str(error))
    if finding.verdict is ClaimVerdict.HOLDS and claim.kind in _BY_DEFINITION:
        return Finding(**{**vars(finding), "verdict": ClaimVerdict.AS_DEFINED})
    return finding


def _undecidable(check: CheckSpec, needs: str) -> Finding:
    decide = check.decide
    return Finding(
        ClaimVerdict.UNDECIDABLE,
        "",
        decide.in_words(),
        needs,
        published=decide.published_number(),
    )


def judged_claims(papers: Iterable[PaperClaims], sources: ClaimSources) -> pd.DataFrame:
    """Return the ledger of some papers.

    Parameters
    ----------
    papers : iterable of PaperClaims
    sources : ClaimSources

    Returns
    -------
    DataFrame
        The columns of :data:`COLUMNS`, in the order of papers, claims and checks.

    Raises
    ------
    ValueError
        A check cannot be carried out; the message names the claim.
    """
    rows = [
        ledger_row(number, claim, check, paper.paper, sources)
        for paper in papers
        for number, claim in paper.claims.items()
        for check in claim.checks
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def ledger_row(
    number: str, claim: ClaimSpec, check: CheckSpec, paper: str, sources: ClaimSources
) -> dict[str, Any]:
    """Return the row of a claim on one dataset; what it is judged by stays in the sources.

    Raises
    ------
    ValueError
        The check cannot be carried out; the message names the claim.
    """
    try:
        finding = judge(check, claim, paper, sources)
    except ValueError as error:
        on = f" on {check.dataset}" if check.dataset else ""
        raise ValueError(f"The claim {number}{on} cannot be judged: {error}") from error
    is_undecidable = finding.verdict is ClaimVerdict.UNDECIDABLE
    fails = finding.verdict in (ClaimVerdict.DOES_NOT_HOLD, ClaimVerdict.HOLDS_IN_PART)
    readings = list(dict.fromkeys(sources.readings))
    return {
        "claim": number,
        "paper": paper,
        "where": claim.where,
        "kind": claim.kind,
        "statement": claim.statement,
        "dataset": check.dataset or "",
        "form": check.form,
        "expected": check.expected or claim.expected,
        "published": finding.published,
        "value": finding.value,
        "low": finding.low,
        "high": finding.high,
        "ours": finding.ours,
        "rule": finding.rule,
        "because": check.decide.why(),
        "verdict": str(finding.verdict),
        "detail": "" if is_undecidable else finding.detail,
        # Reasons are known of the real data alone.
        "reason": (check.reason or claim.reason) if fails and not sources.is_reduced(paper) else "",
        "needs": finding.detail if is_undecidable else "",
        "artifact": "; ".join(dict.fromkeys(r.source for r in readings if r.source)),
        "cells": "; ".join(dict.fromkeys(reading.cells for reading in readings)),
    }
