# SPDX-License-Identifier: MIT
"""Pages of all commands in Chromium: no errors, tables that sort, nothing wider than a phone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from publishing.browser import LOOKS, Visit, is_too_wide, served, started_browser

from receval.cli.main import main

# They take two minutes.
pytestmark = pytest.mark.repository


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium."""
    with started_browser() as started:
        yield started


PAGES = {
    "runs": ["runs", "*.tsv", "--test", "held_out.csv", "--protocol", "AR AI-AN", "--protocol",
             "1R TI-AN", "--metric", "RR", "--metric", "P@5", "--depth", "whole"],
    "evaluate": ["evaluate", "ratings.csv", "--system", "pop", "--system", "user-knn:neighbours=5"],
    "diagnose": ["diagnose", "ratings.csv"],
    "multiverse": ["multiverse", "ratings.csv", "--systems", "pop,user-knn:neighbours=5"],
    "audit-samples": ["audit-samples", "--test", "held_out.csv", "system0.tsv", "system1.tsv",
                      "--sampled", "3"],
}  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a folder with the folder of each command."""
    folder = tmp_path_factory.mktemp("page")
    with contextlib.chdir(folder):
        _write_data()
        for name, words in PAGES.items():
            files = [
                found
                for word in words
                for found in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
            ]
            assert main([*files, "--out", name]) == 0
    with served(folder) as started:
        yield started


def _write_data() -> None:
    rng = np.random.default_rng(1)
    users, items = np.divmod(np.arange(300), 10)
    held_out = {"user": users, "item": items, "rating": rng.integers(1, 6, 300)}
    pd.DataFrame(held_out).to_csv("held_out.csv", index=False)
    for number in range(6):
        run = pd.DataFrame({"user": users, "item": items, "score": rng.random(300)})
        run.to_csv(f"system{number}.tsv", sep="\t", index=False)
    run[:200].to_csv("short.tsv", sep="\t", index=False)
    chosen = rng.random((60, 40)) < 0.9 / np.sqrt(np.arange(1, 41))
    users, items = np.nonzero(chosen)
    ratings = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    pd.DataFrame(ratings).to_csv("ratings.csv", index=False)


@pytest.mark.each("name", PAGES)
def test_a_page_has_no_errors_and_fits_its_window(browser: Any, address: str, name: str) -> None:
    visit = Visit(browser, address)
    page = visit.go(f"{name}/report.html")
    drawn = page.locator("figure svg")
    assert drawn.count() >= 1
    for number in range(drawn.count()):
        assert drawn.nth(number).is_visible()
    if name == "runs":
        notes = page.locator(".notes").inner_text()
        assert "short has no list for 10 of the 30 tested users" in notes
    for look in LOOKS:
        visit.look(look)
        assert not is_too_wide(page)
    assert visit.serious(f"{name}/report.html") == []
    visit.context.close()
    assert visit.problems == []


def test_tables_sort_by_numbers_and_by_names(browser: Any, address: str) -> None:
    visit = Visit(browser, address)
    page = visit.go("runs/report.html")
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
