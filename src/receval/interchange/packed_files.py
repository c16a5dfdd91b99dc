# SPDX-License-Identifier: MIT
"""Files that may be packed, whatever they are called: known by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from receval.interchange.errors import TableError
from receval.storage.messages import enumerated, shortened

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip")
"""How the names of packed files end, behind what says what is in them."""


def _of_arrow(codec: str) -> Callable[[BinaryIO], BinaryIO]:
    def unpacked(file: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(pa.CompressedInputStream(file, codec)))

    return unpacked


def _only_member(file: BinaryIO) -> BinaryIO:
    archive = zipfile.ZipFile(file)
    names = [
        name
        for name in archive.namelist()
        if not (name.endswith("/") or name.startswith("__MACOSX/") or "/." in f"/{name}")
    ]
    if len(names) != 1:
        raise TableError(
            f"{file.name} holds {len(names)} files ({enumerated(names)}), and must hold one: "
            "unpack it, and name the file that is meant."
        )
    return cast(BinaryIO, archive.open(names[0]))


_LZ4 = b"\x04\x22\x4d\x18"

_UNPACKED: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": lambda file: cast(BinaryIO, gzip.GzipFile(fileobj=file)),
    b"BZh": lambda file: cast(BinaryIO, bz2.BZ2File(file)),
    b"\xfd7zXZ\x00": lambda file: cast(BinaryIO, lzma.LZMAFile(file)),  # noqa: SIM115
    b"\x28\xb5\x2f\xfd": _of_arrow("zstd"),
    _LZ4: _of_arrow("lz4"),
    b"PK\x03\x04": _only_member,
}
"""What unpacks a file, by its first bytes."""


def is_packed(path: Path) -> bool:
    """Tell whether a file is packed, by its first bytes."""
    with path.open("rb") as file:
        return file.peek(8).startswith(tuple(_UNPACKED))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, unpacked if it is packed.

    gzip, bz2, xz, zstd and lz4 are known by their first bytes, and so is a zip archive, which must
    hold one file.

    Raises
    ------
    TableError
        What is packed is damaged or cut off, also while it is read.
    """
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        start = file.peek(8)
        for magic, unpacked in _UNPACKED.items():
            if start.startswith(magic):
                with _sentences_for_damage(path):
                    content = stack.enter_context(unpacked(file))
                    if content.peek(4)[:4] == _LZ4:  # type: ignore[attr-defined]
                        raise TableError(
                            f"{path} is packed twice, as ranx alone does: save it as .json or "
                            ".trec by ranx.Run.from_file(...).save(...)."
                        )
                    yield content
                return
        yield file


@contextmanager
def _sentences_for_damage(path: Path) -> Iterator[None]:
    """Say in a sentence what libraries raise for packed bytes that are damaged or cut off."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        damage: Exception = error
    except (RuntimeError, NotImplementedError) as error:
        # What zipfile says of passwords, and of methods that it does not know.
        raise TableError(
            f"{path} cannot be unpacked here ({shortened(str(error), 200)}): unpack it by the "
            "program that packed it."
        ) from None
    except OSError as error:
        # The system's own errors have numbers; those of bz2, gzip and Arrow have none.
        if error.errno is not None:
            raise
        damage = error
    else:
        return
    told = shortened(str(damage).removesuffix("."), 200)
    raise TableError(
        f"{path} is packed, and cannot be unpacked to its end ({told}): it was cut off or damaged. "
        "Get it again, and look whether its size is that of the original."
    )


def bare_suffix(path: Path) -> str:
    """Return how a file's name ends, without what says that it is packed.

    Examples
    --------
    >>> bare_suffix(Path("runs/mine.TSV.gz"))
    '.tsv'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSIONS]
    return suffixes[-1] if suffixes else ""
