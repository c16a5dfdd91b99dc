# SPDX-License-Identifier: MIT
"""Sites to test on: a small one with a bit of everything, and those of the accepted results."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from html import unescape
from pathlib import Path
from typing import NamedTuple

from reproduction.claims.verdicts import datasets_elsewhere
from reproduction.config.settings import load_settings
from reproduction.publishing.ledger import VERDICTS, VerdictRow
from reproduction.publishing.site.public_names import ROOTS
from reproduction.publishing.site.site import SiteSources

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "src" / "reproduction" / "publishing" / "site"
COLUMNS = [field.name for field in fields(VerdictRow)]

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="60pt" height="30pt" viewBox="0 0 60 30">'
    '<rect width="60" height="30" fill="#0072b2"/></svg>'
)

INDEX = """# Metrics of {name}

A. Author, B. Writer and C. Third. Journal of Tests 2018.

- [Figure 1: Curves](#figure-1-curves)

## Figure 1: Curves

![Figure 1: Curves](fig01.svg)

Curves of $`T_u`$ ([docs/guide.md](../../../docs/guide.md)).

*How to read it.* From left to right.

*What it shows.* P falls to .5.

Files: [svg](fig01.svg) · [pdf](fig01.pdf) · [csv](fig01.csv)

## Table 1: Counts

How many there are.

Files: [Table 1 (md)](table1.md) · [tex](table1.tex) · [csv](table1.csv)
"""

TABLE = "**Counts**\n\nHow many there are.\n\n| Name | Users |\n| --- | ---: |\n| ML-1M | 6,040 |\n"

DOCUMENTS = {
    "README.md": (
        "# receval\n\nSee [the guide](docs/guide.md#your-own-data) and [code](src/a.py).\n"
    ),
    "docs/guide.md": (
        "# Guide\n\nText with [a figure](../results/full/paper2018/fig01.svg).\n\n"
        "![curves](../results/full/paper2018/fig01.svg)\n\n"
        '<a href="../results/full/paper2018/index.md">'
        '<img src="../results/full/paper2018/fig01.svg" alt="curves"></a>\n\n'
        "## Your own data\n\n```python\nx = 1  # one\n```\n\n"
        "### Formulas\n\n```math\n\\frac{a}{b}\n```\n\n## More\n\n- one\n  - two\n"
    ),
    "docs/errata.md": (
        '# Errata\n\n## paper\n\n<a id="e-01"></a>\n\n### E-01: A sign\n\n'
        "Section 1 (B-001, B-777)\n"
    ),
}

MODULES = {
    "__init__.py": '"""The library."""\n',
    "metrics/__init__.py": '"""Metrics."""\n',
    "metrics/precision.py": '''"""Precision."""


class Precision:
    """Share of relevant items, :math:`P@n`; see :func:`.share`.

    Parameters
    ----------
    cutoff : int
        The last rank.
    """

    def __init__(self, cutoff: int = 10) -> None:
        self.cutoff = cutoff

    def of(self, ranks: list[int]) -> float:
        """Return the value for ``ranks``."""
        return share(ranks)


def share(ranks: list[int]) -> float:
    """Return a share.

    Examples
    --------
    >>> share([1])
    1.0
    """
    return 1.0


def _hidden() -> None:
    """Not shown."""
''',
}


def claim_row(**changes: str) -> dict[str, str]:
    """Return a row of a ledger as text."""
    row = dict.fromkeys(COLUMNS, "")
    row |= {
        "claim": "A-001",
        "paper": "paper2018",
        "where": "Fig. 1",
        "kind": "number",
        "statement": "P at 10 of pLSA.",
        "dataset": "ml-1m",
        "expected": "0.5",
        "published": "0.5",
        "value": "0.51",
        "low": "0.49",
        "high": "0.53",
        "ours": "0.51",
        "rule": "within .02",
        "because": "as it was rounded (docs/guide.md)",
        "verdict": "holds",
        "artifact": "paper2018/fig01",
        "cells": "system=plsa: value",
    }
    return row | changes


OTHER_FORM = claim_row(form="MF (text)", verdict="does not hold", value="0.9")

ROWS = [
    claim_row(),
    claim_row(
        dataset="netflix",
        value="",
        low="",
        high="",
        ours="",
        verdict="undecidable here",
        needs="the dataset netflix",
    ),
    claim_row(claim="A-002", kind="trend", statement="P <falls> & falls.", published="", value=""),
    claim_row(claim="A-003", verdict="does not hold", reason="See docs/guide.md.", value="0.7"),
    claim_row(claim="A-004", dataset="", kind="setting", verdict="as defined", artifact=""),
    claim_row(
        claim="B-001", paper="other2020", verdict="holds in part", detail="P alone", value="12"
    ),
    claim_row(claim="B-002", paper="other2020", kind="order", published="", expected="a > b"),
]


def write_ledger(path: Path, rows: Iterable[Mapping[str, str]] = tuple(ROWS)) -> Path:
    """Write a ledger and return where it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


STATEMENTS = """\
paper: paper2018
fitted: settings were chosen by P@10
families:
  - where: Fig. 1
    kind: number
    statement: P at 10 of {system}.
    expected: 0.5
    checks:
      - datasets: [ml-1m]
        artifact: fig01
        decide: {rule: number, ours: {column: value}, published: 0.5, within: 0.1, because: so.}
    each:
      A-001: {system: pLSA}
      A-002: {system: MF}
"""
"""Two claims that one artifact decides."""


def small_sources(folder: Path, edition: str = "full") -> SiteSources:
    """Write what a small site is made from, and return it."""
    for name in ("paper2018", "other2020"):
        study = folder / "artifacts" / name
        study.mkdir(parents=True)
        (study / "index.md").write_text(INDEX.format(name=name), encoding="utf-8")
        (study / "fig01.svg").write_text(SVG, encoding="utf-8")
        (study / "table1.md").write_text(TABLE, encoding="utf-8")
        for other in ("fig01.pdf", "fig01.csv", "table1.csv", "table1.tex"):
            (study / other).write_text(other, encoding="utf-8")
        counts = {"n_users": 6040, "n_items": 3706, "n_ratings": 1000209}
        record = {"datasets": {"ml-1m": counts}, "absent": ["netflix"], "versions": {"numpy": "2"}}
        (study / "provenance.json").write_text(json.dumps(record), encoding="utf-8")
    for name, text in {**DOCUMENTS, **{f"receval/{n}": t for n, t in MODULES.items()}}.items():
        path = folder / "repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return SiteSources(
        edition=edition,
        claims=write_ledger(folder / "artifacts" / "claims.csv"),
        studies=tuple(folder / "artifacts" / name for name in ("other2020", "paper2018")),
        documents={name: folder / "repository" / name for name in DOCUMENTS},
        pictures={},
        modules=tuple(folder / "repository" / "receval" / name for name in MODULES),
        templates=GENERATOR / "templates",
        assets=GENERATOR / "assets",
        datasets={"ml-1m": "ML-1M", "netflix": "Netflix"},
        elsewhere={"netflix": "decided by `make reproduce` where Netflix can be downloaded"},
    )


def accepted_sources(edition: str, folder: Path) -> SiteSources:
    """Return what the site of the accepted results is made from.

    Where no ledger is accepted, one with a row for every artifact is written.
    """
    results = ROOT / "results" / edition
    studies = tuple(sorted(path.parent for path in results.glob("*/index.md")))
    claims = results / "claims.csv"
    if not claims.exists():
        artifacts = sorted(path for study in studies for path in study.glob("*.csv"))
        kinds = list(VERDICTS)
        rows = [
            claim_row(
                claim=f"A-{number:03}",
                paper=path.parent.name,
                artifact=f"{path.parent.name}/{path.stem}",
                verdict=kinds[number % len(kinds)],
                kind=("number", "trend", "order")[number % 3],
            )
            for number, path in enumerate(artifacts, 1)
            if path.parent.name[-1].isdigit()
        ]
        claims = write_ledger(folder / "claims.csv", rows)
    documents = [ROOT / n for n in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    documents += sorted((ROOT / "docs").glob("*.md"))
    titles = load_settings(ROOT / "config", edition).datasets
    return SiteSources(
        edition=edition,
        claims=claims,
        studies=studies,
        documents={path.relative_to(ROOT).as_posix(): path for path in documents},
        pictures={
            path.relative_to(ROOT).as_posix(): path for path in (ROOT / "docs").rglob("*.svg")
        },
        modules=tuple(
            path for root in ROOTS for path in sorted((ROOT / "src" / root).rglob("*.py"))
        ),
        templates=GENERATOR / "templates",
        assets=GENERATOR / "assets",
        datasets={name: spec.short_title for name, spec in titles.items()},
        elsewhere=datasets_elsewhere(titles),
        statements=tuple(sorted((ROOT / "config" / "claims").glob("*.yaml"))),
        sources={
            path.relative_to(ROOT).as_posix(): path
            for path in (
                *(ROOT / "src" / "reproduction" / "studies").rglob("*.py"),
                *(ROOT / "config" / "studies").glob("*.yaml"),
            )
        },
        certainty=next(results.glob("certainty.csv"), None),
        certainty_figures={
            path.stem.removeprefix("replications_"): path
            for path in sorted(results.glob("replications_*.svg"))
        },
    )


class Reference(NamedTuple):
    """A link or a file that a page loads."""

    tag: str
    attribute: str
    address: str


UNREAD = re.compile(r"<!--.*?-->|<!doctype html>|(?<=<script>).*?(?=</script>)", re.DOTALL | re.I)
"""Parts of a page in which what looks like a tag is none."""

ATTRIBUTE = re.compile(r'([^\s=<>"/]+)(?:="([^"]*)")?')

TAG = re.compile(r'<(/?)([a-zA-Z][\w-]*)((?:\s+[^\s=<>"/]+(?:="[^"]*")?)*)\s*(/?)>')
"""A tag as the pages write it, with its attributes in double quotes."""


class PageParts:
    """What is to be checked of a page: links, anchors, headings, and tags without their ends.

    Python's own parser of HTML takes four times as long for the same.
    """

    VOID = frozenset(
        {
            *("area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"),
            *("rect", "line", "circle", "path"),
        }
    )

    def __init__(self, path: Path) -> None:
        self.references: list[Reference] = []
        self.anchors: list[str] = []
        self.headings: list[int] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.text = path.read_text(encoding="utf-8")
        before = 0
        read = UNREAD.sub("", self.text)
        for found in TAG.finditer(read):
            if "<" in (text := read[before : found.start()]):
                self.faults.append(f"{text!r} has a < of no tag")
            before = found.end()
            ends, tag, attributes, is_whole = found.groups()
            if not ends:
                self._begin(tag, attributes)
            closes = (ends or is_whole) and tag not in self.VOID
            if closes and not (self.open and self.open.pop() == tag):
                self.faults.append(f"</{tag}> before {read[before : before + 40]!r}")
        if "<" in read[before:]:
            self.faults.append(f"{read[before:]!r} has a < of no tag")

    def _begin(self, tag: str, attributes: str) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        values = {name: unescape(value) for name, value in ATTRIBUTE.findall(attributes)}
        self.anchors += [values["id"]] if "id" in values else []
        for name in ("href", "src", "srcset", "action", "poster", "data"):
            if name in values:
                self.references.append(Reference(tag, name, values[name]))
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))


def pages_of(site: Path) -> dict[str, PageParts]:
    """Return the pages of a site by their addresses."""
    return {
        path.relative_to(site).as_posix(): PageParts(path) for path in sorted(site.rglob("*.html"))
    }
