# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from datasets.parsed_rows import refused, rows_of
from faults.raw_samples import packed, tar

from receval.data.ratings import Ratings
from reproduction.datasets.formats import lastfm_1k
from reproduction.datasets.formats.lastfm_1k import PLAYS_FILE, parse_archive, parse_tsv
from reproduction.datasets.reports import ParseReport

MBID = "f1b1cf71-bd35-4e99-8624-24a6e15f133a"
SECOND = 1_241_478_537


def tsv(folder: Path, content: str | bytes) -> Path:
    path = folder / PLAYS_FILE
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def archive(folder: Path, content: str | bytes) -> Path:
    data = content.encode() if isinstance(content, str) else content
    path = folder / "lastfm-dataset-1K.tar.gz"
    path.write_bytes(packed(tar([(f"lastfm-dataset-1K/{PLAYS_FILE}", data)])))
    return path


def play(user: str, second: int, artist: str, mbid: str = MBID, track: str = "Song") -> str:
    instant = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{user}\t{instant}\t{mbid}\t{artist}\t\t{track}\n"


Editions = pytest.mark.parametrize(("write", "parse"), [(tsv, parse_tsv), (archive, parse_archive)])
Write = Callable[[Path, str | bytes], Path]
Parse = Callable[..., Ratings]


@Editions
def test_each_play_is_a_row_and_artists_are_items_by_name(
    tmp_path: Path, write: Write, parse: Parse
) -> None:
    content = (
        play("user_000001", SECOND, "Deep Dish")
        + play("user_000001", SECOND - 60, "坂本龍一", mbid="")
        + play("user_000001", SECOND - 120, "Deep Dish", mbid="")
        + play("user_000002", SECOND, "Deep Dish")
    )
    report = ParseReport()
    ratings = parse([write(tmp_path, content)], report=report)
    assert rows_of(ratings) == [
        ("user_000001", "Deep Dish", 1.0, SECOND),
        ("user_000001", "坂本龍一", 1.0, SECOND - 60),
        ("user_000001", "Deep Dish", 1.0, SECOND - 120),
        ("user_000002", "Deep Dish", 1.0, SECOND),
    ]
    assert report.rows == 4
    assert report.notes == {}


@Editions
def test_quotes_are_ordinary_characters(tmp_path: Path, write: Write, parse: Parse) -> None:
    names = ['"Weird Al" Yankovic', 'The "5" Royales', '"', "O'Death", "NULL", "NA", ""]
    content = "".join(play("u", SECOND + n, name, track='12" mix') for n, name in enumerate(names))
    report = ParseReport()
    ratings = parse([write(tmp_path, content)], report=report)
    assert ratings.item_ids.tolist() == names
    assert report.notes == {"plays without an artist's name": 1}


@Editions
def test_a_carriage_return_within_a_name_is_no_line_end(
    tmp_path: Path, write: Write, parse: Parse
) -> None:
    content = play("u", SECOND, "A", track="one\rtwo") + play("u", SECOND, "B\rC")
    assert parse([write(tmp_path, content)]).item_ids.tolist() == ["A", "B C"]


@Editions
@pytest.mark.each(
    ("bad", "reason"),
    [
        (b"u\t2009-05-04T23:08:57Z\t\tA\t\n", "expected 6 fields"),
        (b"u\t2009-05-04T23:08:57Z\t\tA\t\tone\ttwo\n", "found 7"),
        (b"u\t2009-05-04 23h\t\tA\t\tone\n", "the instant is '2009-05-04 23h', not an instant"),
        (b"u\t\t\tA\t\tone\n", "the instant is ''"),
        (b"\t2009-05-04T23:08:57Z\t\tA\t\tone\n", "the user is empty"),
        (
            b"\xef\xbb\xbfu\t2009-05-04T23:08:57Z\t\tA\t\tone\n",
            "is '\\ufeffu', which begins with a space or a byte order mark",
        ),
        (
            b"\ru\t2009-05-04T23:08:57Z\t\tA\t\tone\n",
            "is ' u', which begins with a space or a byte order mark",
        ),
        (b"u\t2009-05-04T23:08:57Z\t\tcaf\xe9\t\tone\n", "which is not valid UTF-8"),
        (b"\n", "found 1"),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, write: Write, parse: Parse, bad: bytes, reason: str
) -> None:
    good = "".join(play("u", SECOND + n, "A") for n in range(30)).encode()
    path = write(tmp_path, good + bad + good)
    error = refused(parse, path, line=31, reason=reason)
    assert error.path.endswith(PLAYS_FILE)


@Editions
def test_an_empty_file_is_told(tmp_path: Path, write: Write, parse: Parse) -> None:
    refused(parse, write(tmp_path, ""), line=None, reason="the file is empty")


@pytest.mark.costly
def test_a_line_without_an_end_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plays.tsv"
    path.write_bytes(b"x" * (40 << 20))
    read: list[int] = []

    class Counted(lastfm_1k._OneLineEnd):
        def read(self, size: int = -1) -> bytes:
            data = super().read(size)
            if size == lastfm_1k._PIECE:
                read.append(len(data))
            return data

    monkeypatch.setattr(lastfm_1k, "_OneLineEnd", Counted)
    refused(parse_tsv, path, line=1, reason="the line has 8,388,608 bytes or more")
    assert sum(read) < 10 << 20
