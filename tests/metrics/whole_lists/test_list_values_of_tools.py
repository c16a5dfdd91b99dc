# SPDX-License-Identifier: MIT
"""Metrics of whole lists have the values that other tools gave for the same lists.

The fixtures are written by benchmarks/dialects/run_whole_lists.py.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from reproduction.publishing.dialects_page import (
    DIFFERENCES,
    EXACT_OF_LISTS,
    OURS,
    TOOLS,
    Difference,
    ListValue,
    list_values_of,
)

FOLDER = Path(__file__).with_name("fixtures")
LISTS = Path(__file__).parents[2] / "dialects" / "fixtures" / "lists.json"


@cache
def _values(tool: str) -> list[ListValue]:
    return list_values_of(tool, FOLDER, LISTS)


@pytest.mark.parametrize("tool", OURS)
def test_every_value_of_a_tool_is_ours_or_has_a_reason(tool: str) -> None:
    values = _values(tool)
    strange = [
        value
        for value in values
        if value.deviation > OURS[tool][value.name].exact and value.difference is None
    ]

    assert not strange[:5]
    assert {value.name for value in values} == set(OURS[tool])


@pytest.mark.each("known", DIFFERENCES, ids=lambda known: f"{known.tool} {known.name}")
def test_every_reason_is_needed_in_each_of_its_cases(known: Difference) -> None:
    differing = {
        value.case
        for value in _values(known.tool)
        if value.difference is known and value.deviation > EXACT_OF_LISTS
    }

    assert differing == known.cases


def test_there_are_values_of_every_tool() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(OURS) == set(TOOLS)
    for tool in OURS:
        fixture = json.loads((FOLDER / f"{tool}.json").read_text(encoding="utf-8"))
        assert len(fixture["values"]) >= 2
