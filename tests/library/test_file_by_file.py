# SPDX-License-Identifier: MIT
"""Several processes read each file of tests once among them, and run what is selected of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

FILE = """
import os
from pathlib import Path

import pytest

with Path(__file__).with_suffix(".read").open("a") as file:
    file.write(f"{os.getpid()} ")


@pytest.fixture(scope="module")
def made():
    yield 1
    Path(__file__).with_suffix(".ended").touch()


@pytest.mark.parametrize("number", [1, 2])
def test_one(made, number):
    assert made


@pytest.mark.filterwarnings("ignore")
def test_that_is_not_selected():
    assert False
"""


@pytest.mark.processes
@pytest.mark.repository
def test_each_file_is_read_once_and_what_is_selected_of_it_runs(tmp_path: Path) -> None:
    files = [tmp_path / f"test_{name}.py" for name in "abcdef"]
    for file in files:
        file.write_text(FILE, encoding="utf-8")
    (tmp_path / "test_broken.py").write_text("raise ValueError('as it is read')", encoding="utf-8")
    options = ("-p", "no:cacheprovider", "-p", "file_by_file", "-m", "not filterwarnings")
    ended = subprocess.run(
        [*(sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup"), *options, "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert "= 12 passed, 1 error in " in ended.stdout, ended.stdout
    assert ended.returncode == 1
    assert "ValueError: as it is read" in ended.stdout
    readers = [file.with_suffix(".read").read_text("utf-8").split() for file in files]
    assert [len(own) for own in readers] == [1] * len(files)
    assert len({own for (own,) in readers}) == 2
    assert all(file.with_suffix(".ended").exists() for file in files)
