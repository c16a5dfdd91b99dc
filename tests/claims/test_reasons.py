# SPDX-License-Identifier: MIT
"""Every reason of a claim names a page or an erratum that says more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reproduction.claims.errata import load_errata
from reproduction.claims.spec import read_claims

ROOT = Path(__file__).resolve().parents[2]
PAPERS = sorted((ROOT / "config" / "claims").glob("*.yaml"))
PAGE = re.compile(r"docs/\w+\.md")
ERRATUM = re.compile(r"\bE-\d\d\b")


def reasons(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each reason of a paper's claims with the number of its claim."""
    for number, claim in read_claims(path).claims.items():
        for reason in dict.fromkeys([claim.reason, *(check.reason for check in claim.checks)]):
            if reason:
                yield number, reason


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.stem)
def test_every_reason_names_where_more_is_said(path: Path) -> None:
    silent = [n for n, said in reasons(path) if not PAGE.search(said) and not ERRATUM.search(said)]
    assert silent == [], "name a page of docs/ or an erratum that treats it"


def test_pages_and_errata_that_reasons_name_are_there() -> None:
    said = " ".join(reason for path in PAPERS for _, reason in reasons(path))
    pages, numbers = set(PAGE.findall(said)), set(ERRATUM.findall(said))
    assert {page for page in pages if not (ROOT / page).is_file()} == set()
    assert numbers <= set(load_errata(ROOT / "config" / "errata.yaml"))
    assert len(pages) >= 5
    assert numbers
