# SPDX-License-Identifier: MIT
"""Which locks count as stale."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from reproduction.workflow.jobs.run import remove_stale_locks

pytestmark = pytest.mark.processes


def run(folder: Path, name: str, answer: Connection) -> None:
    """Do as a run does: clear up, lock the outputs, and work until it is killed."""
    removed = remove_stale_locks(folder)
    (folder / "locks").mkdir(exist_ok=True)
    (folder / "locks" / f"{name}.lock").touch()
    answer.send([path.stem for path in removed])
    signal.pause()


class Runs:
    """Runs in one folder, each with a lock of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, BaseProcess] = {}

    def start(self, name: str) -> list[str]:
        """Start a run and return whose locks it removed."""
        # Nothing of this process is needed there, but what it has imported.
        context = multiprocessing.get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=run, args=(self.folder, name, sender), daemon=True)
        process.start()
        sender.close()
        self.processes[name] = process
        with receiver:
            removed: list[str] = receiver.recv()
        return removed

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.join()

    @property
    def locks(self) -> set[str]:
        return {path.stem for path in (self.folder / "locks").iterdir()}


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    runs = Runs(tmp_path / ".snakemake")
    yield runs
    for name in list(runs.processes):
        runs.kill(name)


def test_the_locks_of_a_killed_run_are_removed(runs: Runs) -> None:
    runs.start("first")
    runs.kill("first")
    assert runs.locks == {"first"}
    assert runs.start("second") == ["first"]
    assert runs.locks == {"second"}


def test_the_locks_of_a_living_run_stay(runs: Runs) -> None:
    runs.start("first")
    assert runs.start("second") == []
    assert runs.locks == {"first", "second"}


def test_the_locks_of_a_run_stay_when_the_one_before_it_ends(runs: Runs) -> None:
    runs.start("first")
    runs.start("second")
    runs.kill("first")
    # One of these is stale, but which one cannot be told while the other is at work.
    assert runs.start("third") == []
    assert runs.locks == {"first", "second", "third"}


def test_all_stale_locks_go_when_no_run_is_left(runs: Runs) -> None:
    for name in ("first", "second"):
        runs.start(name)
    for name in ("first", "second"):
        runs.kill(name)
    assert runs.start("third") == ["first", "second"]
