# SPDX-License-Identifier: MIT
"""A job's log says what happened; jobs inherit one thread, one arithmetic and one source."""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path

import pytest

from receval.arithmetic import one_arithmetic
from reproduction.datasets.reports import CountError
from reproduction.workflow.jobs.run import prepare_job_environment
from reproduction.workflow.jobs.run_job import job_log


def test_a_log_begins_anew_and_has_messages_and_warnings_in_order(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "train.log"
    with job_log(path) as log:
        log.info("of an earlier attempt")
    with job_log(path) as log:
        log.info("%d folds", 5)
        logging.getLogger("reproduction.datasets.fetch").warning("a mirror is dead")
        log.debug("too fine for a log")
        warnings.simplefilter("always")
        warnings.warn("the cache is cold", UserWarning, stacklevel=1)
    messages = path.read_text(encoding="utf-8")
    assert messages.startswith("INFO 5 folds\nWARNING a mirror is dead\nWARNING ")
    assert "UserWarning: the cache is cold" in messages


def test_no_name_in_a_log_is_obeyed_by_a_terminal(tmp_path: Path) -> None:
    with job_log(tmp_path / "parse.log") as log:
        log.info("%s", "ratings\x1b[2J\x9b\u202e.dat")
    text = (tmp_path / "parse.log").read_text(encoding="utf-8")
    assert text == "INFO ratings\\x1b[2J\\x9b\\u202e.dat\n"


def test_an_error_of_this_project_is_logged_as_its_sentence_alone(tmp_path: Path) -> None:
    with pytest.raises(CountError), job_log(tmp_path / "parse.log"):
        raise CountError("81 users expected, 80 found.")
    assert (tmp_path / "parse.log").read_text() == "ERROR 81 users expected, 80 found.\n"


def test_any_other_exception_is_logged_in_full_and_raised_again(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="row 3"), job_log(tmp_path / "parse.log"):
        raise ValueError("row 3 has no rating")
    text = (tmp_path / "parse.log").read_text()
    assert text.startswith("ERROR Traceback (most recent call last):")
    assert "ValueError: row 3 has no rating" in text


@pytest.mark.parametrize("fails", [False, True])
def test_logging_and_warnings_are_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "level", logging.ERROR)
    before = (root.level, list(root.handlers), list(warnings.filters), warnings.showwarning)
    try:
        with job_log(tmp_path / "train.log"):
            warnings.simplefilter("ignore")
            if fails:
                raise KeyError("split")
    except KeyError:
        pass
    after = (root.level, list(root.handlers), list(warnings.filters), warnings.showwarning)
    assert after == before


@pytest.mark.each(
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


def test_jobs_compute_with_the_one_arithmetic_and_no_backend_of_a_notebook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in one_arithmetic():
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    prepare_job_environment(Path("src"))
    assert {name: os.environ[name] for name in one_arithmetic()} == one_arithmetic()
    assert "MPLBACKEND" not in os.environ
