# SPDX-License-Identifier: MIT
"""The site in Chromium: no errors, nothing from elsewhere, filters that agree with the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from publishing.browser import Visit, is_too_wide, served, started_browser
from publishing.site_samples import small_sources

from reproduction.claims.errata import Paper
from reproduction.publishing.ledger import LedgerClaim, claims_in, read_verdict_rows
from reproduction.publishing.site.site import write_site

PAPERS = get_args(Paper)

# They take two minutes.
pytestmark = pytest.mark.repository


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


def addresses(site: Path) -> list[str]:
    return [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]


def test_no_page_has_errors_or_is_wider_than_its_window(
    browser: Any, accepted_site: tuple[Path, Path]
) -> None:
    site, _ = accepted_site
    wide = []
    resized = {*SERIOUS["templates"], *SERIOUS["studies"]}
    with served(site) as address:
        visit = Visit(browser, address, "phone")
        # One template makes the pages of all claims, and one those of all modules: every twentieth
        # stands for them.
        pages = addresses(site)
        for of_one_template in ("claims/", "api/"):
            same = [page for page in pages if page.startswith(of_one_template)]
            pages = sorted(set(pages) - set(same)) + same[::20]
        for name in pages:
            page = visit.go(name)
            # Whether a page fits after a change of size is up to the scripts of its template.
            for look in ("phone", "desktop", "phone") if name in resized else ("phone",):
                visit.look(look)
                if is_too_wide(page):
                    wide.append(f"{name}, {look}")
        visit.context.close()
    assert visit.problems == []
    assert wide == []


SERIOUS = {
    "templates": (
        *("index.html", "studies/index.html", "studies/systems.html", "docs/index.html"),
        *("docs/decisions.html", "api/index.html", "api/receval.protocols.candidates.html"),
        *("ledger.html", "errata.html"),
    ),
    "studies": tuple(f"studies/{paper}.html" for paper in PAPERS[::3]),
    "ledgers": tuple(f"ledger/{paper}.html" for paper in PAPERS[1::3]),
}
"""Pages that axe-core looks at, in groups; one template makes the pages of all papers."""


@pytest.mark.parametrize("pages", SERIOUS)
def test_axe_finds_nothing_serious(
    browser: Any, accepted_site: tuple[Path, Path], pages: str
) -> None:
    site, _ = accepted_site
    with served(site) as address:
        visit = Visit(browser, address)
        found = [fault for page in SERIOUS[pages] for fault in visit.serious(page)]
        visit.context.close()
    assert (found, visit.problems) == ([], [])


def test_axe_finds_nothing_serious_in_the_small_site(browser: Any, small: str) -> None:
    visit = Visit(browser, small)
    pages = ["ledger.html", "ledger.html?q=p", "ledger/paper2018.html", "claims/A-001.html"]
    pages += ["errata.html", "studies/paper2018.html"]
    found = [fault for page in pages for fault in visit.serious(page)]
    visit.context.close()
    assert (found, visit.problems) == ([], [])


FILTERS: dict[str, Callable[[LedgerClaim], bool]] = {
    "paper=valcarce2018": lambda claim: claim.first.paper == "valcarce2018",
    "verdict=does+not+hold": lambda claim: claim.verdict == "does not hold",
    "paper=canamares2020&verdict=holds&form=own": lambda claim: (
        (claim.first.paper, claim.verdict) == ("canamares2020", "holds")
    ),
    "kind=number&dataset=ml-1m": lambda claim: (
        claim.first.kind == "number" and any(row.dataset == "ml-1m" for row in claim.own)
    ),
    "dataset=netflix&verdict=undecidable+here": lambda claim: any(
        (row.dataset, row.verdict) == ("netflix", "undecidable here") for row in claim.own
    ),
    "in_paper=inconsistent": lambda claim: claim.in_paper == "inconsistent",
    "artifact=valcarce2018/fig01": lambda claim: any(
        ("valcarce2018", "fig01") in row.artifacts for row in claim.own
    ),
}
"""Queries of the ledger, and the claims that fit."""


@pytest.mark.parametrize("query", FILTERS)
def test_filters_find_the_claims_that_the_ledger_has(
    browser: Any, accepted_site: tuple[Path, Path], query: str
) -> None:
    site, ledger = accepted_site
    claims = claims_in(read_verdict_rows(ledger))
    fit = {claim.number for claim in claims if FILTERS[query](claim)}
    with served(site) as address:
        visit = Visit(browser, address)
        page = visit.go(f"ledger.html?{query}")
        found = page.inner_text(".found")
        if page.locator(".more").is_visible():
            page.click(".more button")
        assert set(visit.shown_claims()) == fit
        visit.context.close()
    assert found == f"{len(fit)} of {len(claims)} claims"
    assert visit.problems == []


@pytest.fixture
def ledger(browser: Any, small: str) -> Iterator[Visit]:
    """The ledger of the small site, opened."""
    visit = Visit(browser, small)
    visit.go("ledger.html")
    yield visit
    visit.context.close()
    assert visit.problems == []


def test_who_has_asked_for_nothing_sees_counts_and_can_list_all(ledger: Visit) -> None:
    page = ledger.page
    assert ledger.shown_claims() == []
    assert page.inner_text(".found") == "All 6 claims"
    page.click(".more button")
    assert len(ledger.shown_claims()) == 6
    assert page.evaluate("document.activeElement.textContent") == "A-001"


def test_typing_and_choosing_filter_and_are_kept_in_the_address(ledger: Visit) -> None:
    page = ledger.page
    page.fill("#q", "p at 10")
    page.select_option("#paper", "paper2018")
    assert ledger.shown_claims() == ["A-001", "A-003", "A-004"]
    assert page.url.endswith("ledger.html?q=p+at+10&paper=paper2018")
    page.reload()
    assert ledger.shown_claims() == ["A-001", "A-003", "A-004"]
    page.click("button[type=reset]")
    page.wait_for_function("document.querySelector('.found').textContent.startsWith('All')")
    assert page.url.endswith("ledger.html")


def test_a_filter_that_nothing_fits_says_so(ledger: Visit) -> None:
    ledger.page.fill("#q", "no such claim")
    assert ledger.shown_claims() == []
    assert ledger.page.inner_text(".found") == "0 of 6 claims"


@pytest.mark.parametrize("anchor", ["A-001", "A-001-netflix"])
def test_addresses_of_rows_of_old_lead_to_the_page_of_the_claim(
    browser: Any, small: str, anchor: str
) -> None:
    visit = Visit(browser, small)
    page = visit.go(f"ledger.html?paper=other2020#{anchor}")
    page.wait_for_url("**/claims/A-001.html")
    visit.context.close()
    assert visit.problems == []


def test_the_picture_of_what_decides_a_claim_is_shown(browser: Any, small: str) -> None:
    visit = Visit(browser, small)
    page = visit.go("claims/A-001.html")
    page.locator(".known img").scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.known img').naturalWidth > 0")
    visit.context.close()
    assert visit.problems == []


def test_a_figure_that_an_address_names_is_unfolded(browser: Any, small: str) -> None:
    visit = Visit(browser, small)
    page = visit.go("ledger/paper2018.html#figure-1")
    assert page.locator("#figure-1 li").first.is_visible()
    assert page.locator("details:not([open])").count() == 0
    visit.context.close()


def test_without_javascript_the_ledger_leads_to_the_pages_of_the_papers(
    browser: Any, small: str
) -> None:
    visit = Visit(browser, small, java_script_enabled=False)
    page = visit.go("ledger.html")
    assert not page.locator(".filters").is_visible()
    assert page.locator("noscript").is_visible()
    page.click("nav[aria-label='Claims by paper'] a")
    assert page.locator("main h2#all").is_visible()
    visit.context.close()


@pytest.mark.parametrize(
    ("name", "count"), [("studies/rampisela2024", 3), ("docs/architecture", 2)]
)
def test_a_tap_on_a_figure_opens_it_in_full_size_and_the_page_says_so(
    browser: Any, accepted_site: tuple[Path, Path], name: str, count: int
) -> None:
    site, _ = accepted_site
    with served(site) as address:
        visit = Visit(browser, address, "phone", has_touch=True)
        page = visit.go(f"{name}.html")
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.inner_text(".tap") == "Tap a figure to see it in full size."
        pictures = page.locator("a.picture img")
        assert pictures.count() == count
        for at in range(count):
            # A picture that is not loaded yet may have no size.
            full = pictures.nth(at).evaluate(
                "async (p) => { p.loading = 'eager'; await p.decode(); return p.naturalWidth }"
            )
            assert 0 < pictures.nth(at).bounding_box()["width"] < 390
            pictures.nth(at).tap()
            page.wait_for_url("**/*.svg")
            width = page.evaluate("document.documentElement.getBoundingClientRect().width")
            assert width == pytest.approx(full, abs=1)
            page.go_back()
        visit.context.close()


def test_a_part_of_a_bar_leads_to_its_claims(browser: Any, small: str) -> None:
    visit = Visit(browser, small)
    page = visit.go("index.html")
    page.locator("svg.bars a[href*='paper2018'] .fails").first.click()
    page.wait_for_selector("#found li")
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
