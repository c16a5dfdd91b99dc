# SPDX-License-Identifier: MIT
"""Report verdicts on claims in a terminal: counts by outcome, or the details of some claims."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from receval.storage.files import read_results
from receval.storage.messages import enumerated, how_many
from reproduction.claims.ledger import claims_of, judged_claims
from reproduction.claims.sources import ClaimSources
from reproduction.claims.spec import PaperClaims, read_claims
from reproduction.claims.verdicts import (
    IN_PAPER,
    ClaimVerdict,
    of_newer,
    of_rebuilt,
    told_needs,
    verdict_in_words,
)

_WHY = {"rule": ("rule", "; "), "because": ("because", "; "), "reason": ("why not", " ")}
"""Columns on how a claim was decided: their words, and the separator between several."""


def report_of_claims(
    claims: Path,
    results: Path,
    numbers: Sequence[str] = (),
    elsewhere: Mapping[str, str] | None = None,
) -> str:
    """Judge claims and return what to print."""
    papers = [read_claims(path) for path in sorted(claims.glob("*.yaml"))]
    sources = ClaimSources.of_folder(results)
    if not sources.results:
        raise ValueError(
            f"There are no results in {results.as_posix()}. Run the workflow first, or omit "
            "--fresh to judge by the accepted results."
        )
    known = [number for paper in papers for number in paper.claims]
    if unknown := [number for number in numbers if number not in known]:
        raise ValueError(
            f"There is no claim {enumerated(unknown)}. Claims have numbers such as "
            f"{enumerated(known[:3])}. config/claims has all of them."
        )
    accepted = results / "certainty.csv"
    certainty = read_results(accepted) if accepted.exists() else None
    if not numbers:
        return _counts(judged_claims(papers, sources, certainty))
    reminders = reminders_of(papers)
    told = []
    for paper in papers:
        for number in (number for number in paper.claims if number in numbers):
            only = paper.model_copy(update={"claims": {number: paper.claims[number]}})
            rows = judged_claims([only], sources, certainty).to_dict("records")
            told.append("\n".join(_told(rows, reminders[number], elsewhere or {})))
    return "\n\n".join(told) + "\n"


def reminders_of(papers: Sequence[PaperClaims]) -> dict[str, tuple[str, ...]]:
    """Return clauses that qualify the verdict on each claim."""
    artifacts = {
        number: {(paper.paper, check.artifact) for check in claim.checks if check.artifact}
        for paper in papers
        for number, claim in paper.claims.items()
    }
    decided = Counter(artifact for own in artifacts.values() for artifact in own)
    shared = {artifact for artifact, claims in decided.items() if claims > 1}
    return {
        number: tuple(_reminders(number, paper, artifacts, shared))
        for paper in papers
        for number in paper.claims
    }


def _reminders(
    number: str,
    paper: PaperClaims,
    artifacts: Mapping[str, set[tuple[str, str]]],
    shared: set[tuple[str, str]],
) -> Iterator[str]:
    if artifacts[number]:
        own = artifacts[number] & shared
        others = sum(not own.isdisjoint(of) for of in artifacts.values()) - 1 if own else 0
        told = how_many(others, "other claim")
        yield f"the same artifact decides {told}, and no verdict is corrected for their number"
    if paper.fitted and paper.claims[number].split_dependent:
        yield paper.fitted


def _told(
    rows: Sequence[Mapping[Any, Any]], reminders: Sequence[str], elsewhere: Mapping[str, str]
) -> Iterator[str]:
    """Yield all that is known about a claim, with one line per outcome."""
    first = rows[0]
    yield f"{first['claim']} ({first['where']}): {first['statement']}"
    if first["expected"]:
        yield f"  the paper: {first['expected']}"
    printed = (f"{row['in_paper']}. {row['printed']}" for row in rows if row["in_paper"])
    if said := " ".join(dict.fromkeys(printed)):
        yield f"  in the paper: {said}"
    # One line for all datasets with the same outcome, such as missing ones.
    outcomes: dict[str, list[Mapping[Any, Any]]] = {}
    for row in rows:
        outcomes.setdefault(_outcome(row), []).append(row)
    for told, own in outcomes.items():
        needs = dict.fromkeys(_sentence(told_needs(row["needs"], elsewhere)) for row in own)
        yield f"  {'; '.join(map(_on, own))}: {' '.join(filter(None, (told, *needs)))}"
    # A missing dataset has its own reasons, which decide nothing.
    decided = [row for row in rows if row["verdict"] != ClaimVerdict.UNDECIDABLE] or rows
    for name, (words, between) in _WHY.items():
        if said := between.join(dict.fromkeys(row[name] for row in decided if row[name])):
            yield f"  {words}: {said}"
    if artifacts := ", ".join(dict.fromkeys(row["artifact"] for row in rows if row["artifact"])):
        yield f"  decided by: {artifacts} (cells are in claims.csv)"
    if reminders:
        yield f"  keep in mind: {'; '.join(reminders)}."


def _on(row: Mapping[Any, Any]) -> str:
    return ", ".join(filter(None, (row["dataset"], row["form"]))) or "any data"


def _outcome(row: Mapping[Any, Any]) -> str:
    # The sentence on all splits begins with the number on this split.
    only_splits = row["splits"] and row["published"] == row["published"]
    ours = row["splits"] if only_splits else f"{_sentence(row['ours'])} {row['splits']}"
    told = (f"{verdict_in_words(row['paper'], row['verdict'])}.", ours, row["detail"])
    return " ".join(part.strip() for part in told if part.strip())


def _sentence(text: str) -> str:
    # Names such as pLSA and bpref, and p (which is not P), keep their case.
    is_word = re.match(r"(?!bpref\b)[a-z]{2,}\b", text)
    begun = f"{text[0].upper()}{text[1:]}" if is_word else text
    return f"{begun.rstrip('.')}." if text else ""


def _counts(ledger: pd.DataFrame) -> str:
    """Count the statements by outcome, in the paper and in our rebuild."""
    claims = claims_of(ledger)
    verdicts = list(map(str, ClaimVerdict))
    rebuilt, newer = of_rebuilt(claims), of_newer(claims)
    tables = {
        "in the paper": _table(rebuilt, "in_paper", IN_PAPER),
        "rebuilt here": _table(rebuilt, "verdict", verdicts),
        "newer papers": _table(newer, "verdict", verdicts) if len(newer) else "",
    }
    return "\n\n".join(f"{name}\n{table}" for name, table in tables.items() if table) + "\n"


def _table(claims: pd.DataFrame, column: str, words: Sequence[str]) -> str:
    """Count the claims of each paper by the words in a column."""
    counts = pd.crosstab(claims["paper"], claims[column])
    columns = [word for word in words if word in counts.columns]
    rows = [[paper, *map(int, counts.loc[paper, columns])] for paper in claims["paper"].unique()]
    if len(rows) > 1:
        rows.append(["all", *map(int, counts[columns].sum())])
    heads = [verdict_in_words(rows[0][0], word) for word in columns]
    return tabulate(rows, headers=["", *heads], tablefmt="simple")
