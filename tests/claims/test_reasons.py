# SPDX-License-Identifier: MIT
"""What else is said of verdicts: why claims fail, what they need, and words for newer papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reproduction.claims.comparison_rules import Rule
from reproduction.claims.errata import load_errata
from reproduction.claims.spec import read_claims
from reproduction.claims.verdicts import (
    ClaimVerdict,
    datasets_elsewhere,
    told_needs,
    verdict_in_words,
)
from reproduction.config.reading import load_datasets

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


@pytest.mark.each("path", PAPERS, ids=lambda path: path.stem)
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


@pytest.mark.costly
@pytest.mark.parametrize(
    ("dataset", "words"),
    [
        ("netflix", "decided by `make reproduce` where Netflix can be downloaded"),
        ("librarything", "decided by `make reproduce` with LibraryThing, which must be asked for"),
        ("yahoo-r3", "decided by `make reproduce` with Yahoo! R3, which must be asked for"),
    ],
)
def test_a_missing_dataset_is_downloaded_or_asked_for(dataset: str, words: str) -> None:
    elsewhere = datasets_elsewhere(load_datasets(ROOT / "config" / "datasets.yaml"))
    assert told_needs(f"the dataset {dataset}", elsewhere) == words


@pytest.mark.parametrize("needs", ["outcomes of users online", "the dataset of somebody else"])
def test_what_needs_more_than_a_dataset_says_what(needs: str) -> None:
    assert told_needs(needs, {"netflix": "decided elsewhere"}) == f"needs {needs}"


READING = re.compile(r"our reading\b")
FLIPS = re.compile(r"\b(would|flips?)\b")
NUMBER = re.compile(
    r"\d|\{flip|\b(half|quarter|tenth|twentieth|one|two|three|third|fourth|fifth|sixth|seventh|ahead|behind|median)\b"
)


def reasons_of_rules(rule: Rule) -> Iterator[str]:
    """Yield the reasons of a rule and of its parts."""
    yield rule.because
    for part in getattr(rule, "parts", {}).values():
        yield from reasons_of_rules(part)


@pytest.mark.each("path", PAPERS, ids=lambda path: path.stem)
def test_a_reading_of_a_vague_word_says_where_the_verdict_would_flip(path: Path) -> None:
    readings = {
        (number, " ".join(said))
        for number, claim in read_claims(path).claims.items()
        for check in claim.checks
        if READING.search(" ".join(said := list(reasons_of_rules(check.decide))))
    }
    assert readings
    silent = [number for number, said in readings if not FLIPS.search(said)]
    assert silent == [], "say at which number the verdict would flip"
    assert [number for number, said in readings if not NUMBER.search(said)] == []


def test_no_statement_of_a_newer_paper_holds_or_does_not_hold_in_words() -> None:
    words = [verdict_in_words("followups", str(verdict)) for verdict in ClaimVerdict]
    assert [word for word in words if "hold" in word] == []
    assert [verdict_in_words("valcarce2018", str(v)) for v in ClaimVerdict] == list(ClaimVerdict)
