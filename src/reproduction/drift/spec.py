# SPDX-License-Identifier: MIT
"""Model of ``config/drift.yaml``: how far a result may move before it counts as drift."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Self

from pydantic import Field, model_validator

from receval.spec_types import Count, Model, NonEmptyText

Bound = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Tolerance(Model):
    """How far the real values of a column may move: the largest of the first three bounds counts.

    - ``absolute``: Bound on the difference, in the unit of the value.
    - ``relative``: Bound on the difference as a share of the accepted value.
    - ``per_list``: Bound on the difference times the row's number of lists, that is on the sum of
      the changes of the averaged lists. So a value that averages few lists may move further than
      one that averages many. It has no effect if a row does not tell its number of lists.
    - ``counts``: Bound on the difference of two whole numbers, to which no other bound applies.
    - ``reason``: Why these values move at all.
    """

    absolute: Bound = 0.0
    relative: Bound = 0.0
    per_list: Bound = 0.0
    counts: Count = 0
    reason: NonEmptyText


class DriftSpec(Model):
    """Which columns of an artifact's CSV identify a row, and how far the others may move.

    - ``keys``: Patterns of the names of numeric columns that identify a row, such as ``cutoff``.
      Other columns that are not numeric are keys anyway.
    - ``words``: Patterns of columns whose words are not keys, but results or remarks. They must be
      equal, including their numbers. Here and in the next two ``study/artifact:column`` stands for
      the column of one artifact.
    - ``texts``: Patterns of columns of sentences that a run writes. Their words must be equal, and
      their numbers must be within the tolerance of the column.
    - ``digests``: Patterns of columns of digests of code, which are not compared.
    - ``lists``: Name of the column with the number of lists that a row's values average.
    - ``tolerances``: Pattern of column names to tolerance, for columns of real values; the first
      pattern that matches counts, and the last is ``*``. ``study/artifact:column`` stands for the
      column of one artifact and comes before all others.
    """

    keys: tuple[str, ...]
    words: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    lists: NonEmptyText
    tolerances: dict[str, Tolerance]

    @model_validator(mode="after")
    def _every_column_has_a_tolerance(self) -> Self:
        if list(self.tolerances)[-1:] != ["*"]:
            raise ValueError(
                "the last of the tolerances must have the pattern '*', so that every column has "
                "a tolerance and no pattern is unreachable"
            )
        return self

    def of(self, artifact: str) -> DriftSpec:
        """Return the specification for one artifact, with its own tolerances first."""
        own: dict[str, Tolerance] = {}
        common: dict[str, Tolerance] = {}
        for pattern, tolerance in self.tolerances.items():
            name, colon, column = pattern.rpartition(":")
            if not colon:
                common[pattern] = tolerance
            elif fnmatchcase(artifact, name):
                own[column] = tolerance
        return self.model_copy(
            update={
                "words": _of_artifact(self.words, artifact),
                "texts": _of_artifact(self.texts, artifact),
                "digests": _of_artifact(self.digests, artifact),
                "tolerances": own | {name: common[name] for name in common if name not in own},
            }
        )

    def exact(self) -> DriftSpec:
        """Return the same specification without any tolerance, so that every difference counts."""
        return self.model_copy(update={"tolerances": {"*": _EXACT}})

    def is_key(self, column: str) -> bool:
        """Return whether a column of numbers identifies a row."""
        return _matches(column, self.keys)

    def is_text(self, column: str) -> bool:
        """Return whether a column of one artifact (:meth:`of`) has words that are not keys."""
        return _matches(column, (*self.words, *self.texts))

    def is_digest(self, column: str) -> bool:
        """Return whether a column of one artifact (:meth:`of`) is not compared."""
        return _matches(column, self.digests)

    def tolerance(self, column: str) -> Tolerance:
        """Return the tolerance of a column of real values, or of the numbers in a text."""
        if _matches(column, self.words):
            return _EXACT
        return next(
            tolerance
            for pattern, tolerance in self.tolerances.items()
            if fnmatchcase(column, pattern)
        )


_EXACT = Tolerance(reason="none was wanted")


def _matches(column: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(column, pattern) for pattern in patterns)


def _of_artifact(patterns: Iterable[str], artifact: str) -> tuple[str, ...]:
    """Return the patterns of columns that apply to one artifact, without its name."""
    parts = (pattern.rpartition(":") for pattern in patterns)
    return tuple(
        column for name, colon, column in parts if not colon or fnmatchcase(artifact, name)
    )
