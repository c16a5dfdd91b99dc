# SPDX-License-Identifier: MIT
"""Detect the layout of a text table: its delimiter, and whether it has a header."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from receval.data.packed_files import bare_suffix
from receval.data.reading import AS_FOUND, UNREAD, ReadingOptions, TableError
from receval.data.text_lines import QUOTED, opened_text
from receval.notes import Note
from receval.storage.messages import enumerated, quoted, shortened

DELIMITERS = {".csv": ",", ".tsv": "\t", ".inter": "\t", ".dat": "::"}
"""The usual delimiter of each file extension; it breaks ties between equally likely ones."""

WORDS = {",": "commas", "\t": "tabs", "::": "'::'", ";": "semicolons", "|": "'|'", " ": "spaces"}
"""The names of delimiters in messages."""

FIRST_LINES = 1000
"""The number of lines from which the layout is detected."""

_TRIED = ("\t", "::", ";", "|", ",", " ")

_NO_SPACE = re.compile(r"[^ \t\r\n\x0b\x0c]+")

_SPACES = " \t\r\n"
"""White space around a cell that Arrow takes away from numbers, too."""

_FIRST_BYTES = 1 << 22
_PIECE = 1 << 16

_LONGEST_CELL = 1 << 27

MOST_COLUMNS = 100_000
"""The most columns of a table; a file with more is of another kind."""

_MOST_IN_A_LINE = 50
"""The most cells of a file that has a single line."""

INDEX_NAMES = ("", "Unnamed: 0", "index", "__index_level_0__")
"""Names that pandas gives to an index."""

_FEWEST = 3
"""The usual minimum of cells in a line of ratings or of a run."""

_MOST = 0.9
"""With the right delimiter, at least this share of the first lines has the same number of cells."""


@dataclass(frozen=True)
class Layout:
    """How to read the lines of a text file.

    A single space as delimiter stands for any white space. ``header`` has the names in the first
    line, if it has names, and ``records`` the cells of the first lines without it. ``n_columns`` is
    the number of cells in the first line. ``has_index`` says that the first column is an index
    written by pandas, and not data; ``are_numbers``, that the header numbers the columns, as pandas
    does if they have no names; and ``has_quotes``, that quote marks around a cell are not part of
    it.
    """

    delimiter: str
    header: tuple[str, ...] | None
    n_columns: int
    records: tuple[list[str], ...] = ()
    has_index: bool = False
    are_numbers: bool = False
    has_quotes: bool = True

    @property
    def first_row(self) -> int:
        """The line number of the first row, from 1."""
        return 1 if self.header is None else 2

    @property
    def form(self) -> str:
        """The form of the text, in words."""
        header = "a header" if self.header is not None else "no header"
        if self.are_numbers:
            header += " that numbers the columns"
        index = ", without its first column, which is an index" if self.has_index else ""
        return f"text with {self.delimiter_in_words} and {header}{index}"

    @property
    def delimiter_in_words(self) -> str:
        """The delimiter, in words."""
        return WORDS.get(self.delimiter, quoted(self.delimiter))

    @property
    def is_quoted(self) -> bool:
        """Whether cells may be in quotes."""
        return self.has_quotes and self.delimiter in QUOTED


def layout_of(
    path: Path,
    names: Mapping[str, Collection[str]],
    asked: Collection[str] = (),
    options: ReadingOptions = AS_FOUND,
) -> Layout:
    """Detect the layout of a text file from its first thousand lines.

    The delimiter is the one that gives most lines the same number of cells; of several, the one
    that gives known names, then most columns of numbers, then most cells. The first line is a
    header if it has a name that was asked for, or numbers the columns from 0. It is not a header if
    a cell is a number. Otherwise it is one if it has a known name (``names``, by column); if it has
    none, it could be either, and is refused. With a list of columns, it is only a header if it has
    a known name for each of them.
    """
    lines = first_lines(path, options.encoding)
    if not lines or not lines[0].strip():
        raise TableError(f"{path}: the first line is empty. It must be a header or a row.")
    if "\0" in lines[0]:
        raise TableError(
            f"{path}, line 1 has a null character. Check whether this is another kind of file, or "
            "another encoding (encoding=..., in a command: --encoding utf-16-le)."
        )
    usual = DELIMITERS.get(bare_suffix(path), "")
    known = {name for all_of_one in names.values() for name in all_of_one}
    delimiter = options.delimiter or delimiter_of(path, lines, usual, known)
    cells = lines[0].count(delimiter) + 1
    if cells > MOST_COLUMNS:
        told = WORDS.get(delimiter, quoted(delimiter))
        raise TableError(
            f"{path}, line 1 has {cells:,} cells between {told}, but a table has at most "
            f"{MOST_COLUMNS:,} columns. Write one row per user and item."
        )
    first, *rest = _records(lines, delimiter, has_quotes=options.quotes is not False)
    if not rest and len(first) > _MOST_IN_A_LINE:
        raise TableError(
            f"{path} has a single line, of {len(first):,} cells. Check the ends of its lines: each "
            "must be a line feed, a carriage return, or both."
        )
    if rest and len(first) != len(rest[0]) and not any(map(is_number, first)):
        _refuse_other_first_line(path, lines[0], first, rest, delimiter)
    header, are_numbers = options.header, False
    if header is None and options.columns is not None:
        # They are for files without a header, but a line of names is no row.
        roles = zip(options.columns, first, strict=False)
        header = len(options.columns) == len(first) and all(
            role == UNREAD or plain_name(cell) in names.get(role, ()) for role, cell in roles
        )
    elif header is not False:
        are_numbers = bool(rest) and may_number_columns(first)
    if header is None:
        has_number = any(is_number(cell) or is_number(cell.replace(",", ".")) for cell in first)
        is_known = any(plain_name(cell) in known for cell in first)
        header = any(cell in asked for cell in first) or (is_known and not has_number)
        is_usual = are_numbers and _number_the_columns(first)
        are_numbers = is_usual or (are_numbers and not header and not _may_be_row(first, rest))
        header = header or are_numbers
        if are_numbers and (not is_usual or len(first) == 2 or _go_on_counting(first, rest)):
            raise TableError(
                f"{path}: the first line ({enumerated(first)}) may be a header that numbers the "
                "columns, or a row. Set header=True or header=False (in a command: --header or "
                "--no-header)."
            )
        if not header and _names_items(first, known):
            raise TableError(
                f"{path}: the first line ({enumerated(first)}) seems to have items, so that the "
                "rows are those of a matrix of users by items. Write a row for each rating, or "
                "save a sparse matrix (.npz), unless it is another table. If it is a row, set "
                "header=False (in a command: --no-header)."
            )
        if not header and not has_number and len(first) == 1:
            _refuse_single_cells(path, lines[0], [first, *rest])
        if not header and not has_number:
            raise TableError(
                f"{path}: the first line ({enumerated(first)}) has neither a known name nor a "
                "number, so it may be a header or a row. If it is a header, name the columns, "
                f"such as user={quoted(first[0])} (in a command: --user). If it is a row, set "
                "header=False (--no-header)."
            )
    has_index = bool(header) and len(first) > 1 and _names_an_index(first, are_numbers)
    return Layout(
        delimiter,
        tuple(first) if header else None,
        len(first),
        tuple(rest if header else [first, *rest]),
        has_index,
        bool(header) and are_numbers,
        options.quotes is not False,
    )


COMMENTS = ("#", "%", "sep=", "//")
"""How lines begin that are for a person or for another program."""


def _refuse_other_first_line(
    path: Path, line: str, first: Sequence[str], rest: Sequence[Sequence[str]], delimiter: str
) -> None:
    """Refuse a comment, and names of columns of which the rows have one more."""
    if line.startswith(COMMENTS):
        raise TableError(
            f"{path}, line 1 ({shortened(line)}) seems to be a comment or a mark for another "
            "program. Remove it."
        )
    if len(first) == 1 and len(rest[0]) > 1:
        raise TableError(
            f"{path}, line 1 ({shortened(line)}) has one cell, unlike the next row, and seems to "
            "be a title. Remove the lines above the table."
        )
    numbers = [str(number) for number in range(1, len(rest) + 1)]
    commas = advice_on_commas(rest[0], len(first), delimiter)
    if commas and [row[0] for row in rest] != numbers:
        raise TableError(
            f"{path}: line 1 has {len(first)} cells, but line 2 has {len(rest[0])}.{commas}"
        )
    if {len(row) for row in rest} == {len(first) + 1}:
        raise TableError(
            f"{path}: line 1 has {len(first)} cells, but all others have one more, as where R "
            "writes names of rows, or where rows end in a delimiter. Leave out the names of rows "
            f"(row.names = FALSE), or name this column, too.{commas}"
        )


def _names_items(first: Sequence[str], known: Collection[str]) -> bool:
    """Tell whether a first line has numbers below which no name but the first can belong."""
    name, *items = first
    is_name = name in INDEX_NAMES or plain_name(name) in known
    return is_name and len(items) > 1 and all(map(is_number, items)) and len(set(items)) > 1


def _refuse_single_cells(path: Path, line: str, rows: Sequence[Sequence[str]]) -> None:
    """Refuse lines of one cell each, which no delimiter separates."""
    if any(len(row) > 1 for row in rows):
        return
    if line.startswith('"') and any(delimiter in line for delimiter in QUOTED):
        raise TableError(
            f"{path}: each line is in quotes, which makes it one cell ({shortened(line)}). Remove "
            "the quotes around lines."
        )
    raise TableError(
        f"{path}: no delimiter that is tried (such as a comma, a tab or a space) separates the "
        f"cells of line 1 ({shortened(line)}). Set it: delimiter=... (in a command: "
        "--delimiter ...)."
    )


def first_lines(path: Path, encoding: str | None = None) -> list[str]:
    """Return the first lines of a text, without line ends."""
    start, piece = bytearray(), b"first"
    with opened_text(path, encoding) as file:
        while piece and start.count(b"\n") <= FIRST_LINES and len(start) < _FIRST_BYTES:
            piece = file.read(_PIECE)
            start += piece
    lines = bytes(start).split(b"\n", FIRST_LINES)
    if piece or len(lines) > FIRST_LINES:
        # The last line is incomplete.
        lines = lines[:-1] or lines
    # Invalid bytes are reported with their place when the whole file is read.
    texts = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in lines]
    while len(texts) > 1 and not texts[-1]:
        texts.pop()
    return texts


def plain_name(name: str) -> str:
    """Return a column's name for comparison: in lower case, without punctuation, types and remarks.

    Examples
    --------
    >>> plain_name("user_id:token"), plain_name("User ID"), plain_name("Rating (1-5)")
    ('userid', 'userid', 'rating')
    """
    own = name.partition(":")[0]
    own = own.partition("(")[0] or own
    return "".join(sign for sign in own.lower() if sign.isalnum())


def split_line(line: str, delimiter: str, *, has_quotes: bool = True) -> list[str]:
    """Return the cells of a line; quotes around a cell may not be part of it."""
    if has_quotes and '"' in line and delimiter in QUOTED:
        text = io.StringIO(line, newline="")
        with cells_of_any_length():
            return [cell.strip(_SPACES) for cell in next(csv.reader(text, delimiter=delimiter), [])]
    cells = _NO_SPACE.findall(line) if delimiter == " " else line.split(delimiter)
    return [cell.strip(_SPACES) for cell in cells]


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Let Python's CSV reader accept cells as long as the texts of reviews."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def is_number(text: str) -> bool:
    """Tell whether a cell can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    # Python ignores more signs around a number than Arrow does.
    return "_" not in text and text.isascii() and text.strip() == text.strip(_SPACES)


_POINTS_AND_COMMA = re.compile(r"[-+]?\d{1,3}(\.\d{3})+,\d+")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}([,.'_\s]\d{3})+([.,]\d+)?")


_WITH_COMMA = re.compile(r"[-+]?\d+,\d{1,6}")


def advice_on_commas(cells: Sequence[str], n_columns: int, delimiter: str) -> str:
    """Return a sentence if a row has more cells than columns as its numbers have decimal commas."""
    pair = next(filter(_WITH_COMMA.fullmatch, map(",".join, pairwise(cells[2:]))), None)
    are_numbers = all(map(is_number, cells[2:]))  # Otherwise, a title may have a comma.
    if delimiter != "," or len(cells) <= n_columns or pair is None or not are_numbers:
        return ""
    return (
        f" Numbers may have decimal commas, such as {pair}, where commas separate cells. "
        "Write points, or put quotes around the numbers, or separate cells by semicolons."
    )


def has_thousands(text: str) -> bool:
    """Tell whether a number seems to have marks between thousands."""
    return _THOUSANDS.fullmatch(text) is not None


_POINTS_IN_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")


def may_have_thousands(cells: Sequence[str], parts: Iterable[NDArray[Any]]) -> bool:
    """Tell whether points may separate thousands, by the first cells and all numbers as read."""
    if not all(_POINTS_IN_THOUSANDS.fullmatch(cell) for cell in cells if "." in cell):
        return False
    are_whole, is_likely = False, False
    for part in parts:
        numbers = np.abs(part[~np.isnan(part)])
        own = 1000 * numbers[numbers != np.rint(numbers)]
        if not ((np.abs(own - np.rint(own)) < _ROUNDING) & (own > 1000) & (own < 1e6)).all():
            return False
        are_whole |= len(own) < len(numbers)
        # 3.000 is no fraction, but a scale has no numbers from 100 on beside it.
        is_likely |= len(own) > 0 or bool(numbers.max(initial=0) >= 100)
    return are_whole and is_likely


_ROUNDING = 1e-6


def doubts_on_thousands(source: str, column: str, cells: Collection[str]) -> list[Note]:
    """Return a note if points in numbers may separate thousands, as in 3.000 beside 900."""
    with_points = [cell for cell in cells if "." in cell]
    are_alike = with_points and all(map(_POINTS_IN_THOUSANDS.fullmatch, with_points))
    if not are_alike or not any(cell.lstrip("+-").isdecimal() for cell in cells):
        return []
    text = (
        f"{Path(source).name}: numbers in {shortened(column)} have three digits behind a point, or "
        f"no point, such as {shortened(with_points[0])}. They were read as fractions. If points "
        "separate thousands, write numbers without them."
    )
    return [Note("fractional-counts", text)]


def advice_on_number(text: str) -> str:
    """Return a sentence for a text that is no number but has one; empty if it has none."""
    if has_thousands(text):
        return " It seems to have marks between thousands. Write it without them."
    if text.lower() in ("true", "false", "yes", "no"):
        return " Write 1 for true and 0 for false."
    return " Write the number alone." if any(sign.isdecimal() for sign in text) else ""


def _records(lines: Sequence[str], delimiter: str, *, has_quotes: bool = True) -> list[list[str]]:
    """Return the cells of lines; a cell in quotes may span several lines."""
    if has_quotes and delimiter in QUOTED and any('"' in line for line in lines):
        # A carriage return alone also ends a row.
        text = io.StringIO("\n".join(lines), newline="")
        with cells_of_any_length():
            rows = list(csv.reader(text, delimiter=delimiter))
        if len(rows) > _FEWEST and rows[-1] and "\n" in rows[-1][-1]:
            # The first lines may end within a quoted cell.
            rows.pop()
        return [[cell.strip(_SPACES) for cell in row] for row in rows if row]
    return [split_line(line, delimiter, has_quotes=has_quotes) for line in lines if line.strip()]


@dataclass(frozen=True, order=True)
class _Split:
    """How well a delimiter splits the first lines: the larger, the better."""

    n_names: int
    is_complete: bool
    n_numbers: int
    are_enough: bool
    is_sign: bool
    n_cells: int

    @classmethod
    def by(
        cls, delimiter: str, lines: Sequence[str], known: Collection[str], mark: str
    ) -> _Split | None:
        """Return how a delimiter splits lines; None if not most of them into as many cells."""
        records = _records(lines, delimiter)
        counts = Counter(map(len, records))
        cells, lines_with = counts.most_common(1)[0]
        if cells < 2 or lines_with < _MOST * counts.total():
            return None
        first, *rest = records
        columns = zip(*(record for record in rest or [first] if len(record) == cells), strict=True)
        n_numbers = sum(
            # Ratings, scores and times may have a decimal comma; identifiers have none.
            all(is_number(cell.replace(",", mark) if place > 1 else cell) for cell in column)
            for place, column in enumerate(columns)
        )
        has_numbers = any(map(is_number, first))
        n_names = 0 if has_numbers else sum(plain_name(name) in known for name in first)
        return cls(
            n_names,
            len(first) == cells and lines_with == counts.total(),
            n_numbers,
            cells >= _FEWEST,
            # White space also separates words, and all lines may have as many words.
            delimiter != " ",
            cells,
        )


def delimiter_of(
    path: Path, lines: Sequence[str], usual: str = "", known: Collection[str] = ()
) -> str:
    """Return the delimiter that splits the first lines best; refuse two that do so equally well."""
    splits: dict[str, _Split] = {}
    for delimiter in dict.fromkeys([usual, *_TRIED] if usual else _TRIED):
        is_there = any(delimiter in line for line in lines)
        if is_there and lines[0].count(delimiter) < MOST_COLUMNS:
            mark = "," if delimiter == " " and usual == "," else "."
            split = _Split.by(delimiter, lines, known, mark)
            if split is not None:
                splits[delimiter] = split
    if not splits:
        in_first = [own for own in (usual, *_TRIED) if own and own in lines[0].strip()]
        return in_first[0] if in_first else usual or ","
    likeliest = max(splits, key=splits.__getitem__)
    best = splits[likeliest]
    equal = [own for own, split in splits.items() if split == best]
    words = splits.get(" ")
    if words is not None and best.n_cells == 2 and likeliest != " " and not best.n_names:
        # A pair may also be words of which one has the sign, such as a decimal comma.
        is_as_likely = words.n_cells == 2 and words.n_numbers == best.n_numbers
        equal += [" "] * (likeliest == usual or is_as_likely)
    if len(equal) > 1:
        told = " or ".join(WORDS[delimiter] for delimiter in equal)
        raise TableError(
            f"{path}: the cells may be separated by {told}, as in {quoted(lines[0])}. Set the "
            "right one with delimiter=... (in a command: --delimiter ...)."
        )
    return equal[0]


def _number_the_columns(cells: Sequence[str]) -> bool:
    """Tell whether a first line is 0,1,2 and so on, perhaps after the empty name of an index."""
    names = cells[1:] if cells[0] in INDEX_NAMES else cells
    return len(names) > 1 and list(names) == [str(number) for number in range(len(names))]


def may_number_columns(cells: Sequence[str]) -> bool:
    """Tell whether names may be numbers of columns, in any order and perhaps not of all."""
    names = cells[1:] if cells[0] in INDEX_NAMES else cells
    if len(names) < 2 or not all(map(_NUMBER_OF_COLUMN.fullmatch, names)):
        return False
    numbers = [float(name) for name in names]
    is_likely = len(numbers) <= _MOST_UNORDERED or numbers == sorted(numbers)
    return is_likely and len(set(numbers)) == len(numbers) and max(numbers) <= len(numbers)


_MOST_UNORDERED = 4
_NUMBER_OF_COLUMN = re.compile(r"\d+(\.0)?")


def _may_be_row(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Tell whether numbers are those of a row: the next row has the user, others the item."""
    if first[0] in INDEX_NAMES:
        return False
    is_next = first[0] == rest[0][0] and any(first[1] in row[1:2] for row in rest)
    return is_next or (len(rest) < _FEW_ROWS and _is_like_few([first, *rest]))


_FEW_ROWS = 10
_SMALL_NUMBER = re.compile(r"[1-9]\d?")


def _is_like_few(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first of a few short rows is in disorder, or has users and items as near."""
    if not all(len(row) > 2 and all(map(_SMALL_NUMBER.fullmatch, row)) for row in rows):
        return False
    (user, *users), (item, *items) = ([int(row[place]) for row in rows] for place in (0, 1))
    is_user, is_item = (
        min(others) <= own + 1 and own <= max(others) + 1
        for own, others in ((user, users), (item, items))
    )
    return (is_user and is_item) or list(rows[0]) != sorted(rows[0], key=int)


def _go_on_counting(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Tell whether the rows after 0,1,2 begin with 1, 2 and so on, so that it may be row 0."""
    counted = [str(number) for number in range(1, len(rest) + 1)]
    return first[0] == "0" and len(rest) > 1 and [row[0] for row in rest] == counted


def _names_an_index(cells: Sequence[str], are_numbers: bool) -> bool:
    """Tell whether the first name of a header is that of an index written by pandas."""
    return cells[0] in ("", "Unnamed: 0") or (are_numbers and cells[0] in INDEX_NAMES)


def has_decimal_commas(cells: Sequence[str], where: str) -> bool:
    """Tell whether numbers have a decimal comma."""
    with_commas = [cell for cell in cells if "," in cell]
    if any(map(_POINTS_AND_COMMA.fullmatch, with_commas)):
        return True  # Points between thousands are refused in their line.
    if not with_commas or any("." in cell for cell in cells):
        return False
    if not all(is_number(cell.replace(",", ".")) for cell in with_commas):
        return False
    if all(len(cell.rpartition(",")[2]) == 3 for cell in with_commas):
        raise TableError(
            f"{where} may have decimal commas or commas between thousands, such as "
            f"{shortened(with_commas[0])}. For decimal commas, set decimal=',' (in a command: "
            "--decimal ,). Otherwise, write thousands without commas."
        )
    return True
