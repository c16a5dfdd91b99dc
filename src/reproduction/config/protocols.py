# SPDX-License-Identifier: MIT
"""Model of protocols in the configuration."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from receval.protocols.protocol import (
    BaseCandidates,
    NonComputable,
    Protocol,
    RelevantSelection,
    SampledBy,
    TieOrder,
)
from receval.spec_types import Model, Size


class ProtocolSpec(Model):
    """One protocol of an experiment, or several that differ in the size of the sample alone.

    Attributes
    ----------
    relevant, candidates, ties, percentiles, head_removed, non_computable, sampled_by, power
        See :class:`receval.protocols.protocol.Protocol`.
    sampled : int or list of int, optional
        Numbers of non-relevant candidates; several are ranked in one pass.
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
