# SPDX-License-Identifier: MIT
"""Pages of the claims: the first page, the ledger, one page per paper and one per claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reproduction.claims.verdicts import ClaimVerdict, is_rebuilt, verdict_in_words
from reproduction.publishing.ledger import (
    NOT_SAID,
    OF_NEWER,
    VERDICTS,
    LedgerClaim,
    PaperLedger,
    VerdictRow,
    artifact_label,
    by_words,
    headline,
    here_counts,
    in_paper_counts,
    list_headings,
    reasons_of,
)
from reproduction.publishing.site.shown_rows import (
    LEDGER,
    RowPrinter,
    claim_address,
    ledger_of,
    paper_address,
    verdict_bars,
)
from reproduction.publishing.site.site_pages import (
    SitePage,
    anchor_of,
    markup,
    relative,
    rendered_inline,
)
from reproduction.publishing.site.study_pages import Study

START = "index.html"
"""Address of the first page."""

MEANINGS = {
    "holds": "Our numbers agree with the paper's, by the rule that stands beside the claim.",
    "holds in part": "Some of what the claim says holds; its page says which part.",
    "depends on the split": "It holds on some of the splits that were tried, not on others.",
    "does not hold": "Our numbers say otherwise; its page says by how much and, where known, why.",
    "undecidable here": "What would decide it is not here; its page says what is missing.",
    "as defined": "A definition or a setting: checked against the configuration.",
    "contradicts itself": "The paper gives two values of one thing.",
}
"""What each verdict means."""

IN_PAPER_MEANINGS = {
    "consistent": "Other values that the paper prints, or that were released, show it, too.",
    "inconsistent": "Other values that the paper prints, or that were released, contradict it.",
    "not given": "Nothing that is printed or released can check it.",
}
"""What each finding on the paper's own values means."""

Errata = Mapping[str, Sequence[tuple[str, str]]]
"""Name and address of the errata that concern a claim."""


def start_page(
    papers: Sequence[PaperLedger],
    studies: Sequence[Study],
    doors: Mapping[str, str],
    report: str = "",
) -> SitePage:
    """Return the first page."""
    claims = _rebuilt(papers)
    rebuilt = [study for study in studies if study.is_paper and study.rows]
    bars = [study.bar(START) for study in rebuilt]
    counts = here_counts(claims)
    return SitePage(
        START,
        "",
        "start.html",
        START,
        {
            "bars": bars,
            "picture": markup(verdict_bars(bars, "papers")),
            "papers": rebuilt,
            "others": [study for study in studies if study not in rebuilt],
            "verdicts": VERDICTS,
            "meanings": MEANINGS,
            "counts": counts,
            "claims": len(claims),
            "headline": _html(headline(claims)) if claims else "",
            "decided": len(claims) - counts[ClaimVerdict.UNDECIDABLE],
            "doors": {name: relative(address, START) for name, address in doors.items()},
            "ledger_of": {verdict: ledger_of(verdict=verdict) for verdict in VERDICTS},
            "report": relative(report, START) if report else "",
        },
        "Which findings of five papers on recommender evaluation hold, claim by claim.",
    )


def page_of_ledger(
    papers: Sequence[PaperLedger], labels: Mapping[str, str], printer: RowPrinter
) -> SitePage:
    """Return the page with the counts of claims and their search."""
    claims = [claim for paper in papers for claim in paper.claims]
    rebuilt = _rebuilt(papers)
    names = {"rebuilt": [p for p in papers if is_rebuilt(p.paper)]}
    names["newer"] = [p for p in papers if p not in names["rebuilt"]]
    return SitePage(
        LEDGER,
        "Claims",
        "ledger.html",
        LEDGER,
        {
            "headline": _html(headline(rebuilt)) if rebuilt else "",
            "tables": [
                (name, _counts_of(own, labels), _shown_verdicts(own))
                for name, own in names.items()
                if own
            ],
            "papers": [
                (p.paper, labels[p.paper], relative(paper_address(p.paper), LEDGER), len(p.claims))
                for p in papers
            ],
            "in_paper": list(in_paper_counts(claims).items()),
            "verdicts": [
                (verdict, _both(verdict), n) for verdict, n in here_counts(claims).items() if n
            ],
            "datasets": _options(claims, lambda row: [row.dataset or "-"], _titled(printer)),
            "artifacts": _options(claims, _artifacts_of, _artifact_label),
            "kinds": _options(claims, lambda row: [row.kind], str),
            "meanings": MEANINGS,
            "in_paper_meanings": IN_PAPER_MEANINGS,
            "styles": VERDICTS,
        },
        "Every claim of five papers and of newer ones: in the paper, and rebuilt here.",
    )


def _both(verdict: str) -> str:
    newer = verdict_in_words("newer", verdict)
    return verdict if newer == verdict else f"{verdict}, or {newer}"


def _titled(printer: RowPrinter) -> Any:
    return lambda name: "any data" if name == "-" else printer.title(name)


def _artifacts_of(row: VerdictRow) -> list[str]:
    return [f"{study}/{name}" for study, name in row.artifacts]


def _artifact_label(name: str) -> str:
    study, _, artifact = name.partition("/")
    return f"{study}: {artifact_label(study, artifact, study)}"


def _options(claims: Sequence[LedgerClaim], values: Any, label: Any) -> list[tuple[str, str, int]]:
    """Return the options of a filter, in print, with their numbers of claims."""
    counts = Counter(
        name for claim in claims for name in {n for row in claim.own for n in values(row)}
    )
    return [(name, label(name), n) for name, n in sorted(counts.items())]


def _shown_verdicts(papers: Sequence[PaperLedger]) -> list[tuple[str, str, str]]:
    """Return the verdicts of a table: name, words, and class in the style sheet."""
    first = papers[0].paper
    return [
        (verdict, verdict_in_words(first, verdict), style) for verdict, style in VERDICTS.items()
    ]


def _counts_of(papers: Sequence[PaperLedger], labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the counts of each paper's claims, in the paper and here, with links."""
    found = []
    for paper in papers:
        rows = []
        for word, total in in_paper_counts(paper.claims).items():
            own = [c for c in paper.claims if (c.in_paper or NOT_SAID) == word]
            cells = [
                (n, ledger_of(paper=paper.paper, in_paper=word, verdict=verdict))
                for verdict, n in here_counts(own).items()
            ]
            if total:
                rows.append((word, cells, total))
        address = relative(paper_address(paper.paper), LEDGER)
        found.append({"label": labels[paper.paper], "address": address, "rows": rows})
    return found


def paper_pages(
    papers: Sequence[PaperLedger],
    studies: Sequence[Study],
    printer: RowPrinter,
    errata: Errata,
) -> Iterator[SitePage]:
    """Yield a page for each paper: its most important claims first, then all claims."""
    known = {study.name: study for study in studies}
    labels = paper_labels(papers, studies)
    for paper in papers:
        page = paper_address(paper.paper)
        study = known.get(paper.paper)
        of_paper = f"Claims of {labels[paper.paper]}"
        title = of_paper if is_rebuilt(paper.paper) else "Statements of newer papers"

        def entry(
            claim: LedgerClaim, why: str, rows: Sequence[VerdictRow], page: str = page
        ) -> dict[str, Any]:
            return {
                **_brief(claim, rows, printer, page),
                "where": claim.first.where,
                "why": markup(printer.html(why, page)),
                "errata": _errata_of(claim, errata, page),
            }

        lists = [
            [entry(claim, claim.printed, claim.own) for claim in paper.slips],
            [entry(claim, reasons_of(rows), rows) for claim, rows in paper.not_rebuilt],
            [entry(claim, "", rows) for claim, rows in paper.of_splits],
        ]
        lacking = {r.dataset: r for claim in paper.claims for r in claim.own if r.lacks_dataset}
        yield SitePage(
            page,
            title,
            "paper.html",
            LEDGER,
            {
                "heading": title,
                "study": study,
                "newer": "" if is_rebuilt(paper.paper) else OF_NEWER,
                "headline": _html(headline(paper.claims)),
                "lists": [
                    (heading, anchor_of(heading), entries)
                    for heading, entries in zip(list_headings(paper.paper), lists, strict=True)
                ],
                "parts_of_paper": [
                    (part, [_brief(claim, claim.own, printer, page) for claim in claims])
                    for part, claims in paper.parts.items()
                ],
                "lacking": [
                    (printer.title(name), markup(printer.needs(row, page)))
                    for name, row in lacking.items()
                ],
                "others": [p for p in papers if p is not paper],
                "labels": labels,
                "paper_address": paper_address,
            },
            f"What became of the {len(paper.claims)} claims of {labels[paper.paper]}.",
        )


def _brief(
    claim: LedgerClaim, rows: Sequence[VerdictRow], printer: RowPrinter, page: str
) -> dict[str, Any]:
    """Return the contents of a claim's line: some of its rows, by their verdicts."""
    told = []
    for words, own in by_words(rows).items():
        on = (
            " ".join(filter(None, (printer.title(r.dataset), r.on_splits and f"({r.on_splits})")))
            for r in own
        )
        told.append((own[0].style, words, ", ".join(filter(None, on))))
    return {
        "number": claim.number,
        "address": relative(claim_address(claim.number), page),
        "statement": markup(printer.html(claim.first.statement, page)),
        "in_paper": claim.in_paper,
        "told": told,
    }


def single_claims(
    papers: Sequence[PaperLedger],
    studies: Sequence[Study],
    printer: RowPrinter,
    errata: Errata,
    reminders: Mapping[str, Sequence[str]],
) -> Iterator[SitePage]:
    """Yield a page for each claim, with all that is known about it."""
    labels = paper_labels(papers, studies)
    for paper in papers:
        for index, claim in enumerate(paper.claims):
            page = claim_address(claim.number)
            list_of_paper = relative(paper_address(paper.paper), page)
            rows = [printer.shown(row, page) for row in claim.rows]
            beside = (paper.claims[:index][-1:], paper.claims[index + 1 :][:1])
            plain = re.sub(r"<[^>]+>", "", rows[0].statement)
            yield SitePage(
                page,
                f"{claim.number}: {plain}",
                "claim.html",
                LEDGER,
                {
                    "claim": claim,
                    "label": labels[paper.paper],
                    "paper": list_of_paper,
                    "part": f"{list_of_paper}#{anchor_of(claim.part)}",
                    "statement": markup(rows[0].statement),
                    "expected": markup(printer.html(claim.expected, page)),
                    "printed": markup(printer.html(claim.printed, page)),
                    "rows": rows,
                    "rules": _distinct(rows, "because"),
                    "artifacts": list(dict.fromkeys(a for shown in rows for a in shown.artifacts)),
                    "cells": list(dict.fromkeys(row.cells for row in claim.rows if row.cells)),
                    "reminders": [
                        markup(printer.html(f"{text[0].upper()}{text[1:]}.", page))
                        for text in reminders.get(claim.number, ())
                    ],
                    "errata": _errata_of(claim, errata, page),
                    "before": beside[0][0].number if beside[0] else "",
                    "after": beside[1][0].number if beside[1] else "",
                },
                f"{labels[paper.paper]}, {claim.first.where}: {claim.words}.",
            )


def _distinct(rows: Sequence[Any], name: str) -> list[tuple[str, str]]:
    """Return the rules of some rows with their reasons, each once."""
    return list(dict.fromkeys((shown.row.rule, getattr(shown, name)) for shown in rows))


def _errata_of(claim: LedgerClaim, errata: Errata, page: str) -> list[tuple[str, str]]:
    return [(name, relative(address, page)) for name, address in errata.get(claim.number, ())]


def paper_labels(papers: Sequence[PaperLedger], studies: Sequence[Study]) -> dict[str, str]:
    """Return the labels of papers: authors and year, if they have a study."""
    known = {study.name: study.label for study in studies}
    return {paper.paper: known.get(paper.paper, paper.paper) for paper in papers}


def _rebuilt(papers: Sequence[PaperLedger]) -> list[LedgerClaim]:
    return [claim for paper in papers if is_rebuilt(paper.paper) for claim in paper.claims]


def _html(markdown: str) -> Any:
    return markup(rendered_inline(markdown, lambda link: link))
