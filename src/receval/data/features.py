# SPDX-License-Identifier: MIT
"""Read features of items or users, such as genres or gender, from a table of any format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import checked_arguments
from receval.data.column_roles import ITEM_NAMES, USER_NAMES
from receval.data.columns import IN_BRACKETS, FoundColumns, WantedColumn
from receval.data.layouts import is_number, plain_name
from receval.data.reading import UNREAD, ReadingOptions, ReadingReport, TableError
from receval.data.tables import ColumnNames, column_names, read_wanted
from receval.data.text_lines import bytes_that_are_no_text
from receval.storage.messages import enumerated, how_many, quoted, shortened

MISSING = (
    "", "\\N", "nan", "NaN", "null", "NULL", "NA", "N/A", "<NA>", "None", "(no genres listed)",
)  # fmt: skip
"""Cells that hold no value; the last one is MovieLens'."""

_GENRES = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary",
    "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi",
    "Thriller", "War", "Western",
)  # fmt: skip

KNOWN_FILES: Mapping[str, tuple[str, ...]] = {
    "users.dat": ("user", "gender", "age", "occupation", "zip"),
    "movies.dat": ("item", "title", "genre"),
    "u.user": ("user", "age", "gender", "occupation", "zip"),
    "u.item": ("item", "title", "release_date", "video_date", "url", *_GENRES),
}
"""The columns of MovieLens' files, which have no header and may be in latin-1, by file name."""

_TRUE = frozenset({"1", "1.0", "true", "True", "TRUE", "yes"})
_FALSE = frozenset({"0", "0.0", "false", "False", "FALSE", "no", *MISSING})
_TYPES = (":token", ":token_seq", ":float", ":float_seq")
_IDENTIFIERS = ("id", *ITEM_NAMES, *USER_NAMES)
_SIDES = {"users": USER_NAMES, "items": ITEM_NAMES, None: _IDENTIFIERS}
# Others, such as artist or book, may be titles in a table that also has a column id.
_OF_IDENTIFIERS = re.compile("(user|item|u|i)s?|.*(id|idx|index|asin|isbn|no)")

Bins = int | Sequence[float]
"""A number of bins with about equally many identifiers, or the inner edges of bins."""


@dataclass(frozen=True)
class Features:
    """Features of users or items: which values of each feature an identifier has.

    Attributes
    ----------
    ids : ndarray of str, shape (n_ids,)
        Identifiers of items or users, in ascending order.
    values : mapping of str to tuple of str
        The values of each feature, in ascending order (bins: from low to high).
    has_value : mapping of str to csr_array, shape (n_ids, n_values)
        1 where an identifier has a value.
    reading : ReadingReport
        How the table was read.

    Examples
    --------
    >>> films = read_features({"item": ["x", "y"], "genre": ["Comedy|War", "War"]})
    >>> films.values["genre"], films.has_value["genre"].toarray().tolist()
    (('Comedy', 'War'), [[1.0, 1.0], [0.0, 1.0]])
    """

    def __repr__(self) -> str:
        told = ", ".join(f"{name} ({len(own):,} values)" for name, own in self.values.items())
        return f"<Features of {len(self.ids):,} identifiers: {told}>"

    ids: NDArray[np.str_]
    values: Mapping[str, tuple[str, ...]]
    has_value: Mapping[str, csr_array]
    reading: ReadingReport = field(default_factory=lambda: ReadingReport("features"))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self.values)

    def of(self, ids: NDArray[np.str_]) -> dict[str, csr_array]:
        """Return the values of some identifiers by feature, shape (n, n_values).

        Identifiers that are not in the table have no value.
        """
        places = np.minimum(np.searchsorted(self.ids, ids), max(0, len(self.ids) - 1))
        rows = np.flatnonzero(self.ids[places] == ids) if len(self.ids) else np.empty(0, np.int64)
        chosen = csr_array(
            (np.ones(len(rows)), (rows, places[rows])), shape=(len(ids), len(self.ids))
        )
        return {name: csr_array(chosen @ own) for name, own in self.has_value.items()}

    def chosen(self, names: Sequence[str]) -> Features:
        """Return some of the features, in the given order.

        Names are compared without case, punctuation and a plural s.

        Raises
        ------
        ValueError
            There is no such feature.
        """
        own = [self.name(one) for one in names]
        return replace(
            self,
            values={name: self.values[name] for name in own},
            has_value={name: self.has_value[name] for name in own},
        )

    def name(self, feature: str | None = None) -> str:
        """Return the name of a feature as it is in the table; by default, that of the only one.

        Raises
        ------
        ValueError
            There is no such feature, or several to choose from.

        Examples
        --------
        >>> read_features({"item": ["x"], "Genres": ["War"]}).name("genre")
        'Genres'
        """
        if feature is None:
            if len(self.names) == 1:
                return self.names[0]
            raise ValueError(
                f"{self.reading.source} has the features {enumerated(self.names)}. Name the one "
                "that you mean (in a command: FILE:FEATURE)."
            )
        if feature in self.values:
            return feature
        return named_alike(feature, self.names, self.reading.source)

    def single_values(self, feature: str) -> NDArray[np.int64]:
        """Return the place in ``values`` of each identifier's only value, or -1 without one.

        Raises
        ------
        ValueError
            An identifier has several values.
        """
        own = self.has_value[feature]
        counts = np.diff(own.indptr)
        if (counts > 1).any():
            row = int(np.argmax(counts > 1))
            texts = [self.values[feature][place] for place in own[[row], :].indices]
            raise ValueError(
                f"{quoted(str(self.ids[row]))} has several values of {feature}: "
                f"{enumerated(texts)}. Groups of users need one value per user."
            )
        found = np.full(len(self.ids), -1, dtype=np.int64)
        found[counts == 1] = own.indices
        return found

    def joined(self, other: Features) -> Features:
        """Return the features of both tables, of all their identifiers.

        Raises
        ------
        ValueError
            Both have a feature of the same name.
        """
        if twice := [name for name in other.names if name in self.values]:
            raise ValueError(
                f"{self.reading.source} and {other.reading.source} both have the feature "
                f"{enumerated(twice)}. Choose the features of each table."
            )
        ids = np.union1d(self.ids, other.ids)
        return Features(
            ids, {**self.values, **other.values}, {**self.of(ids), **other.of(ids)}, self.reading
        )


def named_alike(feature: str, names: Sequence[str], where: str) -> str:
    """Return the one of some names that equals a given one but for case, signs and a plural s."""
    by_plain = {_plain(name): name for name in reversed(names)}
    found = by_plain.get(_plain(feature))
    if found is None:
        raise ValueError(
            f"{where} has no feature {quoted(feature)}. Its features are "
            f"{enumerated(names) or 'none'}."
        )
    return found


@checked_arguments
def read_features(
    source: object,
    *,
    id: str | int | None = None,  # noqa: A002
    of: Literal["users", "items"] | None = None,
    features: Sequence[str] | None = None,
    separator: str = "|",
    bins: Mapping[str, Any] | None = None,
    one_hot: Mapping[str, Any] | None = None,
    **options: Annotated[Any, ReadingOptions],
) -> Features:
    r"""Read features of items or of users from a file or a data frame.

    Parameters
    ----------
    source : path or data frame
        A table as for :func:`receval.data.ratings_table.read_ratings`, with a row per identifier.
        Several rows of one identifier add up their values, and so do lists in a cell. The files
        ``users.dat``, ``movies.dat``, ``u.user`` and ``u.item`` of MovieLens are known: they need
        neither names of columns nor an encoding. Features are returned unchanged.
    id : str or int, optional
        The column of identifiers: its name, or its position from 0. By default the first column
        with a usual name, or without a header the first column. The name ``id`` is only taken
        without one such as ``user_id``.
    of : {"users", "items"}, optional
        Whose features they are. Names of the other side are then only taken if there are no others.
    features : sequence of str, optional
        The features to read; by default, all other columns. Case, punctuation and a plural s do not
        matter: ``genre`` also finds ``Genres``.
    separator : str
        What stands between several values in a cell (columns of RecBole's type ``token_seq``:
        a space). The empty string means that each cell is one value.
    bins : mapping of str to int or sequence of float, optional
        How to divide features that are numbers: a number of bins that have about equally many
        rows, or the edges between bins. A bin contains its lower edge. By default, every number
        is a value of its own.
    one_hot : mapping of str to sequence of str, optional
        Features that have a column for each value, with 1 or true where it applies, such as
        ``{"genre": ["Action", "Comedy"]}``.
    **options
        The fields of :class:`receval.data.reading.ReadingOptions`; ``columns`` names the columns
        of a text without a header.

    Returns
    -------
    Features
        Empty cells and those of :data:`MISSING` have no value.

    Raises
    ------
    TableError
        The table cannot be read, or has no identifiers, or no feature; a cell is not a number or
        not a truth value where one is needed.
    ValueError
        There is no feature of a given name.

    Examples
    --------
    >>> table = {"user": ["ann", "bob", "cy"], "age": [17, 30, 64], "sex": ["F", "M", "NA"]}
    >>> people = read_features(table, bins={"age": [18, 50]})
    >>> people.values
    {'age': ('below 18', '18 to below 50', '50 or more'), 'sex': ('F', 'M')}
    >>> print(people.reading.entries)
    3 identifiers (user); read: age (3 values), sex (2 values)
    """
    if isinstance(source, Features):
        return source if features is None else source.chosen(features)
    chosen = ReadingOptions(**options)
    one_hot, bins = dict(one_hot or {}), dict(bins or {})
    told_how = {"id": id, "features": features, "one_hot": one_hot, "bins": bins, **options}
    told_how["separator"] = None if separator == "|" else separator
    if isinstance(source, str | Path):
        if not Path(source).exists():
            raise TableError(
                f"There is no file {quoted(str(source), 150)} with features. Give the path of a "
                "table with a row per user or item, or a data frame."
            )
        chosen, one_hot = _of_known_file(Path(source), chosen, one_hot)
    known = (plain_name(id), *_IDENTIFIERS) if isinstance(id, str) else _IDENTIFIERS
    found = column_names(source, known, chosen)
    table = _Table(source, id, of, found, chosen)
    wanted = table.wanted(features, [*one_hot, *bins], one_hot)
    read = table.read([own for name in wanted for own in table.columns_of(name, one_hot)])
    coded = [own.codes(table.id) for own in read]
    ids = np.unique(np.concatenate([own for _, own in coded]))
    values: dict[str, tuple[str, ...]] = {}
    has_value: dict[str, csr_array] = {}
    for name in wanted:
        columns = table.columns_of(name, one_hot)
        entries = []
        for column in columns:
            number = next(place for place, own in enumerate(read) if column in own)
            own_codes, own_ids = coded[number]
            rows = np.searchsorted(ids, own_ids)[own_codes]
            entries.append((rows, _Cells.of(read[number], column)))
        label = table.label(name)
        if name in one_hot:
            labels, pairs = _of_one_hot(columns, entries)
        elif (how := _bins_of(label, bins)) is not None:
            labels, pairs = _of_numbers(label, *entries[0], how)
        else:
            labels, pairs = _of_texts(*entries[0], table.separator_of(name, separator))
        values[label] = labels
        has_value[label] = _ones(*pairs, (len(ids), len(labels)))
    told = [f"{name} ({how_many(len(own), 'value')})" for name, own in values.items()]
    identifiers = f"{how_many(len(ids), 'identifier')} ({table.label(table.id)})"
    first, taken = read[0], {table.id, *chain(*(own.arrays for own in read))}
    unread = [name for name in dict.fromkeys((*table.names, *first.unread)) if name not in taken]
    reading = ReadingReport(
        source=first.source,
        form=first.form,
        unread=tuple(unread) if found.have_names else (),
        rows=max(len(own) for own in read),
        entries=f"{identifiers}; read: {', '.join(told)}",
        notes=first.notes,
        given={name: own for name, own in told_how.items() if own not in (None, {})},
    )
    return Features(ids, values, has_value, reading)


def _of_known_file(
    path: Path, options: ReadingOptions, one_hot: dict[str, Any]
) -> tuple[ReadingOptions, dict[str, Any]]:
    """Return the options of a file of MovieLens that is known by its name."""
    columns = next(
        (own for name, own in KNOWN_FILES.items() if path.name in (name, f"{name}.gz")), None
    )
    is_other = options.columns or options.header or options.delimiter or options.format
    if columns is None or is_other or not path.is_file():
        return options, one_hot
    delimiter = "::" if path.name.removesuffix(".gz").endswith(".dat") else "|"
    own = replace(options, delimiter=delimiter, header=False, quotes=False)
    if own.encoding is None and bytes_that_are_no_text(path) is not None:
        own = replace(own, encoding="latin-1")
    if len(column_names(path, (), own).names) != len(columns):
        return options, one_hot
    if "Action" in columns:
        one_hot = {"genre": list(_GENRES), **one_hot}
    return replace(own, columns=columns), one_hot


def _rank_of_identifiers(plain: str, of: Literal["users", "items"] | None) -> int:
    """Return how late a column with a known name is taken for the identifiers."""
    if plain == "id":
        return 1
    return (0 if _OF_IDENTIFIERS.fullmatch(plain) else 2) if plain in _SIDES[of] else 3


class _Table:
    """The columns of a table by the names that a caller uses for them."""

    def __init__(
        self,
        source: object,
        identifier: str | int | None,
        of: Literal["users", "items"] | None,
        found: ColumnNames,
        options: Any,
    ) -> None:
        self.source, self.options, self.found = source, options, found
        self.names = list(options.columns or found.names)
        self.where = str(source) if isinstance(source, str | Path) else "The table"
        self.id = self._identifier(identifier, of)
        if self.names.count(self.id) > 1 and found.have_names:
            raise TableError(
                f"{self.where} has several columns with the name {quoted(self.id)}. Rename all but "
                "the one that has the identifiers."
            )

    def _identifier(self, asked: str | int | None, of: Literal["users", "items"] | None) -> str:
        if isinstance(asked, int):
            if not 0 <= asked < len(self.names):
                raise TableError(
                    f"{self.where} has {how_many(len(self.names), 'column')}, and none has the "
                    f"number {asked}. The first column has the number 0."
                )
            return self.names[asked]
        if asked is not None:
            if asked not in self.names:
                raise TableError(
                    f"{self.where} has no column {quoted(asked)}. Its columns are "
                    f"{enumerated(self.names)}."
                )
            return asked
        known = [name for name in self.names if plain_name(name) in _IDENTIFIERS]
        if known:
            return min(known, key=lambda name: _rank_of_identifiers(plain_name(name), of))
        if self.found.have_names:
            raise TableError(
                f"{self.where} has no column with a known name for identifiers of users or items, "
                f"such as user or item. Its columns are {enumerated(self.names)}. Name the right "
                "one: id=..."
            )
        return next(name for name in self.names if name != UNREAD)

    def wanted(
        self, features: Sequence[str] | None, also: Sequence[str], one_hot: Mapping[str, Any]
    ) -> list[str]:
        """Return the columns to read as features, and the names of those in several columns."""
        in_several = {column for columns in one_hot.values() for column in columns}
        lacking = [name for name in in_several if name not in self.names]
        if lacking:
            raise TableError(
                f"{self.where} has no column {enumerated(list(map(quoted, lacking)))}, which "
                f"one_hot names. Its columns are {enumerated(self.names)}."
            )
        others = [
            name for name in self.names if name not in (self.id, UNREAD) and name not in in_several
        ]
        there = [*one_hot, *others]
        if not there:
            raise TableError(f"{self.where} has identifiers, but no column of features.")
        by_label = {self.label(name): name for name in there}
        for name in also:
            if name not in one_hot:
                named_alike(name, list(by_label), self.where)
        if features is None:
            return there
        if isinstance(features, str):
            features = [features]
        found = [by_label[named_alike(one, list(by_label), self.where)] for one in features]
        return list(dict.fromkeys(found))

    def label(self, column: str) -> str:
        """Return the name of a feature, without the type that RecBole writes behind it."""
        name, _, kind = column.partition(":")
        return name if f":{kind}" in _TYPES else column

    def separator_of(self, column: str, usual: str) -> str:
        """Return what stands between the values in a cell of a column."""
        return " " if column.endswith("_seq") and self.label(column) != column else usual

    def columns_of(self, name: str, one_hot: Mapping[str, Any]) -> list[str]:
        """Return the columns of a feature."""
        return list(one_hot[name]) if name in one_hot else [name]

    def read(self, columns: Sequence[str]) -> list[FoundColumns]:
        """Read columns beside the identifiers: together, or one by one if cells hold lists."""
        groups = [[name] for name in columns] if self.found.have_lists else [list(columns)]
        return [self._read(group) for group in groups]

    def _read(self, columns: Sequence[str]) -> FoundColumns:
        options = self.options
        named = [self.id, *columns]
        if options.columns is not None:
            kept = tuple(name if name in named else UNREAD for name in options.columns)
            options = replace(options, columns=kept)
        wanted = [
            WantedColumn(name, _IDENTIFIERS if name == self.id else (), True, self._asked(name))
            for name in named
        ]
        found = read_wanted(self.source, wanted, options)
        if not isinstance(found, FoundColumns):
            raise TableError(f"{self.where} holds lists of users, not a table of features.")
        if not len(found):
            raise TableError(f"{found.source} has no rows.")
        return found

    def _asked(self, name: str) -> str | int | None:
        if self.options.columns is not None:
            return None
        return name if self.found.have_names else self.names.index(name)


@dataclass(frozen=True)
class _Cells:
    """The different texts of a column, the place of each row's text among them, and its table."""

    codes: NDArray[np.int64]
    texts: list[str]
    found: FoundColumns
    column: str

    @classmethod
    def of(cls, found: FoundColumns, column: str) -> _Cells:
        own = found.arrays[column].unify_dictionaries()
        codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in own.chunks]
        texts = own.chunk(0).dictionary if own.num_chunks else pa.array([], pa.string())
        every = np.concatenate(codes) if codes else np.empty(0, np.int64)
        return cls(
            every.astype(np.int64), [text or "" for text in texts.to_pylist()], found, column
        )

    def wrong(self, place: int, wished: str) -> TableError:
        """Return an error for the first row with a text."""
        row = int(np.argmax(self.codes == place))
        return TableError(
            f"{self.found.where(row)}: {self.column} is {quoted(self.texts[place])}. It must be "
            f"{wished}."
        )


_Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def _of_texts(
    rows: NDArray[np.int64], cells: _Cells, separator: str
) -> tuple[tuple[str, ...], _Pairs]:
    """Return the different values in cells, and the pairs of identifiers and values."""
    in_brackets = list(filter(IN_BRACKETS.fullmatch, cells.texts))
    if separator and 2 * len(in_brackets) > len(cells.texts):
        raise TableError(
            f"{cells.found.source}: the cells of {cells.column} seem to be lists, such as "
            f"{quoted(in_brackets[0])}. Write their values with {separator} between, or set "
            "separator='' if each is one value."
        )
    split = [
        [
            value
            for part in (text.split(separator) if separator else [text])
            if (value := part.strip()) not in MISSING
        ]
        for text in cells.texts
    ]
    labels = tuple(sorted({value for values in split for value in values}))
    place = {label: number for number, label in enumerate(labels)}
    lengths = np.array([len(values) for values in split], dtype=np.int64)
    every = np.array([place[value] for values in split for value in values], dtype=np.int64)
    return labels, _pairs_of_texts(rows, cells.codes, lengths, every)


def _pairs_of_texts(
    rows: NDArray[np.int64],
    codes: NDArray[np.int64],
    lengths: NDArray[np.int64],
    every: NDArray[np.int64],
) -> _Pairs:
    """Return identifiers and values, from the values of each text one after the other."""
    rows, codes = rows[codes >= 0], codes[codes >= 0]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    own = lengths[codes]
    first = np.repeat(starts[codes] - np.concatenate([[0], np.cumsum(own)])[:-1], own)
    return np.repeat(rows, own), every[first + np.arange(int(own.sum()))]


def _of_one_hot(
    columns: Sequence[str], entries: Sequence[tuple[NDArray[np.int64], _Cells]]
) -> tuple[tuple[str, ...], _Pairs]:
    labels = tuple(sorted(columns))
    pairs: list[_Pairs] = []
    for column, (rows, cells) in zip(columns, entries, strict=True):
        for place, text in enumerate(cells.texts):
            if text not in _TRUE | _FALSE:
                raise cells.wrong(place, "1 or 0, or true or false")
        is_true = np.array([*(text in _TRUE for text in cells.texts), False])[cells.codes]
        own = rows[is_true]
        pairs.append((own, np.full(len(own), labels.index(column), dtype=np.int64)))
    return labels, (np.concatenate([r for r, _ in pairs]), np.concatenate([v for _, v in pairs]))


def _bins_of(name: str, bins: Mapping[str, Any]) -> Bins | None:
    plain = {_plain(own): how for own, how in bins.items()}
    how = plain.get(_plain(name))
    if how is None:
        return None
    is_number = isinstance(how, int) and not isinstance(how, bool)
    if is_number and how >= 1:
        return int(how)
    edges = [] if isinstance(how, bool | int | float | str) else [float(own) for own in how]
    if not edges or sorted(set(edges)) != edges:
        raise ValueError(
            f"The bins of {name} are {shortened(repr(how))}. Give a number of bins of at least 1, "
            "or the edges between bins in ascending order."
        )
    return edges


def _plain(name: str) -> str:
    return plain_name(name).removesuffix("s")


def _of_numbers(
    name: str, rows: NDArray[np.int64], cells: _Cells, bins: Bins
) -> tuple[tuple[str, ...], _Pairs]:
    """Return bins of numbers, and the pairs of identifiers and bins."""
    numbers = np.full(len(cells.texts) + 1, np.nan)
    for place, text in enumerate(cells.texts):
        if text.strip() in MISSING:
            continue
        if not is_number(text):
            raise cells.wrong(place, f"a number, because {name} has bins")
        numbers[place] = float(text)
    of_rows = numbers[cells.codes]
    labels, places = binned(of_rows, bins)
    known = places >= 0
    return labels, (rows[known], places[known])


def binned(numbers: NDArray[np.float64], bins: Bins) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the labels of bins, and the bin of each number; -1 if it is not finite."""
    known = np.isfinite(numbers)
    if isinstance(bins, int):
        shares = np.arange(1, bins) / bins
        edges = np.unique(np.quantile(numbers[known], shares)) if known.any() else np.empty(0)
        # An edge at the lowest number would have nothing below it.
        edges = edges[edges > numbers[known].min()] if known.any() else edges
    else:
        edges = np.array(bins)
    shown = [f"{edge:.4g}" for edge in edges]
    if len(set(shown)) < len(shown):
        shown = [repr(float(edge)) for edge in edges]
    labels: tuple[str, ...] = ("all",)
    if shown:
        between = [f"{low} to below {high}" for low, high in pairwise(shown)]
        labels = (f"below {shown[0]}", *between, f"{shown[-1]} or more")
    places = np.searchsorted(edges, numbers, side="right")
    return labels, np.where(known, places, -1)


def _ones(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    """Return an array with 1 at some places, however often they are named."""
    array = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    array.sum_duplicates()
    array.data[:] = 1.0
    array.sort_indices()
    return array
