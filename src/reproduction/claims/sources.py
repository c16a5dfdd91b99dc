# SPDX-License-Identifier: MIT
"""Sources that decide claims: results, their configuration, and the cells that claims select."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, SerializationInfo, field_serializer

from receval.figures.style import short_number
from receval.spec_types import Model
from receval.storage.files import read_results, real_values, refusing_damage
from receval.storage.messages import enumerated, quoted

PROVENANCE = "provenance.json"
REDUCED = "demo"
"""The edition that leaves out some systems, levels and experiments."""


class NotMeasuredError(Exception):
    """The results lack what would decide a claim; the message says what."""


class MissingCellsError(ValueError):
    """A claim names cells that the results lack although its dataset is there."""


@dataclass(frozen=True)
class Reading:
    """Numbers that were read to decide a claim: which cells, in words, of ``study/artifact``.

    The source is empty where configuration or a computation was read.
    """

    source: str
    cells: str


@dataclass(frozen=True, eq=False)
class LabelledValues:
    """Numbers with the values of the columns that distinguish them, or ``()`` for a single number.

    The ends of intervals are NaN where there are none.
    """

    labels: tuple[tuple[str, ...], ...]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    columns: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        labels: Sequence[tuple[str, ...]],
        values: NDArray[np.float64],
        columns: tuple[str, ...] = (),
    ) -> Self:
        """Return numbers without intervals."""
        none = np.full(len(values), np.nan)
        return cls(tuple(labels), values, none, none, columns)

    @classmethod
    def single(cls, value: float) -> Self:
        """Return one number."""
        return cls.of([()], np.array([value], dtype=np.float64))

    @property
    def is_single(self) -> bool:
        """Whether there is only one number, without a label."""
        return self.labels == ((),)

    def number(self) -> float:
        """Return the only number."""
        if len(self.values) != 1:
            raise ValueError(
                f"There are {len(self.values)} numbers, but one is needed "
                f"({enumerated([', '.join(label) for label in self.labels])}). Select one of "
                "them, or set which of them to take."
            )
        return float(self.values[0])

    def by_label(self) -> dict[tuple[str, ...], float]:
        """Return the numbers by their labels."""
        return dict(zip(self.labels, self.values.tolist(), strict=True))

    def by_last_label(self, nothing: str) -> dict[tuple[str, ...], dict[str, float]]:
        """Return the numbers by their last label, in groups of the labels before it.

        ``nothing`` is what an error says about numbers without labels.
        """
        if () in self.labels:
            raise ValueError(nothing)
        groups: dict[tuple[str, ...], dict[str, float]] = {}
        for (*group, last), value in self.by_label().items():
            groups.setdefault(tuple(group), {})[last] = value
        return groups


def aligned(
    one: LabelledValues, other: LabelledValues
) -> tuple[LabelledValues, NDArray[np.float64]]:
    """Return both numbers in the order of the first; a single number is repeated."""
    if other.is_single:
        return one, np.repeat(other.values, len(one.values))
    if one.is_single:
        repeated = np.repeat(one.values, len(other.values))
        return LabelledValues.of(other.labels, repeated, other.columns), other.values
    if set(one.labels) != set(other.labels):
        only = sorted(set(one.labels) ^ set(other.labels))
        raise ValueError(
            "Two quantities are not of the same things: "
            f"{enumerated([', '.join(label) for label in only])} occur on one side only. Select "
            "the same ones on both sides."
        )
    place = {label: position for position, label in enumerate(other.labels)}
    return one, other.values[[place[label] for label in one.labels]]


Scalar = bool | int | float | str


class ClaimSources:
    """The results of one edition, and the settings behind them.

    Since :meth:`forget`, ``readings`` has everything read, and ``numbers`` the numbers of each
    reading.
    """

    def __init__(self, results: Mapping[str, Path], provenance: Mapping[str, Path]) -> None:
        self.results = results
        self.readings: list[Reading] = []
        self.numbers: list[LabelledValues] = []
        self._tables: dict[str, pd.DataFrame] = {}
        self._words: dict[tuple[str, str], tuple[NDArray[np.intp], list[str]]] = {}
        self._records: dict[str, Any] = {}
        for study, path in provenance.items():
            with refusing_damage(path):
                self._records[study] = json.loads(path.read_text(encoding="utf-8"))

    @classmethod
    def of_folder(cls, folder: Path) -> Self:
        """Return the sources in ``results/<edition>`` or ``work/<edition>/artifacts``."""
        tables = sorted(folder.glob("*/*.csv"))
        records = sorted(folder.glob(f"*/{PROVENANCE}"))
        return cls(
            {f"{path.parent.name}/{path.stem}": path for path in tables},
            {path.parent.name: path for path in records},
        )

    def aside(self) -> ClaimSources:
        """Return a copy of the sources that records its readings separately."""
        other = ClaimSources(self.results, {})
        other._tables, other._words = self._tables, self._words
        other._records = self._records
        return other

    def forget(self) -> None:
        """Begin a new list of readings."""
        self.readings = []
        self.numbers = []

    def has(self, study: str, dataset: str) -> bool:
        """Return whether a dataset was available when a study's results were made."""
        return dataset in self._record(study)["datasets"]

    def splits(self, study: str, dataset: str | None) -> set[str]:
        """Return the splits that a study's experiments on a dataset used."""
        experiments = self.setting(study, "config/study/experiments").values()
        return {own["split"] for own in experiments if own["dataset"] == dataset}

    def table(self, artifact: str) -> pd.DataFrame:
        """Return the results of an artifact."""
        if artifact not in self._tables:
            if artifact not in self.results:
                raise NotMeasuredError(f"the results of {artifact}")
            self._tables[artifact] = read_results(self.results[artifact])
        return self._tables[artifact]

    def is_among(
        self, artifact: str, column: str, wanted: Scalar | tuple[Scalar, ...]
    ) -> NDArray[np.bool_]:
        """Return which cells of a column of an artifact's results are one of those wanted.

        Claims select by the same few columns again and again, so their words are kept.
        """
        if (artifact, column) not in self._words:
            codes, cells = pd.factorize(self.table(artifact)[column], use_na_sentinel=False)
            self._words[artifact, column] = codes, list(map(_word, cells))
        codes, words = self._words[artifact, column]
        known = set(map(_word, _all_of(wanted)))
        return np.array([word in known for word in words], dtype=bool)[codes]

    def note(
        self, reading: Reading, values: NDArray[np.float64], labels: Sequence[tuple[str, ...]] = ()
    ) -> None:
        """Note a reading and its numbers; those without labels are not cells of results."""
        self.readings.append(reading)
        self.numbers.append(LabelledValues.of(labels, values))

    def note_one(self, what: str, number: float) -> LabelledValues:
        """Note a number that is in no artifact, and return it."""
        self.note(Reading("", what), np.array([number]))
        return LabelledValues.single(number)

    def setting(self, study: str, path: str) -> Any:
        """Return a setting of a study by its keys in ``provenance.json``."""
        found: Any = self._record(study)
        for key in path.split("/"):
            if isinstance(found, list) and key.isdigit() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, Mapping) and key in found:
                found = found[key]
            else:
                there = list(found) if isinstance(found, Mapping) else []
                raise ValueError(
                    f"The provenance of {study} has no {path}: {quoted(key)} is not one of its "
                    f"keys ({enumerated(there) or 'a plain value has none'})."
                )
        return found

    def missing(self, study: str, what: str, there: str) -> Exception:
        """Return the error to raise if the results lack what a claim names.

        The demo edition and replications leave out some systems, levels and experiments of the full
        one; there, the cells are not measured. Elsewhere the claim is at fault.
        """
        if self.is_reduced(study):
            return NotMeasuredError(f"{what}, which the {REDUCED} edition leaves out")
        if "-" in self._edition(study):
            return NotMeasuredError(f"{what}, which replications leave out")
        return MissingCellsError(f"There is no {what}, only {there}. Correct the selection.")

    def is_reduced(self, study: str) -> bool:
        """Return whether a study's results are of twins, with some of the systems and levels."""
        return self._edition(study).startswith(REDUCED)

    def _edition(self, study: str) -> str:
        return str(self._record(study).get("config", {}).get("edition"))

    def _record(self, study: str) -> Any:
        if study not in self._records:
            raise NotMeasuredError(f"the provenance of {study}")
        return self._records[study]


WITHOUT_INTERVALS = "without_intervals"
"""Dump context: leave out the columns of intervals, which decide nothing."""

Taken = Literal["mean", "median", "lowest", "highest", "sum", "count", "first", "last", "range"]

_TAKE: dict[Taken, Callable[[NDArray[np.float64]], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "lowest": np.min,
    "highest": np.max,
    "sum": np.sum,
    "count": np.size,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "range": np.ptp,
}


@dataclass(frozen=True)
class ClaimContext:
    """The context in which a claim is judged: defaults for what a quantity leaves out.

    ``where`` says which rows of the artifact.
    """

    study: str
    artifact: str | None = None
    dataset: str | None = None
    where: Mapping[str, Scalar | tuple[Scalar, ...]] = field(default_factory=dict)

    def full(self, artifact: str | None) -> str:
        """Return the name of an artifact with its study."""
        name = artifact or self.artifact
        if name is None:
            raise ValueError(
                "A quantity names no artifact. Set the artifact in the quantity or in its check."
            )
        return name if "/" in name else f"{self.study}/{name}"


class SelectedCells(Model):
    """Cells of one column of an artifact's results.

    - ``artifact``: ``fig01``, or ``study/fig01`` of another study; by default that of the check.
    - ``where``: Which rows. In the check's artifact, the check's own selection applies too, except
      to the columns named here. A column ``dataset`` is limited to the check's dataset. Every
      dataset of a list must be present.
    - ``without``: Which of these rows to leave out: those with the value in any of the columns.
    - ``pair``: Columns that name a pair. Rows that pair a thing with itself are left out. Where
      ``each`` has both columns, so is the second of the two rows of a pair.
    - ``each``: Columns that distinguish the cells; without them, there must be one cell.
    - ``take``: Which number to take from several cells that ``each`` does not distinguish.
    - ``equal``: Take 1 where the cell has this text, and 0 elsewhere.
    - ``low``, ``high``: Columns of the interval.
    """

    artifact: str | None = None
    where: dict[str, Scalar | tuple[Scalar, ...]] = Field(default_factory=dict)
    without: dict[str, Scalar | tuple[Scalar, ...]] = Field(default_factory=dict)
    pair: tuple[str, str] | None = None
    column: str = "value"
    each: tuple[str, ...] = ()
    take: Taken | None = None
    equal: str | None = None
    low: str | None = None
    high: str | None = None

    @field_serializer("low", "high")
    def _interval_column(self, column: str | None, info: SerializationInfo) -> str | None:
        return None if (info.context or {}).get(WITHOUT_INTERVALS) else column

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the numbers."""
        name = context.full(self.artifact)
        table = sources.table(name)
        intervals = [column for column in (self.low, self.high) if column]
        where = {**({} if self.artifact else context.where), **self.where}
        selecting = [*where, *self.without, *(self.pair or ()), *self.each]
        self._check_columns(name, table, [*selecting, self.column, *intervals])
        for dataset in _all_of(where.get("dataset", ())):
            is_there = sources.is_among(name, "dataset", dataset).any()
            if not is_there and not sources.has(context.study, _word(dataset)):
                raise NotMeasuredError(f"the dataset {dataset}")
        if context.dataset and "dataset" in table.columns:
            where.setdefault("dataset", context.dataset)
        kept = np.ones(len(table), dtype=bool)
        for column, wanted in where.items():
            kept &= sources.is_among(name, column, wanted)
        for column, unwanted in self.without.items():
            kept &= ~sources.is_among(name, column, unwanted)
        if self.pair is not None:
            kept &= self._is_pair(table, kept)
        said = self._in_words(where)
        if not kept.any():
            if context.dataset and not sources.has(context.study, context.dataset):
                raise NotMeasuredError(f"the dataset {context.dataset}")
            raise sources.missing(
                name.partition("/")[0], f"row of {name} with {said}", f"{len(table)} other rows"
            )
        # Select these columns first: selecting rows of all columns would dominate the run time.
        cells = table[self.column][kept]
        if self.equal is None:
            values = real_values(cells)
        else:
            values = (cells.astype(str) == self.equal).to_numpy(dtype=np.float64)
        words = [map(_word, table[name][kept].to_numpy(dtype=object)) for name in self.each]
        labels: list[tuple[str, ...]] = [*zip(*words, strict=True)] if words else [()] * len(values)
        if self.take == "count":
            # A count reads the number of cells, not their contents.
            counts = taken(labels, values, "count", self.each)
            sources.note(Reading(name, said), counts.values, counts.labels)
            return counts
        sources.note(Reading(name, said), values, labels)
        if self.take is not None:
            return taken(labels, values, self.take, self.each)
        if len(set(labels)) < len(labels):
            raise ValueError(
                f"{name} has {len(labels)} cells with {said}, which "
                f"{'each ' + enumerated(self.each) if self.each else 'nothing'} tells apart: "
                "Select fewer cells, name more columns under each, or set which number to take."
            )
        none = np.full(len(values), np.nan)
        ends = [real_values(table[end][kept]) if end else none for end in (self.low, self.high)]
        return LabelledValues(tuple(labels), values, ends[0], ends[1], self.each)

    def _in_words(self, where: Mapping[str, Any]) -> str:
        parts = [
            f"{column}{sign}{'|'.join(map(_word, _all_of(wanted)))}"
            for sign, chosen in (("=", where), ("!=", self.without))
            for column, wanted in chosen.items()
        ]
        if self.pair is not None:
            parts.append(f"{self.pair[0]} is not {self.pair[1]}")
        each = f" by {', '.join(self.each)}" if self.each else ""
        taken = f"{self.take} of " if self.take else ""
        column = f"{self.column} is {self.equal}" if self.equal is not None else self.column
        return f"{', '.join(parts) or 'all rows'}: {taken}{column}{each}"

    def _is_pair(self, table: pd.DataFrame, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows name two different things, each pair once if both distinguish cells."""
        assert self.pair is not None
        names = table[list(self.pair)].to_numpy(dtype=object)
        rest = table[[column for column in self.each if column not in self.pair]]
        once = set(self.pair) <= set(self.each)
        seen: set[tuple[object, ...]] = set()
        found = np.zeros(len(table), dtype=bool)
        for row in np.flatnonzero(kept):
            one, other = names[row]
            key = (frozenset((one, other)), *rest.iloc[row])
            found[row] = one != other and not (once and key in seen)
            seen.add(key)
        return found

    @staticmethod
    def _check_columns(name: str, table: pd.DataFrame, columns: list[str]) -> None:
        for column in columns:
            if column not in table.columns:
                raise ValueError(
                    f"{name} has no column {column}. Its columns are "
                    f"{enumerated(list(table.columns))}."
                )


def _word(cell: object) -> str:
    """Return a cell as text; 5 and 5.0 give the same text."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _all_of(wanted: Scalar | tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return wanted if isinstance(wanted, tuple) else (wanted,)


def distinct_labels(
    labels: list[tuple[str, ...]],
) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
    """Return each label once, and the position of each given one among them."""
    place = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return list(place), np.array([place[label] for label in labels])


def taken(
    labels: list[tuple[str, ...]],
    values: NDArray[np.float64],
    take: Taken,
    columns: tuple[str, ...],
) -> LabelledValues:
    """Return one number per label, taken from all numbers with this label."""
    distinct, codes = distinct_labels(labels)
    numbers = [float(_TAKE[take](values[codes == code])) for code in range(len(distinct))]
    return LabelledValues.of(distinct, np.array(numbers), columns)


_COUNTED = {
    # Studies of several random splits number them in either column.
    "draw": "split",
    "fold": "split",
    "cutoff": "cut-off",
    "kept_percent": "judgments kept (%)",
    "negatives": "candidates",
}
"""What the numbers in a column are, if its name does not say it."""


def part_names(labels: Iterable[tuple[str, ...]], columns: Sequence[str]) -> list[str]:
    """Return labels in words: a number from a column comes with what it is.

    Examples
    --------
    >>> part_names([("pop", "10"), ("pop", "0.5")], ["system", "kept_percent"])
    ['pop, judgments kept (%) 10', 'pop, judgments kept (%) .5']
    """
    return [", ".join(map(_part_name, label, columns)) for label in labels]


def _part_name(word: str, column: str) -> str:
    counted = column and re.fullmatch(r"\d+(\.\d+)?", word)
    what = _COUNTED.get(column, column.replace("_", " "))
    return f"{what} {short_number(word)}" if counted else word
