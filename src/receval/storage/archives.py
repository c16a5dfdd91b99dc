# SPDX-License-Identifier: MIT
"""Archives of arrays: reproducible ``.npz`` files whose checksums are verified on reading.

Each member of a zip file has a checksum, but the list of members has none: if one bit of it
changes, a member can be missing or be mistaken for another. So the comment at the end of the
archive holds a checksum of the list. ``numpy.load`` reads archives, too, but without this check.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from receval.storage.files import DamagedFileError, refusing_damage, replacing
from receval.storage.messages import enumerated, shortened

_SUFFIX = ".npy"

# Number of bytes read at a time, in addition to the array that they go to.
_BLOCK_BYTES = 2**22

# The lengths of the name and of the extra field in the header before a member's bytes.
_LOCAL_HEADER = struct.Struct("<26xHH")


def write_archive(
    path: Path,
    arrays: Mapping[str, NDArray],
    *,
    compressed: bool = True,
    stored_from: int | None = None,
) -> None:
    """Write arrays as an ``.npz`` file whose bytes depend only on the arrays.

    The target is replaced in one step, so no half-written file ever has its name. Arrays of
    ``stored_from`` bytes or more are not compressed, so that they can be memory-mapped.
    """
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with (
        replacing(path) as temporary,
        zipfile.ZipFile(temporary, "w", method, compresslevel=1) as archive,
    ):
        for name in sorted(arrays):
            array = np.asarray(arrays[name])
            # Members opened by name get the oldest date; the current date would change the bytes.
            begun: str | zipfile.ZipInfo = f"{name}{_SUFFIX}"
            if stored_from is not None and array.nbytes >= stored_from:
                # A ZipInfo is uncompressed by default.
                begun = zipfile.ZipInfo(f"{name}{_SUFFIX}")
            with archive.open(begun, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
        archive.comment = _checksum_of(archive.infolist())


class Archive:
    """An archive written by :func:`write_archive`, open for reading; use it in a ``with`` block.

    ``names`` are those of the arrays. Here and in all methods, a :class:`DamagedFileError` names a
    file that is not as it was written, and says how to make it again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with refusing_damage(path):
            if path.exists() and not path.is_file():
                raise ValueError("it is a device, a pipe or a folder")
            # Opened separately, because zipfile leaves a file open that is not a zip file.
            self._file = path.open("rb")
        try:
            with refusing_damage(path):
                self._zip = zipfile.ZipFile(self._file)
                entries = self._zip.infolist()
                if self._zip.comment != _checksum_of(entries):
                    raise ValueError("its list of members differs from the one that was written")
        except BaseException:
            self._file.close()
            raise
        self._entries = {entry.filename.removesuffix(_SUFFIX): entry for entry in entries}
        self.names = tuple(self._entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._zip.close()
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def check_names(self, wanted: Iterable[str]) -> None:
        """Raise an error unless the arrays have exactly these names."""
        names = set(wanted)
        for what, found in (
            ("has no", sorted(names - self._entries.keys())),
            ("has unexpected members:", sorted(self._entries.keys() - names)),
        ):
            if found:
                raise DamagedFileError(self.path, f"it {what} {enumerated(found, 100)}")

    def array(
        self,
        name: str,
        dtype: DTypeLike | None = None,
        shape: Sequence[int | None] | None = None,
        *,
        mapped: bool = False,
    ) -> NDArray:
        """Read an array, and verify its checksum, its dtype and its shape.

        As dtype, ``str`` stands for text of any length; in a shape, None stands for any length. An
        uncompressed array may be memory-mapped read-only, after its bytes were verified.
        """
        with refusing_damage(self.path):
            if name not in self._entries:
                raise ValueError(f"it has no member {shortened(name)}")
            array = self._read(self._entries[name], mapped)
            if dtype is not None and not _is_of(array.dtype, np.dtype(dtype)):
                raise ValueError(
                    f"{shortened(name)} has type {array.dtype}, not {np.dtype(dtype).name}"
                )
            if shape is not None and not _fits(array.shape, shape):
                wanted = ", ".join("any" if length is None else str(length) for length in shape)
                raise ValueError(f"{shortened(name)} has shape {array.shape}, not ({wanted})")
        return array

    def _read(self, entry: zipfile.ZipInfo, mapped: bool) -> NDArray:
        with self._zip.open(entry) as member:
            shape, in_fortran_order, dtype = _header(member)
            n_bytes = entry.file_size - member.tell()
            n_values = math.prod(shape)
            # Check before allocating any memory.
            if n_values * dtype.itemsize != n_bytes:
                raise ValueError(f"{entry.filename} has {n_bytes} bytes for the shape {shape}")
            array: NDArray
            if mapped and n_bytes and entry.compress_type == zipfile.ZIP_STORED:
                offset = self._begin(entry) + member.tell()
                while member.read(_BLOCK_BYTES):
                    pass
                array = np.memmap(self._file, dtype, "r", offset, (n_values,))
            else:
                array = np.empty(n_values, dtype=dtype)
                if n_bytes:
                    _fill(array.view(np.uint8).data, member)
            # zipfile compares the checksum when it reaches the end.
            if member.read(1):
                raise ValueError(f"{entry.filename} continues after its end")
        return array.reshape(shape[::-1]).T if in_fortran_order else array.reshape(shape)

    def _begin(self, entry: zipfile.ZipInfo) -> int:
        """Return where the bytes of a member begin: after its header, name and extra field."""
        header = os.pread(self._file.fileno(), _LOCAL_HEADER.size, entry.header_offset)
        return entry.header_offset + _LOCAL_HEADER.size + sum(_LOCAL_HEADER.unpack(header))


def _header(member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = np.lib.format.read_magic(member)
    if version != (1, 0):
        raise ValueError(f"its arrays have the version {version}")
    length = member.read(2)
    return _parsed_header(length + member.read(int.from_bytes(length, "little")))


@lru_cache(maxsize=256)
def _parsed_header(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Parse an array's header; cached, as numpy's parser takes longer than reading most arrays."""
    shape, in_fortran_order, dtype = np.lib.format.read_array_header_1_0(io.BytesIO(header))
    if dtype.hasobject:
        raise ValueError("its arrays hold objects")
    return shape, in_fortran_order, dtype


def _fill(target: memoryview, member: IO[bytes]) -> None:
    filled = 0
    while filled < len(target):
        block = member.read(min(_BLOCK_BYTES, len(target) - filled))
        if not block:
            raise EOFError("it ends too early")
        target[filled : filled + len(block)] = block
        filled += len(block)


def _checksum_of(entries: Iterable[zipfile.ZipInfo]) -> bytes:
    """Return a checksum of the list of members, which includes the checksums of their bytes."""
    digest = hashlib.sha256()
    for entry in entries:
        row = (
            entry.filename,
            entry.compress_type,
            entry.header_offset,
            entry.compress_size,
            entry.file_size,
            entry.CRC,
        )
        digest.update(repr(row).encode())
    return digest.hexdigest().encode()


def _is_of(found: np.dtype, wanted: np.dtype) -> bool:
    return found.kind == "U" if wanted.kind == "U" else found == wanted


def _fits(found: tuple[int, ...], wanted: Sequence[int | None]) -> bool:
    return len(found) == len(wanted) and all(
        own in (None, length) for own, length in zip(wanted, found, strict=True)
    )
