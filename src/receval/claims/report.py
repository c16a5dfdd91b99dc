# SPDX-License-Identifier: MIT
"""Verdicts on claims for a terminal: how many of each, or all that is known of some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from receval.claims.ledger import judged_claims
from receval.claims.rebuilt_papers import is_rebuilt
from receval.claims.sources import ClaimSources
from receval.claims.spec import read_claims
from receval.claims.verdicts import ClaimVerdict
from receval.storage.messages import enumerated

_TOLD = (
    "where",
    "expected",
    "ours",
    "rule",
    "because",
    "detail",
    "reason",
    "needs",
    "artifact",
    "cells",
)


def report_of_claims(claims: Path, results: Path, numbers: Sequence[str] = ()) -> str:
    """Judge claims and return what to print.

    Parameters
    ----------
    claims : Path
        The folder with a YAML a paper.
    results : Path
        ``results/<edition>`` or ``work/<edition>/artifacts``.
    numbers : sequence of str
        Of the claims to tell everything of; of none, verdicts are counted by paper.

    Raises
    ------
    ValueError
        There are no such claims or results, or one cannot be judged.
    """
    papers = [read_claims(path) for path in sorted(claims.glob("*.yaml"))]
    sources = ClaimSources.of_folder(results)
    if not sources.results:
        raise ValueError(
            f"There are no results in {results.as_posix()}: run the workflow first, or leave out "
            "--fresh to judge by the accepted results."
        )
    known = [number for paper in papers for number in paper.claims]
    if unknown := [number for number in numbers if number not in known]:
        raise ValueError(
            f"There is no claim {enumerated(unknown)}: claims have numbers such as "
            f"{enumerated(known[:3])}; config/claims has them all."
        )
    if not numbers:
        return _counts(judged_claims(papers, sources))
    wanted = [
        paper.model_copy(update={"claims": {n: c for n, c in paper.claims.items() if n in numbers}})
        for paper in papers
    ]
    rows = judged_claims(wanted, sources).to_dict("records")
    return "\n\n".join("\n".join(_told(row)) for row in rows) + "\n"


def _told(row: Mapping[Any, Any]) -> Iterator[str]:
    on = f" on {row['dataset']}" if row["dataset"] else ""
    form = f", {row['form']}" if row["form"] else ""
    yield f"{row['claim']}{on}{form}: {row['verdict']}"
    yield f"  {row['statement']}"
    for name in _TOLD:
        if row[name]:
            yield f"  {name}: {row[name]}"


def _counts(ledger: pd.DataFrame) -> str:
    ledger = ledger[ledger["form"] == ""]
    counts = pd.crosstab(ledger["paper"], ledger["verdict"])
    columns = [verdict for verdict in map(str, ClaimVerdict) if verdict in counts.columns]
    rebuilt = [paper for paper in counts.index if is_rebuilt(paper)]
    # Statements of newer papers stand below the sum, which is of the rebuilt ones.
    counts.loc["all"] = counts.loc[rebuilt].sum()
    order = [*rebuilt, "all", *(paper for paper in counts.index[:-1] if paper not in rebuilt)]
    rows = [[str(paper), *map(int, counts.loc[paper, columns])] for paper in order]
    return tabulate(rows, headers=["paper", *columns], tablefmt="simple") + "\n"
