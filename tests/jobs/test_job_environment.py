# SPDX-License-Identifier: MIT
"""Jobs inherit one thread and one source of the package."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from receval.arithmetic import one_arithmetic
from reproduction.workflow.jobs.run import prepare_job_environment


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "src"),
        ("", "src"),
        (os.pathsep.join(["", "lib", "", "more", ""]), os.pathsep.join(["src", "lib", "more"])),
    ],
)
def test_the_package_s_source_comes_first(
    monkeypatch: pytest.MonkeyPatch, before: str | None, after: str
) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", "8")
    monkeypatch.setenv("PYTHONPATH", before or "")
    if before is None:
        monkeypatch.delenv("PYTHONPATH")
    prepare_job_environment(Path("src"))
    assert os.environ["PYTHONPATH"] == after
    assert os.environ["NUMBA_NUM_THREADS"] == "1"


def test_the_backend_of_a_notebook_reaches_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    prepare_job_environment(Path("src"))
    assert "MPLBACKEND" not in os.environ


def test_jobs_compute_with_the_one_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in one_arithmetic():
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", "")
    prepare_job_environment(Path("src"))
    assert {name: os.environ[name] for name in one_arithmetic()} == one_arithmetic()
