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
from receval.claims.spec import PaperClaims, read_claims
from receval.claims.verdicts import ClaimVerdict
from receval.storage.files import read_results
from receval.storage.messages import enumerated, how_many


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
    accepted = results / "certainty.csv"
    certainty = read_results(accepted) if accepted.exists() else None
    if not numbers:
        return _counts(judged_claims(papers, sources, certainty))
    told = []
    for paper in papers:
        for number in (number for number in paper.claims if number in numbers):
            only = paper.model_copy(update={"claims": {number: paper.claims[number]}})
            rows = judged_claims([only], sources, certainty).to_dict("records")
            told.append("\n".join(_told(rows, paper, _same_artifact(number, papers))))
    return "\n\n".join(told) + "\n"


def _told(
    rows: Sequence[Mapping[Any, Any]], paper: PaperClaims, same_artifact: int
) -> Iterator[str]:
    """Yield all that is known of a claim, with a line for each dataset and form."""
    first = rows[0]
    yield f"{first['claim']} ({first['where']}): {first['statement']}"
    if first["expected"]:
        yield f"  the paper: {first['expected']}"
    for row in rows:
        on = ", ".join(filter(None, (row["dataset"], row["form"]))) or "any data"
        here = row["splits"] if row["published"] == row["published"] else ""
        ours = here or " ".join(filter(None, (_sentence(row["ours"]), row["splits"])))
        needs = f"Needs {row['needs']}." if row["needs"] else ""
        told = filter(None, (f"{row['verdict']}.", ours, row["detail"], needs))
        yield f"  {on}: {' '.join(told)}"
    for name, words in {"rule": "rule", "because": "because", "reason": "why not"}.items():
        if said := "; ".join(dict.fromkeys(row[name] for row in rows if row[name])):
            yield f"  {words}: {said}"
    artifact = next((row["artifact"] for row in rows if row["artifact"]), "")
    if not artifact:
        return
    yield f"  decided by: {artifact} (cells are in claims.csv)"
    claim = paper.claims[first["claim"]]
    others = how_many(same_artifact, "other claim")
    depends = [
        f"the same artifact decides {others}, and no verdict is corrected for their number",
        *([paper.fitted] if paper.fitted and claim.split_dependent else []),
    ]
    yield f"  keep in mind: {'; '.join(depends)}."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""


def _same_artifact(number: str, papers: Sequence[PaperClaims]) -> int:
    """Return how many other claims an artifact decides that decides this one."""
    artifacts = {
        own: {(paper.paper, check.artifact) for check in claim.checks if check.artifact}
        for paper in papers
        for own, claim in paper.claims.items()
    }
    return sum(not artifacts[number].isdisjoint(own) for own in artifacts.values()) - bool(
        artifacts[number]
    )


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
