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


_MODULE = """
import numpy as np
from receval.storage.kernel_cache import njit

@njit(cache=True)
def kernel(values):
    return {}(values)
"""


@pytest.mark.processes
def test_kernels_that_two_processes_kept_do_not_call_each_other(tmp_path: Path) -> None:
    for name in ("sort", "argsort"):
        (tmp_path / f"kept_{name}.py").write_text(_MODULE.format(f"np.{name}"), encoding="utf-8")
    values = "np.array([3, 1, 2])"
    # By numbers that start at 1 in each process, what sorts would have one name in both processes:
    # `np.sort` compiles three functions more than `np.argsort` before it.
    before = "import numba, numpy as np; [numba.njit(lambda x: x)(1) for _ in range(3)]; "

    def printed(code: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert printed(f"import numpy as np, kept_sort as k; print(k.kernel({values}))") == "[1 2 3]\n"
    assert printed(before + f"import kept_argsort as k; print(k.kernel({values}))") == "[1 2 0]\n"
    both = "import numpy as np, kept_sort as a, kept_argsort as b; "
    both += f"print(a.kernel({values}), b.kernel({values}))"
    assert printed(both) == "[1 2 3] [1 2 0]\n"


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
