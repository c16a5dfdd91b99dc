"""Zip, tar and gzip archives whose bytes depend on their contents alone."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping

# The oldest date a zip entry can hold: a real one would change the bytes at every run.
_ENTRY_DATE = (1980, 1, 1, 0, 0, 0)
_COMPRESSION_LEVEL = 1


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """Return a compressed zip archive; a name that ends in a slash makes a folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, _ENTRY_DATE)
            # Set by hand, as the default is the system's own.
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, _COMPRESSION_LEVEL)
    return buffer.getvalue()


def tar_bytes(members: Mapping[str, bytes]) -> bytes:
    """Return an uncompressed tar archive of regular files owned by root, dated 1970."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def gzip_bytes(content: bytes) -> bytes:
    """Return gzip-compressed bytes without name and time."""
    return gzip.compress(content, _COMPRESSION_LEVEL, mtime=0)
