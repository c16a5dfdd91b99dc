# SPDX-License-Identifier: MIT
"""The suite is held to its budget of processor seconds, and marks say what a test costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from library.test_suite import ROOT, UNASKED
from processor_budget import LOOP_SECONDS, TOLERATED, slowness, verdict

TESTS = """
import os
import subprocess
import time

import pytest


def test_starts_a_process():
    subprocess.run(["true"], check=True)


def test_forks():
    os.fork()


@pytest.mark.processes
def test_says_that_it_starts_a_process():
    subprocess.run(["true"], check=True)


def computes(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_computes():
    computes(0.7)


@pytest.mark.costly
def test_says_that_it_computes():
    computes(0.5)
"""

QUICKER = """
import processor_budget

processor_budget.slowness = lambda: 1.0
processor_budget.FAR_TOO_COSTLY = 0.6
"""
"""A plugin, for the rules to be seen within a second."""


@pytest.mark.each("slower", [0.5, 1.0, 3.0])
def test_half_as_much_again_as_the_budget_is_too_much_whatever_the_processor(slower: float) -> None:
    most = TOLERATED * 100 * slower
    assert verdict(most, 100, slower) is None
    said = verdict(most + 1, 100, slower)
    assert said is not None
    assert f"took {most + 1:.0f} s" in said
    assert f"{most:.0f} s are the most on this machine" in said


def test_the_fixed_loop_takes_the_time_of_a_processor() -> None:
    assert 0.01 < slowness() * LOOP_SECONDS < 10


WITHIN = """
import sys
import processor_budget

processor_budget.slowness = lambda: 1.0
sys.exit(processor_budget.run_within(float(sys.argv[1]), sys.argv[2:]))
"""


def ran_within(budget: float, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command within a budget, in a process of its own: it waits for all its descendants."""
    run = [sys.executable, "-c", WITHIN, str(budget), *command]
    environment = {**UNASKED, "PYTHONPATH": str(ROOT / "tests")}
    return subprocess.run(run, check=False, env=environment, capture_output=True, text=True)


@pytest.mark.processes
@pytest.mark.each(
    ("code", "budget", "status"),
    [("", 60, 0), ("raise SystemExit(3)", 60, 3), ("sum(range(10**7))", 1e-3, 1)],
)
def test_a_command_fails_if_it_fails_itself_or_takes_too_much(
    code: str, budget: float, status: int
) -> None:
    done = ran_within(budget, sys.executable, "-I", "-c", code)
    assert done.returncode == status
    assert "s of processor time (budget" in done.stdout
    assert ("The budget is 0 s" in done.stderr) == (status == 1)


@pytest.mark.processes
def test_processes_that_outlive_a_command_count() -> None:
    busy = "import time\nwhile time.process_time() < 0.6: pass"
    done = ran_within(0.3, "sh", "-c", f"{sys.executable} -I -c '{busy}' & sleep 0.1")
    assert done.returncode == 1
    assert "took 1 s of processor time" in done.stderr


@pytest.mark.repository
@pytest.mark.processes
def test_a_run_fails_above_its_budget_and_where_marks_are_missing(tmp_path: Path) -> None:
    folder = tmp_path / "units"
    folder.mkdir()
    (folder / "test_inside.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "quicker.py").write_text(QUICKER, encoding="utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "processor_budget"),
            *("-p", "quicker"),
            *("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-n", "1"),
            *("-o", "addopts=--strict-markers", "--budget", "0.1", "--tb=line", str(folder)),
        ],
        cwd=tmp_path,
        env={**UNASKED, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    said = done.stdout
    assert done.returncode == 1, said
    assert "2 failed, 3 passed" in said
    for name in ("test_starts_a_process", "test_forks"):
        assert f"{name} starts a process: mark it with @pytest.mark.processes" in said
    assert "The budget is 0 s" in said
    assert re.search(r"test_computes took 0\.\d s of processor time: make it cheaper, or", said)
    assert "test_says_that_it_computes took" not in said
    (row,) = [line.split() for line in said.splitlines() if line.endswith(" units")]
    assert 1.1 < float(row[0]) < 3
