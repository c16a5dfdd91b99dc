# SPDX-License-Identifier: MIT
"""Pages of the site for the documents of the repository."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from reproduction.publishing.site.markdown_pages import rendered
from reproduction.publishing.site.site_pages import SiteLinks, SitePage, markup

DOCUMENTS, ERRATA = "docs/index.html", "errata.html"
"""Addresses of the list of documents, and of the errata."""

ERRATA_SOURCE = "docs/errata.md"

GROUPS = {
    "Use it on your data": {
        "README": "What receval is, and the two commands that make everything.",
        "library": "A program that compares recommenders on any table of ratings.",
        "reading": "Which files are read, how, and what can be set.",
        "warnings": "Every note and refusal, and what to do about it.",
        "diagnosis": "What a table of ratings allows to be measured.",
        "recommendations": "Ten recommendations for experiments, each with its evidence.",
        "metrics": "Every metric: formula, denominator, missing lists, ties, source.",
        "recommenders": "The systems of the papers, by family.",
        "dialects": "What other tools compute under the same names.",
        "sampled_metrics": "What ranking among sampled candidates is worth.",
        "glossary": "Every term, and what the papers and the field call it.",
    },
    "The papers": {
        "studies": "The five papers, the follow-ups, our own questions, and their artifacts.",
        "claims": "How verdicts are reached, and how a claim is written.",
        "replications": "How often each claim holds under other root seeds.",
        "biases": "Sparsity and popularity biases of metrics: what holds, what differs, and why.",
        "robustness": "Which metrics and cut-offs are robust and tell systems apart.",
        "false_positives": "Popularity bias in metrics that count what users dislike.",
        "decisions": "Eight choices of an offline experiment, and who wins under each.",
        "fidelity": "How close the recommenders come to the values published for them.",
        "implementations": "The same algorithms by other packages.",
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
    for source, path in documents.items():
        address = document_address(source)
        text = path.read_text(encoding="utf-8")
        shown = rendered(text, links.resolver(address, source))
        title = _plain(shown.title) or source
        is_errata = address == ERRATA
        if not is_errata:
            stem = PurePosixPath(source).stem
            lines = {name: line for group in GROUPS.values() for name, line in group.items()}
            summary = lines.get(stem, "")
            listed[stem] = {
                "title": TITLES.get(stem, title),
                "address": address,
                "summary": summary,
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
                        (heading.level, heading.anchor, markup(_plain(heading.text)))
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
    named = {stem for stems in GROUPS.values() for stem in stems}
    groups["More"] = [entry for stem, entry in listed.items() if stem not in named]
    values = {"groups": {name: entries for name, entries in groups.items() if entries}}
    listing = SitePage(DOCUMENTS, "Documents", "documents.html", DOCUMENTS, values, "Documents.")
    return [listing, *pages]


def _plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)
