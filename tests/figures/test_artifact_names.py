# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from receval.figures.display import heading, printed_name

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.each(
    ("artifact", "name"),
    [
        ("fig02", "Figure 2"),
        ("fig18", "Figure 18"),
        ("table1", "Table 1"),
        ("fig08_relations", "Figure 8, relations"),
        ("universes", ""),
    ],
)
def test_figures_and_tables_are_called_as_in_print(artifact: str, name: str) -> None:
    assert printed_name(artifact) == name


def test_a_heading_is_the_name_and_the_title() -> None:
    assert heading("fig02", "Precision") == "Figure 2: Precision"
    assert heading("universes", "The winner") == "The winner"


@pytest.mark.costly
def test_the_first_page_of_the_report_has_the_title_of_every_study() -> None:
    page = (ROOT / "workflow" / "report" / "workflow.rst").read_text(encoding="utf-8")
    for path in (ROOT / "config" / "studies").iterdir():
        title = yaml.safe_load(path.read_text(encoding="utf-8"))["title"]
        assert f'"{path.stem}": "{title}",' in page
