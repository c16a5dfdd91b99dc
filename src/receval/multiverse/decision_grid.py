# SPDX-License-Identifier: MIT
"""Define the levels of every decision, and list all their legal combinations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from receval.multiverse.decisions import (
    DEPENDENT,
    Aggregation,
    Configuration,
    CoverageTreatment,
    ListForm,
    MetricDecision,
    SignificanceTest,
    SplitDecision,
    UserSelection,
    refusals,
    selection_label,
)
from receval.protocols.protocol import NonComputable
from receval.spec_types import Model
from receval.splits.kinds import SelectionSpec


class DecisionGrid(Model):
    """Levels of every decision; the multiverse is the set of their legal combinations.

    Attributes
    ----------
    selection, split, users, non_computable, lists, metric, aggregation, coverage, test
        The levels of each field of :class:`Configuration`; by default only the starting one.

    Examples
    --------
    RBO, which compares orders of judged items, is legal only on condensed lists:

    >>> grid = DecisionGrid(lists=["full", "condensed"], metric=[{"name": "P"}, {"name": "RBO"}])
    >>> [f"{each.metric.name} of {each.lists} lists" for each in grid.configurations()]
    ['P of full lists', 'P of condensed lists', 'RBO of condensed lists']
    """

    selection: Annotated[tuple[SelectionSpec, ...], Field(min_length=1)] = (SelectionSpec(),)
    split: Annotated[tuple[SplitDecision, ...], Field(min_length=1)] = (SplitDecision(),)
    users: Annotated[tuple[UserSelection, ...], Field(min_length=1)] = ("trained",)
    non_computable: Annotated[tuple[NonComputable, ...], Field(min_length=1)] = ("none",)
    lists: Annotated[tuple[ListForm, ...], Field(min_length=1)] = ("full",)
    metric: Annotated[tuple[MetricDecision, ...], Field(min_length=1)] = (MetricDecision(),)
    aggregation: Annotated[tuple[Aggregation, ...], Field(min_length=1)] = ("mean",)
    coverage: Annotated[tuple[CoverageTreatment, ...], Field(min_length=1)] = ("full",)
    test: Annotated[tuple[SignificanceTest, ...], Field(min_length=1)] = ("t",)

    @model_validator(mode="after")
    def _levels_differ(self) -> Self:
        for name, levels in self:
            if twice := [level for index, level in enumerate(levels) if level in levels[:index]]:
                raise ValueError(
                    f"{name} has the level {_printed(twice[0])} twice, but every level makes "
                    "universes of its own: leave one of them out"
                )
        return self

    @model_validator(mode="after")
    def _some_levels_go_together(self) -> Self:
        if not self._evaluations():
            reasons = dict.fromkeys(
                reason for decided in self._combinations() for reason in refusals(*decided)
            )
            raise ValueError(
                f"no combination of these levels is legal, so there is no universe: "
                f"{'; '.join(reasons)}"
            )
        return self

    def configurations(self) -> list[Configuration]:
        """Return all legal combinations; the first decision varies slowest."""
        legal = self._evaluations()
        return [
            Configuration.model_construct(selection=selection, split=split, users=users, **decided)
            for selection in self.selection
            for split in self.split
            for users in self.users
            for decided in legal
        ]

    def _evaluations(self) -> list[dict[str, Any]]:
        """Return the legal combinations of the decisions that may exclude each other."""
        return [
            dict(zip(DEPENDENT, decided, strict=True))
            for decided in self._combinations()
            if not refusals(*decided)
        ]

    def _combinations(self) -> Iterator[tuple[Any, ...]]:
        """Yield all combinations of these decisions, legal or not."""
        return product(*(getattr(self, decision) for decision in DEPENDENT))


def _printed(level: Any) -> str:
    if isinstance(level, SelectionSpec):
        return selection_label(level)
    if isinstance(level, MetricDecision):
        return level.short_label
    return level.label if isinstance(level, SplitDecision) else str(level)
