# SPDX-License-Identifier: MIT
"""A file's checksum is computed once, until its time or its size changes."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from reproduction.datasets import raw
from reproduction.datasets.raw import KnownChecksums


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "mirror" / "ratings.dat"
    path.parent.mkdir()
    path.write_bytes(b"1::2::5\n")
    return path


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the files whose checksum was computed so far, in order."""
    asked: list[Path] = []

    def sha256_of(path: Path) -> str:
        asked.append(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    monkeypatch.setattr(raw, "sha256_of", sha256_of)
    return asked


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def checksum(known: KnownChecksums, path: Path) -> str:
    return known.of_all([path])[path]


def kept_in(folder: Path) -> Path:
    return folder / "work" / "raw" / "checksums.json"


@pytest.mark.parametrize(
    ("content", "later_by"),
    [(b"1::2::5\n", 1), (b"1::2::4\n", 1), (b"1::2::5\n1::3::4\n", 0)],
    ids=["touched", "as long, later", "longer, at the same time"],
)
def test_another_time_or_size_is_looked_at_again(
    tmp_path: Path, data: Path, computed: list[Path], content: bytes, later_by: int
) -> None:
    checksum(KnownChecksums(kept_in(tmp_path)), data)
    time = data.stat().st_mtime_ns + later_by
    data.write_bytes(content)
    os.utime(data, ns=(time, time))
    known = KnownChecksums(kept_in(tmp_path))
    assert checksum(known, data) == sha256(content)
    assert computed == [data, data]
    # And is known from then on, in place of what was there before.
    assert checksum(known, data) == sha256(content)
    assert computed == [data, data]
    (states,) = json.loads(kept_in(tmp_path).read_text(encoding="utf-8")).values()
    assert list(states.values()) == [sha256(content)]


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[]", b"3", b'{"DATA": 3}', b'{"DATA": ["SIGNATURE"]}', b"\xff\xfe"),
        *(b'{"DATA": {"SIGNATURE": 3}}', b"[" * 100_000),
    ],
    ids=lambda content: content[:20].decode("latin-1"),
)
def test_a_broken_record_is_begun_anew(
    tmp_path: Path, data: Path, computed: list[Path], content: bytes
) -> None:
    status = data.stat()
    signature = f"{status.st_mtime_ns}-{status.st_size}"
    named = content.replace(b"DATA", data.as_posix().encode())
    kept_in(tmp_path).parent.mkdir(parents=True)
    kept_in(tmp_path).write_bytes(named.replace(b"SIGNATURE", signature.encode()))
    for _ in range(2):
        assert checksum(KnownChecksums(kept_in(tmp_path)), data) == sha256(b"1::2::5\n")
    assert computed == [data]


def test_without_a_file_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        checksum(KnownChecksums(kept_in(tmp_path)), tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_many_files_are_known_apart_and_kept_once_also_for_later_runs(
    tmp_path: Path, data: Path, computed: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [data.with_name(f"mv_{number}.txt") for number in range(5)]
    for file in files:
        file.write_text(file.name, encoding="utf-8")
        os.utime(file, (7, 7))
    kept: list[Path] = []
    write = raw.write_atomically
    monkeypatch.setattr(raw, "write_atomically", lambda *told: [kept.append(told[0]), write(*told)])
    for _ in range(2):
        known = KnownChecksums(kept_in(tmp_path))
        for _ in range(2):
            assert known.of_all(files) == {file: sha256(file.name.encode()) for file in files}
    assert computed == files
    assert kept == [kept_in(tmp_path)]


def test_what_cannot_be_kept_is_no_error(tmp_path: Path, data: Path) -> None:
    # A file where the folder would be.
    kept_in(tmp_path).parent.parent.touch()
    assert checksum(KnownChecksums(kept_in(tmp_path)), data) == sha256(b"1::2::5\n")
