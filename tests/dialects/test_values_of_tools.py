# SPDX-License-Identifier: MIT
"""Dialects give the values that the tools themselves gave for random lists."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from receval.metrics.dialects import DIALECTS, dialect
from reproduction.publishing import dialects_page
from reproduction.publishing.dialects_page import (
    END,
    EXACT,
    KNOWN_DEVIATIONS,
    START,
    KnownDeviation,
    compared,
    fixture_tools,
    is_ours,
    page_of_dialects,
    reason_for,
)

FOLDER = Path(__file__).with_name("fixtures")
TOOLS = fixture_tools(FOLDER)
OF_LISTS = Path(__file__).parents[1] / "metrics" / "whole_lists" / "fixtures"
PAGE = Path(__file__).parents[2] / "docs" / "dialects.md"

# Tools that no fixture is of: Java programs, and the one of which there is no source.
NOT_RUN = {"ranksys", "librec-2.0", "librec-3.0", "valcarce2018"}


# Tests of single tools and of the page share what was compared.
values_of = cache(compared)


@cache
def fresh_page() -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialects_page, "compared", values_of)
        return page_of_dialects(PAGE.read_text(encoding="utf-8"), FOLDER, OF_LISTS)


@pytest.mark.costly
@pytest.mark.parametrize("tool", TOOLS)
def test_every_value_of_a_tool_is_ours_or_has_a_reason(tool: str) -> None:
    values, _ = values_of(tool, FOLDER)
    strange = [value for value in values if not is_ours(value) and reason_for(value) is None]
    assert not strange[:5]
    exact = [value for value in values if is_ours(value)]
    assert len(exact) >= len(values) / 3
    assert {bool(value.user) for value in values} >= {False}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.costly
def test_no_metric_of_a_fixture_is_left_out_without_a_reason(tool: str) -> None:
    for name, why in values_of(tool, FOLDER)[1].items():
        assert re.search(
            "no metric of this name|cannot compute it with|is a metric of whole lists", why
        ), (name, why)


@pytest.mark.parametrize("known", KNOWN_DEVIATIONS, ids=lambda known: f"{known.tool} {known.why}")
@pytest.mark.costly
def test_every_reason_is_needed(known: KnownDeviation) -> None:
    values, _ = values_of(known.tool, FOLDER)
    assert any(known.concerns(value) and not is_ours(value) for value in values)


def test_every_dialect_but_those_that_were_not_run_is_held_to_its_tool() -> None:
    run = {dialect(tool).name for tool in TOOLS}
    assert run == set(DIALECTS) - NOT_RUN
    assert EXACT == 1e-12


@pytest.mark.costly
def test_every_metric_of_a_tool_that_was_run_was_compared() -> None:
    text = fresh_page().partition(START)[2].partition(END)[0]
    rows = re.findall(r"^- `[^`]+`: `[^`]+`$", text, flags=re.M)
    assert len(rows) == sum(len(dialect(name).entries) for name in DIALECTS)
    not_run = set(re.findall(r"^\| `(\S+)` \| .* \| not run \|$", text, flags=re.M))
    assert not_run == NOT_RUN
    sections = re.findall(r"^### [^\n]*: `(\S+)`$(.*?)(?=^### |\Z)", text, flags=re.M | re.S)
    assert [name for name, _ in sections] == list(DIALECTS)
    missing = {
        name: listed.split(", ")
        for name, section in sections
        for listed in re.findall(r"Not compared: (.*)\.$", section, flags=re.M)
    }
    assert missing == {
        "recbole": ["`gauc`"],
        "elliot": ["`nDCGRendle2020@k`", "`AUC`", "`GAUC`", "`LAUC@k`"],
        "lenskit-0.14": ["`dcg`", "`dcg without=rating`"],
        "ranx": ["`rbp.50`", "`rbp.80`", "`rbp.90`"],
        "recommenders": ["`ndcg_at_k@k score_type=binary`"],
    }


@pytest.mark.costly
def test_the_page_is_what_the_command_writes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == fresh_page(), "write docs/dialects.md: receval repo dialects"


def test_a_page_without_marks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialects_page, "tables_of_dialects", lambda folder: "")
    with pytest.raises(ValueError, match="must have the lines"):
        page_of_dialects("# Dialects\n", FOLDER)
