"""What the job that computes an artifact is told."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from receval.evaluation.descriptions import ExperimentDescription
from receval.storage.plain_values import with_tuples

# Plans know this module, which therefore loads none of the numerical libraries.


@dataclass(eq=False)
class ArtifactDescription:
    """What the job of an artifact is told: what it reads, by names, and its parameters.

    A plan makes it (:meth:`.ArtifactDescriptions.results`), Snakemake keeps it as plain values, and
    the job opens it as :class:`.ArtifactInputs`.

    Attributes
    ----------
    parameters : mapping
        The artifact's parameters from the study's configuration.
    experiments : mapping of str to ExperimentDescription
        Those whose data is there, by name.
    datasets : tuple of str
        Those that are there, in the order of the configuration.
    absent : tuple of str
        Datasets that the artifact would read if they were there.
    published : Path or None
        The table of published values, if the artifact reads one.
    searches : collection of str
        The systems whose searches for settings have left traces that the artifact reads.
    judgment_samplings : collection of str
        The names of the judgment samplings whose values it reads.
    splits : tuple of (str, str)
        The datasets and the splits of them that the artifact reads without any system's ranks.
    results : collection of str
        The names of the artifacts of the study whose CSV it reads.
    not_made : tuple of str
        Artifacts whose CSV would be among these if their data were there.
    shown : mapping of str to bool
        The experiments behind these results that the artifact shows, and whether their data is
        there.
    simulations : mapping of str to collection of str
        The simulations whose values it reads, and their systems; none without the dataset.
    grid : mapping or None
        The levels of a grid of decisions, as plain values; see :attr:`.ArtifactInputs.decisions`.
    seed : int
        The edition's root seed.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    experiments: Mapping[str, ExperimentDescription] = field(default_factory=dict)
    datasets: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    published: Path | None = None
    searches: Collection[str] = ()
    judgment_samplings: Collection[str] = ()
    splits: tuple[tuple[str, str], ...] = ()
    results: Collection[str] = ()
    not_made: tuple[str, ...] = ()
    shown: Mapping[str, bool] = field(default_factory=dict)
    simulations: Mapping[str, Collection[str]] = field(default_factory=dict)
    grid: Mapping[str, Any] | None = None
    seed: int = 0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ArtifactDescription:
        """Return the description that plain values stand for."""
        experiments = values.get("experiments", {}).items()
        published = values.get("published")
        typed = {
            "experiments": {name: ExperimentDescription.of(each) for name, each in experiments},
            "published": None if published is None else Path(published),
            "splits": tuple((dataset, split) for dataset, split in values.get("splits", ())),
        }
        return ArtifactDescription(**with_tuples({**values, **typed}))
