# SPDX-License-Identifier: MIT
"""CITATION.cff is of the form that it says it has; package, studies, BibTeX and Zenodo agree."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import receval
from reproduction.claims.verdicts import is_newer
from reproduction.commands.generated_files import bibtex, page_with_citations
from reproduction.config.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REFERENCES: list[dict[str, Any]] = CITATION["references"]
PAPERS = [work for work in REFERENCES if "scope" not in work]
NEWER = [work for work in REFERENCES if "scope" in work]
OUR_OWN = {"followups", "multiverse", "systems"}
README = (ROOT / "README.md").read_text(encoding="utf-8")
ZENODO: dict[str, Any] = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))


def test_it_has_what_version_1_2_0_requires() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(CITATION)
    assert CITATION["type"] == "software"


def test_it_agrees_with_the_package() -> None:
    assert CITATION["title"] == PROJECT["name"]
    assert CITATION["version"] == PROJECT["version"] == receval.__version__
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["abstract"] == PROJECT["description"] + "."
    assert CITATION["authors"] == PROJECT["authors"]
    assert CITATION["repository-code"] == PROJECT["urls"]["Source"]
    assert CITATION["keywords"] == PROJECT["keywords"]


def test_the_changelog_has_the_version_of_that_day_or_an_older_one_during_development() -> None:
    headings = re.findall(r"^## (\d.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    version, day = headings[0].split(" - ")
    ours, _, development = CITATION["version"].partition(".dev")
    if development:
        # The day is that on which the development of the version began.
        assert numbers_of(ours) > numbers_of(version)
        assert str(CITATION["date-released"]) >= day
    else:
        assert (ours, str(CITATION["date-released"])) == (version, day)


def numbers_of(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


@pytest.mark.each("paper", REFERENCES, ids=lambda paper: str(paper["title"])[:30])
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
    titles = {str(paper["title"]).lower(): paper for paper in REFERENCES}
    for name, study in load_settings(ROOT / "config", "full").studies.items():
        if name in OUR_OWN:
            continue
        paper = titles[study.title.lower()]
        assert name.endswith(str(paper["year"]))
        for author in paper["authors"]:
            assert author["family-names"] in study.citation


def test_bibtex_has_an_entry_for_receval_and_for_each_study_of_a_paper() -> None:
    entries = bibtex(CITATION)
    assert entries.isascii()
    keys = re.findall(r"^@\w+\{(\w+),$", entries, flags=re.MULTILINE)
    studies = load_settings(ROOT / "config", "full").studies
    assert sorted(keys) == sorted({"receval", *(one for one in studies if not is_newer(one))})
    assert entries.count("{") == entries.count("}")
    assert "author = {{The receval authors}}" in entries
    assert r"Ca{\~n}amares, Roc{\'i}o and Castells, Pablo and Moffat, Alistair" in entries


def test_bibtex_refuses_what_it_cannot_say() -> None:
    paper = PAPERS[0]
    with pytest.raises(ValueError, match="has the type book"):
        bibtex(CITATION | {"references": [paper | {"type": "book"}]})
    greek = [{"family-names": "\N{GREEK SMALL LETTER ALPHA}", "given-names": "A"}]
    with pytest.raises(ValueError, match="GREEK SMALL LETTER ALPHA has no LaTeX command"):
        bibtex(CITATION | {"references": [paper | {"authors": [*paper["authors"], *greek]}]})
    with pytest.raises(ValueError, match=r"README\.md has no place for BibTeX"):
        page_with_citations("# receval")


def test_zenodo_is_told_the_same() -> None:
    for key in ("version", "keywords"):
        assert ZENODO[key] == CITATION[key]
    assert ZENODO["description"] == CITATION["abstract"]
    assert ZENODO["title"] in README
    assert ZENODO["title"].lower() in (ROOT / "paper/joss/paper.md").read_text("utf-8").lower()
    assert ZENODO["license"] == CITATION["license"]
    assert ZENODO["creators"] == [{"name": author["name"]} for author in CITATION["authors"]]
    assert ZENODO["upload_type"] == CITATION["type"]
    related = {entry["identifier"] for entry in ZENODO["related_identifiers"]}
    assert related == {paper["doi"] for paper in PAPERS}


def test_zenodo_knows_every_key() -> None:
    known = {"title", "upload_type", "description", "version", "license", "access_right"}
    assert set(ZENODO) == known | {"language", "creators", "keywords", "related_identifiers"}
    for entry in ZENODO["related_identifiers"]:
        assert (entry["scheme"], entry["relation"]) == ("doi", "references")
