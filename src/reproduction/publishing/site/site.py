# SPDX-License-Identifier: MIT
"""Build the whole site of an edition: its pages, and the files beside them.

The pages for documents of the repository are made here, too.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from receval.storage.files import write_atomically
from receval.storage.saved_folders import receval_version
from reproduction.claims.ledger import reminders_of
from reproduction.claims.spec import read_claims
from reproduction.publishing.claim_counts import in_print
from reproduction.publishing.ledger import (
    NOT_SAID,
    VERDICTS,
    LedgerClaim,
    PaperLedger,
    VerdictRow,
    papers_in,
    read_verdict_rows,
)
from reproduction.publishing.site.claim_pages import (
    LEDGER,
    RowPrinter,
    claim_address,
    page_of_ledger,
    paper_address,
    paper_pages,
    single_claims,
)
from reproduction.publishing.site.public_names import (
    INVENTORY,
    REFERENCE,
    PublicModule,
    addresses_of_names,
    inventory,
    read_aliases,
    read_modules,
    read_packages,
    reference_pages,
)
from reproduction.publishing.site.site_pages import (
    PageWriter,
    SiteLinks,
    SitePage,
    anchor_of,
    markup,
    rendered,
    without_tags,
)
from reproduction.publishing.site.study_pages import PART as STUDIES
from reproduction.publishing.site.study_pages import (
    Study,
    pages_of_study,
    read_study_text,
    start_page,
    studies_page,
)

DOCUMENTS, ERRATA = "docs/index.html", "errata.html"
"""Addresses of the list of documents, and of the errata."""

ERRATA_SOURCE = "docs/errata.md"

GROUPS = {
    "Use it on your data": {
        "README": "What receval is, and the two commands that make everything.",
        "library": "A program that compares recommenders on any table of ratings.",
        "groups": "Features of items, and groups of users and items.",
        "whole_evaluation": "A program that tunes and evaluates systems in every respect.",
        "reading": "Which files are read, how, and what can be set.",
        "warnings": "Every note and refusal, and what to do about it.",
        "diagnosis": "What a table of ratings allows to be measured.",
        "recommendations": "Ten recommendations for experiments, each with its evidence.",
        "arguments": "What every public function takes, with its default.",
        "metrics": "Every metric: formula, denominator, missing lists, ties, source.",
        "recommenders": "The systems of the papers, by family.",
        "dialects": "What other tools compute under the same names.",
        "sampled_metrics": "What ranking among sampled candidates is worth.",
        "glossary": "Every term, and what the papers and the field call it.",
    },
    "The papers": {
        "studies": "The five papers, newer ones, our own questions, and their artifacts.",
        "claims": "How verdicts are reached, and how a claim is written.",
        "replications": "How often each claim holds under other root seeds.",
        "biases": "Sparsity and popularity biases of metrics: what holds, what differs, and why.",
        "robustness": "Which metrics and cut-offs are robust and tell systems apart.",
        "false_positives": "Popularity bias in metrics that count what users dislike.",
        "decisions": "Eight choices of an offline experiment, and who wins under each.",
        "fidelity": "How close the recommenders come to the values published for them.",
        "implementations": "The same algorithms by other packages.",
        "performance": "Time and memory of the same work in other libraries.",
        "newer_papers": "Five newer papers as studies: what holds, and what to do differently.",
        "followups": "What newer papers say on the same questions, and what our data show.",
        "time_and_bias": "Splits by time, popular candidates, and unbiased estimates.",
        "unbiased_tests": "What tests on randomly drawn items can decide.",
    },
    "Reproduce": {
        "running": "Commands, options, and making one thing again.",
        "datasets": "Which there are, and how to get those that must be asked for.",
        "reading_results": "What the files are, and how fresh results are compared with them.",
        "cluster": "Running on a Slurm cluster.",
        "scale": "Time and memory by the number of ratings.",
        "reliability": "What receval promises when data is damaged or runs are killed.",
        "CHANGELOG": "What changed, and which results moved.",
    },
    "Contribute": {
        "CONTRIBUTING": "How to change the project, and the rules that keep results correct.",
        "architecture": "Packages, rules, and where to put what.",
        "release": "How a version is published, and what of it was tried.",
        "recipes": "A dataset, its twin, a system, a metric, a table and a figure, step by step.",
        "snakemake_scheduler": "What scheduling costs, and how that is avoided.",
    },
}
"""Documents by purpose, each with a line; others are listed under "More"."""

TITLES = {"README": "Read me first", "CHANGELOG": "Changes"}
"""Names in the list for documents with less informative titles."""


def document_address(source: str) -> str:
    """Return the address of a document.

    Examples
    --------
    >>> document_address("docs/metrics.md"), document_address("CHANGELOG.md")
    ('docs/metrics.html', 'docs/changelog.html')
    """
    if source == ERRATA_SOURCE:
        return ERRATA
    return f"docs/{PurePosixPath(source).stem.lower()}.html"


def document_pages(documents: Mapping[str, Path], links: SiteLinks) -> list[SitePage]:
    """Return a page for every document, and a page that lists them."""
    pages, listed = [], dict[str, dict[str, str]]()
    summaries = {name: line for group in GROUPS.values() for name, line in group.items()}
    for source, path in documents.items():
        address = document_address(source)
        text = path.read_text(encoding="utf-8")
        shown = rendered(text, links.resolver(address, source))
        title = without_tags(shown.title) or source
        is_errata = address == ERRATA
        if not is_errata:
            stem = PurePosixPath(source).stem
            listed[stem] = {
                "title": TITLES.get(stem, title),
                "address": address,
                "summary": summaries.get(stem, ""),
            }
        pages.append(
            SitePage(
                address,
                title,
                "document.html",
                ERRATA if is_errata else DOCUMENTS,
                {
                    "body": markup(shown.body),
                    "contents": [
                        (heading.level, heading.anchor, markup(without_tags(heading.text)))
                        for heading in shown.headings
                        if heading.level in (2, 3)
                    ],
                    "source": source,
                    "is_errata": is_errata,
                },
                f"{title}: a document of receval.",
            )
        )
    groups = {name: [listed[s] for s in stems if s in listed] for name, stems in GROUPS.items()}
    groups["More"] = [entry for stem, entry in listed.items() if stem not in summaries]
    values = {"groups": {name: entries for name, entries in groups.items() if entries}}
    listing = SitePage(DOCUMENTS, "Documents", "documents.html", DOCUMENTS, values, "Documents.")
    return [listing, *pages]


OWN_DATA = "Your own data"
"""The heading below which a document says where to begin with one's own data."""

_ERRATUM = re.compile(r"^### (E-\d{2}): ", re.MULTILINE)
_CLAIM = re.compile(r"\b[A-Z]\w*-\d{3}\b")


REPORT = "files/receval.pdf"
"""Address of the paper on all results."""


@dataclass(frozen=True)
class SiteSources:
    """The files that the site is made from.

    ``sources`` are the code and the configuration of studies, by their path in the repository.

    ``claims`` is the ledger, and each study a folder of artifacts. Documents in Markdown, and the
    pictures in them, are named by their path in the repository. ``modules`` are the sources of both
    packages. ``datasets`` has their titles, and ``elsewhere`` how claims on a missing one can be
    decided. ``statements`` are ``config/claims/<paper>.yaml``, with what qualifies verdicts.
    ``report`` is the paper on all results, ``certainty`` the table of how many replications claims
    hold in, and ``certainty_figures`` has the figure of each paper's claims by study; its CSV lies
    beside it.
    """

    edition: str
    claims: Path
    studies: tuple[Path, ...]
    documents: Mapping[str, Path]
    pictures: Mapping[str, Path]
    modules: tuple[Path, ...]
    templates: Path
    assets: Path
    datasets: Mapping[str, str]
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[Path, ...] = ()
    sources: Mapping[str, Path] = field(default_factory=dict)
    report: Path | None = None
    certainty: Path | None = None
    certainty_figures: Mapping[str, Path] = field(default_factory=dict)


# The claims as a script with data, for the search on the page of the ledger.

DATA = "assets/claims.js"
"""Address of the script."""


def ledger_data(
    papers: Sequence[PaperLedger], labels: Mapping[str, str], title: Callable[[str], str]
) -> str:
    """Return the texts of claims as a script, which a page opened as a local file can load."""
    words = {p.paper: {r.verdict: r.words for c in p.claims for r in c.own} for p in papers}
    lines = [_line(claim, labels, title) for paper in papers for claim in paper.claims]
    claims = ",\n".join(lines)
    data = _json({"styles": VERDICTS, "words": words})
    return f"window.LEDGER = {data};\nwindow.LEDGER.claims = [\n{claims}\n];\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _line(claim: LedgerClaim, labels: Mapping[str, str], title: Callable[[str], str]) -> str:
    first = claim.first
    rows = [
        [row.dataset or "-", title(row.dataset), row.verdict, row.on_splits] for row in claim.own
    ]
    others = [text for row in claim.rows for text in (row.form, row.ours, row.reason) if text]
    found = {
        "id": claim.number,
        "paper": first.paper,
        "label": labels[first.paper],
        "where": first.where,
        "kind": first.kind,
        "says": in_print(first.statement),
        "in_paper": claim.in_paper or NOT_SAID,
        "verdict": claim.verdict,
        "rows": rows,
        "artifacts": list(dict.fromkeys(f"{s}/{n}" for row in claim.own for s, n in row.artifacts)),
        "more": " ".join(dict.fromkeys([claim.expected, claim.printed, *map(in_print, others)])),
    }
    return _json(found)


def write_site(sources: SiteSources, site: Path) -> None:
    """Write all pages, and copy the files that they show or offer."""
    rows = read_verdict_rows(sources.claims)
    studies = sorted((_study(folder, rows) for folder in sources.studies), key=_place)
    order = [study.name for study in studies]
    papers = sorted(papers_in(rows), key=lambda paper: order.index(paper.paper))
    labels = {study.name: study.label for study in studies}
    writer = PageWriter(sources.templates, sources.edition, _navigation(sources))
    modules = read_modules(sources.modules)
    aliases = read_aliases(sources.modules)
    for page in _pages(sources, rows, studies, papers, labels, modules, aliases):
        write_atomically(site / page.address, writer.html(page))
    title = sources.datasets.get
    write_atomically(site / DATA, ledger_data(papers, labels, lambda name: title(name, name)))
    names = inventory(modules, aliases, "receval", receval_version())
    write_atomically(site / INVENTORY, names)
    figures = sources.certainty_figures.values()
    certainty = [sources.certainty, *figures, *(path.with_suffix(".csv") for path in figures)]
    copies = {
        **{f"assets/{path.name}": path for path in sorted(sources.assets.iterdir())},
        **sources.pictures,
        **{_source_address(name): path for name, path in sources.sources.items()},
        "files/claims.csv": sources.claims,
        **({REPORT: sources.report} if sources.report else {}),
        **{f"files/{p.name}": p for p in certainty if p},
        **{
            f"files/{study.name}/{name}": study.folder / name
            for study in studies
            for name in (*(f for s in study.text.sections for f in s.files), "provenance.json")
        },
    }
    for address, path in copies.items():
        (site / address).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, site / address)


def _pages(
    sources: SiteSources,
    rows: list[VerdictRow],
    studies: Sequence[Study],
    papers: Sequence[PaperLedger],
    labels: Mapping[str, str],
    modules: Sequence[PublicModule],
    aliases: Mapping[str, str],
) -> list[SitePage]:
    errata = _errata(sources)
    mentions = {row.claim: claim_address(row.claim) for row in rows} | {
        name: f"{ERRATA}#{name.lower()}" for found in errata.values() for name in found
    }
    links = SiteLinks(_addresses(sources, studies), addresses_of_names(modules), mentions)
    sections = [(study.name, section) for study in studies for section in study.text.sections]
    printer = RowPrinter(
        links,
        sources.datasets,
        [(study, section.name) for study, section in sections],
        [(study, section.name) for study, section in sections if section.has_picture],
        sources.elsewhere,
    )
    of_claims = {claim: [(name, mentions[name]) for name in own] for claim, own in errata.items()}
    reminders = reminders_of([read_claims(path) for path in sources.statements])
    doors = {
        "use": _guide_to_own_data(sources.documents),
        "rerun": document_address("README.md") if "README.md" in sources.documents else DOCUMENTS,
    }
    by_name = {study.name: study for study in studies}
    figures = sources.certainty_figures
    return [
        start_page(papers, studies, doors, REPORT if sources.report else ""),
        page_of_ledger(papers, labels, printer),
        *paper_pages(papers, by_name, labels, printer, of_claims),
        *single_claims(papers, labels, printer, of_claims, reminders),
        studies_page(studies),
        *(
            page
            for study in studies
            for page in pages_of_study(
                study, studies, printer, links, rows, sources.edition, figures.get(study.name)
            )
        ),
        *document_pages(sources.documents, links),
        *reference_pages(modules, read_packages(sources.modules), aliases, links),
    ]


def _source_address(name: str) -> str:
    """Return the address of code or configuration: as text, which browsers show."""
    return f"files/{name}.txt"


def _study(folder: Path, rows: Sequence[VerdictRow]) -> Study:
    name = folder.name
    own = tuple(row for row in rows if row.paper == name)
    return Study(name, folder, read_study_text(folder / "index.md"), own)


def _place(study: Study) -> tuple[bool, str, str]:
    """Return the sort key of studies: those of papers first, from the oldest."""
    return not study.is_paper, study.name[-4:] if study.is_paper else "", study.name


def _guide_to_own_data(documents: Mapping[str, Path]) -> str:
    for source, path in documents.items():
        titles = re.findall("^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        if OWN_DATA in titles:
            return f"{document_address(source)}#{anchor_of(OWN_DATA)}"
    return DOCUMENTS


def _errata(sources: SiteSources) -> dict[str, list[str]]:
    """Return the errata that name each claim."""
    errata: dict[str, list[str]] = {}
    if ERRATA_SOURCE in sources.documents:
        text = sources.documents[ERRATA_SOURCE].read_text(encoding="utf-8")
        _, *entries = _ERRATUM.split(text)
        for name, entry in zip(entries[::2], entries[1::2], strict=True):
            # Below its title an entry says where it is, and which claims are about it.
            for claim in _CLAIM.findall(entry.split("\n\n")[1]):
                errata.setdefault(claim, []).append(name)
    return errata


def _navigation(sources: SiteSources) -> list[tuple[str, str]]:
    errata = [("Errata", ERRATA)] if ERRATA_SOURCE in sources.documents else []
    return [
        ("Claims", LEDGER),
        ("Studies", STUDIES),
        *errata,
        ("Documents", DOCUMENTS),
        ("Library", REFERENCE),
    ]


def _addresses(sources: SiteSources, studies: Sequence[Study]) -> dict[str, str]:
    """Return the addresses that texts can link to, by path in the repository."""
    addresses = {source: document_address(source) for source in sources.documents}
    addresses |= {path: path for path in sources.pictures}
    addresses |= {name: _source_address(name) for name in sources.sources}
    results = f"results/{sources.edition}"
    addresses |= {f"{results}/claims.csv": "files/claims.csv", f"{results}/claims.md": LEDGER}
    for study in studies:
        claims = f"{results}/claims_{study.name}.md"
        addresses |= {claims: paper_address(study.name)} if study.rows else {}
        addresses |= {f"{claims}#{row.claim}": claim_address(row.claim) for row in study.rows}
    if sources.report:
        addresses[f"{results}/{sources.report.name}"] = REPORT
    for study in studies:
        folder = f"{results}/{study.name}"
        addresses |= {folder: study.address, f"{folder}/index.md": study.address}
        addresses[f"{folder}/provenance.json"] = f"files/{study.name}/provenance.json"
        for section in study.text.sections:
            for file in section.files:
                addresses[f"{folder}/{file}"] = f"files/{study.name}/{file}"
            if "md" in section.suffixes:
                addresses[f"{folder}/{section.name}.md"] = f"{study.address}#{section.name}"
    return addresses
