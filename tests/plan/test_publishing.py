# SPDX-License-Identifier: MIT
"""From which files the paper and the site are made, and where there is no paper."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from plan.planned import MIRROR, ROOT, demo, full_with, plan_of

from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.publishing import PlannedPaper

BOTH = ["work/{}/artifacts/receval.csv", "work/{}/artifacts/receval.pdf"]


def test_the_demo_has_a_paper_of_every_result_and_of_the_figures_that_it_draws() -> None:
    paper = plan_of("demo").paper
    assert paper.files() == [file.format("demo") for file in BOTH]
    assert paper.names() == ["receval"]
    inputs = paper.inputs()
    assert inputs["ledger"] == "work/demo/artifacts/claims.csv"
    assert "work/demo/artifacts/valcarce2018/table3.csv" in inputs["results"]
    assert len(inputs["figures"]) == len(paper.names_of_figures()) > 3
    drawn = [file for file in inputs["figures"] if "systems/fidelity" in file]
    assert drawn == [], "the demo does not compare with published values"


@pytest.mark.parametrize("left_out", ["ml-1m", "cm100k"])
def test_without_data_that_its_figures_show_there_is_no_paper(left_out: str) -> None:
    paper = plan_of("demo", {"leave_out": [left_out]}).paper
    assert paper.files() == [] == paper.names()
    assert paper.listed_names() == ["receval"], "the accepted one stays"


def test_without_the_folds_of_the_authors_there_is_no_paper_of_the_full_edition() -> None:
    assert full_with("ml-1m", "cm100k").paper.files() == []
    for dataset in ("ml-1m", "cm100k"):
        (MIRROR / dataset / "folds_menamaldonado2021.txt").write_text("1\n")
    assert plan_of("full").paper.files() == [file.format("full") for file in BOTH]


def test_every_file_of_the_text_and_the_configuration_is_an_input() -> None:
    inputs = plan_of("demo").paper.inputs()
    files = [Path(file) for kind in ("text", "configuration", "documents") for file in inputs[kind]]
    assert all(file.is_file() for file in files)
    assert Path("config/claims/bellogin2017.yaml") in files
    assert sorted(path.name for path in (ROOT / "paper").iterdir() if path.is_file()) == sorted(
        Path(file).name for file in [*inputs["text"], inputs["numbers"], "sources.yaml"]
    )


def test_counts_are_those_of_the_plan() -> None:
    counts = demo().paper.counts()
    assert counts["artifacts"] == len(demo().studies.artifact_names())
    assert counts["figures"] + counts["tables"] <= counts["artifacts"]
    assert counts["systems"] <= counts["trainings"]
    assert set(counts) == {
        *("artifacts", "figures", "tables", "datasets", "splits", "systems", "trainings")
    }


def test_replications_are_read_where_they_are_accepted(tmp_path: Path) -> None:
    plan = demo()
    paper = PlannedPaper(plan.studies, plan.claims, RunFolders())
    assert paper.listed_names() == [], "a folder without a text has no paper"
    shutil.copytree(ROOT / "paper", tmp_path / "paper")
    assert paper.inputs()["certainty"] == []
    (tmp_path / "results" / "demo").mkdir(parents=True)
    (tmp_path / "results" / "demo" / "certainty.csv").write_text("claim\n")
    assert paper.inputs()["certainty"] == ["results/demo/certainty.csv"]
    assert paper.inputs()["variance"] == []


# --- the site ---------------------------------------------------------------------------------


def test_the_site_needs_every_file_of_every_study() -> None:
    plan = plan_of("demo")
    inputs = plan.site.inputs()
    asked = {file for kind in ("indexes", "records", "files") for file in inputs[kind]}
    assert asked == {file for study in plan.studies.specs for file in plan.studies.files(study)}
    assert inputs["claims"] in plan.claims.files()
    assert set(inputs["papers"]) <= set(plan.paper.files())


def test_documents_templates_and_sources_of_the_site_are_there() -> None:
    inputs = plan_of("demo").site.inputs()
    kinds = ("documents", "pictures", "modules", "templates", "assets")
    assert all(inputs[kind] for kind in kinds)
    files = [ROOT / file for kind in kinds for file in inputs[kind]]
    assert [file for file in files if not file.is_file()] == []


def test_targets_are_the_studies_and_what_is_made_of_all() -> None:
    targets = demo().targets()
    assert list(targets) == [*demo().studies.specs, "replications", "paper", "site"]
    assert targets["site"] == ["work/demo/site"]
