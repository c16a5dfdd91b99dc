# SPDX-License-Identifier: MIT
"""Splits that others made: a table for each part, or a column that names the part of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.column_roles import ITEM_NAMES, OTHER_NAMES, USER_NAMES, divided_by_a_column
from receval.data.columns import FoundColumns, WantedColumn
from receval.data.notes_on_ratings import doubts_on_scales
from receval.data.ratings import Ratings
from receval.data.ratings_table import ReadRatings, read_ratings
from receval.data.reading import (
    ReadingOptions,
    ReadingReport,
    TableError,
    are_as_written,
)
from receval.data.shared_identifiers import (
    FEW,
    Meeting,
    doubts_on,
    fit_if_exchanged,
    refuse_transposed,
)
from receval.data.tables import read_wanted
from receval.notes import Note
from receval.splits.split import TEST, TRAIN, VALIDATION, Metadatum, Split
from receval.storage.messages import enumerated, quoted, shortened

PARTS = {"train": TRAIN, "validation": VALIDATION, "test": TEST}
"""The parts of a predefined split, with their codes."""


@dataclass(frozen=True)
class GivenSplit:
    """Ratings with the split that was given of them, and how its tables were read."""

    ratings: Ratings
    parts: Split
    reading: tuple[ReadingReport, ...]
    notes: tuple[Note, ...]
    description: Mapping[str, Any]


@checked_arguments
def split_of_parts(
    source: object,
    *,
    test: object = None,
    validation: object = None,
    part: str | None = None,
    use_validation: Literal["set aside", "train"] = "set aside",
    trained_pairs: Literal["refuse", "drop"] = "refuse",
    **options: Any,
) -> GivenSplit:
    """Read a split from the tables of its parts, or from a table with a column of parts.

    Parameters
    ----------
    source : Ratings, path, data frame or mapping
        The training ratings; or with ``part``, all ratings, read by
        :func:`receval.data.ratings_table.read_ratings`.
    test, validation : Ratings, path, data frame or mapping, optional
        The other parts. A test is needed, unless ``part`` is given.
    part : str, optional
        The column that has for each row ``train``, ``validation`` or ``test`` (or another name of
        :data:`OTHER_NAMES`, in any case). An empty cell leaves the row out.
    use_validation : {"set aside", "train"}
        Whether validation ratings neither train nor test, or train.
    trained_pairs : {"refuse", "drop"}
        Whether to refuse pairs that are in two parts, or to drop them from the later one.
    **options
        Arguments of :func:`receval.data.ratings_table.read_ratings`, for all tables.

    Raises
    ------
    TableError
        A table cannot be read, or the column names no part.
    ValueError
        There is no test or training rating, a pair is in two parts, or no item of the test is in
        the training ratings.

    Examples
    --------
    >>> table = {"user": list("aab"), "item": list("xyx"), "split": ["train", "test", "train"]}
    >>> found = split_of_parts(table, part="split")
    >>> found.parts.codes[0].tolist()
    [1, 2, 1]
    """
    known = {"user", "item", "rating", "timestamp", "duplicates"}
    known |= {own.name for own in fields(ReadingOptions)}
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        raise ValueError(f"A split of the kind predefined has no parameter {quoted(unknown)}.")
    if part is None:
        if test is None:
            raise ValueError(
                "A predefined split needs a test: give test=... (in a command: --test ...) beside "
                "the training ratings, or part=... (--part ...), the column that says which rows "
                "train and test."
            )
        tables = {"train": source, "validation": validation, "test": test}
        read = {
            name: own if isinstance(own, Ratings) else read_ratings(own, **options)
            for name, own in tables.items()
            if own is not None
        }
        doubts = _check_tables(read)
    else:
        if test is not None or validation is not None:
            raise ValueError(
                "The column of parts already says which rows test. Give either part=... (in a "
                "command: --part ...), or the tables test=... and validation=... (--test ..., "
                "--validation ...)."
            )
        read = _parts_of_column(source, part, options)
        doubts = []
    ratings, codes, notes = _joined(read, trained_pairs)
    if use_validation == "train":
        codes[codes == VALIDATION] = TRAIN
    notes += [*doubts, *_check_parts(ratings, codes, are_as_written(*read.values()))]
    meeting = _meeting_in_words(read)
    reports = [
        replace(own.reading, meeting=meeting.get(name, ""))
        for name, own in read.items()
        if isinstance(own, ReadRatings)
    ]
    if part is not None:
        told = "; ".join(f"the {name} part has {words}" for name, words in meeting.items())
        reports = [replace(reports[0], meeting=told)]
    description: dict[str, Any] = {"kind": "predefined"}
    if use_validation == "train":
        description["use_validation"] = "train"
    counts: dict[str, Metadatum] = {
        f"{name}_ratings": int((codes == code).sum()) for name, code in PARTS.items()
    }
    # Not in the description: seeds are the same however equal parts were given.
    if part is not None:
        counts["part"] = part
    elif len(reports) == len(read) and all(own.given == reports[0].given for own in reports):
        counts |= {name: own.source for name, own in zip(read, reports, strict=True)}
        del counts["train"]
    if trained_pairs == "drop":
        counts["trained_pairs"] = "drop"
    return GivenSplit(ratings, Split((codes,), counts), tuple(reports), tuple(notes), description)


def _parts_of_column(source: object, part: str, options: Mapping[str, Any]) -> dict[str, Ratings]:
    """Return the ratings of each part, as a column of their table says."""
    if isinstance(source, Ratings):
        raise ValueError(
            f"Ratings have no column {quoted(part)}, because read_ratings keeps only users, items, "
            "ratings and times. Give the file or the table itself instead of the ratings."
        )
    with divided_by_a_column():
        ratings = read_ratings(source, **options)
    names = ("user", "item")
    asked = {name: options.get(name) for name in names}
    chosen = {
        name: value
        for name, value in options.items()
        if name not in (*names, "rating", "timestamp", "duplicates")
    }
    columns = read_wanted(
        source,
        (
            WantedColumn("user", USER_NAMES, True, asked["user"]),
            WantedColumn("item", ITEM_NAMES, True, asked["item"]),
            WantedColumn("part", (), True, part),
        ),
        ReadingOptions(**chosen),
    )
    if not isinstance(columns, FoundColumns):
        raise TableError(f"{source} has no column {quoted(part)}. Give a table with one.")
    part_of_row = _codes_of_parts(columns)
    coded = []
    for name, ids in (("user", ratings.user_ids), ("item", ratings.item_ids)):
        own, own_ids = columns.codes(name)
        coded.append(np.searchsorted(ids, own_ids).astype(np.int64)[own])
    keys = coded[0] * ratings.n_items + coded[1]
    order = np.lexsort((part_of_row, keys))
    keys, part_of_row = keys[order], part_of_row[order]
    differs = (keys[1:] == keys[:-1]) & (part_of_row[1:] != part_of_row[:-1])
    if differs.any():
        row = int(order[np.argmax(differs) + 1])
        raise TableError(
            f"{columns.where(row)} has the same user and item as another row, but is of another "
            "part. A pair that was rated more than once must be of one part."
        )
    pairs = ratings.users.astype(np.int64) * ratings.n_items + ratings.items
    codes = part_of_row[np.searchsorted(keys, pairs)]
    found = {name: ratings.select(codes == code) for name, code in PARTS.items()}
    unread = tuple(name for name in ratings.reading.unread if name != part)
    notes = tuple(own for own in ratings.reading.notes if own.code != "parts-of-a-split")
    reading = replace(ratings.reading, unread=unread, notes=notes)
    return {name: _with_reading(own, reading) for name, own in found.items() if len(own)}


def _with_reading(ratings: Ratings, reading: ReadingReport) -> ReadRatings:
    own = {
        name: getattr(ratings, name) for name in Ratings.__dataclass_fields__ if name != "checked"
    }
    return ReadRatings(**own, checked=True, reading=reading)


def _codes_of_parts(columns: FoundColumns) -> NDArray[np.uint8]:
    """Return the code of the part of each row; 0 if its cell is empty."""
    column = columns.arrays["part"].unify_dictionaries()
    known = {**{name: name for name in PARTS}, **OTHER_NAMES}
    chunks = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in column.chunks]
    rows = np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int64)
    texts = column.chunk(0).dictionary.to_pylist() if chunks else []
    codes = np.zeros(len(texts) + 1, dtype=np.uint8)
    for place, text in enumerate(texts):
        plain = text.strip().lower()
        if plain and plain not in known:
            row = int(np.argmax(rows == place))
            raise TableError(
                f"{columns.where(row)} is of the part {quoted(shortened(text))}. A part must be "
                f"{enumerated(list(PARTS))} (or {enumerated(list(OTHER_NAMES))}); an empty cell "
                "leaves the row out."
            )
        codes[place] = PARTS[known[plain]] if plain else 0
    return codes[rows]


def _joined(
    read: Mapping[str, Ratings], trained_pairs: Literal["refuse", "drop"]
) -> tuple[Ratings, NDArray[np.uint8], list[Note]]:
    """Return the ratings of all parts as one table, and their codes."""
    tables = list(read.values())
    notes: list[Note] = []
    ids = [
        np.unique(np.concatenate([getattr(own, name) for own in tables]))
        for name in ("user_ids", "item_ids")
    ]
    users, items = (
        np.concatenate(
            [
                np.searchsorted(all_ids, getattr(own, f"{what}_ids")).astype(np.int32)[
                    getattr(own, f"{what}s")
                ]
                for own in tables
            ]
        )
        for what, all_ids in zip(("user", "item"), ids, strict=True)
    )
    codes = np.concatenate(
        [np.full(len(own), PARTS[name], dtype=np.uint8) for name, own in read.items()]
    )
    optional = {
        name: np.concatenate([getattr(own, name) for own in tables])
        if all(getattr(own, name) is not None for own in tables)
        else None
        for name in ("timestamps", "known")
    }
    pairs = users.astype(np.int64) * len(ids[1]) + items
    # Tables come in the order of the parts, so that a stable sort has the earlier part first.
    order = np.argsort(pairs, kind="stable")
    first = np.r_[True, pairs[order][1:] != pairs[order][:-1]][: len(order)]
    part_of_first = codes[order][np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))]
    again = np.zeros(len(pairs), dtype=bool)
    again[order] = codes[order] != part_of_first
    kept = ~again
    if again.any():
        row = int(np.flatnonzero(again)[0])
        told = f"{int(again.sum()):,} of {len(pairs):,} ratings have a pair of an earlier part"
        if trained_pairs == "refuse":
            raise ValueError(
                f"{told}, for example user {shortened(str(ids[0][users[row]]))} with item "
                f"{shortened(str(ids[1][items[row]]))}. A user's training items are not "
                "candidates, so they could never be found. Remove these pairs, or drop them from "
                "the later part with trained_pairs='drop' (in a command: --trained-pairs drop)."
            )
        notes.append(Note("trained-pairs", f"{told}. They were left out."))
    joined = Ratings(
        users=users[kept],
        items=items[kept],
        values=np.concatenate([own.values.astype(np.float32) for own in tables])[kept],
        user_ids=ids[0],
        item_ids=ids[1],
        timestamps=None if optional["timestamps"] is None else optional["timestamps"][kept],
        known=None if optional["known"] is None else optional["known"][kept],
        events=any(own.events for own in tables),
    )
    rows = np.lexsort((joined.items, joined.users))
    return joined.reordered(rows), codes[kept][rows], notes


_SAID = frozenset({"columns", "user", "item"})


def _check_tables(read: Mapping[str, Ratings]) -> list[Note]:
    """Refuse tables that fit if users and items are exchanged, and note different scales."""
    train, notes = read["train"], []
    words = {"train": "table of training ratings"}
    refuse_transposed({words.get(name, name): own for name, own in read.items()})
    for name, own in read.items():
        if own is train:
            continue
        reading = own.reading if isinstance(own, ReadRatings) else None
        is_said = reading is not None and not _SAID.isdisjoint(reading.given)
        if not is_said and fit_if_exchanged(own, train):
            source = f"the {name}" if reading is None else reading.source
            raise TableError(
                f"{source}: its users seem to be the items of the training ratings, or its items "
                "their users, so the two columns are probably exchanged in one of the tables. "
                "Exchange them there. If they are right, say what each column is (columns=..., in "
                "a command: --columns user,item,rating)."
            )
        scales = ("the training ratings", train.values), (f"the {name}", own.values)
        notes += doubts_on_scales(*scales)
    return notes


def _meeting_in_words(read: Mapping[str, Ratings]) -> dict[str, str]:
    """Return in words how many users and items of each other part have training ratings."""
    train = read.get("train")
    if train is None:
        return {}
    found = {}
    for name, part in read.items():
        if part is not train:
            # A table of one part may have identifiers of others without any of their ratings.
            own, trained = part.compacted(), train.compacted()
            meetings = (
                Meeting("user", name, "training ratings", own.user_ids, trained.user_ids),
                Meeting("item", name, "training ratings", own.item_ids, trained.item_ids),
            )
            found[name] = " and ".join(one.in_words for one in meetings)
    return found


def _check_parts(ratings: Ratings, codes: NDArray[np.uint8], are_as_said: bool) -> list[Note]:
    """Refuse a split without training or test ratings, or whose parts do not meet."""
    notes = []
    for name, code in (("training", TRAIN), ("test", TEST)):
        if not (codes == code).any():
            raise ValueError(
                f"The predefined split has no {name} rating. It needs ratings that train and "
                "ratings that test."
            )
    for what, own, ids in (
        ("item", ratings.items, ratings.item_ids),
        ("user", ratings.users, ratings.user_ids),
    ):
        trains, tests = (ids[np.unique(own[codes == code])] for code in (TRAIN, TEST))
        meeting = Meeting(what, "test", "training ratings", tests, trains, are_as_said)
        # Systems may be tested on new users.
        notes += doubts_on(meeting, may_differ=what == "user")
        share = meeting.n_common / len(tests)
        if share >= FEW or (what == "item" and not share):
            continue
        text = (
            f"Only {share:.1%} of the {len(tests):,} test {what}s have training ratings."
            f"{'' if share else f' {meeting.examples}.'} Check that the identifiers are the same, "
            "or that systems can recommend to the others."
        )
        notes.append(Note("few-identifiers-known", text))
    return notes
