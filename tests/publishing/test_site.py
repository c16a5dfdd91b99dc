# SPDX-License-Identifier: MIT
"""Sites: every link leads somewhere, pages are small and whole, and bytes stay the same."""

from __future__ import annotations

import hashlib
import posixpath
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from publishing.site_samples import (
    OTHER_FORM,
    SVG,
    PageParts,
    accepted_sources,
    claim_row,
    pages_of,
    small_sources,
    write_certainty,
    write_ledger,
)

from receval.publishing.site.site import write_site

LARGEST = 1_000_000
"""Bytes of a page without its figures."""

ELSEWHERE = re.compile(r"^(?:https?:|mailto:|//)")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small site."""
    folder = tmp_path_factory.mktemp("small")
    write_site(small_sources(folder), folder / "site")
    return folder / "site"


@pytest.fixture(scope="module", params=["demo", "full"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a demo that was made, and that of the accepted results of the full edition."""
    if request.param == "demo":
        demo: Path = request.getfixturevalue("demo_edition")
        return demo / "site"
    folder = tmp_path_factory.mktemp("full")
    write_site(accepted_sources("full", folder), folder / "site")
    return folder / "site"


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


def digest_of(site: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(site)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def test_every_link_and_anchor_of_the_small_site_resolves(small: Path) -> None:
    pages = pages_of(small)
    assert {"index.html", "ledger.html", "errata.html", "studies/paper2018.html"} <= set(pages)
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
        assert len(page.text.encode()) < LARGEST, address


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
    shown = {a: page for a, page in pages.items() if re.match(r"api/(?!publishing)", a)}
    assert sum(len(page.anchors) for page in shown.values()) > 1000
    left = [a for a, page in shown.items() if re.search(r":(?:func|class|math):`", page.text)]
    assert left == []


@pytest.mark.repository
def test_every_page_of_the_demo_says_that_its_data_are_synthetic(
    whole: Path, pages: dict[str, PageParts]
) -> None:
    is_demo = "Demo edition" in (whole / "index.html").read_text(encoding="utf-8")
    said = {"<strong>Synthetic data.</strong>" in page.text for page in pages.values()}
    assert said == {is_demo}


@pytest.mark.repository
def test_figures_are_files_that_are_loaded_when_they_are_seen(pages: dict[str, PageParts]) -> None:
    for address, page in pages.items():
        pictures = re.findall(r"<img[^>]*>", page.text)
        assert all('loading="lazy"' in picture for picture in pictures), address
        assert "data:image" not in page.text, address


def test_a_site_that_is_written_again_has_the_same_bytes(small: Path, tmp_path: Path) -> None:
    write_site(small_sources(tmp_path), tmp_path / "site")
    assert digest_of(tmp_path / "site") == digest_of(small)


def test_pages_name_no_place_of_this_machine(small: Path) -> None:
    for path in small.rglob("*.html"):
        assert str(small.parents[1]) not in path.read_text(encoding="utf-8")


def test_the_first_page_has_a_bar_for_every_paper_and_three_doors(small: Path) -> None:
    text = (small / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<text class="name"[^>]*>([^<]+)', text) == [
        "Author et al. 2018",
        "Author et al. 2020",
    ]
    doors = re.findall(r'<li><h3><a href="([^"]+)">(?:Check|Use|Rerun)', text)
    assert doors == ["ledger.html", "docs/guide.html#your-own-data", "docs/readme.html"]
    assert "all of their 6 claims" in text or "their 6 claims" in text


def test_the_page_of_a_study_has_values_claims_files_and_commands(small: Path) -> None:
    text = (small / "studies" / "paper2018.html").read_text(encoding="utf-8")
    figure = text.partition('<h2 id="fig01">')[2].partition("</section>")[0]
    for address in ("fig01.svg", "fig01.pdf", "fig01.csv"):
        assert f'href="../files/paper2018/{address}"' in figure
    assert "snakemake --cores all work/full/artifacts/paper2018/fig01.svg" in figure
    assert '<a href="../ledger.html#A-001">A-001</a>' in figure
    assert "What it shows." in figure
    assert '<a href="../docs/guide.html">docs/guide.md</a>' in figure
    numbers = text.partition('<h2 id="numbers">')[2].partition("</section>")[0]
    assert re.search(r">\.5</td><td class=\"number\">\.5100</td><td>\.490 to \.530</td>", numbers)
    others = text.partition('<h2 id="other-claims">')[2].partition("</section>")[0]
    assert re.findall(r">([AB]-\d+)</a>", others) == ["A-004"]


def test_claims_and_errata_that_texts_name_are_linked_both_ways(small: Path) -> None:
    errata = (small / "errata.html").read_text(encoding="utf-8")
    assert '<a href="ledger.html#A-001">A-001</a>' not in errata
    assert '<a href="ledger.html#B-001">B-001</a>' in errata
    assert re.search(r'<h3 id="[^"]*">E-01: ', errata)
    ledger = (small / "ledger.html").read_text(encoding="utf-8")
    row = ledger.partition('<tr id="B-001"')[2].partition("</tr>")[0]
    assert '<a href="errata.html#e-01">E-01</a>' in row


def test_a_claim_says_why_it_is_decided_so(small: Path) -> None:
    ledger = (small / "ledger.html").read_text(encoding="utf-8")
    assert "<dt>Why this rule</dt><dd>as it was rounded (<a" in ledger


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


def test_the_paper_is_offered_where_it_was_made(small: Path, tmp_path: Path) -> None:
    assert "Read the paper" not in (small / "index.html").read_text(encoding="utf-8")
    report = tmp_path / "receval.pdf"
    report.write_bytes(b"%PDF")
    write_site(replace(small_sources(tmp_path), report=report), tmp_path / "site")
    text = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert '<a href="files/receval.pdf">Read the paper (PDF)</a>' in text
    assert (tmp_path / "site" / "files" / "receval.pdf").read_bytes() == b"%PDF"


def test_a_repeated_claim_says_in_how_many_replications_it_holds(tmp_path: Path) -> None:
    sources = small_sources(tmp_path)
    figure = tmp_path / "replications_paper2018.svg"
    figure.write_text(SVG, encoding="utf-8")
    figure.with_suffix(".csv").write_text("claim\n", encoding="utf-8")
    repeated = replace(
        sources,
        certainty=write_certainty(tmp_path / "certainty.csv"),
        certainty_figures={"paper2018": figure},
    )
    write_site(repeated, tmp_path / "site")
    ledger = (tmp_path / "site" / "ledger.html").read_text(encoding="utf-8")
    assert ledger.count("holds on 18 of 20 splits") == 1
    assert "the share lies between .70 and .97" in ledger
    assert "is inside the interval from .4800 to .5400" in ledger
    start = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'id="certainty"' in start
    assert "with other root seeds, 20 times at most" in start
    page, other = (
        (tmp_path / "site" / "studies" / name).read_text(encoding="utf-8")
        for name in ("paper2018.html", "other2020.html")
    )
    assert 'id="certainty"' in page
    assert "../files/replications_paper2018.csv" in page
    assert 'id="certainty"' not in other
    assert dead_links(tmp_path / "site", pages_of(tmp_path / "site")) == []


def test_other_forms_are_shown_and_not_counted(tmp_path: Path) -> None:
    sources = small_sources(tmp_path)
    write_ledger(sources.claims, [claim_row(), OTHER_FORM])
    write_site(sources, tmp_path / "site")
    start = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "<strong>1 hold</strong>" in start
    assert "<strong>0 do not</strong>" in start
    ledger = (tmp_path / "site" / "ledger.html").read_text(encoding="utf-8")
    assert '<tr id="A-001-ml-1m" data-form="other">' in ledger
    assert '<span class="form">MF (text)</span>' in ledger
    assert "other forms (1)" in ledger


def test_links_to_what_the_site_does_not_have_are_text(small: Path) -> None:
    text = (small / "docs" / "readme.html").read_text(encoding="utf-8")
    assert '<span class="in-repository">code</span>' in text


def test_the_library_has_public_names_alone(small: Path) -> None:
    text = (small / "api" / "metrics.html").read_text(encoding="utf-8")
    assert 'id="precision.Precision.of"' in text
    assert '<a href="#precision.share"><code>share</code></a>' in text
    assert "_hidden" not in text
