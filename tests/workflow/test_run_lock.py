# SPDX-License-Identifier: MIT
"""Which locks count as stale."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Like a run: it clears up, locks its outputs, and works until it is made to stop.
RUN = """
import sys
from pathlib import Path
from receval.workflow.run import remove_stale_locks
folder = Path(sys.argv[1])
removed = remove_stale_locks(folder)
(folder / "locks").mkdir(exist_ok=True)
(folder / "locks" / f"{sys.argv[2]}.lock").touch()
print(*[path.stem for path in removed], flush=True)
sys.stdin.read()
"""


class Runs:
    """Runs in one folder, each with a lock of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[str]] = {}

    def start(self, name: str) -> list[str]:
        """Start a run and return whose locks it removed."""
        command = [sys.executable, "-c", RUN, str(self.folder), name]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.processes[name] = process
        assert process.stdout is not None
        return process.stdout.readline().split()

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.communicate()

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
