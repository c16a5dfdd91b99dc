# SPDX-License-Identifier: MIT
"""Replications: one made again gives its rows to the byte, and seeds are added a few at a time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workflow.running import Run, Workflow

TABLE = "work/demo/artifacts/replications.csv"
ACCEPTED = "results/demo/replications.csv"


@pytest.fixture(scope="module")
def repeated(finished: Workflow) -> Workflow:
    """A small workflow with one replication."""
    workflow = finished.copied(finished.folder.with_name("repeated"), with_results=True)
    workflow.claim()
    repeat(workflow, "r01")
    return workflow


def repeat(workflow: Workflow, names: str) -> Run:
    """Make some replications on one core."""
    run = workflow.run("--cores", "1", targets=("replications",), changes={"repeat": names})
    assert run.status == 0, run.text
    return run


def rows_of(workflow: Workflow, replication: str, table: str = TABLE) -> list[str]:
    """The rows of a replication, as they stand in the table of all."""
    return [row for row in workflow.read(table).splitlines() if f",{replication}," in row]


def test_a_replication_has_verdicts_by_another_root_seed(repeated: Workflow) -> None:
    rows = rows_of(repeated, "r01")
    assert [row.split(",")[1] for row in rows] == ["B-001", "B-002"]
    assert not any(",20170606," in row for row in rows)


def test_a_replication_reads_the_prepared_ratings_of_its_edition(repeated: Workflow) -> None:
    assert (repeated.folder / "work/demo-r01/ml-1m/coin-flip-80/split.npz").is_file()
    assert not (repeated.folder / "work/demo-r01/ml-1m/ratings.parquet").exists()


def test_splits_and_models_are_others_than_those_of_the_edition(repeated: Workflow) -> None:
    for name in ("split.npz", "plsa/ranks.npz"):
        one, other = (
            (repeated.folder / "work" / run / "ml-1m/coin-flip-80" / name).read_bytes()
            for run in ("demo", "demo-r01")
        )
        assert one != other


def test_a_replication_made_again_gives_its_rows_to_the_byte(repeated: Workflow) -> None:
    before = {
        path.name: path.read_bytes()
        for path in sorted((repeated.folder / "work/demo/artifacts").glob("*.*"))
    }
    assert {Path(TABLE).name, "certainty.csv", "replications_bellogin2017.svg"} <= set(before)
    shutil.rmtree(repeated.folder / "work/demo-r01")
    # Where it is there, nothing behind it is looked for.
    (repeated.folder / TABLE).unlink()
    run = repeat(repeated, "r01")
    assert "train_system plsa" in run.jobs
    after = {name: (repeated.folder / "work/demo/artifacts" / name).read_bytes() for name in before}
    assert after == before


def test_nothing_is_made_twice(repeated: Workflow) -> None:
    run = repeated.run("-n", targets=("replications",), changes={"repeat": "r01"})
    assert run.did_nothing, run.text


def test_another_replication_stands_beside_accepted_ones(repeated: Workflow) -> None:
    workflow = repeated.copied(repeated.folder.with_name("added"), with_results=True)
    first = rows_of(workflow, "r01")
    accepted = workflow.folder / ACCEPTED
    accepted.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(workflow.folder / TABLE, accepted)
    shutil.rmtree(workflow.folder / "work/demo-r01")
    repeat(workflow, "r02")
    assert not (workflow.folder / "work/demo-r01").exists()
    assert rows_of(workflow, "r01") == first
    assert len(rows_of(workflow, "r02")) == len(first)
    assert ",2,2," in workflow.read("work/demo/artifacts/certainty.csv")


def test_the_edition_itself_is_planned_without_any_replication(repeated: Workflow) -> None:
    run = repeated.run("-n")
    assert run.status == 0
    assert "demo-r" not in run.text
