"""What jobs are told of the experiments that they evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from receval.protocols.protocol import Protocol
from receval.storage.plain_values import with_tuples

if TYPE_CHECKING:
    from receval.metrics.aggregation import EvaluatedUsers

# Plans know this module, which therefore loads none of the numerical libraries.


@dataclass(eq=False)
class ExperimentDescription:
    """What tells an experiment from others: its data, its systems, how they are measured.

    Attributes
    ----------
    dataset, split : str
    split_spec : mapping
        The configuration of the split, as plain values.
    systems, extra_systems : tuple of str
        The paper's systems, and those beside them.
    protocols : tuple of Protocol
    threshold : float
        Ratings at or above it are relevant.
    evaluated_users : {"all", "tested", "relevant", "covered"}
        Who is averaged.
    evaluations : tuple of {"observed", "real"}
        Whether the lists are measured by the test ratings, by the unbiased ones, or by both.
    released_real_threshold : float or None
        The threshold of the unbiased judgments in the released code, where it is another.
    """

    dataset: str
    split: str
    split_spec: Mapping[str, Any]
    systems: tuple[str, ...]
    extra_systems: tuple[str, ...]
    protocols: tuple[Protocol, ...]
    threshold: float
    evaluated_users: EvaluatedUsers
    evaluations: tuple[str, ...]
    released_real_threshold: float | None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ExperimentDescription:
        """Return the description that plain values stand for."""
        protocols = tuple(Protocol(**protocol) for protocol in values["protocols"])
        return ExperimentDescription(**with_tuples({**values, "protocols": protocols}))

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The paper's systems, then the extra ones."""
        return (*self.systems, *self.extra_systems)
