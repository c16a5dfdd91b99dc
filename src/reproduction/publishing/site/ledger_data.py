# SPDX-License-Identifier: MIT
"""The claims as a script of data, in which the page of the ledger looks for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from reproduction.publishing.claim_counts import in_print
from reproduction.publishing.ledger_claims import NOT_SAID, LedgerClaim, PaperLedger
from reproduction.publishing.verdict_rows import VERDICTS

DATA = "assets/claims.js"
"""Address of the script."""


def ledger_data(
    papers: Sequence[PaperLedger], labels: Mapping[str, str], title: Callable[[str], str]
) -> str:
    """Return the script: what the page shows and finds of each claim, and nothing else.

    A script can be read where a page was opened as a file; a file of data could not.
    """
    lines = [_line(claim, labels, title) for paper in papers for claim in paper.claims]
    data = {"styles": VERDICTS, "words": {p.paper: _words(p) for p in papers}}
    return "\n".join(
        [
            f"window.LEDGER = {_json(data)};",
            "window.LEDGER.claims = [",
            ",\n".join(lines),
            "];",
            "",
        ]
    )


def _words(paper: PaperLedger) -> dict[str, str]:
    """Return the verdicts of a paper as a person reads them."""
    return {row.verdict: row.words for claim in paper.claims for row in claim.own}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _line(claim: LedgerClaim, labels: Mapping[str, str], title: Callable[[str], str]) -> str:
    first = claim.first
    rows = [
        [row.dataset or "-", title(row.dataset), row.verdict, row.on_splits] for row in claim.own
    ]
    others = [text for row in claim.rows for text in (row.form, row.ours, row.reason) if text]
    found = {
        "id": claim.number,
        "paper": first.paper,
        "label": labels[first.paper],
        "where": first.where,
        "kind": first.kind,
        "says": in_print(first.statement),
        "in_paper": claim.in_paper or NOT_SAID,
        "verdict": claim.verdict,
        "rows": rows,
        "artifacts": list(dict.fromkeys(f"{s}/{n}" for row in claim.own for s, n in row.artifacts)),
        "more": " ".join(dict.fromkeys([claim.expected, claim.printed, *map(in_print, others)])),
    }
    return _json(found)
