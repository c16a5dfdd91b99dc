# SPDX-License-Identifier: MIT
"""Every erratum of docs/errata.md can be linked to (tests/cli has the command that writes it)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reproduction.claims.errata import ERRATA, errata_page, load_errata

ROOT = Path(__file__).resolve().parents[2]
IDS = list(load_errata(ROOT / ERRATA))


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")


def test_every_erratum_has_an_anchor_and_a_section(page: str) -> None:
    assert re.findall(r"^### (E-\d\d): ", page, flags=re.M) == IDS
    assert re.findall(r'^<a id="(.+)"></a>$', page, flags=re.M) == [name.lower() for name in IDS]


def test_every_section_has_both_forms_the_effect_and_the_certainty(page: str) -> None:
    errata = load_errata(ROOT / ERRATA)
    sections = re.split(r"^### ", page, flags=re.M)[1:]
    for section, erratum in zip(sections, errata.values(), strict=True):
        labels = re.findall(r"^- \*\*([^*]+):\*\* \S", section, flags=re.M)
        assert labels[2:] == ["Effect", erratum.certainty.capitalize()]
        assert labels[0] == erratum.text.source.capitalize()
        assert labels[0] != labels[1]
        assert erratum.where in section


def test_claims_in_a_row_are_a_range(page: str) -> None:
    assert "(V18-158 to V18-164)" in page
    assert "(M-121, M-122, M-131, M-135)" in page


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
