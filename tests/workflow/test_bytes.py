from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from workflow.running import FIG02, Workflow


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory, caches: Path) -> Workflow:
    """A workflow whose run with two cores was killed with all its jobs while it trained."""
    workflow = Workflow(tmp_path_factory.mktemp("killed") / "repository", caches)
    process = subprocess.Popen(
        workflow.command("--cores", "2", FIG02),
        cwd=workflow.folder,
        env=workflow.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    systems = workflow.folder / "work/demo/ml-1m/coin-flip-80"
    deadline = time.monotonic() + 120
    # A log is begun when its job starts; a model is there when it has ended.
    while not any(
        not (log.parents[1] / "models").exists() for log in systems.glob("*/logs/train_system.log")
    ):
        assert process.poll() is None, "the run ended before it trained anything"
        assert time.monotonic() < deadline, "the run did not start to train"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return workflow


def test_a_killed_run_leaves_no_figure_and_unfinished_jobs(killed: Workflow) -> None:
    assert not (killed.folder / FIG02).exists()


def test_the_same_command_finishes_a_killed_run_with_the_same_bytes_at_any_number_of_cores(
    killed: Workflow, finished: Workflow
) -> None:
    killed.run("--cores", "2", FIG02)
    results = killed.bytes_of_results()
    assert results == finished.bytes_of_results()
    assert {name.rsplit("/", 1)[1] for name in results} >= {"fig02.csv", "fig02.svg", "ranks.npz"}
