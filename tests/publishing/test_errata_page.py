# SPDX-License-Identifier: MIT
"""Every erratum of docs/errata.md can be linked to (tests/cli has the command that writes it)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from receval.claims.errata import ERRATA, load_errata
from receval.publishing.errata_page import errata_page

ROOT = Path(__file__).resolve().parents[2]
IDS = list(load_errata(ROOT / ERRATA))


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")


def test_every_erratum_has_a_row_a_section_and_an_anchor(page: str) -> None:
    assert re.findall(r"^\| \[(E-\d\d)\]\(#e-\d\d\) \| `\w+` \|", page, flags=re.M) == IDS
    assert re.findall(r"^### (E-\d\d): ", page, flags=re.M) == IDS
    assert re.findall(r'^<a id="(.+)"></a>$', page, flags=re.M) == [name.lower() for name in IDS]


def test_every_row_has_the_columns_of_the_head(page: str) -> None:
    rows = re.findall(r"^\|.*\|$", page, flags=re.M)
    assert len(rows) == len(IDS) + 2
    assert {row.count(" | ") for row in rows} == {5}


def test_links_lead_to_pages_that_exist(page: str) -> None:
    for target in re.findall(r"\]\((?!#)([^)]+)\)", page):
        assert (ROOT / "docs" / target).is_file(), target


def test_errata_that_are_named_in_a_text_are_there(page: str) -> None:
    assert set(re.findall(r"E-\d\d", page)) == set(IDS)


def test_the_page_has_no_number_that_was_not_filled_in(page: str) -> None:
    assert not re.findall(r"\{\w*(?::[^}]*)?\}", page)


def test_a_result_that_is_gone_stops_the_page_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="E-01, number lower needs the results of bellogin2017/fig03"
    ):
        errata_page(ROOT / "config", tmp_path)
