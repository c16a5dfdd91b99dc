# SPDX-License-Identifier: MIT
"""The plan of the ledger: by which files claims are judged, and what that makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import ROOT, plan_of, put_raw_files

from reproduction.workflow.plan.claims import PlannedClaims
from reproduction.workflow.plan.folders import RunFolders

PAPERS = [
    "bellogin2017",
    "canamares2020",
    "followups",
    "menamaldonado2021",
    "valcarce2018",
    "valcarce2020",
]
VIEWS = {
    ("bellogin2017", "fig08_relations"),
    ("canamares2020", "relations"),
    ("menamaldonado2021", "taus"),
}


def test_the_claims_of_every_paper_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    # Claims are listed in the folder of a run, which here is the repository.
    monkeypatch.chdir(ROOT)
    plan = plan_of("demo")
    assert plan.claims.papers == PAPERS
    ledger = "work/demo/artifacts/claims"
    pages = [f"{ledger}_{paper}.md" for paper in PAPERS]
    assert plan.claims.files() == [f"{ledger}.csv", f"{ledger}.md", *pages]
    assert plan.claims.pages() == [f"claims_{paper}" for paper in PAPERS]
    assert plan.claims.judged_files() == [f"work/demo/claims/{paper}.csv" for paper in PAPERS]


@pytest.mark.parametrize("paper", PAPERS)
def test_claims_are_judged_by_all_artifacts_but_those_on_verdicts(paper: str) -> None:
    plan = plan_of("demo")
    made = {(paper, name) for name in plan.artifacts.made(paper)}
    assert {(paper, name) for name in plan.claims.artifacts_read(paper)} == made - VIEWS
    assert plan.claims.record(paper) == f"work/demo/artifacts/{paper}/provenance.json"
    assert plan.claims.claims_file(paper) == f"config/claims/{paper}.yaml"


def test_what_shows_verdicts_reads_nothing_but_them() -> None:
    plan = plan_of("demo")
    for study, artifact in VIEWS:
        if artifact in plan.artifacts.made(study):
            inputs = plan.artifacts.inputs(study, artifact)
            assert {kind: files for kind, files in inputs.items() if files} == {
                "claims": [f"work/demo/claims/{study}.csv"]
            }


def test_the_record_of_a_study_is_of_what_claims_are_judged_by() -> None:
    plan = plan_of("demo")
    for paper in PAPERS:
        recorded = plan.studies.provenance_inputs(paper)["results"]
        read = plan.claims.results(paper)
        assert recorded == [file for file in read if Path(file).parent.name == paper]


def test_without_data_only_what_can_be_made_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put_raw_files(tmp_path / "mirror", "cm100k")
    plan = plan_of("full")
    decides = plan.claims.artifacts_read("menamaldonado2021")
    assert "fig09" in decides
    assert "fig06" not in decides


def test_a_repository_without_claims_has_no_ledger(tmp_path: Path) -> None:
    plan = plan_of("demo")
    elsewhere = tmp_path / "elsewhere"
    none = PlannedClaims(plan.studies, RunFolders(elsewhere, elsewhere))
    assert (none.papers, none.files(), none.names(), none.code_entries()) == ([], [], [], [])


def test_theorems_are_part_of_the_digest_of_verdicts() -> None:
    entries = plan_of("demo").claims.code_entries()
    assert "reproduction.claims.theorems.metrics" in entries
    assert "reproduction.claims.theorems.__init__" not in entries
