# SPDX-License-Identifier: MIT
"""Tables in memory hold identifiers of any type, and what does not belong together is refused."""

from __future__ import annotations

import decimal
import uuid

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from interchange.read_rows import rows_of

from receval.interchange.errors import TableError
from receval.interchange.ratings_table import read_ratings

IDS = [uuid.UUID(int=1), uuid.UUID(int=2**127)]


@pytest.mark.parametrize(
    ("users", "read"),
    [
        (IDS, [str(own) for own in IDS]),
        ([b"ann", b"bob"], ["ann", "bob"]),
        ([2**70, 7], [str(2**70), "7"]),
        (np.array([2**63, 7], np.uint64), [str(2**63), "7"]),
        ([1, "b"], ["1", "b"]),
        ([1.0, "b"], ["1", "b"]),
        ([1.0, 2.0], ["1", "2"]),
        (np.array(["ann", "bob"], dtype=object), ["ann", "bob"]),
        (pd.Series(["ann", "bob"], dtype="category"), ["ann", "bob"]),
        (pd.Series(["ann", "bob"], dtype="string"), ["ann", "bob"]),
        (pd.Series([1, 2], dtype="Int64"), ["1", "2"]),
        ([decimal.Decimal(1), decimal.Decimal(2)], ["1", "2"]),
        (pa.array([own.bytes for own in IDS], pa.binary(16)), [str(own) for own in IDS]),
    ],
    ids=["UUIDs", "bytes", "long", "unsigned", "mixed", "mixed with floats", "floats", "objects",
         "categories", "strings", "nullable", "decimals", "binary"],
)  # fmt: skip
def test_identifiers_of_every_type_are_read_as_they_are_printed(
    users: object, read: list[str]
) -> None:
    ratings = read_ratings({"user": users, "item": ["x", "y"], "rating": [5, 4]})
    assert ratings.user_ids.tolist() == read


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"user": ["a", None], "item": ["x", "y"]}, "row 2 has no user"),
        ({"user": ["a", float("nan")], "item": ["x", "y"]}, "row 2 has no user"),
        ({"user": [1.0, float("nan")], "item": ["x", "y"]}, "row 2 has no user"),
        ({"user": ["a", "b"], "item": ["x"]}, "different lengths: user has 2, item has 1"),
        ({"user": "ann", "item": ["x"]}, "The column user must be a list or an array"),
        ({"user": np.zeros((2, 2)), "item": ["x", "y"]}, r"has the shape \(2, 2\)"),
        ({"user": [1.5, 2.0], "item": ["x", "y"]}, "'user' .* whose values are no identifiers"),
        ({"user": [2.0**60, 1.0], "item": ["x", "y"]}, "too large for a floating-point number"),
        (
            {"user": pd.Series(["a", "b"]), "item": pd.Series(["x", "y"], index=[1, 2])},
            "Series of different indices",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(table: dict[str, object], told: str) -> None:
    with pytest.raises(TableError, match=told):
        read_ratings(table)


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=["user", "user", "item"])
    with pytest.raises(TableError, match="several columns of the name user"):
        read_ratings(frame)


def test_frames_of_polars_are_read_through_narwhals() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame({"user": [1, 2], "item": ["x", "y"], "rating": [5.0, 4.0]})
    for source in (frame, frame.lazy()):
        assert rows_of(read_ratings(source)) == [("1", "x", 5.0), ("2", "y", 4.0)]


def test_what_arrow_streams_is_read() -> None:
    class Stream:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            return pa.table({"user": [1], "item": ["x"]}).__arrow_c_stream__(schema)

    assert rows_of(read_ratings(Stream())) == [("1", "x", 1.0)]
