# SPDX-License-Identifier: MIT
"""The checksum that a file without a published one gets at its first download."""

from __future__ import annotations

import re
from pathlib import Path

from receval.storage.files import write_atomically
from receval.storage.messages import escaped
from reproduction.datasets.reports import ChecksumError

# What is longer is no record of ours, and need not be read.
_LONGEST = 1 << 12


def record_of(path: Path) -> Path:
    """Return where a file's checksum is recorded: the same name followed by ``.sha256``."""
    return path.with_name(path.name + ".sha256")


def recorded_sha256(path: Path) -> str | None:
    """Return the SHA-256 recorded beside a file, None if there is no record."""
    record = record_of(path)
    if not record.exists():
        return None
    with record.open("rb") as file:
        content = file.read(_LONGEST)
    match = re.match(rb"([0-9a-f]{64})(\s|$)", content)
    if match is None:
        held = escaped(content.decode("latin-1"))
        raise ChecksumError(
            f"{record.as_posix()} does not begin with a SHA-256 of 64 hexadecimal digits, but with "
            f"'{held}': delete it, and the checksum is recorded anew."
        )
    return match[1].decode("ascii")


def record_sha256(path: Path, sha256: str) -> None:
    """Record a file's SHA-256 beside it, in the format of ``sha256sum``."""
    write_atomically(record_of(path), f"{sha256}  {path.name}\n")
