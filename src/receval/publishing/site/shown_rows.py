"""Rows of the ledger as tables of the site show them: texts, links and numbers in print."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from receval.figures.escaping import escape_markdown
from receval.figures.printed_numbers import NOTHING, in_text, significant
from receval.publishing.site.links import SiteLinks, relative
from receval.publishing.site.markdown_pages import rendered_inline
from receval.publishing.site.verdict_rows import VerdictRow, artifact_label

LEDGER = "ledger.html"
"""Address of the page with all rows."""


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
    detail, reason, needs : str
        What came of it.
    artifacts : tuple of tuple of str
        Of each artifact that decides: label, address of its section, and of its picture or nothing.
    """

    row: VerdictRow
    anchor: str
    dataset: str
    expected: str
    ours: str
    interval: str
    statement: str
    detail: str
    reason: str
    needs: str
    artifacts: tuple[tuple[str, str, str], ...]

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
    """

    def __init__(
        self,
        links: SiteLinks,
        datasets: Mapping[str, str],
        artifacts: Collection[tuple[str, str]],
        pictures: Collection[tuple[str, str]],
    ) -> None:
        self.links = links
        self.datasets = datasets
        self.artifacts = frozenset(artifacts)
        self.pictures = frozenset(pictures)
        self._anchors: dict[VerdictRow, str] = {}

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
            ours=self._linked(row.ours, page) or _number(row.value),
            interval=_interval(row.low, row.high),
            statement=self._linked(row.statement, page),
            detail=self._linked(row.detail, page),
            reason=self._linked(row.reason, page),
            needs=self._linked(row.needs, page),
            artifacts=tuple(
                self._artifact(study, name, row.paper, page)
                for study, name in row.artifacts
                if (study, name) in self.artifacts
            ),
        )

    def _linked(self, text: str, page: str) -> str:
        if not text:
            return ""
        markdown = self.links.with_documents(escape_markdown(in_text(text)))
        return rendered_inline(markdown, self.links.resolver(page, "README.md"))

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
