# SPDX-License-Identifier: MIT
"""What the site is made from is all that an edition makes, and files that are there."""

from __future__ import annotations

import pytest
from plan.planned import ROOT, plan_of

from reproduction.workflow.plan.plan import Plan


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The plan of the demo, in the repository, which lists the claims."""
    monkeypatch.chdir(ROOT)
    return plan_of("demo")


def test_the_site_needs_every_file_of_every_study(plan: Plan) -> None:
    inputs = plan.site.inputs()
    asked = {file for kind in ("indexes", "records", "files") for file in inputs[kind]}
    made = {file for study in plan.studies.specs for file in plan.studies.files(study)}
    assert asked == made
    assert inputs["claims"] in plan.claims.files()
    assert set(inputs["papers"]) <= set(plan.paper.files())


def test_documents_templates_and_sources_of_the_site_are_there(plan: Plan) -> None:
    inputs = plan.site.inputs()
    kinds = ("documents", "pictures", "modules", "templates", "assets")
    assert all(inputs[kind] for kind in kinds)
    files = [ROOT / file for kind in kinds for file in inputs[kind]]
    assert [file for file in files if not file.is_file()] == []


def test_targets_are_the_studies_and_what_is_made_of_all(plan: Plan) -> None:
    targets = plan.targets()
    assert list(targets) == [*plan.studies.specs, "replications", "paper", "site"]
    assert targets["site"] == ["work/demo/site"]
