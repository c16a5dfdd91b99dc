# SPDX-License-Identifier: MIT
from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.figures.tables import Column, Table, to_markdown
from reproduction.publishing.html_page import as_html_page

RESULTS = Path(__file__).resolve().parents[2] / "results"


class Reader(HTMLParser):
    """The texts of a page's table cells and paragraphs, and whether tags are balanced."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("td", "th", "p"):
            self.texts.append((tag, ""))
        if tag not in ("meta", "!doctype"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.texts and {"td", "th", "p"} & set(self.open):
            tag, text = self.texts[-1]
            self.texts[-1] = (tag, text + data)

    def of(self, tag: str) -> list[str]:
        return [text for kind, text in self.texts if kind == tag]


CHARACTERS = st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs"))
TEXTS = st.text(CHARACTERS, max_size=20).map(lambda text: text.replace("$`", "").strip())


@pytest.mark.costly
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_every_cell_is_shown_as_it_is(rows: list[tuple[str, str]]) -> None:
    table = Table("A title", (Column("one & two"), Column("x|y", "right")), tuple(rows), "Caption.")
    read = Reader(as_html_page(to_markdown(table), "a"))
    assert read.open == []
    assert read.of("th") == ["one & two", "x|y"]
    assert read.of("td") == [cell for row in rows for cell in row]
    assert read.of("p") == ["A title", "Caption."]


def test_formulas_keep_their_backslashes_and_bars() -> None:
    text = r"so $`\sigma|\delta * a_b * c`$ is"
    page = as_html_page(to_markdown(Table("T", (Column("f"),), ((text,),), text)), "T")
    assert page.count(r"so <code>\sigma|\delta * a_b * c</code> is") == 2


def test_headings_lists_emphasis_and_alignment() -> None:
    page = as_html_page(
        "# A\n\n*b* and **c** of [d](d.md)\n\n- d\n- e\n\n| f | g |\n| --- | ---: |\n| 1 | 2 |\n",
        "<h>",
    )
    assert "<title>&lt;h&gt;</title>" in page
    assert "<h1>A</h1>" in page
    assert "<p><em>b</em> and <strong>c</strong> of [d](d.md)</p>" in page
    assert "<ul>\n<li>d</li>\n<li>e</li>\n</ul>" in page
    assert '<td>1</td>\n<td style="text-align:right">2</td>' in page


@pytest.mark.each("path", sorted(RESULTS.glob("*/*/*.md")), ids=lambda path: path.stem)
def test_every_accepted_table_and_page_is_understood(path: Path) -> None:
    markdown = path.read_text(encoding="utf-8")
    page = as_html_page(markdown, path.stem)
    read = Reader(page)
    assert read.open == []
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert page.count("<tr>") == len([row for row in rows if not re.fullmatch(r"[|: -]+", row)])
    outside = re.sub("<code>.*?</code>", "", page)
    assert "\\" not in outside
    assert "**" not in outside
