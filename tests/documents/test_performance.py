# SPDX-License-Identifier: MIT
"""docs/performance.md shows what ``make bench`` measured, and slowdowns are noticed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "performance"


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    """The program, which lies among the benchmarks."""
    sys.path.append(str(ROOT / "benchmarks"))
    try:
        import bench

        yield bench
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def test_the_page_is_made_from_the_record(bench: ModuleType) -> None:
    record = json.loads((FOLDER / "measured.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert bench.page(record) == page, "Write it again: make bench"


def test_every_goal_is_of_a_comparison_that_was_measured(bench: ModuleType) -> None:
    record = json.loads((FOLDER / "measured.json").read_text(encoding="utf-8"))
    measured = {(row["program"], row["peer"]) for row in record["comparisons"]}
    assert bench.GOALS.keys() <= measured
    assert bench.GOALS_OF_PROGRAMS.keys() <= {program for program, _ in measured}


def test_every_program_of_the_short_run_has_accepted_ratios(bench: ModuleType) -> None:
    record = json.loads((FOLDER / "short.json").read_text(encoding="utf-8"))
    short = {program.path for program in bench.PROGRAMS if program.short is not None}
    assert {row["program"] for row in record["comparisons"]} == short


def test_a_ratio_is_slower_if_its_lowest_is_more_than_a_third_above_the_accepted_one(
    bench: ModuleType,
) -> None:
    def found(*ratios: float) -> dict[tuple[str, str, str], object]:
        key = ("a.py", "sorting", "numpy")
        return {key: bench.Comparison(*key, list(ratios))}

    accepted = {("a.py", "sorting", "numpy"): 0.3}
    assert bench.slower(found(0.41), accepted) == [("a.py", "sorting", "numpy")]
    assert bench.slower(found(0.39), accepted) == []
    assert bench.slower(found(0.9, 0.35), accepted) == []
    assert bench.slower(found(0.9), {}) == []


@pytest.mark.parametrize(
    ("ratio", "shown"), [(0.25, ".25"), (1.19, "1.19"), (0.0391, ".039"), (0.0001, "1/10,000")]
)
def test_ratios_are_shown_with_the_digits_that_matter(
    bench: ModuleType, ratio: float, shown: str
) -> None:
    assert bench._shown(ratio) == shown
