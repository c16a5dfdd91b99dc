# SPDX-License-Identifier: MIT
"""Whatever is killed whenever: the same command finishes with the same bytes, nothing lives on.

What is killed at known moments is in test_bytes.py.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from workflow.running import FIG02, FIG03, Started, Workflow

TARGETS = (FIG02, FIG03)
ROUNDS = 50


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


@pytest.mark.slow
@pytest.mark.processes
def test_any_kill_leaves_no_process_and_the_command_finishes_with_the_same_bytes(
    finished: Workflow, tmp_path: Path
) -> None:
    expected = finished.results()
    moments = random.Random("kills")
    for number in range(ROUNDS):
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
            workflow.wait_for_the_end()
        # Far more jobs at once than there are cores.
        run = workflow.run("--cores", "16", targets=TARGETS)
        assert run.status == 0, run.text
        made = workflow.results()
        assert {name for name in made if made[name] != expected.get(name)} == set()
        assert set(TARGETS) <= {f"work/demo/{name}" for name in made}
        shutil.rmtree(workflow.folder)
