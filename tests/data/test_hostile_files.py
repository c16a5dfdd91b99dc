# SPDX-License-Identifier: MIT
"""Small files that would cost much are refused before they do, in a sentence."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data.test_packed_files import PACKED
from scipy.sparse import dia_array, save_npz

from receval.data import formats, json_tables, packed_files
from receval.data.packed_files import LARGEST_OF_SMALL, SMALL_FILE
from receval.data.ratings_table import read_ratings
from receval.data.reading import TableError
from receval.data.run import read_run


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit that is reached in a hundredth of the time; that of everybody is tried elsewhere."""
    monkeypatch.setattr(packed_files, "LARGEST_OF_SMALL", 1 << 17)
    return 1 << 17


@pytest.mark.parametrize("suffix", PACKED)
def test_what_unpacks_to_more_than_files_of_ratings_do_is_refused(
    suffix: str, tmp_path: Path, small_limit: int
) -> None:
    path = tmp_path / f"r.csv{suffix}"
    path.write_bytes(PACKED[suffix](b"u,i,1\n" * (small_limit // 6 + 9)))
    with pytest.raises(TableError, match=r"r\.csv.* bytes, but unpacks to more than .* unpack it"):
        read_ratings(path)


def test_larger_files_may_unpack_to_a_hundred_times_their_size() -> None:
    assert packed_files.most_unpacked(2 << 20) == 200 << 20


@pytest.mark.each(
    ("name", "start", "piece"),
    [
        ("r.json", "[", "{},"),
        ("r.json", '{"ann":[', '["a",1],'),
        ("r.jsonl", "", "{}\n"),
        ("r.jsonl", '{"user":1}', "\n"),
    ],
)
def test_a_small_packed_file_of_little_but_brackets_and_line_ends_is_refused(
    name: str, start: str, piece: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_tables, "_MOST_PARTS", 1000)
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress((start + piece * 1001).encode()))
    with pytest.raises(TableError, match=r"more than 1,000 lists, objects and lines.* unpack it"):
        read_ratings(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_of_which_nobody_can_unpack_a_part_is_refused(method: int, tmp_path: Path) -> None:
    path = tmp_path / "r.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("r.csv", "a,b,1\n")
    with pytest.raises(TableError, match=r"cannot be unpacked here .*rare in zip archives"):
        read_ratings(path)


def test_a_table_of_more_columns_than_tables_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("user,item" + ",a" * 100_000 + "\n1,2\n")
    with pytest.raises(TableError, match=r"r\.csv, line 1 has 100,002 cells between commas"):
        read_ratings(path)


@pytest.mark.parametrize("character", ["x", "é"])
def test_one_identifier_of_many_times_the_length_of_others_is_refused(
    character: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("receval.data.columns.LARGEST_IDENTIFIERS", 1 << 17)
    users = [str(user) for user in range(1000)] + [character * 200]
    with pytest.raises(TableError, match=r"row 1001: the user has 200 characters .* all 1,001"):
        read_ratings({"user": users, "item": ["x"] * len(users)})


def _npz(path: Path, form: str, **arrays: Any) -> Path:
    np.savez_compressed(path, format=np.array(form.encode()), **arrays)
    return path


HUGE = 2_000_000_000


@pytest.mark.each("form", ["csr", "csc"])
@pytest.mark.each(
    ("indptr", "indices"),
    [([0, 1, 2], [1_000_000, 0]), ([0, 1, 2], [0, -5]), ([0, 2_000_000, 2], [0, 1])],
    ids=["too large", "negative", "starts"],
)
def test_a_compressed_matrix_with_places_out_of_its_shape_is_refused(
    form: str, indptr: list[int], indices: list[int], tmp_path: Path
) -> None:
    path = _npz(
        tmp_path / "m.npz", form, indptr=np.array(indptr), indices=np.array(indices, np.int32),
        data=np.ones(2), shape=np.array([2, 2]),
    )  # fmt: skip
    with pytest.raises(TableError, match=r"m\.npz does not hold a sparse matrix of scipy"):
        read_ratings(path)


def test_a_matrix_costs_what_its_entries_do_whatever_its_shape(tmp_path: Path) -> None:
    path = _npz(
        tmp_path / "m.npz", "coo", row=np.array([HUGE - 1, 5]), col=np.array([7, HUGE - 1]),
        data=np.array([2.0, 3.0]), shape=np.array([HUGE, HUGE]),
    )  # fmt: skip
    read = read_ratings(path)
    assert read.user_ids.tolist() == [str(HUGE - 1), "5"]
    assert read.item_ids[read.items].tolist() == ["7", str(HUGE - 1)]


@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_a_pair_that_a_matrix_has_twice_is_refused_or_treated_as_asked_for(
    form: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.npz"
    parts = {"data": np.array([1.0, 4.0, 3.0]), "shape": np.array([2, 2])}
    if form == "coo":
        _npz(path, form, row=np.array([0, 1, 1]), col=np.array([0, 1, 1]), **parts)
    else:
        _npz(path, form, indices=np.array([0, 1, 1]), indptr=np.array([0, 1, 3]), **parts)
    for read in (read_run, read_ratings):
        with pytest.raises(TableError, match=r"row 3 .* as row 2: "):
            read(path)
    rules = {"first": 4.0, "last": 3.0, "sum": 7.0, "max": 4.0}
    for rule, value in rules.items():
        ratings = read_ratings(path, duplicates=rule)
        assert ratings.values.tolist() == [1.0, value]
        assert ratings.reading.merged == 1


def test_an_array_that_is_smaller_than_it_says_is_refused(tmp_path: Path) -> None:
    path = _npz(
        tmp_path / "m.npz", "coo", row=np.zeros(1, int), col=np.zeros(1, int), data=np.ones(1),
        shape=np.array([1, 1]),
    )  # fmt: skip
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}
    )
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, header.getvalue() if name == "data.npy" else content)
    with pytest.raises(
        TableError, match=r"data\.npy does not have the size that its header states"
    ):
        read_ratings(path)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", '{"user":"a","item":"b","x":' + "[" * 5000 + "]" * 5000 + "}\n", "nested"),
        ("a.json", "[" * 5000, "is not JSON"),
        ("a.jsonl", "".join(f'{{"user":1,"k{n}":1}}\n' for n in range(1200)), "1,001 different"),
        ("a.json", "[" + ",".join(f'{{"k{n}":1}}' for n in range(1200)) + "]", "1,200 different"),
        ("a.json", "{" + '"k":1,' * 40_000 + '"k":2}', "the name k twice"),
        ("a.json", '{"a":{"b":' + "9" * 400 + "}}", "too large for a floating-point number"),
        ("a.json", '{"a":{"b":' + "9" * 5000 + "}}", "is not JSON"),
    ],
    ids=["deep lines", "deep", "names of lines", "names", "one name", "400 digits", "5000 digits"],
)
def test_json_that_no_reader_survives_is_refused(
    name: str, text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(TableError, match=f"a\\.json.*{said}"):
        read_ratings(path)


def test_parquet_of_equal_values_counts_as_what_it_unpacks_to(
    tmp_path: Path, small_limit: int
) -> None:
    equal = pa.array(["a"] * (small_limit // 4 + 1))
    pq.write_table(pa.table({"user": equal, "item": equal}), tmp_path / "r.parquet")
    with pytest.raises(TableError, match=r"r\.parquet has .* unpacks to more than"):
        read_ratings(tmp_path / "r.parquet")


def test_a_long_text_of_many_rows_is_held_once(tmp_path: Path) -> None:
    rows = 3000
    same = pa.array(np.zeros(rows, np.int32))
    users = pa.DictionaryArray.from_arrays(same, pa.array(["x" * 100_000]))
    table = pa.table({"user": users, "item": [str(row) for row in range(rows)]})
    pq.write_table(table, tmp_path / "r.parquet")
    before = max(pa.default_memory_pool().max_memory(), pa.total_allocated_bytes() + (1 << 25))
    read = read_ratings(tmp_path / "r.parquet")
    assert len(read.users) == rows
    assert len(read.user_ids[0]) == 100_000
    assert pa.default_memory_pool().max_memory() <= before


def test_entries_of_a_dictionary_that_no_row_has_are_no_identifiers() -> None:
    users = pd.Categorical(["b", "a", "b"], categories=["z", "a", "b"])
    read = read_run(pd.DataFrame({"user": users, "item": ["x", "y", "z"], "score": [1, 2, 3]}))
    assert read.user_ids.tolist() == ["b", "a"]


def test_a_device_is_refused() -> None:
    with pytest.raises(TableError, match="/dev/zero is a device, which may never end"):
        read_ratings("/dev/zero")


def test_a_pipe_that_nobody_writes_into_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("receval.data.tables._WAITED", 0.01)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TableError, match="pipe is empty: it sent no data"):
        read_ratings(tmp_path / "pipe")


def test_a_matrix_of_diagonals_is_refused_whatever_its_shape(tmp_path: Path) -> None:
    size = 5 * 10**8
    save_npz(tmp_path / "r.npz", dia_array((np.ones((1, 5)), [0]), shape=(size, size)))
    with pytest.raises(TableError, match="is a matrix stored by diagonals"):
        read_ratings(tmp_path / "r.npz")


@pytest.mark.costly
def test_a_run_of_the_same_items_for_many_users_is_read_from_parquet(tmp_path: Path) -> None:
    users, items = np.repeat(np.arange(12_000), 100), np.tile(np.arange(100), 12_000)
    table = pa.table({"user": users, "item": items, "score": -items.astype(float)})
    pq.write_table(table, tmp_path / "popular.parquet")
    assert (tmp_path / "popular.parquet").stat().st_size < SMALL_FILE
    assert len(read_run(tmp_path / "popular.parquet")) == len(users)


def test_json_names_a_hundred_columns_that_were_not_read_and_counts_the_others() -> None:
    table = {"user": ["a"], "item": ["x"], "rating": [1]}
    others = {f"c{number}": [0] for number in range(150)}
    unread = read_ratings({**table, **others}).reading.as_dict()["unread"]
    assert (len(unread), unread[-1]) == (101, "and 50 more")


@pytest.mark.costly
def test_small_files_of_one_folder_have_a_limit_in_common(tmp_path: Path) -> None:
    lines = b"1 1\n" * (LARGEST_OF_SMALL // 12)
    for name in "abcd":
        (tmp_path / f"{name}.tsv.gz").write_bytes(gzip.compress(lines))
    with pytest.raises(TableError, match=r"a\.tsv\.gz has .* unpacks to more than"):
        read_ratings(tmp_path)


def test_netflix_lines_of_very_many_items_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "MOST_ITEMS", 3)
    path = tmp_path / "combined_data_1.txt"
    path.write_text("".join(f"{item}:\n1,5,2005-09-06\n" for item in range(3)))
    assert len(read_ratings(path)) == 3
    path.write_text("1:\n" * 4)
    with pytest.raises(TableError, match="has more than 3 items"):
        read_ratings(path, format="netflix")
