# SPDX-License-Identifier: MIT
"""Models of ``config/replications.yaml``: which studies are repeated with other root seeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

from pydantic import Field

from receval.spec_types import Identifier, Model, NonEmptyText
from receval.storage.messages import enumerated, quoted
from reproduction.config.studies import ArtifactName

CROSSED = "crossed"

RUNS = r"r\d{2,3}|s\d-t\d-c\d"
"""Pattern of the names of runs: replications, and runs of the crossed design."""

_RANGE = re.compile(r"^(r\d{2,3})\.\.(r\d{2,3})$")

Few = Annotated[int, Field(ge=2, le=9)]


class DepartureSpec(Model):
    """How the replications of a study differ from the edition, and why.

    Attributes
    ----------
    reason : str
    changes : dict
        Merged into ``config/studies/<study>.yaml``.
    """

    reason: NonEmptyText
    changes: dict[str, Any]


class RepeatedStudySpec(Model):
    """The parts of a study that are repeated.

    Attributes
    ----------
    artifacts : tuple of str
        The artifacts that decide claims that depend on a split or a seed, and the artifacts they
        read.
    otherwise : tuple of DepartureSpec
    """

    artifacts: Annotated[tuple[ArtifactName, ...], Field(min_length=1)]
    otherwise: tuple[DepartureSpec, ...] = ()


class CrossedSpec(Model):
    """All combinations of root seeds of the three sources of chance.

    Attributes
    ----------
    study : str
    datasets : tuple of str
    artifacts : tuple of str
        Artifacts of the study. The variance of their deciding numbers is divided.
    splits, systems, candidates : int
        Numbers of root seeds of splits, of systems and of candidate sampling.
    """

    study: Identifier
    datasets: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    artifacts: Annotated[tuple[ArtifactName, ...], Field(min_length=1)]
    splits: Few
    systems: Few
    candidates: Few

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs: ``s1-t1-c1`` and so on."""
        levels = (range(1, n + 1) for n in (self.splits, self.systems, self.candidates))
        return tuple(f"s{s}-t{t}-c{c}" for s, t, c in product(*levels))


class ReplicationsSpec(Model):
    """The replications of an edition.

    Attributes
    ----------
    count : int
        The number of replications.
    datasets : tuple of str
    studies : dict of str to RepeatedStudySpec
    crossed : CrossedSpec
    """

    count: Annotated[int, Field(ge=2, le=999)]
    datasets: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    studies: Annotated[dict[Identifier, RepeatedStudySpec], Field(min_length=1)]
    crossed: CrossedSpec

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the replications: ``r01`` and so on."""
        return tuple(f"r{number:02}" for number in range(1, self.count + 1))

    def chosen(self, wanted: Iterable[str]) -> RepeatedRuns:
        """Return the runs that the given words select."""
        replications: set[str] = set()
        crossed = False
        for word in wanted:
            ends = _RANGE.match(word)
            if word in ("all", CROSSED):
                crossed = True
            if word == "all":
                replications.update(self.names)
            elif ends and set(ends.groups()) <= set(self.names) and ends[1] <= ends[2]:
                replications.update(name for name in self.names if ends[1] <= name <= ends[2])
            elif word in self.names:
                replications.add(word)
            elif word != CROSSED:
                raise ValueError(
                    f"repeat has {quoted(word)}, which is not a replication. Use names from "
                    f"{self.names[0]} to {self.names[-1]}, ranges such as "
                    f"{self.names[0]}..{self.names[1]}, {enumerated([CROSSED])} or all"
                )
        ordered = tuple(name for name in self.names if name in replications)
        return RepeatedRuns(ordered, self.crossed.names if crossed else ())


def as_words(value: object) -> object:
    """Split a text into words, because the command line gives several words as one text."""
    return value.replace(",", " ").split() if isinstance(value, str) else value


@dataclass(frozen=True)
class RepeatedRuns:
    """The requested runs: replications, and runs of the crossed design."""

    replications: tuple[str, ...]
    crossed: tuple[str, ...]


def seed_names(run: str) -> Sequence[str]:
    """Return the names from which the seeds of splits, systems and candidates are derived.

    Examples
    --------
    >>> seed_names("r01"), seed_names("s1-t2-c3")
    (['r01', 'r01', 'r01'], ['s1', 't2', 'c3'])
    """
    return run.split("-") if "-" in run else [run] * 3
