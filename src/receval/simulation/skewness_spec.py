"""Model of ``config/simulations.yaml``: systems on simulated ratings."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from receval.protocols.spec import ProtocolSpec
from receval.spec_types import Identifier, Size, Text

Skewness = Annotated[float, Field(ge=0, le=20)]


class SkewnessSpec(BaseModel):
    """Systems on ratings without preferences, by the skewness of the popularity of items.

    Attributes
    ----------
    dataset : str
        Gives the numbers of users, items and ratings, the values, and what the law of popularity
        is fitted to (:mod:`receval.simulation.skewed_popularity`).
    skewness : tuple of float
        Exponents alpha of the law, increasing; 0 makes all items equally popular.
    repetitions : int
        Independent simulations of each skewness.
    train_ratio : float
        Probability with which a rating trains; else it tests.
    relevance_threshold : float, optional
        Ratings at or above it are relevant; the dataset's own by default.
    systems : tuple of str
        Names in ``systems.yaml``, in the order of figures.
    protocols : tuple of ProtocolSpec
    metrics : tuple of str
        Labels. Under AR all users are averaged.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: Identifier
    skewness: Annotated[tuple[Skewness, ...], Field(min_length=1)]
    repetitions: Size = 1
    train_ratio: Annotated[float, Field(gt=0, lt=1)]
    relevance_threshold: float | None = None
    systems: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    protocols: Annotated[tuple[ProtocolSpec, ...], Field(min_length=1)]
    metrics: Annotated[tuple[Text, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _values_increase_and_names_differ(self) -> Self:
        if list(self.skewness) != sorted(set(self.skewness)):
            raise ValueError(
                "the values of skewness must increase, but they are "
                + ", ".join(f"{value:g}" for value in self.skewness)
            )
        for what, names in (("system", self.systems), ("metric", self.metrics)):
            if repeated := {name for name in names if names.count(name) > 1}:
                raise ValueError(f"the {what} {', '.join(sorted(repeated))} is named twice")
        return self
