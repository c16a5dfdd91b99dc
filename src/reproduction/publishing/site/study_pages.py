# SPDX-License-Identifier: MIT
"""The pages of the studies: figures in order, the paper's values beside ours, files, commands."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from receval.figures.printed_numbers import in_text, significant
from receval.storage.files import refusing_damage
from reproduction.claims.rebuilt_papers import is_rebuilt, verdict_in_words
from reproduction.publishing.ledger_claims import LedgerClaim, claims_in, here_counts
from reproduction.publishing.site.links import SiteLinks, relative
from reproduction.publishing.site.markdown_pages import rendered, rendered_inline
from reproduction.publishing.site.number_pairs import NumberPair, pairs_picture
from reproduction.publishing.site.shown_rows import RowPrinter, ledger_of, paper_address
from reproduction.publishing.site.site_pages import SitePage, markup
from reproduction.publishing.site.study_sections import (
    StudySection,
    StudyText,
    shown_part,
    table_rows,
)
from reproduction.publishing.site.verdict_bars import VerdictBar, verdict_bars
from reproduction.publishing.verdict_rows import VERDICTS, VerdictRow, rows_by_artifact

PART = "studies/index.html"
"""The part of the site that studies belong to."""

GUIDE = "docs/replications.md"
"""What is repeated, and how."""

OPEN_ROWS = 12
"""A longer table of claims or values is folded until a reader opens it."""

_SIZE = re.compile(r'<svg\b[^>]*\bwidth="([\d.]+)pt"[^>]*\bheight="([\d.]+)pt"', re.DOTALL)


@dataclass(frozen=True)
class Study:
    """A study of the site.

    Attributes
    ----------
    name : str
    folder : Path
        Of its artifacts.
    text : StudyText
        From its page.
    rows : tuple of VerdictRow
        The claims of its paper.
    """

    name: str
    folder: Path
    text: StudyText
    rows: tuple[VerdictRow, ...]

    @property
    def is_paper(self) -> bool:
        """Whether it is that of a paper: those are named after author and year."""
        return is_rebuilt(self.name)

    @property
    def claims(self) -> list[LedgerClaim]:
        """The claims of its paper, each once."""
        return claims_in(self.rows)

    @property
    def address(self) -> str:
        """Of its page."""
        return f"studies/{self.name}.html"

    @property
    def label(self) -> str:
        """Authors and year of the paper, or the name of the study.

        Examples
        --------
        >>> text = StudyText("Title", "D. Valcarce, A. Bellogín and P. Castells. RecSys 2018.", ())
        >>> Study("valcarce2018", Path("valcarce2018"), text, ()).label
        'Valcarce et al. 2018'
        """
        if not self.is_paper:
            return self.name.capitalize()
        authors = self.text.citation.split(". ")
        first = next(part for part in authors if len(part) > 1).split(",")[0].split(" and ")[0]
        surname = re.sub(r"^(?:\w\.\s*)+", "", first).strip()
        return f"{surname} et al. {self.name[-4:]}"

    def bar(self, page: str) -> VerdictBar:
        """Return the verdicts on its claims, with links to the rows of the ledger."""
        counts = here_counts(self.claims)
        links = {
            verdict: relative(ledger_of(paper=self.name, verdict=verdict), page)
            for verdict in counts
        }
        words = {verdict: verdict_in_words(self.name, verdict) for verdict in counts}
        return VerdictBar(self.label, counts, links, words)


def study_page(
    study: Study,
    studies: Sequence[Study],
    printer: RowPrinter,
    links: SiteLinks,
    all_rows: Sequence[VerdictRow],
    edition: str,
    certainty_figure: Path | None = None,
) -> SitePage:
    """Return the page of a study."""
    page = study.address
    by_artifact = rows_by_artifact(all_rows)
    shown = {section.name for section in study.text.sections}
    sections = [
        _section(
            study, section, by_artifact.get((study.name, section.name), ()), printer, links, edition
        )
        for section in study.text.sections
    ]
    elsewhere = [
        row
        for row in study.rows
        if not any(s == study.name and a in shown for s, a in row.artifacts)
    ]
    resolve = links.resolver(page, f"results/{edition}/{study.name}/index.md")
    bar = study.bar(page)
    beside = [row for row in study.rows if row.has_numbers and row.is_counted]
    return SitePage(
        page,
        study.label,
        "study.html",
        PART,
        {
            "study": study,
            "heading": markup(rendered_inline(study.text.title, resolve)),
            "citation": markup(rendered_inline(study.text.citation, resolve)),
            "bar": bar,
            "picture": markup(verdict_bars([bar], study.name, named=False)) if bar.total else "",
            "styles": VERDICTS,
            "ledger": relative(paper_address(study.name), page) if study.rows else "",
            "sections": sections,
            "beside": [(printer.shown(row, page), *_numbers(row)) for row in beside],
            "has_intervals": any(row.low and row.high for row in beside),
            "pairs": markup(pairs_picture([_pair(row, printer) for row in beside])),
            "certainty": _certainty(certainty_figure, links, page) if certainty_figure else None,
            "elsewhere": [printer.shown(row, page) for row in elsewhere],
            "studies": studies,
            "record": _record(study, printer.datasets),
            "open_rows": OPEN_ROWS,
        },
        f"Every figure and table of {study.label}, made again, with a verdict on each claim.",
    )


def studies_page(studies: Sequence[Study]) -> SitePage:
    """Return the page that lists all studies."""
    bars = {study.name: study.bar(PART) for study in studies}
    pictures = {
        name: markup(verdict_bars([bar], name, named=False))
        for name, bar in bars.items()
        if bar.total
    }
    return SitePage(
        PART,
        "Studies",
        "studies.html",
        PART,
        {"studies": studies, "bars": bars, "pictures": pictures},
        "Five papers, what came after, and two questions of our own.",
    )


def _numbers(row: VerdictRow) -> tuple[str, str, str]:
    """Return a published number, ours and their difference, in print."""
    published, ours = float(row.published), float(row.value)
    difference = significant(ours - published, 2, signed=True)
    # The paper's has the digits that the paper prints.
    return in_text(row.published), significant(ours, 4), difference


def _pair(row: VerdictRow, printer: RowPrinter) -> NumberPair:
    dataset = printer.title(row.dataset)
    name = f"{row.claim}, {dataset}" if dataset else row.claim
    return NumberPair(float(row.published), float(row.value), name, row.style)


def _section(
    study: Study,
    section: StudySection,
    rows: Sequence[VerdictRow],
    printer: RowPrinter,
    links: SiteLinks,
    edition: str,
) -> dict[str, Any]:
    page, source = study.address, f"results/{edition}/{study.name}/index.md"
    resolve = links.resolver(page, source)
    heading = rendered_inline(section.heading, resolve)
    table = study.folder / f"{section.name}.md"
    text = shown_part(table.read_text(encoding="utf-8")) if "md" in section.suffixes else ""
    shown = "svg" if section.has_picture else "md"
    return {
        "name": section.name,
        "heading": markup(heading),
        "plain": re.sub(r"<[^>]+>", "", heading),
        "picture": _picture(
            study.folder / f"{section.name}.svg",
            f"files/{study.name}/{section.name}.svg",
            page,
        )
        if section.has_picture
        else None,
        "paragraphs": markup(rendered("\n\n".join(section.paragraphs), resolve).body),
        "table": markup(rendered(text, resolve, shift=2, prefix=f"{section.name}-").body),
        "table_rows": table_rows(text),
        "is_page": bool(text) and "tex" not in section.suffixes,
        "counted": sum(row.is_counted for row in rows),
        "rows": [printer.shown(row, page) for row in rows],
        "counts": Counter((row.style, row.words) for row in rows if row.is_counted),
        "files": [
            (suffix, relative(f"files/{study.name}/{section.name}.{suffix}", page))
            for suffix in section.suffixes
        ],
        "command": f"snakemake --cores all work/{edition}/artifacts/{study.name}/"
        f"{section.name}.{shown}",
    }


def _certainty(figure: Path, links: SiteLinks, page: str) -> Mapping[str, Any]:
    """Return what the page shows of the replications: a figure, and its files."""
    files = [
        (path.suffix[1:], f"files/{path.name}") for path in (figure, figure.with_suffix(".csv"))
    ]
    return {
        "picture": _picture(figure, f"files/{figure.name}", page),
        "guide": markup(
            rendered_inline(links.with_documents(GUIDE), links.resolver(page, "README.md"))
        ),
        "files": [(suffix, relative(address, page)) for suffix, address in files],
    }


def _picture(path: Path, address: str, page: str) -> Mapping[str, Any]:
    """Return address and size of a figure, so that its place is there before the figure is."""
    with refusing_damage(path):
        found = _SIZE.search(path.read_text(encoding="utf-8")[:4000])
        if found is None:
            raise ValueError("it does not say how wide and how high it is")
    # Points are three quarters of the pixels of browsers; a figure of one column is shown larger.
    width, height = (round(float(size) * 96 / 72) for size in found.groups())
    scale = 1.5
    return {
        "address": relative(address, page),
        "width": round(width * scale),
        "height": round(height * scale),
    }


def _record(study: Study, titles: Mapping[str, str]) -> dict[str, Any]:
    path = study.folder / "provenance.json"
    with refusing_damage(path):
        record = json.loads(path.read_text(encoding="utf-8"))
        return {
            "datasets": [
                {
                    "name": titles.get(name, name),
                    **{k: counts[k] for k in ("n_users", "n_items", "n_ratings")},
                }
                for name, counts in record["datasets"].items()
            ],
            "absent": [titles.get(name, name) for name in record["absent"]],
            "versions": record["versions"],
            "address": relative(f"files/{study.name}/provenance.json", study.address),
        }
