# SPDX-License-Identifier: MIT
"""Sources that call users and items by other names never give zeros in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array

from receval.data.ratings_table import read_ratings
from receval.data.reading import TableError
from receval.data.run import read_run
from receval.evaluation.runs import evaluate_runs
from receval.sampled_metrics.audit import odds_of_runs
from receval.splits.split_ratings import split

Table = dict[str, list[str]]

TEST: Table = {
    "user": [f"a{user}" for user in range(20) for _ in range(3)],
    "item": [f"b{(user + place) % 24}" for user in range(20) for place in range(3)],
}


def changed(table: Table, column: str, change: Callable[[str], str]) -> Table:
    return {name: [*map(change, own)] if name == column else own for name, own in table.items()}


CAUSES: dict[str, tuple[Callable[[str], str], Callable[[str], str], str]] = {
    "floats": (lambda name: name[1:], lambda name: f"{name[1:]}.", "were written as floats"),
    "spaces": (str, lambda name: f" {name}", "white space around its identifiers"),
    "capitals": (str, str.upper, "differ in capital letters"),
    "zeros": (lambda name: name[1:], lambda name: f"00{name[1:]}", "leading zeros"),
    "quotes": (str, lambda name: f"'{name}'", "quotes around its identifiers"),
}
"""How both sides write an identifier, and what is said of it."""


@pytest.mark.each("cause", CAUSES)
@pytest.mark.each("column", ["user", "item"])
@pytest.mark.each("is_run", [True, False])
def test_identifiers_that_never_meet_are_refused_with_both_and_the_cause(
    cause: str, column: str, *, is_run: bool
) -> None:
    here, there, told = CAUSES[cause]
    test = changed(TEST, column, here)
    other = changed(TEST, column, there)
    # Zeros in front are of numbers, the number 0 among them.
    run, train = (other, None) if is_run else (test, other)
    whose = "run 'mine'" if is_run else "training data"
    with pytest.raises(TableError) as refused:
        evaluate_runs(test, {"mine": run}, train=train, depth="whole")
    said = str(refused.value)
    assert f"No {column} of the {whose} is in the test data." in said
    assert told in said
    for side in (test, other):
        assert repr(side[column][0]) in said


@pytest.mark.costly
@pytest.mark.parametrize("evaluate", [evaluate_runs, odds_of_runs])
def test_other_items_are_refused_without_a_cause_unless_they_are_few(
    evaluate: Callable[..., object],
) -> None:
    others = changed(TEST, "item", lambda name: f"c{name}")
    with pytest.raises(TableError, match=r"No item of the run 'mine' .* 'cb0', .* like 'b0',"):
        evaluate(TEST, {"mine": others})
    result = evaluate_runs(TEST, {"mine": {"a1": {"new": 1.0}}}, metrics="P@1", depth="whole")
    assert result.summary()["mean"].tolist() == [0.0]


def test_training_data_of_other_users_are_used() -> None:
    train = changed(TEST, "user", lambda name: f"new {name}")
    evaluate_runs(TEST, {"mine": TEST}, train=train, depth="whole")


def test_less_than_half_of_the_identifiers_is_told_with_the_share() -> None:
    more = {name: own + [f"new {number}" for number in range(90)] for name, own in TEST.items()}
    notes = evaluate_runs(TEST, {"mine": more}, metrics="P@1", depth="whole").notes
    assert any(
        note.startswith("Only 18.2% of the 110 users of mine are in the test data")
        for note in notes
    )
    assert any(
        note.startswith("Only 19.6% of the 112 items of mine are in the test data")
        for note in notes
    )
    notes = evaluate_runs(TEST, {"mine": TEST}, metrics="P@1", depth="whole").notes
    assert not any("Check that the identifiers are the same" in note for note in notes)


def as_csv(ids: list[str], folder: Path) -> object:
    path = folder / "table.csv"
    path.write_text("user,item,score\n" + "".join(f"{own},x,1\n" for own in ids), encoding="utf-8")
    return path


def as_parquet(ids: list[str], folder: Path) -> object:
    pq.write_table(pa.table(as_mapping(ids, folder)), folder / "table.parquet")
    return folder / "table.parquet"


def as_mapping(ids: list[str], _: Path) -> dict[str, list[object]]:
    return {"user": [*ids], "item": ["x"] * len(ids), "score": [1.0] * len(ids)}


@pytest.mark.parametrize("store", [as_csv, as_parquet, as_mapping])
@pytest.mark.parametrize("read", [read_ratings, read_run])
def test_whole_numbers_written_as_floats_are_whole_numbers(
    store: Callable[[list[str], Path], object], read: Callable[..., object], tmp_path: Path
) -> None:
    def ids(written: list[str]) -> list[str]:
        return np.sort(read(store(written, tmp_path)).user_ids).tolist()  # type: ignore[attr-defined]

    assert ids(["10.0", "0.0", "-3.0"]) == ["-3", "0", "10"]
    assert ids(["7.0", "10.00", "1e+05", "1.5e+01"]) == ["10", "100000", "15", "7"]
    for other in ("10.5", "10", "1e3", "007.0", "x.0"):
        assert ids(["7.0", other]) == sorted(["7", other])
    for other in ("007.00", "x"):
        assert ids(["10.00", other]) == sorted(["10.00", other])
    # Where both are there, they may be two things.
    assert ids(["7.0", "7", "8.0"]) == ["7", "7.0", "8.0"]


PADDED: dict[str, tuple[str, str, str]] = {
    "space": ("9", " 9", "white space"),
    "zero": ("9", "09", "leading zeros"),
    "fraction": ("9", "9.", "written as floats"),
    "R": ("1e+05", "100000", "written as floats"),
    "quotes": ("9", "'9'", "quotes"),
}
"""How the test and another source write one identifier, while all others are alike."""


@pytest.mark.each("cause", PADDED)
@pytest.mark.each("column", ["user", "item"])
@pytest.mark.each("is_run", [True, False])
def test_a_known_cause_is_refused_even_if_most_identifiers_meet(
    cause: str, column: str, *, is_run: bool
) -> None:
    here, there, told = PADDED[cause]
    # A text beside numbers keeps both as they are written.
    test: Table = {"user": ["a"] * 4, "item": ["x", "7", "8", "9"]}
    test = {**test, column: ["x", "7", "8", here]}
    other = {name: [there if own == here else own for own in test[name]] for name in test}
    others = {"user": ["a", "q"], "item": ["p", "7"]}
    run, train = (other, None) if is_run else ({**others, column: [here, "7"]}, other)
    with pytest.raises(TableError, match=f"differ from one there only because .*{told}"):
        evaluate_runs(test, {"mine": run}, train=train, trained_pairs="drop", depth="whole")


@pytest.mark.each(
    ("other", "told"),
    [
        ("item_9", "one side has the prefix 'item_', such as 'item_9' and '9'"),
        ("\uff19", "other forms of letters or digits"),
        ("9\u200b", "invisible signs"),
    ],
)
@pytest.mark.each("has_both", [True, False])
def test_items_that_a_run_writes_otherwise_in_part_are_told(
    other: str, told: str, *, has_both: bool
) -> None:
    test = {"user": ["a"] * 4, "item": ["7", "8", "9", "10"]}
    written = ["7", "8", other, other.replace("9", "11")]
    items = [*written[:3], "9"] if has_both else [*written[:3], "x"]
    run = {"a": dict.fromkeys(items, 1.0)}
    try:
        notes = evaluate_runs(test, {"mine": run}, metrics="P@1", depth="whole").notes
        found = [str(note) for note in notes if note.code == "differing-identifiers"]
    except TableError as refused:
        found = [str(refused)]
    assert any(told in own for own in found)


@pytest.mark.parametrize("kind", ["run", "train"])
def test_few_items_of_which_none_is_known_are_told(kind: str) -> None:
    other = {"a1": {"new": 1.0}}
    run, train = (other, None) if kind == "run" else ({"a1": {"b1": 1.0}}, other)
    notes = evaluate_runs(TEST, {"mine": run}, train=train, metrics="P@1", depth="whole").notes
    assert any("No item of the" in note and "like 'new' in" in note for note in notes)


def test_capital_letters_are_told_since_identifiers_may_differ_in_them() -> None:
    other = changed(TEST, "item", lambda name: name.upper() if name == "b3" else name)
    notes = evaluate_runs(TEST, {"mine": other}, metrics="P@1", depth="whole").notes
    (note,) = [note for note in notes if note.code == "differing-identifiers"]
    assert note.startswith("1 of the 1 items of the run 'mine' that are not in the test data")


@pytest.mark.parametrize(
    "users", [["v1", "v2"], ["3", "4"], ["u1", "u2"], ["01", "02"], ["1", "2"]]
)
def test_other_users_in_the_training_data_are_told_or_refused(users: list[str]) -> None:
    own = ["u1", "u2"] if users[0].startswith("v") else ["1", "2"]
    test = {"user": own, "item": ["x", "y"]}
    train = {"user": users, "item": ["y", "x"]}
    run = {own[0]: {"y": 2.0, "x": 1.0}, own[1]: {"x": 2.0, "y": 1.0}}
    if users in (["u1", "u2"], ["01", "02"]):
        # They seem to be the same users, written in another way.
        with pytest.raises(TableError, match=f"like '{users[0]}', '{users[1]}' in the training"):
            evaluate_runs(test, {"mine": run}, train=train, metrics="RR", depth="whole")
        return
    result = evaluate_runs(test, {"mine": run}, train=train, metrics="RR", depth="whole")
    told = [note for note in result.notes if note.code == "few-identifiers-known"]
    assert result.summary()["mean"].tolist() == [1.0 if users == own else 0.5]
    assert len(told) == (users != own)
    assert all("None of the 2 users of the training data" in note for note in told)
    assert all(f"like '{users[0]}', '{users[1]}' in the training data" in note for note in told)


@pytest.mark.parametrize("column", ["user", "item"])
def test_training_data_that_share_few_identifiers_are_told(column: str) -> None:
    known = set(sorted(set(TEST[column]))[:2])
    train = changed(TEST, column, lambda name: name if name in known else f"{name}q{name}")
    drop = evaluate_runs(
        TEST, {"mine": TEST}, train=train, trained_pairs="drop", metrics="P@1", depth="whole"
    )
    notes = [note for note in drop.notes if note.code == "few-identifiers-known"]
    assert any(f"Only 2 of the {len(set(TEST[column]))} {column}s" in note for note in notes)


def test_how_many_identifiers_meet_is_part_of_what_was_read() -> None:
    run = {name: [*own, "new"] for name, own in TEST.items()}
    test, mine = evaluate_runs(TEST, {"mine": run}, metrics="P@1", depth="whole").reading
    assert test.meeting == ""
    assert mine.meeting == (
        "20 of 21 users also in the test data and 22 of 23 items also in the test data"
    )
    assert mine.meeting in mine.lines()[0]


@pytest.mark.parametrize("read", [read_ratings, read_run])
def test_identifiers_that_change_are_said_unless_they_stay_as_written(
    read: Callable[..., object],
) -> None:
    table = {"user": ["7.0", "8.0"], "item": ["x", "y"]}
    found = read(table)
    assert "users such as 7.0 were read as whole numbers (7)" in found.reading.values  # type: ignore[attr-defined]
    assert read(table, identifiers="as-written").user_ids.tolist() == ["7.0", "8.0"]  # type: ignore[attr-defined]


def test_a_run_whose_users_and_items_are_exchanged_is_told() -> None:
    pairs = np.argwhere(np.random.default_rng(1).random((30, 20)) < 0.3)
    test = {"user": pairs[:, 0], "item": pairs[:, 1]}
    codes = []
    for columns in (("user", "item"), ("item", "user")):
        run = dict(zip(columns, pairs.T, strict=True)) | {"score": np.arange(len(pairs))}
        result = evaluate_runs(test, {"mine": run}, metrics="RR", depth="whole")
        codes.append([note.code for note in result.notes if note.code == "exchanged-columns"])
    assert codes == [[], ["exchanged-columns"]]


def _with_one_transposed(which: str, test: csr_array, train: csr_array, run: csr_array) -> None:
    if which == "run":
        evaluate_runs(test, {"mine": run.T}, depth="whole")
    elif which == "train":
        evaluate_runs(test, {"mine": run}, train=train.T, depth="whole")
    else:
        split(train, "predefined", test=csr_array(test.T))


@pytest.mark.each("transposed", ["run", "train", "test of a split"])
def test_matrices_of_reversed_shapes_are_refused(transposed: str) -> None:
    rng = np.random.default_rng(1)
    scores = csr_array(rng.random((30, 40)))
    is_test = csr_array(rng.random((30, 40)) < 0.1)
    test, train = scores * is_test, scores - scores * is_test
    evaluate_runs(test, {"mine": scores}, train=train, depth="whole")
    with pytest.raises(TableError, match=r"is a matrix of 40 by 30, but the .* is one of 30 by 40"):
        _with_one_transposed(transposed, test, train, scores)


@pytest.mark.each(("shape", "exchanged"), [((30, 40), True), ((30, 40), False), ((40, 30), True)])
def test_scores_by_item_are_noted_if_only_exchanged_all_identifiers_meet(
    shape: tuple[int, int], *, exchanged: bool
) -> None:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random(shape) < 0.2)
    scores = pd.DataFrame(rng.random(shape))
    run = json.loads((scores if exchanged else scores.T).to_json())
    result = evaluate_runs({"user": users, "item": items}, {"mine": run}, depth="whole")
    assert ("exchanged-columns" in {note.code for note in result.notes}) is exchanged


@pytest.mark.each("exchanged", [False, True])
def test_training_data_with_users_and_items_exchanged_are_noted(*, exchanged: bool) -> None:
    rng = np.random.default_rng(3)
    shares = [rng.pareto(1.5, size) + 0.2 for size in (300, 250)]
    drawn = [rng.choice(len(own), 9000, p=own / own.sum()) + 1 for own in shares]
    pairs = np.unique(np.column_stack(drawn), axis=0)
    is_test = rng.random(len(pairs)) < 0.2
    test, train = (
        {"user": own[:, 0], "item": own[:, 1]} for own in (pairs[is_test], pairs[~is_test])
    )
    if exchanged:
        train = {"user": train["item"], "item": train["user"]}
    result = evaluate_runs(test, {"mine": test}, train=train, depth="whole", trained_pairs="drop")
    assert ("exchanged-columns" in {note.code for note in result.notes}) is exchanged


@pytest.mark.each(
    ("factor", "added", "is_noted"), [(1, 0, False), (20, 0, True), (0.2, 0, True), (1, -3, True)]
)
def test_training_ratings_of_another_scale_are_noted(
    factor: float, added: int, *, is_noted: bool
) -> None:
    test = {**TEST, "rating": [1 + place % 5 for place in range(60)]}
    train = changed(TEST, "item", "c{}".format)
    train["item"][:12] = TEST["item"][3:15]
    rated = {**train, "rating": [factor * (1 + place % 5) + added for place in range(60)]}
    result = evaluate_runs(test, {"mine": TEST}, train=rated, depth="whole", trained_pairs="drop")
    assert ("differing-scales" in {note.code for note in result.notes}) is is_noted


def test_a_given_test_with_users_and_items_exchanged_is_refused() -> None:
    test = {"user": TEST["item"], "item": TEST["user"]}
    train = changed(TEST, "item", lambda name: f"b{(int(name[1:]) + 3) % 24}")
    with pytest.raises(TableError, match="its users seem to be the items of the training ratings"):
        split(train, "predefined", test=test)
    as_given = {"item": TEST["user"], "user": TEST["item"]}
    with pytest.raises(TableError, match="No item of the test is in the training ratings"):
        split(train, "predefined", test=as_given, user="user", item="item")
    assert split(train, "predefined", test=TEST).n_folds == 1


def test_a_given_test_with_ratings_of_another_scale_is_noted() -> None:
    ratings = [1 + place % 5 for place in range(60)]
    train = changed(TEST, "item", lambda name: f"b{(int(name[1:]) + 3) % 24}")
    centred, positive = [own - 3 for own in ratings], [3 + own % 3 for own in ratings]
    for other, is_noted in ((ratings, False), (centred, True), (positive, False)):
        data = split({**train, "rating": ratings}, "predefined", test={**TEST, "rating": other})
        assert ("differing-scales" in {note.code for note in data.notes}) is is_noted


@pytest.mark.each("cause", ["spaces", "zeros", "quotes"])
@pytest.mark.each("column", ["user", "item"])
@pytest.mark.each("whose", ["test", "train", "run"])
def test_identifiers_are_compared_as_written_if_either_side_was_read_so(
    cause: str, column: str, whose: str
) -> None:
    here, there, words = CAUSES[cause]
    test = changed(TEST, column, here)
    other = changed(TEST, column, there)
    # The first rows have the same identifiers on both sides.
    mixed = {name: own[:6] + other[name][6:] for name, own in test.items()}
    runs = {"mine": test if whose == "train" else mixed}
    given = {"trained_pairs": "drop", "depth": "whole", "metrics": "P@1"}
    if whose == "train":
        given["train"] = mixed  # type: ignore[assignment]
    with pytest.raises(TableError, match=f"{words}.*or read them as they are written .identifiers"):
        evaluate_runs(test, runs, **given)  # type: ignore[arg-type]
    said: object = test
    if whose == "test":
        said = read_ratings(test, identifiers="as-written")
    if whose == "train":
        given["train"] = read_ratings(mixed, identifiers="as-written")  # type: ignore[assignment]
    if whose == "run":
        runs = {"mine": read_run(mixed, identifiers="as-written")}  # type: ignore[dict-item]
    notes = evaluate_runs(said, runs, **given).notes  # type: ignore[arg-type]
    assert any(
        own.code == "differing-identifiers" and own.endswith(f"count as different {column}s.")
        for own in notes
    )


def test_users_of_a_run_that_never_meet_are_refused_even_as_written() -> None:
    run = changed(TEST, "user", lambda name: f" {name}")
    with pytest.raises(TableError, match=r"white space .* Use the same identifiers in both\.$"):
        evaluate_runs(read_ratings(TEST, identifiers="as-written"), {"mine": run})
