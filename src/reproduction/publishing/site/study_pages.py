# SPDX-License-Identifier: MIT
"""The first page, and those of the studies: figures, published values beside ours, files."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from receval.figures.printed_numbers import in_text, significant
from receval.storage.files import read_results, refusing_damage
from reproduction.claims.verdicts import ClaimVerdict, is_newer, is_rebuilt, verdict_in_words
from reproduction.publishing.ledger import (
    VERDICTS,
    LedgerClaim,
    PaperLedger,
    VerdictRow,
    claims_in,
    here_counts,
)
from reproduction.publishing.site.claim_pages import (
    MEANINGS,
    RowPrinter,
    VerdictBar,
    claims_of_five,
    headline_html,
    ledger_of,
    paper_address,
    verdict_bars,
    with_separators,
)
from reproduction.publishing.site.site_pages import (
    SiteLinks,
    SitePage,
    anchor_of,
    markup,
    relative,
    rendered,
    rendered_inline,
    without_tags,
)

START = "index.html"
"""Address of the first page."""

PART = "studies/index.html"
"""The part of the site that studies belong to."""

FOUND = "**What was found.**"
"""What stands before the findings on the page of a study."""

GUIDE = "docs/replications.md"
"""Replicated parts, and how they are replicated."""

MOST_ROWS = 6
"""Longer tables of claims or values have pages of their own."""

NUMBERS = "The paper's numbers beside ours"

_SIZE = re.compile(r'<svg\b[^>]*\bwidth="([\d.]+)pt"[^>]*\bheight="([\d.]+)pt"', re.DOTALL)


# The page of a study, ``index.md``, split into a section per artifact.

_FILE = re.compile(r"\]\(([a-z0-9_]+)\.([a-z]+)\)")
_PICTURE = re.compile(r"^!\[.*\]\(.+\.svg\)$")
_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")


@dataclass(frozen=True)
class StudySection:
    """The section of a study's page on one artifact, in Markdown.

    The paragraphs are the caption, how to read it, and what it shows. The suffixes are those of its
    files, in order.
    """

    name: str
    heading: str
    has_picture: bool
    paragraphs: tuple[str, ...]
    suffixes: tuple[str, ...]

    @property
    def files(self) -> list[str]:
        """The names of its files."""
        return [f"{self.name}.{suffix}" for suffix in self.suffixes]


@dataclass(frozen=True)
class StudyText:
    """The page of a study: title, citation, a section for each artifact, and what was found.

    ``findings`` is a list in Markdown with links to the sections by their names, or empty.
    ``pictured`` is the artifact whose figure is shown with it.
    """

    title: str
    citation: str
    sections: tuple[StudySection, ...]
    findings: str = ""
    pictured: str = ""


def read_study_text(index: Path) -> StudyText:
    """Read a page written by :func:`reproduction.workflow.jobs.publishing.write_index`."""
    with refusing_damage(index):
        head, *sections = re.split(r"^## ", index.read_text(encoding="utf-8"), flags=re.MULTILINE)
        blocks = head.strip().split("\n\n")
        if len(blocks) < 2 or not blocks[0].startswith("# "):
            raise ValueError("it does not begin with the title and the citation of its study")
        read = tuple(map(_read_section, sections))
        findings, pictured = _read_findings(blocks, read)
        return StudyText(blocks[0][2:], blocks[1], read, findings, pictured)


def _read_findings(blocks: Sequence[str], sections: Sequence[StudySection]) -> tuple[str, str]:
    """Return the list of what was found, with links that hold on the site, and the picture."""
    if FOUND not in blocks:
        return "", ""
    findings, picture = blocks[blocks.index(FOUND) + 1 :][:2]
    for section in sections:
        findings = findings.replace(f"(#{anchor_of(section.heading)})", f"(#{section.name})")
    ((pictured, _),) = _FILE.findall(picture)
    return findings, pictured


def _read_section(text: str) -> StudySection:
    heading, *blocks = text.strip().split("\n\n")
    files = _FILE.findall(blocks[-1]) if blocks and blocks[-1].startswith("Files: ") else []
    if not files:
        raise ValueError(f"the section {heading!r} does not end with its files")
    has_picture = bool(_PICTURE.match(blocks[0]))
    return StudySection(
        name=files[0][0],
        heading=heading,
        has_picture=has_picture,
        paragraphs=tuple(blocks[has_picture:-1]),
        suffixes=tuple(suffix for _, suffix in files),
    )


def shown_part(markdown: str) -> str:
    r"""Return a table or page without its title and caption, which the site shows above it.

    Examples
    --------
    >>> shown_part("**Title**\n\nCaption.\n\n| a |\n|---|\n| 1 |\n\nAbsent: b.")
    '| a |\n|---|\n| 1 |'
    >>> shown_part("# Title\n\nText.")
    'Text.'
    """
    blocks = markdown.strip().split("\n\n")
    # The caption on the site also says what is absent.
    blocks = [block for block in blocks if not block.startswith("Absent: ")]
    if blocks[0].startswith("# "):
        return "\n\n".join(blocks[1:])
    tables = [at for at, block in enumerate(blocks) if _has_rule(block)]
    return "\n\n".join(blocks[tables[0] :]) if tables else "\n\n".join(blocks[1:])


def table_rows(markdown: str) -> int:
    """Return the number of rows of all tables in Markdown, heads left out."""
    lines = markdown.splitlines()
    return sum(line.startswith("|") for line in lines) - 2 * sum(map(_has_rule, lines))


def _has_rule(block: str) -> bool:
    return any(_RULE.match(line) for line in block.splitlines())


@dataclass(frozen=True)
class Study:
    """A study on the site: the folder of its artifacts, its page, and the claims of its paper."""

    name: str
    folder: Path
    text: StudyText
    rows: tuple[VerdictRow, ...]

    @property
    def is_paper(self) -> bool:
        """Whether it rebuilds a paper; such studies are named after author and year."""
        return is_rebuilt(self.name)

    @property
    def claims(self) -> list[LedgerClaim]:
        """The claims of its paper, each once."""
        return claims_in(self.rows)

    @property
    def address(self) -> str:
        """Address of its page."""
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
            return {"followups": "Follow-ups"}.get(self.name, self.name.capitalize())
        # Authors end with a word that is no initial.
        authors = re.split(r"(?<=\w\w)\. ", self.text.citation)[0]
        surnames = [re.sub(r"^(?:\w\.\s*)+", "", one) for one in re.split(r", | and ", authors)]
        several = (
            " et al." if len(surnames) > 2 else "".join(f" and {name}" for name in surnames[1:])
        )
        return f"{surnames[0]}{several} {self.name[-4:]}"

    def bar(self, page: str) -> VerdictBar:
        """Return the verdicts on its claims, with links to the rows of the ledger."""
        counts = here_counts(self.claims)
        links = {
            verdict: relative(ledger_of(paper=self.name, verdict=verdict), page)
            for verdict in counts
        }
        words = {verdict: verdict_in_words(self.name, verdict) for verdict in counts}
        return VerdictBar(self.label, counts, links, words)


# A picture of a paper's numbers and ours, by the ratio of ours to theirs.

WIDTH, HEIGHT = 600, 280
LEFT, BELOW, MARGIN = 64, 48, 14
"""Sizes in pixels of the plot area, and of the margin for labels."""

RADIUS = 4.5

FARTHEST = 4.0
"""Numbers that differ by more than this factor are drawn at the edge."""

NEAREST = 1.1
"""The axis reaches at least this factor on both sides of equality."""

RATIOS = (0.25, 0.5, 0.67, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0)
"""Possible labels of the vertical axis."""

LABEL_ROOM = 22
"""Pixels between labels."""


@dataclass(frozen=True)
class NumberPair:
    """A published number and ours, with a plain text on the point, and its class of style."""

    published: float
    ours: float
    name: str
    style: str


def pairs_picture(pairs: Sequence[NumberPair]) -> str:
    """Return an SVG of the positive pairs: the published number, and the ratio of ours to it.

    Both axes are logarithmic: twice as large is as far from equality as half as large. Empty if
    there are fewer than two pairs. The picture is only visual: pages with it must also show the
    numbers as a table.
    """
    shown = [pair for pair in pairs if pair.published > 0 and pair.ours > 0]
    if len(shown) < 2:
        return ""
    logs = [log10(pair.published) for pair in shown]
    room = max(0.04 * (max(logs) - min(logs)), 0.02)
    low, high = min(logs) - room, max(logs) + room
    reach = max(max(pair.ours / pair.published, pair.published / pair.ours) for pair in shown)
    span = log10(min(max(1.1 * reach, NEAREST), FARTHEST))

    def across(value: float) -> float:
        return WIDTH * (log10(value) - low) / (high - low)

    def down(ratio: float) -> float:
        return HEIGHT / 2 * (1 - max(-1.0, min(1.0, log10(ratio) / span)))

    width, height = LEFT + WIDTH + MARGIN, MARGIN + HEIGHT + BELOW
    parts = [
        f'<svg class="pairs" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'aria-hidden="true" focusable="false"><g transform="translate({LEFT} {MARGIN})">'
        f'<rect class="frame" width="{WIDTH}" height="{HEIGHT}"/>'
        f'<line class="same" x1="0" y1="{HEIGHT / 2}" x2="{WIDTH}" y2="{HEIGHT / 2}"/>'
    ]
    for value in _round_numbers(low, high):
        x = across(value)
        parts.append(
            f'<line class="tick" x1="{x:.1f}" y1="{HEIGHT}" x2="{x:.1f}" y2="{HEIGHT + 5}"/>'
            f'<text class="below" x="{x:.1f}" y="{HEIGHT + 20}">{significant(value, 1)}</text>'
        )
    for ratio in _spaced((one for one in RATIOS if abs(log10(one)) <= span), down):
        y = down(ratio)
        parts.append(
            f'<line class="tick" x1="-5" y1="{y:.1f}" x2="0" y2="{y:.1f}"/>'
            f'<text class="before" x="-9" y="{y + 4:.1f}">{ratio:g}</text>'
        )
    for pair in shown:
        x, y = across(pair.published), down(pair.ours / pair.published)
        published, ours = significant(pair.published), significant(pair.ours)
        said = html.escape(f"{pair.name}: {published} in the paper, {ours} ours")
        parts.append(
            f'<circle class="{pair.style}" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}">'
            f"<title>{said}</title></circle>"
        )
    parts.append(
        f'<text class="below" x="{WIDTH / 2}" y="{HEIGHT + 42}">The paper\'s number</text>'
        f'<text class="below" transform="translate(-48 {HEIGHT / 2}) rotate(-90)">'
        "Ours over the paper's</text></g></svg>"
    )
    return "".join(parts)


def _round_numbers(low: float, high: float) -> list[float]:
    """Return at most eight round numbers between two logarithms."""
    inside: list[float] = []
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(range(1, 10))):
        exponents = range(floor(low) - 1, ceil(high) + 1)
        found = [step * 10.0**exponent for exponent in exponents for step in steps]
        inside = [value for value in found if low <= log10(value) <= high]
        if len(inside) >= 3:
            break
    return inside[:: max(1, ceil(len(inside) / 8))]


def _spaced(ratios: Iterable[float], down: Callable[[float], float]) -> list[float]:
    """Return ratios whose labels do not touch, preferring equality and the outermost ones."""
    kept: list[float] = []
    for ratio in sorted(ratios, key=lambda one: (one != 1, -abs(log10(one)), one)):
        if all(abs(down(ratio) - down(other)) >= LABEL_ROOM for other in kept):
            kept.append(ratio)
    return kept


def start_page(
    papers: Sequence[PaperLedger],
    studies: Sequence[Study],
    doors: Mapping[str, str],
    report: str = "",
) -> SitePage:
    """Return the first page."""
    claims = claims_of_five(papers)
    rebuilt = [study for study in studies if not is_newer(study.name) and study.rows]
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
            "headline": headline_html(claims),
            "decided": len(claims) - counts[ClaimVerdict.UNDECIDABLE],
            "doors": {name: relative(address, START) for name, address in doors.items()},
            "ledger_of": {verdict: ledger_of(verdict=verdict) for verdict in VERDICTS},
            "report": relative(report, START) if report else "",
        },
        "Which findings of five papers on recommender evaluation hold, claim by claim.",
    )


def pages_of_study(
    study: Study,
    studies: Sequence[Study],
    printer: RowPrinter,
    links: SiteLinks,
    all_rows: Sequence[VerdictRow],
    edition: str,
    certainty_figure: Path | None = None,
) -> Iterator[SitePage]:
    """Yield the page of a study, and pages of tables and lists that are too long for it."""
    page = study.address
    shown = {section.name for section in study.text.sections}
    sections = [
        _section(
            study,
            section,
            [row for row in all_rows if (study.name, section.name) in row.artifacts],
            printer,
            links,
            edition,
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
    pairs = [row for row in study.rows if row.has_numbers and row.is_counted]
    beside = [(printer.shown(row, page), *_numbers(row)) for row in pairs]
    others = [printer.shown(row, page) for row in elsewhere]
    numbers = _rows_page(study, "numbers", NUMBERS, beside=beside)
    claims = _rows_page(study, "other-claims", "Other claims", others=others)
    yield SitePage(
        page,
        study.label,
        "study.html",
        PART,
        {
            "study": study,
            "heading": markup(rendered_inline(study.text.title, resolve)),
            "citation": markup(rendered_inline(study.text.citation, resolve)),
            "bar": bar,
            "picture": bar.picture(study.name) if bar.total else "",
            "styles": VERDICTS,
            "ledger": relative(paper_address(study.name), page) if study.rows else "",
            "sections": sections,
            "findings": markup(rendered(study.text.findings, resolve).body),
            "pictured": next((s for s in sections if s["name"] == study.text.pictured), None),
            "beside": beside,
            "others": others,
            "pages": {"numbers": numbers.address, "others": claims.address, "most": MOST_ROWS},
            "pairs": markup(pairs_picture([_pair(row, printer) for row in pairs])),
            "certainty": _certainty(certainty_figure, links, page) if certainty_figure else None,
            "studies": studies,
            "record": _record(study, printer.datasets),
        },
        f"Every figure and table of {study.label}, made again, with a verdict on each claim.",
    )
    for section in sections:
        if section["long_table"] or section["long_rows"]:
            yield _rows_page(study, section["name"], section["plain"], section=section)
    yield from (one for one, rows in ((numbers, beside), (claims, others)) if len(rows) > MOST_ROWS)


def _rows_page(study: Study, name: str, heading: str, **shown: Any) -> SitePage:
    """Return a page of long tables, beside that of the study, so that links are the same."""
    return SitePage(
        _rows_address(study, name),
        f"{heading}, {study.label}",
        "rows.html",
        PART,
        {
            "study": study,
            "anchor": name,
            "heading": heading,
            "section": None,
            **{"beside": (), "others": ()},
            **shown,
        },
        f"{heading}, made again for {study.label}.",
    )


def _rows_address(study: Study, name: str) -> str:
    return f"{study.address.removesuffix('.html')}-{name}.html"


def studies_page(studies: Sequence[Study]) -> SitePage:
    """Return the page that lists all studies."""
    bars = {study.name: study.bar(PART) for study in studies}
    pictures = {name: bar.picture(name) for name, bar in bars.items() if bar.total}
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
    # The paper's number has the printed digits.
    return in_text(with_separators(row.published)), significant(ours, 4), difference


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
    page, files = study.address, f"files/{study.name}/{section.name}"
    rows_page = _rows_address(study, section.name)
    resolve = links.resolver(page, f"results/{edition}/{study.name}/index.md")
    heading = rendered_inline(section.heading, resolve)
    table = study.folder / f"{section.name}.md"
    text = shown_part(table.read_text(encoding="utf-8")) if "md" in section.suffixes else ""
    shown = "svg" if section.has_picture else "md"
    n_rows = table_rows(text)
    if n_rows > MOST_ROWS:
        of_table = links.resolver(rows_page, f"results/{edition}/{study.name}/index.md")
    else:
        of_table = resolve
    return {
        "name": section.name,
        "heading": markup(heading),
        "plain": without_tags(heading),
        "picture": section.has_picture
        and _picture(study.folder / f"{section.name}.svg", f"{files}.svg", page),
        "paragraphs": markup(rendered("\n\n".join(section.paragraphs), resolve).body),
        "table": markup(rendered(text, of_table, shift=2, prefix=f"{section.name}-").body),
        "table_rows": n_rows,
        "long_table": n_rows > MOST_ROWS,
        "long_rows": len(rows) > MOST_ROWS,
        "address": rows_page,
        "is_page": bool(text) and "tex" not in section.suffixes,
        "counted": sum(row.is_counted for row in rows),
        "rows": [printer.shown(row, page) for row in rows],
        "counts": Counter((row.style, row.words) for row in rows if row.is_counted),
        "files": [(suffix, relative(f"{files}.{suffix}", page)) for suffix in section.suffixes],
        "command": f"snakemake --cores all work/{edition}/artifacts/{study.name}/"
        f"{section.name}.{shown}",
    }


def _certainty(figure: Path, links: SiteLinks, page: str) -> Mapping[str, Any]:
    """Return the page's contents on replications: a figure and its files."""
    # Matplotlib is loaded for studies with replications only.
    from reproduction.publishing.claim_counts import said_of_hollow_dots

    guide = rendered_inline(links.with_documents(GUIDE), links.resolver(page, "README.md"))
    return {
        "picture": _picture(figure, f"files/{figure.name}", page),
        "hollow": " ".join(said_of_hollow_dots(read_results(figure.with_suffix(".csv")))),
        "guide": markup(guide),
        "files": [(s, relative(f"files/{figure.stem}.{s}", page)) for s in ("svg", "csv")],
    }


def _picture(path: Path, address: str, page: str) -> Mapping[str, Any]:
    """Return address and size of a figure, so that space is reserved before it loads."""
    with refusing_damage(path):
        found = _SIZE.search(path.read_text(encoding="utf-8")[:4000])
        if found is None:
            raise ValueError("it does not give its width and height")
    # A pixel of browsers is 3/4 of a point; a figure of one column is shown larger.
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
