# SPDX-License-Identifier: MIT
"""The ledger as Markdown: the most important claims first, then one page per paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from receval.figures.printed_numbers import in_text
from receval.figures.tables import escape_markdown
from reproduction.claims.verdicts import is_rebuilt, told_needs
from reproduction.publishing.ledger_claims import (
    VERDICTS,
    LedgerClaim,
    PaperLedger,
    VerdictRow,
    by_words,
    headline,
    here_counts,
    in_paper_counts,
    papers_in,
    reasons_of,
)

OF_TWINS = (
    "**The data of this edition are synthetic twins: the verdicts say nothing about the real "
    "datasets, only that each claim can be judged.**"
)

OF_NEWER = (
    "Statements of newer papers on questions that the rebuilt ones opened, by what is rebuilt "
    "here. Those papers are not rebuilt, and most were read by their abstracts alone; their "
    "statements are not counted among the claims of the rebuilt papers."
)

_INTRODUCTION = (
    "Every checkable statement of the papers, judged twice: **in the paper**, by the values that "
    "it prints or its authors released, and **here**, by the results of receval. A statement on "
    "several datasets has a verdict on each, and counts once: where these differ, it holds in part "
    "or depends on the split. "
    "docs/claims.md in the repository says how verdicts are reached, and claims.csv has what "
    "decided each one."
)


def ledger_page(rows: Sequence[VerdictRow], *, synthetic: bool) -> str:
    """Return the counts, and the most important claims of each paper."""
    papers = papers_in(rows)
    rebuilt = [paper for paper in papers if is_rebuilt(paper.paper)]
    newer = [paper for paper in papers if not is_rebuilt(paper.paper)]
    parts = ["# The papers' claims, and what became of them", _INTRODUCTION]
    if synthetic:
        parts.append(OF_TWINS)
    if rebuilt:
        parts += [headline([c for p in rebuilt for c in p.claims]), _table_of_counts(rebuilt)]
    for paper in rebuilt:
        parts += [_heading(paper), headline(paper.claims), *_lists(paper)]
    for paper in newer:
        parts += [_heading(paper), OF_NEWER, headline(paper.claims), *_lists(paper)]
    return "\n\n".join(parts) + "\n"


def paper_page(rows: Sequence[VerdictRow], elsewhere: Mapping[str, str], *, synthetic: bool) -> str:
    """Return the page of all claims of a paper, in the paper's order."""
    (paper,) = papers_in(rows)
    parts = [
        f"# All claims of {paper.paper}",
        f"{headline(paper.claims)} [claims.md](claims.md) has what is to be read first.",
    ]
    if synthetic:
        parts.append(OF_TWINS)
    lacking = dict.fromkeys(row.dataset for row in rows if row.lacks_dataset)
    parts += (
        [
            "\n".join(
                f"- Undecidable on {name}: {elsewhere.get(name, 'not here')}." for name in lacking
            )
        ]
        if lacking
        else []
    )
    for part, claims in paper.parts.items():
        lines = [_row(["Claim", "What the paper says", "In the paper", "Here"]), _RULE]
        lines += [_line(claim, part, elsewhere) for claim in claims]
        parts += [f"## {escape_markdown(part)}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


_RULE = "| --- | --- | --- | --- |"


def _heading(paper: PaperLedger) -> str:
    return f"## {paper.paper}\n\n[All claims of {paper.paper}](claims_{paper.paper}.md)."


def _table_of_counts(papers: Sequence[PaperLedger]) -> str:
    printed = list(in_paper_counts([claim for paper in papers for claim in paper.claims]))
    heads = ["Paper", "Statements", *(f"{word} in the paper" for word in printed), *VERDICTS]
    lines = [_row(heads), f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for paper in [*papers, PaperLedger("all", tuple(c for p in papers for c in p.claims))]:
        counts = [in_paper_counts(paper.claims).get(word, 0) for word in printed]
        counts += here_counts(paper.claims).values()
        lines.append(_row([paper.paper, *map(str, [len(paper.claims), *counts])]))
    return "\n".join(lines)


def _lists(paper: PaperLedger) -> Iterator[str]:
    """Yield the non-empty lists of a paper with their headings."""
    slips = [_entry(claim, claim.printed, claim.own) for claim in paper.slips]
    failing = [_entry(claim, reasons_of(rows), rows) for claim, rows in paper.not_rebuilt]
    unsure = [_entry(claim, _on_splits(rows), rows) for claim, rows in paper.of_splits]
    headings = list_headings(paper.paper)
    for heading, entries in zip(headings, (slips, failing, unsure), strict=True):
        if entries:
            yield f"### {heading} ({len(entries)})"
            yield "\n".join(entries)


def list_headings(paper: str) -> tuple[str, str, str]:
    """Return the headings of the three lists of a paper."""
    failing = "Could not be rebuilt" if is_rebuilt(paper) else "Not seen on our data, or in part"
    return "Slips in the paper", failing, "Depends on the split"


def _entry(claim: LedgerClaim, why: str, rows: Sequence[VerdictRow]) -> str:
    verdicts = [
        f"{', '.join(dict.fromkeys(filter(None, (row.dataset for row in own))))}: {words}".strip(
            ": "
        )
        for words, own in by_words(rows).items()
    ]
    text = f"{claim.number} ({claim.first.where}): {claim.first.statement}"
    return f"- {_printed(text)} *{_printed('; '.join(verdicts))}.* {_printed(why)}".rstrip()


def _on_splits(rows: Sequence[VerdictRow]) -> str:
    told = dict.fromkeys(row.on_splits for row in rows)
    return f"Holds on {', '.join(filter(None, told))}."


def _line(claim: LedgerClaim, part: str, elsewhere: Mapping[str, str]) -> str:
    where = claim.first.where
    said = "" if where.replace("Fig.", "Figure") == part else f" ({where})"
    here = "; ".join(_here(words, own, elsewhere) for words, own in by_words(claim.own).items())
    cells = _row([claim.number, f"{claim.first.statement}{said}", claim.in_paper, here])
    # Pages of studies link to this anchor.
    return cells.replace("| ", f'| <a id="{claim.number}"></a>', 1)


def _here(words: str, rows: Sequence[VerdictRow], elsewhere: Mapping[str, str]) -> str:
    """Return a verdict with its datasets and our value on each."""
    told = []
    for row in rows:
        needs = "" if row.lacks_dataset else told_needs(row.needs, elsewhere)
        on = ", ".join(filter(None, (row.dataset, row.on_splits)))
        told.append(": ".join(filter(None, (f"({on})" * bool(on), needs or row.ours))))
    return f"{words} {', '.join(told)}".strip()


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_printed, cells))} |"


def _printed(text: str) -> str:
    return escape_markdown(in_text(text))
