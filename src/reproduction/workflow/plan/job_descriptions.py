# SPDX-License-Identifier: MIT
"""Descriptions for the jobs that sample judgments, search for settings, or simulate ratings.

A plan makes a description, Snakemake keeps it as plain values, and the job reads these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from receval.protocols.protocol import Protocol
from reproduction.experiments.experiment import ExperimentDescription

if TYPE_CHECKING:
    from receval.missing_judgments.judgment_sampling import SamplingUnit

# Plans import this module, so it loads no numerical libraries.


@dataclass(frozen=True)
class JudgmentSamplingDescription:
    """Which judgments are removed, and what is measured with the others.

    Attributes
    ----------
    seed : int
        The edition's root seed.
    experiments : mapping of str to ExperimentDescription
        Those with available data, by name.
    unit : str
        What is removed together; see
        :func:`receval.missing_judgments.judgment_sampling.sampling_order`.
    percents : tuple of float
        The levels: how much is kept.
    samples : int
        At every level.
    averages : mapping of str to sequence of str
        Labels of metrics by the average of their values over users.
    """

    seed: int
    experiments: Mapping[str, ExperimentDescription]
    unit: SamplingUnit
    percents: tuple[float, ...]
    samples: int
    averages: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> JudgmentSamplingDescription:
        """Return the description from its plain values."""
        experiments = values["experiments"].items()
        typed = {name: ExperimentDescription.of(each) for name, each in experiments}
        return cls(**{**values, "experiments": typed, "percents": tuple(values["percents"])})


@dataclass(frozen=True)
class SearchDescription:
    """The settings that a search tries for a system, and the metrics that it compares.

    Attributes
    ----------
    recommender : str
        ``module:class``.
    settings : tuple of mapping
        Parameters of the recommender, in the order in which they are tried.
    metrics : tuple of str
        Labels.
    threshold : float
        Ratings at or above it are relevant.
    """

    recommender: str
    settings: tuple[Mapping[str, Any], ...]
    metrics: tuple[str, ...]
    threshold: float

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> SearchDescription:
        """Return the description from its plain values."""
        typed = {name: tuple(values[name]) for name in ("settings", "metrics")}
        return cls(**{**values, **typed})


@dataclass(frozen=True)
class SimulationDescription:
    """A simulation, and how one system is measured on it.

    Attributes
    ----------
    seed : int
        The edition's root seed.
    dataset : str
        Whose sizes are simulated.
    skewness : tuple of float
        Of popularity.
    repetitions : int
        For each skewness.
    train_ratio : float
        Share of the ratings that the system learns from.
    relevance_threshold : float
        Ratings at or above it are relevant.
    protocols : tuple of Protocol
    metrics : tuple of str
        Labels.
    recommender : str
        ``module:class`` of the system.
    parameters : mapping
        Of the recommender.
    """

    seed: int
    dataset: str
    skewness: tuple[float, ...]
    repetitions: int
    train_ratio: float
    relevance_threshold: float
    protocols: tuple[Protocol, ...]
    metrics: tuple[str, ...]
    recommender: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> SimulationDescription:
        """Return the description from its plain values."""
        protocols = tuple(Protocol(**protocol) for protocol in values["protocols"])
        typed = {name: tuple(values[name]) for name in ("skewness", "metrics")}
        return cls(**{**values, **typed, "protocols": protocols})


def plain(value: Any) -> Any:
    """Convert a value for JSON: dataclasses to objects, tuples to lists, and paths to text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(inner) for inner in value]
    return value.as_posix() if isinstance(value, PurePath) else value
