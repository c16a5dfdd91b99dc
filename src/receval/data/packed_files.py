# SPDX-License-Identifier: MIT
"""Open compressed files, recognised by their first bytes, and limit what they unpack to."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from receval.data.reading import TableError
from receval.storage.messages import enumerated, shortened

SMALL_FILE = 1 << 20
"""The most bytes of a packed file that may unpack to :data:`LARGEST_OF_SMALL`."""

LARGEST_OF_SMALL = 24 << 20
"""The most bytes that a small file may unpack to; reading them takes seconds and a gigabyte."""

LARGEST_RATIO = 100
"""How many times its own size a larger file may unpack to."""

_OF_EDITORS = re.compile(r".*(~|#|\.(bak|orig|rej|swp|swo|tmp|crdownload|part))", re.IGNORECASE)
"""The names of backups, and of files that are not yet whole."""

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip")
"""The last extensions of packed files, after the extension for the content."""


_PIECE = 1 << 16
"""The bytes of a packed file that are unpacked at once."""


def _of_arrow(codec: str) -> Callable[[BinaryIO], BinaryIO]:
    def unpacked(file: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(pa.CompressedInputStream(file, codec)))

    return unpacked


class _WholePackedFile(io.RawIOBase):
    """The content of all streams that follow one another in a file, as bzip2 and xz write them.

    The readers of the standard library end at the first stream that they cannot unpack, as if the
    file ended there.
    """

    def __init__(self, file: BinaryIO, new: type[bz2.BZ2Decompressor | lzma.LZMADecompressor]):
        self._file, self._new = file, new
        self._stream = new()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Unpack the next bytes; none at the end of the file."""
        while True:
            packed = b""
            if self._stream.eof:
                # Streams of xz may be followed by zeros.
                packed = self._stream.unused_data.lstrip(b"\0")
                while not packed:
                    read = self._file.read(_PIECE)
                    packed = read.lstrip(b"\0")
                    if not read:
                        return 0
                self._stream = self._new()
            elif self._stream.needs_input:
                packed = self._file.read(_PIECE)
                if not packed:
                    raise EOFError("The file ends before its last stream does.")
            found = self._stream.decompress(packed, len(buffer))
            if found:
                buffer[: len(found)] = found
                return len(found)


def _whole_packed_file(
    new: type[bz2.BZ2Decompressor | lzma.LZMADecompressor],
) -> Callable[[BinaryIO], BinaryIO]:
    return lambda file: cast(BinaryIO, io.BufferedReader(_WholePackedFile(file, new)))


def _only_member(file: BinaryIO) -> BinaryIO:
    archive = zipfile.ZipFile(file)
    names = [
        name
        for name in archive.namelist()
        if not (name.endswith("/") or name.startswith("__MACOSX/") or "/." in f"/{name}")
    ]
    if len(names) != 1:
        raise TableError(
            f"{file.name} holds {len(names)} files ({enumerated(names)}), but must hold only one. "
            "Unpack it, and name the file that you mean."
        )
    refuse_joined(archive, str(file.name))
    refuse_rare_packing(archive.getinfo(names[0]))
    return cast(BinaryIO, archive.open(names[0]))


def refuse_rare_packing(member: zipfile.ZipInfo) -> None:
    """Refuse a member of an archive that zipfile would unpack at once, however large it is."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImplementedError("its packing method is rare in zip archives")


def refuse_joined(archive: zipfile.ZipFile, path: str) -> None:
    """Refuse archives one after another in a file, of which only the last would be read."""
    if min(entry.header_offset for entry in archive.infolist()) > 0:
        raise TableError(
            f"{path} holds other data before its zip archive, perhaps another archive. Only the "
            "last one could be read. Unpack them one by one."
        )


_LZ4 = b"\x04\x22\x4d\x18"

_UNPACKED: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": lambda file: cast(BinaryIO, gzip.GzipFile(fileobj=file)),
    b"BZh": _whole_packed_file(bz2.BZ2Decompressor),
    b"\xfd7zXZ\x00": _whole_packed_file(lzma.LZMADecompressor),
    b"\x28\xb5\x2f\xfd": _of_arrow("zstd"),
    _LZ4: _of_arrow("lz4"),
    b"PK\x03\x04": _only_member,
}
"""The opener of each kind of packed file, by its first bytes."""


_UNPACK = "Unpack it and name the file within."
_AS_PARQUET = "Write the table as CSV or Parquet."

_OTHER_KINDS: tuple[tuple[int, bytes, str, str], ...] = (
    (257, b"ustar", "a tar archive", _UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (0, b"Rar!\x1a\x07", "a rar archive", _UNPACK),
    (0, b"\x1f\x9d", "packed by compress (.Z)", _UNPACK),
    (0, b"\x5d\x00\x00", "packed as .lzma", _UNPACK),
    (0, b"ARROW1\x00\x00", "an Arrow or Feather file", _AS_PARQUET),
    (0, b"FEA1", "a Feather file", _AS_PARQUET),
    (0, b"ORC", "an ORC file", _AS_PARQUET),
    (0, b"Obj\x01", "an Avro file", _AS_PARQUET),
    (0, b"\x89HDF\r\n", "an HDF5 file", _AS_PARQUET),
    (0, b"SQLite format 3\x00", "a database of SQLite", _AS_PARQUET),
    (0, b"\x93NUMPY", "an array of numpy", "Write it as CSV, or give the array in Python."),
    (0, b"\xd0\xcf\x11\xe0", "a file of an office program", _AS_PARQUET),
    (0, b"X\n\x00\x00", "an object of R (.rds)", _AS_PARQUET),
    (0, b"RDX", "a file of R (.RData)", _AS_PARQUET),
    (0, b"$FL", "a file of SPSS", _AS_PARQUET),
    (0, b"<stata_dta>", "a file of Stata", _AS_PARQUET),
    (0, b"%PDF-", "a PDF document", "Name the table itself."),
    (0, b"version https://git-lfs", "a pointer of Git LFS", "Get the file itself: git lfs pull."),
    *(
        (0, b"\x80" + bytes([version]), "a Python pickle", f"{_AS_PARQUET} A pickle can run code.")
        for version in range(2, 6)
    ),
)
"""Files that are not read: a place, the bytes there, what they are, and what to do."""

_OTHER_TEXTS = (
    (rb"<(?:!doctype html|html)[\s>]", "a web page", "Check its address."),
    (rb"<\?xml\s", "an XML document", _AS_PARQUET),
    (
        rb"--\s|/\*!|(?:create table|drop table|insert into|copy \S+ \()",
        "a script of SQL",
        "Export the table from its database as CSV.",
    ),
    (
        rb"\+--[-+]*\+\s|[^\n]*\n[ \t|:+]*-{2,}[-|:+ \t]*\r?\n|={2,}[ =]*\r?\n"
        rb"|\|[^\n]*\|\s*?\n\s*\|",
        "a table drawn with lines",
        "Write it as CSV.",
    ),
    (rb"(?:%[^\n]*\n\s*)*@relation\s", "a file of Weka (ARFF)", _AS_PARQUET),
)
"""Texts that are not read: a pattern of how they begin, what they are, and what to do."""

_CONTROL = re.compile(rb"[\x00-\x08]")


def refuse_other_kinds(path: Path) -> None:
    """Refuse kinds of files that are not read, known by their first bytes, also if packed."""
    with path.open("rb") as file:
        start = file.read(_START)
    _refuse_by_start(path, start)
    if start.startswith(tuple(_UNPACKED)):
        is_of_many = start.startswith(b"PK\x03\x04") and bare_suffix(path) in (".npz", ".xlsx")
        if bare_suffix(path) == ".xlsx":
            raise TableError(f"{path} is an Excel workbook. Save the sheet as CSV.")
        if is_of_many:
            return
        with opened(path) as content:
            _refuse_by_start(path, content.peek(_START)[:_START], within=True)  # type: ignore[attr-defined]


_START = 512


def _refuse_by_start(path: Path, start: bytes, *, within: bool = False) -> None:
    kind = next(
        (
            (what, advice)
            for place, magic, what, advice in _OTHER_KINDS
            if start.startswith(magic, place)
            # Letters may begin a text too.
            and (not magic.isalnum() or _CONTROL.search(start))
        ),
        None,
    )
    for pattern, *words in () if kind else _OTHER_TEXTS:
        if re.match(rb"(?:\xef\xbb\xbf)?\s*(?:" + pattern + rb")", start, re.IGNORECASE):
            kind = words[0], words[1]
    if kind is None and within and start.startswith(tuple(_UNPACKED)):
        kind = "another packed file", _UNPACK
    if kind is None:
        return
    what, advice = kind
    verb = "holds" if within else "is"
    raise TableError(f"{path} {verb} {what}, which is not read. {advice}")


def is_packed(path: Path) -> bool:
    """Tell whether a file is packed, by its first bytes."""
    with path.open("rb") as file:
        return file.peek(8).startswith(tuple(_UNPACKED))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, unpacked if it is packed.

    gzip, bz2, xz, zstd, lz4 and zip are recognised by their first bytes. A zip archive must hold
    one file. What ranx packs twice is unpacked twice, and turned into JSON. Damaged data, and data
    that unpack to more than :func:`most_unpacked`, are refused, which may also happen while they
    are read.
    """
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        start = file.peek(8)
        for magic, unpacked in _UNPACKED.items():
            if start.startswith(magic):
                with _sentences_for_damage(path):
                    bounded = _Limited(stack.enter_context(unpacked(file)), path)
                    content = stack.enter_context(
                        cast(BinaryIO, io.BufferedReader(bounded, _BUFFER))
                    )
                    if content.peek(4)[:4] == _LZ4:  # type: ignore[attr-defined]
                        content = _json_of_ranx(content, path)
                    yield content
                return
        yield file


def _json_of_ranx(packed: BinaryIO, path: Path) -> BinaryIO:
    """Return as JSON what ranx saves with the extension ``.lz4``: CBOR, packed twice by LZ4."""
    try:
        import cbor2
    except ModuleNotFoundError:
        raise TableError(
            f"{path} is packed twice, which only ranx does. Install cbor2 (pip install cbor2) to "
            "read such files, or save it as .json or .trec with ranx.Run.from_file(...).save(...)."
        ) from None
    content = io.BufferedReader(_Limited(_of_arrow("lz4")(packed), path), _BUFFER).read()
    try:
        scores = cbor2.loads(content)
        # CBOR can refer to what it has said before, so that a few bytes stand for very many.
        size = sum(len(user) + sum(map(len, items)) for user, items in scores.items())
        kinds = {kind for items in scores.values() for kind in map(type, items.values())}
        if size > len(content) or not kinds <= {int, float}:
            raise TypeError("it has values that are not scores, or refers to itself")
        as_json = json.dumps(scores).encode()
    except (cbor2.CBORDecodeError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise TableError(
            f"{path} is packed twice, which only ranx does, but it does not hold scores of items "
            f"by user, which ranx saves ({shortened(str(error), 200)}). Save it as .json or .trec "
            "with ranx.Run.from_file(...).save(...)."
        ) from None
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, io.BytesIO(as_json))))


def most_unpacked(size: int) -> int:
    """Return the most bytes to which a packed file of this size may unpack."""
    if size > SMALL_FILE:
        return LARGEST_RATIO * size
    return min(LARGEST_OF_SMALL, max(LARGEST_RATIO * size, LARGEST_OF_SMALL // _parts.get()))


_parts: ContextVar[int] = ContextVar("parts", default=1)


@contextmanager
def parts_of_a_table(number: int) -> Iterator[None]:
    """Limit many small files of one table to the total unpacked size that one of them may have."""
    token = _parts.set(number)
    try:
        yield
    finally:
        _parts.reset(token)


def too_much_unpacked(path: Path, size: int, most: int = 0) -> TableError:
    """Return the error for a file that unpacks to more than files of ratings do."""
    most = most or most_unpacked(size)
    return TableError(
        f"{path} has {size:,} bytes, but unpacks to more than {most >> 20:,} MiB. Files of ratings "
        "rarely do. If this is what you expect, unpack it (write Parquet without compression) and "
        "name the unpacked file."
    )


_BUFFER = 1 << 16


class _Limited(io.RawIOBase):
    """The unpacked content of a file, up to the limit for a file of its size."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._size = path.stat().st_size
        self._left = most_unpacked(self._size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._file.read(min(len(buffer), 1 << 20))
        buffer[: len(piece)] = piece
        self._left -= len(piece)
        if self._left < 0:
            raise too_much_unpacked(self._path, self._size)
        return len(piece)


def is_of_system(error: OSError) -> bool:
    """Tell whether an error is of the operating system, rather than about damaged content.

    Those of bz2, gzip and Arrow have no number, and a damaged zip archive names places before its
    beginning, which the system calls an invalid argument.
    """
    return error.errno not in (None, errno.EINVAL)


@contextmanager
def _sentences_for_damage(path: Path) -> Iterator[None]:
    """Turn the errors of libraries for damaged or cut-off data into sentences."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        damage: Exception = error
    except (RuntimeError, NotImplementedError) as error:
        # zipfile raises this for passwords and for unknown methods.
        raise TableError(
            f"{path} cannot be unpacked here ({shortened(str(error), 200)}). Unpack it with the "
            "program that packed it."
        ) from None
    except OSError as error:
        if is_of_system(error):
            raise
        damage = error
    else:
        return
    told = shortened(str(damage).removesuffix("."), 200)
    raise TableError(
        f"{path} is packed, but cannot be unpacked to its end ({told}). It was cut off or damaged. "
        "Get it again, and check that it has the size of the original."
    )


_VERSIONED = {"_delta_log": "Delta Lake", ".hoodie": "Apache Hudi"}


def files_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return all files in a folder, and those of data by their names; refuse one of versions."""
    every = [own for own in sorted(folder.rglob("*")) if own.is_file()]
    found = {part for own in every for part in own.relative_to(folder).parts if part in _VERSIONED}
    for mark in found:
        raise TableError(
            f"{folder} is a table of {_VERSIONED[mark]} (it has {mark}), so its files may also "
            "have rows of former versions. Read it with a library for such tables, and give the "
            "data frame, or write it as Parquet."
        )
    return every, [own for own in every if _is_named_as_data(own, folder)]


def _is_named_as_data(path: Path, folder: Path) -> bool:
    """Tell whether the name of a file is one of data, and neither hidden nor that of a backup."""
    parts = path.relative_to(folder).parts
    is_left_out = any(own.startswith((".", "_")) for own in parts)
    return not is_left_out and _OF_EDITORS.fullmatch(path.name) is None


def bare_suffix(path: Path) -> str:
    """Return the extension of a file, ignoring the extension for its compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSIONS]
    return suffixes[-1] if suffixes else ""
