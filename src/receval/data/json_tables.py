# SPDX-License-Identifier: MIT
"""Read ratings or lists from JSON: one object per line, an array of objects, or lists by user."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.json

from receval.data.columns import WantedColumn
from receval.data.layouts import plain_name
from receval.data.memory_tables import names_of, table_in_memory
from receval.data.packed_files import SMALL_FILE
from receval.data.reading import AS_FOUND, ReadingOptions, TableError, half_of_a_character
from receval.data.text_lines import BLOCK, check_encoding, opened_text
from receval.storage.messages import enumerated, how_many, quoted, shortened

Scores = Mapping[str, Mapping[str, float]]

# Tuples, because a union type would be created anew for each entry.
_ITEM = (str, int, float, np.generic)
_SCORE = (int, float, np.number, np.bool_, Decimal, Fraction)
_NO_SCORE = (str, list, tuple, dict)
_NO_ITEM = (list, tuple, dict, set, np.ndarray, bool, type(None))

_MOST_DEPTH = 100
"""The deepest nesting of lists and objects."""

_MOST_PARTS = 1_500_000
"""The most lists, objects and lines in a small packed file; each takes 100 bytes of memory."""

_MANY_NAMES = 1000
_MOST_EMPTY = 20
"""The most cells per filled cell, if there are more names than ``_MANY_NAMES``."""

_FIRST_LINES = 2000
_EACH_LINE = 50
"""After the first lines, only one line in so many has its names inspected."""

_FORMS = (
    'an object of users with their items and scores, such as {"ann": {"book": 1.5}}; an array of '
    'objects such as {"user": "ann", "item": "book", "score": 1.5}; or one such object a line'
)


def read_json_lines(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> pa.Table | Scores:
    """Read a file with one JSON object per line: a table, or the lists of users.

    It has lists of users if the names in each line are users, with either lists of items, the best
    first, or objects of items and scores.
    """
    check_encoding(path, options.encoding)
    with opened_text(path, options.encoding) as file:
        start = file.read(1 << 20).split(b"\n", 1)[0]
    try:
        first = _loaded(start)
    except (ValueError, RecursionError):
        first = None
    is_of_users = isinstance(first, dict) and first and not has_columns(first, wanted)
    if is_of_users and all(map(_is_list, first.values())):
        return _lists_by_line(path, wanted, options)
    _check_objects(path, options)
    as_text: frozenset[str] = frozenset()
    try:
        table = _arrow_table(path, options, None)
    except TableError:
        as_text = _unwanted_of_any_type(path, wanted, options)
        if not as_text:
            raise
        table = _arrow_table(path, options, None, as_text)
    # Arrow reads texts as timestamps if all look like one, which would change identifiers.
    names = names_of(table)
    moments = [
        field.with_type(kind)
        for field in table.schema
        if (kind := _as_written(field.type)) != field.type
        and (
            kind != pa.string()
            or any(_may_be(column, field.name, names, options.columns) for column in wanted)
        )
    ]
    if not moments:
        return table
    # Columns of a schema come first, but may have been asked for by position.
    return _arrow_table(path, options, pa.schema(moments), as_text).select(table.column_names)


def _unwanted_of_any_type(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> frozenset[str]:
    """Return the columns of JSON lines that are not wanted and need not have one type each.

    Such are columns with lists or objects, unless these have a wanted column, and columns of which
    some values are texts and others numbers.
    """
    kinds: dict[str, set[str]] = {}
    kept: set[str] = set()
    of_scalars: set[str] = set()
    with opened_text(path, options.encoding) as file:
        for line in file:
            try:
                own = _loaded(line) if line.strip() else {}
            except (ValueError, RecursionError):
                return frozenset()
            for name, value in own.items():
                if value is not None:
                    kinds.setdefault(name, set()).add(_KINDS[type(value)])
                is_known = name in of_scalars and not isinstance(value, list | dict)
                if name in kept or is_known:
                    continue
                if _is_wanted(name, value, wanted, options):
                    kept.add(name)
                of_scalars.add(name)
    return frozenset(
        name
        for name, found in kinds.items()
        if name not in kept and (len(found) > 1 or not found.isdisjoint(("a list", "an object")))
    )


def _is_wanted(
    name: str, value: object, wanted: Collection[WantedColumn], options: ReadingOptions
) -> bool:
    """Tell whether a name, or one within its value, may be that of a wanted column."""
    if options.columns is not None or any(isinstance(column.asked, int) for column in wanted):
        return True
    names = {name, *(within.partition(" in ")[0] for within, _ in _all_values({name: value}))}
    plain = set(map(_plain, names))
    return any(
        column.asked in names or (column.asked is None and not plain.isdisjoint(column.known))
        for column in wanted
    )


def _may_be(
    column: WantedColumn, name: str, names: list[str], listed: Sequence[str] | None
) -> bool:
    """Tell whether a column of a file may have identifiers: as listed, asked for, or known."""
    if not column.is_text:
        return False
    if listed is not None:
        return column.name in listed and names.index(name) == listed.index(column.name)
    if isinstance(column.asked, int):
        return names.index(name) == column.asked
    return name == column.asked or plain_name(name) in column.known


def _as_written(kind: pa.DataType) -> pa.DataType:
    """Return a type with texts for timestamps, also within lists and objects."""
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_as_written(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_as_written(field.type)) for field in kind])
    return kind


def _check_objects(path: Path, options: ReadingOptions) -> None:
    """Refuse lines that are not objects, and lines that would crash Arrow's reader.

    A bare null or thousands of nested lists end the process. With thousands of names, each name
    takes a cell in every row.
    """
    names: set[str] = set()
    entries = rows = parts = 0
    with opened_text(path, options.encoding) as file:
        for number, line in enumerate(file):
            bare = line.strip()
            opening = bare.count(b"[") + bare.count(b"{")
            parts += max(1, opening)
            _check_parts(path, parts)
            is_likely = bare.startswith(b"{") and bare.endswith(b"}") and b"null" not in bare
            is_deep = opening > _MOST_DEPTH and _depth(bare)
            is_sample = number < _FIRST_LINES or not number % _EACH_LINE
            if is_deep:
                raise TableError(
                    f"{path}, line {number + 1} is nested more than {_MOST_DEPTH} levels deep. "
                    'Write an object with the columns by name, such as {"user": "ann", '
                    '"item": "book"}.'
                )
            if (is_likely and not is_sample) or not bare:
                continue
            try:
                own = _loaded(bare)
            except (ValueError, RecursionError):
                own = None
            if not isinstance(own, dict):
                raise _wrong_object(path, options, "a line is not an object")
            names.update(own)
            entries, rows = entries + len(own), rows + 1
            if len(names) > _MANY_NAMES:
                _check_names(str(path), len(names), rows, entries)


def _check_parts(path: Path, parts: int) -> None:
    """Refuse a small packed file that would take many times more memory: little but brackets."""
    if parts > _MOST_PARTS and path.stat().st_size <= SMALL_FILE:
        raise TableError(
            f"{path} has {path.stat().st_size:,} bytes, but unpacks to more than {_MOST_PARTS:,} "
            "lists, objects and lines. Files of ratings rarely do. If this is what you expect, "
            "unpack it and name the unpacked file."
        )


def _depth(line: bytes) -> bool:
    """Tell whether a line may be nested too deep; brackets within texts count too."""
    signs = np.frombuffer(line, dtype=np.uint8)
    steps = np.zeros(256, dtype=np.int32)
    steps[[ord("["), ord("{")]], steps[[ord("]"), ord("}")]] = 1, -1
    return bool(np.cumsum(steps[signs]).max() > _MOST_DEPTH)


def _check_names(source: str, names: int, rows: int, entries: int) -> None:
    """Refuse objects with too many different names, each of which takes a cell in every row."""
    if names > _MANY_NAMES and names * rows > _MOST_EMPTY * entries:
        raise TableError(
            f"{source}: its objects have {names:,} different names, and few objects have most of "
            'them. Write objects with the columns by name, such as {"user": "ann", "item": "book"}.'
        )


_plain = lru_cache(1 << 12)(plain_name)


def _arrow_table(
    path: Path,
    options: ReadingOptions,
    schema: pa.Schema | None,
    as_text: Collection[str] = frozenset(),
) -> pa.Table:
    """Read JSON lines, with the values of some columns as the text that they are written as."""
    block = BLOCK
    while True:
        with opened_text(path, options.encoding) as file:
            try:
                return pa.json.read_json(
                    _with_texts(path, file, as_text) if as_text else file,
                    pa.json.ReadOptions(use_threads=False, block_size=block),
                    pa.json.ParseOptions(explicit_schema=schema),
                )
            except pa.ArrowInvalid as error:
                if "straddling" in str(error) and block < 1 << 29:
                    block *= 8
                    continue
                raise _wrong_object(path, options, str(error), as_text) from None


def _with_texts(path: Path, file: BinaryIO, names: Collection[str]) -> io.BytesIO:
    """Return JSON lines with texts in some columns, such as ``"[1, 2]"`` for ``[1, 2]``."""
    found = io.BytesIO()
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            own = _loaded(line, object_pairs_hook=_without_repeats, parse_float=_finite)
            texts = {name: json.dumps(own[name]) for name in names if own.get(name) is not None}
            found.write(json.dumps({**own, **texts}, ensure_ascii=False).encode() + b"\n")
        except _JsonValueError as error:
            raise TableError(f"{path}, line {number}: {error}.") from None
        except UnicodeEncodeError as error:
            raise half_of_a_character(f"{path}, line {number}", error) from None
    found.seek(0)
    return found


def read_json(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> pa.Table | Scores:
    """Read one JSON value: an object of users, or a table in any form that pandas writes."""
    with opened_text(path, options.encoding) as file:
        content = file.read()
        _check_parts(path, content.count(b"[") + content.count(b"{"))
        try:
            found = _loaded(content, object_pairs_hook=_without_repeats)
        except UnicodeDecodeError:
            check_encoding(path, options.encoding)
            raise
        except TableError:
            raise
        except (ValueError, RecursionError) as error:
            raise TableError(f"{path} is not JSON: {_wrong(error, content)}") from None
    source = str(path)
    if isinstance(found, list) and found and all(isinstance(own, dict) for own in found):
        return table_of_objects(source, found, wanted, options)
    if isinstance(found, dict) and found:
        values = list(found.values())
        if are_columns(found, wanted):
            if all(isinstance(own, dict | list) for own in values):
                return table_in_memory(found)
            return table_of_objects(source, [found])
        if (frame := table_of_frame(source, found, wanted)) is not None:
            return frame
        if are_numbered_columns(found):
            return table_in_memory(found)
        if all(map(_is_list, values)):
            return scores_of(source, found, wanted)
    raise TableError(f"{path} must hold {_FORMS}.")


def table_of_frame(
    source: str, found: Mapping[Any, Any], wanted: Collection[WantedColumn]
) -> pa.Table | None:
    """Return a mapping as a table if pandas writes one so, by rows or split, or None if not."""
    rows = found.get("data")
    is_listed = isinstance(rows, list) and all(isinstance(own, Mapping) for own in rows)
    if is_listed and {*found} == {"schema", "data"}:
        return table_of_objects(source, found["data"])  # With orient="table".
    if {"columns", "data"} <= found.keys() and isinstance(found["data"], list):
        rows = [dict(zip(found["columns"], own, strict=False)) for own in found["data"]]
        return table_of_objects(source, rows)
    values = list(found.values())
    if all(isinstance(o, Mapping) and len(o) > 1 and has_columns(o, wanted) for o in values):
        return table_of_objects(source, values)
    return None


def has_columns(names: Iterable[object], wanted: Collection[WantedColumn]) -> bool:
    """Tell whether the names of an object include the column of users or that of items.

    One known name is enough: the other column of a table may have an unusual name.
    """
    own = set(map(str, names))
    # A single letter is more likely a user, and so are the names if there are many of them.
    many = len(own) > _MANY_NAMES
    plain = set() if many else {plain_name(name) for name in own if len(name) > 1}
    return any(
        column.asked in own or not plain.isdisjoint(column.known)
        for column in wanted
        if column.is_text
    )


def are_columns(found: Mapping[Any, Any], wanted: Collection[WantedColumn]) -> bool:
    """Tell whether a mapping holds columns, rather than users one of whom has a column's name.

    The columns of a data frame are mappings with the same keys, while those of users differ.
    """
    known = sum(has_columns(found, [column]) for column in wanted)
    if known != 1 or not all(isinstance(own, Mapping) for own in found.values()):
        return known > 0
    keys = [list(own) for own in found.values()]
    return len(keys) > 1 and all(own == keys[0] for own in keys)


def are_scores_of_pairs(found: Mapping[Any, Any]) -> bool:
    """Tell whether a mapping has a value for each pair of a user and an item."""
    return all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(own, _SCORE)
        for pair, own in found.items()
    )


def are_numbered_columns(found: Mapping[Any, Any]) -> bool:
    """Tell whether a mapping has the columns of a data frame without names, numbered in order.

    Their lists have equal lengths, and unlike those of users have some entry twice.
    """
    lists = list(found.values())
    if not 2 <= len(lists) <= _MOST_OF_FRAME or not all(map(_is_plain_list, lists)):
        return False
    names = [str(name) for name in found]
    are_numbers = all(map(str.isdecimal, names)) and names == sorted(names)
    has_repeats = any(len(set(own)) < len(own) for own in lists)
    return are_numbers and len(set(map(len, lists))) == 1 and has_repeats


class ScoresOfOrder(dict[str, dict[str, float]]):
    """Scores that were made, for some users at least, of the order of their items."""


def scores_of(source: str, lists: Mapping[Any, Any], wanted: Collection[WantedColumn]) -> Scores:
    """Return lists by user as scores of items by user.

    A list maps items to scores, or has pairs of an item and its score, or items alone. Items alone
    have the best first (:class:`ScoresOfOrder`); if ratings are wanted, all have the same value.
    """
    is_run = any(column.name == "score" for column in wanted)
    _refuse_columns(source, lists)
    _refuse_frames(source, lists)
    scores: dict[str, dict[str, float]] = {}
    is_of_order = False
    for user, own in lists.items():
        ordered: dict[Any, Any] = dict(own) if isinstance(own, Mapping) else {}
        if is_run and isinstance(own, set | frozenset):
            raise TableError(
                f"{source}: the items of user {shortened(str(user))} are a set, which has no "
                "order. Give a list from best to worst, or give scores."
            )
        if not isinstance(own, Mapping):
            own = _with_scores(own)
            are_pairs = len(own) > 0 and all(map(_is_pair, own))
            is_of_order |= is_run and len(own) > 0 and not are_pairs
            for place, entry in enumerate(own):
                item, value = entry if are_pairs else (entry, -float(place) if is_run else 1.0)
                is_fraction = isinstance(item, float) and not item.is_integer()
                if isinstance(item, _NO_ITEM) or is_fraction:
                    raise TableError(
                        f"{source}: item {place + 1} of user {shortened(str(user))} is "
                        f"{shortened(json.dumps(item, default=str))}. It must be an identifier, or "
                        "all items must be pairs of an identifier and a number."
                    )
                if str(item) in ordered:
                    raise TableError(
                        f"{source}: user {shortened(str(user))} has item {shortened(str(item))} "
                        "twice. Remove one of them."
                    )
                ordered[str(item)] = value
        for item, score in ordered.items():
            if not isinstance(score, _SCORE):
                raise TableError(
                    f"{source}: the score of item {shortened(str(item))} for user "
                    f"{shortened(str(user))} is {shortened(json.dumps(score, default=str))}. It "
                    "must be a number."
                )
        try:
            written = {str(item): float(score) for item, score in ordered.items()}
        except OverflowError:
            raise TableError(
                f"{source}: a score of user {shortened(str(user))} is too large for a "
                "floating-point number."
            ) from None
        if str(user) in scores or len(written) < len(ordered):
            raise TableError(
                f"{source}: of user {shortened(str(user))}, a number and a text are written alike, "
                "such as 1 and '1', and would be one identifier. Write all in the same way."
            )
        scores[str(user)] = written
    return ScoresOfOrder(scores) if is_of_order else scores


def _refuse_columns(source: str, lists: Mapping[Any, Any]) -> None:
    """Refuse lists of which some have texts and others numbers: the columns of a table."""
    if not 2 <= len(lists) <= _MOST_COLUMNS or not all(map(_is_plain_list, lists.values())):
        return
    kinds = {name: {isinstance(entry, str) for entry in own} for name, own in lists.items()}
    are_of_two_kinds = {True} in kinds.values() and {False} in kinds.values()
    if are_of_two_kinds and len(set(map(len, lists.values()))) == 1:
        raise TableError(
            f"{source} seems to have the columns of a table rather than users: "
            f"{enumerated([str(name) for name in lists])}. Name the columns of users and items "
            "(user=..., item=..., in a command: --user ..., --item ...)."
        )


_MOST_COLUMNS = 10
_MOST_OF_FRAME = 6


def _refuse_frames(source: str, lists: Mapping[Any, Any]) -> None:
    """Refuse the columns or the rows of a data frame without names, both numbered from 0.

    At least two of its columns have identifiers; the scores of users usually have fractions.
    """
    own = list(lists.values())
    if not all(isinstance(one, Mapping) for one in own) or len(set(map(len, own))) != 1:
        return
    sizes = len(own), len(own[0])
    if min(sizes) < 2 or min(sizes) > _MOST_OF_FRAME:
        return
    outer, inner = ([str(number) for number in range(size)] for size in sizes)
    if [*map(str, lists)] != outer or any([*map(str, one)] != inner for one in own):
        return
    rows = [list(one.values()) for one in own]
    for columns in (rows, list(zip(*rows, strict=True))):
        if len(columns) <= _MOST_OF_FRAME and sum(map(_are_identifiers, columns)) > 1:
            raise TableError(
                f"{source} may be a data frame without names for its columns, or have the items of "
                f"users; both are numbered from 0 ({how_many(sizes[0], 'name')}, "
                f"{how_many(sizes[1], 'name')} in each). Write objects with the columns by name, "
                'such as {"user": 0, "item": 1, "rating": 5} (from a data frame with names: '
                "to_dict('records'))."
            )


def _are_identifiers(values: Iterable[Any]) -> bool:
    return all(
        own.is_integer() if isinstance(own, float) else isinstance(own, str | int | np.integer)
        for own in values
    )


def _is_plain_list(own: object) -> bool:
    return isinstance(own, list | tuple) and not any(isinstance(entry, _NO_ITEM) for entry in own)


def _with_scores(own: Any) -> Any:
    """Return pairs of items and scores for two arrays of these, as implicit recommends them."""
    are_arrays = len(own) == 2 and all(isinstance(entry, np.ndarray) for entry in own)
    if not are_arrays or isinstance(own, set | frozenset) or own[0].shape != own[1].shape:
        return own
    return list(zip(own[0].tolist(), own[1].tolist(), strict=True))


class _JsonValueError(ValueError):
    pass


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise _JsonValueError(f"an object has the name {shortened(twice)} twice: remove one")
    return found


def _finite(text: str) -> float:
    if np.isinf(number := float(text)):
        raise _JsonValueError(f"{shortened(text)} is too large for a floating-point number")
    return number


def _loaded(content: bytes, **hooks: Any) -> Any:
    """Return the value of JSON in UTF-8; of bytes, Python would guess the encoding itself."""
    return json.loads(content.decode(), **hooks)


def _is_pair(entry: object) -> bool:
    """Tell whether an entry of a list is an item with its score."""
    if not isinstance(entry, list | tuple) or len(entry) != 2:
        return False
    item, score = entry
    return isinstance(item, _ITEM) and not isinstance(score, _NO_SCORE)


def _is_list(value: object) -> bool:
    """Tell whether a value is a user's list: items with scores, pairs of both, or items alone."""
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and (
        all(map(_is_pair, value)) or not any(isinstance(own, list | dict) for own in value)
    )


_OF_PYTHON = re.compile(rb"\s*[\[{][\s\[{]*(?:u?'|\d+\s*:)")


def _wrong(error: Exception, text: bytes) -> str:
    """Return in words why a text is not JSON."""
    told = _place_in_words(error) if isinstance(error, json.JSONDecodeError) else f"{error}."
    if _OF_PYTHON.match(text):
        told += (
            " It seems to be printed by Python, with other quotes. Write it with json.dumps (in "
            "Python, ast.literal_eval reads such a text)."
        )
    return told


_MOST_SHOWN = 30


def _place_in_words(error: json.JSONDecodeError) -> str:
    """Return in words where a text is not JSON, and what is there."""
    text, place = error.doc, error.pos
    before, after = text[: place + 1].rstrip(" \t\r\n]}"), text[place:].lstrip(" \t\r\n,")
    if not after:
        return "it ends within a value, so it was cut off or a bracket or a quote is missing."
    if after[0] not in "]}" or not before.endswith(","):
        shown = quoted(text[place : place + _MOST_SHOWN])
        told = "more follows its end" if error.msg.startswith("Extra") else "there is wrong text"
        return f"at {_place(text, place)}, {told}: {shown}."
    return f"the comma at {_place(text, len(before) - 1)} is before a closing bracket. Remove it."


def _place(text: str, place: int) -> str:
    line = text.count("\n", 0, place) + 1
    column = f"column {place - text.rfind(chr(10), 0, place)}"
    return column if line == 1 else f"line {line}, {column}"


def _lists_by_line(path: Path, wanted: Collection[WantedColumn], options: ReadingOptions) -> Scores:
    lists: dict[str, Any] = {}
    with opened_text(path, options.encoding) as file:
        for number, line in enumerate(file, 1):
            _check_parts(path, max(number, line.count(b"[") + line.count(b"{")))
            if not line.strip():
                continue
            try:
                own = _loaded(line, object_pairs_hook=_without_repeats)
            except (ValueError, RecursionError) as error:
                raise TableError(
                    f"{path}, line {number} is not JSON: {_wrong(error, line)}"
                ) from None
            if not (isinstance(own, dict) and all(map(_is_list, own.values()))):
                raise TableError(
                    f"{path}, line {number} must be an object that gives a user a list of items, "
                    "like the first line."
                )
            for user, listed in own.items():
                if user in lists:
                    raise TableError(
                        f"{path}, line {number}: user {shortened(user)} has a second list. Remove "
                        "one of them."
                    )
                lists[user] = listed
    return scores_of(str(path), lists, wanted)


def table_of_objects(
    source: str,
    rows: Sequence[Mapping[str, Any]],
    wanted: Collection[WantedColumn] = (),
    options: ReadingOptions = AS_FOUND,
) -> pa.Table:
    """Return objects, each a row, as a table with the columns of their names.

    If wanted columns are given, others may have values of any type, which become texts.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    _check_names(source, len(names), len(rows), sum(map(len, rows)))
    columns = {}
    for key in names:
        name, values = str(key), [row.get(key) for row in rows]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            are_scalars = all(isinstance(own, str | int | float | None) for own in values)
            may_be_any = wanted and not any(_is_wanted(name, o, wanted, options) for o in values)
            if may_be_any and not are_scalars:
                values, are_scalars = [json.dumps(own, default=str) for own in values], True
            if not are_scalars:
                mixed = [number for number, own in enumerate(values, 1) if _is_mixed(own)]
                raise TableError(
                    f"{source}, row {mixed[0]}: {_of_pairs(name)}"
                    if mixed
                    else f"{source}: the values of {shortened(str(name))} do not all have the same "
                    "type."
                ) from None
            columns[name] = pa.array([None if own is None else str(own) for own in values])
    return pa.table(columns)


def _is_mixed(value: object) -> bool:
    """Tell whether a list has values of several types, such as pairs of an item and its score."""
    if not isinstance(value, list):
        return False
    kinds = {
        float if isinstance(own, int | float) else type(own) for own in value if own is not None
    }
    return len(kinds) > 1 or any(map(_is_mixed, value))


def _of_pairs(name: str) -> str:
    return (
        f"the list {shortened(name)} has values of several types. Write items and scores as lists "
        'of their own, such as {"user": "ann", "items": ["book"], "scores": [1.5]}, or as '
        '{"ann": {"book": 1.5}}.'
    )


_KINDS: dict[type, str] = {
    str: "a text", int: "a number", float: "a number", bool: "true or false", list: "a list",
    dict: "an object",
}  # fmt: skip


def _all_values(own: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of an object and of objects in it, with names such as ``item in items``."""
    for name, value in own.items():
        yield f"{name}{within}", value
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                yield from _all_values(part, f" in {name}{within}")


def _wrong_object(
    path: Path, options: ReadingOptions, told: str, but: Collection[str] = frozenset()
) -> TableError:
    """Return the error for the first line that is not an object, or that has other types."""
    kinds: dict[str, tuple[int, str]] = {}
    with opened_text(path, options.encoding) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                own = _loaded(line, object_pairs_hook=_without_repeats, parse_float=_finite)
            except _JsonValueError as error:
                return TableError(f"{path}, line {number}: {error}.")
            except (ValueError, RecursionError) as error:
                return TableError(
                    f"{path}, line {number} is not JSON: {_wrong(error, line)} If one object "
                    "takes several lines, put all objects into an array."
                )
            if not isinstance(own, dict):
                return TableError(
                    f"{path}, line {number} must be an object with the columns by name, such as "
                    '{"user": "ann", "item": "book", "score": 1.5}.'
                )
            checked = {name: value for name, value in own.items() if name not in but}
            for name, value in _all_values(checked):
                if value is None or value == []:
                    continue
                try:
                    json.dumps(value, ensure_ascii=False).encode()
                except UnicodeEncodeError as error:
                    return half_of_a_character(f"{path}, line {number}", error)
                if _is_mixed(value):
                    return TableError(f"{path}, line {number}: {_of_pairs(name)}")
                kind = _KINDS.get(type(value), type(value).__name__)
                if isinstance(value, list):
                    kind += f" whose first entry is {_KINDS.get(type(value[0]), 'missing')}"
                first, before = kinds.setdefault(name, (number, kind))
                if kind != before:
                    return TableError(
                        f"{path}, line {number}: {shortened(name)} is {kind}, but in line {first} "
                        f"it is {before}. Write all of them in the same way."
                    )
    if not kinds:
        return TableError(f"{path} is empty, or its objects are.")
    return TableError(f"{path} cannot be read: {shortened(told, 200)}.")
