# SPDX-License-Identifier: MIT
"""Rows of the ledger as tables of the site show them: texts, links and numbers in print."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from receval.figures.escaping import escape_markdown
from receval.figures.printed_numbers import NOTHING, in_text, significant
from receval.publishing.site.certainty_rows import CertaintyOfRows, RowCertainty, certainty_of
from receval.publishing.site.links import SiteLinks, relative
from receval.publishing.site.markdown_pages import rendered_inline
from receval.publishing.site.verdict_rows import VerdictRow, artifact_label

LEDGER = "ledger.html"
"""Address of the page with all rows."""

LONGEST = 80
"""Characters of a cell; of a longer text a table has the beginning."""


def ledger_of(verdict: str, paper: str = "") -> str:
    """Return the address of the ledger with the counted rows of a verdict, and of a paper.

    Examples
    --------
    >>> ledger_of("does not hold", "valcarce2018")
    'ledger.html?paper=valcarce2018&verdict=does+not+hold&form=own'
    """
    asked = {"paper": paper, "verdict": verdict, "form": "own"}
    return f"{LEDGER}?{urlencode({name: value for name, value in asked.items() if value})}"


@dataclass(frozen=True)
class ShownRow:
    """What a table shows of one claim on one dataset, in HTML.

    Attributes
    ----------
    row : VerdictRow
    anchor : str
        Of the row on the page of the ledger; the claim itself for its first dataset.
    dataset : str
        Title; empty for claims of any data.
    expected, ours, interval : str
        The paper's value and ours.
    ours_in_full, detail_in_full : str
        Those of which a table has room for the beginning alone; empty where it has all.
    because : str
        Why the rule and its tolerance are as they are.
    detail, reason, needs : str
        What came of it.
    errata : tuple of tuple of str
        Name and address of each erratum that concerns the claim.
    artifacts : tuple of tuple of str
        Of each artifact that decides: label, address of its section, and of its picture or nothing.
    certainty : RowCertainty or None
        In how many replications it holds, if it was repeated.
    """

    row: VerdictRow
    anchor: str
    dataset: str
    expected: str
    ours: str
    interval: str
    ours_in_full: str
    statement: str
    because: str
    detail: str
    detail_in_full: str
    reason: str
    needs: str
    artifacts: tuple[tuple[str, str, str], ...]
    errata: tuple[tuple[str, str], ...]
    certainty: RowCertainty | None

    @property
    def asks_why(self) -> bool:
        """Whether a reader wants the reason beside the verdict: it does not simply hold."""
        return self.row.verdict in ("does not hold", "holds in part", "depends on the split")

    @property
    def address(self) -> str:
        """Where the row stands, from the top of the site."""
        return f"{LEDGER}#{self.anchor}"


class RowPrinter:
    """What turns rows into what pages show.

    Parameters
    ----------
    links : SiteLinks
    datasets : mapping of str to str
        Titles by name.
    artifacts : collection of tuple of str
        Study and name of the artifacts that the site has.
    pictures : collection of tuple of str
        Those among them that are figures.
    errata : mapping of str to sequence of tuple of str, optional
        Name and address of the errata that concern a claim.
    certainty : CertaintyOfRows, optional
        In how many replications claims hold.
    """

    def __init__(
        self,
        links: SiteLinks,
        datasets: Mapping[str, str],
        artifacts: Collection[tuple[str, str]],
        pictures: Collection[tuple[str, str]],
        errata: Mapping[str, Sequence[tuple[str, str]]] | None = None,
        certainty: CertaintyOfRows | None = None,
    ) -> None:
        self.links = links
        self.datasets = datasets
        self.artifacts = frozenset(artifacts)
        self.pictures = frozenset(pictures)
        self._errata = {claim: tuple(found) for claim, found in (errata or {}).items()}
        self._certainty = certainty or {}
        self._anchors: dict[VerdictRow, str] = {}
        self._known: dict[tuple[str, str], str] = {}

    def name_anchors(self, rows: list[VerdictRow]) -> None:
        """Give every row its anchor: the claim, and behind its first row the dataset, too."""
        taken: set[str] = set()
        for row in rows:
            anchor = row.claim if row.claim not in taken else f"{row.claim}-{row.dataset or 'any'}"
            again = 1
            while anchor in taken:
                again += 1
                anchor = f"{row.claim}-{row.dataset or 'any'}-{again}"
            taken.add(anchor)
            self._anchors[row] = anchor

    def shown(self, row: VerdictRow, page: str) -> ShownRow:
        """Return what a page shows of a row."""
        return ShownRow(
            row=row,
            anchor=self._anchors[row],
            dataset=self.datasets.get(row.dataset, row.dataset),
            expected=self._linked(row.expected, page),
            ours=self._linked(beginning_of(row.ours), page) or _number(row.value),
            ours_in_full=self._linked(row.ours if is_long(row.ours) else "", page),
            interval=_interval(row.low, row.high),
            statement=self._linked(row.statement, page),
            because=self._linked(row.because, page),
            detail=self._linked(beginning_of(row.detail), page),
            detail_in_full=self._linked(row.detail if is_long(row.detail) else "", page),
            reason=self._linked(row.reason, page),
            needs=self._linked(row.needs, page),
            artifacts=tuple(
                self._artifact(study, name, row.paper, page)
                for study, name in row.artifacts
                if (study, name) in self.artifacts
            ),
            errata=tuple(
                (name, relative(address, page)) for name, address in self._errata.get(row.claim, ())
            ),
            certainty=certainty_of(row, self._certainty),
        )

    def _linked(self, text: str, page: str) -> str:
        if not text:
            return ""
        # Many rows of a page say the same.
        if (text, page) not in self._known:
            markdown = self.links.with_documents(escape_markdown(in_text(text)))
            resolve = self.links.resolver(page, "README.md")
            self._known[text, page] = rendered_inline(markdown, resolve)
        return self._known[text, page]

    def _artifact(self, study: str, name: str, paper: str, page: str) -> tuple[str, str, str]:
        section = relative(f"studies/{study}.html#{name}", page)
        has_picture = (study, name) in self.pictures
        picture = relative(f"files/{study}/{name}.svg", page) if has_picture else ""
        return artifact_label(study, name, paper), section, picture


def is_long(text: str) -> bool:
    """Tell whether a table has room for the beginning of a text alone."""
    return len(text) > LONGEST


def beginning_of(text: str) -> str:
    """Return the beginning of a text that is too long for a table, up to the end of a word.

    Examples
    --------
    >>> beginning_of("short"), beginning_of("word " * 50)[-11:]
    ('short', 'word word …')
    """
    return f"{text[:LONGEST].rpartition(' ')[0].rstrip(' ,;:')} …" if is_long(text) else text


def _number(text: str) -> str:
    try:
        return significant(float(text)) if text else NOTHING
    except ValueError:
        return in_text(text)


def _interval(low: str, high: str) -> str:
    return f"{_number(low)} to {_number(high)}" if low and high else ""
