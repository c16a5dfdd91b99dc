# SPDX-License-Identifier: MIT
"""Markdown, formulas and docstrings become the HTML that they mean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from receval.storage.files import DamagedFileError, read_results
from reproduction.publishing.site.public_names import docstring_html, docstring_markdown
from reproduction.publishing.site.site_pages import SiteLinks, formula, rendered
from reproduction.publishing.site.study_pages import read_study_text, table_rows

ROOT = Path(__file__).resolve().parents[2]
LINKS = SiteLinks({"docs/a.md": "docs/a.html", "docs": "docs/index.html"})


def html_of(text: str) -> str:
    return rendered(text, LINKS.resolver("docs/b.html", "docs/b.md")).body


@pytest.mark.each(
    ("text", "part"),
    [
        ("[a](a.md#x)", '<a href="a.html#x">a</a>'),
        ("[a](../src/a.py)", '<span class="in-repository">a</span>'),
        ("[a](https://example.org/)", '<a href="https://example.org/">a</a>'),
        ("$`N_u`$", "<math><msub><mi>N</mi><mi>u</mi></msub></math>"),
        ("| a |\n|---|\n| $`\\lvert x\\rvert`$ |", '<div class="box"><table>'),
        ("```python\nx = 1\n```", '<span class="n">x</span>'),
        ("    make demo", '<pre class="code"><code>make demo</code></pre>'),
        ("- a\n  - b", "<li>a\n<ul>\n<li>b</li>"),
        ("cost $5 and $6", "cost $5 and $6"),
        ("![b](a.md)", '<p><a class="picture" href="a.html"><img src="a.html" alt="b"'),
        ("[![b](a.md)](a.md)", '<p><a href="a.html"><img src="a.html" alt="b"'),
        ('<img src="a.md" width="3">', '<img loading="lazy" src="a.html" width="3">'),
    ],
)
def test_markdown_is_read_as_github_reads_it(text: str, part: str) -> None:
    assert part in html_of(text)


def test_headings_have_the_anchors_of_github_and_repeated_ones_a_number() -> None:
    page = rendered("# A\n\n## `P@10`, *twice*\n\n## P10 twice", lambda link: link)
    assert [h.anchor for h in page.headings] == ["a", "p10-twice", "p10-twice-1"]
    assert page.title == "A"


def test_an_empty_head_of_a_table_is_no_head() -> None:
    assert "<th></th>" not in html_of("| | a |\n|---|---|\n| b | c |")


@pytest.mark.each(
    ("latex", "markup"),
    [
        ("TP@n", "<mi>TP</mi><mo>@</mo><mi>n</mi>"),
        (r"avg_{u}", "<msub><mi>avg</mi><mi>u</mi></msub>"),
        ("mK", "<mi>m</mi><mi>K</mi>"),
        (r"\big(x\big)", '<mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo>'),
    ],
)
def test_letters_that_follow_each_other_are_a_name(latex: str, markup: str) -> None:
    assert markup in formula(latex)


def test_the_difference_of_sets_has_a_sign_that_fonts_have() -> None:
    assert "<mo>\N{SET MINUS}</mo>" in formula(r"A \setminus B")


def test_a_formula_that_cannot_be_set_is_named() -> None:
    with pytest.raises(ValueError, match=r"The formula '\\\\nothing x' cannot be typeset"):
        formula(r"\nothing x")


def test_docstrings_keep_their_sections_roles_and_examples() -> None:
    text = (
        "Say :class:`.A` < ``b``.\n\nParameters\n----------\nx, y : int\n    Of :math:`n`.\n\n"
        "Examples\n--------\n>>> 1 < 2\nTrue\n"
    )
    page = docstring_html(text, lambda link: f"#{link}")
    assert '<a href="#api:.A"><code>A</code></a> &lt; <code>b</code>' in page
    assert '<dt><code>x, y</code> <span class="type">int</span></dt>' in page
    assert "<math><mi>n</mi></math>" in page
    assert "&lt;" in page.partition("Examples")[2]


def test_a_simple_table_of_a_docstring_is_one_of_markdown() -> None:
    text = "==  ====\na   one\n    two\nb   :math:`|x|`\n==  ====\n"
    assert "| a | one two |\n| b | $`\\|x\\|`$ |" in docstring_markdown(text)


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_the_pages_of_accepted_studies_are_taken_apart_whole(edition: str) -> None:
    pages = sorted((ROOT / "results" / edition).glob("*/index.md"))
    assert len(pages) == 13
    for index in pages:
        text = read_study_text(index)
        made = {path.stem for path in index.parent.glob("*.csv")}
        assert {section.name for section in text.sections} == made, index
        for section in text.sections:
            assert section.has_picture == ("svg" in section.suffixes)
            assert section.paragraphs


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_every_accepted_artifact_leads_to_its_code_its_settings_and_the_claims_it_decides(
    edition: str,
) -> None:
    ledger = read_results(ROOT / "results" / edition / "claims.csv")
    decided = {
        (paper, name)
        for paper, artifacts in zip(ledger["paper"], ledger["artifact"], strict=True)
        for study, name in re.findall(r"(\w+)/(\w+)", artifacts)
        if study == paper
    }
    leads = set()
    for index in (ROOT / "results" / edition).glob("*/index.md"):
        study = index.parent.name
        for section in read_study_text(index).sections:
            (made,) = (text for text in section.paragraphs if text.startswith("*Made by*"))
            addresses = re.findall(r"\]\(([^)#]+)", made)
            code, settings = (index.parent / address for address in addresses[:2])
            assert code.is_file(), section
            assert settings.name == f"{study}.yaml"
            assert settings.is_file()
            if f"../claims_{study}.md" in addresses[2:]:
                leads.add((study, section.name))
    assert leads == decided


def test_the_pages_of_the_full_edition_begin_with_three_short_findings_and_a_figure() -> None:
    for index in (ROOT / "results" / "full").glob("*/index.md"):
        said = read_study_text(index)
        assert len(re.findall("^- ", said.findings, re.MULTILINE)) == 3, index
        assert said.pictured, index
        for finding in said.findings.split("\n"):
            words = re.split(r" \(?\[", finding)[0]
            assert len(re.findall(r"\.(?= [A-Z*]|$)", words)) <= 2 + words.count(".**"), finding


def test_a_page_of_a_study_without_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# T\n\nA. Author.\n\n## One\n\nText.\n", "utf-8")
    with pytest.raises(DamagedFileError, match="'One' does not end with its files"):
        read_study_text(tmp_path / "index.md")


def test_rows_of_tables_are_counted_without_their_heads() -> None:
    assert table_rows("| a |\n| --- |\n| 1 |\n| 2 |\n\n| b |\n| ---: |\n| 3 |") == 3
