# SPDX-License-Identifier: MIT
"""A run of the demo edition that has been made up, and what is done with its artifacts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from receval.cli.main import main
from reproduction.config.settings import load_settings
from reproduction.workflow.plan.plan import Plan, record_run
from reproduction.workflow.provenance.versions import provenance_record, write_json

ROOT = Path(__file__).resolve().parents[2]
STUDY = "valcarce2018"
STUDIES = (STUDY, "bellogin2017")
FRESH = Path("work/demo/artifacts")
ACCEPTED = Path("results/demo")


def run(plan: Plan, given: dict[str, object]) -> None:
    """Leave the records of a run that has made all artifacts that are there."""
    record_run(plan, given)
    for study in plan.settings.studies:
        absent = plan.studies.absent(study)
        there = {name: {} for name in plan.studies.datasets(study) if name not in absent}
        record = provenance_record(
            {**plan.studies.description(study), "metadata of the splits": {}},
            there,
            absent,
            plan.code_digests.of_study(study),
            map(Path, plan.studies.provenance_inputs(study)["results"]),
        )
        write_json(Path(plan.studies.record_file(study)), record)


def run_again(given: dict[str, object]) -> None:
    run(Plan(load_settings(Path("config"), "demo", given), Path()), given)


def accept(*options: str) -> int:
    return main(["repo", "accept", "--edition", "demo", "--yes", *options])


def change(path: Path, value: float) -> None:
    pd.read_csv(path).assign(value=value).to_csv(path, index=False)
