# SPDX-License-Identifier: MIT
"""Sources that decide claims: the results, and the configuration that made them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.files import read_results, refusing_damage
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
    """Numbers with labels that identify them.

    Labels are the values of the columns that distinguish the numbers, or ``()`` for a single
    number. The ends of intervals are NaN where there are none.
    """

    labels: tuple[tuple[str, ...], ...]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, labels: Sequence[tuple[str, ...]], values: NDArray[np.float64]) -> Self:
        """Return numbers without intervals."""
        none = np.full(len(values), np.nan)
        return cls(tuple(labels), values, none, none)

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
        return LabelledValues.of(other.labels, repeated), other.values
    if set(one.labels) != set(other.labels):
        only = sorted(set(one.labels) ^ set(other.labels))
        raise ValueError(
            "Two quantities are not of the same things: "
            f"{enumerated([', '.join(label) for label in only])} occur on one side only. Select "
            "the same ones on both sides."
        )
    place = {label: position for position, label in enumerate(other.labels)}
    return one, other.values[[place[label] for label in one.labels]]


class ClaimSources:
    """The results of one edition, and the settings behind them.

    Since :meth:`forget`, ``readings`` has everything read, and ``numbers`` the numbers of each
    reading.
    """

    def __init__(
        self,
        results: Mapping[str, Path],
        provenance: Mapping[str, Path],
    ) -> None:
        self.results = results
        self.readings: list[Reading] = []
        self.numbers: list[LabelledValues] = []
        self._tables: dict[str, pd.DataFrame] = {}
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
        other._tables, other._records = self._tables, self._records
        return other

    def forget(self) -> None:
        """Begin a new list of readings."""
        self.readings = []
        self.numbers = []

    def has(self, study: str, dataset: str) -> bool:
        """Return whether a dataset was available when a study's results were made."""
        return dataset in self._record(study)["datasets"]

    def table(self, artifact: str) -> pd.DataFrame:
        """Return the results of an artifact."""
        if artifact not in self._tables:
            if artifact not in self.results:
                raise NotMeasuredError(f"the results of {artifact}")
            self._tables[artifact] = read_results(self.results[artifact])
        return self._tables[artifact]

    def note(
        self,
        reading: Reading,
        values: NDArray[np.float64],
        labels: Sequence[tuple[str, ...]] = (),
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
