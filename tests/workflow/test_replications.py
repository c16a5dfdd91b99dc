# SPDX-License-Identifier: MIT
"""Replications: one made again gives its rows to the byte, and seeds are added a few at a time."""

from __future__ import annotations

import shutil

import pytest
from workflow.running import Run, Workflow

from receval.seeds import integer_seed

pytestmark = [pytest.mark.processes, pytest.mark.repository]

TABLE = "work/demo/artifacts/replications.csv"
CERTAINTY = "work/demo/artifacts/certainty.csv"
ROOT_SEED = 20170606
ACCEPTED = "results/demo/replications.csv"


@pytest.fixture(scope="module")
def repeated(made: Workflow) -> Workflow:
    """A small workflow with one replication."""
    made.claim()
    repeat(made, "r01")
    return made


@pytest.fixture(scope="module")
def first(repeated: Workflow) -> list[str]:
    """The rows of the first replication, as it was made first."""
    return rows_of(repeated, "r01")


def repeat(workflow: Workflow, names: str, target: str = "replications") -> Run:
    """Make some replications on one core."""
    run = workflow.run("--cores", "1", targets=(target,), changes={"repeat": names})
    assert run.status == 0, run.text
    return run


def rows_of(workflow: Workflow, replication: str) -> list[str]:
    """The rows of a replication, as they stand in the table of all."""
    return [row for row in workflow.read(TABLE).splitlines() if f",{replication}," in row]


def test_a_replication_has_verdicts_by_another_root_seed(first: list[str]) -> None:
    assert [row.split(",")[1] for row in first] == ["B-001", "B-002"]
    assert not any(f",{ROOT_SEED}," in row for row in first)


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


def test_nothing_is_made_twice(repeated: Workflow) -> None:
    run = repeated.run("-n", targets=("replications",), changes={"repeat": "r01"})
    assert run.did_nothing, run.text


def test_the_edition_itself_is_planned_without_any_replication(repeated: Workflow) -> None:
    run = repeated.run("-n")
    assert run.status == 0
    assert "demo-r" not in run.text


def test_a_replication_made_again_stands_with_the_same_bytes_beside_another_that_is_accepted(
    repeated: Workflow, first: list[str]
) -> None:
    seeds = {name: str(integer_seed(ROOT_SEED, "replication", name)) for name in ("r01", "r02")}
    header, *_ = repeated.read(TABLE).splitlines()
    other = [
        row.replace(",r01,", ",r02,").replace(f",{seeds['r01']},", f",{seeds['r02']},")
        for row in first
    ]
    accepted = repeated.folder / ACCEPTED
    accepted.parent.mkdir(parents=True, exist_ok=True)
    accepted.write_text("\n".join([header, *other]) + "\n", encoding="utf-8")
    shutil.rmtree(repeated.folder / "work/demo-r01")
    # Where it is there, nothing behind it is looked for.
    (repeated.folder / TABLE).unlink()
    run = repeat(repeated, "r01", target=CERTAINTY)
    assert "train_system plsa" in run.jobs
    assert not (repeated.folder / "work/demo-r02").exists()
    assert rows_of(repeated, "r01") == first
    assert rows_of(repeated, "r02") == other
    assert repeated.read(CERTAINTY).count(",ml-1m,,2,") == 2
