# SPDX-License-Identifier: MIT
"""A kill is said in one sentence, and after any the same command finishes with the same bytes."""

from __future__ import annotations

import signal
from dataclasses import dataclass

import pytest
from workflow.running import FIG02, Run, Workflow

SYSTEM = "demo/ml-1m/coin-flip-80/plsa"


@dataclass(frozen=True)
class Attempt:
    """One attempt of the same command, and what was there after it."""

    run: Run
    made: set[str]
    locks: set[str]


@pytest.fixture(scope="module")
def interrupted(finished: Workflow) -> Workflow:
    """A workflow in which nothing has been made yet."""
    return finished.copied(finished.folder.with_name("interrupted"), with_results=False)


@pytest.fixture(scope="module")
def attempts(interrupted: Workflow) -> list[Attempt]:
    """The same command on one core: a job of it killed, then all of it, then left alone.

    What the first says is what people see, and what the others say are Snakemake's own words.
    """
    attempts = []
    for killed in (f"job */{SYSTEM}/*fold1.npz", f"run */{SYSTEM}/ranks.npz", None):
        variables = {} if killed is None else {"RECEVAL_TEST_KILLED": killed}
        run = interrupted.run(
            "--cores", "1", targets=(FIG02,), variables=variables, as_shown=not attempts
        )
        locks = {path.name for path in (interrupted.folder / ".snakemake/locks").glob("*")}
        attempts.append(Attempt(run, set(interrupted.results()), locks))
    return attempts


def test_a_killed_job_leaves_nothing_under_a_final_name(attempts: list[Attempt]) -> None:
    killed = attempts[0]
    assert killed.run.status == 1, killed.run.text
    model = SYSTEM.removeprefix("demo/") + "/models/fold0.npz"
    assert model not in killed.made
    # The other system does not suffer.
    assert model.replace("plsa", "pop") in killed.made


def test_a_killed_job_is_one_failed_job(attempts: list[Attempt]) -> None:
    text = attempts[0].run.text
    sentence = "train_system was killed by SIGKILL: the system may have run out of memory."
    assert text.count(sentence) == 1, text
    assert text.count("Its log") == 1
    assert "Failed: 1 job;" in text
    assert "Traceback" not in text


def test_a_killed_run_leaves_locks_and_no_judged_ranks(attempts: list[Attempt]) -> None:
    killed = attempts[1]
    assert killed.run.status == -signal.SIGKILL, killed.run.text
    assert killed.locks
    assert SYSTEM.removeprefix("demo/") + "/ranks.npz" not in killed.made


def test_the_same_command_finishes_with_the_same_bytes_at_any_number_of_cores(
    attempts: list[Attempt], interrupted: Workflow, finished: Workflow
) -> None:
    assert attempts[2].run.status == 0, attempts[2].run.text
    # What a killed process was writing stays under its temporary name.
    made = {name: data for name, data in interrupted.results().items() if ".part" not in name}
    expected = finished.results()
    assert {name for name in made if made[name] != expected.get(name)} == set()
    assert {name.rpartition("/")[2] for name in made} >= {
        "fig02.csv",
        "fig02.pdf",
        "fig02.svg",
        "fold1.npz",
        "ranks.npz",
    }


def test_an_interrupted_job_is_done_again_and_a_finished_one_is_not(
    attempts: list[Attempt],
) -> None:
    assert "train_system plsa" in attempts[1].run.jobs
    assert "train_system pop" not in attempts[1].run.jobs
    assert "train_system plsa" not in attempts[2].run.jobs
    assert "rank_system plsa" in attempts[2].run.jobs
