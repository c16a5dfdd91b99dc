# SPDX-License-Identifier: MIT
"""The ledger of claims as a page: how many hold, and every verdict with what decided it."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from receval.claims.rebuilt_papers import is_rebuilt, of_rebuilt
from receval.claims.verdicts import ClaimVerdict
from receval.figures.escaping import escape_markdown
from receval.figures.printed_numbers import in_text

OF_TWINS = (
    "**The data of this edition are synthetic twins: the verdicts say nothing about the real "
    "datasets, only that each claim can be judged.**"
)

OF_NEWER = (
    "Statements of newer papers on questions that the rebuilt ones opened, by what is rebuilt "
    "here. Those papers are not rebuilt, and most were read by their abstracts alone; their "
    "statements are not counted among the claims of the rebuilt papers."
)


def ledger_page(ledger: pd.DataFrame, *, synthetic: bool) -> str:
    """Return the ledger as Markdown.

    Parameters
    ----------
    ledger : DataFrame
        The columns of :data:`receval.claims.ledger.COLUMNS`.
    synthetic : bool
        Whether the data are twins.
    """
    parts = [
        "# The papers' claims, and what became of them",
        "Every checkable statement of the papers, judged by the cells of the results that decide "
        "it; one on several datasets has a row for each, and verdicts are counted by rows. "
        "docs/claims.md in the repository says how verdicts are reached, and claims.csv has what "
        "decided each one.",
    ]
    if synthetic:
        parts.append(OF_TWINS)
    # What another form of a claim gives stands beside its verdict, and is not its verdict.
    parts.append(_table_of_counts(ledger[ledger["form"] == ""]))
    for paper, rows in ledger.groupby("paper", sort=False):
        note = [] if is_rebuilt(str(paper)) else [OF_NEWER]
        parts += [f"## {paper}", *note, "\n".join(_lines(rows))]
    return "\n\n".join(parts) + "\n"


def _table_of_counts(ledger: pd.DataFrame) -> str:
    counts = pd.crosstab(ledger["paper"], ledger["verdict"])
    verdicts = [str(verdict) for verdict in ClaimVerdict]
    claims = ledger.groupby("paper")["claim"].nunique()
    lines = [_row(["Paper", "Claims", *verdicts]), _row(["---", *["---:"] * (1 + len(verdicts))])]
    for paper in ledger["paper"].drop_duplicates():
        own = [int(counts.loc[paper].get(verdict, 0)) for verdict in verdicts]
        lines.append(_row([str(paper), str(claims[paper]), *map(str, own)]))
    rebuilt = of_rebuilt(ledger)
    totals = [int((rebuilt["verdict"] == verdict).sum()) for verdict in verdicts]
    lines.append(_row(["all that are rebuilt", str(rebuilt["claim"].nunique()), *map(str, totals)]))
    return "\n".join(lines)


def _lines(rows: pd.DataFrame) -> Iterator[str]:
    yield _row(["Claim", "Where", "What the paper says", "Dataset", "Verdict", "Here"])
    yield _row(["---"] * 6)
    for row in rows.to_dict("records"):
        is_number = bool(row["splits"] and row["published"])
        names = (
            ("splits", "detail", "reason") if is_number else ("ours", "splits", "detail", "reason")
        )
        said = [str(row[name]) for name in names if row[name]]
        if row["needs"]:
            said = [f"needs {row['needs']}"]
        data = ", ".join(filter(None, (str(row["dataset"]), str(row["form"]))))
        cells = [row["claim"], row["where"], row["statement"], data, row["verdict"]]
        yield _row([*map(str, cells), " · ".join(said)])


def _row(cells: list[str]) -> str:
    marks = {"---", "---:"}
    texts = (cell if cell in marks else escape_markdown(in_text(cell)) for cell in cells)
    return f"| {' | '.join(texts)} |"
