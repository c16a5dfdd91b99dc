# SPDX-License-Identifier: MIT
"""Folders of files: columns in the names of folders, and where an error is."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data.read_rows import rows_of

from receval.data.parquet_by_user import files_of
from receval.data.ratings_table import read_ratings
from receval.data.reading import TableError
from receval.data.run import read_run
from receval.data.tables import column_names

_EXTENSIONS = ("csv", "tsv.gz", "jsonl", "json", "parquet")


def _write(path: Path, **columns: list[str]) -> None:
    """Write a table as the extension says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = list(zip(*columns.values(), strict=True))
    objects = [
        "{" + ", ".join(f'"{name}": "{own}"' for name, own in zip(columns, row, strict=True)) + "}"
        for row in rows
    ]
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{own}\n" for own in objects), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(f"[{', '.join(objects)}]", encoding="utf-8")
    elif path.suffix == ".gz":
        lines = ["\t".join(row) + "\n" for row in [tuple(columns), *rows]]
        path.write_bytes(gzip.compress("".join(lines).encode()))
    else:
        path.write_text(
            "".join(",".join(row) + "\n" for row in [tuple(columns), *rows]), encoding="utf-8"
        )


@pytest.mark.parametrize("extension", _EXTENSIONS)
def test_the_names_of_folders_are_columns(tmp_path: Path, extension: str) -> None:
    _write(tmp_path / f"t/rating=1/p.{extension}", user=["u"], item=["x"])
    _write(tmp_path / f"t/rating=5/p.{extension}", user=["u"], item=["y"])
    ratings = read_ratings(tmp_path / "t")
    assert rows_of(ratings) == [("u", "x", 1.0), ("u", "y", 5.0)]
    assert ratings.reading.form.endswith("rating in the names of folders")
    assert read_ratings(tmp_path / "t", rating="-").values.tolist() == [1, 1]


@pytest.mark.each("extension", _EXTENSIONS)
def test_the_names_of_folders_are_decoded(tmp_path: Path, extension: str) -> None:
    _write(tmp_path / f"t/kunde=a%20b%2Fc/p.{extension}", item=["x"])
    assert read_ratings(tmp_path / "t", user="kunde").user_ids.tolist() == ["a b/c"]
    _write(tmp_path / f"t/kunde=__HIVE_DEFAULT_PARTITION__/p.{extension}", item=["x"])
    with pytest.raises(TableError, match=r"__HIVE_DEFAULT_PARTITION__/p.*has no user"):
        read_ratings(tmp_path / "t", user="kunde")


@pytest.mark.each("extension", _EXTENSIONS)
def test_a_folder_without_a_rating_has_none(tmp_path: Path, extension: str) -> None:
    _write(tmp_path / f"t/rating=1/p.{extension}", user=["u"], item=["x"])
    _write(tmp_path / f"t/rating=__HIVE_DEFAULT_PARTITION__/p.{extension}", user=["u"], item=["y"])
    with pytest.raises(TableError, match=r"__HIVE_DEFAULT_PARTITION__/p.*has no rating"):
        read_ratings(tmp_path / "t")


@pytest.mark.parametrize("extension", ["csv", "parquet"])
def test_a_column_that_files_and_folders_both_have_is_refused(
    tmp_path: Path, extension: str
) -> None:
    _write(tmp_path / f"t/user=a/p.{extension}", user=["u"], item=["x"])
    with pytest.raises(TableError, match="has user both as a column and in the name of its folder"):
        read_ratings(tmp_path / "t")


@pytest.mark.each("extension", _EXTENSIONS)
def test_files_and_folders_share_the_order_of_known_names(tmp_path: Path, extension: str) -> None:
    _write(tmp_path / f"t/date=2021-05-01/p.{extension}", user=["u"], item=["x"], ts=["86400"])
    ratings = read_ratings(tmp_path / "t")
    assert ratings.timestamps is not None
    assert ratings.timestamps.tolist() == [86400]
    assert ratings.reading.unread == ("date",)
    _write(tmp_path / f"d/date=1970-01-03/p.{extension}", user=["u"], item=["x"])
    dated = read_ratings(tmp_path / "d").timestamps
    assert dated is not None
    assert dated.tolist() == [2 * 86400]


def test_columns_without_names_are_not_guessed_beside_named_folders(tmp_path: Path) -> None:
    part = tmp_path / "t" / "rating=1" / "p.csv"
    part.parent.mkdir(parents=True)
    part.write_text("1,2,4,1620000000\n")
    with pytest.raises(TableError, match=r"may have the rating in a column without a name.*--col"):
        read_ratings(tmp_path / "t")
    ratings = read_ratings(tmp_path / "t", columns="user,item,-,timestamp")
    assert rows_of(ratings) == [("1", "2", 1.0)]
    assert ratings.timestamps is not None
    assert ratings.timestamps.tolist() == [1_620_000_000]


@pytest.mark.each(("as_written", "items"), [(False, ["10", "11"]), (True, ["10", "10.0", "11.0"])])
def test_a_part_whose_numbers_were_written_as_floats_has_the_same_identifiers(
    tmp_path: Path, *, as_written: bool, items: list[str]
) -> None:
    (tmp_path / "a.csv").write_text("user,item\nann,10\n")
    (tmp_path / "b.csv").write_text("user,item\nbob,10.0\nbob,11.0\n")
    ratings = read_ratings(tmp_path, identifiers="as-written" if as_written else "whole")
    assert ratings.item_ids.tolist() == items
    assert ("were read as whole numbers" in ratings.reading.values) is not as_written


def test_errors_of_folders_name_the_file_and_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("user,item,rating\nu,x,5\n")
    (tmp_path / "b.csv").write_text("user,item,rating\nu,y,5\n\nv,x,\n")
    with pytest.raises(TableError, match=r"b\.csv, line 4 has no rating"):
        read_ratings(tmp_path)
    (tmp_path / "b.csv").write_text('user,item,rating,text\nu,y,5,"a\nb"\nu,x,5,\n')
    (tmp_path / "a.csv").write_text("user,item,rating,text\n\nu,x,5,\n")
    said = r"b\.csv, line 4 (rates|recommends) the same (pair|item) as .*a\.csv, line 3:"
    for read in (read_ratings, read_run):
        with pytest.raises(TableError, match=said):
            read(tmp_path)


def test_errors_of_parquet_parts_name_the_file_and_its_row(tmp_path: Path) -> None:
    _write(tmp_path / "a.parquet", user=["u", "u"], item=["x", "y"])
    _write(tmp_path / "b.parquet", user=["v", "u"], item=["y", "y"])
    with pytest.raises(TableError, match=r"b\.parquet, row 2 rates .* as .*a\.parquet, row 2:"):
        read_ratings(tmp_path)


def _numbers(rng: np.random.Generator) -> np.ndarray:
    """Return different pairs of numbered users and items; both have their own frequencies."""
    shares = [rng.pareto(1.5, size) + 0.2 for size in (300, 250)]
    drawn = [rng.choice(len(own), 8000, p=own / own.sum()) + 1 for own in shares]
    return np.unique(np.column_stack(drawn), axis=0)


_DIVISIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "users": lambda pairs: pairs[:, 0] > 200,
    "items": lambda pairs: pairs[:, 1] > 150,
    "rows": lambda pairs: np.arange(len(pairs)) % 3 == 0,
}


def _write_parts(folder: Path, parts: Sequence[np.ndarray], extension: str) -> None:
    for number, own in enumerate(parts):
        columns = {"0": own[:, 0], "1": own[:, 1], "2": 1 + own.sum(1) % 5}
        path = folder / f"{number}.{extension}"
        if extension == "parquet":
            pq.write_table(pa.table(columns), path)
        else:
            rows = np.column_stack(list(columns.values()))
            np.savetxt(path, rows, "%d", delimiter="," if extension == "csv" else "\t")


@pytest.mark.each("extension", ["csv", "tsv", "parquet"])
@pytest.mark.each("by", list(_DIVISIONS))
def test_a_part_with_users_and_items_exchanged_is_refused(
    tmp_path: Path, extension: str, by: str
) -> None:
    pairs = _numbers(np.random.default_rng(7))
    is_second = _DIVISIONS[by](pairs)
    whole = [pairs[~is_second], pairs[is_second]]
    _write_parts(tmp_path, whole, extension)
    assert len(read_ratings(tmp_path)) == len(pairs)
    _write_parts(tmp_path, [whole[0], whole[1][:, ::-1]], extension)
    for read in (read_ratings, read_run):
        with pytest.raises(TableError, match=r"1\.\w+: its users seem to be the items of the file"):
            read(tmp_path)
    said = read_ratings(tmp_path, columns="user,item,rating", duplicates="last")
    assert said.reading.rows == len(pairs)


def test_names_of_users_among_the_items_of_another_part_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("u1,i1,5\nu1,i2,4\nu2,i3,3\n")
    (tmp_path / "b.csv").write_text("i1,u2,5\ni2,u2,4\ni3,u1,3\n")
    with pytest.raises(TableError, match=r"b\.csv: its users seem to be the items"):
        read_ratings(tmp_path)


def test_parts_numbered_by_frequency_are_not_taken_for_exchanged(tmp_path: Path) -> None:
    pairs = _numbers(np.random.default_rng(7))
    for column in range(2):
        counts = np.bincount(pairs[:, column])
        pairs[:, column] = np.argsort(np.argsort(-counts))[pairs[:, column]]
    for by in ("users", "items", "rows"):
        is_second = _DIVISIONS[by](pairs)
        _write_parts(tmp_path, [pairs[~is_second], pairs[is_second]], "csv")
        assert len(read_ratings(tmp_path)) == len(pairs)


@pytest.mark.each(
    ("names", "told"),
    [
        (["train.csv", "test.csv"], r"\(test.csv, train.csv\)"),
        (["ml.train.inter", "ml.valid.inter"], "parts of a split"),
        (["split=train/a.csv", "split=test/a.csv"], "parts of a split"),
        (["u1.base", "u1.test"], "parts of a split"),
        (["test/1.csv", "test/2.csv"], ""),
        (["contest.csv", "trainer.csv"], ""),
    ],
)
@pytest.mark.each("read", [read_ratings, read_run])
def test_a_folder_of_training_and_test_data_is_refused(
    read: Any, names: list[str], told: str, tmp_path: Path
) -> None:
    for number, name in enumerate(names):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"user,item,rating\n{number},x,5\n".replace(",", "\t"), encoding="utf-8")
    if told:
        with pytest.raises(TableError, match=rf"{told}.*--train, --test, --validation"):
            read(tmp_path)
    else:
        assert len(read(tmp_path)) == 2


@pytest.mark.each("extension", ["csv", "tsv.gz", "parquet"])
def test_parts_with_a_header_alone_are_left_out(tmp_path: Path, extension: str) -> None:
    for number, users in enumerate([[], ["u"], []]):
        _write(tmp_path / f"part-{number}.{extension}", user=users, item=["i"] * len(users))
    read = read_ratings(tmp_path)
    assert read.user_ids.tolist() == ["u"]
    if extension != "parquet":
        assert f"folder of 1 file (left out: part-0.{extension}" in read.reading.form
    (tmp_path / f"part-1.{extension}").unlink()
    with pytest.raises(TableError, match="no rows"):
        read_ratings(tmp_path)


def test_a_file_that_is_no_part_of_a_folder_is_refused_as_such(tmp_path: Path) -> None:
    _write(tmp_path / "links.csv", movieId=["1"], imdbId=["7"])
    _write(tmp_path / "ratings.csv", userId=["1"], movieId=["1"])
    with pytest.raises(TableError, match=r"links.csv has no column.*If this file is no part of"):
        read_ratings(tmp_path)


@pytest.mark.each("extension", _EXTENSIONS)
def test_backups_in_a_folder_are_left_out_and_said(tmp_path: Path, extension: str) -> None:
    name = f"a.{extension}"
    _write(tmp_path / name, user=["u"], item=["i"])
    backups = [f"{name}.bak", f"{name}.swp", f"{name}~"]
    for backup in backups:
        (tmp_path / backup).write_text("user,item\nother,i\n", encoding="utf-8")
    read = read_ratings(tmp_path)
    assert read.user_ids.tolist() == ["u"]
    assert f"left out: {', '.join(backups)}" in read.reading.form


@pytest.mark.each("mark", ["_delta_log/0.json", ".hoodie/hoodie.properties"])
@pytest.mark.each(
    "read", [read_ratings, lambda path: column_names(path, ()), lambda path: files_of(str(path))]
)
def test_a_folder_with_former_versions_of_rows_is_refused(
    tmp_path: Path, mark: str, read: Callable[[Path], object]
) -> None:
    _write(tmp_path / "a.parquet", user=["u"], item=["i"])
    (tmp_path / mark).parent.mkdir(exist_ok=True)
    (tmp_path / mark).touch()
    with pytest.raises(TableError, match=r"is a table of .*, so its files may also have rows of"):
        read(tmp_path)


@pytest.mark.each(("ratings", "is_noted"), [("1..5", False), ("0..100", True), ("4..5", False)])
def test_a_part_with_ratings_of_another_scale_is_noted(
    tmp_path: Path, ratings: str, *, is_noted: bool
) -> None:
    low, high = map(int, ratings.split(".."))
    _write(
        tmp_path / "a.csv",
        user=list(map(str, range(40))),
        item=["x"] * 40,
        rating=[str(1 + own % 5) for own in range(40)],
    )
    _write(
        tmp_path / "b.csv",
        user=list(map(str, range(40))),
        item=["y"] * 40,
        rating=[str(low + own * 7 % (high - low + 1)) for own in range(40)],
    )
    notes = {note.code for note in read_ratings(tmp_path).reading.notes}
    assert ("differing-scales" in notes) is is_noted
