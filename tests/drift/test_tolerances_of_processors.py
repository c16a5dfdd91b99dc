# SPDX-License-Identifier: MIT
"""Tolerances follow, by the rule that their program states, from what other arithmetics move."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from reproduction.drift.comparison import ArtifactStatus, compare_folders
from reproduction.drift.spec import DriftSpec

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def processors() -> ModuleType:
    """The program, which lies among the benchmarks."""
    sys.path.append(str(ROOT / "benchmarks"))
    try:
        return import_module("processors")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def record(*rows: tuple[str, str, str, str, int, float, float]) -> pd.DataFrame:
    columns = ["arithmetic", "artifact", "column", "kind", "cells", "difference", "of_lists"]
    return pd.DataFrame(rows, columns=columns)


MOVED = record(
    ("a", "", "", "files", 9, 4, 0),
    ("a", "", "", "artifacts", 3, 2, 0),
    ("a", "one/fig", "value", "value", 3, 0.001, 0.2),
    ("b", "one/fig", "value", "value", 1, 0.004, 0.1),
    ("b", "two/fig", "value", "value", 1, 0.0101, 0),
    ("b", "two/fig", "wins", "count", 2, 2, 0),
    ("b", "claims", "ours", "value", 1, 0.25, 0),
)


def test_a_column_of_an_artifact_may_move_by_three_times_the_most_that_was_seen(
    processors: ModuleType,
) -> None:
    found = processors.tolerances(MOVED)
    assert found["one/fig:value"]["absolute"] == 0.02  # .012, rounded up
    assert found["two/fig:value"]["absolute"] == 0.04
    assert found["claims:ours"]["absolute"] == 0.8


def test_counts_may_move_by_three_times_the_most_that_was_seen(processors: ModuleType) -> None:
    assert processors.tolerances(MOVED)["two/fig:wins"]["counts"] == 6


def test_a_column_may_move_in_other_artifacts_as_in_the_median_one_or_by_the_sum_over_lists(
    processors: ModuleType,
) -> None:
    found = processors.tolerances(MOVED)["value"]
    assert found["absolute"] == 0.03  # three times .00705, rounded up
    assert found["per_list"] == 0.6


def test_what_no_arithmetic_has_moved_may_differ_in_its_last_digits_alone(
    processors: ModuleType,
) -> None:
    name, rest = list(processors.tolerances(MOVED).items())[-1]
    assert name == "*"
    assert (rest["absolute"], rest["relative"]) == (1e-9, 1e-9)


@pytest.mark.each("kind", ["row missing", "column new", "text"])
def test_rows_and_words_have_no_tolerance(processors: ModuleType, kind: str) -> None:
    with pytest.raises(ValueError, match="No tolerance lets rows or words move"):
        processors.tolerances(record(("a", "one/fig", "", kind, 1, float("nan"), 0)))


TABLES = (
    "dataset,value,wins,ours\nml,0.5,4,.48 in 17 of 20\ncm,2.0,3,.10 in 3 of 20\n",
    "dataset,value,wins,ours\nml,0.4,6,.44 in 15 of 20\ncm,3.0,3,.10 in 3 of 20\n",
)


def test_what_an_arithmetic_moved_is_within_the_tolerances_that_follow_from_it(
    processors: ModuleType, tmp_path: Path
) -> None:
    accepted, here = tmp_path / "accepted", tmp_path / "work"
    for folder, text in zip((accepted, here / "artifacts"), TABLES, strict=True):
        (folder / "one").mkdir(parents=True)
        (folder / "one" / "fig.csv").write_text(text)
    columns = {"keys": [], "texts": ["ours"], "lists": "lists"}
    exact = DriftSpec.model_validate({**columns, "tolerances": {"*": {"reason": "exact"}}})
    moved = [("a", "one/fig", *row) for row in processors._moved("one/fig", here, accepted, exact)]
    found = processors.tolerances(record(*moved))
    spec = DriftSpec.model_validate({**columns, "tolerances": found})
    report = compare_folders(here / "artifacts", accepted, spec, ["one/fig"])
    (fig,) = report.artifacts
    assert (fig.status, fig.tolerated) == (ArtifactStatus.TOLERATED, 4)


@pytest.mark.each(
    ("number", "expected"),
    [(0.0, 1e-9), (3e-12, 1e-9), (0.012, 0.02), (0.02, 0.02), (0.0201, 0.03), (9.5, 10.0)],
)
def test_bounds_are_rounded_up_to_one_digit(
    processors: ModuleType, number: float, expected: float
) -> None:
    assert processors.rounded_up(number) == expected


def test_tolerances_are_what_the_program_makes_of_the_records(
    processors: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: dict[Path, str] = {}
    monkeypatch.setattr(processors, "write_atomically", written.__setitem__)
    processors.write()
    assert written == {processors.DRIFT: processors.DRIFT.read_text(encoding="utf-8")}, (
        "Write it again: python benchmarks/processors.py write"
    )
