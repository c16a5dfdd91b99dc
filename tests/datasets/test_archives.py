# SPDX-License-Identifier: MIT
"""Archives and streams: whatever is wrong with them is one sentence that names the file."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from pathlib import Path

import pytest
from datasets.parsed_rows import refused
from datasets.registry_entries import registry, spec
from faults.raw_samples import MOVIE_RECORDS, PLAYS, SAMPLES, TIMED, rows_of, tar, training_set

from reproduction.datasets.formats import archives
from reproduction.datasets.formats.beeradvocate import parse_blocks, parse_csv, parse_literals
from reproduction.datasets.formats.lastfm_1k import PLAYS_FILE, parse_archive
from reproduction.datasets.formats.movielens import parse_zip
from reproduction.datasets.formats.netflix import parse_archive as parse_netflix
from reproduction.datasets.prepare import prepare
from reproduction.datasets.raw import RawFile, RawFiles
from reproduction.datasets.reports import ParseReport, RawDataError

SAMPLE = {sample.name: sample for sample in SAMPLES}
RATINGS = b"1::2::3::4\n"
PLAY = b"".join(PLAYS)


def zip_of(
    folder: Path, members: list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED
) -> Path:
    path = folder / "ml-1m.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def patched(path: Path, *changes: tuple[bytes, int, bytes]) -> Path:
    """Write bytes at offsets from the places where marks stand."""
    data = bytearray(path.read_bytes())
    for mark, offset, content in changes:
        start = data.index(mark) + offset
        data[start : start + len(content)] = content
    path.write_bytes(data)
    return path


LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


class TestZip:
    @pytest.mark.each(
        ("changes", "reason"),
        [
            ([(LOCAL, 6, b"\x01"), (CENTRAL, 8, b"\x01")], "encrypted"),
            *(
                ([(LOCAL, 8, code), (CENTRAL, 10, code)], "compressed with an unsupported method")
                for code in (method.to_bytes(2, "little") for method in (9, 12, 14, 93, 99))
            ),
            ([(CENTRAL, 6, b"\xff")], "the archive is damaged (zip file version"),
            ([(b"PK\x05\x06", 16, b"\xff\xff\xff\x7f")], "the archive is damaged"),
        ],
    )
    def test_a_member_that_cannot_be_read_is_refused(
        self, tmp_path: Path, changes: list[tuple[bytes, int, bytes]], reason: str
    ) -> None:
        path = patched(zip_of(tmp_path, [("ratings.dat", RATINGS)]), *changes)
        refused(parse_zip, path, line=None, reason=reason)

    def test_two_members_of_one_name_are_refused(self, tmp_path: Path) -> None:
        members = [("old/ratings.dat", RATINGS), ("ml-1m/ratings.dat", b"1::2::5::4\n")]
        refused(parse_zip, zip_of(tmp_path, members), line=None, reason="2 members ratings.dat")

    def test_what_unpacks_to_much_more_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archives, "_SMALL", 10_000)
        path = zip_of(tmp_path, [("ratings.dat", bytes(1_000_000))], zipfile.ZIP_DEFLATED)
        refused(parse_zip, path, line=None, reason="the archive unpacks to more than")


class TestTar:
    def archive(self, folder: Path, data: bytes) -> Path:
        path = folder / "lastfm-dataset-1K.tar.gz"
        path.write_bytes(gzip.compress(data))
        return path

    def test_two_members_of_one_name_are_refused(self, tmp_path: Path) -> None:
        data = tar([(f"a/{PLAYS_FILE}", PLAY), (f"b/{PLAYS_FILE}", PLAY)])
        reason = f"2 members {PLAYS_FILE}"
        refused(parse_archive, self.archive(tmp_path, data), line=None, reason=reason)

    @pytest.mark.each("damage", [b"\0" * 512, b"\xff", b"damaged"])
    def test_a_damaged_header_is_not_the_end_of_the_archive(
        self, tmp_path: Path, damage: bytes
    ) -> None:
        movies = [(f"mv_000000{n}.txt", f"{n}:\n5,3,2005-09-06\n".encode()) for n in (1, 2, 3)]
        data = bytearray(tar(movies))
        start = data.index(b"mv_0000003")
        data[start : start + len(damage)] = damage
        path = tmp_path / "training_set.tar"
        path.write_bytes(data)
        refused(parse_netflix, path, line=None, reason="archive")

    def test_an_archive_that_ends_after_a_member_is_refused(self, tmp_path: Path) -> None:
        movies = [(f"mv_000000{n}.txt", f"{n}:\n5,3,2005-09-06\n".encode()) for n in (1, 2, 3)]
        data = tar(movies)
        path = tmp_path / "training_set.tar"
        path.write_bytes(data[: data.index(b"mv_0000003")])
        refused(parse_netflix, path, line=None, reason="the archive is damaged")

    def test_a_damaged_checksum_at_the_end_is_told(self, tmp_path: Path) -> None:
        path = self.archive(tmp_path, tar([(f"a/{PLAYS_FILE}", PLAY)]))
        data = bytearray(path.read_bytes())
        data[-8] ^= 1
        path.write_bytes(data)
        refused(parse_archive, path, line=None, reason="the archive is damaged")

    @pytest.mark.parametrize("size", [2**40, 2**60])
    def test_a_member_of_impossible_size_takes_no_time(self, tmp_path: Path, size: int) -> None:
        member = tarfile.TarInfo("mv_0000001.txt")
        member.size = size
        path = tmp_path / "training_set.tar"
        # A header alone: from Python 3.13 on, tarfile adds no member without its content.
        path.write_bytes(member.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
        refused(parse_netflix, path, line=None, reason="unpacks to more than")

    @pytest.mark.each("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
    def test_a_header_longer_than_any_name_is_not_read(self, tmp_path: Path, kind: bytes) -> None:
        header = tarfile.TarInfo("long")
        header.type, header.size = kind, 10_000
        data = header.tobuf() + b"7" * header.size + tar([(PLAYS_FILE, PLAY)])
        path = self.archive(tmp_path, data)
        refused(parse_archive, path, line=None, reason="a header has 10,000 bytes")

    def test_what_unpacks_to_much_more_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archives, "_SMALL", 10_000)
        path = self.archive(tmp_path, tar([(f"a/{PLAYS_FILE}", PLAY * 2_000)]))
        refused(parse_archive, path, line=None, reason="the archive unpacks to more than")


@pytest.mark.parametrize("parse", [parse_literals, parse_blocks])
def test_a_stream_that_unpacks_to_much_more_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parse: object
) -> None:
    monkeypatch.setattr(archives, "_SMALL", 10_000)
    path = tmp_path / "beeradvocate.gz"
    path.write_bytes(gzip.compress(b"{}\n\n" * 100_000))
    refused(parse, path, line=None, reason="the archive unpacks to more than")


UNPACKED = {
    "movielens zip": len(b"".join(TIMED)),
    # Each layer is counted on its own, and the outer tar is the largest.
    "netflix archive": len(tar([("download/training_set.tar", training_set(MOVIE_RECORDS))])),
    "beeradvocate literals": sum(len(record) for record in SAMPLE["beeradvocate literals"].records),
    "beeradvocate blocks": sum(len(record) for record in SAMPLE["beeradvocate blocks"].records),
    "lastfm archive": len(tar([(f"lastfm/{PLAYS_FILE}", PLAY)])),
}


class TestLimitOfTheRegistry:
    @pytest.mark.each("name", UNPACKED)
    def test_an_archive_may_unpack_to_it_and_to_no_more(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        sample = SAMPLE[name]
        files = sample.write(sample.good_files, tmp_path)
        rows = rows_of(sample.parse(files))
        # Where the registry knows, what files of this size usually unpack to is of no account.
        monkeypatch.setattr(archives, "_SMALL", 0)
        monkeypatch.setattr(archives, "_LARGEST_RATIO", 0)
        report = ParseReport(unpacked_limit=UNPACKED[name])
        assert rows_of(sample.parse(files, report=report)) == rows
        with pytest.raises(RawDataError, match=r"unpacks to more .* unpacked_limit in config/"):
            sample.parse(files, report=ParseReport(unpacked_limit=UNPACKED[name] - 1))

    def test_it_reaches_the_parser(self, tmp_path: Path) -> None:
        path = zip_of(tmp_path, [("ratings.dat", RATINGS)])
        description = spec(
            variants=[
                {
                    "name": "zip",
                    "parser": "reproduction.datasets.formats.movielens:parse_zip",
                    "files": [{"name": "ml-1m.zip", "unpacked_limit": len(RATINGS) - 1}],
                }
            ]
        )
        (variant,) = description.variants
        raw = RawFiles("small", variant.name, variant.parser, (RawFile.of(path),))
        with pytest.raises(RawDataError, match="unpacked_limit"):
            prepare(raw, description, tmp_path / "out")

    def test_every_archive_has_one(self) -> None:
        # What is generated is written here, and comes from nowhere.
        foreign = [d for d in registry().values() if d.access != "generated"]
        files = [f for d in foreign for v in d.variants for f in v.files]
        archived = [f for f in files if f.name.endswith((".zip", ".gz", ".tgz"))]
        assert archived
        assert [f.name for f in archived if f.unpacked_limit is None] == []


@pytest.mark.parametrize("byte", [b"\0", b"[", b"-"])
@pytest.mark.parametrize("parse", [parse_literals, parse_blocks])
def test_a_record_without_an_end_is_refused(tmp_path: Path, parse: object, byte: bytes) -> None:
    path = tmp_path / "beeradvocate.gz"
    path.write_bytes(gzip.compress(byte * 3_000_000, 1))
    refused(parse, path, line=1, reason="262,144 bytes")


@pytest.mark.each("byte", [b"[", b"-", b"{"])
def test_a_record_of_brackets_is_refused(tmp_path: Path, byte: bytes) -> None:
    path = tmp_path / "beeradvocate.gz"
    path.write_bytes(gzip.compress(byte * 200_000 + b"1", 1))
    refused(parse_literals, path, line=1, reason="not a Python dict literal")


@pytest.mark.each("sample", SAMPLES, ids=lambda sample: sample.name.replace(" ", "-"))
def test_a_folder_or_nothing_in_the_place_of_the_file_is_told(
    sample: object, tmp_path: Path
) -> None:
    paths = sample.write(sample.good_files, tmp_path)
    paths[0].unlink()
    refused(sample.parse, *paths, line=None, reason="cannot be read (No such file")
    paths[0].mkdir()
    refused(sample.parse, *paths, line=None, reason="cannot be read (Is a directory)")


def test_a_blank_line_that_is_missing_between_two_reviews_is_told(tmp_path: Path) -> None:
    one = "beer/beerId: 1\nreview/overall: 4\nreview/time: 3\nreview/profileName: x\n"
    path = tmp_path / "beeradvocate.txt.gz"
    path.write_bytes(gzip.compress((one + "\n" + one + one.replace("1", "2")).encode()))
    reason = "the key 'beer/beerId' is already in line 6"
    refused(parse_blocks, path, line=10, reason=reason)


def test_a_carriage_return_hides_no_key(tmp_path: Path) -> None:
    path = tmp_path / "beeradvocate.txt.gz"
    text = "beer/beerId: 1\nreview/overall: 4\rreview/time: 3\n"
    path.write_bytes(gzip.compress(text.encode()))
    refused(parse_blocks, path, line=2, reason="expected 'key: value'")


LITERAL = "'beer/beerId': '1', 'review/overall': '4', 'review/time': '3', 'review/profileName': 'x'"


@pytest.mark.each(
    ("line", "reason"),
    [
        (f"{{{LITERAL}, 'review/overall': '5'}}", "the key 'review/overall' is repeated"),
        (f"{{'review/overall': '5', {LITERAL}}}", "the key 'review/overall' is repeated"),
        (f'{{{LITERAL}, "review/overall": "5"}}', "the key 'review/overall' is repeated"),
        (f"{{{LITERAL}, 'review\\x2foverall': '5'}}", "the key 'review/overall' is repeated"),
        (f"{{{LITERAL}, 'a': 1, 'a': 2, 'review/text': u''}}", "the key 'a' is repeated"),
        (f"{{{LITERAL.replace('x', chr(92) + 'x')}}}", "not a Python dict literal"),
        (f"{{{LITERAL.replace('x', chr(92) + 'd')}}}", "not a Python dict literal"),
        (f"{{{LITERAL.replace('x', chr(92) + 'ud800')}}}", "which is not valid UTF-8"),
        (f"{{{LITERAL.replace('x', chr(92) + '0')}}}", "which contains a NUL character"),
        (f"{{{LITERAL.replace(chr(39) + '4' + chr(39), '0x4')}}}", "'0x4', which is neither text"),
        (
            f"{{{LITERAL.replace(chr(39) + '3' + chr(39), '1_000')}}}",
            "'1_000', which is neither text",
        ),
        (
            f"{{{LITERAL.replace(chr(39) + '4' + chr(39), 'True')}}}",
            "'True', which is neither text",
        ),
        (f"{{{LITERAL.replace(chr(39) + 'x' + chr(39), '[1]')}}}", "'[1]', which is neither text"),
        (
            f"{{{LITERAL.replace(chr(39) + '3' + chr(39), '9' * 5000)}}}",
            "line is not a Python|time is",
        ),
        ("{[]: 1}", "not a Python dict literal"),
        (f"{{{LITERAL}, 'x': '\0'}}" + "+", "not a Python dict literal"),
    ],
    ids=range(16),
)
def test_a_literal_that_is_nearly_right_is_told(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "beeradvocate.json.gz"
    path.write_bytes(gzip.compress(line.encode()))
    error = refused(parse_literals, path, line=1, reason="")
    assert any(one in error.reason for one in reason.split("|")), error


HEADER = "beer_name,review_time,review_overall,review_profilename,x,beer_beerid\n"
ROW = "Ale,9,4,smith,,7\n"


@pytest.mark.each(
    ("content", "line", "reason"),
    [
        (HEADER + ROW + f"{'x' * 200_000},9\n", 3, "expected 6 fields, found 2|field limit"),
        ("x" * 200_000 + "," + HEADER + ROW, 1, "the header is not a valid line of CSV"),
        (HEADER.replace("beer_name", "review_time") + ROW, 1, "review_time more than once"),
        # Three lines would become one, of as many fields as each.
        (
            HEADER + '"Ale,9,4,a,,1\n' + ROW + '"Pils",9,4,c,,3\n',
            2,
            "quotation mark|unexpected end",
        ),
        (HEADER + ROW + 'Ale,9,4,"smith,,7\n', 3, "unexpected end|quotation mark"),
        (HEADER + ROW + 'Ale,9,4,"smith"x,,7\n', 3, "a quotation mark is inside a field"),
        (HEADER + ROW + "Ale,9,4,smith,,7\r" + ROW, 3, "new-line character|fields"),
    ],
    ids=range(7),
)
def test_a_csv_file_that_is_nearly_right_is_told(
    tmp_path: Path, content: str, line: int, reason: str
) -> None:
    path = tmp_path / "beer_reviews.csv"
    path.write_bytes(content.encode())
    error = refused(parse_csv, path, line=line, reason="")
    assert any(one in error.reason for one in reason.split("|")), error
