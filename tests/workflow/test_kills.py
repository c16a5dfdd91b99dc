"""Whatever is killed whenever: the same command finishes with the same bytes, nothing lives on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress

import pytest
from workflow.running import FIG02, Workflow

KILLS = int(os.environ.get("RECEVAL_TEST_KILLS", "3"))
"""How many runs are killed, the whole group, the main process and one job in turn."""

TARGETS = (FIG02, "work/demo/artifacts/valcarce2020/fig03.svg")


@pytest.fixture(scope="module")
def killed(finished: Workflow) -> Workflow:
    """A workflow with its kernels compiled, in which nothing has been made yet."""
    return finished.copied(finished.folder.with_name("killed"), with_results=False)


def wait_for_the_end(workflow: Workflow, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while workflow.processes():
        assert time.monotonic() < end, "Processes of a killed run live on."
        time.sleep(0.02)


def kill_a_job(workflow: Workflow, main: subprocess.Popen[str]) -> None:
    """Kill a job as soon as there is one: a child of a child of the main process."""
    while main.poll() is None:
        parents = workflow.processes()
        jobs = [process for process, parent in parents.items() if parents.get(parent) == main.pid]
        if jobs:
            # It may have ended meanwhile.
            with suppress(ProcessLookupError):
                os.kill(jobs[0], signal.SIGKILL)
            return


def test_any_kill_leaves_no_process_and_the_command_finishes_with_the_same_bytes(
    killed: Workflow, finished: Workflow
) -> None:
    moments = random.Random("kills")
    for number in range(KILLS):
        main = killed.start("--cores", "2", targets=TARGETS)
        time.sleep(moments.uniform(1.5, 4.5))
        whom = ("group", "main", "job")[number % 3]
        if whom == "group" and main.poll() is None:
            os.killpg(main.pid, signal.SIGKILL)
        elif whom == "main":
            main.kill()
        else:
            kill_a_job(killed, main)
        main.communicate(timeout=120)
        wait_for_the_end(killed)
    # Far more jobs at once than there are cores.
    run = killed.run("--cores", "16", targets=TARGETS)
    assert run.status == 0, run.text
    wait_for_the_end(killed)
    # What a killed process was writing stays under its temporary name.
    made = {name: data for name, data in killed.results().items() if ".part" not in name}
    expected = finished.results()
    assert {name for name in made if made[name] != expected.get(name)} == set()
    assert set(TARGETS) <= {f"work/demo/{name}" for name in made}


def test_a_run_that_is_told_to_end_ends_its_jobs_at_once(finished: Workflow) -> None:
    workflow = finished.copied(finished.folder.with_name("told"), with_results=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        main = workflow.start("--cores", "2", targets=TARGETS)
        while not any(p != main.pid and q != main.pid for p, q in workflow.processes().items()):
            assert main.poll() is None
            time.sleep(0.05)
        main.send_signal(number)
        text, _ = main.communicate(timeout=30)
        assert main.returncode not in (0, None), text
        wait_for_the_end(workflow, seconds=5)
