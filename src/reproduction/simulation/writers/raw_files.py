# SPDX-License-Identifier: MIT
"""Helpers for raw files of twins: lines, archives, invented names, identifiers with gaps."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Self, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

LineColumn: TypeAlias = NDArray | pa.Array | str
"""One entry per line, or one text for all lines. Whole floats are written without a point."""

Ids: TypeAlias = NDArray[np.str_]
"""Raw identifiers of users or items, by their index."""

# The oldest date of a zip entry; the real date would change the bytes in every run.
_ENTRY_DATE = (1980, 1, 1, 0, 0, 0)

_COMPRESSION_LEVEL = 1


def join_columns(columns: list[LineColumn], separator: str = "") -> pa.Array:
    """Join columns to an array of lines, without line ends.

    Examples
    --------
    >>> join_columns([np.array([7, 9]), np.array([5.0, 1.5])], "::").to_pylist()
    ['7::5', '9::1.5']
    """
    return pc.binary_join_element_wise(*[_as_text(column) for column in columns], separator)


def to_bytes(lines: pa.Array, encoding: str = "utf-8") -> bytes:
    r"""Return the content of a file: every line followed by ``\n``.

    Examples
    --------
    >>> to_bytes(pa.array(["7::5", "9::1.5"]))
    b'7::5\n9::1.5\n'
    """
    text = "\n".join(lines.to_pylist())
    return f"{text}\n".encode(encoding) if len(lines) else b""


def group_to_bytes(lines: pa.Array, groups: NDArray[np.integer], n_groups: int) -> list[bytes]:
    r"""Return one file content per group, every line followed by ``\n``."""
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=n_groups))
    offsets = pa.array(np.r_[0, ends].astype(np.int32))
    ended = pc.binary_join_element_wise(lines.take(pa.array(order)), "\n", "")
    texts = pc.binary_join(pa.ListArray.from_arrays(offsets, ended), "")
    return [text.encode() for text in texts.to_pylist()]


def _as_text(column: LineColumn) -> pa.Array | pa.Scalar:
    if isinstance(column, str):
        return pa.scalar(column)
    array = column if isinstance(column, pa.Array) else pa.array(column)
    return array if pa.types.is_string(array.type) else pc.cast(array, pa.string())


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """Return a compressed zip archive; a name that ends in a slash makes a folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, _ENTRY_DATE)
            # Set explicitly, because the default depends on the operating system.
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, _COMPRESSION_LEVEL)
    return buffer.getvalue()


def write_tar(file: IO[bytes] | GzipWriter, members: Iterable[tuple[str, bytes | Path]]) -> None:
    """Write a tar archive of regular files, owned by root and dated 1970; the file stays open."""
    # tarfile only writes to a stream.
    stream = cast("IO[bytes]", file)
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as archive:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            if isinstance(content, Path):
                entry.size = content.stat().st_size
                with content.open("rb") as member:
                    archive.addfile(entry, member)
            else:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))


def gzip_bytes(content: bytes) -> bytes:
    """Return gzip-compressed bytes without name and time."""
    return gzip.compress(content, _COMPRESSION_LEVEL, mtime=0)


class GzipWriter:
    """A file that compresses what is written to it in pieces, like `gzip_bytes`.

    The end of the ``with`` block ends the compressed data.

    Examples
    --------
    >>> below = io.BytesIO()
    >>> with GzipWriter(below) as file:
    ...     _ = file.write(b"7::5")
    >>> gzip.decompress(below.getvalue())
    b'7::5'
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        # Adding 16 to the largest window makes zlib write gzip's header and checksum.
        self._compressor = zlib.compressobj(_COMPRESSION_LEVEL, wbits=16 + zlib.MAX_WBITS)

    def __enter__(self) -> Self:
        """Return the file itself."""
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        """Write the remaining data; the underlying file stays open."""
        self._file.write(self._compressor.flush())

    def write(self, content: bytes) -> int:
        """Compress some bytes and return how many they were."""
        self._file.write(self._compressor.compress(content))
        return len(content)


_FIRST = (
    "Amber", "Ancient", "Bitter", "Blue", "Broken", "Burning", "Café", "Copper", "Crooked",
    "Crystal", "Dark", "Distant", "Double", "Électrique", "Empty", "Endless", "Fallen", "Fearless",
    "Foreign", "Forgotten", "Frozen", "Gentle", "Ghostly", "Golden", "Grand", "Grün", "Half",
    "Hidden", "Hollow", "Imperial", "Iron", "Last", "Little", "Lonely", "Lost", "Loud", "Lucky",
    "Midnight", "Modern", "Naïve", "Northern", "Old", "Paper", "Quiet", "Rapid", "Red", "Rising",
    "Royal", "Secret", "Seven", "Silent", "Silver", "Slow", "Southern", "Sweet", "Twin", "Velvet",
    "Wandering", "Wild", "Winter",
)  # fmt: skip
_SECOND = (
    "Anchors", "Angels", "Avenue", "Bears", "Bridge", "Brothers", "Canyon", "Castle", "Chapel",
    "Circus", "Cousins", "Crows", "Dancers", "Desert", "Dragon", "Engines", "Falls", "Farmers",
    "Fever", "Foxes", "Gardens", "Giants", "Harbor", "Harvest", "Horizon", "Hunters", "Island",
    "Jungle", "Kings", "Lanterns", "Letters", "Lions", "Machine", "Meadow", "Mirror", "Monkeys",
    "Mountain", "Orchestra", "Owls", "Parade", "Pilots", "Planet", "Rangers", "River", "Riders",
    "Roses", "Sailors", "Señor", "Shadows", "Sisters", "Station", "Storm", "Strangers", "Thieves",
    "Tigers", "Travelers", "Valley", "Wolves", "Wörld", "Zebra",
)  # fmt: skip


def invent_names(n_names: int, rng: np.random.Generator) -> list[str]:
    """Return distinct names of two words, all within ISO-8859-1, some with accents.

    If there are more names than combinations of words, later ones are numbered.
    """
    n_pairs = len(_FIRST) * len(_SECOND)
    chosen = rng.permutation(n_pairs * max(1, -(-n_names // n_pairs)))[:n_names]
    names = []
    for times_used, pair in (divmod(number, n_pairs) for number in chosen.tolist()):
        first, second = divmod(pair, len(_SECOND))
        name = f"{_FIRST[first]} {_SECOND[second]}"
        names.append(f"{name} {times_used + 1}" if times_used else name)
    return names


def numbers_with_gaps(n_numbers: int, largest: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return distinct numbers from 1 to `largest` in ascending order.

    Original datasets number users and items with gaps; `largest` is raised if it would leave none.

    Examples
    --------
    >>> numbers = numbers_with_gaps(3, largest=10, rng=np.random.default_rng(1))
    >>> len(numbers), bool((np.diff(numbers) > 0).all()), set(numbers) <= set(range(1, 11))
    (3, True, True)
    """
    bound = max(largest, 2 * n_numbers)
    return np.sort(rng.choice(bound, n_numbers, replace=False)) + 1
