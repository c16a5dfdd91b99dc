# SPDX-License-Identifier: MIT
"""The downloader, against a real HTTP server."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest
from datasets.downloads import CONTENT, SHA256, Waits, fetch, names, spec_of
from datasets.http_server import FileServer

from reproduction.datasets import transfer
from reproduction.datasets.raw import RawFile
from reproduction.datasets.reports import ChecksumError, DownloadError
from reproduction.datasets.spec import FileSpec


def test_a_downloaded_file_is_whole_and_alone(server: FileServer, target: Path) -> None:
    url = server.serve("/ml-1m.zip", CONTENT)
    assert fetch(spec_of(url), target) == RawFile(target, SHA256)
    assert target.read_bytes() == CONTENT
    assert names(target.parent) == ["ml-1m.zip"]


@pytest.mark.parametrize("size", [600, 601, 602])
def test_blocks_of_three_bytes_are_written_one_behind_the_other(
    server: FileServer, target: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(transfer, "_BLOCK", 3)
    content = CONTENT[:size]
    url = server.serve("/a", content, cuts=[size // 2])
    sha256 = hashlib.sha256(content).hexdigest()
    fetch(spec_of(url, sha256=sha256, size=size), target)
    assert target.read_bytes() == content


def test_the_folder_of_the_target_is_made(server: FileServer, tmp_path: Path) -> None:
    target = tmp_path / "raw" / "ml-1m" / "ml-1m.zip"
    fetch(spec_of(server.serve("/a", CONTENT)), target)
    assert target.read_bytes() == CONTENT


def test_md5_alone_is_enough(server: FileServer, target: Path) -> None:
    md5 = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()
    fetch(spec_of(server.serve("/a", CONTENT), md5=md5), target)
    assert names(target.parent) == ["ml-1m.zip"]


def test_a_file_that_is_there_is_not_downloaded_again(server: FileServer, target: Path) -> None:
    target.write_bytes(CONTENT)
    assert fetch(spec_of(server.serve("/a", CONTENT)), target).sha256 == SHA256
    assert server.requests == []


def test_a_wrong_file_under_the_final_name_is_refused_and_left_alone(
    server: FileServer, target: Path
) -> None:
    target.write_bytes(b"mine")
    with pytest.raises(ChecksumError, match=r"ml-1m\.zip: it has 4 bytes, but 400,\d+"):
        fetch(spec_of(server.serve("/a", CONTENT)), target)
    assert target.read_bytes() == b"mine"
    assert server.requests == []


def test_an_interrupted_transfer_continues_where_it_stopped(
    server: FileServer, target: Path
) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000, 150_000])
    waits = Waits()
    fetch(spec_of(url), target, sleep=waits)
    assert target.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-", "bytes=250000-"]
    assert waits == [1.0, 2.0]


def test_waits_double_from_try_to_try(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, statuses=[503, 500, 429])
    waits = Waits()
    fetch(spec_of(url), target, sleep=waits, backoff=0.5)
    assert waits == [0.5, 1.0, 2.0]


def test_tries_are_bounded(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, statuses=[503] * 99)
    with pytest.raises(DownloadError, match="503"):
        fetch(spec_of(url), target, retries=3)
    assert len(server.requests) == 4


def test_a_refusal_is_not_tried_again(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, statuses=[403] * 9)
    with pytest.raises(DownloadError, match="403"):
        fetch(spec_of(url), target)
    assert len(server.requests) == 1


def test_a_later_call_continues_an_earlier_one(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000])
    with pytest.raises(DownloadError, match=r"stopped after 100,000 of 400,\d+ bytes"):
        fetch(spec_of(url), target, retries=0)
    assert not target.exists()
    fetch(spec_of(url), target)
    assert server.ranges == [None, "bytes=100000-"]
    assert names(target.parent) == ["ml-1m.zip"]


def test_a_server_that_ignores_ranges_sends_the_file_anew(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000], ranges=False)
    fetch(spec_of(url), target)
    assert target.read_bytes() == CONTENT
    assert len(server.requests) == 2


def test_a_cut_is_noticed_even_if_the_server_tells_no_length(
    server: FileServer, target: Path
) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000], says_length=False)
    with pytest.raises(DownloadError, match="it has 100,000 bytes"):
        fetch(spec_of(url), target)
    assert names(target.parent) == []


def test_a_transfer_whose_bytes_all_came_is_only_renamed(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT)
    target.with_name("ml-1m.zip.part").write_bytes(CONTENT)
    fetch(spec_of(url), target)
    assert target.read_bytes() == CONTENT
    assert server.ranges == [f"bytes={len(CONTENT)}-"]


def test_a_partial_file_of_another_version_is_replaced(server: FileServer, target: Path) -> None:
    target.with_name("ml-1m.zip.part").write_bytes(b"x" * 5_000)
    fetch(spec_of(server.serve("/a", CONTENT)), target)
    assert target.read_bytes() == CONTENT
    assert server.ranges == ["bytes=5000-", None]


def test_a_partial_file_that_is_too_long_is_replaced(server: FileServer, target: Path) -> None:
    target.with_name("ml-1m.zip.part").write_bytes(CONTENT + b"more")
    fetch(spec_of(server.serve("/a", CONTENT)), target)
    assert target.read_bytes() == CONTENT


def test_truncated_file_is_refused_and_deleted(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT[:-1])
    with pytest.raises(DownloadError, match="bytes, but"):
        fetch(spec_of(url), target)
    assert names(target.parent) == []


def test_altered_file_is_refused_and_deleted(server: FileServer, target: Path) -> None:
    altered = bytearray(CONTENT)
    altered[200_000] ^= 1
    url = server.serve("/a", bytes(altered))
    with pytest.raises(DownloadError, match="sha256"):
        fetch(spec_of(url), target)
    assert names(target.parent) == []
    assert len(server.requests) == 1


def test_altered_first_mirror_falls_through_to_the_second(server: FileServer, target: Path) -> None:
    first = server.serve("/first", CONTENT[::-1].replace(CONTENT[:2][::-1], b"PK"))
    fetch(spec_of(first, server.serve("/second", CONTENT)), target)
    assert target.read_bytes() == CONTENT


def test_dead_first_mirror_falls_through_to_the_second(
    server: FileServer, dead_address: str, target: Path
) -> None:
    fetch(spec_of(f"{dead_address}/a", server.serve("/b", CONTENT)), target, retries=1)
    assert target.read_bytes() == CONTENT


def test_mirrors_are_tried_in_order(server: FileServer, target: Path) -> None:
    urls = [server.serve(f"/{n}", CONTENT, statuses=[404]) for n in range(2)]
    fetch(spec_of(*urls, server.serve("/2", CONTENT)), target)
    assert [path for path, _ in server.requests] == ["/0", "/1", "/2"]


def test_a_second_mirror_continues_what_the_first_began(server: FileServer, target: Path) -> None:
    first = server.serve("/first", CONTENT, cuts=[100_000], statuses=[])
    second = server.serve("/second", CONTENT)
    fetch(spec_of(first, second), target, retries=0)
    assert server.requests == [("/first", None), ("/second", "bytes=100000-")]
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("content_type", "page"),
    [
        ("text/html; charset=utf-8", b"<html><body>Blocked by the proxy</body></html>"),
        ("application/zip", b"\n <!DOCTYPE HTML><title>Sign in</title>"),
        ("application/zip", b'{"error": "quota exceeded"}'),
    ],
)
@pytest.mark.parametrize("published", [True, False])
def test_a_proxy_page_is_not_taken_for_a_zip(
    server: FileServer, target: Path, content_type: str, page: bytes, published: bool
) -> None:
    known = {"sha256": SHA256} if published else {"sha256": None}
    proxied = server.serve("/a", page, content_type=content_type)
    with pytest.raises(DownloadError, match=r"HTML page|not a \.zip"):
        fetch(spec_of(proxied, **known), target)
    assert names(target.parent) == []
    fetch(spec_of(proxied, server.serve("/b", CONTENT), **known), target)
    assert target.read_bytes() == CONTENT


def test_a_proxy_page_does_not_replace_what_had_arrived(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000])
    with pytest.raises(DownloadError):
        fetch(spec_of(url), target, retries=0)
    server.serve("/a", b"<html>Sign in</html>", content_type="text/html", ranges=False)
    with pytest.raises(DownloadError, match="HTML page"):
        fetch(spec_of(url), target)
    assert target.with_name("ml-1m.zip.part").read_bytes() == CONTENT[:100_000]


def test_no_network_gives_one_message_with_addresses_checksum_and_place(
    dead_address: str, target: Path
) -> None:
    urls = (f"{dead_address}/one.zip", f"{dead_address}/two.zip")
    with pytest.raises(DownloadError) as caught:
        fetch(spec_of(*urls), target, retries=2)
    message = str(caught.value)
    for part in (*urls, SHA256, f"{len(CONTENT):,} bytes", target.as_posix(), "by hand"):
        assert part in message
    assert names(target.parent) == []


def test_a_silent_server_counts_as_broken(server: FileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, stalls_after=1_000)
    with pytest.raises(DownloadError, match=r"the connection was interrupted|stopped after"):
        fetch(spec_of(url), target, retries=0, timeout=0.2)
    assert not target.exists()


def test_long_transfers_report_their_progress(
    server: FileServer,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = iter(range(0, 100_000, 10))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    fetch(spec_of(server.serve("/a", CONTENT)), target)
    captured = capsys.readouterr()
    assert captured.err.splitlines()[-1] == "ml-1m.zip: 0.4 of 0.4 MiB (100%)"
    assert captured.out == ""


def test_a_line_that_breaks_often_still_gets_the_file_piece_by_piece(
    server: FileServer, target: Path
) -> None:
    content = bytes(6 << 20)
    spec = FileSpec(
        name="zeros.bin",
        sha256=hashlib.sha256(content).hexdigest(),
        urls=(server.serve("/zeros", content, cuts=[1 << 20] * 5),),
    )
    waits = Waits()
    zeros = target.with_name("zeros.bin")
    fetch(spec, zeros, retries=1, sleep=waits)
    assert zeros.read_bytes() == content
    assert waits == [1.0] * 5
