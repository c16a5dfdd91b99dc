# SPDX-License-Identifier: MIT
"""A system that is shared out has the same bytes, a shard killed or not, and leaves no parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from workflow.edits import with_changed_function
from workflow.running import FIG02, Run, Workflow

from receval.workflow.run_record import RUN_FILE

SPLIT = "ml-1m/coin-flip-80"
NEIGHBOURS = "src/receval/recommenders/knn.py"
SYSTEMS = ("plsa", "knn-user")
"""One that is trained once and ranked by shards, and one that is fitted by shards."""


def settings(workflow: Workflow, shards: object) -> dict[str, Any]:
    small: dict[str, Any] = yaml.safe_load(workflow.read("small.yaml"))
    small["studies"]["bellogin2017"]["experiments"]["movielens"]["systems"] = [*SYSTEMS]
    return {**small, "shards": shards}


def made(workflow: Workflow) -> dict[str, bytes]:
    """Return what was made, without models, which what is fitted by shards does not have.

    The record of a run has the settings that it was given, shards among them.
    """
    results = workflow.results()
    return {n: data for n, data in results.items() if "/models/" not in n and n != RUN_FILE}


def parts(workflow: Workflow) -> set[str]:
    folder = workflow.folder / "work/demo" / SPLIT
    return {f"{path.parts[-3]} {path.stem}" for path in folder.glob("*/shards/*.npz")}


@pytest.fixture(scope="module")
def whole(finished: Workflow) -> Workflow:
    """A workflow in which one job trained each system, and one ranked it."""
    workflow = finished.copied(finished.folder.with_name("whole"), with_results=True)
    run = workflow.run("--cores", "2", targets=(FIG02,), changes=settings(workflow, "auto"))
    assert run.status == 0, run.text
    assert "train_system knn-user" in run.jobs
    return workflow


@pytest.fixture(scope="module")
def shared_out(whole: Workflow) -> Workflow:
    """The same before any training."""
    workflow = whole.copied(whole.folder.with_name("shared_out"), with_results=True)
    for system in SYSTEMS:
        for path in (workflow.folder / "work/demo" / SPLIT / system).glob("ranks.npz"):
            path.unlink()
    return workflow


@pytest.fixture(scope="module")
def attempts(shared_out: Workflow) -> list[tuple[Run, set[str]]]:
    """The same command with eight shards: one of them killed, then left alone."""
    found = []
    for variables in ({"RECEVAL_TEST_KILLED": "job *knn-user/shards/5-of-8.npz"}, {}):
        run = shared_out.run(
            *("--cores", "2"),
            targets=(FIG02,),
            changes=settings(shared_out, {"ml-1m": 8}),
            variables=variables,
        )
        found.append((run, parts(shared_out)))
    return found


def test_of_a_killed_shard_the_others_stay(attempts: list[tuple[Run, set[str]]]) -> None:
    run, left = attempts[0]
    assert run.status == 1, run.text
    assert left == {f"knn-user {n}-of-8" for n in range(1, 9) if n != 5}
    assert "join_shards plsa" in run.jobs


def test_after_a_killed_shard_it_alone_is_made_again_and_all_bytes_are_those_of_one_job(
    attempts: list[tuple[Run, set[str]]], shared_out: Workflow, whole: Workflow
) -> None:
    run, left = attempts[1]
    assert run.status == 0, run.text
    assert {job for job in run.jobs if "shard" in job} == {
        "rank_shard 5-of-8",
        "join_shards knn-user",
    }
    assert left == set()
    assert made(shared_out) == made(whole)


@pytest.mark.usefixtures("attempts")
def test_joined_shards_are_not_made_again_unless_what_they_come_from_is_edited(
    shared_out: Workflow,
) -> None:
    shards = {f"rank_shard {number}-of-8" for number in range(1, 9)}
    changes = settings(shared_out, {"ml-1m": 8})
    run = shared_out.run("-n", targets=(FIG02,), changes=changes)
    assert run.did_nothing, run.text
    edited = with_changed_function(shared_out.read(NEIGHBOURS), "_fit")
    with shared_out.edited({NEIGHBOURS: edited}):
        run = shared_out.run("-n", targets=(FIG02,), changes=changes)
    assert {*shards, "join_shards knn-user"} <= run.jobs, run.text
    assert not {"join_shards plsa", "train_system knn-user"} & run.jobs
    (shared_out.folder / "work/demo" / SPLIT / "split.npz").touch()
    changes["systems"]["plsa"]["parameters"]["topics"] = 6
    run = shared_out.run("-n", targets=(FIG02,), changes=changes)
    assert {*shards, "join_shards plsa", "train_system plsa"} <= run.jobs, run.text
    assert "join_shards knn-user" not in run.jobs


@pytest.mark.usefixtures("attempts")
def test_another_number_of_shards_leaves_no_parts_of_the_former_and_the_same_bytes(
    shared_out: Workflow, whole: Workflow
) -> None:
    for name in (f"{SPLIT}/{SYSTEMS[1]}/shards/1-of-8.npz", f"{SPLIT}/pop/shards/2-of-3.npz"):
        stale = Path(shared_out.folder, "work/demo", name)
        stale.parent.mkdir(exist_ok=True)
        stale.write_text("a part that a stopped run has left")
    run = shared_out.run("--cores", "2", targets=(FIG02,), changes=settings(shared_out, 2))
    assert run.status == 0, run.text
    assert {"rank_shard 2-of-2", *(f"join_shards {name}" for name in SYSTEMS)} <= run.jobs
    assert parts(shared_out) == set()
    assert made(shared_out) == made(whole)
