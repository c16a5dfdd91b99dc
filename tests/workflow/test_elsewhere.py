# SPDX-License-Identifier: MIT
"""The workflow runs from another folder and as a module; what it makes is then made there."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from workflow.running import HERE, ROOT, Run, Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

TABLE = "work/demo/artifacts/bellogin2017/table1.md"
"""Needs no data: two jobs make it."""

README = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
(MODULE,) = re.findall(r"^```python\n(module .*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
"""As users are told to write it."""


@pytest.fixture
def elsewhere(untouched: Workflow, tmp_path: Path) -> Workflow:
    """An empty folder of somebody who has a copy of the repository in another one."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Workflow(folder, untouched.home)


@pytest.fixture(scope="module")
def plan(untouched: Workflow) -> Run:
    """The plan of the demo edition in the repository."""
    run = untouched.run("-n", "--config", "edition=demo")
    assert run.status == 0, run.text
    return run


@pytest.fixture(scope="module")
def planned(plan: Run) -> set[str]:
    """The jobs that are planned in the repository."""
    return plan.jobs


def test_the_whole_demo_has_fewer_than_a_thousand_jobs(plan: Run) -> None:
    total = re.search(r"^total +(\d+)$", plan.text, re.MULTILINE)
    assert total is not None, plan.text
    assert 50 < int(total[1]) < 1000


def run_there(
    elsewhere: Workflow, repository: Workflow, *words: str, targets: tuple[str, ...] = ()
) -> Run:
    """Run Snakemake elsewhere, with the package of the repository installed."""
    paths = (HERE / "interference", repository.folder / "src")
    variables = {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    run = elsewhere.run(*words, targets=targets, variables=variables)
    assert run.status == 0, run.text
    return run


def write_module(elsewhere: Workflow, repository: Workflow, names: str) -> None:
    text = MODULE.replace("path/to/receval", str(repository.folder)).replace("receval_*", names)
    (elsewhere.folder / "Snakefile").write_text(text, encoding="utf-8")


def test_elsewhere_the_same_is_planned_by_the_snakefile_that_catalogs_look_for(
    elsewhere: Workflow, untouched: Workflow, planned: set[str]
) -> None:
    path = str(untouched.folder / "workflow/Snakefile")
    run = run_there(elsewhere, untouched, "-s", path, "-n", "--config", "edition=demo")
    assert run.jobs == planned


def test_as_a_module_the_same_is_planned_under_the_names_that_it_is_given(
    elsewhere: Workflow, untouched: Workflow, planned: set[str]
) -> None:
    write_module(elsewhere, untouched, "its_*")
    run = run_there(elsewhere, untouched, "-n")
    assert run.jobs == planned
    rules = set(re.findall(r"^(\w+) +\d+$", run.text, re.MULTILINE)) - {"total", "its_all"}
    assert rules == {f"its_{job.split()[0]}" for job in planned}


def test_what_is_made_elsewhere_is_what_a_module_makes_and_nothing_is_made_beside_it(
    elsewhere: Workflow, untouched: Workflow
) -> None:
    words = ("-s", str(untouched.folder / "Snakefile"), "--config", "edition=demo")
    run_there(elsewhere, untouched, "--cores", "1", *words, targets=(TABLE,))
    made = elsewhere.results()
    assert made.keys() >= {"run.json", "artifacts/bellogin2017/table1.csv"}

    shutil.rmtree(elsewhere.folder / "work")
    write_module(elsewhere, untouched, "*")
    run_there(elsewhere, untouched, "--cores", "1", targets=(TABLE,))
    again = elsewhere.results()
    # What a command asks of a run is written by the Snakefile that was run, not by its modules.
    assert again == {name: made[name] for name in made.keys() - {"run.json"}}
    assert not (untouched.folder / "work").exists()


def test_a_configuration_of_the_current_folder_comes_first(
    elsewhere: Workflow, untouched: Workflow, planned: set[str]
) -> None:
    shutil.copytree(untouched.folder / "config", elsewhere.folder / "config")
    for study in (elsewhere.folder / "config" / "studies").iterdir():
        if study.stem != "canamares2020":
            study.unlink()
    demo = elsewhere.folder / "config" / "demo.yaml"
    kept, _, _ = demo.read_text(encoding="utf-8").partition("\nstudies:")
    demo.write_text(kept, encoding="utf-8")
    path = str(untouched.folder / "Snakefile")
    run = run_there(elsewhere, untouched, "-s", path, "-n", "--config", "edition=demo")
    assert run.jobs
    assert not any("valcarce" in job for job in run.jobs)
    assert len(run.jobs) < len(planned)
