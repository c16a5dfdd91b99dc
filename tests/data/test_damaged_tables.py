# SPDX-License-Identifier: MIT
"""Some of the damages that ``make faults`` tries by hundreds of thousands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from faults.table_damages import SAMPLES, one_fault

from receval.data import text_lines


@pytest.mark.costly
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("first", [text_lines._FIRST_PIECE, 50])
def test_a_damaged_table_is_read_whole_or_refused(
    name: str, first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A small first piece ends anywhere, such as within quotes.
    monkeypatch.setattr(text_lines, "_FIRST_PIECE", first)
    assert [problem for seed in range(20) if (problem := one_fault(name, seed, tmp_path))] == []


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("a.npz", 77_000_014),  # a place before the beginning of the archive
        ("a.npz", 88_001_362),  # an array that ends before its header says
        ("a.npz", 312_003_211),  # the mark of a password
        ("a.parquet", 99_000_038),  # a code beyond the texts of its column
        ("a.parquet", 99_000_418),  # a column with two names
        ("a.parquet", 99_101_272),  # a name that is no text
        ("a.parquet", 99_101_457),  # a size at which Arrow ended the process
    ],
)
def test_damage_that_was_once_an_error_of_another_library_is_refused(
    name: str, seed: int, tmp_path: Path
) -> None:
    assert one_fault(name, seed, tmp_path) is None


_EVERY_BYTE = """
import pathlib, sys
import pyarrow as pa, pyarrow.parquet as pq
from receval.data.parquet_by_user import ParquetByUser
from receval.data.reading import TableError
from receval.data.run import read_run
from receval.data.tables import sentences_for_damage

def groups(path):
    with sentences_for_damage(path):
        names = pq.read_schema(path).names
    if "userId" in names:
        ParquetByUser(str(path), dict.fromkeys(("user", "item"), "userId")).groups

entries = [[{"movieId": n, "rating": 0.5 * n} for n in range(user % 3)] for user in range(9)]
path = pathlib.Path(sys.argv[1])
# Without the schema of Arrow, which is half of that part and is read by another program.
pq.write_table(pa.table({"userId": range(9), "entries": entries}), path, store_schema=False)
whole = path.read_bytes()
assert len(read_run(path)) == 9
first = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
for place in range(first, len(whole) - 8):
    for other in (1, 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ other]) + whole[place + 1 :])
        for read in (read_run, groups):
            try:
                read(path)
            except TableError:
                pass
print("all were read or refused")
"""


@pytest.mark.processes
def test_damage_of_a_nested_parquet_file_does_not_end_the_process(tmp_path: Path) -> None:
    # Arrow ends it for some, in the part of the file that describes its columns.
    command = [sys.executable, "-c", _EVERY_BYTE, str(tmp_path / "a.parquet")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.stdout == "all were read or refused\n", ended.stderr[-1000:]
