# SPDX-License-Identifier: MIT
"""Rows of the ledger on the site: texts, links and numbers as in print."""

from __future__ import annotations

import html
import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from receval.figures.printed_numbers import NOTHING, in_text, significant
from receval.figures.tables import escape_markdown
from reproduction.claims.verdicts import ClaimVerdict, told_needs
from reproduction.publishing.ledger import (
    VERDICTS,
    VerdictRow,
    artifact_label,
    beginning_of,
)
from reproduction.publishing.site.site_pages import SiteLinks, relative, rendered_inline

LEDGER = "ledger.html"
"""Address of the page for searching claims."""

_ASKING = (
    ClaimVerdict.DOES_NOT_HOLD,
    ClaimVerdict.HOLDS_IN_PART,
    ClaimVerdict.DEPENDS_ON_SPLIT,
)


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


@dataclass(frozen=True)
class ShownRow:
    """The texts of a page on one claim and dataset, in HTML.

    ``dataset`` is a title, empty for claims of any data. The texts in short are beginnings, for
    tables without space for the whole text. Each deciding artifact has a label, the address of its
    section, and that of its picture or nothing.
    """

    row: VerdictRow
    dataset: str
    statement: str
    expected: str
    interval: str
    ours: str
    ours_in_short: str
    detail: str
    detail_in_short: str
    because: str
    reason: str
    needs: str
    splits: str
    artifacts: tuple[tuple[str, str, str], ...]

    @property
    def asks_why(self) -> bool:
        """Whether the verdict needs a reason beside it, because it does not simply hold."""
        return self.row.verdict in _ASKING

    @property
    def address(self) -> str:
        """Address of the page of the claim, from the top of the site."""
        return claim_address(self.row.claim)


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
        self.artifacts = frozenset(artifacts)
        self.pictures = frozenset(pictures)
        self._elsewhere = elsewhere
        self._known: dict[tuple[str, str], str] = {}

    def shown(self, row: VerdictRow, page: str) -> ShownRow:
        """Return the texts that a page shows for a row."""
        number = _number(row.value)
        return ShownRow(
            row=row,
            dataset=self.title(row.dataset),
            statement=self.html(row.statement, page),
            expected=self.html(row.expected, page),
            interval=_interval(row.low, row.high),
            ours=self.html(row.ours, page) or number,
            ours_in_short=self.html(beginning_of(row.ours), page) or number,
            detail=self.html(row.detail, page),
            detail_in_short=self.html(beginning_of(row.detail), page),
            because=self.html(row.because, page),
            reason=self.html(row.reason, page),
            needs=self.needs(row, page),
            splits=self.html(row.splits, page),
            artifacts=tuple(
                self._artifact(study, name, row.paper, page)
                for study, name in row.artifacts
                if (study, name) in self.artifacts
            ),
        )

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
        has_picture = (study, name) in self.pictures
        picture = relative(f"files/{study}/{name}.svg", page) if has_picture else ""
        return artifact_label(study, name, paper), section, picture


def _number(text: str) -> str:
    try:
        return significant(float(text)) if text else NOTHING
    except ValueError:
        return in_text(text)


def _interval(low: str, high: str) -> str:
    return f"{_number(low)} to {_number(high)}" if low and high else ""


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


def verdict_bars(bars: Sequence[VerdictBar], key: str, *, named: bool = True) -> str:
    """Return the bars as SVG, in which text keeps its size at every width.

    The picture is only visual: pages with it must also show the numbers and links as a table.
    """
    row, top = (ROW, TOP) if named else (HEIGHT, 0)
    height = row * (len(bars) - 1) + top + HEIGHT
    parts = [
        f'<svg class="bars" width="100%" height="{height}" aria-hidden="true" focusable="false">',
        _hatch(key),
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


def _hatch(key: str) -> str:
    return (
        f'<defs><pattern id="hatch-{key}" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/>'
        '<rect class="stripe" width="2" height="6"/></pattern></defs>'
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3f}".rstrip("0").rstrip(".") + "%"
