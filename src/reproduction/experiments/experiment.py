# SPDX-License-Identifier: MIT
"""Experiments: descriptions, and the judged ranks of the systems by fold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from receval.protocols.protocol import Protocol

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.metrics.evaluation import EvaluatedUsers
    from receval.metrics.judged_items import DatasetMetadata, JudgedItems
    from receval.metrics.lists import JudgedLists
    from receval.protocols.judged_ranks import JudgedRanks
    from receval.splits.split import Fold, Split
    from reproduction.experiments.input_files import InputFiles

# Plans and all figures import this module, even if a figure is only drawn from its CSV. So code
# that reads and measures data is imported where it is used, and enters code digests only there.


@dataclass(eq=False)
class ExperimentDescription:
    """The description of an experiment: its data, its systems, and how they are measured."""

    dataset: str
    split: str
    # The configuration of the split, as plain values.
    split_spec: Mapping[str, Any]
    # The paper's systems, and further systems.
    systems: tuple[str, ...]
    extra_systems: tuple[str, ...]
    protocols: tuple[Protocol, ...]
    # Ratings at or above it are relevant.
    threshold: float
    evaluated_users: EvaluatedUsers
    # Whether the lists are measured by the test ratings ("observed"), by the unbiased ones
    # ("real"), or by both.
    evaluations: tuple[str, ...]
    # The threshold of the unbiased judgments in the released code, if it differs.
    released_real_threshold: float | None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ExperimentDescription:
        """Return the description from plain values."""
        protocols = tuple(Protocol(**protocol) for protocol in values["protocols"])
        typed = {name: tuple(values[name]) for name in ("systems", "extra_systems", "evaluations")}
        return ExperimentDescription(**{**values, **typed, "protocols": protocols})

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The paper's systems, then the extra ones."""
        return (*self.systems, *self.extra_systems)


class Experiment(ExperimentDescription):
    """A completed experiment: all systems' lists by fold and protocol."""

    def __init__(self, files: InputFiles, description: ExperimentDescription) -> None:
        super().__init__(**vars(description))
        self.files = files
        self._folds: dict[int, Fold] = {}
        # Caches of that fold, by its part and the threshold.
        self._judged: dict[tuple[str, float | None], JudgedItems] = {}

    @property
    def only_protocol(self) -> Protocol:
        """The protocol of an experiment with a single protocol."""
        if len(self.protocols) != 1:
            names = ", ".join(protocol.name for protocol in self.protocols)
            raise ValueError(
                f"The experiment on {self.dataset} has the protocols {names}, but values of "
                "different protocols are not averaged. Give it one protocol."
            )
        return self.protocols[0]

    @property
    def ratings(self) -> Ratings:
        """The ratings of the dataset."""
        return self.files.table(self.dataset)

    @cached_property
    def _split(self) -> Split:
        from receval.splits.split import Split

        return Split.read(self.files.split_file(self.dataset, self.split))

    @property
    def split_metadata(self) -> Mapping[str, Any]:
        """Metadata of the split, such as the number of target items."""
        return self._split.metadata

    @property
    def folds(self) -> range:
        """Numbers of the folds."""
        return range(self._split.n_folds)

    def fold(self, number: int) -> Fold:
        """Return the training and test parts of a fold."""
        from receval.splits.split import fold

        if number not in self._folds:
            # Drop the old fold first, so that two are never in memory at once.
            self._folds.clear()
            self._judged.clear()
            self._folds[number] = fold(self.ratings, self._split, number)
        return self._folds[number]

    def lists(
        self,
        system: str,
        protocol: Protocol,
        number: int,
        part: str = "test",
        threshold: float | None = None,
    ) -> JudgedLists:
        """Return a system's lists on a fold under a protocol.

        They are measured by the part ``test`` or ``unbiased``, where ratings from the threshold on
        are relevant; the experiment's own by default.
        """
        from receval.metrics.lists import JudgedLists

        judged = self.judged(number, part, threshold)
        judged_ranks = self.judged_ranks(system, protocol, number, part)
        return JudgedLists.measured_by(judged, judged_ranks, protocol)

    def judged_ranks(
        self, system: str, protocol: Protocol, number: int, part: str = "test"
    ) -> JudgedRanks:
        """Return a system's ranks of the judged items of a fold."""
        from receval.protocols.judged_ranks import read_ranks

        path = self.files.ranks_file(self.dataset, self.split, system)
        owner = (self.dataset, self.split, system)
        return read_ranks(path, protocol.key, number, part, owner)

    def judged(
        self, number: int, part: str = "test", threshold: float | None = None
    ) -> JudgedItems:
        """Return the judged items of a fold, which the lists of all systems share."""
        from receval.metrics.judged_items import JudgedItems

        data = self.fold(number)
        key = (part, threshold)
        if key in self._judged:
            return self._judged[key]
        judgments = data.test if part == "test" else data.unbiased
        if judgments is None:
            raise ValueError(
                f"The split {self.split} of {self.dataset} has no {part} judgments. Its kind "
                "must be missing-at-random, or predefined with unbiased_rows."
            )
        relevant_from = self.threshold if threshold is None else threshold
        metadata = partial(self.metadata, relevant_from)
        self._judged[key] = JudgedItems.of(judgments, relevant_from, metadata)
        return self._judged[key]

    @lru_cache(maxsize=2)  # noqa: B019 - the experiment lives as long as the job
    def metadata(self, threshold: float) -> DatasetMetadata:
        """Return the dataset metadata that some metrics need, with plays summed per pair."""
        from receval.metrics.judged_items import DatasetMetadata

        return DatasetMetadata.of(self.ratings, threshold)

    def all_lists(self) -> Iterator[tuple[int, Protocol, str, JudgedLists]]:
        """Yield (fold, protocol, system, lists), fold by fold."""
        for number in self.folds:
            for protocol in self.protocols:
                for system in self.all_systems:
                    yield number, protocol, system, self.lists(system, protocol, number)
