# SPDX-License-Identifier: MIT
"""How a text file is laid out: what stands between its cells, and whether it has a header."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from receval.interchange.errors import TableError
from receval.interchange.packed_files import bare_suffix, opened
from receval.storage.messages import enumerated, quoted

DELIMITERS = {".csv": ",", ".tsv": "\t", ".inter": "\t", ".dat": "::"}
"""Of files by the end of their names; of others it is looked for in the first line."""

_TRIED = ("\t", "::", ";", ",", "|", " ")

_LONGEST_FIRST_LINE = 1 << 20


@dataclass(frozen=True)
class Layout:
    """How the lines of a text file are to be read.

    Attributes
    ----------
    delimiter : str
        Between cells; a single space stands for any white space.
    header : tuple of str, or None
        The names in the first line, where it has names.
    n_columns : int
        Cells of the first line.
    """

    delimiter: str
    header: tuple[str, ...] | None
    n_columns: int

    @property
    def first_row(self) -> int:
        """The line of the first row, from 1."""
        return 1 if self.header is None else 2


def layout_of(
    path: Path,
    names: Mapping[str, Collection[str]],
    asked: Collection[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
) -> Layout:
    """Find out how a text file is laid out, from its first line.

    The first line is a header if it has a name that was asked for; it is none if a cell is a
    number; otherwise it is one if it has a name that is known. A first line of which none of this
    is true could be either, and is refused.

    Parameters
    ----------
    path : Path
    names : mapping of str to collection of str
        Names by which a header may call each column.
    asked : collection of str
        Names that the caller gave.
    delimiter : str, optional
    header : bool, optional
        Whether the first line has names, if the caller knows.

    Raises
    ------
    TableError
        The file is empty, is no text, or it cannot be told whether it has a header.
    """
    with opened(path) as file:
        start = file.read(_LONGEST_FIRST_LINE)
    line = start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].removesuffix(b"\r")
    if not line.strip():
        raise TableError(f"{path}: the first line is empty; it needs a header or a row there.")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise TableError(
            f"{path}: the first line is no text in UTF-8. Is it another kind of file?"
        ) from None
    between = delimiter or DELIMITERS.get(bare_suffix(path), "")
    if not between or (delimiter is None and between not in text):
        # Some programs write semicolons into what they call CSV.
        between = _delimiter_of(text)
    cells = split_line(text, between)
    known = {name for all_of_one in names.values() for name in all_of_one}
    if header is None:
        has_number = any(map(is_number, cells))
        is_known = any(plain_name(cell) in known for cell in cells)
        header = any(cell in asked for cell in cells) or (is_known and not has_number)
        if not header and not has_number:
            raise TableError(
                f"{path}: the first line ({enumerated(cells)}) has neither a name that is known "
                f"({enumerated(sorted(known))}) nor a number. Say which columns are which, such as "
                f"user={quoted(cells[0])}, or header=False if this is a row."
            )
    return Layout(between, tuple(cells) if header else None, len(cells))


def plain_name(name: str) -> str:
    """Return a column's name as it is compared: in small letters, without signs and types.

    Examples
    --------
    >>> plain_name("user_id:token"), plain_name("User ID"), plain_name("userId")
    ('userid', 'userid', 'userid')
    """
    return "".join(sign for sign in name.partition(":")[0].lower() if sign.isalnum())


def split_line(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line; quotes around a cell are not part of it."""
    cells = line.split() if delimiter == " " else line.split(delimiter)
    return [cell.strip().removeprefix('"').removesuffix('"') for cell in cells]


def _delimiter_of(line: str) -> str:
    found = [delimiter for delimiter in _TRIED if delimiter in line.strip()]
    return found[0] if found else ","


def is_number(text: str) -> bool:
    """Tell whether a cell can be read as a number.

    Examples
    --------
    >>> is_number("-1.5e3"), is_number("4 stars")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def named_columns(names: Sequence[str]) -> str:
    """Return the names of a table's columns for a message."""
    return enumerated(names) or "none"
