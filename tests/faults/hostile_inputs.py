# SPDX-License-Identifier: MIT
"""Small inputs that cost much: packed ones, forged matrices, names without end, large numbers."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import json
import lzma
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

MIB = 1 << 20

TABLE = "user,item,rating\n" + "".join(
    f"{user},{item},{1 + (user * item) % 5}\n" for user in range(30) for item in range(user % 3, 40)
)
"""A table that nothing is wrong with, ``table.csv`` in the folder of each case."""


@dataclass(frozen=True)
class HostileInput:
    """A command, and what must come of it.

    - ``name``: Of the file, or of the case where there is none.
    - ``words``: The command.
    - ``said``: What stands in its last line.
    - ``content``: Returns the bytes of the file.
    """

    name: str
    words: tuple[str, ...]
    said: str
    content: Callable[[], bytes] | None = None


def cases() -> Iterator[HostileInput]:
    """Yield all inputs."""
    for suffix, pack in _PACKINGS.items():
        for what, (piece, said) in _UNPACKED.items():
            yield _read(f"{what}.csv.{suffix}", said, _of_pack(pack, piece, 40 * MIB))
        yield _read(f"json.json.{suffix}", "unpacks to more", _of_pack(pack, b"{},", 40 * MIB))
        yield _read(
            f"most.csv.{suffix}",
            "line 2 rates the same pair as line 1",
            _of_pack(pack, b"1 1\n", 23 * MIB),
        )
    for name, piece in _BRACKETS.items():
        content = _of_pack(_PACKINGS["gz"], piece, 23 * MIB)
        yield _read(f"{name}.gz", "lists, objects and lines", content)
    for name, (said, content) in _FILES.items():
        yield _read(name, said, content)
    for system in _SYSTEMS:
        yield HostileInput(system, ("evaluate", "table.csv", "--system", system), "must be")
    words: tuple[str, ...]
    for words, said in _COMMANDS:
        yield HostileInput(" ".join(words), words, said)


def _read(name: str, said: str, content: Callable[[], bytes]) -> HostileInput:
    return HostileInput(name, ("evaluate", name, "--system", "pop"), said, content)


def _pieces(piece: bytes, size: int) -> Iterable[bytes]:
    block = piece * (MIB // len(piece))
    return itertools.repeat(block, size // len(block))


def _by_python(opened: Callable[[io.BytesIO], Any]) -> Callable[[bytes, int], bytes]:
    def packed(piece: bytes, size: int) -> bytes:
        buffer = io.BytesIO()
        with opened(buffer) as stream:
            for block in _pieces(piece, size):
                stream.write(block)
        return buffer.getvalue()

    return packed


def _by_arrow(codec: str) -> Callable[[bytes, int], bytes]:
    def packed(piece: bytes, size: int) -> bytes:
        buffer = pa.BufferOutputStream()
        with pa.CompressedOutputStream(buffer, codec) as stream:
            for block in _pieces(piece, size):
                stream.write(block)
        return buffer.getvalue().to_pybytes()

    return packed


def _zipped(piece: bytes, size: int, told: int | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("a.csv", "w") as member:
            for block in _pieces(piece, size):
                member.write(block)
        if told is not None:
            archive.infolist()[0].file_size = told
    return buffer.getvalue()


_PACKINGS: dict[str, Callable[[bytes, int], bytes]] = {
    "gz": _by_python(lambda buffer: gzip.GzipFile(fileobj=buffer, mode="wb")),
    "bz2": _by_python(lambda buffer: bz2.BZ2File(buffer, "wb")),
    "xz": _by_python(lambda buffer: lzma.LZMAFile(buffer, "wb", preset=1)),  # noqa: SIM115
    "zst": _by_arrow("zstd"),
    "lz4": _by_arrow("lz4"),
    "zip": _zipped,
}

_UNPACKED = {
    "equal": (b"u,i,1\n", "unpacks to more"),
    "pairs": (b"1 1\n", "unpacks to more"),
    "line": (b"a", "no delimiter that is tried"),
    "commas": (b",", "but a table has at most 100,000 columns"),
}


def _of_pack(pack: Callable[[bytes, int], bytes], piece: bytes, size: int) -> Callable[[], bytes]:
    return lambda: pack(piece, size)


def _npz(form: str, **arrays: Any) -> Callable[[], bytes]:
    def content() -> bytes:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, format=np.array(form.encode()), **arrays)
        return buffer.getvalue()

    return content


def _compressed(form: str, indptr: Sequence[int], indices: Sequence[int]) -> Callable[[], bytes]:
    return _npz(
        form,
        indptr=np.array(indptr),
        indices=np.array(indices),
        data=np.ones(len(indices)),
        shape=np.array([2, 2]),
    )


def _coo(rows: int, columns: int) -> Callable[[], bytes]:
    one = np.array([0])
    return _npz("coo", row=one, col=one, data=np.ones(1), shape=np.array([rows, columns]))


def _parquet(**columns: Any) -> Callable[[], bytes]:
    def content() -> bytes:
        buffer = pa.BufferOutputStream()
        made = {name: make() if callable(make) else make for name, make in columns.items()}
        pq.write_table(pa.table(made), buffer, compression="zstd")
        return buffer.getvalue().to_pybytes()

    return content


def _equal(rows: int) -> Callable[[], pa.Array]:
    return lambda: pa.array(np.zeros(rows, np.int64))


def _text(*parts: str) -> Callable[[], bytes]:
    return lambda: "".join(parts).encode()


def _lines(
    line: Callable[[int], str], number: int, begin: str = "", end: str = ""
) -> Callable[[], bytes]:
    return lambda: (begin + "".join(map(line, range(number))) + end).encode()


_HUGE = 2_000_000_000
_NO_MATRIX = "does not hold a sparse matrix of scipy"
_ONE_EACH = "Give more ratings"

_FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "long.csv": (
        "would take 84.0 GB",
        _lines(lambda row: f"{row},1\n", 70_000, "user,item\n" + "x" * 300_000 + ",1\n"),
    ),
    "long.json": (
        "would take",
        _lines(
            lambda row: f',{{"user":"{row}","item":"x"}}',
            20_000,
            '[{"user":"' + "x" * 300_000 + '","item":"x"}',
            "]",
        ),
    ),
    "long.txt": (
        _ONE_EACH,
        _lines(lambda row: f"{row},3,2005-09-06\n", 20_000, "1" * 500_000 + ":\n"),
    ),
    "short.csv": (_ONE_EACH, _lines(lambda row: f"{row:x},1\n", 130_000, "user,item\n")),
    "columns.csv": ("at most 100,000 columns", _text("user,item", ",a" * 500_000, "\n1,2\n")),
    "tabs.tsv": ("at most 100,000 columns", _text("user\titem", "\ta" * 500_000, "\n1\t2\n")),
    "quotes.csv": (
        "Check whether a quote mark is missing",
        _text("user,item\n", '"' * 1_000_000, "\n1,2\n"),
    ),
    "open.csv": ("Check whether a quote mark is missing", _text('user,item\n"', "a\n" * 500_000)),
    "spaces.txt": ("the first line is empty", _text(" " * 1_000_000, "\n1 2 3\n")),
    "empty.csv": ("the first line is empty", _text("\n" * 1_000_000)),
    "returns.csv": ("the first line is empty", _text("\r" * 1_000_000)),
    "digits.csv": ("single precision", _text("user,item,rating\na,b,", "9" * 1_000_000, "\n")),
    "deep.json": ("is not JSON", _text("[" * 1_000_000)),
    "objects.json": ("is not JSON", _text('{"a":' * 200_000)),
    "deep.jsonl": (
        "more than 100 levels deep",
        _text('{"user":1,"x":', "[" * 400_000, "]" * 400_000, "}"),
    ),
    "digits.json": ("is not JSON", _text('{"a":{"b":', "9" * 1_000_000, "}}")),
    "number.json": ("too large for a floating-point number", _text('{"a":{"b":', "9" * 400, "}}")),
    "rating.json": (
        "single precision",
        _text('[{"user":"a","item":"b","rating":', "9" * 400, "}]"),
    ),
    "rating.jsonl": (
        "single precision",
        _text('{"user":"a","item":"b","rating":', "9" * 400, "}\n"),
    ),
    "names.json": (
        "different names",
        lambda: json.dumps([{f"k{row}": 1} for row in range(60_000)]).encode(),
    ),
    "names.jsonl": ("different names", _lines(lambda row: f'{{"user":1,"k{row}":1}}\n', 40_000)),
    "twice.json": ("twice", _lines(lambda row: f'"k{row}":1,', 80_000, "{", '"k7":2}')),
    "coo.npz": (_ONE_EACH, _coo(500_000_000, 5)),
    "square.npz": (_ONE_EACH, _coo(_HUGE, _HUGE)),
    "shape.npz": (_NO_MATRIX, _coo(-1, 5)),
    "rows.npz": (
        "unpacks to more",
        lambda: _npz(
            "csr",
            indptr=np.zeros(50_000_001, np.int64),
            indices=np.zeros(0, np.int32),
            data=np.zeros(0),
            shape=np.array([50_000_000, 5]),
        )(),
    ),
    "csr.npz": (_NO_MATRIX, _compressed("csr", [0, 1, 2], [1_000_000, -5])),
    "csc.npz": (_NO_MATRIX, _compressed("csc", [0, 1, 2], [1_000_000, -5])),
    "starts.npz": (_NO_MATRIX, _compressed("csc", [0, 2_000_000, 2], [0, 1])),
    "falling.npz": (_NO_MATRIX, _compressed("csr", [0, 9, 2], [0, 1])),
    "equal.parquet": (
        "unpacks to more",
        _parquet(user=_equal(40_000_000), item=_equal(40_000_000)),
    ),
    "long.parquet": (
        "would take",
        _parquet(
            user=lambda: pa.array(["x" * 50_000_000, *map(str, range(1000))]), item=[1] * 1001
        ),
    ),
    "same.parquet": (
        "rates the same pair as row 1",
        _parquet(
            user=lambda: pa.DictionaryArray.from_arrays(
                pa.array(np.zeros(100_000, np.int32)), pa.array(["x" * 1_000_000])
            ),
            item=_equal(100_000),
        ),
    ),
    "lies.zip": ("cut off or damaged", lambda: _zipped(b"a,b,1\n", 40 * MIB, told=1000)),
}

_BRACKETS = {
    "objects.json": b"{},",
    "lists.json": b"[1],",
    "objects.jsonl": b"{}\n",
    "ends.jsonl": b'{"user":1}' + b"\n" * 1000,
}

_SYSTEMS = (
    "plsa:topics=1000000000",
    "mf:factors=1000000000",
    "bprmf:factors=1000000000",
    "puresvd:factors=1000000000",
    "user-knn:neighbours=1000000000",
    "item-knn:neighbours=1000000000",
    "slim:sweeps=1000000000",
    "slim:neighbours=1000000000",
    "mf:iterations=1000000000",
    "plsa:iterations=1000000000",
)

_COMMANDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("evaluate", "/dev/zero"), "is a device, which may never end"),
    (("runs", "--test", "table.csv", "/dev/zero"), "is a device, which may never end"),
    (("evaluate", "--settings", "/dev/zero"), "is not a regular file"),
    (("evaluate", "--settings", "settings.json"), "is a device, which may never end"),
    (("evaluate", "pipe"), "it sent no data"),
)
