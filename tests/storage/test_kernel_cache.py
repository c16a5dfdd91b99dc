# SPDX-License-Identifier: MIT
"""Compiled kernels are kept where `pip uninstall` leaves nothing behind."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.bytecode import FunctionIdentity

from receval.storage import kernel_cache
from receval.storage.kernel_cache import folder_of_kernels, njit


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return the folder of a package that pip has installed."""
    (tmp_path / "receval-1.0.0.dist-info").mkdir()
    return tmp_path / "receval"


def test_kernels_of_an_installed_package_are_in_the_cache_of_the_user(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert folder_of_kernels(installed) == str(tmp_path / "cache" / "receval")


def test_an_empty_name_of_the_cache_is_not_the_folder_that_a_person_works_in(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert folder_of_kernels(installed) == ""


def test_kernels_of_a_checkout_are_beside_their_module(tmp_path: Path) -> None:
    assert folder_of_kernels(tmp_path / "src" / "receval") == ""


def test_no_kernel_has_the_decorator_of_numba_itself() -> None:
    source = Path(kernel_cache.__file__)
    modules = [path for path in source.parents[1].rglob("*.py") if path != source]
    texts = {path: path.read_text(encoding="utf-8") for path in modules}
    itself = re.compile(r"^from numba import .*jit|^@numba\.", re.MULTILINE)
    assert [path for path, text in texts.items() if itself.search(text)] == []
    assert any("from receval.storage.kernel_cache import njit" in text for text in texts.values())


def test_a_folder_that_numba_was_given_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    kernel = njit(cache=True)(lambda value: value)
    assert Path(kernel.stats.cache_path).parent == tmp_path
    assert str(tmp_path) == numba.config.CACHE_DIR


def test_where_none_can_be_written_kernels_work_and_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "kernels.py").write_text("def one(value):\n    return value\n")
    # A file in place of each folder that may be made, also for a user who may write everywhere.
    (tmp_path / "__pycache__").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kernels.py"))
    monkeypatch.syspath_prepend(tmp_path)
    function = importlib.import_module("kernels").one
    kernel_cache._say_that_there_is_none.cache_clear()
    first, second = (njit(cache=True)(function) for _ in range(2))
    assert first.py_func is second.py_func is function
    (said,) = caplog.messages
    assert "XDG_CACHE_HOME" in said


_FACTORY = """
import numba

def adding(step):
    # What calls itself is not put into its caller, so it has a name that others can call.
    @numba.njit
    def added(number):
        return number if number < 2 else added(number - 1) * added(number - 2) + step
    return added
"""

_MODULE = """
from factory import adding
from receval.storage.kernel_cache import njit

added = adding({})

@njit(cache=True)
def kernel(number):
    return added(number)
"""


@pytest.mark.costly
@pytest.mark.processes
def test_kernels_that_two_processes_kept_do_not_call_each_other(tmp_path: Path) -> None:
    # By numbers that start at 1 in each process, both would call a function of one name: they come
    # from the same lines, as those behind `np.sort` and `np.argsort` do, which compile for seconds.
    (tmp_path / "factory.py").write_text(_FACTORY, encoding="utf-8")
    for step in (1, 5):
        (tmp_path / f"kept_{step}.py").write_text(_MODULE.format(step), encoding="utf-8")

    def printed(code: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert printed("import kept_1 as k; print(k.kernel(4))") == "3\n"
    assert printed("import kept_5 as k; print(k.kernel(4))") == "55\n"
    both = "import kept_1 as a, kept_5 as b; print(a.kernel(4), b.kernel(4))"
    assert printed(both) == "3 55\n"


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_a_fork_numbers_its_functions_otherwise_than_its_parent() -> None:
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, str(next(FunctionIdentity._unique_ids)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = int(os.read(reading, 100))
    os.close(reading)
    os.close(writing)
    assert abs(theirs - next(FunctionIdentity._unique_ids)) > 1_000_000
