# SPDX-License-Identifier: MIT
"""docs/scale.md and its figure show what the records in benchmarks/scale have."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
RECORDS = sorted((ROOT / "benchmarks" / "scale").rglob("*.json*"))


def block(name: str) -> str:
    return PAGE.partition(f"<!-- begin: {name} -->")[2].partition(f"<!-- end: {name} -->")[0]


def test_page_and_figure_are_what_the_program_makes_of_the_records() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "docs" / "scale" / "write_page.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def growth_rows(head: str) -> list[tuple[str, float, float]]:
    """Return stage, exponent over all sizes and exponent of the last step of a table of growth."""
    _, found, table = block("growth").partition(f"| {head} |")
    assert found
    row = r"^\| (.+?) \|.*?\| ([\d.-]+) \| ([\d.-]+) \| \d(?: and \d)? \|$"
    rows = re.findall(row, table.partition("\n\n")[0], re.M)
    assert len(rows) > 9
    return [(stage, float(exponent), float(last)) for stage, exponent, last in rows]


def test_nothing_but_the_time_of_neighbourhoods_grows_faster_than_the_ratings() -> None:
    # What is quadratic decides the sum of all.
    times = [
        row for row in growth_rows("CPU, min") if not row[0].startswith(("neighbourhoods", "all"))
    ]
    faster = [row for row in [*times, *growth_rows("largest job, GiB")] if max(row[1:]) > 1.1]
    assert faster == []


def test_the_work_on_speed_has_changed_no_result() -> None:
    rows = re.findall(
        r"^\| (\w+, [\w-]+) \| \w+ to \w+ \| (\d+) \| (\d+) \|", block("commits"), re.M
    )
    assert len(rows) > 1
    assert [(name, different) for name, _, different in rows if different != "0"] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_records_say_nothing_of_the_machine(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    assert not re.search(r"/(?:work|tmp|home)|20\d\d-\d\d", text)


def test_figure_is_described_and_its_texts_do_not_overlap() -> None:
    sys.path.extend(str(ROOT / name) for name in ("docs/scale", "benchmarks"))
    import growth_figure
    from write_page import records_of

    from receval.figures.style import figure_style
    from receval.figures.text_problems import text_problems

    with figure_style():
        assert text_problems(growth_figure.draw(records_of("canamares2020", "netflix"))) == []
    svg = (ROOT / "docs" / "scale" / "growth.svg").read_text(encoding="utf-8")
    assert growth_figure.TITLE in svg
