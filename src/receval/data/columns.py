# SPDX-License-Identifier: MIT
"""The columns that a reader looks for in a table, and the columns that it found."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from receval.data.layouts import plain_name
from receval.data.reading import NO_NUMBER, UNREAD, TableError, UnknownColumnError
from receval.notes import Note
from receval.storage.messages import enumerated, how_many, quoted, shortened

LONG = 250
"""An identifier with more characters than this is suspiciously long."""

LARGEST_IDENTIFIERS = 2**28
"""The most bytes for identifiers if one is that long: each takes as much as the longest."""

MOST_PADDED = 16
"""How many times longer than the average the longest may be, if they take more bytes."""

_AT_ONCE = 1 << 16

_MANY_ROWS = 5_000_000
"""From this many rows on, Arrow's memory is released before more is taken."""


@dataclass(frozen=True)
class WantedColumn:
    """A column that a reader looks for in a table.

    ``name`` says what it holds, such as ``user``; ``known`` are the names that tables give it, in
    lower case and without punctuation. Texts are identifiers; other columns hold numbers, and those
    of time may be written as dates. The caller may have asked for it by name or by position from 0.
    A table without a needed column is refused.
    """

    name: str
    known: tuple[str, ...]
    is_text: bool
    asked: str | int | None = None
    is_needed: bool = True
    is_time: bool = False


@dataclass(frozen=True)
class FoundColumns:
    """Columns that were found in a table.

    ``source`` and ``unit`` (``line`` for a text file, otherwise ``row``) are for messages, in which
    the first row has the number ``first_row``: that of its line, or 1. Of the arrays, identifiers
    are dictionaries of strings, and numbers are doubles. ``names`` has the name of each column in
    the table, if it has names, and ``unread`` the names of other columns. ``form`` is the format
    that the table was read as. ``dates`` is not empty if moments were written as dates, so that
    their numbers are seconds. With ``are_guessed``, values decided which column is what. With
    ``are_as_written``, identifiers stay as written; ``rewritten`` says in words, by column, which
    became whole numbers. ``types`` has the type of each column in a table that has types:
    ``text``, ``integer`` or ``float``; ``shape`` is that of a matrix. ``parts`` has the files of a
    folder, without their arrays, each with its first row from 0. ``line_of`` finds the line of a
    row by reading the file again, where rows are not lines.
    """

    source: str
    first_row: int
    unit: str
    arrays: dict[str, pa.ChunkedArray]
    names: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    form: str = "table"
    dates: str = ""
    notes: tuple[Note, ...] = ()
    are_guessed: bool = False
    are_as_written: bool = False
    rewritten: dict[str, str] = field(default_factory=dict, compare=False)
    types: Mapping[str, str] = field(default_factory=dict)
    shape: tuple[int, ...] = ()
    parts: tuple[tuple[int, FoundColumns], ...] = ()
    line_of: Callable[[int], int] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values())))

    def where(self, row: int) -> str:
        """Return the name of a row, counted from 0, for a message."""
        part, row = self._part_of(row)
        return f"{part.source}, {part._place(row)}"

    def beside(self, row: int, other: int) -> str:
        """Return the name of a row in a message that has named another, without the same file."""
        part, own = self._part_of(row)
        return part._place(own) if part is self._part_of(other)[0] else self.where(row)

    def _part_of(self, row: int) -> tuple[FoundColumns, int]:
        if not self.parts:
            return self, row
        begin, part = self.parts[bisect_right([first for first, _ in self.parts], row) - 1]
        return part, row - begin

    def _place(self, row: int) -> str:
        if self.line_of is not None:
            try:
                return f"line {self.line_of(row)}"
            except (OSError, TableError):  # A pipe cannot be read again.
                pass
        return f"{self.unit} {row + self.first_row}"

    def codes(self, name: str) -> tuple[NDArray[np.int32], NDArray[np.str_]]:
        """Return the codes of a column of identifiers, and the identifiers by code.

        Whole numbers that were written as floats become whole numbers again (``10`` for ``10.0``;
        ``10`` for ``10.00`` or ``1e+01`` if all identifiers are numbers), unless the column has
        both. Some programs write floats if any row has no number.
        """
        column = self.arrays[name].unify_dictionaries()
        if column.null_count:
            row = pc.index(pc.is_null(column), pa.scalar(True)).as_py()
            raise TableError(
                f"{self.where(row)} has no {name}. Give it one, or leave the {self.unit} out."
            )
        pieces = [np.from_dlpack(chunk.indices) for chunk in column.chunks]
        ids = column.chunk(0).dictionary if column.num_chunks else pa.array([], pa.string())
        ids = self._in_whole_numbers(name, ids)
        codes = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int32)
        lengths = pc.utf8_length(ids)
        if pc.min(lengths).as_py() == 0:
            row = int(np.argmax(codes == pc.index(lengths, 0).as_py()))
            raise TableError(
                f"{self.where(row)} has no {name}. Give it one, or leave the {self.unit} out."
            )
        if (place := _first_with(ids, "\0")) is not None:
            row = int(np.argmax(codes == place))
            raise TableError(
                f"{self.where(row)}: the {name} {quoted(ids[place].as_py())} has a null character. "
                "Check whether this is another kind of file, or another encoding (encoding=..., in "
                "a command: --encoding utf-16)."
            )
        if (place := _first_with(ids, "\ufeff")) is not None:
            row = int(np.argmax(codes == place))
            raise TableError(
                f"{self.where(row)}: the {name} has a byte order mark, as between files that were "
                "joined. Remove it."
            )
        longest = pc.max(lengths).as_py() or 0
        taken = 4 * longest * len(ids)
        is_odd = longest > LONG or longest * len(ids) > MOST_PADDED * pc.sum(lengths).as_py()
        if taken > LARGEST_IDENTIFIERS and is_odd:
            place = pc.index(lengths, longest).as_py()
            row = int(np.argmax(codes == place))
            raise TableError(
                f"{self.where(row)}: the {name} has {longest:,} characters "
                f"({quoted(ids[place].as_py()[:LONG])}). At that length, all {len(ids):,} would "
                f"take {taken / 1e9:.1f} GB. Check whether a delimiter or a quote mark is missing "
                "there. Otherwise, give it a shorter identifier."
            )
        return codes.astype(np.int32, copy=False), _as_numpy(ids, longest)

    def _in_whole_numbers(self, name: str, ids: pa.Array) -> pa.Array:
        whole = ids if self.are_as_written else _without_fractions(ids)
        if whole is not ids:
            place = pc.index(pc.not_equal(ids, whole), True).as_py()
            self.rewritten[name] = (
                f"{name}s such as {ids[place]} were read as whole numbers ({whole[place]})"
            )
        return whole

    def with_whole_numbers(self) -> FoundColumns:
        """Return the same columns with whole numbers for those that were written as floats."""
        arrays = {**self.arrays}
        for name, column in self.arrays.items():
            chunks = column.chunks if pa.types.is_dictionary(column.type) else []
            if any(_may_have_floats(chunk.dictionary) for chunk in chunks):
                chunks = column.unify_dictionaries().chunks
                ids = self._in_whole_numbers(name, chunks[0].dictionary)
                arrays[name] = pa.chunked_array(
                    [pa.DictionaryArray.from_arrays(chunk.indices, ids) for chunk in chunks]
                )
        return replace(self, arrays=arrays)

    def forget(self, *names: str) -> None:
        """Empty columns that are no longer needed, so that others can take their memory."""
        rows = max(map(len, self.arrays.values()))
        for name in self.arrays.keys() & names:
            self.arrays[name] = pa.chunked_array([], self.arrays[name].type)
        if rows > _MANY_ROWS:
            pa.default_memory_pool().release_unused()

    def first_cells(self) -> dict[str, str]:
        """Return the cells of the first row by column, if values decided which column is what."""
        if not self.are_guessed or not len(self):
            return {}
        cells = {role: array[0].as_py() for role, array in self.arrays.items()}
        return {
            role: shortened(f"{own:.15g}" if isinstance(own, float) else str(own))
            for role, own in cells.items()
            if own is not None
        }

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers, with NaN where a row has none."""
        column = self.arrays[name]
        filled = pc.fill_null(column, float("nan")) if column.null_count else column
        return np.concatenate([np.empty(0), *map(np.from_dlpack, filled.chunks)])


# Arrow's scalars and ``to_numpy`` import pandas, which takes as long as reading 500,000 ratings.


def _first_with(ids: pa.Array, sign: str) -> int | None:
    """Return the place of the first text with a sign."""
    has_sign = pc.match_substring(ids, sign)
    return int(pc.index(has_sign, True).as_py()) if pc.any(has_sign).as_py() else None


def _as_numpy(ids: pa.Array, longest: int) -> NDArray[np.str_]:
    """Return texts as a numpy array, part by part: as Python objects they take gigabytes."""
    texts = np.empty(len(ids), dtype=f"U{max(1, longest)}")
    for start in range(0, len(ids), _AT_ONCE):
        texts[start : start + _AT_ONCE] = ids[start : start + _AT_ONCE].to_pylist()
    return texts


_WITH_ZERO = r"^(-?(?:0|[1-9][0-9]*))\.0$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e\+[0-9]{2})?$"
_AS_FLOAT = r"(\.0+|e\+[0-9]{2})$"


def _without_fractions(ids: pa.Array) -> pa.Array:
    """Return whole numbers that were written as floats as whole numbers, if all stay different."""
    if not _may_have_floats(ids):
        return ids
    is_float = pc.match_substring_regex(ids, _AS_FLOAT)
    if not pc.any(is_float).as_py():
        return ids
    if pc.all(pc.match_substring_regex(ids, _NUMBER)).as_py():
        # Such as 10.00, and R's 1e+05.
        written = [whole_number(own) or own for own in ids.filter(is_float).to_pylist()]
        whole = pc.replace_with_mask(ids, is_float, pa.array(written, pa.string()))
    else:
        whole = pc.replace_substring_regex(ids, _WITH_ZERO, r"\1")
    is_new = not whole.equals(ids) and pc.count_distinct(whole).as_py() == len(ids)
    return whole if is_new else ids


def _may_have_floats(ids: pa.Array) -> bool:
    """Tell whether some texts may be whole numbers that were written as floats."""
    # Many times faster than the pattern.
    return any(pc.any(pc.match_substring(ids, sign)).as_py() for sign in (".0", "e+"))


def whole_number(text: str) -> str | None:
    """Return the digits of a whole number that is written as a float, or None if it is none."""
    digits, _, exponent = text.lower().partition("e")
    if _is_rounded(text):
        return None
    if not re.fullmatch(r"-?(0|[1-9]\d{0,17})(\.\d{0,18})?", digits) or (
        exponent and len(exponent) > 3
    ):
        return None
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    is_whole = number.adjusted() < 18 and number == number.to_integral_value()
    return str(int(number)) if is_whole else None


def in_usual_signs(name: str) -> str:
    """Return an identifier in Unicode's usual form, without signs that are not seen."""
    if name.isascii():
        return name
    usual = unicodedata.normalize("NFKC", name)
    return "".join(sign for sign in usual if unicodedata.category(sign) != "Cf")


_FOR_NONE = frozenset(
    (
        *filter(None, NO_NUMBER),
        "<NA>",
        "N/A",
        "n/a",
        "#N/A",
        "NaT",
        "undefined",
        "none",
        "NONE",
        "-",
        "[PAD]",
        "<PAD>",
        "<pad>",
        "[UNK]",
        "<UNK>",
        "<unk>",
        "(null)",
        "(blank)",
    )
)
"""Identifiers that programs write where there is none."""

_OF_TOTALS = (
    "total", "grand total", "subtotal", "sum", "(all)", "overall", "average", "avg", "mean",
)  # fmt: skip
_TOTALS = frozenset(
    f"{form}{sign}"
    for name in _OF_TOTALS
    for form in (name, name.capitalize(), name.title(), name.upper())
    for sign in ("", ":")
)
"""Names of rows of totals and averages."""

_BY_SPREADSHEET = re.compile(
    r'=".*|#(REF!|VALUE!|NAME\?|DIV/0!|NUM!)|\'\d+|\dE\+\d{2}'
    r"|\d{1,2}-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
)
"""What spreadsheets make of identifiers: formulas, errors, rounded numbers, days."""

_ROUNDED = re.compile(r"-?\d[.,](?:\d+(?=E)|\d{5}(?=e))[Ee]\+(\d\d)")
"""A number as a spreadsheet shows it, or C's ``%g``: with at most six digits."""

_NONE_IN_CODES = "-1"
"""What libraries give as the code of a missing value, beside codes from 0 on."""


def identifier_doubts(source: str, what: str, ids: NDArray[np.str_]) -> list[Note]:
    """Return notes on identifiers that may be missing, or alike but for what is a mistake."""
    names: list[str] = ids.tolist()
    notes = []
    missing = sorted(_FOR_NONE.intersection(names))
    if _NONE_IN_CODES in names and len(names) > 1:
        missing += [_NONE_IN_CODES] * all(own.isdecimal() or own == _NONE_IN_CODES for own in names)
    if missing:
        text = (
            f"{Path(source).name}: {enumerated(list(map(quoted, missing)))} among the {what} may "
            "stand for missing identifiers. If so, leave these rows out."
        )
        notes.append(Note("missing-identifiers", text))
    signs = "".join(names)
    if not signs.isdecimal():
        notes += [*_doubts_on_totals(source, what, names), *_doubts_on_prefixes(source, what, ids)]
    has_zeros = re.search("\n0[^\n]", "\n" + "\n".join(names)) is not None
    if signs.isascii() and signs.isalnum() and signs == signs.lower() and not has_zeros:
        # Most tables are like this, and comparing would take 5 % of the time for reading.
        return notes
    notes += _doubts_on_cells(source, what, names)
    wrapped = list(filter(_is_wrapped, names))
    if 2 * len(wrapped) > len(names):
        text = (
            f"{Path(source).name}: {len(wrapped):,} of {len(names):,} {what} have white space or "
            f"quotes around them, such as {quoted(wrapped[0])}. If these are not part of the "
            "identifiers, remove them."
        )
        notes.append(Note("wrapped-identifiers", text))
    plain = np.array([_plain(name) for name in names], dtype=np.str_)
    _, first, counts = np.unique(plain, return_index=True, return_counts=True)
    if n_alike := int((counts > 1).sum()):
        name = plain[first[np.argmax(counts > 1)]]
        alike = [str(own) for own in ids[plain == name][:2]]
        text = (
            f"{source}: {how_many(n_alike, 'identifier')} of {what} "
            f"differ{'s' * (n_alike == 1)} from others only in white space, capitals, "
            "invisible signs, forms of letters, leading zeros or a fraction of 0, such as "
            f"{' and '.join(map(_shown(alike), alike))}. They count as different {what}."
        )
        notes.append(Note("near-identifiers", text))
    return notes


def _shown(names: Sequence[str]) -> Callable[[str], str]:
    """Return how names are shown: by their codes if they look alike."""
    usual = {unicodedata.normalize("NFKC", name) for name in names}
    return repr if len(usual) == len(names) else ascii


def _is_wrapped(name: str) -> bool:
    return name != name.strip() or (len(name) > 2 and name[0] + name[-1] in _AROUND)


_AROUND = ("''", '""', "``", "\u2018\u2019", "\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb")


def _doubts_on_totals(source: str, what: str, names: list[str]) -> list[Note]:
    """Return a note if the only name among numbers or codes is that of a row of totals."""
    found = _TOTALS.intersection(names)
    # Where other names are words, too, it may be one of them.
    if not found or len(names) == 1 or sum(not _HAS_DIGIT.search(name) for name in names) > 1:
        return []
    text = (
        f"{Path(source).name}: {quoted(min(found))} among the {what} may be a row of totals or "
        "averages. If so, leave it out."
    )
    return [Note("row-of-totals", text)]


_HAS_DIGIT = re.compile(r"\d")
_WITH_PREFIX = re.compile(r"""([^\d\s+-]\D*)\d+['"`)\]]?""")
_FEWEST_ALIKE = 2


def _doubts_on_prefixes(source: str, what: str, ids: NDArray[np.str_]) -> list[Note]:
    """Return a note if some identifiers are numbers, and most others have a prefix or quotes."""
    are_plain = np.char.isdecimal(ids)
    n_plain = int(are_plain.sum())
    if n_plain < _FEWEST_ALIKE or n_plain > len(ids) - _FEWEST_ALIKE:
        return []
    others = ids[~are_plain].tolist()
    found = filter(None, map(_WITH_PREFIX.fullmatch, others[:_MOST_LOOKED_AT]))
    prefixes = Counter(own.group(1) for own in found)
    prefix = max(prefixes, key=prefixes.__getitem__, default=None)
    if prefix is None or prefixes[prefix] < _MOST_ALIKE * len(others[:_MOST_LOOKED_AT]):
        return []
    known = {*ids[are_plain].tolist()}
    of_each = {own: re.sub(r"\D", "", own) for own in others if own.startswith(prefix)}
    like = next((name for name, own in of_each.items() if own in known), next(iter(of_each)))
    plain = of_each[like] if of_each[like] in known else min(known)
    text = (
        f"{Path(source).name}: {len(of_each):,} of {len(ids):,} {what} begin with "
        f"{quoted(prefix)}, and {n_plain:,} are numbers alone, such as {quoted(like)} and "
        f"{quoted(plain)}. They count as different {what}. If they are the same, write all alike."
    )
    return [Note("mixed-identifiers", text)]


_MOST_ALIKE = 0.9


def _doubts_on_cells(source: str, what: str, names: list[str]) -> list[Note]:
    """Return a note on identifiers that a spreadsheet has changed."""
    changed = [name for name in names if _BY_SPREADSHEET.fullmatch(name) or _is_rounded(name)]
    if not changed:
        return []
    text = (
        f"{Path(source).name}: {len(changed):,} of {len(names):,} {what} look as a spreadsheet "
        f"writes them, such as {quoted(changed[0])}. Different {what} may have become the same. "
        "Write the table again from its source, with this column as text."
    )
    return [Note("spreadsheet-identifiers", text)]


def _is_rounded(name: str) -> bool:
    """Tell whether a whole number has lost digits, as in 9.78014E+12."""
    number = _ROUNDED.fullmatch(name)
    digits = name.upper().replace(",", ".")
    return number is not None and int(number[1]) > digits.index("E") - digits.index(".") - 1


IN_BRACKETS = re.compile(r"\s*(\[.*[,;\s].*\]|\(.*,.*\)|\{.*,.*\})\s*", re.DOTALL)
"""A list of several entries that is written as text."""

_LISTED = re.compile(r"[^\s,;|]+(?:(?:,\s?|;\s?|\|| )[^\s,;|]+)+")
_BETWEEN = re.compile(r"[\s,;|]+")
_MOST_LOOKED_AT = 1000


def refuse_lists_in_cells(
    columns: FoundColumns, users: NDArray[np.int32], item_ids: NDArray[np.str_]
) -> None:
    """Refuse items each of which is a list written as text, such as ``[1, 2]`` or ``1 2 3``.

    Lists without brackets are known by a single row for each user, and by entries that are numbers
    or of which most are in several lists. Identifiers that are to stay as written are not refused.
    """
    if columns.are_as_written or len(item_ids) < _FEWEST_LISTS:
        return
    names: list[str] = item_ids[:_MOST_LOOKED_AT].tolist()
    least = (len(names) + 1) // 2
    listed = [*filter(IN_BRACKETS.fullmatch, names)]
    are_lists = len(listed) >= least
    # With more rows than users, a user has several.
    if not are_lists and len(users) <= users.max() + 1 and np.bincount(users).max() == 1:
        listed = [name for name in names if _LISTED.fullmatch(name)]
        of_each = [_BETWEEN.split(name) for name in listed]
        entries = [entry for own in of_each for entry in own]
        # Titles may begin with the same word, such as Season 1 Episode 2.
        are_alike = 2 * len(set(entries)) <= len(entries) and len({own[0] for own in of_each}) > 1
        are_alike |= all(map(str.isdecimal, entries))
        are_lists = len(listed) >= least and are_alike
    if are_lists:
        raise TableError(
            f"{columns.source}: items seem to be lists, such as {quoted(listed[-1])}. Write a row "
            'per user and item, or JSON such as {"ann": ["book", "film"]}. If each is one item, '
            "set identifiers='as-written' (in a command: --identifiers as-written)."
        )


_FEWEST_LISTS = 2


def _plain(name: str) -> str:
    """Return an identifier without what is usually a mistake."""
    name = in_usual_signs(name).strip().lower().removesuffix(".0")
    return name.lstrip("0") or "0" if name.isdecimal() else name


def chosen_names(
    source: str, names: Collection[str], wanted: Collection[WantedColumn], hint: str = ""
) -> dict[str, str]:
    """Return the name in the table of each wanted column that the table has.

    If there is none for a needed column, the message ends in the hint.
    """
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(plain_name(name), name)
    found: dict[str, str] = {}
    missing: list[WantedColumn] = []
    for column in wanted:
        there = list(names)
        if column.asked == UNREAD:
            continue
        if isinstance(column.asked, int):
            if not 0 <= column.asked < len(there):
                raise TableError(
                    f"{source} has {how_many(len(there), 'column')}, and none has the number "
                    f"{column.asked}, which was given for {column.name}. The first column has "
                    "the number 0."
                )
            found[column.name] = there[column.asked]
        elif column.asked is not None:
            if column.asked not in there:
                raise TableError(
                    f"{source} has no column {quoted(column.asked)} for {column.name}. Its columns "
                    f"are {enumerated(there) or 'none'}."
                )
            found[column.name] = column.asked
        else:
            known = [by_plain[name] for name in column.known if name in by_plain]
            if known:
                found[column.name] = known[0]
            else:
                _refuse_levels(source, there, column)
                missing += [column] * column.is_needed
    if missing:
        roles = [column.name for column in missing]
        which = "column" if len(roles) == 1 else "columns"
        raise UnknownColumnError(
            f"{source} has no column with a known name for the {' or the '.join(roles)} (for "
            f"example {enumerated([column.known[0] for column in missing])}). Its columns are "
            f"{enumerated(names) or 'none'}. Name the right {which}: "
            f"{enumerated([f'{role}=...' for role in roles])} (in a command: "
            f"{enumerated([f'--{role} ...' for role in roles])}).{hint}"
        )
    return found


_IN_LEVELS = re.compile(r"\((?=.*, ).*(['\"]).*\1.*\)")
_LEVEL = re.compile(r"(['\"])(.*?)\1")


def _refuse_levels(source: str, names: Collection[str], column: WantedColumn) -> None:
    """Refuse a name in levels, as ('rating', 'mean') of pandas, if one level is a known name."""
    for name in filter(_IN_LEVELS.fullmatch, names):
        if any(plain_name(own[1]) in column.known for own in _LEVEL.findall(name)):
            raise TableError(
                f"{source}: the column {name} has a name in several levels, and may have the "
                f"{column.name}. Give each column one name (such as frame.columns = ['user', "
                f"'item', 'rating']), or say which it is ({column.name}=\"{name}\", or "
                f"{column.name}='-' for none)."
            )
