"""What the site is made from is all that an edition makes, and files that are there."""

from __future__ import annotations

import pytest
from plan.planned import ROOT, plan_of

PLAN = plan_of("demo")


def test_the_site_needs_every_file_of_every_study(monkeypatch: pytest.MonkeyPatch) -> None:
    # Claims are listed in the folder of a run, which here is the repository.
    monkeypatch.chdir(ROOT)
    inputs = PLAN.site.inputs()
    asked = {file for kind in ("indexes", "records", "files") for file in inputs[kind]}
    made = {file for study in PLAN.studies.specs for file in PLAN.studies.files(study)}
    assert asked == made
    assert inputs["claims"] in PLAN.claims.files()
    assert set(inputs["papers"]) <= set(PLAN.paper.files())


def test_documents_templates_and_sources_of_the_site_are_there() -> None:
    inputs = PLAN.site.inputs()
    kinds = ("documents", "pictures", "modules", "templates", "assets")
    assert all(inputs[kind] for kind in kinds)
    files = [ROOT / file for kind in kinds for file in inputs[kind]]
    assert [file for file in files if not file.is_file()] == []


def test_targets_are_the_studies_and_what_is_made_of_all() -> None:
    targets = PLAN.targets()
    assert list(targets) == [*PLAN.studies.specs, "replications", "paper", "site"]
    assert targets["site"] == ["work/demo/site"]
