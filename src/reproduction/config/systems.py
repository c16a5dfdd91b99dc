# SPDX-License-Identifier: MIT
"""Models of systems, searches for their settings, display styles, protocols and simulations."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from receval.protocols.protocol import (
    BaseCandidates,
    NonComputable,
    Protocol,
    RelevantSelection,
    SampledBy,
    TieOrder,
)
from receval.spec_types import Identifier, Model, NonEmptyText, Size

Parameter = bool | int | float | str | None

Grid = dict[Identifier | str, Annotated[tuple[Parameter, ...], Field(min_length=1)]]


# Models of ``config/display.yaml``: how systems and metrics are shown.

Colour = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]

Marker = Annotated[str, Field(min_length=1, max_length=2)]


class MetricStyleSpec(Model):
    """How a metric is shown.

    - ``colour``: Hexadecimal, in lower case.
    - ``marker``: Matplotlib's name.
    """

    colour: Colour
    marker: Marker


class DisplaySpec(Model):
    """The display styles of all figures.

    - ``families``: The colour of each family of systems at shade 0.
    - ``shades``: By the printed names of systems, how much darker (from -1) or lighter (to 1) than
      their family's colour they are; 0 by default. So a name has one colour in all figures.
    - ``metrics``: By the printed names.
    """

    families: Annotated[dict[Identifier, Colour], Field(min_length=1)]
    shades: dict[NonEmptyText, Annotated[float, Field(ge=-1, le=1)]] = Field(default={})
    metrics: Annotated[dict[NonEmptyText, MetricStyleSpec], Field(min_length=1)]


class SystemSpec(Model):
    """A named system: a recommender class with the values of its parameters.

    - ``title``: Name in figures and tables.
    - ``short_title``: Name beside its point in a crowded figure; the title by default.
    - ``recommender``: ``module:class``, which is imported only when the system is trained.
    - ``parameters``: Arguments of the class; the class has defaults for the others. A ``seed`` is
      never given here, because it is derived from the names of dataset, split, system and fold.
    - ``learns_from``: What the system is trained on: the ratings, or their grades of relevance
      (:func:`receval.recommenders.training_ratings.relevance_grades`), as in Mena-Maldonado et al.
      (2021).
    - ``order``: The order in which the system meets users and items: that of their codes, or of
      their first appearance in the train file, which is how LibRec numbers them. It matters to
      systems that break ties by it or reproduce a fault that depends on it.
    - ``source``: Where the values come from: a paper, released code, or our own choice.
    - ``family``: A family of ``display.yaml``, which gives the system's hue in every figure.
    - ``marker``: Matplotlib's name of the system's marker in every figure.
    """

    title: NonEmptyText
    short_title: NonEmptyText | None = None
    recommender: Annotated[str, Field(pattern=r"^\w+(\.\w+)*:\w+$")]
    parameters: dict[str, Parameter] = Field(default={})
    learns_from: Literal["ratings", "grades"] = "ratings"
    order: Literal["codes", "appearance"] = "codes"
    source: NonEmptyText
    family: Identifier
    marker: Marker

    @property
    def printed_name(self) -> str:
        """The name in figures."""
        return self.short_title or self.title


class SystemSearch(Model):
    """The settings tried for one system.

    - ``grids``: All combinations of the values of each grid are tried, one grid after another.
      Other parameters have the class's defaults.
    - ``note``: A description of the grid, or the reason for its limits.
    """

    grids: Annotated[tuple[Grid, ...], Field(min_length=1)]
    note: str = ""

    @property
    def settings(self) -> list[dict[str, Any]]:
        """All settings, in the order in which they are tried."""
        return [
            dict(zip(grid, values, strict=True))
            for grid in self.grids
            for values in product(*grid.values())
        ]


class SearchesSpec(Model):
    """All searches: one objective, and grids per system.

    - ``dataset``, ``split``: Where the settings are tried, on the first fold.
    - ``published``: Table in ``config/published`` with the target values.
    - ``metrics``: Labels of the only metrics that the search uses.
    - ``systems``: By name in ``systems.yaml``.
    """

    dataset: Identifier
    split: Identifier
    published: NonEmptyText
    metrics: Annotated[tuple[NonEmptyText, ...], Field(min_length=1)]
    systems: dict[Identifier, SystemSearch]


Skewness = Annotated[float, Field(ge=0, le=20)]


# Model of protocols in the configuration.


class ProtocolSpec(Model):
    """One protocol of an experiment, or several that differ only in the size of the sample.

    - ``relevant``, ``candidates``, ``ties``, ``percentiles``, ``head_removed``, ``non_computable``,
      ``sampled_by``, ``power``: See :class:`receval.protocols.protocol.Protocol`.
    - ``sampled``: Numbers of non-relevant candidates; several are ranked in one pass.
    """

    relevant: RelevantSelection = "AR"
    candidates: BaseCandidates = "AI"
    sampled: Size | Annotated[tuple[Size, ...], Field(min_length=1)] | None = None
    ties: TieOrder = "random"
    percentiles: Annotated[int, Field(ge=2)] | None = None
    head_removed: Annotated[float, Field(gt=0, lt=1)] | None = None
    non_computable: NonComputable = "none"
    sampled_by: SampledBy = "uniform"
    power: Annotated[float, Field(ge=0)] = 1.0

    @model_validator(mode="after")
    def _can_be_formed(self) -> Self:
        self.protocols(0.0)
        return self

    def protocols(self, threshold: float) -> list[Protocol]:
        """Return the protocols for a relevance threshold."""
        sizes = self.sampled if isinstance(self.sampled, tuple) else (self.sampled,)
        return [
            Protocol(
                self.relevant,
                self.candidates,
                size,
                ties=self.ties,
                percentiles=self.percentiles,
                head_removed=self.head_removed,
                non_computable=self.non_computable,
                sampled_by=self.sampled_by,
                power=self.power,
            ).with_threshold(threshold)
            for size in sizes
        ]


class SkewnessSpec(Model):
    """Systems on ratings without preferences, by the skewness of the popularity of items.

    - ``dataset``: Gives the numbers of users, items and ratings, the values, and the popularity
      that the law is fitted to (:mod:`reproduction.simulation.skewed_popularity`).
    - ``skewness``: Exponents alpha of the law, increasing; 0 makes all items equally popular.
    - ``repetitions``: Independent simulations of each skewness.
    - ``train_ratio``: Probability that a rating is in train instead of test.
    - ``relevance_threshold``: Ratings at or above it are relevant; the dataset's own by default.
    - ``systems``: Names in ``systems.yaml``, in the order of figures.
    - ``metrics``: Labels. Under AR all users are averaged.
    """

    dataset: Identifier
    skewness: Annotated[tuple[Skewness, ...], Field(min_length=1)]
    repetitions: Size = 1
    train_ratio: Annotated[float, Field(gt=0, lt=1)]
    relevance_threshold: float | None = None
    systems: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    protocols: Annotated[tuple[ProtocolSpec, ...], Field(min_length=1)]
    metrics: Annotated[tuple[NonEmptyText, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _values_increase_and_names_differ(self) -> Self:
        if list(self.skewness) != sorted(set(self.skewness)):
            raise ValueError(
                "the values of skewness must increase, but are "
                + ", ".join(f"{value:g}" for value in self.skewness)
            )
        for what, names in (("system", self.systems), ("metric", self.metrics)):
            if repeated := {name for name in names if names.count(name) > 1}:
                raise ValueError(
                    f"the {what} {', '.join(sorted(repeated))} is named more than once"
                )
        return self
