# SPDX-License-Identifier: MIT
"""Experiments: descriptions, the declared files of jobs, and the systems' judged ranks by fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from receval.protocols.protocol import Protocol

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.metrics.evaluation import EvaluatedUsers
    from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
    from receval.protocols.judged_ranks import JudgedRanks
    from receval.splits.split import Fold, Split

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
    # What the lists are measured by: the test ratings ("observed"), the unbiased ("real"), or both.
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


# The fields of the inputs in which single files are looked up.
KindOfInput = (
    Literal["raw_files", "splits", "ranks", "models", "published", "searches"]
    | Literal["judgment_samplings", "other_results", "simulations", "claims"]
)


@dataclass(frozen=True)
class InputFiles:
    """The declared inputs of a job, by content.

    The path of a file, made by the plan, tells what it holds. A job asks for files by names and
    gets declared paths; asking for an undeclared input is an error.
    """

    # .../<dataset>/<table>.parquet and the other files of a prepared dataset.
    ratings: Sequence[Path] = ()
    # .../<dataset>/raw.json, which names the raw files.
    raw_files: Sequence[Path] = ()
    # .../<dataset>/<split>/split.npz
    splits: Sequence[Path] = ()
    # .../<dataset>/<split>/<system>/ranks.npz
    ranks: Sequence[Path] = ()
    # .../<dataset>/<split>/<system>/models
    models: Sequence[Path] = ()
    # The table of published values, or nothing.
    published: Sequence[Path] = ()
    # .../<system>/search.csv
    searches: Sequence[Path] = ()
    # .../<judgment_sampling>.npz
    judgment_samplings: Sequence[Path] = ()
    # .../<artifact>.csv
    other_results: Sequence[Path] = ()
    # .../<simulation>/<system>.csv
    simulations: Sequence[Path] = ()
    # The verdicts on the claims of the study, or nothing.
    claims: Sequence[Path] = ()

    @cached_property
    def _tables(self) -> dict[Path, Ratings]:
        return {}

    def table(self, dataset: str) -> Ratings:
        """Return the ratings of a dataset, shared by all experiments on it."""
        folder = self.ratings_folder(dataset)
        if folder not in self._tables:
            from receval.data.ratings import Ratings

            self._tables[folder] = Ratings.read(folder)
        return self._tables[folder]

    def ratings_folder(self, dataset: str) -> Path:
        """Return the folder of a prepared dataset."""
        from receval.data.ratings import table_folder

        tables = [path for path in self.ratings if path.suffix == ".parquet"]
        return table_folder([path for path in tables if path.parent.name == dataset])

    def split_file(self, dataset: str, split: str) -> Path:
        """Return the file of a split."""
        return self.one("splits", dataset, split, "split.npz")

    def ranks_file(self, dataset: str, split: str, system: str) -> Path:
        """Return the file with the judged ranks of a system."""
        return self.one("ranks", dataset, split, system, "ranks.npz")

    def models_folder(self, dataset: str, split: str, system: str) -> Path:
        """Return the folder with the models of a system, one per fold."""
        return self.one("models", dataset, split, system, "models")

    def one(self, kind: KindOfInput, *end: str) -> Path:
        """Return the only input of a kind whose path has this end."""
        declared: Sequence[Path] = getattr(self, kind)
        found = [path for path in declared if path.parts[len(path.parts) - len(end) :] == end]
        if len(found) != 1:
            named = " ".join(filter(None, (kind, "/".join(end))))
            raise ValueError(
                f"The job reads the input of {named}, which occurs {len(found)} times among the "
                f"{len(declared)} inputs of this kind that its rule declares. It must occur once. "
                "reproduction.workflow.plan names the inputs of rules."
            )
        return found[0]


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
        from receval.metrics.lists import JudgedItems

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
        from receval.metrics.lists import DatasetMetadata

        return DatasetMetadata.of(self.ratings, threshold)
