# SPDX-License-Identifier: MIT
"""What the tests themselves promise: an end, with and without xdist, and compiled code of today."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from reproduction.workflow.provenance.code_digest import CodeSnapshot

ROOT = Path(__file__).resolve().parents[2]
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist")
UNASKED = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
"""The environment without options of the run that this test is in: -q would take -v back."""

NEVER_ENDING = """
from signal import SIG_BLOCK, SIGALRM, pthread_sigmask
from time import sleep


def test_waits():
    sleep(60)


def test_goes_on():
    pass


def test_hears_no_signal():
    # Like compiled code that loops.
    pthread_sigmask(SIG_BLOCK, {SIGALRM})
    sleep(60)
"""

MEETS_SIGNALS = """
import os
import signal
import subprocess

import pytest


@pytest.mark.processes
def test_what_is_started_has_the_defaults():
    said = subprocess.run(["cat", "/proc/self/status"], stdout=subprocess.PIPE, text=True).stdout
    masks = dict(line.split() for line in said.splitlines() if line.startswith("Sig"))
    heard = {n: int(masks[n], base=16) for n in ("SigBlk:", "SigIgn:")}
    # Signals from 32 on are the C library's own.
    assert {name: mask % 2**31 for name, mask in heard.items()} == {"SigBlk:": 0, "SigIgn:": 0}


def test_hears_signals_and_goes_on():
    for number in (signal.SIGHUP, signal.SIGINT):
        os.kill(os.getpid(), number)
"""


def kernels_by_module() -> dict[str, list[str]]:
    """Return the names of the compiled functions of every module that has some."""
    found: dict[str, list[str]] = {}
    sources = [ROOT / "src" / package for package in ("receval", "reproduction")]
    for path in (path for source in sources for path in sorted(source.rglob("*.py"))):
        text = path.read_text(encoding="utf-8")
        if "jit" not in text:
            continue
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.FunctionDef) and any(
                "jit" in ast.unparse(decorator) for decorator in statement.decorator_list
            ):
                found.setdefault(module, []).append(statement.name)
    return found


@pytest.mark.costly
def test_a_kernel_reaches_no_code_of_another_module() -> None:
    # numba looks for edits in the file of a kernel alone: what it has from another module, a
    # function as well as a number, would stay as it was when the kernel was compiled.
    snapshot = CodeSnapshot(ROOT)
    # What keeps kernels is in none of them.
    decorator = ("receval", "receval.storage", "receval.storage.kernel_cache")
    others = [
        f"{module}:{name} must have a copy of its own of {part}"
        for module, names in kernels_by_module().items()
        for name in names
        for part in snapshot.parts(f"{module}:{name}")
        # The packages above it are run when it is imported; its names are not theirs.
        if part.partition(":")[0] not in (module, *decorator) and not module.startswith(f"{part}.")
    ]
    assert others == []


def run_inside(
    folder: Path, tests: str, conftest: str, *command: str, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run tests of a folder of their own as those of the repository are run."""
    (folder / "test_inside.py").write_text(tests, encoding="utf-8")
    (folder / "conftest.py").write_text(conftest, encoding="utf-8")
    options = (
        "-v",
        "-c",
        str(ROOT / "pyproject.toml"),
        "--rootdir",
        str(folder),
        "-o",
        "addopts=--strict-markers",
    )
    return subprocess.run(
        [*command, *options, str(folder / "test_inside.py")],
        cwd=folder,
        env=UNASKED,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **more,
    )


def begin_in_the_background() -> None:
    """Ignore what nohup, a script with & and careless starters ignore, and block some."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGALRM})


@pytest.mark.repository
@pytest.mark.processes
def test_processes_of_xdist_hear_signals_and_so_does_what_they_start(tmp_path: Path) -> None:
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    command = (*PYTEST[:-2], "-n", "2")
    done = run_inside(
        tmp_path, MEETS_SIGNALS, conftest, *command, preexec_fn=begin_in_the_background
    )
    assert done.stdout.count("PASSED") == 2, done.stdout


@pytest.mark.repository
@pytest.mark.processes
def test_without_xdist_signals_are_heard_and_what_never_ends_is_ended(tmp_path: Path) -> None:
    limits = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    assert "\nSECONDS = 240\n" in limits
    limits = limits.replace("\nSECONDS = 240\n", "\nSECONDS = 1\n")
    done = run_inside(
        tmp_path,
        MEETS_SIGNALS + NEVER_ENDING,
        limits,
        *(*PYTEST, "-o", "faulthandler_timeout=5"),
        preexec_fn=begin_in_the_background,
    )
    said = done.stdout.splitlines()
    ends = [line.split("::")[1].split()[:2] for line in said if line.count("::") == 1]
    assert ends[:4] == [
        ["test_what_is_started_has_the_defaults", "PASSED"],
        ["test_hears_signals_and_goes_on", "PASSED"],
        ["test_waits", "FAILED"],
        ["test_goes_on", "PASSED"],
    ], done.stdout
    assert done.returncode == 1
    assert "Timeout (0:00:05)!" in done.stderr
    assert "in test_hears_no_signal" in done.stderr


def test_the_limit_of_pytest_lies_above_that_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    options = project["tool"]["pytest"]["ini_options"]
    assert options["faulthandler_timeout"] == 300
    assert options["faulthandler_exit_on_timeout"]


@pytest.mark.processes
@pytest.mark.repository
def test_the_tests_are_of_the_source_beside_them_whatever_is_installed(tmp_path: Path) -> None:
    other = tmp_path / "receval"
    other.mkdir()
    (other / "__init__.py").write_text("raise SystemExit('The other one was imported.')")
    ended = subprocess.run(
        [*PYTEST, "--collect-only", "tests/arithmetic"],
        cwd=ROOT,
        env={**UNASKED, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
