# SPDX-License-Identifier: MIT
r"""Parse Last.fm 1K users (Celma): one play per line, counted per artist.

Source: the README of lastfm-dataset-1K. Lines are ``user \t instant \t artist MBID \t artist \t
track MBID \t track``, in UTF-8 and without quoting, because names contain quotes. The MBID of an
artist may be empty, so items are artists by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from receval.data.ratings import Ratings
from receval.data.repeats import IdentifierEncoder
from reproduction.datasets.formats.archives import Stream, tar_member, unpacked
from reproduction.datasets.formats.columns import LONGEST_LINE, Ignored, Instant, LineFormat, Text
from reproduction.datasets.reports import ParseReport, RawDataError

PLAYS_FILE = "userid-timestamp-artid-artname-traid-traname.tsv"
# Bytes read at a time in the search for a bad line; a mebibyte has thousands of lines.
_PIECE = 1 << 20
LINES = LineFormat(
    b"\t",
    (
        Text("user", required=True),
        Instant("instant"),
        Ignored("artist MBID"),
        Text("artist"),
        Ignored("track MBID"),
        Ignored("track"),
    ),
)


class _OneLineEnd:
    """A stream in which a carriage return is not a line end, because names may contain one."""

    closed = False

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(size).replace(b"\r", b" ")

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


def parse_archive(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``lastfm-dataset-1K.tar.gz`` without unpacking it."""
    report = report or ParseReport()
    limit = report.unpacked_limit
    (path,) = files
    label = f"{path.as_posix()}/{PLAYS_FILE}"
    return _parse(lambda: tar_member(path, PLAYS_FILE, limit), label, report)


def parse_tsv(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse the file of plays: one row per play, with value 1 and its time in seconds.

    Codes are in the order of first appearance. Pairs repeat.
    """
    (path,) = files
    return _parse(lambda: unpacked(path), path.as_posix(), report or ParseReport())


def _parse(
    open_stream: Callable[[], AbstractContextManager[Stream]],
    label: str,
    report: ParseReport,
) -> Ratings:
    users, items = IdentifierEncoder(), IdentifierEncoder()
    pieces: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    try:
        with open_stream() as stream:
            for columns in LINES.read_stream(pa.PythonFile(_OneLineEnd(stream), mode="r")):
                artists = columns["artist"]
                report.note(
                    "plays without an artist's name",
                    int(pc.sum(pc.equal(artists, "")).as_py() or 0),
                )
                pieces.append(
                    (
                        users.encode(columns["user"]),
                        items.encode(artists),
                        columns["instant"].to_numpy(),
                    )
                )
    except pa.ArrowInvalid as error:
        with open_stream() as stream:
            if not stream.read(1):
                raise RawDataError(label, None, "the file is empty") from error
        with open_stream() as stream:
            raise LINES.error(_lines(stream), label, 1, str(error)) from error
    table = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    report.rows = len(table[0])
    return Ratings(
        users=table[0],
        items=table[1],
        values=np.ones(len(table[0]), dtype=np.float32),
        user_ids=users.ids,
        item_ids=items.ids,
        timestamps=table[2],
        events=True,
    )


def _lines(stream: Stream) -> Iterator[bytes]:
    """Yield lines without their ends, as the fast reader splits them."""
    read = _OneLineEnd(stream).read
    rest = b""
    # Longer pieces are not lines, and the rest need not be read.
    while len(rest) < LONGEST_LINE and (piece := read(_PIECE)):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    yield rest
