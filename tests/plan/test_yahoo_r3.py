# SPDX-License-Identifier: MIT
"""Yahoo! R3 has to be got by hand: once its files are there, its panels come by themselves."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from declared_files import declared
from plan.planned import full_with, plan_of
from yahoo_files import DATASET, YahooFiles, artifacts_that_read

from reproduction.datasets.fetch import obtain
from reproduction.datasets.prepare import prepare
from reproduction.workflow.jobs.artifacts import compute_artifact
from reproduction.workflow.plan.plan import Plan

PLACES = ("work/raw/yahoo-r3", "mirror/yahoo-r3", "mirror/yahoo-r3/Webscope_R3")


def prepare_files(plan: Plan) -> None:
    """Prepare the files as the workflow does."""
    spec = plan.settings.datasets[DATASET]
    raw = obtain(DATASET, spec, plan.datasets.availability[DATASET], Path("work/raw") / DATASET)
    prepare(raw, spec, Path("work") / plan.edition / DATASET)


def test_without_its_files_all_that_reads_it_says_that_it_is_absent() -> None:
    plan = full_with("cm100k")
    assert not plan.datasets.is_available(DATASET)
    reading = artifacts_that_read(plan, DATASET)
    assert ("menamaldonado2021", "table2") in reading
    for study, artifact in reading:
        assert DATASET in plan.artifacts.absent(study, artifact)
        assert "Yahoo! R3" in plan.descriptions.display(study, artifact)["absence"]
    assert "table2" in plan.artifacts.made("menamaldonado2021")
    table = " ".join(plan.datasets.table().split())
    assert (
        "Put the following into work/raw/yahoo-r3: ydata-ymusic-rating-study-v1_0-train.txt and"
    ) in table


@pytest.mark.parametrize("place", PLACES)
def test_with_its_files_everything_that_reads_it_has_it(tmp_path: Path, place: str) -> None:
    YahooFiles.put_into(tmp_path / place)
    plan = plan_of("full")
    assert plan.datasets.is_available(DATASET)
    assert plan.datasets.availability[DATASET].status == "local"
    for study, artifact in artifacts_that_read(plan, DATASET):
        assert artifact in plan.artifacts.made(study)
        assert DATASET not in plan.artifacts.absent(study, artifact)
        assert DATASET in plan.descriptions.results(study, artifact)["datasets"]
        assert "Yahoo! R3" not in plan.descriptions.display(study, artifact)["absence"]
        assert plan.descriptions.display(study, artifact)["datasets"][DATASET] == "Yahoo! R3"
        if plan.artifacts.spec(study, artifact).reads_claims:
            continue
        # Of its own, or of the artifacts whose numbers it reads.
        behind = (artifact, *plan.artifacts.spec(study, artifact).results_of)
        inputs = [
            path
            for name in behind
            for paths in plan.artifacts.inputs(study, name).values()
            for path in paths
        ]
        assert any(path.startswith(f"work/full/{DATASET}/") for path in inputs)
        assert set(plan.artifacts.files(study, artifact)) <= set(plan.studies.all_files())


def test_files_in_a_mirror_are_watched_and_those_put_into_work_are_not(tmp_path: Path) -> None:
    YahooFiles.put_into(tmp_path / "mirror" / DATASET)
    names = [f"ydata-ymusic-rating-study-v1_0-{part}.txt" for part in ("train", "test")]
    watched = [f"mirror/{DATASET}/{name}" for name in names]
    assert list(plan_of("full").datasets.local_checksums(DATASET)) == watched
    YahooFiles.put_into(tmp_path / "work/raw" / DATASET)
    assert plan_of("full").datasets.local_checksums(DATASET) == {}


@pytest.mark.parametrize("place", PLACES)
def test_a_table_made_from_its_files_has_its_row(tmp_path: Path, place: str) -> None:
    files = YahooFiles.put_into(tmp_path / place)
    plan = plan_of("full", files.changes)
    prepare_files(plan)
    description = plan.descriptions.results("menamaldonado2021", "table2")
    assert description["datasets"] == [DATASET]
    target = tmp_path / "table2.csv"
    compute_artifact(
        function=plan.artifacts.computing_function("menamaldonado2021", "table2"),
        description=description,
        results=target,
        **declared(plan.artifacts.inputs("menamaldonado2021", "table2")),
    )
    assert pd.read_csv(target).to_dict("records") == [{"dataset": DATASET, **files.counts}]
