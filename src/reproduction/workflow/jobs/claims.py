# SPDX-License-Identifier: MIT
"""Judge the claims of one paper, and write the ledger of all claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from receval.storage.files import read_results, write_results


def judge_claims(
    *,
    claims: Path,
    record: Path,
    results: Sequence[Path],
    certainty: Sequence[Path],
    verdicts: Path,
) -> None:
    """Judge the claims of a paper by the results of an edition."""
    from reproduction.claims.ledger import judged_claims
    from reproduction.claims.sources import ClaimSources
    from reproduction.claims.spec import read_claims

    sources = ClaimSources(
        {f"{path.parent.name}/{path.stem}": path for path in results},
        {record.parent.name: record},
    )
    known = read_results(certainty[0]) if certainty else None
    write_results(judged_claims([read_claims(claims)], sources, known), verdicts)


def gather_claims(*, verdicts: Sequence[Path], ledger: Path, page: Path, synthetic: bool) -> None:
    """Write the ledger of all papers, as a table and as a page."""
    import pandas as pd

    from receval.storage.files import write_atomically
    from reproduction.publishing.ledger_claims import read_verdict_rows
    from reproduction.publishing.ledger_page import ledger_page

    rows = pd.concat([read_results(path) for path in verdicts], ignore_index=True)
    write_results(rows, ledger)
    write_atomically(page, ledger_page(read_verdict_rows(ledger), synthetic=synthetic))


def list_claims(
    *, verdicts: Path, page: Path, synthetic: bool, elsewhere: Mapping[str, str]
) -> None:
    """Write the page of all claims of a paper."""
    from receval.storage.files import write_atomically
    from reproduction.publishing.ledger_claims import read_verdict_rows
    from reproduction.publishing.ledger_page import paper_page

    rows = read_verdict_rows(verdicts)
    write_atomically(page, paper_page(rows, elsewhere, synthetic=synthetic))
