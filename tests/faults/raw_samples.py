# SPDX-License-Identifier: MIT
"""A small good file of every raw format, as records that can be damaged one by one."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path

from receval.data.ratings import Ratings
from reproduction.datasets.formats import lastfm_1k
from reproduction.datasets.prepare import load_parser

Files = list[tuple[str, bytes]]
Row = tuple[object, ...]


def rows_of(ratings: Ratings) -> Counter[Row]:
    """Return how often each (user, item, value[, timestamp][, known]) occurs."""
    columns = [
        ratings.user_ids[ratings.users].tolist(),
        ratings.item_ids[ratings.items].tolist(),
        ratings.values.tolist(),
    ]
    columns += [
        column.tolist() for column in (ratings.timestamps, ratings.known) if column is not None
    ]
    return Counter(zip(*columns, strict=True))


@dataclass(frozen=True)
class Sample:
    """A good file of one format.

    - ``name``: Format and variant.
    - ``parser``: ``module:function``, as in the registry.
    - ``records``: Each gives the same rows, whatever stands before and after it.
    - ``files``: Puts records into files with their names, in the order that the parser wants.
    - ``checksummed``: Whether no byte of the files can change without being noticed.
    - ``scale``: What values are multiplied with in the file; 0 where it does not have them.
    """

    name: str
    parser: str
    records: tuple[bytes, ...]
    files: Callable[[Sequence[bytes]], Files]
    checksummed: bool = False
    scale: float = 1
    rows: list[Counter[Row]] = field(default_factory=list)

    def write(self, files: Files, folder: Path) -> list[Path]:
        """Write files and return their paths in the order that the parser wants."""
        paths = []
        for name, content in files:
            paths.append(folder / name)
            paths[-1].write_bytes(content)
        return paths

    def rows_by_record(self, folder: Path) -> list[Counter[Row]]:
        """Return the rows that each record gives when it stands alone."""
        if not self.rows:
            self.rows.extend(
                rows_of(self.parse(self.write(self.files([record]), folder)))
                for record in self.records
            )
        return self.rows

    @cached_property
    def parse(self) -> Callable[..., Ratings]:
        return load_parser(self.parser)

    @cached_property
    def good_files(self) -> Files:
        return self.files(self.records)


def one_file(
    name: str, pack: Callable[[bytes], bytes] = bytes, header: bytes = b""
) -> Callable[[Sequence[bytes]], Files]:
    return lambda records: [(name, pack(header + b"".join(records)))]


def zipped(name: str) -> Callable[[bytes], bytes]:
    def pack(content: bytes) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/README", b"read me")
            archive.writestr(f"folder/{name}", content)
        return buffer.getvalue()

    return pack


def tar(members: Sequence[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in (("folder/README", b"read me"), *members):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def packed(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


def named_movies(records: Sequence[bytes]) -> list[tuple[str, bytes]]:
    """Name each file by the number in its first line, as far as there is one."""
    named = []
    for position, record in enumerate(records):
        digits = record.partition(b":")[0]
        good = digits.isdigit() and len(digits) < 8
        named.append((f"mv_{int(digits) if good else 99 + position:07d}.txt", record))
    return named


def training_set(records: Sequence[bytes]) -> bytes:
    return tar([(f"training_set/{name}", content) for name, content in named_movies(records)])


def literal(number: int) -> bytes:
    return f"{review(number)!r}\n".encode()


def block(number: int) -> bytes:
    text = "".join(f"{key}: {value}\n" for key, value in review(number).items())
    return f"{text}\n".encode()


def review(number: int) -> dict[str, str]:
    return {
        "beer/name": f'Jos\u00e9\'s "best", no. {number}',
        "beer/beerId": str(USERS[number] * 3),
        "review/overall": f"{STARS[number] - 0.5}",
        "review/time": str(SECONDS[number]),
        "review/profileName": NAMES[number],
        "review/text": "Foam, it's {good}\tand: 5",
    }


def csv_row(number: int) -> bytes:
    name, beer = NAMES[number], USERS[number] * 3
    text = f'"Ale, ""best""",{SECONDS[number]},{STARS[number] - 0.5},"{name}",,{beer}\n'
    return text.encode()


def instant(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# Numbers far apart: few damages turn one into another.
N = range(12)
USERS = [1_117 + 3_571 * number for number in N]
ITEMS = [21_013 + 2_311 * number for number in N]
STARS = [1 + number % 4 for number in N]
SECONDS = [978_300_760 + 1_234_567 * number for number in N]
NAMES = [f"{'Zoë Ann' if number % 2 else 'bob'} {number * 7_919}" for number in N]
MOVIES = [USERS[number] for number in N]
MOVIE_RECORDS = tuple(
    f"{MOVIES[n]}:\n".encode()
    + b"".join(
        f"{(ITEMS[n] + 40 * k) % 65_521},{1 + (n + k) % 5},{instant(SECONDS[n])[:10]}\n".encode()
        for k in range(3)
    )
    for n in N[:5]
)
BEER_HEADER = b"beer_name,review_time,review_overall,review_profilename,beer_abv,beer_beerid\n"
TIMED = tuple(f"{USERS[n]}::{ITEMS[n]}::{STARS[n]}::{SECONDS[n]}\n".encode() for n in N)
PLAYS = tuple(
    f'{NAMES[n]}\t{instant(SECONDS[n])}\tf1b1cf71-bd35\tThe "{ITEMS[n]}"\t\tsong {n}\n'.encode()
    for n in N
)
TRAIN, TEST = (f"ydata-ymusic-rating-study-v1_0-{part}.txt" for part in ("train", "test"))
SONGS = tuple(f"{USERS[n]}\t{ITEMS[n]}\t{STARS[n]}\n".encode() for n in N)
OTHER_SONGS = b"".join(f"{USERS[n]}\t{ITEMS[n] + 7}\t5\n".encode() for n in N)


SAMPLES = [
    Sample(
        "movielens zip",
        "reproduction.datasets.formats.movielens:parse_zip",
        TIMED,
        one_file("ml-1m.zip", zipped("ratings.dat")),
        checksummed=True,
    ),
    Sample(
        "movielens",
        "reproduction.datasets.formats.movielens:parse_dat",
        TIMED,
        one_file("ratings.dat"),
    ),
    Sample(
        "movielens without timestamps",
        "reproduction.datasets.formats.movielens:parse_dat",
        tuple(record.rpartition(b"::")[0] + b"\n" for record in TIMED),
        one_file("ratings.dat"),
    ),
    Sample(
        "netflix archive",
        "reproduction.datasets.formats.netflix:parse_archive",
        MOVIE_RECORDS,
        lambda records: [
            (
                "nf_prize_dataset.tar.gz",
                packed(tar([("download/training_set.tar", training_set(records))])),
            )
        ],
        checksummed=True,
    ),
    Sample(
        "netflix training set",
        "reproduction.datasets.formats.netflix:parse_archive",
        MOVIE_RECORDS,
        lambda records: [("training_set.tar", training_set(records))],
    ),
    Sample(
        "netflix combined",
        "reproduction.datasets.formats.netflix:parse_combined",
        MOVIE_RECORDS,
        one_file("combined_data_1.txt"),
    ),
    Sample(
        "netflix movie files",
        "reproduction.datasets.formats.netflix:parse_movie_files",
        MOVIE_RECORDS,
        named_movies,
    ),
    Sample(
        "librarything",
        "reproduction.datasets.formats.librarything:parse",
        tuple(f"{USERS[n]} {ITEMS[n]} {2 * STARS[n]} fantasy, x ray\n".encode() for n in N),
        one_file("UI2.txt"),
        scale=2,
    ),
    Sample(
        "beeradvocate literals",
        "reproduction.datasets.formats.beeradvocate:parse_literals",
        tuple(literal(n) for n in N),
        one_file("beeradvocate.json.gz", packed),
        checksummed=True,
    ),
    Sample(
        "beeradvocate blocks",
        "reproduction.datasets.formats.beeradvocate:parse_blocks",
        tuple(block(n) for n in N),
        one_file("beeradvocate.txt.gz", packed),
        checksummed=True,
    ),
    Sample(
        "beeradvocate csv",
        "reproduction.datasets.formats.beeradvocate:parse_csv",
        tuple(csv_row(n) for n in N),
        one_file("beer_reviews.csv", header=BEER_HEADER),
    ),
    Sample(
        "yahoo train",
        "reproduction.datasets.formats.yahoo_r3:parse",
        SONGS,
        lambda records: [(TRAIN, b"".join(records)), (TEST, OTHER_SONGS)],
    ),
    Sample(
        "yahoo test",
        "reproduction.datasets.formats.yahoo_r3:parse",
        SONGS,
        lambda records: [(TRAIN, b"1\t1\t1\n"), (TEST, b"".join(records))],
    ),
    Sample(
        "cm100k",
        "reproduction.datasets.formats.cm100k:parse",
        tuple(f"{USERS[n]}\t{ITEMS[n]}000\t{STARS[n]}\t{n % 2}\n".encode() for n in N),
        one_file("ratings.txt"),
    ),
    Sample(
        "lastfm archive",
        "reproduction.datasets.formats.lastfm_1k:parse_archive",
        PLAYS,
        one_file(
            "lastfm-dataset-1K.tar.gz",
            lambda content: packed(tar([(f"lastfm/{lastfm_1k.PLAYS_FILE}", content)])),
        ),
        checksummed=True,
        scale=0,
    ),
    Sample(
        "lastfm",
        "reproduction.datasets.formats.lastfm_1k:parse_tsv",
        PLAYS,
        one_file(lastfm_1k.PLAYS_FILE),
        scale=0,
    ),
    Sample(
        "trec qrels",
        "reproduction.datasets.formats.trec_qrels:parse",
        tuple(f"{USERS[n]} 0 AP{ITEMS[n]}-x {STARS[n] - 2}\n".encode() for n in N),
        one_file("qrels.adhoc"),
    ),
]


def all_samples() -> list[Sample]:
    """Return the samples above, and the SAMPLE of each test of a format that has one."""
    tests = sorted((Path(__file__).parents[1] / "datasets").glob("test_*.py"))
    own = [
        t for t in tests if re.search(r"^SAMPLE = Sample\(", t.read_text(encoding="utf-8"), re.M)
    ]
    return [*SAMPLES, *(import_module(f"datasets.{test.stem}").SAMPLE for test in own)]
