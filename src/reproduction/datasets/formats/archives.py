# SPDX-License-Identifier: MIT
"""Read raw files, compressed streams, and members of zip and tar archives.

Every problem in reading is a :class:`RawDataError` that names the file. So are two members of the
same name, and archives that unpack to more bytes than the registry allows or, without such a limit,
to many times the size of a dataset.
"""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TypeAlias

from receval.storage.messages import shortened
from reproduction.datasets.reports import RawDataError, shown

Stream: TypeAlias = io.RawIOBase | io.BufferedReader

LONGEST_RECORD = 1 << 18
"""Maximum bytes of a line or block of lines that is read as one record."""

# The limits if the registry has none. Ratings as text shrink to a third or a fifth, and small
# unpacked files do no harm.
_LARGEST_RATIO = 20
_SMALL = 1 << 26
# The stream reader of tar files copies its buffer for every member, so larger ones are slower.
_TAR_BUFFER = 1 << 17
# Twice the longest path. tarfile's time to parse a header grows with the square of its length.
_LONGEST_HEADER = 1 << 13
_DAMAGE = (
    EOFError,
    ValueError,
    LookupError,
    ArithmeticError,
    MemoryError,
    RuntimeError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    gzip.BadGzipFile,
    tarfile.TarError,
    zipfile.BadZipFile,
)


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Turn errors of reading files and archives into one error that names the file.

    Use it only around calls of libraries that read, so that our own errors are not reported as
    damage.
    """
    try:
        yield
    except _DAMAGE as error:
        reason = shortened(str(error), 100, middle=True)
        raise RawDataError(
            path, None, f"the archive is damaged ({reason}). Delete it and fetch it again"
        ) from error
    except OSError as error:
        # The system refuses to seek to impossible offsets of damaged archives.
        if error.errno in (None, errno.EINVAL):
            reason = f"the archive is damaged ({shortened(str(error), 100, middle=True)})"
            raise RawDataError(path, None, f"{reason}. Delete it and fetch it again") from error
        raise RawDataError(path, None, f"the file cannot be read ({error.strerror})") from error


def file_bytes(path: Path, *, may_be_empty: bool = False) -> bytes:
    """Return the content of a file.

    Examples
    --------
    >>> file_bytes(Path("no-such-folder/ratings.dat"))
    Traceback (most recent call last):
    reproduction.datasets.reports.RawDataError: no-such-folder/ratings.dat: the file cannot be read
    ...
    """
    with damage_reported(path):
        data = path.read_bytes()
    if not data and not may_be_empty:
        raise RawDataError(path, None, "the file is empty")
    return data


class _Unpacked(io.RawIOBase):
    """A stream whose errors name the file, and which refuses to unpack too many bytes."""

    def __init__(
        self, stream: IO[bytes] | gzip.GzipFile, path: Path, unpacked_limit: int | None
    ) -> None:
        self._stream = stream
        self._path = path
        self._unpacked_limit = unpacked_limit
        self._largest = _largest_unpacked(path, unpacked_limit)
        self._read = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        with damage_reported(self._path):
            data = self._stream.read(size)
        self._read += len(data)
        if self._read > self._largest:
            raise _too_large(self._path, self._unpacked_limit)
        return data

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _largest_unpacked(path: Path, unpacked_limit: int | None) -> int:
    if unpacked_limit is not None:
        return unpacked_limit
    with damage_reported(path):
        return max(_SMALL, _LARGEST_RATIO * path.stat().st_size)


def _too_large(path: Path, unpacked_limit: int | None) -> RawDataError:
    if unpacked_limit is None:
        why = (
            "more than ratings of its size can: it is not the file that is meant, unless you know "
            "better, and say so by unpacked_limit in config/datasets.yaml"
        )
    else:
        why = "its unpacked_limit in config/datasets.yaml: it is not the file that is meant"
    largest = _largest_unpacked(path, unpacked_limit)
    return RawDataError(path, None, f"the archive unpacks to more than {largest:,} bytes, {why}")


def unpacked(path: Path, unpacked_limit: int | None = None) -> io.BufferedReader:
    """Open a file for reading, and decompress it if it is or should be a gzip file."""
    stream = _open(path, unpacked_limit)
    return io.BufferedReader(stream, _TAR_BUFFER) if isinstance(stream, _Unpacked) else stream


def _open(path: Path, unpacked_limit: int | None) -> io.BufferedReader | _Unpacked:
    with damage_reported(path):
        stream = path.open("rb")
        compressed = stream.peek(2)[:2] == b"\x1f\x8b"
        if not compressed and path.suffix not in (".gz", ".tgz"):
            # Uncompressed files need no limit.
            return stream
        stream.close()
        return _Unpacked(gzip.open(path, "rb"), path, unpacked_limit)


def zip_member(path: Path, name: str, unpacked_limit: int | None = None) -> tuple[str, bytes]:
    """Return the path and the bytes of the only zip member with a given base name."""
    with damage_reported(path), zipfile.ZipFile(path) as archive:
        members = [
            member for member in archive.infolist() if PurePosixPath(member.filename).name == name
        ]
        if len(members) != 1:
            raise _not_one_member(path, name, len(members))
        (member,) = members
        if member.file_size > _largest_unpacked(path, unpacked_limit):
            raise _too_large(path, unpacked_limit)
        usual = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not usual or member.flag_bits & 1:
            reason = "encrypted" if usual else "compressed with an unsupported method"
            raise RawDataError(path, None, f"the member {shown(member.filename)} is {reason}")
        return f"{path.as_posix()}/{member.filename}", archive.read(member)


def _not_one_member(path: Path, name: str, found: int) -> RawDataError:
    members = f"{found} members" if found else "no member"
    return RawDataError(path, None, f"the archive has {members} {name} instead of one")


class _Header(tarfile.TarInfo):
    """Tar header that raises an error if it is damaged or missing, which tarfile takes for the end.

    It also refuses a header that is longer than any path, which tarfile would parse for hours.
    """

    def _proc_member(self, tar: tarfile.TarFile) -> _Header:
        # Python 3.11 to 3.14 all come here with every header, but 3.14 no longer through frombuf.
        if not self.isreg() and self.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header has {self.size:,} bytes")
        return super()._proc_member(tar)  # type: ignore[misc]

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> _Header:
        try:
            return super().fromtarfile(tar)
        except tarfile.HeaderError as error:
            if type(error).__name__ == "EOFHeaderError":
                raise
            raise tarfile.ReadError(str(error)) from error


def tar_members(
    path: Path, stream: Stream, unpacked_limit: int | None = None
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield path and content of each file in a tar archive, in one pass over its stream.

    Read the contents inside :func:`damage_reported`.
    """
    with ExitStack() as opened:
        with damage_reported(path):
            archive = opened.enter_context(
                tarfile.open(fileobj=stream, mode="r|", bufsize=_TAR_BUFFER, tarinfo=_Header)
            )
        while True:
            with damage_reported(path):
                member = archive.next()
                # Otherwise the search for its end would never finish.
                if member and member.size > _largest_unpacked(path, unpacked_limit):
                    raise _too_large(path, unpacked_limit)
                if member and member.issparse():
                    raise RawDataError(
                        path,
                        None,
                        f"the member {shown(member.name)} is a sparse file, which is not supported",
                    )
                content = archive.extractfile(member) if member and member.isfile() else None
            if member is None:
                break
            if content is not None:
                yield member.name, content
        # Read to the end: a header of zeros would look like the end, and the checksum of the
        # compressed data comes last.
        while True:
            with damage_reported(path):
                data = archive.fileobj.read(_TAR_BUFFER) if archive.fileobj else b""
            if not data:
                break
            if data.strip(b"\0"):
                raise RawDataError(path, None, "there are bytes after the end of the archive")


@contextmanager
def tar_member(path: Path, name: str, unpacked_limit: int | None = None) -> Iterator[Stream]:
    """Open the member with a given base name in a tar archive, compressed or not."""
    found = 0
    # Unbuffered, because copies of buffers take longer than the calls that they save.
    with _open(path, unpacked_limit) as stream:
        for member, content in tar_members(path, stream, unpacked_limit):
            if PurePosixPath(member).name == name:
                found += 1
                if found == 1:
                    yield _Unpacked(content, path, unpacked_limit)
    if found != 1:
        raise _not_one_member(path, name, found)
