# SPDX-License-Identifier: MIT
"""Decide which column of a table is the user, the item, the rating and so on.

If columns have names, these decide; otherwise the values in the first thousand rows. A list of all
columns replaces either, and a column that is asked for replaces one decision.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from receval.data.column_values import ColumnCells, is_index
from receval.data.columns import WantedColumn, chosen_names
from receval.data.layouts import INDEX_NAMES, plain_name
from receval.data.reading import UNREAD, ReadingOptions, TableError
from receval.data.roles_by_values import CLOCK, Guess, guessed_roles
from receval.storage.messages import enumerated, how_many, quoted

USER_NAMES = (
    "user", "userid", "uid", "useridx", "userindex", "customer", "customerid", "reviewerid",
    "visitorid", "memberid", "profilename", "sessionid", "qid", "queryid", "query", "topic",
    "users", "u", "custid", "reviewer",
)  # fmt: skip
ITEM_NAMES = (
    "item", "itemid", "iid", "itemidx", "itemindex", "movie", "movieid", "product", "productid",
    "parentasin", "asin", "track", "trackid", "song", "songid", "book", "bookid", "isbn", "artist",
    "artistid", "businessid", "beerid", "gameid", "corpusid", "docid", "docno",
    "document", "doc", "items", "i", "videoid", "recipeid", "animeid", "gmapid", "articleid",
    "newsid", "venueid", "restaurantid", "filmid", "appid",
)  # fmt: skip
RATING_NAMES = (
    "rating", "ratings", "stars", "starrating", "reviewoverall", "overall", "bookrating", "value",
    "score", "label", "relevance", "rel", "grade", "weight", "count", "plays", "playcount",
    "listens", "clicks", "click", "clicked", "listencount", "isclick", "userrating",
    "reviewrating", "reviewscore", "liked",
)  # fmt: skip
TIMESTAMP_NAMES = (
    "timestamp", "time", "ts", "timems", "timestampms", "unixtime", "date", "datetime", "eventtime",
    "unixreviewtime", "createdat", "reviewtime", "lastplayed",
)  # fmt: skip
"""Usual names of each column, in lower case and without punctuation; the first has priority."""

COUNT_NAMES = frozenset(
    {
        *("count", "plays", "playcount", "listens", "listencount"),
        *("clicks", "click", "clicked", "isclick"),
    }
)
"""Names of rating columns that hold counts of what users did."""

QUERY_NAMES = frozenset(
    {"qid", "queryid", "query", "topic", "corpusid", "docid", "docno", "document", "doc"}
)
"""Names of users and items in tables of judgments, where grades of 1 or more are relevant."""


@dataclass(frozen=True)
class Roles:
    """The place from 0 of each column that was found, its name in words, and the other columns.

    Of these, ``parts`` may divide the rows into the parts of a split (:func:`refuse_parts`), and
    those at ``empty`` must be empty in all rows (:func:`refuse_late_values`).
    """

    places: Mapping[str, int]
    words: Mapping[str, str]
    unread: tuple[str, ...]
    are_guessed: bool = False
    parts: tuple[str, ...] = ()
    empty: tuple[int, ...] = ()


def roles_of(
    source: str,
    names: Sequence[str] | None,
    cells: Sequence[Sequence[str]],
    wanted: Collection[WantedColumn],
    options: ReadingOptions,
    *,
    has_index: bool = False,
    may_have_fractions: bool = False,
    hint: str = "",
) -> Roles:
    """Return the roles of columns, given the cells of the first rows by column.

    Without names (None), or with numbers for names, values decide. An index, if there is one, is
    the first column. With ``may_have_fractions``, a decimal comma would separate cells. The hint is
    for :func:`chosen_names`.
    """
    labels = [str(own) for own in (range(len(cells)) if names is None else names)]
    is_said = has_index
    has_index |= names is not None and are_numbered(labels) and labels[0] in INDEX_NAMES
    is_named = names is not None and not are_numbered(labels)
    empty: tuple[int, ...] = ()
    if options.columns is not None:
        places = _by_list(source, len(cells), wanted, options.columns)
    elif is_named:
        found = chosen_names(source, labels, wanted, hint)
        places = {role: labels.index(own) for role, own in found.items()}
        places |= _days_and_clock(labels, cells, wanted, places)
    else:
        guessed = guessed_roles(
            *(cells, wanted, int(has_index)),
            may_have_fractions=may_have_fractions,
            is_table=options.format == "table",
        )
        places = _with_those_asked_for(source, labels, len(cells), wanted, guessed)
        if not any(own.name in ("rating", "score") and own.asked is not None for own in wanted):
            empty = tuple(place for place in guessed.empty if place not in places.values())
    parts = []
    if is_named and options.columns is None and "rating" in {own.name for own in wanted}:
        for place, own in enumerate(labels):
            if place not in places.values() and may_have_parts(own):
                refuse_parts(source, own, cells[place])
                parts.append(own)
    words = labels if is_named else [f"column {place}" for place in range(len(cells))]
    unread = [
        f"{word} ({what})" if (what := "" if is_named else _seen_in(cells[place], place)) else word
        for place, word in enumerate(words)
        if place not in places.values() and not (place == 0 and is_said)
    ]
    told = {role: words[place] for role, place in places.items()}
    if CLOCK in told:
        told["timestamp"] += f" with {told.pop(CLOCK)}"
    is_guessed = options.columns is None and not is_named
    return Roles(places, told, tuple(unread), is_guessed, tuple(parts), empty)


COLUMNS_OF_PARTS = frozenset({"split", "fold", "subset", "partition", "set"})
"""Names, in plain form, of columns that say to which part of a split a row belongs."""

OTHER_NAMES = {
    "training": "train", "base": "train", "tr": "train", "valid": "validation",
    "vali": "validation", "val": "validation", "dev": "validation", "testing": "test", "te": "test",
    "trn": "train", "tst": "test",
}  # fmt: skip
"""Other common names of the parts of a split, in lower case."""

_PARTS = {name: name for name in OTHER_NAMES.values()} | OTHER_NAMES
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
_are_divided: ContextVar[bool] = ContextVar("are_divided", default=False)


@contextmanager
def divided_by_a_column() -> Iterator[None]:
    """Read tables with a column that divides them into parts of a split, as the caller says."""
    token = _are_divided.set(True)
    try:
        yield
    finally:
        _are_divided.reset(token)


def parts_in(path: Path, folder: Path) -> frozenset[str]:
    """Return the parts of a split that the name of a file in a folder has."""
    words = _LONG_WORD.findall(str(path.relative_to(folder)).lower())
    return frozenset(_PARTS[word] for word in words if word in _PARTS)


def may_have_parts(name: str) -> bool:
    """Tell whether a column may divide ratings, by its name, unless the caller divides them."""
    return plain_name(name) in COLUMNS_OF_PARTS and not _are_divided.get()


def refuse_parts(source: str, name: str, cells: Iterable[str | None]) -> None:
    """Refuse ratings that a column divides into training and test data; folds may be one table."""
    found = [own for own in dict.fromkeys(cells) if own and own.lower() in _PARTS]
    if len({_PARTS[own.lower()] for own in found}) > 1:
        raise TableError(
            f"{source}: the column {name} has {enumerated(found)}, so the rows are the parts of a "
            f"split, which would be read as one table. Split by it (split(..., 'predefined', "
            f"part={name!r}), in a command: --part {name}), or write each part into a file of its "
            "own. If they are one table, say what each column is, with - for this one "
            "(columns=..., --columns ...)."
        )


def refuse_late_values(source: str, place: int, cells: Iterable[str | None]) -> None:
    """Refuse values of a column that was empty in the first rows, which decided on the columns."""
    first = next((cell for cell in cells if cell), None)
    if first is not None:
        raise TableError(
            f"{source}: column {place} (counted from 0) is empty in the first rows, but has "
            f"{quoted(first)} in a later one, so what the columns are is in doubt. Say what each "
            "is (columns=..., in a command: --columns ...), with - for a column to ignore."
        )


def _days_and_clock(
    labels: Sequence[str],
    cells: Sequence[Sequence[str]],
    wanted: Collection[WantedColumn],
    places: Mapping[str, int],
) -> dict[str, int]:
    """Return the places of a date and a time of the day with one name, as in date and time."""
    timestamp = places.get("timestamp")
    if not any(own.is_time and own.asked is None for own in wanted) or timestamp is None:
        return {}
    pairs = [
        (day, clock)
        for day, clock in days_and_clocks(labels)
        if timestamp in (day, clock)
        if ColumnCells(cells[day]).are_days and ColumnCells(cells[clock]).complete_days
    ]
    return {"timestamp": pairs[0][0], CLOCK: pairs[0][1]} if len(pairs) == 1 else {}


def days_and_clocks(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of columns that may have a date and its time of the day, by their names."""
    plain = [*map(plain_name, names)]
    clocks = [own and _DAY_IN_NAME.sub("time", own) for own in plain]
    return [
        (day, place)
        for day, clock in enumerate(clocks)
        for place, own in enumerate(plain)
        if own == clock != plain[day]
    ]


_DAY_IN_NAME = re.compile(r"(date|day)$")


def are_numbered(names: Sequence[str]) -> bool:
    """Tell whether columns have the numbers from 0 as names, perhaps after an index of pandas."""
    own = names[1:] if names and names[0] in INDEX_NAMES else names
    return len(own) > 1 and list(own) == [str(number) for number in range(len(own))]


def _seen_in(cells: Sequence[str], place: int) -> str:
    """Return in words what an unread column seems to have; empty if it may be anything."""
    if place == 0 and is_index(cells):
        return "an index"
    return "0 or 1" if set(cells) == {"0", "1"} else ""


# What was asked for.


def _by_list(
    source: str, n_columns: int, wanted: Collection[WantedColumn], columns: tuple[str, ...]
) -> dict[str, int]:
    """Return the places of wanted columns, given a list of what each column is."""
    roles = {column.name for column in wanted}
    unknown = [name for name in columns if name not in roles and name != UNREAD]
    twice = [name for name in roles if columns.count(name) > 1]
    missing = [c.name for c in wanted if c.is_needed and c.name not in columns]
    if unknown or twice or missing or len(columns) != n_columns:
        raise TableError(
            f"The list of columns {','.join(columns)} does not fit {source}, which has "
            f"{how_many(n_columns, 'cell')} in its first line. Name every column in order. Use "
            f"{enumerated([column.name for column in wanted])} at most once, and {UNREAD} for "
            "columns that are not to be read."
        )
    return {name: place for place, name in enumerate(columns) if name != UNREAD}


def _with_those_asked_for(
    source: str,
    labels: Sequence[str],
    n_columns: int,
    wanted: Collection[WantedColumn],
    guess: Guess,
) -> dict[str, int]:
    """Return the places of columns by their values, except those that were asked for."""
    asked = {column.name: column.asked for column in wanted if column.asked is not None}
    if guess.doubt and not asked.keys() & set(guess.about):
        raise TableError(f"{source}: {guess.doubt}")
    places = {role: place for place, role in enumerate(guess.roles) if role != UNREAD}
    if "timestamp" in asked:
        places.pop(CLOCK, None)
    for role, own in asked.items():
        places.pop(role, None)
        if own == UNREAD:
            continue
        if isinstance(own, str) and own not in labels:
            raise TableError(
                f"{source} has no header, so its columns have no names. Give their positions, such "
                "as user=0, item=1."
            )
        places[role] = labels.index(own) if isinstance(own, str) else own
    for column in wanted:
        place = places.get(column.name)
        is_asked = column.name in asked
        if place is None and not column.is_needed:
            continue
        if place is None or not 0 <= place < n_columns:
            number = list(wanted).index(column) if place is None else place
            raise TableError(
                f"{source} has {how_many(n_columns, 'column')} in its first line, and none for "
                f"{column.name} at position {number}. The first position is 0."
            )
        rivals = [role for role, own in places.items() if own == place and role != column.name]
        if not rivals or is_asked:
            continue
        if column.is_needed or not asked.keys().isdisjoint({"user", "item"} & set(rivals)):
            none = "" if column.is_needed else f", or {UNREAD} if there is none"
            raise TableError(
                f"{source}: column {place} would be both {rivals[0]}, as asked for, and "
                f"{column.name}. Say which column is the {column.name}, by its position from 0"
                f"{none} ({column.name}=..., in a command: --{column.name} ...)."
            )
        del places[column.name]
    return places
