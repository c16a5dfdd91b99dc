# SPDX-License-Identifier: MIT
"""Record the settings and plan of a run, and check later that artifacts belong to it.

A command that made a new plan would not know the ``--config`` of the run. It could report datasets
that the run left out as missing, or accept results with fewer datasets unnoticed. So a run records
its ``--config``, and commands plan with it. They check that the artifacts are of this plan, because
a later run of other artifacts may have had another ``--config``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from receval.storage.files import write_atomically
from reproduction.config.settings import load_settings
from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.plan import Plan
from reproduction.workflow.provenance.versions import (
    checksums_of_results,
    described_processor,
    versions,
)

RUN_FILE = "run.json"
"""In ``work/<edition>``: what the last run was given, what it planned, on which processor and with
which arithmetic."""

HERE = RunFolders()
"""The folders of a command in the repository."""

SPLITS_METADATA = "metadata of the splits"
"""Key of provenance records that no plan has: it is known only when the splits are made."""


def record_run(plan: Plan, given: Mapping[str, Any]) -> None:
    """Record the given settings of a run and its plan; call this before the first job."""
    content = {
        "given": given,
        "datasets": _available(plan),
        "descriptions": _digests_of_descriptions(plan),
        "versions": versions(),
        **described_processor(),
    }
    text = json.dumps(content, indent=1, sort_keys=True, default=str)
    write_atomically(run_file(plan.edition), f"{text}\n")


def run_file(edition: str) -> Path:
    """Return the path of the record of an edition's last run."""
    return Path("work") / edition / RUN_FILE


def plan_of_last_run(edition: str | None = None, folders: RunFolders = HERE) -> Plan:
    """Plan as the last run of an edition did, if its settings still give the same plan."""
    chosen = edition or load_settings(folders.config).edition
    path = run_file(chosen)
    if not path.is_file():
        raise ValueError(
            f"There is no {path.as_posix()}, so nothing has been run. Run the workflow first: "
            f"snakemake --cores all --config edition={chosen}."
        )
    record = _read_record(path, given=dict, datasets=dict, descriptions=dict)
    if record is None:
        raise ValueError(
            f"{path.as_posix()} is not a record of a run. Delete it, and run the workflow again."
        )
    datasets, told = record["datasets"], record["descriptions"]
    plan = Plan(load_settings(folders.config, chosen, record["given"]), folders)
    changed = sorted(
        name for name, available in _available(plan).items() if datasets.get(name) != available
    )
    if changed:
        raise ValueError(
            f"The available datasets have changed since {path.as_posix()} was written: "
            f"{', '.join(changed)}. Run the workflow again."
        )
    described = _digests_of_descriptions(plan)
    changed = sorted(name for name in {*described, *told} if told.get(name) != described.get(name))
    if changed:
        raise ValueError(
            f"The configuration of {', '.join(changed)} has changed since {path.as_posix()} was "
            "written. Run the workflow again."
        )
    return plan


def check_artifacts(plan: Plan, *, recorded: bool) -> None:
    """Refuse artifacts that do not belong to a plan, or a plan of which there is no artifact.

    The artifacts of a study must not be of a run with other configuration or data. With
    ``recorded``, every study must have a record of provenance of exactly these results and the
    present code. Otherwise a partly made study may lack one.
    """
    found = bool(plan.replications.made())
    for study in plan.studies.specs:
        results = plan.studies.provenance_inputs(study)["results"]
        made = [file for file in map(Path, results) if file.is_file()]
        found = found or bool(made)
        if made:
            for reason in _differences(plan, study, recorded=recorded):
                raise ValueError(
                    f"work/{plan.edition}/artifacts/{study} is not from the last run, which "
                    f"{run_file(plan.edition).as_posix()} records: {reason}. Make the study "
                    f"again with the same configuration: snakemake --cores all {study} --config "
                    "..."
                )
    if not found:
        raise ValueError(
            f"The last run made no artifact: work/{plan.edition}/artifacts contains no artifact "
            "of this plan."
        )


def _differences(plan: Plan, study: str, *, recorded: bool) -> Iterator[str]:
    """Yield the differences between the artifacts of a study and those that the plan would make."""
    path = plan.studies.record_file(study)
    if not Path(path).is_file():
        if recorded:
            yield f"{path} is missing, as it is after a run that did not finish"
        return
    record = _read_record(Path(path), config=dict, absent=list, code=dict, results=dict)
    if record is None:
        yield f"{path} is not a record of provenance and must be deleted"
        return
    told = {key: value for key, value in record["config"].items() if key != SPLITS_METADATA}
    planned = _plain(plan.studies.description(study))
    other = sorted(key for key in {*told, *planned} if told.get(key) != planned.get(key))
    if other:
        yield f"it was made with other settings ({', '.join(other)})"
    if record["absent"] != sorted(plan.studies.absent(study)):
        without = ", ".join(map(str, record["absent"]))
        yield f"it was made {f'without {without}' if without else 'with all its datasets'}"
    if recorded:
        if record["code"] != _plain(plan.code_digests.of_study(study)):
            yield "the code behind it, a library or the arithmetic has changed since"
        now = checksums_of_results(map(Path, plan.studies.provenance_inputs(study)["results"]))
        changed = sorted(name for name in now if record["results"].get(name) != now[name])
        if changed:
            others = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            yield f"{', '.join(changed[:3])}{others} differs from its record"


def _read_record(path: Path, **types: type) -> dict[str, Any] | None:
    """Return the content of a record; None if one of the keys is missing or of another type."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    whole = all(isinstance(record.get(key), kind) for key, kind in types.items())
    return record if whole else None


def _available(plan: Plan) -> dict[str, bool]:
    return {name: plan.datasets.is_available(name) for name in plan.settings.datasets}


def _digests_of_descriptions(plan: Plan) -> dict[str, str]:
    """Return a digest of each study's configuration as provenance records it."""
    texts = {
        name: json.dumps(plan.studies.description(name), sort_keys=True, default=str)
        for name in plan.studies.specs
    }
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def _plain(value: Any) -> Any:
    """Return a value as it is after writing and reading JSON."""
    return json.loads(json.dumps(value, default=str))
