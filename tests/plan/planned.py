# SPDX-License-Identifier: MIT
"""Plans of editions whose data is pretended to be there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from declared_files import declared

from reproduction.config.settings import load_settings, merged
from reproduction.experiments.experiment import InputFiles
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


MIRROR = Path("mirror")
"""A local mirror in the current folder, which is empty at first."""

SIZE_WITH_TIMESTAMPS = 24_594_131
"""Of the ratings of MovieLens 1M, if they have timestamps."""


def put_raw_files(*datasets: str) -> None:
    """Pretend that some datasets are in the local mirror."""
    for dataset in datasets:
        name, size = RAW_FILES[dataset]
        (MIRROR / dataset).mkdir(parents=True)
        with (MIRROR / dataset / name).open("wb") as file:
            file.truncate(size)


def put_movielens(*auxiliary_files: str, timestamps: bool = False) -> None:
    """Pretend that MovieLens 1M is in the mirror, with some of the optional files."""
    put_raw_files("ml-1m")
    if timestamps:
        with (MIRROR / "ml-1m/ratings.dat").open("wb") as file:
            file.truncate(SIZE_WITH_TIMESTAMPS)
    for name in auxiliary_files:
        (MIRROR / "ml-1m" / name).touch()


def full_with(*datasets: str, **overrides: Any) -> Plan:
    """Return the plan of the full edition with some datasets."""
    put_raw_files(*datasets)
    return plan_of("full", overrides)


@cache
def demo() -> Plan:
    """Return the demo's plan, which no data that is there can change."""
    return plan_of("demo")


def plan_of(edition: str, overrides: Mapping[str, Any] | None = None) -> Plan:
    """Return the plan of an edition without network, with the mirror ``mirror``."""
    given = {"network": "off", "local_mirrors": [str(MIRROR)]}
    settings = load_settings(ROOT / "config", edition, merged(given, overrides or {}))
    return Plan(settings, ROOT)


def opened(plan: Plan, study: str, artifact: str) -> ArtifactInputs:
    """Return what an artifact gets to read, given what its rule declares and nothing else."""
    files = InputFiles(**declared(plan.artifacts.inputs(study, artifact)))
    description = ArtifactDescription.of(plan.descriptions.results(study, artifact))
    return ArtifactInputs(files, description)
