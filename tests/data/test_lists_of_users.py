# SPDX-License-Identifier: MIT
"""Judgments and runs as mappings of users, as lists of pairs, and as paths give the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from receval.data.reading import TableError
from receval.data.run import read_run
from receval.evaluation.runs import evaluate_runs

GRADES = {"u1": {"a": 3, "b": 0}, "u2": {"a": 1, "c": 2}}
SCORES = {"u1": {"a": 1.0, "b": 2.0}, "u2": {"c": 3.0, "a": 1.0}}
RR = [1 / 2, 1.0]


def pairs(lists: dict[str, dict[str, Any]]) -> dict[str, list[tuple[str, Any]]]:
    return {user: list(own.items()) for user, own in lists.items()}


def in_json(folder: Path, name: str, lists: object) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(lists))
    return path


def qrels_file(folder: Path) -> Path:
    path = folder / "test.qrels"
    path.write_text(
        "".join(f"{u} 0 {i} {g}\n" for u, own in GRADES.items() for i, g in own.items())
    )
    return path


@pytest.mark.each(
    "test",
    [
        lambda folder: GRADES,
        lambda folder: pairs(GRADES),
        lambda folder: in_json(folder, "test", GRADES),
        lambda folder: str(in_json(folder, "test", pairs(GRADES))),
        qrels_file,
    ],
    ids=["mapping", "pairs", "path", "pairs in JSON", "qrels"],
)
@pytest.mark.each(
    "run",
    [
        lambda folder: SCORES,
        lambda folder: pairs(SCORES),
        lambda folder: {"u1": ["b", "a"], "u2": ("c", "a")},
        lambda folder: {"u1": np.array(["b", "a"]), "u2": np.array(["c", "a", "z"])},
        lambda folder: {
            u: (np.array([*own]), np.array([*own.values()])) for u, own in SCORES.items()
        },
        lambda folder: in_json(folder, "run", SCORES),
        lambda folder: str(in_json(folder, "run", pairs(SCORES))),
    ],
    ids=["mapping", "pairs", "items", "arrays", "two arrays", "path", "pairs in JSON"],
)
def test_all_forms_of_judgments_and_runs_give_the_same(
    test: Callable[[Path], Any], run: Callable[[Path], Any], tmp_path: Path
) -> None:
    result = evaluate_runs(test(tmp_path), {"mine": run(tmp_path)}, metrics="RR", depth="whole")
    assert result.per_user()["RR"].tolist() == RR


def test_items_of_users_alone_are_judgments_of_which_all_are_relevant() -> None:
    result = evaluate_runs(
        {"u1": {"a"}, "u2": ["a", "c"]}, {"mine": SCORES}, metrics="RR", depth="whole"
    )
    assert result.per_user()["RR"].tolist() == RR


@pytest.mark.each(
    ("run", "message"),
    [
        (
            {"u1": [("a", "x")]},
            "item 1 of user u1 is .* or all items must be pairs of an identifier",
        ),
        ({"u1": [("a", 1, 2)]}, "item 1 of user u1 is"),
        ({"u1": ["a", ("b", 1.0)]}, "item 2 of user u1 is"),
        ({"u1": [("a", 1.0), ("a", 2.0)]}, "user u1 has item a twice"),
        ({"u1": {"a", "b"}}, "the items of user u1 are a set, which has no order"),
        ({"u1": [("a", True)]}, "the score of item a for user u1 is true. It must be a number"),
        ({"u1": ([10, 11], [0.9, 0.8])}, "item 2 of user u1 is 0.9. It must be an identifier"),
        ({"u1": [np.array([1, 2]), 3]}, "item 1 of user u1 is"),
        ({"u1": [1.5, 2.5]}, "item 1 of user u1 is 1.5. It must be an identifier"),
        ({"u1": [True, False]}, "item 1 of user u1 is true. It must be an identifier"),
        ({"who": ["a", "b"], "how": [1, 2]}, "seems to have the columns of a table.*: who, how"),
    ],
)
def test_lists_of_another_shape_are_refused(run: Any, message: str) -> None:
    with pytest.raises(TableError, match=message):
        evaluate_runs(GRADES, {"mine": run})


@pytest.mark.each(
    ("run", "told"),
    [
        ({"u1": {"a": 1, "b": 2, "c": 3}, "u2": {"c": 1}}, "the scores of each user are 1, 2, 3"),
        ({"u1": {1: 7, 2: 5, 3: 9}, "u2": {1: 5, 2: 6}}, "the items of each user are 1, 2, 3"),
        ({"u1": {0: 0.5, 1: 0.25, 2: 0.75}, "u2": {0: 0.5, 1: 1.5, 2: 1.0}}, None),
        ({"u1": {"a": 3, "b": 2, "c": 1}}, None),
        ({"u1": ["a", "b", "c"]}, None),
        ([("u1", item, score) for score, item in enumerate("abc", 5)], None),
        (
            [{"user": "u1", "item": item, "score": score} for score, item in enumerate("abc")],
            "the scores of each user are 1, 2, 3 .* --run-rank",
        ),
        ([{"user": "u1", "item": item, "rank": rank} for rank, item in enumerate("abc")], None),
    ],
)
def test_ranks_in_the_place_of_scores_or_items_are_told(run: Any, told: str | None) -> None:
    notes = read_run(run).reading.notes
    assert [note.code for note in notes] == (["ranks-as-scores"] if told else [])
    assert all(re.search(str(told), note) for note in notes)


def test_scores_that_are_said_to_be_scores_are_no_ranks() -> None:
    run = [{"user": "u1", "item": item, "score": score} for score, item in enumerate("abc")]
    assert read_run(run, score="score").reading.notes == ()


@pytest.mark.each("runs", ["run.json", ["run.json"], Path("run.json")])
def test_runs_without_names_are_refused(runs: Any) -> None:
    with pytest.raises(TypeError, match=r"runs is .*; it must be a mapping of names"):
        evaluate_runs(GRADES, runs)
