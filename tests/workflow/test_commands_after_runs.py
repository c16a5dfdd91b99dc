# SPDX-License-Identifier: MIT
"""Comparing and accepting: by the plan of the run that made the artifacts."""

from __future__ import annotations

import json

import pytest
from workflow.running import Workflow

from reproduction.workflow.provenance.versions import used_arithmetic

pytestmark = [pytest.mark.processes, pytest.mark.repository]


def accepted(made: Workflow) -> dict[str, bytes]:
    folder = made.folder / "results"
    return {path.as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_commands_plan_with_what_the_run_was_given(made: Workflow) -> None:
    record = json.loads((made.folder / "work/demo/run.json").read_text(encoding="utf-8"))
    # In small.yaml, which no command is told of.
    assert "netflix" in record["given"]["leave_out"]
    drift = made.receval("repo", "drift", "--edition", "demo")
    assert drift.text.startswith("Drift: ")
    assert "missing: this run should have made it" not in drift.text


def test_a_run_records_on_which_processor_and_with_which_arithmetic_it_was_made(
    made: Workflow,
) -> None:
    run = json.loads((made.folder / "work/demo/run.json").read_text(encoding="utf-8"))
    assert run["processor"]
    assert run["arithmetic"] == used_arithmetic()
    study = made.folder / "work/demo/artifacts/bellogin2017/provenance.json"
    assert json.loads(study.read_text(encoding="utf-8"))["arithmetic"] == used_arithmetic()


def test_a_run_without_some_datasets_loses_no_accepted_number(made: Workflow) -> None:
    before = accepted(made)
    refused = made.receval("repo", "accept", "--edition", "demo", "--yes")
    assert refused.status == 2
    assert "The accepted results of bellogin2017 have the datasets" in refused.text
    assert accepted(made) == before


def test_artifacts_of_an_earlier_run_with_another_configuration_are_refused(made: Workflow) -> None:
    # A table that is made from no data.
    table = "work/demo/artifacts/bellogin2017/table3.csv"
    (made.folder / table).unlink()
    run = made.run("--cores", "2", targets=(table,), changes={"seed": 5})
    assert run.status == 0, run.text
    for command in (["drift"], ["accept", "--yes", "--drop"]):
        refused = made.receval("repo", *command, "--edition", "demo")
        assert refused.status == 2
        assert "artifacts/bellogin2017 is not from the last run" in refused.text
        assert "other settings (seed)" in refused.text
