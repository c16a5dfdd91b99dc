"""What goes wrong in a real run is said in one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from workflow.running import FIG02, Workflow

TABLE = "work/demo/artifacts/bellogin2017/table3.csv"


def copy_of(finished: Workflow, name: str) -> Workflow:
    return finished.copied(finished.folder.with_name(name), with_results=False)


def jobs_of(workflow: Workflow, main: subprocess.Popen[str]) -> list[int]:
    """Return the processes of jobs: children of a child of the main process."""
    parents = workflow.processes()
    return [process for process, parent in parents.items() if parents.get(parent) == main.pid]


def test_a_second_run_is_refused(finished: Workflow) -> None:
    workflow = copy_of(finished, "twice")
    first = workflow.start("--cores", "1", targets=(TABLE,))
    locks = workflow.folder / ".snakemake" / "locks"
    # Inputs are locked first, which nobody else writes.
    while not any(lock.stat().st_size for lock in locks.glob("*.output.lock")):
        assert first.poll() is None
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)
    second = workflow.start("--cores", "1", targets=(TABLE,), as_shown=True)
    text, _ = second.communicate(timeout=60)
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 1
    # Besides, the profile and the datasets.
    *_, said = text.splitlines()
    assert len(text.splitlines()) == 3, text
    assert said.startswith("Another run is at work in this folder: ")
    words, _ = first.communicate(timeout=60)
    assert first.returncode == 0, words


def test_a_killed_job_is_one_failed_job(finished: Workflow) -> None:
    workflow = copy_of(finished, "killed_once")
    main = workflow.start("--cores", "1", targets=(FIG02,), as_shown=True)
    while not (jobs := jobs_of(workflow, main)):
        assert main.poll() is None
        time.sleep(0.005)
    os.kill(jobs[0], signal.SIGKILL)
    text, _ = main.communicate(timeout=60)
    assert main.returncode == 1
    assert text.count("was killed by SIGKILL: the system may have run out of memory.") == 1, text
    assert text.count("Its log") == 1
    assert "Failed: 1 job;" in text
    assert "Traceback" not in text
