# SPDX-License-Identifier: MIT
"""Long files are read and written as columns and by blocks, not as objects of Python."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.data import columns, text_lines
from receval.data import ratings_table as module
from receval.data.ratings import ordered_by
from receval.data.ratings_table import read_ratings
from receval.data.run import Run, read_run, write_run
from receval.data.text_lines import Lines, opened_text

DEPTH = 100
FEW, MANY = 150_000, 350_000
"""Rows of two files; what a row takes is seen in the difference, without blocks of fixed size."""

BYTES_PER_ROW = 120
"""Of a row there are about a dozen columns of eight bytes at a time: codes, values, keys of pairs.
Its two identifiers as objects of Python take 170, and a file's text that is held and rewritten 225.
"""


def peak_of(job: Callable[[], object]) -> int:
    """Return the most bytes that Python, numpy and Arrow hold at a time during a job."""
    usual = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(counted)
    tracemalloc.start()
    try:
        job()
        return tracemalloc.get_traced_memory()[1] + (counted.max_memory() or 0)
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)


def lists_of(rows: int) -> Run:
    """Return lists of 100 items by 1,500 users or more."""
    users = np.repeat(np.arange(rows // DEPTH, dtype=np.int32), DEPTH)
    places = np.tile(np.arange(DEPTH, dtype=np.int32), rows // DEPTH)
    return Run(
        users,
        ((users * 7 + places) % 5000).astype(np.int32),
        100.0 - places,
        np.array([f"a-user-with-a-long-name-{number}" for number in range(rows // DEPTH)]),
        np.array([f"an-item-with-a-long-name-{number}" for number in range(5000)]),
    )


def bytes_per_row(few: int, many: int) -> float:
    """Return what a row adds to a peak."""
    return (many - few) / (MANY - FEW)


@pytest.mark.costly
@pytest.mark.parametrize("suffix", [".run", ".tsv"])
def test_a_row_of_a_long_file_takes_its_columns_alone(tmp_path: Path, suffix: str) -> None:
    paths = {rows: tmp_path / f"{rows}{suffix}" for rows in (FEW, MANY)}
    runs = {rows: lists_of(rows) for rows in paths}
    peaks = {rows: peak_of(partial(write_run, runs[rows], path)) for rows, path in paths.items()}
    assert bytes_per_row(peaks[FEW], peaks[MANY]) < BYTES_PER_ROW
    readers = [read_run] if suffix == ".run" else [read_run, read_ratings]
    for read in readers:
        peaks = {rows: peak_of(partial(read, path)) for rows, path in paths.items()}
        assert bytes_per_row(peaks[FEW], peaks[MANY]) < BYTES_PER_ROW
    again = read_run(paths[FEW])
    assert np.array_equal(again.users, runs[FEW].users)
    assert np.array_equal(again.scores, runs[FEW].scores)


@pytest.mark.parametrize("extension", ["csv", "parquet"])
@pytest.mark.parametrize("n_parts", [1, 3])
def test_cells_are_given_back_as_soon_as_they_were_read(
    n_parts: int, extension: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 210_000
    row = np.arange(rows)
    columns = {"user": row // 50, "item": row % 50, "rating": row % 5, "time": row + 978_300_000}
    table = pa.table({**columns, "unread": row / 7})
    for part in range(n_parts):
        own = table.slice(part * rows // n_parts, rows // n_parts)
        write = pa.csv.write_csv if extension == "csv" else pa.parquet.write_table
        write(own, tmp_path / f"{part}.{extension}")
    usual, threads = pa.default_memory_pool(), pa.cpu_count()
    held, peaks = dict[str, int](), list[int]()

    def noted(name: str, own: Callable[..., Any], *given: Any, **named: Any) -> Any:
        held[name] = pool.bytes_allocated()
        return own(*given, **named)

    for name in ("in_seconds", "ReadRatings"):
        monkeypatch.setattr(module, name, partial(noted, name, getattr(module, name)))
    # Which columns several threads read at once is left to chance. How far Arrow reads ahead is,
    # too: on a busy machine, one reading in 300 held 64 bytes per row.
    pa.set_cpu_count(1)
    try:
        for _ in range(3):
            pa.set_memory_pool(pool := pa.proxy_memory_pool(usual))
            read_ratings(tmp_path if n_parts > 1 else tmp_path / f"0.{extension}")
            peaks.append(pool.max_memory())
    finally:
        pa.set_cpu_count(threads)
        pa.set_memory_pool(usual)
    # Four columns of eight bytes, that which one of them becomes, and what Arrow is reading: 41 to
    # 46 bytes per row, and 57 or more where all columns are converted before one is dropped.
    assert extension == "csv" or min(peaks) < 53 * rows
    # Ratings and times are doubles, and have a bit that tells whether there is one.
    assert held["in_seconds"] < 17 * rows
    assert held["ReadRatings"] == 0


cells = st.text("ab", min_size=1, max_size=3)
between = st.text(" \t\x0b", min_size=1, max_size=3)


@given(
    lines=st.lists(st.tuples(between, cells, between, cells), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n", " \n"]),
    block=st.integers(1, 20),
)
def test_white_space_is_one_space_wherever_blocks_end(
    lines: list[tuple[str, str, str, str]], end: str, block: int
) -> None:
    text = end.join("".join(line) for line in lines).encode()
    rewritten = Lines(io.BytesIO(text), " ", block)
    told = [line.split(b" ") for line in rewritten.read().split(b"\n")]
    assert told == [line.split() for line in text.split(b"\n")]


@given(
    lines=st.lists(st.sampled_from(["", "1,2,3", "a,b", "é"]), min_size=1, max_size=6),
    ends=st.data(),
    part=st.integers(1, 20),
    block=st.integers(1, 20),
)
def test_lines_with_and_without_content_are_counted_wherever_blocks_end(
    lines: list[str], ends: st.DataObject, part: int, block: int
) -> None:
    text = "".join(line + ends.draw(st.sampled_from(["\n", "\r\n"])) for line in lines).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "_PART", part)
        counted = Lines(io.BytesIO(text), ",", block)
        assert counted.readall() == text
    assert counted.rows == sum(map(bool, lines))
    assert counted.blanks == lines.count("")


# Of UTF-16 the first block tells of line ends.
@pytest.mark.each(
    ("encoding", "block"),
    [*(("utf-8", size) for size in (1, 2, 3, 36, 37)), *(("utf-16", s) for s in (24, 25, 26, 75))],
)
@pytest.mark.each("end", ["\n", "\r\n", "\r"])
def test_texts_are_the_same_wherever_blocks_end(
    end: str, encoding: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_lines, "BLOCK", block)
    lines = ["user,item", "é,2", "", "b,3", "c,4", "d,5", "e,6"]
    text = end.join(lines) + "\r\n"
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    with opened_text(tmp_path / "a.csv") as file:
        read = file.read().decode().replace("\r\n", "\n")
    assert read.split("\n") == [*lines, ""]


@pytest.mark.each("at_once", [1, 2, 3, 4, 5])
def test_identifiers_become_an_array_in_parts_of_any_size(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "_AT_ONCE", at_once)
    ids = ["a", "ß", "", "longest", "b"]
    assert columns._as_numpy(pa.array(ids), 7).tolist() == ids


def test_json_is_written_user_by_user_as_at_once(tmp_path: Path) -> None:
    scores = {"zoë": {"a": 2.5, '"q"': -1e-7}, "b": {"a": 1e300}}
    write_run(read_run(scores), tmp_path / "a.json")
    assert (tmp_path / "a.json").read_text("utf-8") == json.dumps(scores, ensure_ascii=False)


@pytest.mark.processes
@pytest.mark.costly
def test_a_text_is_read_without_pandas(tmp_path: Path) -> None:
    # Its import takes as long as reading half a million rows.
    path = tmp_path / "table.csv"
    path.write_text("user,item,score,timestamp\n1,10,4.5,1\n2,10,3,2\n", encoding="utf-8")
    said = (
        "import sys, receval as rv\n"
        "print(len(rv.read_ratings(sys.argv[1]).users), len(rv.read_run(sys.argv[1]).users))\n"
        "print('pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", said, path]
    done = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8")
    assert done.stdout.split() == ["2", "2", "False"]


def test_codes_that_are_counted_keep_the_order_of_equal_ones() -> None:
    codes = np.array([3, 0, 3, 1, 0, 0], dtype=np.int32)
    order, carried = ordered_by(codes, np.arange(6) * 10)
    assert order.tolist() == np.argsort(codes, kind="stable").tolist()
    assert carried.tolist() == (order * 10).tolist()


@pytest.mark.parametrize("span", [1, 3, 1 << 20, (1 << 31) - 1, 1 << 40])
def test_times_of_other_rows_are_counted_over_any_span(span: int) -> None:
    times = np.random.default_rng(1).integers(0, span, 500) + 978_300_000
    times[::7] = times[0]
    again = len(times) - len(set(times.tolist()))
    table = {"user": np.arange(500), "item": np.arange(500), "timestamp": times}
    told = read_ratings(table, time_unit="s").reading.times
    assert f"with {again} rows at the time of another row" in told
