# SPDX-License-Identifier: MIT
"""The site in Chromium: no errors, nothing from elsewhere, filters that agree with the ledger."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from publishing.browser import LOOKS, Visit, is_too_wide, serious, served, started_browser
from publishing.site_samples import accepted_sources, small_sources

from receval.claims.errata import Paper
from receval.publishing.site.site import write_site

Row = Mapping[str, str]

PAPERS = get_args(Paper)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium."""
    with started_browser() as started:
        yield started


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the small site."""
    folder = tmp_path_factory.mktemp("small")
    write_site(small_sources(folder), folder / "site")
    with served(folder / "site") as address:
        yield address


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The site of the accepted results, and its ledger."""
    folder = tmp_path_factory.mktemp("full")
    sources = accepted_sources("full", folder)
    write_site(sources, folder / "site")
    return folder / "site", sources.claims


def addresses(site: Path) -> list[str]:
    return [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]


@pytest.mark.parametrize("look", LOOKS)
def test_no_page_has_errors_or_is_wider_than_its_window(
    browser: Any, accepted: tuple[Path, Path], look: str
) -> None:
    site, _ = accepted
    with served(site) as address:
        visit = Visit(browser, address, look)
        wide = [page for page in addresses(site) if is_too_wide(visit.go(page))]
        visit.context.close()
    assert visit.problems == []
    assert wide == []


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious(
    browser: Any, accepted: tuple[Path, Path], small: str, look: str
) -> None:
    site, _ = accepted
    found = {}
    with served(site) as address:
        visit = Visit(browser, address, look)
        pages = ["index.html", "studies/index.html", "studies/systems.html", "docs/index.html"]
        pages += ["docs/decisions.html", "api/index.html", "api/protocols.html"]
        for page in pages:
            found[page] = serious(visit.go(page))
        visit.context.close()
    visit = Visit(browser, small, look)
    for page in ("ledger.html", "errata.html", "studies/paper2018.html"):
        found[f"small/{page}"] = serious(visit.go(page))
    visit.context.close()
    assert {page: faults for page, faults in found.items() if faults} == {}


@pytest.mark.parametrize("page", ["ledger", "errata", *(f"studies/{paper}" for paper in PAPERS)])
@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious_where_claims_are_read(
    browser: Any, accepted: tuple[Path, Path], look: str, page: str
) -> None:
    site, _ = accepted
    with served(site) as address:
        visit = Visit(browser, address, look)
        assert serious(visit.go(f"{page}.html")) == []
        visit.context.close()


FILTERS: dict[str, Callable[[Row], bool]] = {
    "": lambda row: True,
    "paper=valcarce2018": lambda row: row["paper"] == "valcarce2018",
    "verdict=does+not+hold": lambda row: row["verdict"] == "does not hold",
    "paper=canamares2020&verdict=holds": lambda row: (
        (row["paper"], row["verdict"]) == ("canamares2020", "holds")
    ),
    "kind=number&dataset=ml-1m": lambda row: (row["kind"], row["dataset"]) == ("number", "ml-1m"),
    "verdict=holds&form=own": lambda row: (row["verdict"], row["form"]) == ("holds", ""),
    "verdict=as+defined&kind=order": lambda row: (
        (row["kind"], row["verdict"]) == ("order", "as defined")
    ),
    "q=ndcg": lambda row: "ndcg" in " ".join(row.values()).lower(),
    "form=other": lambda row: row["form"] != "",
}
"""Queries of the ledger, and the rows of the CSV that fit."""


@pytest.mark.parametrize("query", FILTERS)
def test_filters_show_the_rows_that_the_csv_has(
    browser: Any, accepted: tuple[Path, Path], query: str
) -> None:
    site, claims = accepted
    with claims.open(encoding="utf-8", newline="") as file:
        fit = [row["claim"] for row in csv.DictReader(file) if FILTERS[query](row)]
    with served(site) as address:
        visit = Visit(browser, address)
        page = visit.go(f"ledger.html?{query}")
        assert visit.shown_claims() == fit
        found = page.inner_text(".found")
        visit.context.close()
    assert str(len(fit)) in found
    assert visit.problems == []


@pytest.mark.parametrize(("query", "sign"), [("sort=ours", 1), ("sort=-ours", -1)])
def test_a_column_of_numbers_is_sorted_by_what_the_csv_has(
    browser: Any, accepted: tuple[Path, Path], query: str, sign: int
) -> None:
    site, claims = accepted
    with claims.open(encoding="utf-8", newline="") as file:
        rows = [(row["claim"], row["value"]) for row in csv.DictReader(file) if row["value"]]
    with served(site) as address:
        visit = Visit(browser, address)
        found = visit.go(f"ledger.html?{query}").evaluate(
            "(ours => [...document.querySelectorAll('#ledger tbody tr')]"
            ".filter(row => 'value' in row.cells[ours].dataset)"
            ".map(row => [row.cells[0].textContent, row.cells[ours].dataset.value]))"
            "(document.querySelector('#ledger th[data-sort=ours]').cellIndex)"
        )
        visit.context.close()
    assert list(map(tuple, found)) == sorted(rows, key=lambda row: sign * float(row[1]))
    assert visit.problems == []


@pytest.fixture
def ledger(browser: Any, small: str) -> Iterator[Visit]:
    """The ledger of the small site, opened."""
    visit = Visit(browser, small)
    visit.go("ledger.html")
    yield visit
    visit.context.close()
    assert visit.problems == []


def test_typing_and_choosing_filter_and_are_kept_in_the_address(ledger: Visit) -> None:
    page = ledger.page
    page.fill("#q", "p at 10")
    page.select_option("#paper", "paper2018")
    assert ledger.shown_claims() == ["A-001", "A-001", "A-003", "A-004"]
    assert page.url.endswith("ledger.html?q=p+at+10&paper=paper2018")
    page.reload()
    assert ledger.shown_claims() == ["A-001", "A-001", "A-003", "A-004"]
    page.click("button[type=reset]")
    page.wait_for_function("document.querySelector('.found').textContent.startsWith('All')")
    assert len(ledger.shown_claims()) == 7
    assert page.url.endswith("ledger.html")


def test_a_filter_that_nothing_fits_says_so_and_offers_a_way_back(ledger: Visit) -> None:
    ledger.page.fill("#q", "no such claim")
    assert ledger.shown_claims() == []
    ledger.page.click(".none button")
    ledger.page.wait_for_function("document.querySelector('.none').hidden")
    assert len(ledger.shown_claims()) == 7


def test_heads_sort_up_and_down_by_keyboard(ledger: Visit) -> None:
    page = ledger.page
    page.focus("th[data-sort=ours] button")
    page.keyboard.press("Enter")
    up = ledger.shown_claims()
    assert page.get_attribute("th[data-sort=ours]", "aria-sort") == "ascending"
    assert up[:2] == ["A-001", "A-004"]
    assert up.index("A-003") < up.index("B-001")
    page.keyboard.press("Enter")
    assert page.get_attribute("th[data-sort=ours]", "aria-sort") == "descending"
    assert "sort=-ours" in page.url


def test_a_claim_that_is_asked_for_is_shown_whatever_the_filters_say(
    browser: Any, small: str
) -> None:
    visit = Visit(browser, small)
    page = visit.go("ledger.html?paper=other2020#A-003")
    assert page.locator("#A-003").is_visible()
    assert page.evaluate("document.getElementById('A-003').classList.contains('named')")
    page.evaluate("location.hash = 'A-001'")
    page.wait_for_selector("#A-001.named")
    assert page.locator("tr.named").count() == 2
    visit.context.close()


def test_what_decides_a_claim_opens_with_its_figure(ledger: Visit) -> None:
    page = ledger.page
    page.locator("#A-001 summary").click()
    picture = page.locator("#A-001 img")
    picture.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('#A-001 img').naturalWidth > 0")
    assert picture.get_attribute("src") == "files/paper2018/fig01.svg"
    figure = page.locator("#A-001 dl a[href^=studies]")
    assert figure.get_attribute("href") == "studies/paper2018.html#fig01"


def test_without_javascript_the_ledger_is_a_whole_table(browser: Any, small: str) -> None:
    visit = Visit(browser, small, java_script_enabled=False)
    page = visit.go("ledger.html")
    assert page.locator("#ledger tbody tr").count() == 7
    assert page.locator("#ledger tbody tr:visible").count() == 7
    assert not page.locator(".filters").is_visible()
    visit.context.close()


def test_a_part_of_a_bar_leads_to_its_claims(browser: Any, small: str) -> None:
    visit = Visit(browser, small)
    page = visit.go("index.html")
    page.locator("svg.bars a[href*='paper2018'] .fails").first.click()
    page.wait_for_selector("#ledger")
    assert visit.shown_claims() == ["A-003"]
    visit.context.close()
    assert visit.problems == []


def test_colours_follow_the_system_until_a_reader_chooses(browser: Any, small: str) -> None:
    visit = Visit(browser, small, "dark")
    page = visit.go("index.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.click(".theme")
    light = page.evaluate(ground)
    assert dark != light
    visit.go("ledger.html")
    assert page.evaluate(ground) == light
    visit.context.close()


def test_the_first_key_leads_to_the_content(browser: Any, small: str) -> None:
    visit = Visit(browser, small)
    page = visit.go("ledger.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    visit.context.close()


def test_a_site_opened_as_files_has_no_errors(browser: Any, tmp_path: Path) -> None:
    write_site(small_sources(tmp_path), tmp_path / "site")
    visit = Visit(browser, f"{(tmp_path / 'site').as_uri()}/")
    for page in ("index.html", "ledger.html?verdict=holds", "studies/paper2018.html"):
        visit.go(page)
    visit.go("ledger.html?verdict=does+not+hold")
    assert visit.shown_claims() == ["A-003"]
    visit.context.close()
    assert visit.problems == []
