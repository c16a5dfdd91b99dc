# SPDX-License-Identifier: MIT
"""The page of a result in Chromium: no errors, tables that sort, nothing wider than a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from publishing.browser import LOOKS, Visit, is_too_wide, serious, served, started_browser

from receval.comparison.runs import evaluate_runs


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium."""
    with started_browser() as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a folder with the page of six runs."""
    rng = np.random.default_rng(1)
    users, items = np.divmod(np.arange(300), 10)
    held_out = {"user": users, "item": items, "rating": rng.integers(1, 6, 300)}
    runs = {
        f"system {number}": {"user": users, "item": items, "score": rng.random(300)}
        for number in range(6)
    }
    runs["short"] = {name: column[:200] for name, column in runs["system 0"].items()}
    result = evaluate_runs(
        held_out, runs, protocols=["AR AI-AN", "1R TI-AN"], metrics=["RR", "P@5"], depth="whole"
    )
    folder = tmp_path_factory.mktemp("page")
    result.report(folder / "index.html")
    with served(Path(folder)) as started:
        yield started


@pytest.mark.parametrize("look", LOOKS)
def test_the_page_has_no_errors_and_fits_its_window(browser: Any, address: str, look: str) -> None:
    visit = Visit(browser, address, look)
    page = visit.go("index.html")
    assert page.locator("svg").first.is_visible()
    assert "short has no list for 10 of the 30 users" in page.locator(".notes").inner_text()
    assert not is_too_wide(page)
    assert serious(page) == []
    visit.context.close()
    assert visit.problems == []


def test_tables_sort_by_numbers_and_by_names(browser: Any, address: str) -> None:
    visit = Visit(browser, address)
    page = visit.go("index.html")
    pairs = page.locator("table").nth(1)

    def cells(column: int) -> list[str]:
        return pairs.locator(f"tbody tr td:nth-child({column})").all_inner_texts()

    difference = pairs.locator("th", has_text="Difference").locator("button")
    difference.click()
    falling = [float(text.replace("\u2212", "-")) for text in cells(5)]
    assert falling == sorted(falling, reverse=True)
    difference.press("Enter")
    rising = [float(text.replace("\u2212", "-")) for text in cells(5)]
    assert rising == sorted(rising)
    pairs.locator("th", has_text="First").locator("button").click()
    assert cells(3) == sorted(cells(3), reverse=True)
    visit.context.close()
