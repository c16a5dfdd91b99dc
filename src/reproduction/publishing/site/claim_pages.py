# SPDX-License-Identifier: MIT
"""Pages of the claims: the ledger, one page per paper and one per claim.

How rows of the ledger and counts of verdicts are shown on all pages is here, too.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from receval.figures.printed_numbers import NOTHING, in_text, significant
from receval.figures.tables import escape_markdown
from reproduction.claims.ledger import OF_INTERVAL
from reproduction.claims.verdicts import (
    ClaimVerdict,
    begun,
    in_prose,
    is_newer,
    is_rebuilt,
    told_needs,
    verdict_in_words,
)
from reproduction.publishing.ledger import (
    NOT_SAID,
    OF_NEWER,
    VERDICTS,
    LedgerClaim,
    PaperLedger,
    VerdictRow,
    artifact_label,
    beginning_of,
    by_words,
    grouped_papers,
    headline,
    here_counts,
    in_paper_counts,
    list_headings,
    reasons_once,
)
from reproduction.publishing.site.site_pages import (
    SiteLinks,
    SitePage,
    anchor_of,
    markup,
    relative,
    rendered_inline,
    without_tags,
)

LEDGER = "ledger.html"
"""Address of the page for searching claims."""

_AS_ROUNDED = "the published number taken as rounded: inside, if any number is that is printed so"

_ASKING = ("does not hold", "holds in part", "depends on the split")
"""Verdicts that need a reason beside them, because the claim does not simply hold."""


def claim_address(number: str) -> str:
    """Return the address of the page of a claim."""
    return f"claims/{number}.html"


def paper_address(paper: str) -> str:
    """Return the address of the page of a paper's claims."""
    return f"ledger/{paper}.html"


def ledger_of(**asked: str) -> str:
    """Return the address of the ledger with filters.

    Examples
    --------
    >>> ledger_of(paper="valcarce2018", verdict="does not hold")
    'ledger.html?paper=valcarce2018&verdict=does+not+hold'
    """
    return f"{LEDGER}?{urlencode({name: value for name, value in asked.items() if value})}"


class RowPrinter:
    """Turns rows of the ledger into texts of pages."""

    def __init__(
        self,
        links: SiteLinks,
        datasets: Mapping[str, str],
        artifacts: Collection[tuple[str, str]],
        pictures: Collection[tuple[str, str]],
        elsewhere: Mapping[str, str],
    ) -> None:
        self.links = links
        self.datasets = datasets
        self._artifacts = frozenset(artifacts)
        self._pictures = frozenset(pictures)
        self._elsewhere = elsewhere
        self._known: dict[tuple[str, str], str] = {}

    def shown(self, row: VerdictRow, page: str) -> dict[str, Any]:
        """Return the texts of a page on one claim and dataset, in HTML.

        The texts in short are beginnings, for tables without space for the whole text. Each
        deciding artifact has a label, the address of its section, and that of its picture, if any.
        """
        number = _number(row.value)
        low, high = row.low, row.high
        whole = ("statement", "detail", "reason", "splits")
        return {
            "row": row,
            "address": claim_address(row.claim),
            "dataset": self.title(row.dataset),
            **{name: self.html(getattr(row, name), page) for name in whole},
            "because": self.html(row.because, page) or _AS_ROUNDED * (row.rule == OF_INTERVAL),
            "expected": self.html(with_separators(row.expected), page),
            "interval": f"{_number(low)} to {_number(high)}" if low and high else "",
            "ours": self.html(row.ours, page) or number,
            "ours_in_short": self.html(beginning_of(row.ours), page) or number,
            "detail_in_short": self.html(beginning_of(row.detail), page),
            "asks_why": row.verdict in _ASKING,
            "needs": self.needs(row, page),
            "artifacts": [
                self._artifact(study, name, row.paper, page)
                for study, name in row.artifacts
                if (study, name) in self._artifacts
            ],
        }

    def title(self, dataset: str) -> str:
        """Return the title of a dataset."""
        return self.datasets.get(dataset, dataset)

    def needs(self, row: VerdictRow, page: str) -> str:
        """Return a sentence on what would decide a row; empty if it is decided."""
        told = told_needs(row.needs, self._elsewhere)
        if row.lacks_dataset:
            return rendered_inline(f"{told[:1].upper()}{told[1:]}.", lambda link: link)
        return self.html(f"{told[:1].upper()}{told[1:]}." if told else "", page)

    def html(self, text: str, page: str) -> str:
        """Return a text of the ledger with its links and its numbers in print."""
        if not text:
            return ""
        # Many rows have equal texts, and links from all pages of a folder are equal.
        key = (text, posixpath.dirname(page))
        if key not in self._known:
            markdown = self.links.with_documents(escape_markdown(in_text(text)))
            resolve = self.links.resolver(page, "README.md")
            self._known[key] = rendered_inline(markdown, resolve)
        return self._known[key]

    def _artifact(self, study: str, name: str, paper: str, page: str) -> tuple[str, str, str]:
        section = relative(f"studies/{study}.html#{name}", page)
        has_picture = (study, name) in self._pictures
        picture = relative(f"files/{study}/{name}.svg", page) if has_picture else ""
        return artifact_label(study, name, paper), section, picture


_WHOLE = re.compile(r"(?<![\w.,-])\d{4,}(?![\w.,]*\d)")


def with_separators(text: str) -> str:
    """Return a paper's value with the thousands of its whole numbers set apart.

    Examples
    --------
    >>> with_separators("176892 and 176948"), with_separators("0.00001")
    ('176,892 and 176,948', '0.00001')
    """
    return _WHOLE.sub(lambda number: f"{int(number[0]):,}", text)


def _number(text: str) -> str:
    try:
        return significant(float(text)) if text else NOTHING
    except ValueError:
        return in_text(text)


# A picture of the verdicts on papers: one bar per paper, one part per verdict.

ROW, TOP, HEIGHT = 52, 18, 26
"""Pixels from bar to bar, of the name above a bar, and of a bar."""

SMALLEST = 0.055
"""Parts with a smaller share of their bar have no space for their number."""


@dataclass(frozen=True)
class VerdictBar:
    """One bar: its name in print, and by verdict the counts, the links of its parts, and words.

    The words are by default the verdict's name.
    """

    name: str
    counts: Mapping[str, int]
    links: Mapping[str, str]
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Number of verdicts."""
        return sum(self.counts.values())

    def picture(self, key: str) -> str:
        """Return the bar alone, without its name."""
        return markup(verdict_bars([self], key, named=False))


def verdict_bars(bars: Sequence[VerdictBar], key: str, *, named: bool = True) -> str:
    """Return the bars as SVG, in which text keeps its size at every width.

    The picture is only visual: pages with it must also show the numbers and links as a table.
    """
    row, top = (ROW, TOP) if named else (HEIGHT, 0)
    height = row * (len(bars) - 1) + top + HEIGHT
    parts = [
        f'<svg class="bars" width="100%" height="{height}" aria-hidden="true" focusable="false">',
        f'<defs><pattern id="hatch-{key}" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/>'
        '<rect class="stripe" width="2" height="6"/></pattern></defs>',
    ]
    for place, bar in enumerate(bars):
        parts += _bar(bar, place * row, top, key, named=named)
    return "".join([*parts, "</svg>"])


def _bar(bar: VerdictBar, y: int, top: int, key: str, *, named: bool) -> list[str]:
    parts = []
    if named:
        parts.append(f'<text class="name" x="0" y="{y + 12}">{html.escape(bar.name)}</text>')
        parts.append(f'<text class="total" x="100%" y="{y + 12}">{bar.total}</text>')
    before = 0
    for verdict, style in VERDICTS.items():
        count = bar.counts.get(verdict, 0)
        if not count:
            continue
        left, width = before / bar.total, count / bar.total
        before += count
        said = f"{bar.name}: {count} of {bar.total}, {bar.words.get(verdict, verdict)}"
        fill = f' fill="url(#hatch-{key})"' if verdict == ClaimVerdict.UNDECIDABLE else ""
        part = (
            f'<g class="{style}"><title>{html.escape(said)}</title><rect x="{_percent(left)}" '
            f'y="{y + top}" width="{_percent(width)}" height="{HEIGHT}"{fill}/>'
        )
        if width >= SMALLEST:
            middle = _percent(left + width / 2)
            part += f'<text x="{middle}" y="{y + top + 18}">{count}</text>'
        part += "</g>"
        if link := bar.links.get(verdict):
            part = f'<a href="{html.escape(link)}" tabindex="-1">{part}</a>'
        parts.append(part)
    return parts


def _percent(share: float) -> str:
    return f"{100 * share:.3f}".rstrip("0").rstrip(".") + "%"


# The pages.

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


def page_of_ledger(
    papers: Sequence[PaperLedger], labels: Mapping[str, str], printer: RowPrinter
) -> SitePage:
    """Return the page with the counts of claims and their search."""
    claims = [claim for paper in papers for claim in paper.claims]
    five = claims_of_five(papers)

    def dataset_label(name: str) -> str:
        return "any data" if name == "-" else printer.title(name)

    return SitePage(
        LEDGER,
        "Claims",
        "ledger.html",
        LEDGER,
        {
            "headline": headline_html(five),
            "of_newer": len(claims) - len(five),
            "tables": [
                (
                    name,
                    _counts_of(own, labels),
                    [(v, verdict_in_words(own[0].paper, v), VERDICTS[v]) for v in VERDICTS],
                )
                for name, own in grouped_papers(papers).items()
            ],
            "papers": [
                (p.paper, labels[p.paper], relative(paper_address(p.paper), LEDGER), len(p.claims))
                for p in papers
            ],
            "in_paper": list(in_paper_counts(claims).items()),
            "verdicts": [
                (verdict, ", or ".join(dict.fromkeys((verdict, verdict_in_words("", verdict)))), n)
                for verdict, n in here_counts(claims).items()
                if n
            ],
            "datasets": _options(claims, lambda row: [row.dataset or "-"], dataset_label),
            "artifacts": _options(
                claims, lambda row: map("/".join, row.artifacts), _artifact_label
            ),
            "kinds": _options(claims, lambda row: [row.kind], str),
            "meanings": MEANINGS,
            "in_paper_meanings": IN_PAPER_MEANINGS,
            "styles": VERDICTS,
        },
        "Every claim of five papers and of newer ones: in the paper, and rebuilt here.",
    )


def _artifact_label(name: str) -> str:
    study, _, artifact = name.partition("/")
    return f"{in_prose(study)}: {artifact_label(study, artifact, study)}"


def _options(
    claims: Sequence[LedgerClaim],
    values: Callable[[VerdictRow], Iterable[str]],
    label: Callable[[str], str],
) -> list[tuple[str, str, int]]:
    """Return the options of a filter, in print, with their numbers of claims."""
    counts = Counter(name for c in claims for name in {n for row in c.own for n in values(row)})
    return [(name, label(name), n) for name, n in sorted(counts.items())]


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
    studies: Mapping[str, Any],
    labels: Mapping[str, str],
    printer: RowPrinter,
    errata: Errata,
) -> Iterator[SitePage]:
    """Yield a page for each paper: its most important claims first, then all claims."""
    for paper in papers:
        page = paper_address(paper.paper)
        is_paper = is_rebuilt(paper.paper)
        of_paper = f"Claims of {labels[paper.paper]}"
        title = of_paper if is_paper else "Statements of newer papers"

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
            [entry(claim, why, rows) for claim, rows, why in reasons_once(paper.not_rebuilt)],
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
                "study": studies.get(paper.paper),
                "newer": "" if is_paper else OF_NEWER,
                "headline": headline_html(paper.claims),
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
    labels: Mapping[str, str],
    printer: RowPrinter,
    errata: Errata,
    reminders: Mapping[str, Sequence[str]],
) -> Iterator[SitePage]:
    """Yield a page for each claim, with all that is known about it."""
    for paper in papers:
        for index, claim in enumerate(paper.claims):
            page = claim_address(claim.number)
            list_of_paper = relative(paper_address(paper.paper), page)
            rows = [printer.shown(row, page) for row in claim.rows]
            numbers = ["", *(claim.number for claim in paper.claims), ""]
            statement = rows[0]["statement"]
            yield SitePage(
                page,
                f"{claim.number}: {without_tags(statement)}",
                "claim.html",
                LEDGER,
                {
                    "claim": claim,
                    "label": labels[paper.paper],
                    "paper": list_of_paper,
                    "part": f"{list_of_paper}#{anchor_of(claim.part)}",
                    "statement": markup(statement),
                    "expected": markup(printer.html(with_separators(claim.expected), page)),
                    "printed": markup(printer.html(claim.printed, page)),
                    "rows": rows,
                    "rules": list(dict.fromkeys((r["row"].rule, r["because"]) for r in rows)),
                    "artifacts": list(dict.fromkeys(a for r in rows for a in r["artifacts"])),
                    "cells": list(dict.fromkeys(row.cells for row in claim.rows if row.cells)),
                    "reminders": [
                        markup(printer.html(f"{begun(text)}.", page))
                        for text in reminders.get(claim.number, ())
                    ],
                    "errata": _errata_of(claim, errata, page),
                    "before": numbers[index],
                    "after": numbers[index + 2],
                },
                f"{labels[paper.paper]}, {claim.first.where}: {claim.words}.",
            )


def _errata_of(claim: LedgerClaim, errata: Errata, page: str) -> list[tuple[str, str]]:
    return [(name, relative(address, page)) for name, address in errata.get(claim.number, ())]


def claims_of_five(papers: Sequence[PaperLedger]) -> list[LedgerClaim]:
    """Return the claims of the five papers."""
    return [claim for paper in papers if not is_newer(paper.paper) for claim in paper.claims]


def headline_html(claims: Sequence[LedgerClaim]) -> str:
    """Return the counts of claims as HTML; empty if there are none."""
    return markup(rendered_inline(headline(claims), lambda link: link)) if claims else ""
