# SPDX-License-Identifier: MIT
"""By which files claims are judged and errata measured, and what that makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import ROOT, demo, full_with, plan_of

from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.publishing import PlannedClaims, PlannedErrata

PAPERS = [
    "bellogin2017",
    "canamares2020",
    "followups",
    "menamaldonado2021",
    "rampisela2024",
    "rampisela2025",
    "shehzad2023",
    "valcarce2018",
    "valcarce2020",
    "wegmeth2023",
    "winter2025",
]
VIEWS = {
    ("bellogin2017", "fig08_relations"),
    ("canamares2020", "relations"),
    ("menamaldonado2021", "taus"),
}


def test_the_claims_of_every_paper_are_judged() -> None:
    claims = plan_of("demo").claims
    assert claims.papers == PAPERS
    ledger = "work/demo/artifacts/claims"
    pages = [f"{ledger}_{paper}.md" for paper in PAPERS]
    assert claims.files() == [f"{ledger}.csv", f"{ledger}.md", *pages]
    assert claims.pages() == [f"claims_{paper}" for paper in PAPERS]
    assert claims.judged_files() == [f"work/demo/claims/{paper}.csv" for paper in PAPERS]


@pytest.mark.each("paper", PAPERS)
def test_claims_are_judged_by_all_artifacts_but_those_on_verdicts(paper: str) -> None:
    plan = demo()
    made = {(paper, name) for name in plan.artifacts.made(paper)}
    assert {(paper, name) for name in plan.claims.artifacts_read(paper)} == made - VIEWS
    assert plan.claims.record(paper) == f"work/demo/artifacts/{paper}/provenance.json"
    assert plan.claims.claims_file(paper) == f"config/claims/{paper}.yaml"
    # The record of a study is of what its claims are judged by.
    own = [file for file in plan.claims.results(paper) if Path(file).parent.name == paper]
    assert plan.studies.provenance_inputs(paper)["results"] == own


def test_what_shows_verdicts_reads_nothing_but_them() -> None:
    plan = full_with("ml-1m", "cm100k")
    for study, artifact in VIEWS:
        inputs = plan.artifacts.inputs(study, artifact)
        assert {kind: files for kind, files in inputs.items() if files} == {
            "claims": [f"work/full/claims/{study}.csv"]
        }


def test_without_data_only_what_can_be_made_decides() -> None:
    decides = full_with("cm100k").claims.artifacts_read("menamaldonado2021")
    assert "fig09" in decides
    assert "fig06" not in decides


def test_theorems_are_part_of_the_digest_of_verdicts() -> None:
    entries = demo().claims.code_entries()
    assert "reproduction.claims.theorems" in entries


# --- errata -----------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"leave_out": ["ml-1m"]}])
def test_errata_are_read_from_all_results_that_a_run_makes(given: dict[str, object]) -> None:
    plan = plan_of("demo", given)
    assert plan.errata.files() == ["work/demo/artifacts/errata.csv"]
    assert plan.errata.names() == ["errata"]
    inputs = plan.errata.inputs()
    assert inputs["errata"] == "config/errata.yaml"
    results = [f"work/demo/artifacts/{name}.csv" for name in plan.studies.artifact_names()]
    assert sorted(inputs["results"]) == sorted(results)
    assert inputs["records"] == [plan.studies.record_file(study) for study in plan.studies.specs]


def test_a_repository_without_claims_and_errata_has_no_tables_of_them(tmp_path: Path) -> None:
    folders = RunFolders(tmp_path / "elsewhere", tmp_path / "elsewhere")
    claims = PlannedClaims(demo().studies, folders)
    assert (claims.papers, claims.files(), claims.names(), claims.code_entries()) == ([],) * 4
    errata = PlannedErrata(demo().studies, folders)
    assert errata.files() == [] == errata.names()


def test_errata_are_made_by_default_compared_and_accepted() -> None:
    asked = {
        "Snakefile": "CHOSEN.errata.files()",
        "workflow/rules/drift.smk": "plan_of(w).errata.files()",
        "src/reproduction/commands/tasks.py": "plan.errata.names()",
    }
    for file, call in asked.items():
        assert call in (ROOT / file).read_text(encoding="utf-8"), file
