# SPDX-License-Identifier: MIT
"""Lines with one character between cells, in place of several, while they are read."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO, cast

BLOCK = 1 << 23
"""Bytes that are looked at together."""

_OTHER_SPACES = (b"\t", b"\r", b"\x0b", b"\x0c")
_AS_SPACES = bytes.maketrans(b"".join(_OTHER_SPACES), b" " * len(_OTHER_SPACES))


def lines_with_one_delimiter(
    file: BinaryIO, delimiter: str, block: int = BLOCK
) -> tuple[BinaryIO, str]:
    r"""Return a file's lines with one character between cells, and that character.

    The file is read block by block, and no more than one is held.

    Parameters
    ----------
    file : binary file
    delimiter : str
        Several characters, or a space, which stands for any white space.
    block : int
        Bytes that are looked at together.

    Examples
    --------
    >>> spaced = io.BytesIO(b" ann\tbook  5 \r\nbob film 2\n")
    >>> lines, delimiter = lines_with_one_delimiter(spaced, " ")
    >>> lines.read(), delimiter
    (b'ann book 5\nbob film 2\n', ' ')
    >>> lines_with_one_delimiter(io.BytesIO(b"ann::book\r\n"), "::")[0].read()
    b'ann\tbook\n'
    """
    if delimiter == " ":
        return _rewritten(file, _with_single_spaces, block), " "
    several = delimiter.encode()

    def with_tabs(lines: bytes) -> bytes:
        return lines.replace(b"\r\n", b"\n").replace(several, b"\t")

    return _rewritten(file, with_tabs, block), "\t"


def _with_single_spaces(lines: bytes) -> bytes:
    # Most files have single spaces alone; to look for others takes a tenth of the time of parsing.
    if any(space in lines for space in _OTHER_SPACES):
        lines = lines.translate(_AS_SPACES)
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    if b" \n" in lines:
        lines = lines.replace(b" \n", b"\n")
    if b"\n " in lines:
        lines = lines.replace(b"\n ", b"\n")
    return lines.removeprefix(b" ").removesuffix(b" ")


class _PlainLines(io.RawIOBase):
    """Whole lines of a file, block by block, as a function makes them."""

    def __init__(self, file: BinaryIO, rewrite: Callable[[bytes], bytes], block: int) -> None:
        self._file = file
        self._rewrite = rewrite
        self._block = block
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._left:
            lines = self._file.read(self._block)
            if not lines:
                return 0
            if not lines.endswith(b"\n"):
                lines += self._file.readline()
            self._left = memoryview(self._rewrite(lines))
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _rewritten(file: BinaryIO, rewrite: Callable[[bytes], bytes], block: int) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_PlainLines(file, rewrite, block)))
