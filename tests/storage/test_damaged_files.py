# SPDX-License-Identifier: MIT
"""A damaged file is refused in a sentence, or read as it was written."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from storage.stored_formats import FORMATS, check_damages, ratings_of

from receval.data.ratings import (
    ITEMS_FILE,
    RATINGS_FILE,
    TABLE_FILES,
    USERS_FILE,
    Ratings,
    read_columns,
    write_columns,
)
from receval.protocols.judged_ranks import read_ranks
from receval.storage import archives
from receval.storage.archives import Archive, write_archive
from receval.storage.files import DamagedFileError, how_to_make_again, read_results, refusing_damage


@pytest.mark.costly
@pytest.mark.parametrize("name", FORMATS)
def test_damage_is_refused_or_harmless(name: str, tmp_path: Path) -> None:
    assert check_damages(name, tmp_path, times=80, seed=19) > 64


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.costly
def test_a_file_of_another_format_is_refused(name: str, tmp_path: Path) -> None:
    stored = FORMATS[name]
    for other, theirs in FORMATS.items():
        if theirs.file == stored.file:
            continue
        own, foreign = tmp_path / "own" / other, tmp_path / "foreign" / other
        stored.write(own, 0)
        theirs.write(foreign, 0)
        shutil.copy(foreign / theirs.file, own / stored.file)
        with pytest.raises((DamagedFileError, KeyError)) as raised:
            stored.read(own)
        assert str(own / stored.file) in str(raised.value)
        assert len(str(raised.value)) <= 500


@pytest.mark.each("name", ["ratings", "users", "truth"])
def test_a_file_of_other_ratings_is_refused(name: str, tmp_path: Path) -> None:
    stored = FORMATS[name]
    stored.write(tmp_path / "own", 0)
    stored.write(tmp_path / "foreign", 1)
    shutil.copy(tmp_path / "foreign" / stored.file, tmp_path / "own" / stored.file)
    with pytest.raises(ValueError, match=r"belongs to another"):
        stored.read(tmp_path / "own")


def test_users_and_items_cannot_change_places(tmp_path: Path) -> None:
    ratings_of(0).write(tmp_path)
    (tmp_path / USERS_FILE).rename(tmp_path / "kept")
    (tmp_path / ITEMS_FILE).rename(tmp_path / USERS_FILE)
    (tmp_path / "kept").rename(tmp_path / ITEMS_FILE)
    with pytest.raises(DamagedFileError, match=rf"{USERS_FILE} .* belongs to another"):
        Ratings.read(tmp_path)


def test_pages_have_the_checksums_of_parquet(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    ratings_of(0).write(tmp_path)
    path = tmp_path / RATINGS_FILE
    values = pq.read_metadata(path).row_group(0).column(2)
    content = bytearray(path.read_bytes())
    content[values.data_page_offset + values.total_compressed_size // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"(?i)crc"):
        pq.ParquetFile(path, page_checksum_verification=True).read()


def test_equal_tables_give_equal_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        ratings_of(0).write(tmp_path / folder)
    for name in TABLE_FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.each(
    ("columns", "reason"),
    [
        ({"user": np.int32([0]), "item": np.int32([0])}, "it has no column rating"),
        (
            {"user": np.int64([0]), "item": np.int32([0]), "rating": np.float32([1])},
            "a column user of type int64",
        ),
        (
            {"user": np.int32([0]), "item": np.int32([0]), "rating": np.float32([1]), "x": [1]},
            "a column x of type int64",
        ),
    ],
)
def test_a_table_with_other_columns_is_refused(
    tmp_path: Path, columns: dict[str, np.ndarray], reason: str
) -> None:
    ratings_of(0).write(tmp_path)
    write_columns(tmp_path / RATINGS_FILE, columns)
    with pytest.raises(DamagedFileError, match=reason):
        Ratings.read(tmp_path)


def test_a_parquet_file_without_our_checksum_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    ratings_of(0).write(tmp_path)
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / USERS_FILE)
    with pytest.raises(DamagedFileError, match=rf"{USERS_FILE} is damaged: it has no checksum"):
        Ratings.sizes(tmp_path)


ARRAYS = {"numbers": np.arange(5, dtype=np.int32), "names": np.array(["a", "bc"])}


@pytest.mark.each(
    ("arguments", "reason"),
    [
        (("others",), "it has no member others"),
        (("numbers", np.int64), "numbers has type int32, not int64"),
        (("names", np.int32), "names has type <U2, not int32"),
        (("numbers", np.int32, (4,)), r"numbers has shape \(5,\), not \(4\)"),
        (("numbers", np.int32, (None, 2)), r"numbers has shape \(5,\), not \(any, 2\)"),
    ],
)
def test_an_array_of_another_kind_is_refused(tmp_path: Path, arguments: tuple, reason: str) -> None:
    path = tmp_path / "arrays.npz"
    write_archive(path, ARRAYS)
    with Archive(path) as archive:
        assert archive.array("names", str, (2,)).tolist() == ["a", "bc"]
        with pytest.raises(DamagedFileError, match=reason):
            archive.array(*arguments)


def test_an_archive_that_numpy_wrote_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ranks.npz"
    np.savez(path, **ARRAYS)
    with pytest.raises(DamagedFileError, match=r"ranks\.npz is damaged: its list of members"):
        read_ranks(path, "AR-TI", 0)


@pytest.mark.each(
    "array",
    [
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3), dtype=np.float32),
        np.array(7),
        np.array(["Björk", ""]),
        np.arange(6, dtype=">i4")[::2],
    ],
)
@pytest.mark.each("compressed", [True, False])
def test_arrays_are_read_as_numpy_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, array: np.ndarray, compressed: bool
) -> None:
    path = tmp_path / "one.npz"
    write_archive(path, {"one": array}, compressed=compressed)
    # Read in one block, and in blocks of three bytes, of which no element is a whole number.
    for size in (None, 3):
        if size is not None:
            monkeypatch.setattr(archives, "_BLOCK_BYTES", size)
        with Archive(path) as archive, np.load(path) as theirs:
            found, expected = archive.array("one"), theirs["one"]
        np.testing.assert_array_equal(found, expected)
    assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
    assert found.flags.writeable


@pytest.mark.each(
    ("path", "sentence"),
    [
        ("work/demo/ml-1m/user-80/pop/models/fold3.npz", "work/demo/ml-1m/user-80/pop/models"),
        ("/home/work/work/full/ml-1m/ratings.parquet", "work/full/ml-1m/ratings.parquet"),
        ("work/demo/cm100k/raw/truth.npz", "work/demo/cm100k/raw"),
    ],
)
def test_the_command_that_makes_a_file_again_is_named(path: str, sentence: str) -> None:
    assert how_to_make_again(Path(path)).endswith(f"snakemake --cores all --force {sentence}")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match=r"ranks\.npz is missing\. Make it again"):
        read_ranks(tmp_path / "ranks.npz", "AR-TI", 0)


@pytest.mark.each(
    "content", [b"", b"\xff\xfe\x00", b"a,b\n1,2\n1,2,3,4\n", b'a\n"unclosed', b"a\n" + b"\x00" * 9]
)
def test_results_that_are_no_csv_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "work" / "demo" / "artifacts" / "bellogin2017" / "fig02.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    try:
        found = read_results(path)
    except DamagedFileError as error:
        sentence = str(error)
        assert sentence.endswith("--force work/demo/artifacts/bellogin2017/fig02.csv")
    else:
        assert found.columns.tolist() == ["a"]


def test_a_gap_in_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gap.parquet"
    write_columns(path, {"user": pa.array([1, None], type=pa.int32())})
    with pytest.raises(DamagedFileError, match="its column user has gaps"):
        read_columns(path, {"user": (pa.int32(),)})


def test_want_of_memory_says_nothing_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(MemoryError), refusing_damage(tmp_path):
        raise MemoryError


@pytest.mark.parametrize("length", [100, 3_900])
def test_a_long_path_leaves_the_sentence_short(length: int) -> None:
    path = Path("work", *["y" * 99] * (length // 100), "ratings.parquet")
    assert len(str(DamagedFileError(path, "z" * 120))) <= 500
