# SPDX-License-Identifier: MIT
"""Read the lines of a text file in any encoding and with any line ends, and count them."""

from __future__ import annotations

import codecs
import io
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from receval.data.packed_files import opened
from receval.data.reading import TableError
from receval.storage.messages import shortened

BLOCK = 1 << 23
"""Bytes that are processed at once."""

_LINES = 1 << 22
"""Bytes that Arrow takes at once; smaller blocks are faster, but repeat identifiers."""

_FIRST_PIECE = 1 << 16
"""Bytes that are taken first; many files are no larger."""

_PART = 1 << 18
"""Bytes in which line ends are counted at once."""

QUOTED = (",", ";", "\t", "|")
"""Delimiters of files whose cells may be quoted."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FIRST_BYTES = 64
_NULLS = {"utf-16-be": 0, "utf-16-le": 1}
_OF_EAST_ASIA = ("shift_jis", "gb18030", "big5", "euc_jp", "euc_kr")
"""Encodings that a message names if a line fits them and may have East Asian letters."""

_IN_PAIRS = re.compile(rb"[\x80-\xff]{2}|[\x81-\x9f]")
_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
_LINE_END = ord("\n")
_PLAIN = ("utf-8", "utf-8-sig")
_OTHER_SPACES = (b"\t", b"\r", b"\x0b", b"\x0c")
_AS_SPACES = bytes.maketrans(b"".join(_OTHER_SPACES), b" " * len(_OTHER_SPACES))


@contextmanager
def opened_text(path: Path, encoding: str | None = None) -> Iterator[BinaryIO]:
    """Open a text for reading as UTF-8, with a line feed at the end of each line.

    An unknown encoding, and bytes that do not fit it, are refused, also while reading.
    """
    encoding = encoding_of(path, encoding)
    with opened(path) as packed, _sentences_for_other_bytes(path, encoding):
        file = packed
        if encoding not in _PLAIN:
            file = _of_pieces(file, _as_utf8(codecs.getincrementaldecoder(encoding)()))
        elif file.peek(3)[:3] == codecs.BOM_UTF8:  # type: ignore[attr-defined]
            file.read(3)
        if _ends_with_returns(file):
            file = _of_pieces(file, _with_line_feeds())
        yield file


def encoding_of(path: Path, asked: str | None = None) -> str:
    """Return the encoding of a text: as asked for, as its first bytes say, or UTF-8."""
    if asked is not None:
        try:
            name = codecs.lookup(asked).name
            "".encode(name)
        except LookupError:
            raise TableError(
                f"There is no encoding {shortened(asked)}. Set one that Python knows, such as "
                "utf-8, latin-1, cp1252 or utf-16."
            ) from None
        if name not in _PLAIN:
            return name
    with opened(path) as file:
        start = file.read(_FIRST_BYTES)
    marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
    if marked is None and len(start) > 3 and start.count(0) == len(start) // 2:
        # Digits and delimiters in UTF-16 have a null in every second byte.
        return next((name for name, own in _NULLS.items() if not any(start[own::2])), "utf-8")
    return marked or "utf-8"


def other_encoding(path: Path, asked: str | None = None) -> str:
    """Return in words the encoding of a text if it is not UTF-8, to be put after its form."""
    encoding = encoding_of(path, asked)
    return "" if encoding in _PLAIN else f" in {encoding}"


def line_of_row(
    path: Path, encoding: str | None, is_row: Callable[[bytes], object], row: int
) -> int:
    """Return the line number of a row, counted from 0, by reading the lines of a text again."""
    with opened_text(path, encoding) as file:
        return next(islice((n for n, line in enumerate(file, 1) if is_row(line)), row, None))


def check_encoding(path: Path, encoding: str | None = None) -> None:
    """Refuse bytes that do not fit the encoding, for readers that accept any bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with opened_text(path, encoding) as file:
        try:
            while block := file.read(BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            wrong = bytes_that_are_no_text(path, encoding)
            raise wrong or TableError(f"{path} is not text: {error}.") from None


def bytes_that_are_no_text(path: Path, encoding: str | None = None) -> TableError | None:
    """Return an error for the first bytes that do not fit the encoding of a text, if any."""
    if encoding_of(path, encoding) not in _PLAIN:
        return None
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return TableError(
                    f"{path}, line {number}: byte {error.start + 1} of the line is "
                    f"0x{line[error.start]:02X}, so the file is not UTF-8 text. {_guessed(line)}"
                )
    return None


def _guessed(line: bytes) -> str:
    """Return a sentence on the likely encoding of a line."""
    from charset_normalizer import from_bytes  # for an error alone

    best = from_bytes(line).best()
    if best is None or b"\x00" in line:
        return "Check whether it is another kind of file."
    # Most such files are Western European, and one line is too short for a good guess.
    names = ["cp1252" if _OF_WINDOWS.search(line) and _can_be_in(line, "cp1252") else "latin-1"]
    if best.encoding in _OF_EAST_ASIA or _IN_PAIRS.search(line):
        names = [*(name for name in _OF_EAST_ASIA if _can_be_in(line, name)), *names]
    if len(names) == 1:
        return (
            f"It may be {names[0]}. Set encoding={names[0]!r} (in a command: --encoding "
            f"{names[0]}) and check the identifiers, as others fit too (mac_roman, cp1251), or "
            "write the file in UTF-8."
        )
    return (
        f"It may be {', '.join(names[:-1])} or {names[-1]}; one line does not tell, and a wrong "
        "one turns identifiers into others. Set the right one (encoding=..., in a command: "
        "--encoding ...), or write the file in UTF-8."
    )


def _can_be_in(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def _sentences_for_other_bytes(path: Path, encoding: str) -> Iterator[None]:
    try:
        yield
    except UnicodeError as error:
        if encoding in _PLAIN:
            raise
        raise TableError(f"{path} is not text in {encoding}: {error}.") from None


def _ends_with_returns(file: BinaryIO) -> bool:
    """Tell from the first lines whether most end in a carriage return alone."""
    start = file.peek(1 << 16)  # type: ignore[attr-defined]
    both = start.count(b"\r\n")
    alone = start.removesuffix(b"\r").count(b"\r") - both
    return alone > start.count(b"\n") - both and alone >= both


def _as_utf8(decoder: codecs.IncrementalDecoder) -> Callable[[bytes], bytes]:
    def recoded(piece: bytes) -> bytes:
        text = str(decoder.decode(piece, final=not piece))
        return text.removeprefix("\ufeff").encode()

    return recoded


def _with_line_feeds() -> Callable[[bytes], bytes]:
    is_within_end = False

    def rewritten(piece: bytes) -> bytes:
        nonlocal is_within_end
        if is_within_end and piece.startswith(b"\n"):
            piece = piece[1:]  # Its carriage return became a line feed.
        is_within_end = piece.endswith(b"\r")
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    return rewritten


class _Pieces(io.RawIOBase):
    """A file object whose content is produced piece by piece."""

    def __init__(self) -> None:
        self._left = b""
        self._begin = 0
        self._has_ended = False

    @abstractmethod
    def _piece(self) -> bytes:
        """Return the next piece, which is empty at the end only."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            return self.readall()
        while self._begin == len(self._left) and not self._has_ended:
            self._left, self._begin = self._piece(), 0
            self._has_ended = not self._left
        end = min(self._begin + size, len(self._left))
        # A whole piece is not copied.
        whole = self._begin == 0 and end == len(self._left)
        read = self._left if whole else self._left[self._begin : end]
        self._begin = end
        return read

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class Lines(_Pieces):
    r"""Whole lines of a text in blocks for Arrow's reader, with what was counted on the way.

    A delimiter of several characters becomes a tab; a space stands for any white space, which
    becomes a single space. ``delimiter`` is that of the lines that are returned. ``rows`` and
    ``blanks`` count the lines with and without content that were read so far. ``are_plain`` says
    whether all quotes, if any, enclose whole cells within one line, and ``has_thousands`` whether
    a cell may have a point between thousands, as in 3.000. No more than a block is held in memory.

    Examples
    --------
    >>> spaced = io.BytesIO(b" ann\tbook  5 \r\nbob film 2\n")
    >>> lines = Lines(spaced, " ")
    >>> lines.read(), lines.delimiter, lines.rows
    (b'ann book 5\nbob film 2\n', ' ', 2)
    >>> Lines(io.BytesIO(b"ann::book\r\n"), "::").read()
    b'ann\tbook\n'
    >>> titles = Lines(io.BytesIO(b'1,"12 inches, vinyl",5\n'), ",")
    >>> _ = titles.read()
    >>> titles.are_plain
    True
    """

    def __init__(
        self, file: BinaryIO, delimiter: str, block: int = _LINES, *, has_quotes: bool = True
    ) -> None:
        super().__init__()
        self._given = file
        self._several = delimiter.encode() if len(delimiter) > 1 else b""
        self._has_quotes = has_quotes and delimiter in QUOTED
        self._block = block
        self._read = bytearray(min(block, _FIRST_PIECE))
        self._begun = b""
        self.delimiter = "\t" if self._several else delimiter
        self.rows = self.blanks = 0
        self.are_plain = True
        self.has_thousands = False
        self._in_thousands = _pattern_of_thousands(self.delimiter)

    def _piece(self) -> bytes:
        """Return the next whole lines."""
        while lines := self._whole_lines():
            if lines.endswith(b"\r"):  # The end of the file, cut within a line end.
                lines = lines[:-1]
            # A search for what is not there takes a fraction of counting it.
            returns = lines.count(b"\r") if b"\r" in lines else 0
            self.are_plain &= returns == (lines.count(b"\r\n") if returns else 0)
            if self.delimiter == " ":
                lines = _with_single_spaces(lines)
            elif self._several:
                lines = lines.replace(b"\r\n", b"\n").replace(self._several, b"\t")
            self._count(lines, returns)
            if lines:
                return lines
        return b""

    def _whole_lines(self) -> bytes:
        """Return the whole lines of a block, or one longer line."""
        # Read into the same memory, for new memory takes as long as reading.
        if self.rows and len(self._read) < self._block:
            self._read = bytearray(self._block)
        view = memoryview(self._read)
        size = self._given.readinto(view)  # type: ignore[attr-defined]
        end = self._read.rfind(b"\n", 0, size) + 1
        begun, self._begun = self._begun, b""
        if not end:
            return b"".join((begun, view[:size], self._given.readline()))
        self._begun = bytes(view[end:size])
        return b"".join((begun, view[:end]))

    def _count(self, lines: bytes, returns: int) -> None:
        # numpy finds many line ends in a tenth of the time of a search through bytes, in parts that
        # stay in the processor's cache.
        signs = np.frombuffer(lines, dtype=np.uint8)
        ends, has_blank = 0, lines.startswith((b"\n", b"\r\n"))
        for begin in range(0, len(signs), _PART):
            # The last sign of the part before belongs to a line end that begins this one.
            is_end = signs[max(begin - 1, 0) : begin + _PART] == _LINE_END
            has_blank = has_blank or bool((is_end[1:] & is_end[:-1]).any())
            ends += int(np.count_nonzero(is_end[min(begin, 1) :]))
        self.rows += ends + (not lines.endswith(b"\n"))
        if has_blank or (returns and b"\n\r\n" in lines):
            blanks = sum(not line.strip(b"\r") for line in lines.split(b"\n")[:ends])
            self.rows -= blanks
            self.blanks += blanks
        self.has_thousands = self.has_thousands or bool(self._in_thousands.search(lines))
        if self._has_quotes and b'"' in lines:
            self.are_plain &= _quotes_enclose_cells(lines, self.delimiter)


def _pattern_of_thousands(delimiter: str) -> re.Pattern[bytes]:
    """Return what finds 1 to 3 digits, a point, and 3 digits at the end of a cell.

    It begins with the point, as only a fixed sign is searched for fast.
    """
    before = "|".join(rf"(?<=(?<!\d)[1-9]{digits}\.\d\d\d)" for digits in ("", r"\d", r"\d\d"))
    return re.compile(rf'\.\d\d\d(?=["\s{re.escape(delimiter)}]|\Z)(?:{before})'.encode())


def _quotes_enclose_cells(lines: bytes, delimiter: str) -> bool:
    """Tell whether quotes enclose whole cells in pairs, without a line end between them."""
    signs = np.frombuffer(lines, dtype=np.uint8)
    places = np.flatnonzero(signs == ord('"'))
    if len(places) % 2:
        return False
    padded = np.concatenate(([ord("\n")], signs, [ord("\n")]))
    around = np.array([ord(delimiter), ord("\n"), ord("\r")], dtype=np.uint8)
    begins = np.isin(padded[places[0::2]], around)
    ends = np.isin(padded[places[1::2] + 2], around)
    line_ends = np.searchsorted(np.flatnonzero(signs == ord("\n")), places)
    return bool(begins.all() and ends.all() and (line_ends[0::2] == line_ends[1::2]).all())


def _with_single_spaces(lines: bytes) -> bytes:
    # Most files have only single spaces; looking for others takes a tenth of the parsing time.
    if any(space in lines for space in _OTHER_SPACES):
        lines = lines.translate(_AS_SPACES)
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    if b" \n" in lines:
        lines = lines.replace(b" \n", b"\n")
    if b"\n " in lines:
        lines = lines.replace(b"\n ", b"\n")
    return lines.removeprefix(b" ").removesuffix(b" ")


class _FilePieces(_Pieces):
    """The content of a file, of which each piece is rewritten; at last an empty one."""

    def __init__(self, file: BinaryIO, rewrite: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self._file = file
        self._rewrite = rewrite

    def _piece(self) -> bytes:
        read = True
        while read:
            piece = self._file.read(BLOCK)
            read = bool(piece)
            if rewritten := self._rewrite(piece):
                return rewritten
        return b""


def _of_pieces(file: BinaryIO, rewrite: Callable[[bytes], bytes]) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_FilePieces(file, rewrite), buffer_size=1 << 16))
