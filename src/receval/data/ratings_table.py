# SPDX-License-Identifier: MIT
"""Read ratings, or test data for runs, from a file or data frame of any common format."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.column_roles import (
    COUNT_NAMES,
    ITEM_NAMES,
    QUERY_NAMES,
    RATING_NAMES,
    TIMESTAMP_NAMES,
    USER_NAMES,
)
from receval.data.column_values import FEWEST_SECONDS, are_ranks_in_order, are_since_1995
from receval.data.columns import (
    FoundColumns,
    WantedColumn,
    identifier_doubts,
    refuse_lists_in_cells,
)
from receval.data.layouts import FIRST_LINES, plain_name
from receval.data.moments import ROUNDED, in_seconds, span_in_words
from receval.data.notes_on_ratings import (
    FEWEST_ENTRIES,
    FEWEST_GRADES,
    LOWEST_SCALE,
    MANY_USERS,
    SCALE,
    doubts_on_columns_of_parts,
    doubts_on_parts,
    doubts_on_ratings,
    doubts_on_sums,
    doubts_on_times,
    scale_in_words,
)
from receval.data.ratings import (
    Ratings,
    coded_in_order,
    finite_in_single_precision,
    first_repeat,
    ordered_by,
)
from receval.data.reading import (
    AS_FOUND,
    FORMATS,
    UNREAD,
    ReadingOptions,
    ReadingReport,
    TableError,
    TimeUnit,
    half_of_a_character,
)
from receval.data.repeats import last_rows, merge_repeats
from receval.data.shared_identifiers import refuse_exchanged_parts
from receval.data.tables import read_wanted
from receval.data.text_lines import other_encoding
from receval.notes import Note
from receval.storage.messages import how_many, shortened

Repeats = Literal["refuse", "first", "last", "sum", "mean", "max"]

LISTS_OF_USERS = "lists of users"
"""The form of data that map users to their items."""


@dataclass(frozen=True, repr=False)
class ReadRatings(Ratings):
    """Ratings with a report of how they were read."""

    reading: ReadingReport = field(default_factory=lambda: ReadingReport("ratings"))

    @property
    def are_grades(self) -> bool:
        """Whether the values are relevance judgments, where 0 means not relevant, not ratings."""
        return are_judgments(self.reading)


@checked_arguments
def read_ratings(
    source: object,
    *,
    user: str | int | None = None,
    item: str | int | None = None,
    rating: str | int | None = None,
    timestamp: str | int | None = None,
    duplicates: Repeats = "refuse",
    **options: Annotated[Any, ReadingOptions, "repeats"],
) -> ReadRatings:
    """Read ratings from a file or a data frame.

    Parameters
    ----------
    source : path or data frame
        CSV, TSV, any text with one delimiter (also the ``::`` of MovieLens), a RecBole file
        (``.inter``), TREC judgments, JSON, JSON lines or Parquet, also packed by gzip, bz2, xz,
        zstd or lz4, or alone in a zip archive; a folder of such files; a pandas or polars data
        frame; an Arrow table; or a mapping of names to columns. Columns may be in any order, with
        others between them.
    user, item, rating, timestamp : str or int, optional
        Names of the columns, or their positions from 0; ``-`` for a column to ignore. By default
        the usual names (``user``, ``user_id``, ``userId``, ``user_id:token`` and so on); a table
        without names has the columns in this order, unless their values say otherwise
        (:mod:`receval.data.column_roles`). Without ratings, every row is feedback of
        the value 1. Without timestamps, nothing can be split by time. Timestamps are numbers
        (seconds since 1970-01-01 UTC or smaller units, detected from their range), or ISO 8601
        dates and times (``2003-02-28 23:59:59``), in UTC unless they have an offset.
    duplicates : {"refuse", "first", "last", "sum", "mean", "max"}
        How to treat rows that rate the same pair again. The first and the last are by time, or by
        row if there are no timestamps or they are equal. Sums and means have the time of the last
        row, the largest value its own time. (``repeats``, its old name, is still taken.)
    **options
        The fields of :class:`receval.data.reading.ReadingOptions`: ``format``, ``delimiter``,
        ``header``, ``columns``, ``encoding``, ``decimal``, ``time_unit``, ``quotes``,
        ``identifiers``.

    Returns
    -------
    ReadRatings
        Identifiers are strings, coded in their sorted order (by character, so that ``10`` comes
        before ``9``). Rows are sorted by user and item, whatever their order in the table. Ratings
        are float32; timestamps are seconds, float64 if some have fractions.

    Raises
    ------
    TableError
        A column is missing; a row has no user, no item or no rating; a rating is not a finite
        number; or a pair is rated twice and ``duplicates`` is ``refuse``. The message names the
        row and column.

    Examples
    --------
    >>> table = {"item": ["x", "y", "y"], "stars": [5, 2, 4], "user": ["ann", "ann", "bob"]}
    >>> ratings = read_ratings(table)
    >>> ratings.values.tolist(), ratings.user_ids.tolist(), ratings.users.tolist()
    ([5.0, 2.0, 4.0], ['ann', 'bob'], [0, 0, 1])
    >>> print(*ratings.reading.lines(), sep=chr(10))
    the table: table in memory. 3 rows of 2 users and 2 items; rating is stars.
      Ratings are 2, 4 and 5.
    """
    if "repeats" in options:
        told = "read_ratings: the argument repeats is now called duplicates."
        warnings.warn(told, DeprecationWarning, stacklevel=3)
        named = {"user": user, "item": item, "rating": rating, "timestamp": timestamp}
        return read_ratings(source, **named, duplicates=options.pop("repeats"), **options)
    chosen = ReadingOptions(**options)
    named = {"user": user, "item": item, "rating": rating, "timestamp": timestamp, **options}
    given = {name: value for name, value in named.items() if value is not None}
    if duplicates != "refuse":
        given["duplicates"] = duplicates
    columns = read_wanted(
        source,
        (
            WantedColumn("user", USER_NAMES, True, user),
            WantedColumn("item", ITEM_NAMES, True, item),
            WantedColumn("rating", RATING_NAMES, False, rating, is_needed=_is_named(rating)),
            WantedColumn(
                *("timestamp", TIMESTAMP_NAMES, False, timestamp),
                is_needed=_is_named(timestamp),
                is_time=True,
            ),
        ),
        chosen,
    )
    if not isinstance(columns, FoundColumns):
        columns = columns_of_scores(columns, "rating", source, chosen)
    if not len(columns):
        raise TableError(f"{columns.source} has no rows: there is nothing to evaluate.")
    first_cells = columns.first_cells()
    users, user_ids = columns.codes("user")
    columns.forget("user")
    items, item_ids = columns.codes("item")
    columns.forget("item")
    refuse_lists_in_cells(columns, users, item_ids)
    refuse_exchanged_parts(columns, users, user_ids, items, item_ids)
    near = [
        *identifier_doubts(columns.source, "users", user_ids),
        *identifier_doubts(columns.source, "items", item_ids),
    ]
    users, user_ids = coded_in_order(users, user_ids)
    items, item_ids = coded_in_order(items, item_ids)
    values = _values(columns, len(users))
    read_values = values
    columns.forget("rating")
    if chosen.columns is None and rating is None and chosen.format is None:
        _refuse_ranks(columns, users, values)
        _refuse_sizes(columns, values)
        _refuse_times(columns, values)
    times, words = _timestamps(columns, chosen.time_unit, is_asked=_is_named(timestamp))
    columns.forget("timestamp")
    rows: NDArray[np.int64] | slice = slice(None)
    if duplicates != "refuse":
        rows, values = merged_pairs(users, items, values, times, duplicates)
    different, counts = np.unique(values, return_counts=True)
    are_grades, taken_for = False, ""
    if columns.form.startswith(LISTS_OF_USERS):
        are_grades, taken_for = _lists_taken_for(columns, different, len(user_ids))
    is_said = chosen.columns is not None or rating is not None
    is_count = plain_name(columns.names.get("rating", "")) in COUNT_NAMES
    are_summed = duplicates == "sum" and not is_count
    reading = ReadingReport(
        source=columns.source,
        form=columns.form,
        columns=columns.names,
        unread=columns.unread,
        rows=len(users),
        merged=len(users) - len(values),
        rule="" if duplicates == "refuse" else _rule(duplicates, users, items, times, len(values)),
        users=len(user_ids),
        items=len(item_ids),
        values="; ".join(
            own for own in (scale_in_words(columns, different), *columns.rewritten.values()) if own
        ),
        times=words if times is None else _times_in_words(times, words),
        notes=(
            *columns.notes,
            *near,
            *doubts_on_ratings(columns, different, counts, is_said=is_said),
            *doubts_on_columns_of_parts(columns, is_said=chosen.columns is not None),
            *doubts_on_parts(columns, read_values),
            *(doubts_on_sums(columns, read_values) if are_summed else ()),
            *doubts_on_times(columns, times, words),
        ),
        are_counts=duplicates == "sum" or is_count,
        are_grades=are_grades,
        taken_for=taken_for,
        first_cells=first_cells,
        types=columns.types,
        shape=columns.shape,
        given=given,
    )
    reading = replace(reading, are_grades=are_judgments(reading))
    read = ReadRatings(
        users=users[rows],
        items=items[rows],
        values=values.astype(np.float32, copy=False),
        user_ids=user_ids,
        item_ids=item_ids,
        timestamps=None if times is None else times[rows],
        checked=True,
        reading=reading,
    )
    # Rules for repeats and messages use the row order of the table, so rows are sorted at the very
    # end.
    in_order = read.in_order_of_identifiers()
    if duplicates == "refuse":
        _refuse_repeats(columns, read, in_order)
    return in_order


@dataclass(frozen=True)
class JudgedTable:
    """Judged pairs of users and items against which runs are measured.

    With ``are_grades``, the values are relevance judgments, where 0 means not relevant, instead of
    ratings. ``reading`` tells how the pairs were read, if they were read from a table.
    """

    ratings: Ratings
    are_grades: bool
    reading: ReadingReport | None = None

    @property
    def are_counts(self) -> bool:
        """Whether the values are counts, such as plays."""
        return self.reading is not None and self.reading.are_counts


def read_test_data(source: object, **options: Any) -> JudgedTable:
    """Read the test data against which runs are measured.

    A note says what values were taken for that may be judgments or ratings
    (:func:`are_judgments`).
    """
    if isinstance(source, JudgedTable):
        return source
    if isinstance(source, Ratings) and not isinstance(source, ReadRatings):
        return JudgedTable(source, are_grades=False)
    read = source if isinstance(source, ReadRatings) else read_ratings(source, **options)
    notes = (*read.reading.notes, *notes_on_judgments(read.reading))
    return JudgedTable(read, read.are_grades, replace(read.reading, notes=notes))


def are_judgments(reading: ReadingReport) -> bool:
    """Tell whether values are relevance judgments instead of ratings, wherever they are used.

    They are if the format is TREC's (``user iteration item grade``), if the columns are named after
    queries and documents, or if a mapping gives the items of each user. In the last case they are
    ratings if there are :data:`MANY_USERS`, and at most :data:`SCALE` different values, from above
    0 to :data:`LOWEST_SCALE` or more.
    """
    user, item = (plain_name(reading.columns.get(role, "")) for role in ("user", "item"))
    # Users who rate documents are no queries.
    are_of_documents = item in QUERY_NAMES and user not in USER_NAMES
    are_named_so = FORMATS["qrels"] in reading.form or user in QUERY_NAMES or are_of_documents
    return reading.are_grades or are_named_so


def notes_on_judgments(reading: ReadingReport) -> list[Note]:
    """Return a note on what values were taken for that may be judgments or ratings."""
    return [Note("judgments-or-ratings", reading.taken_for)] if reading.taken_for else []


def _lists_taken_for(
    columns: FoundColumns, different: NDArray[np.float32], n_users: int
) -> tuple[bool, str]:
    """Return whether values by user and item are judgments, and a text if they may be ratings."""
    lowest, highest = float(different[0]), float(different[-1])
    if highest < LOWEST_SCALE and (different == np.rint(different)).all():
        return True, ""
    why = (
        f"there are fewer than {MANY_USERS} users"
        if n_users < MANY_USERS
        else "some are 0 or less"
        if lowest <= 0
        else f"none is {LOWEST_SCALE} or more"
        if highest < LOWEST_SCALE
        else f"there are more than {SCALE} different ones"
        if len(different) > SCALE
        else ""
    )
    name = Path(columns.source).name
    told = f"{name}: values from {lowest:g} to {highest:g} by user and item were taken for"
    if why:
        told += (
            f" judgments, as {why}, so that those of 1 or more are relevant. If they are ratings, "
            f"set the lowest relevant one (relevant={highest:g}, in a command: --relevant "
            f"{highest:g})."
        )
    else:
        told += (
            " ratings, so that those above the middle of their scale are relevant. If they are "
            "judgments, set the lowest relevant one (relevant=1, in a command: --relevant 1)."
        )
    return bool(why), told


def columns_of_scores(
    scores: Mapping[str, Mapping[str, float]],
    role: str,
    source: object,
    options: ReadingOptions = AS_FOUND,
) -> FoundColumns:
    """Return scores of items by user as columns, read with some options."""
    form = LISTS_OF_USERS
    if isinstance(source, str | Path) and Path(source).is_file():
        form += other_encoding(Path(source), options.encoding)
    source = str(source) if isinstance(source, str | Path) else "the table"
    try:
        values = np.array([value for own in scores.values() for value in own.values()], np.float64)
    except (TypeError, ValueError):
        for user, own in scores.items():
            for name, value in own.items():
                if not isinstance(value, int | float | np.number):
                    raise TableError(
                        f"{source}: the {role} of item {shortened(str(name))} for user "
                        f"{shortened(str(user))} is {shortened(repr(value))}. It must be a number."
                    ) from None
        raise
    lengths = np.fromiter(map(len, scores.values()), np.int64, count=len(scores))
    item_codes: dict[str, int] = {}
    every = (item for own in scores.values() for item in own)
    items = np.fromiter(
        (item_codes.setdefault(item, len(item_codes)) for item in every), np.int32, len(values)
    )
    users = np.repeat(np.arange(len(scores), dtype=np.int32), lengths)
    # Stored as codes: identifiers repeated for every entry of a long run would take gigabytes.
    arrays = {role: pa.chunked_array([values])}
    for name, codes, ids in (("user", users, scores), ("item", items, item_codes)):
        try:
            texts = pa.array([str(own) for own in ids], pa.string())
        except UnicodeEncodeError as error:
            raise half_of_a_character(source, error) from None
        arrays[name] = pa.chunked_array([pa.DictionaryArray.from_arrays(codes, texts)])
    are_as_written = options.identifiers == "as-written"
    return FoundColumns(source, 1, "row", arrays, form=form, are_as_written=are_as_written)


def _is_named(column: str | int | None) -> bool:
    return column is not None and column != UNREAD


def _values(columns: FoundColumns, rows: int) -> NDArray[np.float32]:
    if "rating" not in columns:
        return np.ones(rows, dtype=np.float32)
    values = columns.numbers("rating")
    finite = finite_in_single_precision(values)
    if not finite.all():
        row = int(np.argmin(finite))
        if np.isnan(values[row]):
            raise TableError(
                f"{columns.where(row)} has no rating. Leave out pairs without a rating. If every "
                "row is feedback of the same value, do not read the column (rating='-', in a "
                "command: --rating -)."
            )
        raise TableError(
            f"{columns.where(row)} has the rating {values[row]:g}. It must be a finite number of "
            "single precision."
        )
    return values.astype(np.float32)


_SHORTEST_LIST = 3


def _refuse_ranks(
    columns: FoundColumns, users: NDArray[np.int32], values: NDArray[np.float32]
) -> None:
    """Refuse values of a column without a name that count the rows of each user."""
    is_named = not columns.are_guessed and FORMATS["qrels"] not in columns.form
    if is_named or "rating" not in columns or len(values) < _SHORTEST_LIST:
        return
    are_long = np.bincount(users).max() >= _SHORTEST_LIST
    if are_long and values[0] in (0, 1) and are_ranks_in_order(users, values):
        raise TableError(
            f"{columns.source}: its ratings are 1, 2, 3 and so on for each user, in this order, as "
            "the ranks of a run are. If it is no run, say what each column is (columns=..., in a "
            "command: --columns user,item,rating), or that these are the ratings (rating=..., "
            "--rating ...)."
        )


def _refuse_times(columns: FoundColumns, values: NDArray[np.float32]) -> None:
    """Refuse different ratings that are all moments from 1995 to 2038, in seconds or less."""
    low, high = float(values.min()), float(values.max())
    are_few = low < FEWEST_SECONDS or len(np.unique(values[:FIRST_LINES])) < FEWEST_GRADES
    if "rating" in columns and not are_few and are_since_1995(low, high):
        raise TableError(
            f"{columns.source}: its ratings, from {low:.0f} to {high:.0f}, seem to be times. Name "
            "the column of ratings, or that of times (rating=... or rating='-', timestamp=..., in "
            "a command: --rating, --timestamp)."
        )


def _refuse_sizes(columns: FoundColumns, values: NDArray[np.float32]) -> None:
    """Refuse a first row that has the number of the others, as that of a sparse matrix has."""
    rest = values[1:]
    if columns.are_guessed and len(rest) >= FEWEST_ENTRIES and values[0] == len(rest) > rest.max():
        raise TableError(
            f"{columns.where(0)} seems to have the sizes of a matrix, as it has the number of the "
            f"other rows ({len(rest):,}). Remove it. If it is a row, say what each column is "
            "(columns=..., in a command: --columns user,item,rating)."
        )


def _timestamps(
    columns: FoundColumns, unit: TimeUnit | None, *, is_asked: bool
) -> tuple[NDArray[np.int64] | NDArray[np.float64] | None, str]:
    """Return timestamps in seconds, and the unit in which they were written."""
    if "timestamp" not in columns:
        return None, ""
    times = columns.numbers("timestamp")
    if np.isnan(times).all():
        if not is_asked:
            return None, "the column of times is empty"
        raise TableError(
            f"{columns.source} has no timestamp in any row. Name another column, or none "
            "(timestamp='-', in a command: --timestamp -)."
        )
    if not np.isfinite(times).all():
        row = int(np.argmin(np.isfinite(times)))
        raise TableError(
            f"{columns.where(row)} has no timestamp, but other rows have one. Complete the column, "
            "or do not read it (timestamp='-', in a command: --timestamp -)."
        )
    seconds, words = in_seconds(times, "s" if columns.dates else unit, columns.where)
    if unit is None:
        _refuse_placeholders(columns, times, seconds)
    return seconds, columns.dates or words


_LAST_SECOND = 2**31 - 1
"""The last time of 32 bits, in 2038; it and later ones may stand for a missing one."""


def _refuse_placeholders(
    columns: FoundColumns, times: NDArray[np.float64], seconds: NDArray[Any]
) -> None:
    """Refuse times before 1973 or from 2038 on that are years away from all others."""
    if seconds.min() >= FEWEST_SECONDS and seconds.max() < _LAST_SECOND:
        return
    for wrong, when in (
        (seconds < FEWEST_SECONDS, "from 1973 or later"),
        (seconds >= _LAST_SECOND, "before 2038"),
    ):
        own, others = seconds[wrong], seconds[~wrong]
        if not len(own) or not len(others):
            continue
        if max(others.min() - own.max(), own.min() - others.max()) < FEWEST_SECONDS:
            continue
        row = int(np.argmax(wrong))
        told = f"{times[row]:.15g}"
        if columns.dates:
            told = span_in_words(times[row : row + 1]).partition(" ")[0]
        raise TableError(
            f"{columns.where(row)} has the time {told}. {wrong.mean():.1%} of the rows have "
            f"such a time, which seems to stand for a missing one, as all others are {when}. "
            "Complete the column, or do not read it (timestamp='-', in a command: "
            "--timestamp -). If it is a time, set the unit (time_unit='s', --time-unit s)."
        )


def _times_in_words(times: NDArray[Any], words: str) -> str:
    since = times - times.min()
    if since.dtype.kind == "i" and since.max() <= np.iinfo(np.int32).max:
        # Sorted by the last half of the bits, and then by the first: in half the time.
        since = since.astype(np.int32)
        half = (int(since.max()).bit_length() + 1) // 2
        by_last = ordered_by(since & ((1 << half) - 1), since)[1]
        ordered = ordered_by(by_last >> half, by_last)[1]
    else:
        ordered = np.sort(since)
    different = 1 + int((ordered[1:] != ordered[:-1]).sum())
    told = f"times are {words}" if words.startswith("dates") else f"times are in {words}"
    if words == "nanoseconds":
        told += ROUNDED
    told += f", {span_in_words(times)}"
    again = len(times) - different
    return f"{told}, with {how_many(again, 'row')} at the time of another row" if again else told


def _rule(
    repeats: Repeats,
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    times: NDArray[Any] | None,
    n_pairs: int,
) -> str:
    """Return in words how rows that rate a pair again are treated; equal times decide nothing."""
    if repeats in ("first", "last"):
        by_time = times is not None
        if times is not None and n_pairs < len(users):
            moments = np.unique(times, return_inverse=True)[1]
            by_time = len(last_rows(users, items, moments)) > n_pairs
        return f"the {repeats} by {'time' if by_time else 'row'} is kept"
    return {"sum": "their values are summed", "mean": "their values are averaged"}.get(
        repeats, "the largest value is kept"
    )


def merged_pairs(
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    values: NDArray[np.float32],
    times: NDArray[Any] | None,
    repeats: Repeats,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the rows that are kept, in the order of the table, and their values."""
    # Sorted by time, or by value for the largest; equal rows keep the order of the table.
    keys = [] if times is None else [times]
    if repeats == "max":
        keys = [*keys, values]
    elif repeats in ("sum", "mean") and (values != np.rint(values)).any():
        # The last digit of a sum of fractions depends on the order of its terms.
        keys = [values, *keys]
    rule: Any = "last" if repeats == "max" else repeats
    if not keys or (len(keys) == 1 and (keys[0][1:] >= keys[0][:-1]).all()):
        return merge_repeats(users, items, values, rule)
    order = np.lexsort(keys)
    rows, kept = merge_repeats(users[order], items[order], values[order], rule)
    back = np.argsort(order[rows])
    return order[rows][back], kept[back]


def _refuse_repeats(columns: FoundColumns, read: Ratings, in_order: Ratings) -> None:
    """Raise an error that names the first row that repeats a pair, if any."""
    same_user = in_order.users[1:] == in_order.users[:-1]
    if not (same_user & (in_order.items[1:] == in_order.items[:-1])).any():
        return
    repeat = first_repeat(read.users.astype(np.int64) * read.n_items + read.items)
    assert repeat is not None
    row, earlier = repeat
    user = shortened(str(read.user_ids[read.users[row]]))
    item = shortened(str(read.item_ids[read.items[row]]))
    places = [columns.names.get(role, "") for role in ("user", "item")]
    guessed = (
        f" If {places[0]} is not the user, or {places[1]} not the item, say what each column is "
        "(columns=..., --columns user,item,rating)."
    )
    raise TableError(
        f"{columns.where(row)} rates the same pair as {columns.beside(earlier, row)}: user {user} "
        f"and item {item}. Choose how to merge such rows: duplicates='first', 'last', 'sum', "
        "'mean' or 'max' (in a command: --duplicates first)."
        f"{guessed if columns.are_guessed else ''}"
    )
