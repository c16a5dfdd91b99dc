# SPDX-License-Identifier: MIT
"""Parse the Netflix Prize data: per movie, a line ``<movie>:`` and ``user,rating,date`` lines.

Source: the README of the Netflix Prize dataset. Dates are YYYY-MM-DD. The original has one file per
movie, in a tar within a tar.gz; the Kaggle variant has the same lines in four files. Only one movie
at a time is in memory as text. A rating takes nine bytes while parsing and thirteen in the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from reproduction.datasets.formats.archives import (
    Stream,
    damage_reported,
    file_bytes,
    tar_member,
    tar_members,
    unpacked,
)
from reproduction.datasets.formats.columns import Date, Integer, LineFormat
from reproduction.datasets.reports import ParseReport, RawDataError, shown

# Users are numbered up to 2,649,429; tables that are looked up by user have at most this size.
_USER_LIMIT = 2**24
_SECONDS_PER_DAY = 86_400
# Bytes read and users encoded at a time, seven times the ratings of the largest movie.
_BLOCK = 1 << 25
# Maximum bytes of one movie, or five million ratings; no movie has more than 240,000.
_LARGEST_MOVIE = 1 << 27
_MOVIE = Integer("movie", 1, 2**31 - 1)
LINES = LineFormat(
    b",", (Integer("user", 1, _USER_LIMIT - 1), Integer("rating", 1, 5), Date("date"))
)


@dataclass(frozen=True)
class _Movie:
    """The lines of one movie, their position, and the movie's number from the header."""

    source: str
    first_line: int
    number: int
    lines: bytes


def parse_archive(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``nf_prize_dataset.tar.gz`` or the ``training_set.tar`` within, without unpacking."""
    (path,) = files
    report = report or ParseReport()
    return _parse(_movies_of_archive(path, report.unpacked_limit), path, report)


def parse_movie_files(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse one ``mv_NNNNNNN.txt`` file per movie.

    Movies are in the order of their numbers, and their rows in the order of the file. Times are the
    first second of the day. Codes of movies and users are in numerical order, because an order of
    first appearance would need a second pass.
    """
    movies = (
        _movie_of_file(path.as_posix(), file_bytes(path, may_be_empty=True)) for path in files
    )
    return _parse(movies, files[0].parent, report)


def parse_combined(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse the Kaggle variant's ``combined_data_[1-4].txt``."""
    movies = (movie for path in files for movie in _movies_of_combined(path))
    return _parse(movies, files[0], report)


def _movies_of_archive(path: Path, limit: int | None) -> Iterator[_Movie]:
    if path.name.endswith((".tar.gz", ".tgz")):
        with tar_member(path, "training_set.tar", limit) as stream:
            yield from _movies_of_tar(path, stream, f"{path.as_posix()}/training_set.tar", limit)
    else:
        with unpacked(path, limit) as stream:
            yield from _movies_of_tar(path, stream, path.as_posix(), limit)


def _movies_of_tar(path: Path, stream: Stream, source: str, limit: int | None) -> Iterator[_Movie]:
    for member, content in tar_members(path, stream, limit):
        name = PurePosixPath(member).name
        if name.startswith("mv_") and name.endswith(".txt"):
            with damage_reported(path):
                movie = content.read(_LARGEST_MOVIE + 1)
            if len(movie) > _LARGEST_MOVIE:
                raise _too_long(f"{source}/{member}", 1)
            yield _movie_of_file(f"{source}/{member}", movie)


def _movie_of_file(source: str, content: bytes) -> _Movie:
    header, _, lines = content.partition(b"\n")
    number = _movie_number(header, source, 1)
    named = re.fullmatch(r"mv_0*(\d+)\.txt", PurePosixPath(source).name)
    if named and named[1] != str(number):
        raise RawDataError(
            source, 1, f"the movie is {number}, but the name of the file has another number"
        )
    return _Movie(source, 2, number, lines)


def _movies_of_combined(path: Path) -> Iterator[_Movie]:
    """Yield the movies of a file that is read in blocks; only headers contain colons."""
    source = path.as_posix()
    number: int | None = None
    first_line = line = 1
    rest = b""
    with unpacked(path) as file:
        while block := file.read(_BLOCK):
            rest += block
            start = 0
            while (colon := rest.find(b":", start)) >= 0:
                header_end = rest.find(b"\n", colon)
                if header_end < 0:
                    break
                header = rest.rfind(b"\n", start, colon) + 1 or start
                lines = rest[start:header]
                line += lines.count(b"\n")
                if number is not None:
                    yield _Movie(source, first_line, number, lines)
                elif lines:
                    raise RawDataError(source, 1, "expected a line '<movie>:' before the ratings")
                number = _movie_number(rest[header:header_end], source, line)
                line += 1
                first_line = line
                start = header_end + 1
            rest = rest[start:]
            if len(rest) > _LARGEST_MOVIE:
                raise _too_long(source, line)
    if number is None:
        raise RawDataError(source, 1, "expected a line '<movie>:'")
    yield _Movie(source, first_line, number, rest)


def _too_long(source: str, line: int) -> RawDataError:
    reason = f"expected another line '<movie>:' within the next {_LARGEST_MOVIE:,} bytes"
    return RawDataError(source, line, reason)


def _movie_number(header: bytes, source: str, line: int) -> int:
    digits = header.removesuffix(b"\r").removesuffix(b":")
    if not header.removesuffix(b"\r").endswith(b":") or not digits.isdigit():
        raise RawDataError(source, line, f"expected a line '<movie>:', found {shown(header)}")
    if complaint := _MOVIE.complaint(digits):
        raise RawDataError(source, line, complaint)
    # Python refuses to convert thousands of zeros.
    return int(digits.lstrip(b"0"))


def _parse(movies: Iterable[_Movie], path: Path, report: ParseReport | None) -> Ratings:
    report = report or ParseReport()
    report.refuse_to_merge(path)
    places: dict[int, str] = {}
    users: list[NDArray[np.int32]] = []
    values: list[NDArray[np.int8]] = []
    days: list[NDArray[np.int32]] = []
    last_row = np.empty(0, dtype=np.int32)
    for movie in movies:
        columns = LINES.read(movie.lines, movie.source, movie.first_line)
        largest = int(columns["user"].max(initial=0))
        if largest >= len(last_row):
            # Rows of earlier movies are not needed again.
            last_row = np.empty(min(2 * largest, _USER_LIMIT), dtype=np.int32)
        _refuse_repeats(movie, columns["user"], last_row)
        if movie.number in places:
            reason = f"the movie {movie.number} occurs twice: here and in {places[movie.number]}"
            raise RawDataError(movie.source, movie.first_line - 1, reason)
        places[movie.number] = PurePosixPath(movie.source).name
        users.append(columns["user"])
        values.append(columns["rating"])
        days.append(columns["date"].astype(np.int32))
    numbers = np.array(list(places), dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    lengths = np.array([len(users[movie]) for movie in order], dtype=np.int64)
    report.rows = int(lengths.sum())
    if not report.rows:
        raise RawDataError(path, None, "there are no ratings")
    user_column = _join(users, order)
    user_ids = _encode_in_place(user_column, last_row)
    rated = lengths > 0
    timestamps = _join(days, order)
    timestamps *= _SECONDS_PER_DAY
    return Ratings(
        users=user_column,
        items=np.repeat(np.arange(rated.sum(), dtype=np.int32), lengths[rated]),
        values=_join(values, order),
        user_ids=user_ids,
        item_ids=numbers[order][rated].astype(np.str_),
        timestamps=timestamps,
        # Each movie occurs once, with each user at most once.
        checked=True,
    )


def _join(pieces: list[NDArray], order: NDArray[np.int64]) -> NDArray:
    """Concatenate pieces in an order and free them, so that few are in memory twice."""
    joined = np.concatenate([pieces[piece] for piece in order])
    pieces.clear()
    return joined


def _refuse_repeats(movie: _Movie, users: NDArray[np.int32], last_row: NDArray[np.int32]) -> None:
    """Check with a table of each user's last row that no user rates a movie twice."""
    rows = np.arange(len(users), dtype=np.int32)
    last_row[users] = rows
    earlier = np.flatnonzero(last_row[users] != rows)
    if len(earlier):
        repeated = np.flatnonzero(users == users[earlier[0]])
        raise RawDataError(
            movie.source,
            movie.first_line + int(repeated[1]),
            f"the user {users[repeated[1]]} already rated this movie, "
            f"{repeated[1] - repeated[0]} line(s) above",
        )


def _encode_in_place(users: NDArray[np.int32], table: NDArray[np.int32]) -> NDArray[np.str_]:
    """Replace numbers by codes in numerical order; return the numbers by code."""
    present = np.zeros(len(table), dtype=np.bool_)
    present[users] = True
    numbers = np.flatnonzero(present)
    table[numbers] = np.arange(len(numbers), dtype=np.int32)
    for start in range(0, len(users), _BLOCK):
        part = users[start : start + _BLOCK]
        part[:] = table[part]
    return numbers.astype(np.str_)
