# SPDX-License-Identifier: MIT
"""Downloads without a published checksum, and those that are interrupted from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from datasets.downloads import CONTENT, SHA256, fetch, names, spec_of
from datasets.http_server import FileServer

from reproduction.datasets.reports import ChecksumError, DownloadError

SOURCE = Path(__file__).resolve().parents[2] / "src"


class TestWithoutPublishedChecksum:
    """As for the Netflix archive."""

    def test_the_checksum_is_recorded_at_the_first_download(
        self, server: FileServer, target: Path
    ) -> None:
        fetch(spec_of(server.serve("/a", CONTENT), size=None), target)
        assert target.with_name("ml-1m.zip.sha256").read_text() == f"{SHA256}  ml-1m.zip\n"

    def test_a_later_change_of_the_file_is_refused(self, server: FileServer, target: Path) -> None:
        spec = spec_of(server.serve("/a", CONTENT), size=None)
        fetch(spec, target)
        target.write_bytes(CONTENT + b"!")
        with pytest.raises(ChecksumError, match=r"sha256.*ml-1m\.zip\.sha256"):
            fetch(spec, target)

    def test_a_second_download_must_be_the_same_file(
        self, server: FileServer, target: Path
    ) -> None:
        spec = spec_of(server.serve("/a", CONTENT), size=None)
        fetch(spec, target)
        target.unlink()
        server.serve("/a", CONTENT + b"!")
        with pytest.raises(DownloadError, match=SHA256):
            fetch(spec, target)
        assert names(target.parent) == ["ml-1m.zip.sha256"]

    def test_a_version_that_the_server_confirms_is_continued(
        self, server: FileServer, target: Path
    ) -> None:
        url = server.serve("/a", CONTENT, cuts=[100_000], etag='"one"')
        fetch(spec_of(url, size=None), target)
        assert target.read_bytes() == CONTENT
        assert server.ranges == [None, "bytes=100000-"]

    def test_a_version_that_changed_meanwhile_starts_anew(
        self, server: FileServer, target: Path
    ) -> None:
        url = server.serve("/a", CONTENT, cuts=[100_000], etag='"one"')
        with pytest.raises(DownloadError):
            fetch(spec_of(url, size=None), target, retries=0)
        changed = b"PK" + CONTENT[::-1]
        server.serve("/a", changed, etag='"two"')
        fetch(spec_of(url, size=None), target)
        assert target.read_bytes() == changed

    @pytest.mark.parametrize("etag", [None, 'W/"weak"'])
    def test_a_version_that_nobody_can_confirm_starts_anew(
        self, server: FileServer, target: Path, etag: str | None
    ) -> None:
        url = server.serve("/a", CONTENT, cuts=[100_000], etag=etag)
        fetch(spec_of(url, size=None), target)
        assert target.read_bytes() == CONTENT
        assert server.ranges == [None, None]

    def test_another_mirrors_bytes_are_not_continued(
        self, server: FileServer, target: Path
    ) -> None:
        first = server.serve("/first", CONTENT, cuts=[100_000], etag='"one"')
        second = server.serve("/second", CONTENT, etag='"one"')
        fetch(spec_of(first, second, size=None), target, retries=0)
        assert server.ranges == [None, None]
        assert target.read_bytes() == CONTENT


def test_an_exception_leaves_nothing_under_the_final_name(server: FileServer, target: Path) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    url = server.serve("/a", CONTENT, cuts=[100_000])
    with pytest.raises(KeyboardInterrupt):
        fetch(spec_of(url), target, sleep=interrupt)
    assert names(target.parent) == ["ml-1m.zip.part", "ml-1m.zip.part.json"]


@pytest.mark.processes
def test_a_killed_download_leaves_a_partial_file_that_is_continued(
    server: FileServer, target: Path
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
    server.resume.set()
    assert names(target.parent) == ["ml-1m.zip.part", "ml-1m.zip.part.json"]
    arrived = part.stat().st_size
    assert 0 < arrived <= 100_000
    server.serve("/a", CONTENT)
    fetch(spec_of(url), target)
    assert target.read_bytes() == CONTENT
    assert server.ranges[1:] == [f"bytes={arrived}-"]
