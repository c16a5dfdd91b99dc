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

from receval.data.ratings_table import read_ratings
from receval.data.reading import ForeignOptionsError, TableError
from receval.data.run import read_run
from receval.diagnosis.diagnose import diagnose
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.multiverse.decisions import DecisionGrid
from receval.multiverse.explore_ratings import explore_ratings
from receval.recommenders.non_personalised import Popularity, Random
from receval.splits.split_ratings import load_split, split

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
        ({"u1": {1: 1.0, "1": 2.0}}, "of user u1, a number and a text are written alike"),
        ({1: ["a"], "1": ["b"]}, "of user 1, a number and a text are written alike"),
        ({"u1": {"a", "b"}}, "the items of user u1 are a set, which has no order"),
        ({"u1": [("a", None)]}, "the score of item a for user u1 is null. It must be a number"),
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


def graded(users: int, highest: float) -> dict[str, dict[str, float]]:
    """Return grades from 1 to the highest of half of twelve items, for each user."""
    rng = np.random.default_rng(1)
    return {
        f"u{user}": {
            f"i{item}": float(rng.integers(1, highest + 1)) if item else highest
            for item in rng.permutation(12)[:6]
        }
        for user in range(users)
    }


def threshold_of_runs(lists: Any) -> tuple[float, list[str]]:
    result = evaluate_runs(lists, {"mine": graded(25, 3)}, metrics="P@1", depth="whole")
    return result.settings["relevant"], [note.code for note in result.notes]


def threshold_of_a_test(lists: Any) -> tuple[float, list[str]]:
    train = {"user": ["u0", "u0"], "item": ["i0", "new"], "rating": [1, 2]}
    data = split(train, "predefined", test=lists, trained_pairs="drop")
    rule = data.relevance("auto")
    assert data.are_judgments == (rule.threshold == 1)
    return rule.threshold, [note.code for note in rule.notes]


def threshold_of_a_split(lists: Any) -> tuple[float, list[str]]:
    result = evaluate_systems(split(read_ratings(lists), "user-ratio"), {"Pop": Popularity()})
    return result.settings["relevant"], [note.code for note in result.notes]


def threshold_of_a_diagnosis(lists: Any) -> tuple[float, list[str]]:
    found = diagnose(read_ratings(lists))
    return found.settings["relevant"], [note.code for note in found.notes]


def threshold_of_a_multiverse(lists: Any) -> tuple[float, list[str]]:
    systems = {"Pop": lambda seed: Popularity(), "Random": lambda seed: Random(seed=seed)}
    found = explore_ratings(read_ratings(lists), systems, grid=DecisionGrid())
    return found.settings["relevant"], [note.code for note in found.notes]


def threshold_of_a_multiverse_with_a_test(lists: Any) -> tuple[float, list[str]]:
    test = read_ratings(lists)
    rows = {*zip(test.user_ids[test.users], test.item_ids[test.items], strict=True)}
    every = [(user, f"i{item}") for user in test.user_ids for item in range(12)]
    train = [(*pair, 1 + place % 5) for place, pair in enumerate(every) if pair not in rows]
    systems = {"Pop": lambda seed: Popularity(), "Random": lambda seed: Random(seed=seed)}
    found = explore_ratings(split(train, "predefined", test=test), systems, grid=DecisionGrid())
    return found.settings["relevant"], [note.code for note in found.notes]


@pytest.mark.costly
@pytest.mark.parametrize(
    "threshold_of",
    [
        threshold_of_runs,
        threshold_of_a_test,
        threshold_of_a_split,
        threshold_of_a_diagnosis,
        threshold_of_a_multiverse,
        threshold_of_a_multiverse_with_a_test,
    ],
)
@pytest.mark.parametrize(
    ("users", "highest", "threshold"), [(25, 3, 1), (19, 5, 1), (25, 5, 4)], ids=str
)
def test_values_by_user_and_item_are_judgments_or_ratings_everywhere_alike(
    threshold_of: Callable[[Any], tuple[float, list[str]]],
    users: int,
    highest: int,
    threshold: float,
    tmp_path: Path,
) -> None:
    lists = graded(users, highest)
    for source in (lists, in_json(tmp_path, "lists", lists)):
        found, notes = threshold_of(source)
        assert found == threshold
        assert notes.count("judgments-or-ratings") == (highest == 5)


def test_a_saved_split_keeps_that_its_test_are_judgments(tmp_path: Path) -> None:
    data = split({"user": ["u1"], "item": ["c"], "rating": [5]}, "predefined", test=GRADES)
    data.save(tmp_path / "saved")
    assert load_split(tmp_path / "saved").are_judgments
    assert load_split(tmp_path / "saved").relevance("auto").threshold == 1


@pytest.mark.each("store", ["mapping", "json", "jsonl"])
@pytest.mark.each(
    ("options", "names"),
    [
        ({"user": "who"}, "user"),
        ({"item": 1}, "item"),
        ({"rating": "-"}, "rating"),
        ({"timestamp": "when"}, "timestamp"),
        ({"time_unit": "ms"}, "time_unit"),
        ({"decimal": ","}, "decimal"),
        ({"delimiter": ";", "header": True}, "delimiter, header"),
        ({"columns": "user,item,rating"}, "columns"),
    ],
)
def test_options_of_columns_are_refused_for_lists_of_users(
    store: str, options: dict[str, Any], names: str, tmp_path: Path
) -> None:
    source = GRADES if store == "mapping" else in_json(tmp_path, "lists", GRADES)
    if store == "jsonl":
        source = tmp_path / "lists.jsonl"
        source.write_text("".join(json.dumps({u: own}) + "\n" for u, own in GRADES.items()))
    with pytest.raises(ForeignOptionsError, match=f"cannot be read with {names}. Leave out"):
        read_ratings(source, **options)
    assert len(read_ratings(source, timestamp="-")) == 4


@pytest.mark.each("options", [{"score": "points"}, {"rank": 2}, {"order": "rank"}])
@pytest.mark.each("in_a_file", [True, False])
def test_options_of_scores_and_ranks_are_refused_for_lists_of_users(
    options: dict[str, Any], *, in_a_file: bool, tmp_path: Path
) -> None:
    source = in_json(tmp_path, "run", SCORES) if in_a_file else SCORES
    with pytest.raises(ForeignOptionsError, match=f"read with {next(iter(options))}. Leave"):
        read_run(source, **options)


@pytest.mark.each("options", [{"format": "qrels"}, {"encoding": "latin-1"}, {"quotes": False}])
def test_options_of_files_are_refused_for_what_is_in_memory(options: dict[str, Any]) -> None:
    for source in (GRADES, {"user": ["u1"], "item": ["a"]}, [("u1", "a", 1)]):
        with pytest.raises(ForeignOptionsError, match=f"read with {next(iter(options))}. Leave"):
            read_ratings(source, **options)


@pytest.mark.each("read", [read_ratings, read_run])
@pytest.mark.each("in_a_file", [True, False])
def test_identifiers_of_lists_of_users_stay_as_written_if_asked(
    read: Callable[..., Any], *, in_a_file: bool, tmp_path: Path
) -> None:
    lists = {"1.0": {"7.0": 1.0}, "2.0": {"8.0": 2.0}}
    source = in_json(tmp_path, "lists", lists) if in_a_file else lists
    assert read(source).user_ids.tolist() == ["1", "2"]
    found = read(source, identifiers="as-written")
    assert (found.user_ids.tolist(), sorted(found.item_ids)) == (["1.0", "2.0"], ["7.0", "8.0"])
