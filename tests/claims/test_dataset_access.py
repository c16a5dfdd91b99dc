# SPDX-License-Identifier: MIT
"""What only lacks a dataset says where it is decided; and newer papers are seen, or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.claims.verdicts import (
    ClaimVerdict,
    datasets_elsewhere,
    told_needs,
    verdict_in_words,
)
from reproduction.config.reading import load_datasets

ROOT = Path(__file__).resolve().parents[2]


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


def test_no_statement_of_a_newer_paper_holds_or_does_not_hold_in_words() -> None:
    words = [verdict_in_words("followups", str(verdict)) for verdict in ClaimVerdict]
    assert [word for word in words if "hold" in word] == []
    assert [verdict_in_words("valcarce2018", str(v)) for v in ClaimVerdict] == list(ClaimVerdict)
