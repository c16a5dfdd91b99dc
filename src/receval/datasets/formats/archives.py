"""Members of zip and tar archives, and compressed streams, with errors that name the file."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from receval.datasets.reports import RawDataError


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Turn the various errors of damaged archives into one that names the archive."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile) as error:
        raise RawDataError(
            path, None, f"the archive is damaged ({error}): delete it and fetch it again"
        ) from error


def zip_member(path: Path, name: str) -> tuple[str, bytes]:
    """Return the path and the bytes of the zip member with a base name.

    Raises
    ------
    RawDataError
        If the archive is damaged or has no such member.
    """
    with damage_reported(path), zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if PurePosixPath(member).name == name:
                return f"{path.as_posix()}/{member}", archive.read(member)
    raise RawDataError(path, None, f"the archive has no member {name}")


@contextmanager
def tar_member(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open the member with a base name of a tar archive, compressed or not.

    Raises
    ------
    RawDataError
        If the archive is damaged or has no such member.
    """
    with damage_reported(path), tarfile.open(path) as archive:
        # Member by member: listing all of a compressed archive would decompress it twice.
        for member in archive:
            if member.isfile() and PurePosixPath(member.name).name == name:
                stream = archive.extractfile(member)
                if stream is not None:
                    yield stream
                    return
    raise RawDataError(path, None, f"the archive has no member {name}")
