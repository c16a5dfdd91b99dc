# SPDX-License-Identifier: MIT
"""docs/scale.md and its figure show what the records in benchmarks/scale have."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORDS = sorted((ROOT / "benchmarks" / "scale").rglob("*.json*"))
COMMITS = [record for record in RECORDS if record.parent.name == "commits"]
"""Of what two commits made of the same inputs: ``benchmarks/between_commits.py`` writes them."""


@pytest.fixture(scope="module")
def netflix() -> list[Any]:
    """Return the records of canamares2020 by size, each a RunRecord of benchmarks/job_records.py.

    Programs are found by tests that run, and not where tests are collected: some have the names of
    folders of tests.
    """
    sys.path.extend(str(ROOT / name) for name in ("docs/scale", "benchmarks"))
    from write_page import records_of

    found = records_of("canamares2020", "netflix")
    assert [round(own.millions) for own in found] == [1, 3, 10, 30, 100]
    return found


@pytest.mark.repository
@pytest.mark.usefixtures("netflix")
def test_page_and_figure_are_what_the_program_makes_of_the_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from write_page import main

    monkeypatch.setattr(sys, "argv", ["write_page.py", "--check"])
    assert main() == 0


def test_the_largest_size_is_whole_and_keeps_its_limits(netflix: list[Any]) -> None:
    from job_records import GIB, resident

    record = netflix[-1]
    assert record.choices == 100_480_507
    assert len(record.jobs) == record.planned
    assert max(job.peak for job in record.jobs) <= 16 * GIB
    assert resident(record.jobs) <= 20 * GIB
    assert record.wall <= 6 * 3600


def test_nothing_but_the_time_of_neighbourhoods_grows_faster_than_the_ratings(
    netflix: list[Any],
) -> None:
    from job_records import comparable, fitted_exponent
    from stage_measures import NEIGHBOURHOODS, cpu_minutes, peak_gib, staged

    records = comparable(netflix)
    sizes = [record.millions for record in records]
    by_size = [staged(record) for record in records]
    for measure, quadratic in ((cpu_minutes, {"all", *NEIGHBOURHOODS}), (peak_gib, set[str]())):
        linear = [stage for stage in by_size[-1] if stage not in quadratic]
        assert len(linear) > 8
        for stage in linear:
            values = [measure(own[stage]) for own in by_size]
            assert fitted_exponent(sizes, values) <= 1.1, stage
            assert fitted_exponent(sizes[-2:], values[-2:]) <= 1.1, stage


@pytest.mark.each("record", COMMITS, ids=lambda record: record.stem)
def test_the_work_on_speed_has_changed_no_result(record: Path) -> None:
    _, *jobs = map(json.loads, record.read_text(encoding="utf-8").splitlines())
    assert len(jobs) > 1
    assert [job["subject"] for job in jobs if job["different"]] == []


@pytest.mark.each("record", RECORDS, ids=lambda record: record.stem)
def test_records_say_nothing_of_the_machine(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    assert not re.search(r"/(?:work|tmp|home)|20\d\d-\d\d", text)


def test_figure_is_described_and_its_texts_do_not_overlap(netflix: list[Any]) -> None:
    import growth_figure
    from figures.text_problems import text_problems

    from receval.figures.style import figure_style

    with figure_style():
        assert text_problems(growth_figure.draw(netflix)) == []
    svg = (ROOT / "docs" / "scale" / "growth.svg").read_text(encoding="utf-8")
    assert growth_figure.TITLE in svg
