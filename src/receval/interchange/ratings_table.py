# SPDX-License-Identifier: MIT
"""Ratings from a table of anybody's: files of other tools, data frames."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.datasets.formats.pairs import merge_repeats
from receval.interchange.columns import FoundColumns, WantedColumn
from receval.interchange.errors import SuspiciousTableWarning, TableError
from receval.interchange.tables import read_wanted
from receval.ratings import Ratings, finite_in_single_precision, first_repeat
from receval.storage.messages import shortened

Repeats = Literal["refuse", "first", "last", "sum", "mean"]

USER_NAMES = (
    "user", "userid", "uid", "useridx", "userindex", "customer", "customerid", "reviewerid",
    "visitorid", "memberid", "qid", "queryid", "u",
)  # fmt: skip
ITEM_NAMES = (
    "item", "itemid", "iid", "itemidx", "itemindex", "movie", "movieid", "product", "productid",
    "parentasin", "asin", "track", "trackid", "song", "songid", "book", "bookid", "isbn", "artist",
    "artistid", "businessid", "beerid", "gameid", "docid", "i",
)  # fmt: skip
RATING_NAMES = (
    "rating", "ratings", "stars", "value", "score", "label", "relevance", "rel", "overall",
    "bookrating", "count", "plays", "playcount",
)  # fmt: skip
TIMESTAMP_NAMES = ("timestamp", "time", "ts", "date", "datetime", "unixreviewtime", "createdat")
"""Names by which tables call each column, in small letters and without signs; first comes first."""


def read_ratings(
    source: object,
    *,
    user: str | int | None = None,
    item: str | int | None = None,
    rating: str | int | None = None,
    timestamp: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    repeats: Repeats = "refuse",
    told: Callable[[str], object] | None = None,
) -> Ratings:
    """Read ratings from a file or a data frame.

    Parameters
    ----------
    source : path or data frame
        CSV, TSV, any text with one delimiter (``::`` of MovieLens, too), a RecBole file
        (``.inter``) or Parquet, also packed by gzip, bz2, xz, zstd or lz4, or alone in a zip
        archive; a data frame of pandas or polars; an Arrow table; a mapping of names to columns.
        Columns may stand in any order, with others between them.
    user, item, rating, timestamp : str or int, optional
        Names of the columns, or their positions from 0. By default what tables usually call them
        (``user``, ``user_id``, ``userId``, ``user_id:token`` and so on); a file without a header
        has them in this order. Without a rating every row is feedback of the value 1, and without
        timestamps nothing can be split by time. Timestamps are seconds since 1970-01-01 UTC, or
        dates and times as ISO 8601 writes them (``2003-02-28 23:59:59``), UTC unless they say
        otherwise.
    delimiter : str, optional
        Between cells of a text; found from its name and its first line by default.
    header : bool, optional
        Whether a text's first line has names; found from it by default.
    repeats : {"refuse", "first", "last", "sum", "mean"}
        What becomes of rows that rate the same pair again.
    told : callable, optional
        Is told in a sentence which columns were read, and which were not.

    Returns
    -------
    Ratings
        Identifiers as strings, coded by first appearance; float32 ratings; timestamps in seconds.

    Raises
    ------
    TableError
        A column is missing; a row has no user, no item or no rating; a rating is no finite number;
        or a pair is rated twice and ``repeats`` is ``refuse``. The message names row and column.

    Warns
    -----
    SuspiciousTableWarning
        Identifiers differ in white space or capitals alone.

    Examples
    --------
    >>> table = {"item": ["x", "y", "y"], "stars": [5, 2, 4], "user": ["ann", "ann", "bob"]}
    >>> ratings = read_ratings(table)
    >>> ratings.values.tolist(), ratings.user_ids.tolist(), ratings.users.tolist()
    ([5.0, 2.0, 4.0], ['ann', 'bob'], [0, 0, 1])
    """
    columns = read_wanted(
        source,
        (
            WantedColumn("user", USER_NAMES, True, user),
            WantedColumn("item", ITEM_NAMES, True, item),
            WantedColumn("rating", RATING_NAMES, False, rating, is_needed=rating is not None),
            WantedColumn(
                *("timestamp", TIMESTAMP_NAMES, False, timestamp),
                is_needed=timestamp is not None,
                is_time=True,
            ),
        ),
        delimiter=delimiter,
        header=header,
    )
    if not len(columns):
        raise TableError(f"{columns.source} has no rows: there is nothing to evaluate.")
    if told is not None and columns.told():
        told(columns.told())
    users, user_ids = columns.codes("user")
    items, item_ids = columns.codes("item")
    for what, ids in (("users", user_ids), ("items", item_ids)):
        _warn_of_near_identifiers(columns.source, what, ids)
    values = _values(columns)
    times = _timestamps(columns)
    rows: NDArray[np.int64] | slice = slice(None)
    if repeats == "refuse":
        _refuse_repeats(columns, users, items, (user_ids, item_ids))
    else:
        rows, values = merge_repeats(users, items, values, repeats)
    return Ratings(
        users=users[rows],
        items=items[rows],
        values=values.astype(np.float32, copy=False),
        user_ids=user_ids,
        item_ids=item_ids,
        timestamps=None if times is None else times[rows],
        checked=True,
    )


def _values(columns: FoundColumns) -> NDArray[np.float32]:
    if "rating" not in columns:
        return np.ones(len(columns), dtype=np.float32)
    values = columns.numbers("rating")
    finite = finite_in_single_precision(values)
    if not finite.all():
        row = int(np.argmin(finite))
        if np.isnan(values[row]):
            raise TableError(
                f"{columns.where(row)} has no rating: leave out pairs that are not rated, or give "
                "the table without the column if every row is feedback of the same worth."
            )
        raise TableError(
            f"{columns.where(row)} has the rating {values[row]:g}: it must be a finite number of "
            "single precision."
        )
    return values.astype(np.float32)


def _timestamps(columns: FoundColumns) -> NDArray[np.int64] | None:
    if "timestamp" not in columns:
        return None
    times = columns.numbers("timestamp")
    if not np.isfinite(times).all():
        row = int(np.argmin(np.isfinite(times)))
        raise TableError(
            f"{columns.where(row)} has no timestamp, others have: complete the column, or leave it "
            "out."
        )
    return np.floor(times).astype(np.int64)


def _refuse_repeats(
    columns: FoundColumns,
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    ids: tuple[NDArray[np.str_], NDArray[np.str_]],
) -> None:
    repeat = first_repeat(users.astype(np.int64) * len(ids[1]) + items)
    if repeat is None:
        return
    row, earlier = repeat
    user, item = shortened(str(ids[0][users[row]])), shortened(str(ids[1][items[row]]))
    raise TableError(
        f"{columns.where(row)} rates what {columns.unit} {earlier + columns.first_row} has rated, "
        f"user {user} and item {item}. Say what becomes of such rows: repeats='first', 'last', "
        "'sum' or 'mean'."
    )


def _warn_of_near_identifiers(source: str, what: str, ids: NDArray[np.str_]) -> None:
    plain = np.char.lower(np.char.strip(ids))
    _, first, counts = np.unique(plain, return_index=True, return_counts=True)
    if (counts > 1).any():
        name = plain[first[np.argmax(counts > 1)]]
        alike = [str(own) for own in ids[plain == name][:2]]
        warnings.warn(
            f"{source}: {int((counts > 1).sum())} {what} have identifiers that differ in white "
            f"space or capitals alone, such as {alike[0]!r} and {alike[1]!r}. They are taken for "
            "different ones.",
            SuspiciousTableWarning,
            stacklevel=3,
        )
