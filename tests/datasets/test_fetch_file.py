# SPDX-License-Identifier: MIT
"""The downloader, against a real HTTP server."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from datasets.downloads import CONTENT, SHA256, Waits, fetch, names, spec_of
from datasets.hostile_server import HostileServer

from reproduction.datasets.raw import RawFile
from reproduction.datasets.reports import ChecksumError, DownloadError
from reproduction.datasets.spec import FileSpec

SOURCE = Path(__file__).resolve().parents[2] / "src"


def test_a_downloaded_file_is_whole_and_alone(server: HostileServer, target: Path) -> None:
    url = server.serve("/ml-1m.zip", CONTENT)
    assert fetch(spec_of(url), target) == RawFile(target, SHA256)
    assert target.read_bytes() == CONTENT
    assert names(target.parent) == ["ml-1m.zip"]


@pytest.mark.each("size", [600, 601])  # 300 or 301 bytes come with the second answer.
@pytest.mark.each("block", [1, 2, 3, 299, 300])
def test_blocks_of_bytes_are_written_one_behind_the_other(
    server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, block: int
) -> None:
    monkeypatch.setattr("reproduction.datasets.fetch._BLOCK", block)
    content, target = CONTENT[:size], tmp_path / "ml-1m.zip"
    url = server.serve("/a", content, cuts=[size // 2])
    sha256 = hashlib.sha256(content).hexdigest()
    fetch(spec_of(url, sha256=sha256, size=size), target)
    assert target.read_bytes() == content


def test_md5_alone_is_enough(server: HostileServer, target: Path) -> None:
    md5 = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()
    fetch(spec_of(server.serve("/a", CONTENT), md5=md5), target)
    assert names(target.parent) == ["ml-1m.zip"]


def test_a_file_that_is_there_is_not_downloaded_again(server: HostileServer, target: Path) -> None:
    target.write_bytes(CONTENT)
    assert fetch(spec_of(server.serve("/a", CONTENT)), target).sha256 == SHA256
    assert server.asked == []


def test_a_wrong_file_under_the_final_name_is_refused_and_left_alone(
    server: HostileServer, target: Path
) -> None:
    target.write_bytes(b"mine")
    with pytest.raises(ChecksumError, match=r"ml-1m\.zip: it has 4 bytes, but 400,\d+"):
        fetch(spec_of(server.serve("/a", CONTENT)), target)
    assert target.read_bytes() == b"mine"
    assert server.asked == []


def test_an_interrupted_transfer_continues_where_it_stopped(
    server: HostileServer, target: Path
) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000, 150_000])
    waits = Waits()
    fetch(spec_of(url), target, sleep=waits)
    assert target.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-", "bytes=250000-"]
    assert waits == [1.0, 2.0]


def test_waits_double_from_try_to_try(server: HostileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, statuses=[503, 500, 429])
    waits = Waits()
    fetch(spec_of(url), target, sleep=waits, backoff=0.5)
    assert waits == [0.5, 1.0, 2.0]


def test_tries_are_bounded(server: HostileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, statuses=[503] * 99)
    with pytest.raises(DownloadError, match="503"):
        fetch(spec_of(url), target, retries=3)
    assert len(server.asked) == 4


def test_a_refusal_is_not_tried_again(server: HostileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, statuses=[403] * 9)
    with pytest.raises(DownloadError, match="403"):
        fetch(spec_of(url), target)
    assert len(server.asked) == 1


def test_a_later_call_continues_an_earlier_one(server: HostileServer, target: Path) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000])
    with pytest.raises(DownloadError, match=r"stopped after 100,000 of 400,\d+ bytes"):
        fetch(spec_of(url), target, retries=0)
    assert not target.exists()
    fetch(spec_of(url), target)
    assert server.ranges == [None, "bytes=100000-"]
    assert names(target.parent) == ["ml-1m.zip"]


def test_a_server_that_ignores_ranges_sends_the_file_anew(
    server: HostileServer, target: Path
) -> None:
    fetch(spec_of(server.serve("/a", CONTENT, cuts=[100_000], ranges=False)), target)
    assert target.read_bytes() == CONTENT
    assert len(server.asked) == 2


def test_a_cut_is_noticed_even_if_the_server_tells_no_length(
    server: HostileServer, target: Path
) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000], says_length=False)
    with pytest.raises(DownloadError, match="it has 100,000 bytes"):
        fetch(spec_of(url), target)
    assert names(target.parent) == []


def test_a_transfer_whose_bytes_all_came_is_only_renamed(
    server: HostileServer, target: Path
) -> None:
    url = server.serve("/a", CONTENT)
    target.with_name("ml-1m.zip.part").write_bytes(CONTENT)
    fetch(spec_of(url), target)
    assert target.read_bytes() == CONTENT
    assert server.ranges == [f"bytes={len(CONTENT)}-"]


def test_a_partial_file_of_another_version_is_replaced(server: HostileServer, target: Path) -> None:
    target.with_name("ml-1m.zip.part").write_bytes(b"x" * 5_000)
    fetch(spec_of(server.serve("/a", CONTENT)), target)
    assert target.read_bytes() == CONTENT
    assert server.ranges == ["bytes=5000-", None]


def test_a_partial_file_that_is_too_long_is_replaced(server: HostileServer, target: Path) -> None:
    target.with_name("ml-1m.zip.part").write_bytes(CONTENT + b"more")
    fetch(spec_of(server.serve("/a", CONTENT)), target)
    assert target.read_bytes() == CONTENT


def test_altered_file_is_refused_and_deleted(server: HostileServer, target: Path) -> None:
    altered = bytearray(CONTENT)
    altered[200_000] ^= 1
    url = server.serve("/a", bytes(altered))
    with pytest.raises(DownloadError, match="sha256"):
        fetch(spec_of(url), target)
    assert names(target.parent) == []
    assert len(server.asked) == 1


def test_dead_first_mirror_falls_through_to_the_second(
    server: HostileServer, dead_address: str, target: Path
) -> None:
    fetch(spec_of(f"{dead_address}/a", server.serve("/b", CONTENT)), target, retries=1)
    assert target.read_bytes() == CONTENT


def test_a_second_mirror_continues_what_the_first_began(
    server: HostileServer, target: Path
) -> None:
    first = server.serve("/first", CONTENT, cuts=[100_000])
    second = server.serve("/second", CONTENT)
    fetch(spec_of(first, second), target, retries=0)
    assert [request.split()[1] for request in server.asked] == ["/first", "/second"]
    assert server.ranges == [None, "bytes=100000-"]
    assert target.read_bytes() == CONTENT


def test_a_proxy_page_does_not_replace_what_had_arrived(
    server: HostileServer, target: Path
) -> None:
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


def test_long_transfers_report_their_progress(
    server: HostileServer,
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
    server: HostileServer, target: Path
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


# Without a published checksum, as for the Netflix archive.


def test_a_later_change_of_the_file_is_refused(server: HostileServer, target: Path) -> None:
    spec = spec_of(server.serve("/a", CONTENT), size=None)
    fetch(spec, target)
    target.write_bytes(CONTENT + b"!")
    with pytest.raises(ChecksumError, match=r"sha256.*ml-1m\.zip\.sha256"):
        fetch(spec, target)


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_a_version_that_nobody_can_confirm_starts_anew(
    server: HostileServer, target: Path, etag: str | None
) -> None:
    url = server.serve("/a", CONTENT, cuts=[100_000], etag=etag)
    fetch(spec_of(url, size=None), target)
    assert target.read_bytes() == CONTENT
    assert server.ranges == [None, None]


def test_another_mirrors_bytes_are_not_continued(server: HostileServer, target: Path) -> None:
    first = server.serve("/first", CONTENT, cuts=[100_000], etag='"one"')
    second = server.serve("/second", CONTENT, etag='"one"')
    fetch(spec_of(first, second, size=None), target, retries=0)
    assert server.ranges == [None, None]
    assert target.read_bytes() == CONTENT


def test_an_exception_leaves_nothing_under_the_final_name(
    server: HostileServer, target: Path
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    url = server.serve("/a", CONTENT, cuts=[100_000])
    with pytest.raises(KeyboardInterrupt):
        fetch(spec_of(url), target, sleep=interrupt)
    assert names(target.parent) == ["ml-1m.zip.part", "ml-1m.zip.part.json"]


@pytest.mark.processes
def test_a_killed_download_leaves_a_partial_file_that_is_continued(
    server: HostileServer, target: Path
) -> None:
    url = server.serve("/a", CONTENT, stalls_after=100_000)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from reproduction.datasets.spec import FileSpec\n"
        "from reproduction.datasets.fetch import fetch_file\n"
        "spec = FileSpec(name='ml-1m.zip', sha256=sys.argv[1], urls=(sys.argv[2],))\n"
        "fetch_file(spec, Path(sys.argv[3]))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, SHA256, url, str(target)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    part = target.with_name("ml-1m.zip.part")
    deadline = time.monotonic() + 15
    while not (part.exists() and part.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert names(target.parent) == ["ml-1m.zip.part", "ml-1m.zip.part.json"]
    arrived = part.stat().st_size
    assert 0 < arrived <= 100_000
    server.serve("/a", CONTENT)
    fetch(spec_of(url), target)
    assert target.read_bytes() == CONTENT
    assert server.ranges[1:] == [f"bytes={arrived}-"]
