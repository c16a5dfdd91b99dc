# SPDX-License-Identifier: MIT
"""Downloads from servers that do what no server should: told in a sentence, and never kept."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from pathlib import Path

import pytest
from datasets.damaged_answers import one_damage
from datasets.downloads import fetch, names
from datasets.hostile_cases import CONTENT, KEPT, LIMIT, OTHER, REFUSED, Case
from datasets.hostile_server import HostileServer, answer, cut, part_of, slowly

from reproduction.datasets.fetch import RetryPolicy, access_reported
from reproduction.datasets.reports import ChecksumError, DownloadError, FileAccessError
from reproduction.datasets.spec import FileSpec, check_address, redirected

BY_CONTENT = [
    case
    for case in REFUSED
    if case.name == "ratings.dat" and case.timeout > 1 and case.time_limit > 1
]
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def spec_of(name: str, *urls: str, known: bool = False) -> FileSpec:
    if known:
        return FileSpec(name=name, urls=urls, sha256=SHA256, size=len(CONTENT))
    return FileSpec(name=name, urls=urls, size_limit=LIMIT)


def is_a_sentence(message: str) -> bool:
    return len(message) <= 500 and bool(re.fullmatch("[ -~]+", message)) and message.endswith(".")


@pytest.mark.costly
@pytest.mark.each("case", REFUSED, ids=lambda case: case.what)
def test_what_is_no_file_is_refused_in_a_sentence(
    server: HostileServer, tmp_path: Path, case: Case
) -> None:
    target = tmp_path / case.name
    spec = spec_of(case.name, server.at("/a", *case.answers), known=case.known)
    began = time.monotonic()
    with pytest.raises(DownloadError, match=case.said) as caught:
        fetch(spec, target, retries=1, timeout=case.timeout, time_limit=case.time_limit)
    assert is_a_sentence(str(caught.value)), caught.value
    assert time.monotonic() - began < 5
    assert set(names(tmp_path)) <= {f"{case.name}.part", f"{case.name}.part.json"}
    part = target.with_name(f"{case.name}.part")
    assert not part.exists() or part.stat().st_size <= LIMIT


@pytest.mark.each("case", BY_CONTENT, ids=lambda case: case.what)
def test_whatever_a_mirror_does_the_next_one_gives_the_file(
    server: HostileServer, tmp_path: Path, case: Case
) -> None:
    urls = server.at("/a", *case.answers), server.at("/b", answer(b"PK" + CONTENT))
    spec = FileSpec(name="ratings.dat", urls=urls, size_limit=LIMIT)
    if case.known:
        server.at("/b", answer(CONTENT))
        spec = spec_of("ratings.dat", *urls, known=True)
    target = tmp_path / "ratings.dat"
    fetch(spec, target, retries=0)
    assert target.read_bytes().removeprefix(b"PK") == CONTENT


@pytest.mark.each("case", KEPT, ids=lambda case: case.what)
def test_versions_are_never_mixed(server: HostileServer, tmp_path: Path, case: Case) -> None:
    target = tmp_path / case.name
    fetch(spec_of(case.name, server.at("/a", *case.answers), known=case.known), target)
    assert target.read_bytes() == {"whole": CONTENT, "new": OTHER}[case.said]
    assert not target.with_name(f"{case.name}.part").exists()


@pytest.mark.costly
def test_damaged_answers_give_the_file_or_a_sentence(server: HostileServer, tmp_path: Path) -> None:
    outcomes = ((seed, one_damage(server, tmp_path, seed)) for seed in range(150))
    assert [outcome for outcome in outcomes if outcome[1]] == []


@pytest.mark.costly
def test_a_mirror_without_end_leaves_its_time_to_the_next_one(
    server: HostileServer, tmp_path: Path
) -> None:
    first = server.at("/a", slowly(cut(CONTENT, 600), b"7"))
    spec = spec_of("a", first, server.at("/b", answer(CONTENT)))
    fetch(spec, tmp_path / "a", time_limit=1.0)
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.costly
def test_an_encrypted_connection_to_a_server_without_encryption_is_told(
    server: HostileServer, tmp_path: Path
) -> None:
    url = server.at("/a", answer(CONTENT)).replace("http:", "https:")
    with pytest.raises(DownloadError, match="the connection failed") as caught:
        fetch(spec_of("a", url), tmp_path / "a", retries=0, timeout=0.5)
    assert is_a_sentence(str(caught.value))


class TestRecords:
    """Of files without a published checksum."""

    def test_a_record_that_refuses_names_itself_and_how_to_drop_it(
        self, server: HostileServer, tmp_path: Path
    ) -> None:
        target = tmp_path / "ratings.dat"
        spec = spec_of("ratings.dat", server.at("/a", answer(CONTENT)))
        record = tmp_path / "ratings.dat.sha256"
        record.write_text(f"{hashlib.sha256(b'').hexdigest()}  ratings.dat\n")
        with pytest.raises(DownloadError, match=f"delete the record {record}") as caught:
            fetch(spec, target)
        assert is_a_sentence(str(caught.value))
        record.unlink()
        assert fetch(spec, target).sha256 == SHA256
        assert record.read_text() == f"{SHA256}  ratings.dat\n"

    @pytest.mark.each(
        "content",
        [b"", b"\n\n", b"\xff\xfe", b"abc", b"0" * 63, b"0" * 65, b"g" * 64, b"x" * 10_000_000],
        ids=lambda content: repr(content[:8]),
    )
    @pytest.mark.each("there", [True, False])
    def test_a_damaged_record_is_refused(
        self, server: HostileServer, tmp_path: Path, content: bytes, there: bool
    ) -> None:
        target = tmp_path / "ratings.dat"
        (tmp_path / "ratings.dat.sha256").write_bytes(content)
        if there:
            target.write_bytes(CONTENT)
        spec = spec_of("ratings.dat", server.at("/a", answer(CONTENT)))
        with pytest.raises(ChecksumError, match=r"ratings\.dat\.sha256.*Delete it") as caught:
            fetch(spec, target)
        assert is_a_sentence(str(caught.value))
        assert server.asked == []

    def test_an_empty_file_that_is_there_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "ratings.dat").write_bytes(b"")
        with pytest.raises(ChecksumError, match="it is empty"):
            fetch(spec_of("ratings.dat"), tmp_path / "ratings.dat")


ORIGINS = [
    b"",
    b"\xff\xfe\x00",
    b"null",
    b"[]",
    b'"text"',
    b"{}",
    b'{"url": 5}',
    b"[" * 100_000,
    b"9" * 6_000,
    b'{"url": "URL"}',
    b'{"url": "URL", "ETag": 7}',
    b'{"url": "URL", "ETag": ["one"]}',
    b'{"url": "URL", "ETag": "one\\r\\nHost: b"}',
    b'{"url": "URL", "ETag": "\\ud800"}',
    b'{"url": "URL", "validator": "\\"one\\""}',
    b'{"url": "http://other", "ETag": "\\"one\\""}',
]


@pytest.mark.each("content", ORIGINS, ids=lambda content: repr(content[:40]))
def test_a_damaged_note_beside_the_partial_file_starts_anew(
    server: HostileServer, tmp_path: Path, content: bytes
) -> None:
    url = server.at("/a", answer(CONTENT))
    (tmp_path / "a.part").write_bytes(OTHER[:999])
    (tmp_path / "a.part.json").write_bytes(content.replace(b"URL", url.encode()))
    fetch(spec_of("a", url), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert names(tmp_path) == ["a", "a.sha256"]


def test_what_was_begun_is_noted_with_all_that_tells_its_version(
    server: HostileServer, tmp_path: Path
) -> None:
    url = server.at("/a", cut(CONTENT, 999, ETag='W/"x"', Last_Modified="then"))
    with pytest.raises(DownloadError):
        fetch(spec_of("a", url), tmp_path / "a", retries=0)
    noted = json.loads((tmp_path / "a.part.json").read_text())
    assert noted == {"url": url, "ETag": 'W/"x"', "Last-Modified": "then"}
    server.at("/a", part_of(CONTENT, 999, ETag='W/"x"', Last_Modified="then"))
    fetch(spec_of("a", url), tmp_path / "a")
    assert "If-Range: then" in server.asked[-1]
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.each("name", ["a", "a.part", "a.part.json", "a.sha256"])
def test_a_folder_in_the_place_of_a_file_is_told_before_anything_is_asked(
    server: HostileServer, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(FileAccessError, match="is a folder, but a file must be there") as caught:
        fetch(spec_of("a", server.at("/a", answer(CONTENT))), tmp_path / "a")
    assert (tmp_path / name).as_posix() in str(caught.value)
    assert server.asked == []


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    said = pytest.raises(FileAccessError, match=r"No space left.*Free some space")
    with said as caught, access_reported(tmp_path / "a"):
        Path("/dev/full").write_bytes(CONTENT)
    assert is_a_sentence(str(caught.value))


def test_a_link_in_the_place_of_a_part_is_not_written_through(
    server: HostileServer, tmp_path: Path
) -> None:
    (tmp_path / "thesis.tex").write_text("mine", encoding="utf-8")
    (tmp_path / "a.part").symlink_to("thesis.tex")
    fetch(spec_of("a", server.at("/a", answer(CONTENT))), tmp_path / "a")
    assert (tmp_path / "thesis.tex").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert not (tmp_path / "a").is_symlink()


def test_a_file_in_the_place_of_a_folder_is_told(server: HostileServer, tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"")
    with pytest.raises(FileAccessError, match="raw could not be read or written") as caught:
        fetch(spec_of("a", server.at("/a", answer(CONTENT))), tmp_path / "raw" / "a")
    assert is_a_sentence(str(caught.value))


def test_the_time_limit_grows_with_the_file() -> None:
    assert RetryPolicy().seconds_for(FileSpec(name="a", size=32_768_000)) == 1_600
    assert RetryPolicy(time_limit=5).seconds_for(FileSpec(name="a", size=32_768_000)) == 5


def test_a_size_beyond_all_bounds_has_a_time_limit_that_timers_take(
    server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[object] = []
    monkeypatch.setattr(threading, "excepthook", ended.append)
    spec = FileSpec(name="a", urls=(server.at("/a", answer(CONTENT)),), size_limit=10**20)
    fetch(spec, tmp_path / "a")
    assert RetryPolicy().seconds_for(spec) <= threading.TIMEOUT_MAX
    assert ended == []


def test_a_part_stays_where_neither_it_nor_the_whole_can_be_had(
    server: HostileServer, tmp_path: Path
) -> None:
    url = server.at("/a", cut(CONTENT, 6_000, ETag='"one"'), answer(status="403 Not now"))
    with pytest.raises(DownloadError, match="403 Not now"):
        fetch(spec_of("a", url), tmp_path / "a", retries=1)
    assert (tmp_path / "a.part").read_bytes() == CONTENT[:6_000]


def test_https_is_never_left_for_http() -> None:
    with pytest.raises(ValueError, match="uses http, but the one before it uses https"):
        redirected("https://example.org/a", "http://example.org/a")
    assert redirected("http://example.org/a", "HTTPS://example.org/b") == "HTTPS://example.org/b"
    assert redirected("https://example.org/a", "//cdn.example/b") == "https://cdn.example/b"


def test_raw_bytes_of_a_path_are_sent_percent_encoded() -> None:
    location = "/ratings é.dat".encode().decode("latin-1")
    assert redirected("http://a.org/x", location) == "http://a.org/ratings%20%C3%A9.dat"


@pytest.mark.each(
    "address",
    [
        "https://example.org",
        "http://127.0.0.1:8000/a",
        "http://[::1]:8000/a",
        "https://example.org./a?b=c&d#e",
        "HTTP://example.org:/a",
        "https://my_files.example.org/a%20b",
    ],
)
def test_addresses_that_can_be_asked_are_allowed(address: str) -> None:
    assert check_address(address) == address


@pytest.mark.each(
    ("address", "said"),
    [
        ("", "has characters other than printable ASCII"),
        ("example.org/a", "neither http:// nor https://"),
        ("ftp://example.org/a", "neither http:// nor https://"),
        ("http://", "has no valid host"),
        ("http:///a", "has no valid host"),
        ("http://:80/a", "has no valid host"),
        ("http://a b/", "has characters other than printable ASCII"),
        ("http://exämple.org/", "has characters other than printable ASCII"),
        ("http://a\r\nb/", r"'http://a\r\nb/' has characters other than printable ASCII"),
        ("http://[::1/", "cannot be read"),
        ("http://[x]/", "'http://[x]/'"),
        ("http://a:port/", "cannot be read"),
        ("http://a:99999/", "cannot be read"),
        ("http://a:0/", "no valid host and port"),
        ("http://a:-1/", "cannot be read"),
        ("http://me@a/", "has no valid host"),
        ("http://a..b/", "has no valid host"),
        (f"http://{'a' * 64}.org/", "has no valid host"),
        (f"http://{'a.' * 130}org/", "no valid host and port"),
        (f"http://a/{'b' * 500}", "has 509 characters"),
        (f"http://a:{'9' * 400}/", "cannot be read"),
    ],
)
def test_other_addresses_are_refused_with_the_reason(address: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        check_address(address)
    assert re.fullmatch("[ -~]{1,300}", str(caught.value))
