# SPDX-License-Identifier: MIT
"""Plans of editions whose data is pretended to be there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from declared_files import declared

from reproduction.config.settings import load_settings, merged
from reproduction.experiments.input_files import InputFiles
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs
from reproduction.workflow.plan.plan import Plan

ROOT = Path(__file__).resolve().parents[2]

RAW_FILES = {
    # Availability looks at names and sizes alone; files of these sizes take no room on the disk.
    "ml-1m": ("ratings.dat", 13_553_874),
    "cm100k": ("ratings.txt", 1),
    "lastfm-1k": ("lastfm-dataset-1K.tar.gz", 1),
    "librarything": ("UI2.txt", 1),
}


def put_raw_files(folder: Path, *datasets: str) -> None:
    """Pretend that some datasets are in a local mirror."""
    for dataset in datasets:
        name, size = RAW_FILES[dataset]
        (folder / dataset).mkdir(parents=True)
        with (folder / dataset / name).open("wb") as file:
            file.truncate(size)


def plan_of(edition: str, overrides: Mapping[str, Any] | None = None) -> Plan:
    """Return the plan of an edition without network, with the mirror ``mirror``."""
    given = {"network": "off", "local_mirrors": ["mirror"]}
    settings = load_settings(ROOT / "config", edition, merged(given, overrides or {}))
    return Plan(settings, ROOT)


def opened(plan: Plan, study: str, artifact: str) -> ArtifactInputs:
    """Return what an artifact gets to read, given what its rule declares and nothing else."""
    files = InputFiles(**declared(plan.artifacts.inputs(study, artifact)))
    description = ArtifactDescription.of(plan.descriptions.results(study, artifact))
    return ArtifactInputs(files, description)
