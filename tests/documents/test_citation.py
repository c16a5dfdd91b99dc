"""CITATION.cff is of the form that it says it has, and agrees with the package and the studies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from receval.config.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAPERS: list[dict[str, Any]] = CITATION["references"]


def test_it_has_what_version_1_2_0_requires() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(CITATION)
    assert CITATION["type"] == "software"


def test_it_agrees_with_the_package() -> None:
    assert CITATION["title"] == PROJECT["name"]
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["abstract"] == PROJECT["description"] + "."
    assert CITATION["authors"] == PROJECT["authors"]
    assert CITATION["keywords"] == PROJECT["keywords"]


def test_the_licence_is_mit_and_names_the_authors() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License\n\nCopyright (c) 2026 The receval authors\n")
    assert text.rstrip().endswith("SOFTWARE.")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: str(paper["title"])[:30])
def test_a_paper_has_its_authors_and_its_venue(paper: dict[str, Any]) -> None:
    assert paper["type"] in ("article", "conference-paper")
    assert all(set(author) == {"family-names", "given-names"} for author in paper["authors"])
    assert paper["journal"] if paper["type"] == "article" else paper["collection-title"]
    if "doi" in paper:
        assert re.fullmatch(r"10\.\d{4,}/\S+", paper["doi"])


def test_the_papers_are_the_five() -> None:
    names = [
        re.sub(r"\W", "", f"{paper['authors'][0]['family-names']}{paper['year']}").lower()
        for paper in PAPERS
    ]
    assert sorted(names) == [
        "bellogín2017",
        "cañamares2020",
        "menamaldonado2021",
        "valcarce2018",
        "valcarce2020",
    ]


def test_titles_and_years_are_those_of_the_studies() -> None:
    titles = {str(paper["title"]).lower(): paper for paper in PAPERS}
    for name, study in load_settings(ROOT / "config", "full").studies.items():
        if name in ("systems", "multiverse"):  # our own
            continue
        paper = titles[study.title.lower()]
        assert name.endswith(str(paper["year"]))
        for author in paper["authors"]:
            assert author["family-names"] in study.citation
