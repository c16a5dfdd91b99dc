# SPDX-License-Identifier: MIT
"""``receval repo schema``, ``metrics``, ``errata``, ``warnings`` and others: written by code."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproduction.commands.one_task import add_task

SCHEMA = Path("config/schema.json")
SCHEMA_OF_CLAIMS = Path("config/claims/schema.json")
METRICS_PAGE = Path("docs/metrics.md")
ERRATA_PAGE = Path("docs/errata.md")
DIALECTS_PAGE = Path("docs/dialects.md")
WARNINGS_PAGE = Path("docs/warnings.md")
STUDIES_PAGE = Path("docs/studies.md")
README = Path("README.md")
CITATION = Path("CITATION.cff")


def add_generated_files(tasks: Any) -> None:
    """Add the tasks to those of the repository."""
    for name, run, text in (
        ("schema", write_schemas, f"write {SCHEMA} and {SCHEMA_OF_CLAIMS} from the models"),
        ("metrics", write_metrics_page, f"write {METRICS_PAGE} from the docstrings"),
        ("errata", write_errata_page, f"write {ERRATA_PAGE} from config/errata.yaml"),
        (
            "dialects",
            write_dialects_page,
            f"write the tables of {DIALECTS_PAGE}",
        ),
        ("warnings", write_warnings_page, f"write {WARNINGS_PAGE} from the code"),
        (
            "studies",
            write_studies_page,
            f"write the artifacts of {STUDIES_PAGE} from config/studies",
        ),
        ("citation", write_citations, f"write the BibTeX of {README} from {CITATION}"),
    ):
        add_task(tasks, name, run, text, writes=True)


def write_schemas(_: argparse.Namespace) -> int:
    """Write the schemas of the configuration and of the claims."""
    from reproduction.claims.spec import claims_schema
    from reproduction.config.settings import json_schema

    _write(SCHEMA, json_schema())
    _write(SCHEMA_OF_CLAIMS, claims_schema())
    return 0


def write_metrics_page(_: argparse.Namespace) -> int:
    """Write the definition cards of all metrics."""
    from reproduction.publishing.metric_cards import document

    _write(METRICS_PAGE, document())
    return 0


def write_errata_page(_: argparse.Namespace) -> int:
    """Write the page of what is wrong in the papers."""
    from reproduction.publishing.errata_page import errata_page

    _write(ERRATA_PAGE, errata_page())
    return 0


def write_dialects_page(_: argparse.Namespace) -> int:
    """Write the table of other tools' metrics and how far ours are from them."""
    from reproduction.publishing.dialects_page import page_of_dialects

    _write(DIALECTS_PAGE, page_of_dialects(DIALECTS_PAGE.read_text(encoding="utf-8")))
    return 0


def write_warnings_page(_: argparse.Namespace) -> int:
    """Write the page of all kinds of notes and refusals."""
    from reproduction.commands.notes_page import notes_page

    _write(WARNINGS_PAGE, notes_page())
    return 0


def write_studies_page(_: argparse.Namespace) -> int:
    """Write the artifacts of each study into the table of studies."""
    from reproduction.config.settings import load_settings

    page = STUDIES_PAGE.read_text(encoding="utf-8")
    studies = load_settings(Path("config"), "full").studies
    _write(STUDIES_PAGE, with_artifacts(page, {n: [*s.artifacts] for n, s in studies.items()}))
    return 0


def with_artifacts(page: str, artifacts: Mapping[str, Sequence[str]]) -> str:
    """Return a page whose table has the artifacts of each study in its last column.

    Examples
    --------
    >>> with_artifacts("| `one` | A paper. | |", {"one": ["table1", "fig01"]})
    '| `one` | A paper. | `table1`, `fig01` |'
    """
    for study, names in artifacts.items():
        cell = ", ".join(f"`{name}`" for name in names)
        row = re.compile(rf"^(\| `{study}` \|.*\|)[^|\n]*\|$", flags=re.MULTILINE)
        page, found = row.subn(rf"\1 {cell} |", page)
        if not found:
            raise ValueError(f"{STUDIES_PAGE} has no row of {study}: write one, by hand.")
    return page


def write_citations(_: argparse.Namespace) -> int:
    """Write how to cite the papers, and this."""
    from reproduction.publishing.citation import read_citation, with_citations

    page = with_citations(README.read_text(encoding="utf-8"), read_citation(CITATION))
    _write(README, page)
    return 0


def _write(path: Path, text: str) -> None:
    from receval.storage.files import write_atomically

    write_atomically(path, text)
    print(f"wrote {path}")
