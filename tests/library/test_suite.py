# SPDX-License-Identifier: MIT
"""What the tests themselves promise: an end, with and without xdist, and compiled code of today."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from receval.provenance.code_digest import CodeSnapshot

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


def kernels_by_module() -> dict[str, list[str]]:
    """Return the names of the compiled functions of every module that has some."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "src" / "receval").rglob("*.py")):
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


@pytest.mark.parametrize(("module", "names"), kernels_by_module().items())
def test_a_kernel_reaches_no_code_of_another_module(module: str, names: list[str]) -> None:
    # numba looks for edits in the file of a kernel alone: what it has from another module, a
    # function as well as a number, would stay as it was when the kernel was compiled.
    snapshot = CodeSnapshot(ROOT)
    for name in names:
        others = [
            part
            for part in snapshot.parts(f"{module}:{name}")
            # The packages above it are run when it is imported; its names are not theirs.
            if part != f"{module}:{name}" and not module.startswith(f"{part}.")
        ]
        assert others == [], f"{module}:{name} must have a copy of its own of what it uses"


def test_the_tests_are_found_without_xdist() -> None:
    file = Path(__file__).with_name("test_seeds.py")
    done = subprocess.run(
        [*PYTEST, "--collect-only", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout


def test_a_test_that_never_ends_fails_or_ends_its_process(tmp_path: Path) -> None:
    file = tmp_path / "test_never_ending.py"
    file.write_text(NEVER_ENDING, encoding="utf-8")
    limits = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    assert "\nSECONDS = 240\n" in limits
    limits = limits.replace("\nSECONDS = 240\n", "\nSECONDS = 1\n")
    (tmp_path / "conftest.py").write_text(limits, encoding="utf-8")
    done = subprocess.run(
        [
            *(*PYTEST, "-v", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)),
            *("-o", "faulthandler_timeout=5", "-o", "addopts=", str(file)),
        ],
        cwd=tmp_path,
        env=UNASKED,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    said = done.stdout.splitlines()
    ends = [line.split("::")[1].split()[:2] for line in said if line.count("::") == 1]
    assert ends[:2] == [["test_waits", "FAILED"], ["test_goes_on", "PASSED"]], done.stdout
    assert done.returncode == 1
    assert "Timeout (0:00:05)!" in done.stderr
    assert "in test_hears_no_signal" in done.stderr


def test_the_limit_of_pytest_lies_above_that_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    options = project["tool"]["pytest"]["ini_options"]
    assert options["faulthandler_timeout"] == 300
    assert options["faulthandler_exit_on_timeout"]
