# SPDX-License-Identifier: MIT
"""A system that is shared out has the same bytes, a shard killed or not, and leaves no parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from workflow.edits import with_changed_function
from workflow.running import Run, Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

SPLIT = "ml-1m/coin-flip-80"
NEIGHBOURS = "src/receval/recommenders/knn.py"
SYSTEMS = ("plsa", "knn-user")
"""One that is trained once and ranked by shards, and one that is fitted by shards."""

RANKS = tuple(f"work/demo/{SPLIT}/{system}/ranks.npz" for system in SYSTEMS)
"""What shards are joined to."""


def with_shards(number: int) -> dict[str, Any]:
    return {"shards": {"ml-1m": number}}


def ranks(workflow: Workflow) -> list[bytes]:
    return [(workflow.folder / name).read_bytes() for name in RANKS]


def parts(workflow: Workflow) -> set[str]:
    folder = workflow.folder / "work/demo" / SPLIT
    return {f"{path.parts[-3]} {path.stem}" for path in folder.glob("*/shards/*.npz")}


@pytest.fixture(scope="module")
def shared_out(made: Workflow) -> Workflow:
    """A workflow in which one job trained each system and one ranked it, without these ranks."""
    for name in RANKS:
        (made.folder / name).unlink()
    return made


@pytest.fixture(scope="module")
def attempts(shared_out: Workflow) -> list[tuple[Run, set[str]]]:
    """The same command with three shards: one of them killed, then left alone.

    Before each of them lie parts that runs with other numbers of shards have left.
    """
    found = []
    for variables in ({"RECEVAL_TEST_KILLED": "job *knn-user/shards/2-of-3.npz"}, {}):
        for name in ("knn-user/shards/1-of-8.npz", "pop/shards/1-of-2.npz"):
            stale = Path(shared_out.folder, "work/demo", SPLIT, name)
            stale.parent.mkdir(exist_ok=True)
            stale.write_text("a part that a stopped run has left", encoding="utf-8")
        run = shared_out.run(
            *("--cores", "2"), targets=RANKS, changes=with_shards(3), variables=variables
        )
        found.append((run, parts(shared_out)))
    return found


def test_of_a_killed_shard_the_others_stay_and_parts_of_other_numbers_go(
    attempts: list[tuple[Run, set[str]]],
) -> None:
    run, left = attempts[0]
    assert run.status == 1, run.text
    assert left == {"knn-user 1-of-3", "knn-user 3-of-3"}
    assert "join_shards plsa" in run.jobs


def test_after_a_killed_shard_it_alone_is_made_again_and_all_bytes_are_those_of_one_job(
    attempts: list[tuple[Run, set[str]]], shared_out: Workflow, finished: Workflow
) -> None:
    run, left = attempts[1]
    assert run.status == 0, run.text
    assert run.jobs == {"rank_shard 2-of-3", "join_shards knn-user"}
    assert left == set()
    assert ranks(shared_out) == ranks(finished)


@pytest.mark.usefixtures("attempts")
def test_joined_shards_are_not_made_again_unless_what_they_come_from_is_edited(
    shared_out: Workflow,
) -> None:
    shards = {f"rank_shard {number}-of-3" for number in range(1, 4)}
    changes = with_shards(3)
    run = shared_out.run("-n", targets=RANKS, changes=changes)
    assert run.did_nothing, run.text
    edited = with_changed_function(shared_out.read(NEIGHBOURS), "_fit")
    with shared_out.edited({NEIGHBOURS: edited}):
        run = shared_out.run("-n", targets=RANKS, changes=changes)
    assert {*shards, "join_shards knn-user"} <= run.jobs, run.text
    assert not {"join_shards plsa", "train_system knn-user"} & run.jobs
    (shared_out.folder / "work/demo" / SPLIT / "split.npz").touch()
    changes["systems"] = {"plsa": {"parameters": {"topics": 6}}}
    run = shared_out.run("-n", targets=RANKS, changes=changes)
    assert {*shards, "join_shards plsa", "train_system plsa"} <= run.jobs, run.text
    assert "join_shards knn-user" not in run.jobs
