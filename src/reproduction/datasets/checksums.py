# SPDX-License-Identifier: MIT
"""Compute, compare and cache checksums of files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from receval.storage.files import sha256_of, write_atomically
from reproduction.datasets.spec import FileSpec


def mismatch(path: Path, spec: FileSpec, recorded: str | None = None) -> str | None:
    """Compare a file with its known size and checksums; return what differs."""
    size = path.stat().st_size
    if size == 0:
        return "it is empty"
    if spec.size is not None and size != spec.size:
        return f"it has {size:,} bytes where {spec.size:,} are expected"
    expectations = [("sha256", spec.sha256 or recorded), ("md5", spec.md5)]
    for algorithm, expected in expectations:
        if expected is not None and (found := _digest(path, algorithm)) != expected:
            return f"its {algorithm} is {found} where {expected} is expected"
    return None


def checksum_in_words(spec: FileSpec) -> str:
    """Return the published checksum of a file in words."""
    if spec.sha256 is not None:
        return f"sha256 {spec.sha256}"
    if spec.md5 is not None:
        return f"md5 {spec.md5}"
    return "no published checksum"


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False))
    return digest.hexdigest()


class KnownChecksums:
    """Cache of the SHA-256 of files, by modification time and size.

    Parameters
    ----------
    file : Path
        JSON file of the cache. If it is missing or not valid, a new one is started.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known = self._read()

    def of(self, path: Path) -> str:
        """Return the SHA-256 of a file in hexadecimal."""
        return self.of_all([path])[path]

    def of_all(self, paths: Sequence[Path]) -> dict[Path, str]:
        """Return the SHA-256 of files in hexadecimal, by path.

        The cache is written once for all files, because a dataset may have thousands. If it cannot
        be written, checksums are computed again the next time.
        """
        found, news = {}, False
        for path in paths:
            status = path.stat()
            signature = f"{status.st_mtime_ns}-{status.st_size}"
            known = self._known.get(path.as_posix(), {})
            if signature not in known:
                # Keep only the present state of a file, because earlier states do not return.
                known = self._known[path.as_posix()] = {signature: sha256_of(path)}
                news = True
            found[path] = known[signature]
        if news:
            text = json.dumps(self._known, indent=2, sort_keys=True)
            with suppress(OSError):
                write_atomically(self._file, f"{text}\n")
        return found

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        ours = isinstance(content, dict) and all(
            isinstance(known, dict) and all(isinstance(sha256, str) for sha256 in known.values())
            for known in content.values()
        )
        return content if ours else {}
