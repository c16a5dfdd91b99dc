# SPDX-License-Identifier: MIT
"""The page of a study: what each of its figures shows, if it does."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from studies.accepted_results import ROOT

from receval.config.settings import EDITIONS, load_settings
from receval.studies._shared.message import Message
from receval.workflow.plan.plan import Plan
from receval.workflow.study_index import (
    CLAIMED,
    NOT_SEEN,
    OF_TWINS,
    SHOWN_ELSEWHERE,
    write_index,
)

STUDY: dict[str, Any] = {
    "title": "Rankings",
    "citation": "A. Author, 2020.",
    "is_demo": False,
    "is_paper": True,
    "datasets": ["ML-1M"],
    "artifacts": [
        {
            "name": "fig02",
            "title": "Precision",
            "caption": "P@10 of two systems.",
            "suffixes": ["svg", "pdf", "csv"],
        },
        {
            "name": "table1",
            "title": "Datasets",
            "caption": "Their sizes.",
            "suffixes": ["md", "tex", "csv"],
        },
    ],
}


def fig02(results: pd.DataFrame) -> Message:
    best = results.loc[results["value"].idxmax()]
    return Message(
        "A bar is a system; higher is better.",
        f"{best['system']} is best, with {best['value']:.2f}.",
        holds=bool(best["system"] == "kNN"),
        claim="kNN is best.",
    )


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of messages."""
    made = ModuleType("receval.studies.rankings.messages")
    made.MESSAGES = {"fig02": fig02}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def page(module: ModuleType, folder: Path, values: dict[str, float], **changes: Any) -> str:
    results = folder / "fig02.csv"
    pd.DataFrame({"system": list(values), "value": list(values.values())}).to_csv(
        results, index=False
    )
    write_index(
        module=module.__name__,
        study={**STUDY, **changes},
        results=[results],
        index=folder / "index.md",
    )
    return (folder / "index.md").read_text(encoding="utf-8")


def test_a_figure_has_its_caption_how_to_read_it_and_what_it_shows(
    module: ModuleType, tmp_path: Path
) -> None:
    text = page(module, tmp_path, {"kNN": 0.5, "Pop": 0.25})
    assert text.startswith("# Rankings\n\nA. Author, 2020.\n\n- [Figure 2: Precision]")
    assert "![Figure 2: Precision](fig02.svg)" in text
    assert "*How to read it.* A bar is a system; higher is better." in text
    assert "*What it shows.* kNN is best, with .50.\n" in text
    assert "[svg](fig02.svg) · [pdf](fig02.pdf) · [csv](fig02.csv)" in text
    assert NOT_SEEN not in text


def test_results_that_do_not_show_it_are_said_not_to(module: ModuleType, tmp_path: Path) -> None:
    text = page(module, tmp_path, {"kNN": 0.2, "Pop": 0.25})
    assert f"*{CLAIMED}* kNN is best. **{NOT_SEEN}**" in text
    assert "Pop is best" not in text


def test_a_part_that_is_seen_is_said(module: ModuleType, tmp_path: Path) -> None:
    def partly(results: pd.DataFrame) -> Message:
        return replace(fig02(results), partly="kNN is second, with -0.5.")

    module.MESSAGES = {"fig02": partly}  # type: ignore[attr-defined]
    text = page(module, tmp_path, {"kNN": 0.2, "Pop": 0.25})
    said = "**kNN is second, with \N{MINUS SIGN}.5.**"
    assert f"*{CLAIMED}* kNN is best. {said}" in text
    assert NOT_SEEN not in text
    assert "**" not in page(module, tmp_path, {"kNN": 0.5, "Pop": 0.25})


def test_twins_are_called_so_and_not_compared_with_the_paper(
    module: ModuleType, tmp_path: Path
) -> None:
    def named(_: pd.DataFrame) -> Message:
        return Message("A bar.", "On ML-1M it is.", holds=True, beside="The paper has ML-1M.")

    module.MESSAGES = {"fig02": named}  # type: ignore[attr-defined]
    real = page(module, tmp_path, {"kNN": 0.5})
    assert "*What it shows.* On ML-1M it is. The paper has ML-1M.\n" in real
    twin = page(module, tmp_path, {"kNN": 0.5}, is_demo=True)
    assert "*What it shows.* On the twin of ML-1M it is.\n" in twin


def test_a_study_of_our_own_has_no_paper(module: ModuleType, tmp_path: Path) -> None:
    text = page(module, tmp_path, {"kNN": 0.2, "Pop": 0.25}, is_paper=False)
    assert f"*{SHOWN_ELSEWHERE}* kNN is best. **{NOT_SEEN}**" in text
    assert CLAIMED not in text


def test_twins_are_said_to_be_twins(module: ModuleType, tmp_path: Path) -> None:
    values = {"kNN": 0.5, "Pop": 0.25}
    assert OF_TWINS in page(module, tmp_path, values, is_demo=True)
    assert OF_TWINS not in page(module, tmp_path, values)


def test_a_table_has_its_caption_and_no_picture(module: ModuleType, tmp_path: Path) -> None:
    section = page(module, tmp_path, {"kNN": 0.5}).partition("## Table 1: Datasets")[2]
    assert "Their sizes." in section
    assert "[Table 1 (md)](table1.md) · [tex](table1.tex) · [csv](table1.csv)" in section
    assert "![" not in section


def test_the_contents_lead_to_the_sections(module: ModuleType, tmp_path: Path) -> None:
    twice = [
        {**STUDY["artifacts"][1], "name": name, "title": "What (and why): P@10"}
        for name in ("one", "other")
    ]
    text = page(module, tmp_path, {"kNN": 0.5}, artifacts=twice)
    assert "- [What (and why): P@10](#what-and-why-p10)\n" in text
    assert "- [What (and why): P@10](#what-and-why-p10-1)\n" in text


@pytest.mark.parametrize(
    ("caption", "printed"),
    [
        ("With |T_u| = 100 and T_u^1.", r"With $`\lvert T_u \rvert`$ = 100 and $`T_u^1`$."),
        ("Added: 1e-5, down to -0.5.", "Added: $`10^{-5}`$, down to \N{MINUS SIGN}.5."),
        ("Whose $`N_u`$ is |x|, GF1*.", r"Whose $`N_u`$ is \|x\|, GF1\*."),
        ("See docs/robustness.md.", "See [docs/robustness.md](../../../docs/robustness.md)."),
        ("Absent (README: how).", "Absent ([README](../../../README.md): how)."),
        ("The column signed_one.", "The column signed_one."),
    ],
)
def test_a_caption_is_printed_as_github_shows_it(
    module: ModuleType, tmp_path: Path, caption: str, printed: str
) -> None:
    artifact = {**STUDY["artifacts"][1], "caption": caption}
    assert f"\n\n{printed}\n\n" in page(module, tmp_path, {"kNN": 0.5}, artifacts=[artifact])


def test_a_figure_without_a_message_is_refused(module: ModuleType, tmp_path: Path) -> None:
    module.MESSAGES = {}  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="has no message for fig02: add a function"):
        page(module, tmp_path, {"kNN": 0.5})


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_page_lists_what_the_study_makes_and_reads_its_figures(edition: str) -> None:
    plan = Plan(load_settings(ROOT / "config", edition), ROOT)
    for study in plan.studies.specs:
        made = plan.artifacts.made(study)
        described = plan.studies.page(study)
        assert [artifact["name"] for artifact in described["artifacts"]] == made
        assert described["is_paper"] == (study not in ("followups", "multiverse", "systems"))
        figures = [name for name in made if plan.artifacts.spec(study, name).kind == "figure"]
        assert [Path(file).stem for file in plan.studies.figure_results(study)] == figures
        assert plan.studies.page_file(study) in plan.studies.files(study)
