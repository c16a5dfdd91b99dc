# SPDX-License-Identifier: MIT
"""Runs are the same in every format, and what cannot be a run is refused in a sentence."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data.read_rows import entries_of
from data.test_packed_files import by_arrow
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, save_npz

from receval.data.column_roles import ITEM_NAMES, USER_NAMES
from receval.data.layouts import plain_name
from receval.data.reading import TableError
from receval.data.run import Run, read_run, write_run

SCORES = {"ann": {"book": 2.5, "film": 1.0}, "bob": {"film": -3.0}}


def nested(run: Run) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for user, item, score in zip(run.users, run.items, run.scores, strict=True):
        scores.setdefault(str(run.user_ids[user]), {})[str(run.item_ids[item])] = float(score)
    return scores


def lists_of_lenskit() -> pa.Table:
    """Return a collection of lists as LensKit turns it into a table, or saves it."""
    entry = pa.struct({"item_id": pa.string(), "score": pa.float32(), "rank": pa.int32()})
    lists = [
        [{"item_id": "book", "score": 2.5, "rank": 1}, {"item_id": "film", "score": 1, "rank": 2}],
        [],
        [{"item_id": "film", "score": -3, "rank": 1}],
    ]
    users = pa.array(["ann", "cat", "bob"])
    return pa.table({"user_id": users, "items": pa.array(lists, pa.list_(entry))})


class Collection:
    """Turns itself into a table as LensKit's collections do."""

    def to_arrow(self) -> pa.Table:
        return lists_of_lenskit()


def test_collections_of_lists_are_read_as_lenskit_has_and_saves_them(tmp_path: Path) -> None:
    pq.write_table(lists_of_lenskit(), tmp_path / "a.parquet")
    for source in (tmp_path / "a.parquet", Collection(), lists_of_lenskit()):
        assert nested(read_run(source)) == SCORES


def test_scores_by_user_and_runs_are_taken_as_they_are() -> None:
    run = read_run(SCORES)
    assert nested(run) == SCORES
    assert read_run(run) is run


# By ranx 0.3.21: Run({"ann": {"book": 2.5, "film": 1.0}, "bob": {"film": -3.0}}).save("run.lz4")
BY_RANX = (
    "BCJNGEBAwEUAAACCBCJNGGhANQABAPAptS8AAADxAKJjYW5uomRib29r+0AEAAEAgmRmaWxt+z/wDgBSY2JvYqETAIDA"
    "CAAAAAAAAAAAAAAAAAAA"
)


def test_runs_that_ranx_packs_are_read(tmp_path: Path) -> None:
    pytest.importorskip("cbor2", reason="cbor2 reads what ranx packs")
    packed = tmp_path / "run.lz4"
    packed.write_bytes(base64.b64decode(BY_RANX))
    assert nested(read_run(packed)) == SCORES


NOT_OF_RANX = [
    b"\xa1",
    b"",
    b"\xd8\x40\x41\x00",
    b"\xf5",
    b"\xa1\x81\x01\x01",
    b"\xa1\x61a\xa1\x61b\x80",
    # {"a": {"bcd": 1}, "e": the same again}, as references have it.
    b"\xa2\x61a\xd8\x1c\xa1\x78\x1eabcdefghijklmnopqrstuvwxyzABCD\x01\x61e\xd8\x1d\x00",
]


@pytest.mark.each("content", NOT_OF_RANX)
def test_what_only_looks_like_a_packed_run_of_ranx_is_refused(
    content: bytes, tmp_path: Path
) -> None:
    packed = tmp_path / "a.lz4"
    packed.write_bytes(by_arrow("lz4", by_arrow("lz4", content)))
    with pytest.raises(TableError, match=r"a\.lz4"):
        read_run(packed)


def test_without_cbor2_runs_that_ranx_packs_are_refused_with_the_way_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "run.lz4"
    packed.write_bytes(base64.b64decode(BY_RANX))
    monkeypatch.setitem(sys.modules, "cbor2", None)
    with pytest.raises(TableError, match=r"Install cbor2 .* or save it as \.json or \.trec"):
        read_run(packed)


def test_ranks_or_the_order_of_rows_stand_for_scores() -> None:
    ranked = read_run({"user": ["a", "a"], "item": ["x", "y"], "rank": [2, 1]})
    listed = read_run({"user": ["a", "a"], "item": ["y", "x"]})
    unscored = read_run(
        {"user": ["a", "a"], "item": ["x", "y"], "rank": [2, 1], "score": [np.nan, np.nan]}
    )
    for run in (ranked, listed, unscored):
        best = run.items[np.argmax(run.scores)]
        assert run.item_ids[best] == "y"


def test_a_sparse_matrix_has_numbers_for_identifiers(tmp_path: Path) -> None:
    save_npz(tmp_path / "a.npz", csr_array(np.array([[0, 2.0], [0, 0], [1.0, 3.0]])))
    assert nested(read_run(tmp_path / "a.npz")) == {"0": {"1": 2}, "2": {"0": 1, "1": 3}}


# Where all users have the same items, one who is called as a column is taken for it, and refused.
names = st.text(
    st.characters(categories=["L", "N"], max_codepoint=0x2FF), min_size=1, max_size=4
).filter(lambda name: plain_name(name) not in {*USER_NAMES, *ITEM_NAMES})
runs = st.dictionaries(
    names,
    st.dictionaries(names, st.floats(-1e6, 1e6), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(scores={"ITEM": {"0": 0.0}}, suffix=".json")
@example(scores={"user": {"a": 2.0}, "ann": {"b": 1.0}}, suffix=".json")
@given(scores=runs, suffix=st.sampled_from([".run", ".tsv", ".csv", ".parquet", ".json"]))
def test_a_run_that_is_written_is_read_again(
    tmp_path: Path, scores: dict[str, dict[str, float]], suffix: str
) -> None:
    path = tmp_path / f"mine{suffix}"
    write_run(read_run(scores), path)
    assert nested(read_run(path)) == scores


@pytest.mark.each("suffix", [".run", ".tsv", ".csv"])
def test_rows_written_in_blocks_are_the_bytes_of_one_block(suffix: str, tmp_path: Path) -> None:
    lists = {user: {"a": 3.0, "b": 2.0, "c,d": 1.0} for user in ("x", "y", "z")}
    whole, blocks = (tmp_path / f"{name}{suffix}" for name in ("whole", "blocks"))
    write_run(read_run(lists), whole)
    for rows in (1, 2, 3, 8):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("receval.data.run._ROWS", rows)
            write_run(read_run(lists), blocks)
        assert blocks.read_bytes() == whole.read_bytes()


def test_written_lists_are_in_order_with_ranks(tmp_path: Path) -> None:
    run = read_run({"b": {"x": 1.0, "y": 5.0}, "a": {"x": 0.0, "z": 0.0}})
    write_run(run, tmp_path / "a.run", tag="mine")
    assert (tmp_path / "a.run").read_text().splitlines() == [
        "b Q0 y 1 5 mine",
        "b Q0 x 2 1 mine",
        "a Q0 x 1 0 mine",
        "a Q0 z 2 0 mine",
    ]


@pytest.mark.each(
    ("scores", "told"),
    [
        ([1.0, np.nan], "1 of 2 items have no score"),
        ([np.inf, np.inf], "has only infinite scores"),
        ([2.0, 2.0], "has the same score for all items, 2"),
    ],
)
def test_scores_that_tell_nothing_are_told(scores: list[float], told: str) -> None:
    run = read_run(pd.DataFrame({"user": ["a", "a"], "item": ["x", "y"], "score": scores}))
    assert run.reading is not None
    assert told in run.reading.notes[0]


@pytest.mark.each(
    ("more", "options", "code"),
    [
        ({"zeal": [0.1, 0.9]}, {}, "no-score-column"),
        ({"zeal": [0.1, 0.9]}, {"score": "zeal"}, None),
        ({"zeal": [0.1, 0.9]}, {"score": "-"}, None),
        ({"zeal": [0.1, 0.9], "position": [2, 1]}, {}, None),
        ({"r_ui": [5, 3], "est": [0.1, 0.9]}, {}, None),
        ({}, {}, None),
    ],
)
def test_columns_that_may_order_lists_but_were_not_read_are_told(
    more: dict[str, list[float]], options: dict[str, Any], code: str | None
) -> None:
    run = read_run({"uid": ["a", "a"], "iid": ["x", "y"], **more}, **options)
    assert [note.code for note in run.reading.notes] == ([code] if code else [])
    told = " ".join(run.reading.notes)
    assert (
        not code
        or "so lists keep the order of their rows. These columns were not read: zeal" in told
    )
    is_by_score = bool(more) and code is None and options.get("score") != "-"
    assert (run.scores[1] > run.scores[0]) == is_by_score


@pytest.mark.each(
    ("ranks", "scores", "told"),
    [
        ([-1, -2], None, "row 1 has the rank -1. .*--run-score"),
        ([1, -1], [2.0, 1.0], "row 2 has the rank -1"),
        ([0.7, 0.4], [1, 2], "columns seem to be exchanged.*--run-rank"),
        ([1.5, 1.5], [1, 2], None),
        ([0.7, 0.4], None, "row 1 has the rank 0.7. .*must be whole numbers.*--run-score"),
        ([2.0, 1.5], None, None),
        ([1, 2], [0.7, 0.4], None),
    ],
)
def test_ranks_that_are_none_are_refused(
    ranks: list[float], scores: list[float] | None, told: str | None
) -> None:
    table = {"user": ["a", "a"], "item": ["x", "y"], "rank": ranks}
    table |= {} if scores is None else {"score": scores}
    if told is None:
        assert len(read_run(table)) == 2
        return
    with pytest.raises(TableError, match=told):
        read_run(table)


def test_ranks_that_are_said_to_be_scores_are_scores() -> None:
    table = {"user": ["a", "a"], "item": ["x", "y"], "rank": [0.7, 0.4]}
    assert entries_of(read_run(table, score="rank")) == [("a", "x", 0.7), ("a", "y", 0.4)]


@pytest.mark.each("name", ["a.xlsx", "a.csv.gz", "a.dat", "a.jsonl"])
def test_an_extension_that_tells_no_format_is_refused_unless_it_is_said(
    name: str, tmp_path: Path
) -> None:
    run = read_run({"a": {"x": 1.0}})
    with pytest.raises(TableError, match=r"tells no format of runs.*\.run, .*\.csv"):
        write_run(run, tmp_path / name)
    assert not any(tmp_path.iterdir())
    write_run(run, tmp_path / name, format="table")
    assert (tmp_path / name).read_text().startswith('"user","item"')


def test_what_cannot_be_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="row 2 recommends the same item as row 1: item x"):
        read_run({"user": ["a", "a"], "item": ["x", "x"], "score": [1, 2]})
    for name, text, told in (
        ("a.json", "[1]", "must hold an object of users"),
        ("a.json", "{", "is not JSON"),
        ("a.npz", "no archive", "does not hold a sparse matrix"),
        ("a.run", "ann Q0 book 1 high mine\n", "line 1: the score is 'high'"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(TableError, match=told):
            read_run(tmp_path / name)
    for user, tag, name, told in (
        ("ann b", "mine", "b.run", "user 'ann b' is empty or has white space"),
        (" ann", "mine", "b.run", "user ' ann' is empty or has white space"),
        ("ann", "my run", "b.run", "tag 'my run' is empty or has white space"),
        ("ann", "", "b.run", "tag '' is empty"),
        ('"ann"', "mine", "b.inter", "a quote mark, which files of recbole cannot hold"),
    ):
        with pytest.raises(TableError, match=told):
            write_run(read_run({user: {"x": 1.0, "y": 2.0}}), tmp_path / name, tag=tag)
        assert not (tmp_path / name).exists()
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / "nothing.run")
