# SPDX-License-Identifier: MIT
"""What is computed from accepted results alone, by the code of today, is what was accepted.

Coefficients, verdicts on the papers' statements and shares of universes follow from other results,
and need no ratings: an edit that moves one of them fails here, before anybody runs an edition.
Those of the demo edition are compared wherever it is made: its run ends with the report of drift.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from drift.small_study import drift_between
from studies.prepared import ROOT, family_of, inputs_of

from receval.storage.files import read_results, write_results
from reproduction.config.settings import EDITIONS, load_settings

SETTINGS = load_settings(ROOT / "config", "full")
STUDIES = SETTINGS.studies

DERIVED = [
    (study, name)
    for study, spec in STUDIES.items()
    for name, artifact in spec.artifacts.items()
    if artifact.results_of and not (artifact.experiments or artifact.datasets)
]
"""The artifacts that read nothing but results of others."""


@pytest.mark.repository
@pytest.mark.parametrize("edition", EDITIONS)
def test_every_artifact_has_its_accepted_files(edition: str) -> None:
    settings = load_settings(ROOT / "config", edition)
    missing = [
        f"{study}/{name}.{extension}"
        for study, spec in settings.studies.items()
        for name, artifact in spec.artifacts.items()
        if edition in artifact.editions
        for extension in ("csv", *(settings.figures if artifact.kind == "figure" else ("md",)))
        if not (ROOT / "results" / edition / study / f"{name}.{extension}").is_file()
    ]
    assert missing == []


@pytest.mark.repository
@pytest.mark.parametrize(("study", "artifact"), DERIVED)
def test_results_of_accepted_results_are_the_accepted_ones(
    study: str, artifact: str, tmp_path: Path
) -> None:
    whole = STUDIES[study]
    spec = whole.artifacts[artifact]
    accepted = ROOT / "results" / "full" / study
    read = {name: accepted / f"{name}.csv" for name in spec.results_of}
    made = {name: path for name, path in read.items() if path.exists()}
    measured = {
        name for path in made.values() for name in read_results(path).get("experiment", default=())
    }
    inputs = inputs_of(
        tmp_path,
        results=made,
        shown={name: name in measured for name in whole.experiments_of(artifact)},
        published=ROOT / "config" / "published" / spec.published if spec.published else None,
        seed=SETTINGS.seed,
        **spec.parameters,
    )
    fresh = tmp_path / f"{artifact}.csv"
    write_results(family_of(study, artifact).data(inputs), fresh)
    found = drift_between(
        (accepted / f"{artifact}.csv").read_text(encoding="utf-8"),
        fresh.read_text(encoding="utf-8"),
        tmp_path,
    )
    assert not found.drifted, found.changes
