# SPDX-License-Identifier: MIT
"""Model of ``config/drift.yaml``: how far a result may move before it counts as drift."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Bound = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Tolerance(_Model):
    """How far real values of one family may move: the largest of the three bounds counts.

    Attributes
    ----------
    absolute : float
        Bound on the difference, in the unit of the value.
    relative : float
        Bound on the difference as a share of the accepted value.
    per_list : float
        Bound on the sum of the changes of the lists that the value averages: the difference times
        the row's number of lists. It lets a value that averages few lists move further than one
        that averages many. 0 where a row does not tell its number of lists.
    reason : str
        Why the values of this family move at all.
    """

    absolute: Bound = 0.0
    relative: Bound = 0.0
    per_list: Bound = 0.0
    reason: Annotated[str, Field(min_length=1)]


class DriftSpec(_Model):
    """What identifies a row of an artifact's CSV and how far its values may move.

    Attributes
    ----------
    keys : tuple of str
        Patterns of the names of columns that are numbers and yet say which row it is, such as
        ``cutoff``. Columns that are not numbers are keys anyway.
    texts : tuple of str
        Patterns of columns, ``study/artifact:column``, whose texts tell numbers of other columns:
        they are not compared, as such a number may move within its tolerance.
    lists : str
        Name of the column with the number of lists that a row's values average.
    tolerances : dict of str to Tolerance
        Pattern of column names to tolerance, for columns of real values; the first pattern that
        matches counts, and the last is ``*``. ``study/artifact:column`` stands for the column of
        one artifact and comes before all others. Whole numbers are counts, which must be equal.
    """

    keys: tuple[str, ...]
    texts: tuple[str, ...] = ()
    lists: Annotated[str, Field(min_length=1)]
    tolerances: dict[str, Tolerance]

    @model_validator(mode="after")
    def _every_column_has_a_tolerance(self) -> Self:
        if list(self.tolerances)[-1:] != ["*"]:
            raise ValueError(
                "the last of the tolerances must be for the pattern '*', so that every column has "
                "one and no pattern is out of reach"
            )
        return self

    def of(self, artifact: str) -> DriftSpec:
        """Return what holds for one artifact, ``study/artifact``: its own tolerances come first."""
        own: dict[str, Tolerance] = {}
        common: dict[str, Tolerance] = {}
        for pattern, tolerance in self.tolerances.items():
            name, colon, column = pattern.rpartition(":")
            if not colon:
                common[pattern] = tolerance
            elif fnmatchcase(artifact, name):
                own[column] = tolerance
        texts = [
            column
            for name, _, column in (pattern.rpartition(":") for pattern in self.texts)
            if fnmatchcase(artifact, name)
        ]
        tolerances = {**own, **_without(common, own)}
        return self.model_copy(update={"tolerances": tolerances, "texts": tuple(texts)})

    def texts_of(self, columns: Iterable[str]) -> list[str]:
        """Return those columns of one artifact (:meth:`of`) whose texts are not compared."""
        return [name for name in columns if any(fnmatchcase(name, text) for text in self.texts)]

    def exact(self) -> DriftSpec:
        """Return the same without any tolerance, so that every difference counts."""
        return self.model_copy(update={"tolerances": {"*": Tolerance(reason="none was wanted")}})

    def is_key(self, column: str) -> bool:
        """Tell whether a column of numbers says which row it is."""
        return any(fnmatchcase(column, pattern) for pattern in self.keys)

    def tolerance(self, column: str) -> Tolerance:
        """Return the tolerance of a column of real values."""
        return next(
            tolerance
            for pattern, tolerance in self.tolerances.items()
            if fnmatchcase(column, pattern)
        )


def _without(common: dict[str, Tolerance], own: dict[str, Tolerance]) -> dict[str, Tolerance]:
    return {pattern: tolerance for pattern, tolerance in common.items() if pattern not in own}
