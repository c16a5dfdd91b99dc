# SPDX-License-Identifier: MIT
"""Sites: every link leads somewhere, pages are small and whole, and bytes stay the same."""

from __future__ import annotations

import json
import posixpath
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from publishing.site_samples import (
    OTHER_FORM,
    STATEMENTS,
    SVG,
    PageParts,
    claim_row,
    pages_of,
    small_sources,
    write_ledger,
)

import receval
from reproduction.publishing.site.site import GROUPS, write_site
from reproduction.publishing.site.study_pages import MOST_ROWS
from reproduction.workflow.plan.publishing import TOP_DOCUMENTS

LARGEST = {
    **{"api": 150_000, "claims": 20_000, "ledger": 60_000, "ledger.html": 60_000},
    "studies": 150_000,
}
"""Bytes of pages of names, claims and studies without their figures, by folder or page."""

LARGEST_OF_ALL = 700_000
"""Bytes of any page: CHANGELOG.md is the largest."""

ELSEWHERE = re.compile(r"^(?:https?:|mailto:|//)")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small site."""
    folder = tmp_path_factory.mktemp("small")
    write_site(small_sources(folder), folder / "site")
    return folder / "site"


@pytest.fixture
def page_with(tmp_path: Path) -> Callable[..., str]:
    """Return a function that gives a page of a small site with other rows or sources."""

    def page(address: str, rows: Sequence[dict[str, str]] = (), **sources: Any) -> str:
        site = tmp_path / "site"
        if not site.exists():
            small = replace(small_sources(tmp_path), **sources)
            if rows:
                write_ledger(small.claims, rows)
            write_site(small, site)
        return (site / address).read_text(encoding="utf-8")

    return page


@pytest.fixture(scope="module", params=["demo", "full"])
def whole(request: pytest.FixtureRequest) -> Path:
    """The site of a demo that was made, and that of the accepted results of the full edition."""
    if request.param == "demo":
        demo: Path = request.getfixturevalue("demo_edition")
        return demo / "site"
    site, _ = request.getfixturevalue("accepted_site")
    return site


@pytest.fixture(scope="module")
def pages(whole: Path) -> dict[str, PageParts]:
    """What the pages of such a site consist of."""
    return pages_of(whole)


def dead_links(site: Path, pages: dict[str, PageParts]) -> list[str]:
    """Return the references of all pages that lead to no file or no anchor."""
    anchors = {address: set(page.anchors) for address, page in pages.items()}
    dead = []
    for address, page in pages.items():
        for reference in page.references:
            if ELSEWHERE.match(reference.address):
                continue
            path, _, anchor = reference.address.partition("#")
            path = path.partition("?")[0]
            target = posixpath.normpath(posixpath.join(posixpath.dirname(address), path))
            target = target if path else address
            # No address at all would load the page itself.
            if (
                not reference.address
                or not (site / target).is_file()
                or (anchor and anchor not in anchors[target])
            ):
                dead.append(f"{address}: {reference.address}")
    return dead


def test_every_link_and_anchor_of_the_small_site_resolves(small: Path) -> None:
    pages = pages_of(small)
    assert {"index.html", "ledger.html", "errata.html", "studies/paper2018.html"} <= set(pages)
    assert {"ledger/paper2018.html", "claims/A-001.html", "claims/B-002.html"} <= set(pages)
    assert dead_links(small, pages) == []


def test_a_dead_link_would_be_found(small: Path, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<a href="#no">1</a><a href="none.html">2</a><img src="x.svg">', "utf-8")
    assert len(dead_links(tmp_path, pages_of(tmp_path))) == 3
    page.write_text('<img src="">', "utf-8")
    assert len(dead_links(tmp_path, pages_of(tmp_path))) == 1


@pytest.mark.repository
def test_sites_of_editions_are_whole(whole: Path, pages: dict[str, PageParts]) -> None:
    assert dead_links(whole, pages) == []
    for address, page in pages.items():
        assert page.faults == page.open == [], address
        assert len(page.anchors) == len(set(page.anchors)), address
        assert page.headings[0] == page.headings.count(1) == 1, address
        deeper = [pair for pair in pairwise(page.headings) if pair[1] > pair[0] + 1]
        assert deeper == [], address
        largest = LARGEST.get(address.partition("/")[0], LARGEST_OF_ALL)
        assert len(page.text.encode()) <= largest, address
        # Figures are files that are loaded when they are seen.
        pictures = re.findall(r"<img[^>]*>", page.text)
        assert all('loading="lazy"' in picture for picture in pictures), address
        assert "data:image" not in page.text, address


@pytest.mark.repository
def test_pages_load_nothing_from_elsewhere(whole: Path, pages: dict[str, PageParts]) -> None:
    loaded = [
        f"{address}: {reference.address}"
        for address, page in pages.items()
        for reference in page.references
        if ELSEWHERE.match(reference.address) and reference.tag != "a"
    ]
    assert loaded == []
    style = (whole / "assets" / "site.css").read_text(encoding="utf-8")
    assert "@import" not in style
    assert re.findall(r"url\((?!#)", style) == []


@pytest.mark.repository
def test_no_marks_of_docstrings_are_left_on_pages_of_the_library(
    pages: dict[str, PageParts],
) -> None:
    # The examples of what reads docstrings have their marks.
    shown = {
        a: page for a, page in pages.items() if re.match(r"api/(?!reproduction.publishing)", a)
    }
    assert sum(len(page.anchors) for page in shown.values()) > 1000
    left = [a for a, page in shown.items() if re.search(r":(?:func|class|math):`", page.text)]
    assert left == []


@pytest.mark.repository
def test_other_projects_can_link_to_every_public_name(
    whole: Path, pages: dict[str, PageParts]
) -> None:
    head, _, packed = (whole / "objects.inv").read_bytes().partition(b"using zlib.\n")
    assert head.startswith(b"# Sphinx inventory version 2\n# Project: receval\n# Version: ")
    rows = [line.split(" ") for line in zlib.decompress(packed).decode().splitlines()]
    found = {name: (role, address) for name, role, _, address, _ in rows}
    assert found["receval.evaluate"] == found["receval.evaluation.systems.evaluate_systems"]
    assert found["receval.EvaluationResult.compare"][0] == "py:method"
    for name in receval.__all__:
        assert found[f"receval.{name}"][0] in ("py:class", "py:function"), name
    # Packages are a place in the list of modules.
    assert found["receval"] == ("py:module", "api/index.html")
    assert found["receval.metrics"] == ("py:module", "api/index.html#receval.metrics")
    assert found["receval.recommenders.adapters"][1] == "api/index.html#receval.recommenders"
    for _, address in found.values():
        page, _, anchor = address.partition("#")
        assert not anchor or anchor in pages[page].anchors, address


@pytest.mark.repository
def test_every_page_of_the_demo_says_that_its_data_are_synthetic(
    whole: Path, pages: dict[str, PageParts]
) -> None:
    is_demo = "Demo edition" in (whole / "index.html").read_text(encoding="utf-8")
    said = {"<strong>Synthetic data.</strong>" in page.text for page in pages.values()}
    assert said == {is_demo}


def test_a_site_that_is_written_elsewhere_has_the_same_bytes(small: Path, tmp_path: Path) -> None:
    write_site(small_sources(tmp_path), tmp_path / "site")
    one, other = (
        {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
        for site in (tmp_path / "site", small)
    )
    assert one == other


def test_the_first_page_has_a_bar_for_every_paper_and_three_doors(small: Path) -> None:
    text = (small / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<text class="name"[^>]*>([^<]+)', text) == [
        "Author et al. 2018",
        "Author et al. 2020",
    ]
    doors = re.findall(r'<li><h3><a href="([^"]+)">(?:Check|Use|Rerun)', text)
    assert doors == ["ledger.html", "docs/guide.html#your-own-data", "docs/readme.html"]
    assert "their 6 claims" in text
    assert "6 statements. <strong>In the paper:</strong> consistent 0" in text
    assert "<strong>Rebuilt here:</strong> holds 3, holds in part 1" in text


def test_verdicts_are_named_before_their_number_since_one_is_no_plural(small: Path) -> None:
    text = (small / "studies" / "index.html").read_text(encoding="utf-8")
    assert re.search(r">(?:\w+ )+\d+(?:, (?:\w+ )+\d+)*</p>", text)
    assert not re.search(r"\b\d+ (?:holds|does not hold)", text)


def test_the_page_of_a_study_has_values_claims_files_and_commands(small: Path) -> None:
    text = (small / "studies" / "paper2018.html").read_text(encoding="utf-8")
    figure = text.partition('<h2 id="fig01">')[2].partition("</section>")[0]
    for address in ("fig01.svg", "fig01.pdf", "fig01.csv"):
        assert f'href="../files/paper2018/{address}"' in figure
    assert "snakemake --cores all work/full/artifacts/paper2018/fig01.svg" in figure
    assert '<a href="../claims/A-001.html">A-001</a>' in figure
    assert "What it shows." in figure
    assert '<a href="../docs/guide.html">docs/guide.md</a>' in figure
    numbers = text.partition('<h2 id="numbers">')[2].partition("</section>")[0]
    assert re.search(r">\.5</td><td class=\"number\">\.5100</td><td>\.490 to \.530</td>", numbers)
    others = text.partition('<h2 id="other-claims">')[2].partition("</section>")[0]
    assert re.findall(r">([AB]-\d+)</a>", others) == ["A-004"]


def test_claims_and_errata_that_texts_name_are_linked_both_ways(small: Path) -> None:
    errata = (small / "errata.html").read_text(encoding="utf-8")
    assert '<a href="claims/A-001.html">A-001</a>' not in errata
    assert '<a href="claims/B-001.html">B-001</a>' in errata
    assert re.search(r'<h3 id="[^"]*">E-01: ', errata)
    claim = (small / "claims" / "B-001.html").read_text(encoding="utf-8")
    assert '<a href="../errata.html#e-01">E-01</a>' in claim


def test_a_claim_has_a_page_with_all_that_is_known(small: Path) -> None:
    text = (small / "claims" / "A-001.html").read_text(encoding="utf-8")
    for part in (
        '<h1><span class="soft">A-001</span> P at 10 of pLSA.</h1>',
        '<a href="../ledger/paper2018.html#figure-1">Figure 1</a>',
        "<dt>The paper's value</dt><dd>.5</dd>",
        "<dt>Rule</dt><dd>within .02<span",
        "as it was rounded (<a",
        'src="../files/paper2018/fig01.svg" loading="lazy"',
        '<dd class="cells">system=plsa: value</dd>',
        "receval repo claims A-001",
        "Decided by <code>make reproduce</code> where Netflix can be downloaded.",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("claim", "beside"), [("A-001", [("next", "A-002.html")]), ("A-004", [("prev", "A-003.html")])]
)
def test_the_page_of_a_claim_leads_to_those_beside_it_of_its_paper(
    small: Path, claim: str, beside: list[tuple[str, str]]
) -> None:
    text = (small / "claims" / f"{claim}.html").read_text(encoding="utf-8")
    assert re.findall(r'rel="(prev|next)" href="([^"]+)"', text) == beside


def test_a_claim_says_what_its_paper_says_of_it_itself(page_with: Callable[..., str]) -> None:
    row = claim_row(in_paper="consistent", printed="Table 1 prints 0.5, too.")
    text = page_with("claims/A-001.html", [row])
    assert "<dd><strong>Consistent.</strong> Table 1 prints .5, too.</dd>" in text


def test_a_claim_says_what_weakens_its_verdict(
    tmp_path: Path, page_with: Callable[..., str]
) -> None:
    statements = tmp_path / "paper2018.yaml"
    statements.write_text(STATEMENTS, encoding="utf-8")
    text = page_with("claims/A-001.html", statements=(statements,))
    assert "<li>The same artifact decides 1 other claim, and no verdict is corrected" in text
    assert "<li>Settings were chosen by P@10.</li>" in text


def test_the_page_of_a_paper_begins_with_its_three_lists(page_with: Callable[..., str]) -> None:
    told = "Holds on 17 of 20 splits."
    rows = [
        claim_row(in_paper="inconsistent", printed="Table 3 prints .7."),
        claim_row(claim="A-002", verdict="does not hold", reason="Another pLSA."),
        claim_row(claim="A-003", verdict="depends on the split", splits=told),
    ]
    text = page_with("ledger/paper2018.html", rows)
    headings = re.findall(r'<h2 id="([^"]+)"', text)
    failing = "could-not-be-rebuilt-or-in-part"
    assert headings == ["slips-in-the-paper", failing, "depends-on-the-split", "all"]
    lists = [part.partition("</section>")[0] for part in text.split("<section")[1:]]
    said = ("Table 3 prints .7.", "Another pLSA.", "ML-1M (17 of 20 splits)")
    for number, (part, words) in enumerate(zip(lists[:3], said, strict=True), 1):
        assert re.findall(r">(A-\d+)</a>", part) == [f"A-00{number}"]
        assert words in part
    assert len(re.findall(r'<details id="figure-1">', lists[3])) == 1


def test_every_claim_is_in_the_data_of_the_ledger(small: Path) -> None:
    script = (small / "assets" / "claims.js").read_text(encoding="utf-8")
    _, _, claims = script.partition("window.LEDGER.claims = ")
    found = json.loads(claims.rstrip().rstrip(";"))
    assert [claim["id"] for claim in found] == [
        *("A-001", "A-002", "A-003", "A-004"),
        *("B-001", "B-002"),
    ]
    assert found[0]["rows"] == [
        ["ml-1m", "ML-1M", "holds", ""],
        ["netflix", "Netflix", "undecidable here", ""],
    ]


def test_a_demo_says_so_and_leaves_figures_of_the_other_edition_out(tmp_path: Path) -> None:
    write_site(small_sources(tmp_path, "demo"), tmp_path / "site")
    pages = pages_of(tmp_path / "site")
    assert all("<strong>Synthetic data.</strong>" in page.text for page in pages.values())
    guide = (tmp_path / "site" / "docs" / "guide.html").read_text(encoding="utf-8")
    assert "<img" not in guide
    assert '<span class="in-repository">a figure</span>' in guide
    write_site(small_sources(tmp_path / "full"), tmp_path / "full" / "site")
    guide = (tmp_path / "full" / "site" / "docs" / "guide.html").read_text(encoding="utf-8")
    assert guide.count('src="../files/paper2018/fig01.svg"') == 2
    assert dead_links(tmp_path / "full" / "site", pages_of(tmp_path / "full" / "site")) == []


def test_the_paper_is_offered_where_it_was_made(
    small: Path, tmp_path: Path, page_with: Callable[..., str]
) -> None:
    assert "Read the paper" not in (small / "index.html").read_text(encoding="utf-8")
    report = tmp_path / "receval.pdf"
    report.write_bytes(b"%PDF")
    text = page_with("index.html", report=report)
    assert '<a href="files/receval.pdf">Read the paper (PDF)</a>' in text
    assert (tmp_path / "site" / "files" / "receval.pdf").read_bytes() == b"%PDF"


def test_a_study_shows_how_sure_its_verdicts_are_where_it_was_repeated(
    tmp_path: Path, page_with: Callable[..., str]
) -> None:
    figure = tmp_path / "replications_paper2018.svg"
    figure.write_text(SVG, encoding="utf-8")
    rows = "claim,beside\nA-001,\nA-002,each is one fold of five\n"
    figure.with_suffix(".csv").write_text(rows, encoding="utf-8")
    page = page_with("studies/paper2018.html", certainty_figures={"paper2018": figure})
    assert 'id="certainty"' in page
    assert "A hollow dot decides no verdict alone" in page
    assert "told beside that of the one run: each is one fold of five." in page
    assert "../files/replications_paper2018.csv" in page
    assert 'id="certainty"' not in page_with("studies/other2020.html")
    assert dead_links(tmp_path / "site", pages_of(tmp_path / "site")) == []


def test_other_forms_are_shown_and_not_counted(page_with: Callable[..., str]) -> None:
    start = page_with("index.html", [claim_row(), OTHER_FORM])
    assert "<strong>Rebuilt here:</strong> holds 1.</p>" in start
    claim = page_with("claims/A-001.html")
    assert claim.count("Another form, which is not counted.") == 1
    assert '<span class="form">MF (text)</span>' in claim


def test_the_library_has_public_names_alone(small: Path) -> None:
    text = (small / "api" / "receval.metrics.precision.html").read_text(encoding="utf-8")
    assert 'id="Precision.of"' in text
    assert '<a href="#share"><code>share</code></a>' in text
    assert "_hidden" not in text


@pytest.mark.repository
def test_what_is_too_long_for_the_page_of_a_study_has_its_own(pages: dict[str, PageParts]) -> None:
    main = pages["studies/valcarce2018.html"].text
    beside = {a: page.text for a, page in pages.items() if a.startswith("studies/valcarce2018-")}
    assert "V18-020" in beside["studies/valcarce2018-fig01.html"]
    # Which claims are on no artifact depends on the edition.
    assert "studies/valcarce2018-other-claims.html" in beside
    for address, text in beside.items():
        assert f'href="{Path(address).name}' in main
        assert text.count("<tr>") > MOST_ROWS + 1
    shown = main.split("<table")[1:]
    assert max(table.count("<tr>") for table in shown) <= MOST_ROWS + 1


@pytest.mark.repository
def test_every_artifact_leads_to_its_code_and_its_configuration(
    pages: dict[str, PageParts],
) -> None:
    studies = [
        page for address, page in pages.items() if re.match(r"studies/(?!index)\w+\.", address)
    ]
    assert len(studies) >= 8
    for page in studies:
        made = re.findall("<em>Made by</em> (.*?)</p>", page.text, re.DOTALL)
        assert made
        for told in made:
            assert re.search(r'href="\.\./files/src/[\w/.]+\.py\.txt"', told)
            assert re.search(r'href="\.\./files/config/[\w/.]+\.yaml\.txt"', told)


@pytest.mark.repository
def test_the_first_page_of_the_library_has_each_name_that_people_type_once(whole: Path) -> None:
    text = (whole / "api" / "index.html").read_text(encoding="utf-8")
    listed = re.findall(r"<code>rv\.(\w+)</code>", text)
    assert sorted(listed) == sorted(receval.__all__)


def test_every_document_stands_in_the_list_with_a_sentence() -> None:
    root = Path(__file__).parents[2]
    documents = [*(root / "docs").glob("*.md"), *(root / name for name in TOP_DOCUMENTS)]
    lines = {stem: line for group in GROUPS.values() for stem, line in group.items()}
    # The errata have a page of their own.
    assert set(lines) | {"errata"} == {document.stem for document in documents}
    assert all(line.endswith(".") for line in lines.values())
