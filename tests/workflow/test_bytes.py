# SPDX-License-Identifier: MIT
"""A kill is said in one sentence, and after any the same command finishes with the same bytes."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from workflow.running import FIG02, Run, Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

SYSTEM = "demo/ml-1m/coin-flip-80/plsa"
RANKS = f"*/{SYSTEM}/ranks.npz"
OTHERS = tuple(f"work/demo/ml-1m/random-folds/{name}/ranks.npz" for name in ("pop", "random"))
"""More to do side by side."""


@dataclass(frozen=True)
class Attempt:
    """One attempt of the same command, and what was there after it."""

    run: Run
    made: set[str]
    locks: set[str]


@pytest.fixture(scope="module")
def interrupted(finished: Workflow, folder: Path) -> Workflow:
    """A workflow in which nothing has been made yet."""
    return finished.copied(folder / "interrupted", with_results=False)


@pytest.fixture(scope="module")
def attempts(interrupted: Workflow) -> dict[str, Attempt]:
    """The same command again and again: each is stopped in another way, and the last is not.

    What the first says is what people see, and what the others say are Snakemake's own words.
    After each of them no process is left.
    """
    attempts = {}

    def note(name: str, run: Run) -> None:
        interrupted.wait_for_the_end(seconds=5)
        locks = {path.name for path in (interrupted.folder / ".snakemake/locks").glob("*")}
        attempts[name] = Attempt(run, set(interrupted.results()), locks)

    for whom, file in (("job", f"*/{SYSTEM}/*fold1.npz"), ("run", RANKS)):
        run = interrupted.run(
            *("--cores", "1"),
            targets=(FIG02,),
            variables={"RECEVAL_TEST_KILLED": f"{whom} {file}"},
            as_shown=whom == "job",
        )
        note(f"killed {whom}", run)
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        with interrupted.held(RANKS, "--cores", "1", targets=(FIG02,)) as started:
            # Jobs of the main process's own fork server, which are to end with it.
            os.kill(started.pid, number)
            note(number.name, started.end(30))
    # Far more jobs at once than there are cores.
    note("finished", interrupted.run("--cores", "16", targets=(FIG02, *OTHERS)))
    return attempts


def test_a_killed_job_leaves_nothing_under_a_final_name(attempts: dict[str, Attempt]) -> None:
    killed = attempts["killed job"]
    assert killed.run.status == 1, killed.run.text
    model = SYSTEM.removeprefix("demo/") + "/models/fold0.npz"
    assert model not in killed.made
    # The other system does not suffer.
    assert model.replace("plsa", "pop") in killed.made


def test_a_killed_job_is_one_failed_job(attempts: dict[str, Attempt]) -> None:
    text = attempts["killed job"].run.text
    sentence = "train_system was killed by SIGKILL. The system may have run out of memory."
    assert text.count(sentence) == 1, text
    assert text.count("Its log") == 1
    assert "Failed: 1 job;" in text
    assert "Traceback" not in text


def test_a_killed_run_leaves_locks_and_no_judged_ranks(attempts: dict[str, Attempt]) -> None:
    for name in ("killed run", "SIGKILL"):
        killed = attempts[name]
        assert killed.run.status == -signal.SIGKILL, killed.run.text
        assert killed.locks
        assert SYSTEM.removeprefix("demo/") + "/ranks.npz" not in killed.made


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_run_that_is_told_to_end_fails_and_ends_its_jobs_at_once(
    name: str, attempts: dict[str, Attempt]
) -> None:
    told = attempts[name]
    assert told.run.status != 0, told.run.text
    assert SYSTEM.removeprefix("demo/") + "/ranks.npz" not in told.made


def test_the_same_command_finishes_with_the_same_bytes_at_any_number_of_cores(
    attempts: dict[str, Attempt], interrupted: Workflow, finished: Workflow
) -> None:
    assert attempts["finished"].run.status == 0, attempts["finished"].run.text
    made = interrupted.results()
    expected = finished.results()
    assert {name for name in made if made[name] != expected.get(name)} == set()
    assert {f"work/demo/{name}" for name in made} >= {FIG02, *OTHERS}
    assert {name.rpartition("/")[2] for name in made} >= {"fig02.csv", "fig02.svg", "fold1.npz"}


def test_an_interrupted_job_is_done_again_and_a_finished_one_is_not(
    attempts: dict[str, Attempt],
) -> None:
    again = attempts["killed run"].run.jobs
    assert "train_system plsa" in again
    assert not {"train_system pop", "rank_system pop"} & again
    last = attempts["finished"].run.jobs
    assert "train_system plsa" not in last
    assert "rank_system plsa" in last
