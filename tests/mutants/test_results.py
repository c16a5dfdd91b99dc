# SPDX-License-Identifier: MIT
"""What is known of mutants, and the table of it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from mutants import __main__ as driver
from mutants.__main__ import Result, Results, summary
from mutants.mutations import mutations_of

[MUTATION, OTHER, *_] = mutations_of(b"a = b < c\nd = e + f\n", "metrics/a.py")


def result(outcome: str, **changed: str) -> Result:
    own = Result(
        key=MUTATION.key,
        group="metrics",
        site="metrics/a.py:1",
        operator="comparison",
        before=MUTATION.before,
        after=MUTATION.after,
        outcome=outcome,
        by="tests/a.py::b",
        seconds="1.0",
        source="source",
        tests="tests",
    )
    return replace(own, **changed)


def test_results_hold_while_the_source_and_a_survivor_s_tests_stay(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.csv")
    assert results.of(MUTATION, "source", "tests") is None
    results.add(result("survived"))
    stored = Results(tmp_path / "results.csv")
    assert stored.of(MUTATION, "source", "tests") == result("survived")
    assert stored.of(MUTATION, "source", "other tests") is None
    assert stored.of(OTHER, "source", "tests") is None
    stored.add(result("killed"))
    again = Results(tmp_path / "results.csv")
    assert again.of(MUTATION, "source", "other tests") == result("killed")
    assert again.of(MUTATION, "other source", "tests") is None


def test_the_table_leaves_equivalents_out_of_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {MUTATION.key: "It does the same."}
    monkeypatch.setattr(driver, "equivalent_mutants", lambda: listed)
    other = {"key": OTHER.key, "before": OTHER.before, "after": OTHER.after, "group": "theory"}
    found = [
        result("survived"),
        result("timed out", **other),
        result("killed", **other),
        result("survived", **other, site="theory/a.py:2"),
    ]
    lines = summary(found, {"metrics": 3, "theory": 9}).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["metrics", "3", "1", "0", "0", "1", "1", "-"],
        ["theory", "9", "3", "1", "1", "1", "0", "66.7", "%"],
        ["all", "12", "4", "1", "1", "2", "1", "66.7", "%"],
    ]
    assert [line for line in lines if "SURVIVED" in line] == [
        "SURVIVED theory/a.py:2 (tests/a.py::b)"
    ]
    assert any(line.startswith("equivalent metrics/a.py:1") for line in lines)
    noticed = summary([result("killed")], {"metrics": 3})
    assert "NOT EQUIVALENT, found by tests/a.py::b: metrics/a.py:1" in noticed


def test_a_test_is_alone_with_a_mutant_that_no_other_test_notices() -> None:
    lines = [
        '{"mutant": "a", "passed": ["idle"], "failed": ["one", "two"]}',
        '{"mutant": "b", "passed": ["idle"], "failed": ["one"]}',
        '{"mutant": "b", "passed": ["idle"], "failed": []}',
    ]
    assert driver.kills_of_tests(lines) == {"idle": (0, 0), "one": (2, 1), "two": (1, 0)}


@pytest.mark.processes
def test_importing_the_driver_changes_no_environment() -> None:
    # Whoever collects these tests compiles kernels later: with bounds checked they are slower.
    said = (
        "import os; before = dict(os.environ); import mutants.__main__; assert before == os.environ"
    )
    environment = {**os.environ, "PYTHONPATH": str(driver.HERE.parent)}
    subprocess.run([sys.executable, "-c", said], env=environment, check=True)
