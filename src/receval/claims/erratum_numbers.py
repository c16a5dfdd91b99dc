# SPDX-License-Identifier: MIT
"""Numbers of an erratum: cells of accepted results, settings, and what is made of them."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from receval.config.reading import read_yaml
from receval.spec_types import Model, NonEmptyText
from receval.storage.files import refusing_damage
from receval.storage.messages import enumerated, quoted

_Names = tuple[NonEmptyText, NonEmptyText]

_FORMS = ("artifact", "setting", "difference", "quotient", "product", "total")

_TAKE: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda values: math.fsum(values) / len(values),
    "sum": math.fsum,
    "lowest": min,
    "highest": max,
    "count": lambda values: float(len(values)),
}


class ErratumNumber(Model):
    """Where a number is read, or which two numbers make it: one of the first six keys.

    Attributes
    ----------
    artifact : str, optional
        ``study/artifact``: read its accepted CSV.
    setting : str, optional
        Keys of a file of ``config/``, joined by slashes: ``datasets/ml-1m/expected/users``.
    difference, quotient, product, total : tuple of two str, optional
        Names of two numbers: the first less, over, times or with the second.
    where : dict of str to str, int or float
        The rows of the CSV, by what stands in some of their columns; an empty cell is empty text.
    column : str
    take : {"mean", "sum", "lowest", "highest", "count"}, optional
        What to take of several cells. Without it there must be one.
    """

    artifact: NonEmptyText | None = None
    setting: NonEmptyText | None = None
    difference: _Names | None = None
    quotient: _Names | None = None
    product: _Names | None = None
    total: _Names | None = None
    where: dict[NonEmptyText, str | int | float] = Field(default_factory=dict)
    column: NonEmptyText = "value"
    take: Literal["mean", "sum", "lowest", "highest", "count"] | None = None

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        given = [form for form in _FORMS if getattr(self, form) is not None]
        if len(given) != 1:
            raise ValueError(f"a number needs one of the keys {', '.join(_FORMS)}")
        cells = sorted({"where", "column", "take"} & self.model_fields_set)
        if cells and self.artifact is None:
            raise ValueError(f"only a number of an artifact has {' and '.join(cells)}")
        return self

    @property
    def parts(self) -> _Names | None:
        """Names of the numbers that make this one; None where it is read."""
        return self.difference or self.quotient or self.product or self.total


class AcceptedNumbers:
    """Numbers read from accepted results and from configuration.

    Parameters
    ----------
    results : Path
        ``results/full``: a folder with a folder for each study.
    config : Path
        The folder of the configuration.
    """

    def __init__(self, results: Path, config: Path) -> None:
        self.results = results
        self.config = config
        self._tables: dict[Path, list[dict[str, str]]] = {}

    def of(self, specs: Mapping[str, ErratumNumber]) -> dict[str, float]:
        """Return numbers by name.

        Raises
        ------
        ValueError
            A file, a column, a row or a key is not there, a cell holds no number, or cells are
            several where one is wanted; the message names the number and what to do.
        """
        found: dict[str, float] = {}
        for name, spec in specs.items():
            try:
                found[name] = self._number(spec, found)
            except ValueError as error:
                raise ValueError(f"number {name}: {error}") from error
        return found

    def rows(self, artifact: str) -> list[dict[str, str]]:
        """Return the rows of an artifact's accepted CSV, every cell as its text.

        Raises
        ------
        ValueError
            There is no such file, or it is no CSV.
        """
        path = self.results / f"{artifact}.csv"
        if path not in self._tables:
            if not path.is_file():
                raise ValueError(
                    f"{path.as_posix()} is missing: correct the name of the artifact, or accept "
                    "its results first (receval accept --edition full)."
                )
            with refusing_damage(path), path.open(encoding="utf-8", newline="") as file:
                self._tables[path] = list(csv.DictReader(file))
        return self._tables[path]

    def setting(self, keys: str) -> Any:
        """Return what a file of the configuration has under keys that are joined by slashes.

        Raises
        ------
        ValueError
            There is no such file or key.
        """
        file, _, rest = keys.removeprefix("studies/").partition("/")
        folder = self.config / "studies" if keys.startswith("studies/") else self.config
        path = rest.split("/")
        found: Any = read_yaml(folder / f"{file}.yaml")
        for key in path:
            by_text = {str(k): each for k, each in found.items()} if isinstance(found, dict) else {}
            if key not in by_text:
                raise ValueError(
                    f"config/ has no setting {keys}: {quoted(key)} is not among "
                    f"{enumerated(by_text)}."
                )
            found = by_text[key]
        return found

    def _number(self, spec: ErratumNumber, found: Mapping[str, float]) -> float:
        if spec.parts is not None:
            one, other = (found[part] for part in spec.parts)
            if spec.difference is not None:
                return one - other
            if spec.quotient is not None:
                return one / other
            return one * other if spec.product is not None else one + other
        if spec.artifact is None:
            return float(self.setting(str(spec.setting)))
        return self._taken(spec.artifact, spec)

    def _taken(self, artifact: str, spec: ErratumNumber) -> float:
        rows = self.rows(artifact)
        columns = list(rows[0]) if rows else []
        for column in (*spec.where, spec.column):
            if column not in columns:
                raise ValueError(
                    f"{artifact} has no column {quoted(column)}; it has {enumerated(columns)}."
                )
        wanted = {column: str(cell) for column, cell in spec.where.items()}
        cells = [
            row[spec.column]
            for row in rows
            if all(row[column] == cell for column, cell in wanted.items())
        ]
        said = ", ".join(f"{column} = {cell}" for column, cell in wanted.items()) or "any values"
        if not cells or (spec.take is None and len(cells) > 1):
            raise ValueError(
                f"{artifact} has {len(cells) or 'no'} row{'s' * (len(cells) != 1)} with {said}: "
                + ("correct what is asked." if not cells else "ask for one, or say what to take.")
            )
        try:
            values = [float(cell) for cell in cells]
        except ValueError as error:
            raise ValueError(
                f"{artifact} has a cell of {spec.column} that is no number, with {said}: ask for "
                "other rows, or another column."
            ) from error
        return values[0] if spec.take is None else _TAKE[spec.take](values)
