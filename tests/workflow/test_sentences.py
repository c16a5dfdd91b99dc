# SPDX-License-Identifier: MIT
"""A run that may not begin says so in one sentence."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from workflow.running import FIG02, Workflow

SPLIT = "work/demo/ml-1m/coin-flip-80/split.npz"
"""A file of three short jobs."""


def test_a_second_run_is_refused(finished: Workflow) -> None:
    workflow = finished.copied(finished.folder.with_name("twice"), with_results=False)
    first = workflow.start("--cores", "1", targets=(SPLIT,))
    locks = workflow.folder / ".snakemake" / "locks"
    try:
        # Inputs are locked first, which nobody else writes.
        while not any(lock.stat().st_size for lock in locks.glob("*.output.lock")):
            assert first.is_running
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGSTOP)
        second = workflow.run("--cores", "1", targets=(SPLIT,), as_shown=True)
    finally:
        os.kill(first.pid, signal.SIGCONT)
        run = first.end(60)
    assert second.status == 1, second.text
    # Besides, the profile and the datasets.
    *_, said = second.text.splitlines()
    assert len(second.text.splitlines()) == 3, second.text
    assert said.startswith("Another run is at work in this folder: ")
    assert run.status == 0, run.text


@pytest.mark.parametrize("pattern", ["*/ranks.npz", "*/run.json"])
def test_a_full_disk_ends_the_run_with_one_sentence_and_the_status_2(
    finished: Workflow, tmp_path: Path, pattern: str
) -> None:
    workflow = finished.copied(tmp_path / "full", with_results=False)
    run = workflow.start(
        "--cores",
        "2",
        targets=(FIG02,),
        variables={"RECEVAL_TEST_FULL": pattern},
        as_shown=True,
    ).end(120)
    assert run.status == 2, run.text
    assert run.text.count("no space left on the disk") + run.text.count("No space left") == 1
