# SPDX-License-Identifier: MIT
"""The page of a study: how each of its figures is read, and what it shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from studies.accepted_results import ROOT

from receval.storage.files import write_results
from reproduction.claims.ledger import COLUMNS
from reproduction.claims.spec import read_claims
from reproduction.config.settings import EDITIONS, load_settings
from reproduction.publishing.site.study_pages import read_study_text
from reproduction.workflow.jobs.publishing import OF_TWINS, write_index
from reproduction.workflow.plan.plan import Plan

BEST = {
    "statement": "kNN is best.",
    "checks": [
        {
            "dataset": "ml-1m",
            "decide": {
                "rule": "order",
                "values": {"each": ["system"]},
                "tiers": [["kNN"], ["others"]],
            },
            "here": "On ML-1M it has {value:.2f}.",
            "numbers": {"value": {"where": {"system": "kNN"}}},
        }
    ],
}
STUDY: dict[str, Any] = {
    "name": "rankings2020",
    "title": "Rankings",
    "citation": "A. Author, 2020.",
    "findings": [],
    "is_demo": False,
    "datasets": {"ml-1m": "ML-1M"},
    "generated": [],
    "artifacts": [
        {
            "name": "fig02",
            "code": "studies/rankings2020/fig02.py",
            "title": "Precision",
            "caption": "P@10 of two systems.",
            "reading": "A bar is a system; higher is better.",
            "shows": ["R-001"],
            "suffixes": ["svg", "pdf", "csv"],
        },
        {
            "name": "table1",
            "code": "studies/tables/sizes.py",
            "title": "Datasets",
            "caption": "Their sizes.",
            "reading": "",
            "shows": [],
            "suffixes": ["md", "tex", "csv"],
        },
    ],
}
CLAIM = {
    "claim": "R-001",
    "paper": "rankings2020",
    "where": "Section 2",
    "statement": "kNN is best by P@10.",
    "dataset": "ml-1m",
    "ours": "kNN has .50, Pop .25",
    "verdict": "holds",
    "artifact": "rankings2020/fig02; rankings2020/fig03",
    "splits": "Holds on 20 of 20 splits.",
}
LINK = "([R-001](../claims_rankings2020.md#R-001), Section 2)"


def page(folder: Path, shows: tuple[Any, ...] = ("R-001",), **changes: Any) -> str:
    rows = pd.DataFrame({"dataset": "ml-1m", "system": ["kNN", "Pop"], "value": [0.5, 0.25]})
    write_results(rows, folder / "fig02.csv")
    write_results(pd.DataFrame([CLAIM], columns=list(COLUMNS)), folder / "verdicts.csv")
    record = folder / "provenance.json"
    record.write_text(json.dumps({"config": {"edition": "full"}, "datasets": {"ml-1m": {}}}))
    figure, table = STUDY["artifacts"]
    own = {"artifacts": [{**figure, "shows": list(shows)}, table], **changes}
    write_index(
        study={**STUDY, **own},
        record=record,
        results=[folder / "fig02.csv"],
        verdicts=[folder / "verdicts.csv"],
        index=folder / "index.md",
    )
    return (folder / "index.md").read_text(encoding="utf-8")


def test_a_figure_has_its_caption_how_to_read_it_and_the_claim_that_it_shows(
    tmp_path: Path,
) -> None:
    text = page(tmp_path)
    assert text.startswith("# Rankings\n\nA. Author, 2020.\n\n- [Figure 2: Precision]")
    assert "![Figure 2: Precision](fig02.svg)" in text
    assert "*How to read it.* A bar is a system; higher is better." in text
    said = "**Holds on ML-1M:** kNN has .50, Pop .25. Holds on 20 of 20 splits."
    assert f"*What it shows.* kNN is best by P@10. {said} {LINK}\n" in text
    assert "[svg](fig02.svg) · [pdf](fig02.pdf) · [csv](fig02.csv)" in text


def test_a_page_begins_with_three_findings_and_the_first_figure_of_those_that_are_made(
    tmp_path: Path,
) -> None:
    text = page(tmp_path, ("R-001", BEST, BEST, "R-001"), findings=["fig02", "fig09"])
    head, _, _ = text.partition("\n\n## ")
    _, _, found = head.partition("**What was found.**\n\n")
    findings, picture, contents = found.split("\n\n")
    finding, second, third = findings.split("\n")
    assert finding.startswith("- kNN is best by P@10. **Holds on ML-1M:**")
    assert finding.endswith(f"{LINK} [Figure 2: Precision](#figure-2-precision)")
    assert second.startswith("- kNN is best. **")
    assert third == second
    assert picture == "![Figure 2: Precision](fig02.svg)"
    assert contents.startswith("- [Figure 2: Precision](#figure-2-precision)\n")
    read = read_study_text(tmp_path / "index.md")
    assert read.findings.endswith("[Figure 2: Precision](#fig02)")
    assert read.pictured == "fig02"
    assert "What was found" not in page(tmp_path)


def test_an_artifact_names_its_code_its_configuration_and_the_claims_that_it_decides(
    tmp_path: Path,
) -> None:
    code = (
        "[studies/rankings2020/fig02.py](../../../src/reproduction/studies/rankings2020/fig02.py)"
    )
    settings = "[config/studies/rankings2020.yaml](../../../config/studies/rankings2020.yaml)"
    decides = "It decides [R-001](../claims_rankings2020.md#R-001)."
    figure, table = page(tmp_path).split("\n## ")[1:]
    assert f"*Made by* {code}, with the settings in {settings}. {decides}\n" in figure
    assert "tables/sizes.py" in table
    assert "It decides" not in table


def test_several_statements_are_a_list_and_one_of_our_own_has_no_number(tmp_path: Path) -> None:
    text = page(tmp_path, ("R-001", BEST))
    assert "*What it shows.*\n\n- kNN is best by P@10. **Holds" in text
    assert f"{LINK}\n- kNN is best. **Seen on ML-1M:** On ML-1M it has .50.\n" in text


def test_twins_are_called_so_in_verdicts_and_in_our_numbers(tmp_path: Path) -> None:
    text = page(tmp_path, (BEST,), is_demo=True)
    twin = "the twin of ML-1M"
    assert f"kNN is best. **Seen on {twin}:** On {twin} it has .50.\n" in text


def test_generated_ratings_are_nobodys_twin_and_have_no_name(tmp_path: Path) -> None:
    data: dict[str, Any] = {"datasets": {"ml-1m": "Generated ratings"}, "generated": ["ml-1m"]}
    assert "**Holds on generated ratings:**" in page(tmp_path, is_demo=True, **data)


def test_a_claim_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="fig02 of rankings2020 shows the claim R-009, which is"):
        page(tmp_path, ("R-009",))


def test_twins_are_said_to_be_twins(tmp_path: Path) -> None:
    assert OF_TWINS in page(tmp_path, is_demo=True)
    assert OF_TWINS not in page(tmp_path)


def test_a_table_has_its_caption_and_no_picture(tmp_path: Path) -> None:
    section = page(tmp_path).partition("## Table 1: Datasets")[2]
    assert "Their sizes." in section
    assert "[Table 1 (md)](table1.md) · [tex](table1.tex) · [csv](table1.csv)" in section
    assert "![" not in section


def test_the_contents_lead_to_the_sections(tmp_path: Path) -> None:
    twice = [
        {**STUDY["artifacts"][1], "name": name, "title": "What (and why): P@10"}
        for name in ("one", "other")
    ]
    text = page(tmp_path, artifacts=twice)
    assert "- [What (and why): P@10](#what-and-why-p10)\n" in text
    assert "- [What (and why): P@10](#what-and-why-p10-1)\n" in text


@pytest.mark.each(
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
    tmp_path: Path, caption: str, printed: str
) -> None:
    artifact = {**STUDY["artifacts"][1], "caption": caption}
    assert f"\n\n{printed}\n\n" in page(tmp_path, artifacts=[artifact])


def test_every_claim_that_a_figure_shows_is_one_of_its_paper() -> None:
    for study, spec in load_settings(ROOT / "config", "full").studies.items():
        file = ROOT / "config" / "claims" / f"{study}.yaml"
        known = set(read_claims(file).claims) if file.exists() else set()
        shown = {one for a in spec.artifacts.values() for one in a.shows if isinstance(one, str)}
        assert shown <= known, study


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_page_lists_what_the_study_makes_and_reads_its_figures(edition: str) -> None:
    plan = Plan(load_settings(ROOT / "config", edition), ROOT)
    for study in plan.studies.specs:
        made = plan.artifacts.made(study)
        described = plan.studies.page(study)
        assert [artifact["name"] for artifact in described["artifacts"]] == made
        figures = [name for name in made if plan.artifacts.spec(study, name).kind == "figure"]
        assert [a["name"] for a in described["artifacts"] if a["shows"]] == figures
        judged = [f"work/{edition}/claims/{study}.csv"] if study in plan.claims.papers else []
        assert plan.claims.index_inputs(study)["verdicts"] == judged
        assert plan.studies.page_file(study) in plan.studies.files(study)
