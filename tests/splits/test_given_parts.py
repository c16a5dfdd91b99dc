# SPDX-License-Identifier: MIT
"""Splits that others made are read from tables or from a column, and handed out as frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import receval as rv
from receval.data.reading import TableError
from receval.splits.split import TEST, TRAIN, VALIDATION

TABLE = pd.DataFrame(
    {
        "user": [7, 7, 7, 8, 8, 9],
        "item": ["b", "a", "c", "a", "b", "a"],
        "rating": [5, 4, 3, 2, 1, 5],
        "timestamp": [10, 20, 30, 40, 50, 60],
        "split": ["train", "TEST", "valid", "training", "test", None],
    }
)


WHOLE = TABLE.drop(columns="split")


def of(part: str) -> pd.DataFrame:
    names = {"train": ["train", "training"], "test": ["TEST", "test"], "validation": ["valid"]}
    return TABLE[TABLE["split"].isin(names[part])].drop(columns="split")


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values(["user", "item"]).reset_index(drop=True)


@pytest.fixture(params=["column", "file", "tables"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> rv.SplitRatings:
    if request.param == "tables":
        tables = {"test": of("test"), "validation": of("validation")}
        return rv.split(of("train"), "predefined", **tables)
    source: object = TABLE
    if request.param == "file":
        source = tmp_path / "ratings.csv"
        TABLE.to_csv(source, index=False)
    return rv.split(source, "predefined", part="split")


def test_the_parts_come_back_as_they_were_given(data: rv.SplitRatings) -> None:
    frames = data.to_frames()
    for part in ("train", "test", "validation"):
        found = getattr(frames, part).astype({"rating": np.int64})
        pd.testing.assert_frame_equal(found, in_order(of(part)), check_dtype=False)
        assert found["user"].dtype == np.int64
    assert frames.fold_in is frames.unbiased is None
    assert data.parameters["validation_ratings"] == 1


def test_a_predefined_split_is_evaluated_and_its_leakage_measured(data: rv.SplitRatings) -> None:
    result = rv.evaluate(data, {"Pop": rv.Popularity()}, metrics="RR", relevant=1)
    assert result.summary()["users"].tolist() == [2]
    assert rv.leakage(data).shares == {"anybody": 0.5, "same user": 0, "same item": 0.5}


def test_validation_ratings_neither_train_nor_test_unless_they_are_to_train() -> None:
    codes = rv.split(TABLE, "predefined", part="split").parts.codes[0].tolist()
    assert codes == [TEST, TRAIN, VALIDATION, TRAIN, TEST]
    data = rv.split(TABLE, "predefined", part="split", use_validation="train")
    assert data.parts.codes[0].tolist() == [TEST, TRAIN, TRAIN, TRAIN, TEST]
    assert data.name == "predefined use_validation=train"


def test_types_of_identifiers_and_ratings_are_those_of_the_table() -> None:
    texts = TABLE.assign(user=TABLE["user"].astype(str))
    frames = rv.split(texts, "predefined", part="split").to_frames()
    assert frames.train["user"].tolist() == ["8", "7"][::-1]
    assert frames.train["rating"].dtype == np.int64
    tenths = TABLE.assign(rating=0.1)
    frames = rv.split(tenths, "predefined", part="split").to_frames()
    assert frames.train["rating"].tolist() == [0.1, 0.1]


def test_frames_of_several_folds_have_their_numbers() -> None:
    ratings = rv.read_ratings(TABLE.drop(columns="split"))
    frames = rv.split(ratings, "k-fold", folds=2, seed=3).to_frames()
    assert frames.test.columns.tolist() == ["fold", "user", "item", "rating", "timestamp"]
    both = pd.concat([frames.train, frames.test])
    assert (both.groupby("fold").size() == 6).all()
    assert frames.test.drop(columns="fold").drop_duplicates().shape[0] == 6


def test_the_order_of_rows_does_not_matter() -> None:
    forwards = rv.split(TABLE, "predefined", part="split")
    backwards = rv.split(TABLE[::-1], "predefined", part="split")
    assert forwards.ratings.digest() == backwards.ratings.digest()
    assert forwards.parts.codes[0].tolist() == backwards.parts.codes[0].tolist()


@pytest.mark.each(
    ("source", "parameters", "told"),
    [
        (TABLE, {}, "A predefined split needs a test: give test="),
        (rv.read_ratings(WHOLE), {"part": "split"}, "Give the file or the table itself"),
        (TABLE, {"part": "split", "folds": 2}, "predefined has no parameter 'folds'"),
        (TABLE, {"part": "split", "test": TABLE}, r"Give either part=\.\.\. .*--part \.\.\."),
        (TABLE, {"part": "fold"}, "no column 'fold'"),
        (TABLE.assign(split="bad"), {"part": "split"}, "row 1 is of the part 'bad'"),
        (TABLE.assign(split="train"), {"part": "split"}, "has no test rating"),
        (of("train"), {"test": WHOLE}, "2 of 8 ratings have a pair .* --trained-pairs drop"),
        (TABLE, {"part": "split", "use_validation": "test"}, "use_validation is 'test'"),
    ],
)
def test_what_is_wrong_with_a_predefined_split_is_said(
    source: object, parameters: dict[str, object], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        rv.split(source, "predefined", **parameters)


def test_only_a_predefined_split_is_of_a_table() -> None:
    with pytest.raises(TypeError, match="ratings is a DataFrame; it must be a Ratings"):
        rv.split(TABLE, "user-ratio")


def test_pairs_of_two_parts_are_dropped_from_the_later_one_if_asked() -> None:
    train = of("train")
    data = rv.split(train, "predefined", test=WHOLE, trained_pairs="drop")
    assert len(data.to_frames().test) == 4
    assert [note.code for note in data.notes] == ["trained-pairs"]


def test_one_pair_of_two_parts_in_a_column_is_refused() -> None:
    other = "test" if TABLE["split"].iloc[0] == "train" else "train"
    twice = pd.concat([TABLE, TABLE.iloc[[0]].assign(split=other)])
    row = len(twice)
    with pytest.raises(TableError, match=f"row {row} has the same user and item as another row"):
        rv.split(twice, "predefined", part="split", duplicates="sum")


def test_identifiers_that_do_not_meet_are_refused() -> None:
    items = [f"i{number}" for number in range(12)]
    train = pd.DataFrame({"user": "a", "item": items})
    with pytest.raises(ValueError, match="No item of the test is in the training ratings"):
        rv.split(train, "predefined", test=train.assign(item=[f" {own}" for own in items]))
    data = rv.split(train, "predefined", test=train.assign(user="b"))
    (note,) = data.notes
    assert note.code == "few-identifiers-known"
    assert "look like 'b' in the test and like 'a' in the training ratings" in note
    few = rv.split(train, "predefined", test={"user": list("bbbb"), "item": ["x", "y", "z", "i1"]})
    assert any("Only 25.0% of the 4 test items have training ratings" in own for own in few.notes)


@pytest.mark.each("written", ["u{}", "00{}", "{} "])
def test_test_users_who_are_only_written_otherwise_are_refused(written: str) -> None:
    train = pd.DataFrame({"user": [1, 2, 3], "item": ["x", "y", "z"]})
    test = pd.DataFrame({"user": [written.format(n) for n in (1, 2, 3)], "item": ["y", "z", "x"]})
    with pytest.raises(TableError, match=r"No user of the test is in .*: one side has"):
        rv.split(train, "predefined", test=test)


def test_judgments_beside_training_ratings_are_relevant_from_1(tmp_path: Path) -> None:
    train = pd.DataFrame({"user": list("abab"), "item": list("xyzw"), "rating": [1, 2, 4, 5]})
    qrels = tmp_path / "test.qrels"
    qrels.write_text("a 0 y 3\na 0 w 1\nb 0 x 0\nb 0 z 2\n", encoding="utf-8")
    data = rv.split(train, "predefined", test=qrels)
    assert data.are_judgments
    assert data.relevance("auto").threshold == 1


def test_the_report_says_how_many_users_and_items_of_each_part_train(tmp_path: Path) -> None:
    test = pd.DataFrame({"user": [7, 8, 9], "item": ["d", "c", "a"]})
    parts = {"test": test, "validation": of("validation")}
    data = rv.split(of("train"), "predefined", **parts)
    of_validation, of_test = (own.meeting for own in data.other_reading)
    assert data.reading is not None
    assert data.reading.meeting == ""
    told = "also in the training ratings"
    assert of_test == f"2 of 3 users {told} and 1 of 3 items {told}"
    assert of_validation == f"1 of 1 user {told} and 0 of 1 item {told}"
    data.save(tmp_path / "saved")
    assert rv.load_split(tmp_path / "saved").other_reading[-1].meeting == of_test
    column = rv.split(TABLE, "predefined", part="split").reading
    assert column is not None
    assert column.meeting.endswith(
        f"; the test part has 2 of 2 users {told} and 2 of 2 items {told}"
    )


WRITTEN: dict[str, str] = {"zeros": "00{}", "spaces": " {}", "quotes": "'{}'"}


@pytest.mark.each("written", WRITTEN)
@pytest.mark.each("column", ["user", "item"])
def test_identifiers_are_taken_as_written_if_the_person_says_so(written: str, column: str) -> None:
    every = pd.DataFrame({"user": list("1234") * 3, "item": list("567856785678")})
    train = every[:4]
    others = [WRITTEN[written].format(own) for own in train[column]]
    test = pd.concat([train.assign(**{column: others}), train[:1].assign(user="5", item="6")])
    test = pd.concat([test, pd.DataFrame({"user": ["1"], "item": ["6"]})])
    with pytest.raises(TableError, match=r"in a command: --identifiers as-written\)"):
        rv.split(train, "predefined", test=test)
    as_written = rv.read_ratings(test, identifiers="as-written")
    (note, *_) = [
        own
        for own in rv.split(train, "predefined", test=as_written).notes
        if own.code == "differing-identifiers"
    ]
    assert f"They count as different {column}s." in note
    assert rv.split(train, "predefined", test=test, identifiers="as-written").notes
