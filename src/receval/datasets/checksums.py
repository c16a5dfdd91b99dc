"""Checksums of files: computing, recording and comparing them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from receval.datasets.spec import FileSpec
from receval.storage.atomic import write_atomically

_BLOCK = 1 << 20


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    return _digest(path, "sha256")


def mismatch(path: Path, spec: FileSpec, recorded: str | None = None) -> str | None:
    """Compare a file with what is known about it.

    Parameters
    ----------
    path : Path
        The file.
    spec : FileSpec
        Its published size and checksums.
    recorded : str or None
        SHA-256 recorded at an earlier download, for files without a published checksum.

    Returns
    -------
    str or None
        What differs, in words; None if nothing does.
    """
    size = path.stat().st_size
    if spec.size is not None and size != spec.size:
        return f"it has {size:,} bytes where {spec.size:,} are expected"
    expectations = [("sha256", spec.sha256 or recorded), ("md5", spec.md5)]
    for algorithm, expected in expectations:
        if expected is not None and (found := _digest(path, algorithm)) != expected:
            return f"its {algorithm} is {found} where {expected} is expected"
    return None


def record_of(path: Path) -> Path:
    """Return the place of a file's recorded checksum: the same name followed by ``.sha256``."""
    return path.with_name(path.name + ".sha256")


def recorded_sha256(path: Path) -> str | None:
    """Return the SHA-256 recorded beside a file, None if there is no record."""
    record = record_of(path)
    return record.read_text(encoding="utf-8").split()[0] if record.is_file() else None


def record_sha256(path: Path, sha256: str) -> None:
    """Record a file's SHA-256 beside it, in the format of ``sha256sum``."""
    write_atomically(record_of(path), f"{sha256}  {path.name}\n")


def describe(spec: FileSpec) -> str:
    """Return the published checksum of a file in words."""
    if spec.sha256 is not None:
        return f"sha256 {spec.sha256}"
    if spec.md5 is not None:
        return f"md5 {spec.md5}"
    return "no published checksum"


def _digest(path: Path, algorithm: str) -> str:
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
