# SPDX-License-Identifier: MIT
"""Packed files are read as what is in them, and never in part."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, save_npz

from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import TableError
from receval.data.run import read_run


def by_arrow(codec: str, content: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, codec) as stream:
        stream.write(content)
    return packed.getvalue().to_pybytes()


def zipped(*contents: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for number, content in enumerate(contents):
            writer.writestr(f"part{number}.csv", content)
    return archive.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: by_arrow("zstd", content),
    ".lz4": lambda content: by_arrow("lz4", content),
    ".zip": zipped,
}

MAGIC = 6
"""Bytes by which one packing or another is known."""

N_ROWS = 3000


def parquet() -> bytes:
    table = pa.BufferOutputStream()
    pq.write_table(pa.table({"user": USERS, "item": ITEMS, "rating": VALUES}), table)
    return table.getvalue().to_pybytes()


RNG = np.random.default_rng(1)
USERS = [f"u{user}" for user in np.repeat(np.arange(N_ROWS // 10), 10)]
ITEMS = [f"i{item}" for item in np.concatenate([RNG.permutation(99)[:10] for _ in USERS[::10]])]
VALUES = RNG.integers(1, 6, N_ROWS).tolist()
ROWS = list(zip(USERS, ITEMS, VALUES, strict=True))

FILES: dict[str, tuple[Callable[..., object], Callable[[], bytes]]] = {
    "ratings.csv": (
        read_ratings,
        lambda: b"user,item,rating\n" + "".join(f"{u},{i},{v}\n" for u, i, v in ROWS).encode(),
    ),
    "ratings.parquet": (read_ratings, parquet),
    "test.qrels": (
        lambda path: read_test_data(path).ratings,
        lambda: "".join(f"{u} 0 {i} {v}\n" for u, i, v in ROWS).encode(),
    ),
    "mine.run": (
        read_run,
        lambda: "".join(f"{u} Q0 {i} 1 {v} mine\n" for u, i, v in ROWS).encode(),
    ),
    "mine.json": (
        read_run,
        lambda: json.dumps(
            {
                u: {i: v for own, i, v in ROWS[10 * n : 10 * n + 10]}
                for n, u in enumerate(USERS[::10])
            }
        ).encode(),
    ),
}


@cache
def packed_file(name: str, suffix: str) -> bytes:
    return {"": bytes, **PACKED}[suffix](FILES[name][1]())


def rows_of(read: Callable[..., object], path: Path) -> list[tuple[str, str, float]]:
    table: object = read(path)
    values = getattr(table, "values", None)
    values = table.scores if values is None else values  # type: ignore[attr-defined]
    users, items = table.user_ids[table.users], table.item_ids[table.items]  # type: ignore[attr-defined]
    return sorted(zip(users.tolist(), items.tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("suffix", [name for name in PACKED if name != ".lz4"])
def test_a_packed_file_is_read_as_what_is_in_it(suffix: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}{suffix}"
    path.write_bytes(packed_file(name, suffix))
    assert rows_of(FILES[name][0], path) == sorted(ROWS)


@pytest.mark.parametrize("suffix", ["", *PACKED])
def test_its_name_need_not_say_that_a_file_is_packed_and_may_say_so_in_vain(
    suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"ratings.csv{suffix}"
    for packing in ("", *PACKED):
        path.write_bytes(packed_file("ratings.csv", packing))
        assert rows_of(read_ratings, path) == sorted(ROWS)


@pytest.mark.costly
@pytest.mark.parametrize("suffix", [name for name in PACKED if name != ".lz4"])
@given(name=st.sampled_from(list(FILES)), data=st.data())
def test_what_is_cut_off_or_damaged_is_refused_in_a_sentence_or_read_whole(
    suffix: str, name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    packed = packed_file(name, suffix)
    at = data.draw(st.integers(MAGIC, len(packed) - 1))
    # What Arrow packs by zstd has no checksum.
    is_cut = suffix == ".zst" or data.draw(st.booleans())
    path = tmp_path_factory.getbasetemp() / f"damaged-{name}{suffix}"
    path.write_bytes(packed[:at] if is_cut else packed[:at] + b"?" + packed[at + 1 :])
    refusal = ""
    try:
        assert rows_of(FILES[name][0], path) == sorted(ROWS)
    except TableError as error:
        refusal = str(error)
    assert not refusal or str(path) in refusal
    assert len(refusal) <= 500


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_streams_one_after_another_are_all_read_or_refused(suffix: str, tmp_path: Path) -> None:
    read, content = FILES["ratings.csv"]
    text, pack = content(), PACKED[suffix]
    middle = text.index(b"\n", len(text) // 2) + 1
    first, second = pack(text[:middle]), pack(text[middle:])
    path = tmp_path / f"ratings.csv{suffix}"
    path.write_bytes(first + second)
    assert rows_of(read, path) == sorted(ROWS)
    for rest in (b"?" + second[1:], second[:-4], b"1,2,3\n"):
        path.write_bytes(first + rest)
        with pytest.raises(TableError, match="ratings"):
            read(path)


def test_an_archive_of_several_files_is_refused_with_their_names(tmp_path: Path) -> None:
    path = tmp_path / "ratings.zip"
    path.write_bytes(zipped(b"user,item\n1,2\n", b"user,item\n3,4\n"))
    with pytest.raises(TableError, match=r"ratings.zip holds 2 files \(part0.csv, part1.csv\)"):
        read_ratings(path)


_TABLE = b"user,item,rating\nann,book,4\n"


def _tarred(mode: Any) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        member = tarfile.TarInfo("a.csv")
        member.size = len(_TABLE)
        archive.addfile(member, io.BytesIO(_TABLE))
    return content.getvalue()


def _of_arrow(write: Any) -> bytes:
    content = io.BytesIO()
    write(pa.table({"user": [1], "item": [2]}), content)
    return content.getvalue()


def _zipped(content: bytes, name: str = "a.csv") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


_OTHER_KINDS = {
    "a tar archive": lambda: _tarred("w"),
    "holds a tar archive": lambda: _tarred("w:gz"),
    "packed by compress": lambda: b"\x1f\x9d\x90" + _TABLE,
    "a 7z archive": lambda: b"7z\xbc\xaf\x27\x1c" + _TABLE,
    "packed as .lzma": lambda: lzma.compress(_TABLE, lzma.FORMAT_ALONE),
    "Feather": lambda: _of_arrow(pyarrow.feather.write_feather),
    "an ORC file": lambda: _of_arrow(pyarrow.orc.write_table),
    "pickle": lambda: pickle.dumps({"user": [1], "item": [2]}),
    "holds a Python pickle": lambda: gzip.compress(pickle.dumps({"user": [1], "item": [2]})),
    "holds another packed file": lambda: _zipped(gzip.compress(_TABLE), "a.csv.gz"),
    "a web page": lambda: b"<!DOCTYPE html>\n<html>not found</html>",
    "an XML document": lambda: b"\xef\xbb\xbf<?xml version='1.0'?>\n<ratings/>",
    "a script of SQL": lambda: b"-- A dump\nINSERT INTO `ratings` VALUES (1,2,5);\n",
    "a table drawn": lambda: b"+----+----+\n| user | item |\n",
    r"a file of Weka": lambda: b"%" * 400 + b"\n% Ratings\n@RELATION ratings\n",
    r"an object of R": lambda: gzip.compress(b"X\n\0\0\0\3"),
    "a file of SPSS": lambda: b"$FL2@(#) SPSS\0\0\0\0",
}


@pytest.mark.each("name", ["a.csv", "a", "a.jsonl", "a.json", "a.parquet", "a.qrels"])
@pytest.mark.each("kind", _OTHER_KINDS)
def test_other_kinds_of_files_are_called_by_their_name(
    tmp_path: Path, kind: str, name: str
) -> None:
    (tmp_path / name).write_bytes(_OTHER_KINDS[kind]())
    for read in (read_ratings, read_run):
        with pytest.raises(TableError, match=rf"/{name} .*{kind}.*, which is not read\. [A-Z]"):
            read(tmp_path / name)


def test_a_text_may_begin_with_the_letters_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ORC1,book,4\nFEA1,book,4\n--x,book,4\n")
    assert read_ratings(tmp_path / "a.csv").user_ids.tolist() == ["--x", "FEA1", "ORC1"]


def test_archives_that_are_joined_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(_zipped(_TABLE) + _zipped(_TABLE))
    with pytest.raises(TableError, match="other data before its zip archive"):
        read_ratings(tmp_path / "a.zip")
    save_npz(tmp_path / "a.npz", csr_array(np.eye(2)))
    whole = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(whole + whole)
    with pytest.raises(TableError, match="other data before its zip archive"):
        read_ratings(tmp_path / "a.npz")
