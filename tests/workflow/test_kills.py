# SPDX-License-Identifier: MIT
"""Whatever is killed whenever: the same command finishes with the same bytes, nothing lives on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from workflow.running import FIG02, Started, Workflow

TARGETS = (FIG02, "work/demo/artifacts/valcarce2020/fig03.svg")


def wait_for_the_end(workflow: Workflow, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while workflow.processes():
        assert time.monotonic() < end, "Processes of a killed run live on."
        time.sleep(0.02)


def kill_a_job(workflow: Workflow, main: Started) -> None:
    """Kill a job as soon as there is one: a child of a child of the main process."""
    while main.is_running:
        parents = workflow.processes()
        jobs = [process for process, parent in parents.items() if parents.get(parent) == main.pid]
        if jobs:
            # It may have ended meanwhile.
            with suppress(ProcessLookupError):
                os.kill(jobs[0], signal.SIGKILL)
            return


@pytest.mark.parametrize("rounds", [1, pytest.param(50, marks=pytest.mark.slow)])
def test_any_kill_leaves_no_process_and_the_command_finishes_with_the_same_bytes(
    finished: Workflow, tmp_path: Path, rounds: int
) -> None:
    expected = finished.results()
    moments = random.Random("kills")
    for number in range(rounds):
        # Kernels are compiled, and nothing has been made yet.
        workflow = finished.copied(tmp_path / str(number), with_results=False)
        for whom in ("group", "main", "job"):
            main = workflow.start("--cores", "2", targets=TARGETS)
            time.sleep(moments.uniform(0.5, 3.5))
            if whom == "group":
                os.killpg(main.pid, signal.SIGKILL)
            elif whom == "main":
                os.kill(main.pid, signal.SIGKILL)
            else:
                kill_a_job(workflow, main)
            main.end(120)
            wait_for_the_end(workflow)
        # Far more jobs at once than there are cores.
        run = workflow.run("--cores", "16", targets=TARGETS)
        assert run.status == 0, run.text
        wait_for_the_end(workflow)
        made = workflow.results()
        assert {name for name in made if made[name] != expected.get(name)} == set()
        assert set(TARGETS) <= {f"work/demo/{name}" for name in made}
        shutil.rmtree(workflow.folder)


def test_a_run_that_is_told_to_end_ends_its_jobs_at_once(finished: Workflow) -> None:
    workflow = finished.copied(finished.folder.with_name("told"), with_results=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        main = workflow.start("--cores", "2", targets=TARGETS)
        while not any(p != main.pid and q != main.pid for p, q in workflow.processes().items()):
            assert main.is_running
            time.sleep(0.05)
        os.kill(main.pid, number)
        run = main.end(30)
        assert run.status != 0, run.text
        wait_for_the_end(workflow, seconds=5)
