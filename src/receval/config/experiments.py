"""Models of experiments: systems compared on one split under some protocols."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from receval.protocols.spec import ProtocolSpec
from receval.spec_types import Identifier, Model

Evaluation = Literal["observed", "real"]


class ExperimentSpec(Model):
    """Systems compared on one split of one dataset under some protocols.

    Attributes
    ----------
    title : str
        What tells it from other experiments on the same dataset, in figures; may be empty.
    dataset, split : str
        Names in ``datasets.yaml`` and ``splits.yaml``.
    fallback_splits : tuple of str
        Splits to take instead, the first that can be made, where ``split`` cannot: its file is not
        beside the data, or the data has no timestamps.
    systems : tuple of str
        Names in ``systems.yaml``, in the order of figures and tables.
    extra_systems : tuple of str
        Systems that the paper does not have, shown apart from the others.
    protocols : tuple of ProtocolSpec
    evaluated_users : {"all", "tested", "relevant", "covered"}
        Who is averaged: see :mod:`receval.metrics.aggregation`.
    relevance_threshold : float, optional
        Ratings at or above it are relevant; the dataset's own by default.
    evaluations : tuple of {"observed", "real"}
        By which judgments the lists are measured: ``observed`` values by the test ratings, biased
        where users chose what to rate; ``real`` values by the split's unbiased test.
    released_real_threshold : float, optional
        The threshold of the unbiased judgments in the released code, where it is another.
    """

    # No result depends on it.
    title: str = Field(default="", exclude=True)
    dataset: Identifier
    split: Identifier
    fallback_splits: tuple[Identifier, ...] = ()
    systems: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    extra_systems: tuple[Identifier, ...] = ()
    protocols: Annotated[tuple[ProtocolSpec, ...], Field(min_length=1)]
    evaluated_users: Literal["all", "tested", "relevant", "covered"] = "tested"
    relevance_threshold: float | None = None
    evaluations: Annotated[tuple[Evaluation, ...], Field(min_length=1)] = ("observed",)
    released_real_threshold: float | None = None

    @property
    def all_splits(self) -> tuple[str, ...]:
        """The split, then those to take instead."""
        return (self.split, *self.fallback_splits)

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The paper's systems, then the extra ones."""
        return (*self.systems, *self.extra_systems)

    @model_validator(mode="after")
    def _systems_differ(self) -> Self:
        repeated = {name for name in self.all_systems if self.all_systems.count(name) > 1}
        if repeated:
            raise ValueError(f"named twice among the systems: {', '.join(sorted(repeated))}")
        return self
