# SPDX-License-Identifier: MIT
"""The text of the paper holds no number: it calls them by names that the YAML has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reproduction.publishing.paper import read_paper_spec
from reproduction.workflow.plan.publishing import read_paper_sources

ROOT = Path(__file__).resolve().parents[2]
PAPER = ROOT / "paper"
TEXT = (PAPER / "receval.typ").read_text(encoding="utf-8")
STYLE = (PAPER / "style.typ").read_text(encoding="utf-8")
SPEC = read_paper_spec(PAPER / "numbers.yaml")
SOURCES = read_paper_sources(PAPER / "sources.yaml")

NOT_PROSE = (
    r"(?m)^ *//.*$",  # comments
    r"#(?:n|holds|in-part|depends|fails|drawing)\([^()]*\)",
    r"\bdrawing\([^()]*\)",
    r"`[^`]*`",  # commands
    r"@[a-z]+\d{4}\b",  # labels of the bibliography
    r"#[BVCM]\d\d\b|#p100?\b|#ndcg100?\b|\bF1\b",  # names of papers and metrics
    r"\b[a-z]+\d{4}: \(\[\]",
    r"\b[a-z]+\d{4}:",  # keys of papers
    r"\berratum\s+E-\d\d\b",
    r"\b(?:figures?|tables?|sections?|equations?)\s+\d+(?:\s+and\s+\d+)?\b",  # of the five papers
    r"(?:width|(?:row|column)-gutter): \d+(?:%|pt)|\b1fr\b",  # of the layout
    r"\$ r\(i\) = 1 ",  # a rank begins with one
)
"""Where digits may stand."""

NAMES = {"B17", "V18", "V20", "C20", "M21", "MovieLens~1M", "CM100k", "Yahoo!~R3"}
NAMES |= {r"P\@10", r"P\@100", r"nDCG\@10", r"nDCG\@100"}


def typed_numbers(text: str) -> list[str]:
    """Return what is left of a text's digits, each with what stands around it."""
    for pattern in NOT_PROSE:
        text = re.sub(pattern, "", text)
    return [match[0] for match in re.finditer(r".{0,30}\d.{0,20}", text)]


def test_no_number_is_typed_in_the_text() -> None:
    assert typed_numbers(TEXT) == []


@pytest.mark.each(
    "sentence",
    [
        "Of 482 claims most hold.",
        "It explains 37 % of the variance.",
        "The coefficient is .62 on full lists.",
        "see figure 8 with 12 systems",
        "P@10 is $0.3$ here",
    ],
)
def test_a_typed_number_would_be_found(sentence: str) -> None:
    assert typed_numbers(sentence)


def test_the_style_has_digits_in_names_and_measures_of_the_layout_alone() -> None:
    strings = re.findall(r"\[([^\[\]]*)\]", re.sub(r"(?m)^ *//.*$", "", STYLE))
    assert {each for each in strings if re.search(r"\d", each)} <= NAMES


def test_the_text_calls_every_number_of_the_yaml_and_no_other() -> None:
    text = re.sub(r"(?m)^ *//.*$", "", TEXT)
    called = set(re.findall(r'#n\("([^"]+)"\)', text))
    assert called == {*SPEC.numbers, *SPEC.replications, *SPEC.crossed}


def test_no_semicolon_of_the_text_is_taken_for_the_end_of_a_call() -> None:
    assert re.findall(r"#[\w-]+(?:\([^()]*\))?;", TEXT) == [], "Write \\; after a call."


def test_the_text_shows_every_figure_that_is_listed_and_no_other() -> None:
    assert set(re.findall(r'drawing\("([^"]+)"', TEXT)) == set(SOURCES.figures)


@pytest.mark.each("kind", ["tab", "fig"])
def test_tables_and_figures_are_first_mentioned_in_their_order(kind: str) -> None:
    prose = re.sub(r"caption: \[(?:[^\[\]]|\[[^\]]*\])*\]", "", TEXT)
    mentioned = list(dict.fromkeys(re.findall(rf"@({kind}-[a-z]+)", prose)))
    assert mentioned == re.findall(rf"<({kind}-[a-z]+)>", TEXT)


def test_every_reference_is_cited_and_every_citation_has_a_reference() -> None:
    entries = re.findall(r"(?m)^@\w+\{([a-z]+\d{4}),", (PAPER / "receval.bib").read_text("utf-8"))
    cited = set(re.findall(r"@([a-z]+\d{4})\b", TEXT))
    assert sorted(entries) == sorted(cited)


def test_documents_that_numbers_are_written_in_are_listed_and_there() -> None:
    named = {number.document for number in SPEC.numbers.values() if number.document}
    assert named == set(SOURCES.documents)
    assert all((ROOT / name).is_file() for name in named)
