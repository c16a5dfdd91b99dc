# SPDX-License-Identifier: MIT
"""The plan of the errata's numbers: from all results of an edition, whatever data is here."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import ROOT, plan_of

from reproduction.workflow.plan.claims import PlannedErrata
from reproduction.workflow.plan.datasets import RunFolders


@pytest.mark.parametrize("given", [{}, {"leave_out": ["ml-1m"]}])
def test_they_are_read_from_all_results_that_a_run_makes(given: dict[str, object]) -> None:
    plan = plan_of("demo", given)
    assert plan.errata.files() == ["work/demo/artifacts/errata.csv"]
    assert plan.errata.names() == ["errata"]
    inputs = plan.errata.inputs()
    assert inputs["errata"] == "config/errata.yaml"
    results = [f"work/demo/artifacts/{name}.csv" for name in plan.studies.artifact_names()]
    assert sorted(inputs["results"]) == sorted(results)
    assert inputs["records"] == [plan.studies.record_file(study) for study in plan.studies.specs]


def test_a_folder_without_errata_has_no_table(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    errata = PlannedErrata(plan_of("demo").studies, RunFolders(elsewhere, elsewhere))
    assert errata.files() == [] == errata.names()


def test_they_are_made_by_default_compared_and_accepted() -> None:
    asked = {
        "Snakefile": "CHOSEN.errata.files()",
        "workflow/rules/drift.smk": "plan_of(w).errata.files()",
    }
    for file, call in asked.items():
        assert call in (ROOT / file).read_text(encoding="utf-8"), file
    for task in ("drift.py", "accept.py"):
        text = (ROOT / "src" / "reproduction" / "commands" / task).read_text(encoding="utf-8")
        assert "plan.errata.names()" in text, task
