"""What an artifact's numbers are computed from: ratings, and the judged ranks of experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.protocols.protocol import Protocol
from receval.studies.input_files import InputFiles

if TYPE_CHECKING:
    from receval.config.decision_grid import DecisionGrid
    from receval.metrics.aggregation import Averaged
    from receval.metrics.judged_items import DatasetFacts, JudgedItems
    from receval.metrics.lists import JudgedLists
    from receval.ratings import Ratings
    from receval.splits.split import Fold, Split

# Every figure's module knows this one, also when it is only drawn from its CSV: what reads and
# measures data is imported where data is read, and is part of code digests there.


class Experiment:
    """The outcome of an experiment: every system's lists on every fold under every protocol.

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
    averaged : {"all", "tested", "relevant", "covered"}
        Who is averaged.
    evaluations : tuple of {"observed", "real"}
        Whether the lists are measured by the test ratings, by the unbiased ones, or by both.
    released_real_threshold : float or None
        The threshold of the unbiased judgments in the released code, where it is another.
    """

    def __init__(self, files: InputFiles, description: Mapping[str, Any]) -> None:
        self.files = files
        self.dataset: str = description["dataset"]
        self.split: str = description["split"]
        self.split_spec: Mapping[str, Any] = description["split_spec"]
        self.systems: tuple[str, ...] = tuple(description["systems"])
        self.extra_systems: tuple[str, ...] = tuple(description["extra_systems"])
        self.protocols = tuple(Protocol(**protocol) for protocol in description["protocols"])
        self.threshold: float = description["relevance_threshold"]
        self.averaged: Averaged = description["averaged"]
        self.evaluations: tuple[str, ...] = tuple(description["evaluations"])
        self.released_real_threshold: float | None = description["released_real_threshold"]

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The paper's systems, then the extra ones."""
        return (*self.systems, *self.extra_systems)

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings of the dataset."""
        from receval.ratings import Ratings

        return Ratings.read(self.files.ratings_folder(self.dataset))

    @cached_property
    def _split(self) -> Split:
        from receval.splits.split import Split

        return Split.read(self.files.split_file(self.dataset, self.split))

    @property
    def facts_of_split(self) -> Mapping[str, Any]:
        """What is worth knowing of the split, such as the number of target items."""
        return self._split.facts

    @property
    def folds(self) -> range:
        """Numbers of the folds."""
        return range(self._split.n_folds)

    @lru_cache(maxsize=1)  # noqa: B019 - the experiment lives as long as the job
    def fold(self, number: int) -> Fold:
        """Return the training and test parts of a fold."""
        from receval.splits.split import fold

        return fold(self.ratings, self._split, number)

    def lists(
        self,
        system: str,
        protocol: Protocol,
        number: int,
        part: str = "test",
        threshold: float | None = None,
    ) -> JudgedLists:
        """Return a system's lists on a fold under a protocol.

        Parameters
        ----------
        system : str
        protocol : Protocol
        number : int
            Of the fold.
        part : {"test", "unbiased"}
            The judgments that the lists are measured by.
        threshold : float, optional
            Ratings at or above it are relevant; the experiment's own by default.

        Raises
        ------
        ValueError
            The fold has no such judgments.
        """
        from receval.metrics.lists import JudgedLists
        from receval.protocols.judged_ranks import read_ranks

        judged = self.judged(number, part, threshold)
        path = self.files.ranks_file(self.dataset, self.split, system)
        outcome = read_ranks(path, protocol.key, number, part)
        return JudgedLists.measured_by(judged, outcome, protocol)

    @lru_cache(maxsize=2)  # noqa: B019 - the experiment lives as long as the job
    def judged(
        self, number: int, part: str = "test", threshold: float | None = None
    ) -> JudgedItems:
        """Return the judged items of a fold, which the lists of all systems share.

        Its parameters are those of :meth:`lists`.

        Raises
        ------
        ValueError
            The fold has no such judgments.
        """
        from receval.metrics.judged_items import JudgedItems

        data = self.fold(number)
        judgments = data.test if part == "test" else data.unbiased
        if judgments is None:
            raise ValueError(
                f"The split {self.split} of {self.dataset} has no {part} judgments: its kind must "
                "be missing-at-random, or given with unbiased_rows."
            )
        relevant_from = self.threshold if threshold is None else threshold
        return JudgedItems.of(judgments, relevant_from, self.facts(relevant_from))

    @lru_cache(maxsize=2)  # noqa: B019 - the experiment lives as long as the job
    def facts(self, threshold: float) -> DatasetFacts:
        """Return what some metrics know of the whole dataset, plays of a pair summed.

        Parameters
        ----------
        threshold : float
            Ratings at or above it are relevant.
        """
        from receval.metrics.judged_items import DatasetFacts
        from receval.statistics.popularity_curve import positives_and_highest

        positive, highest = positives_and_highest(self.ratings, threshold)
        return DatasetFacts(maximum_rating=highest, positive_ratings=positive)

    def outcomes(self) -> Iterator[tuple[int, Protocol, str, JudgedLists]]:
        """Yield (fold, protocol, system, lists), fold by fold."""
        for number in self.folds:
            for protocol in self.protocols:
                for system in self.all_systems:
                    yield number, protocol, system, self.lists(system, protocol, number)


@dataclass(frozen=True)
class ArtifactInputs:
    """Everything an artifact may read.

    Attributes
    ----------
    files : InputFiles
        The ratings, splits and ranks that the artifact's rule declares.
    parameters : mapping
        The artifact's parameters from the study's configuration.
    experiments : mapping of str to Experiment
        Those whose data is there, by name.
    datasets : tuple of str
        Those that are there, in the order of the configuration.
    absent : tuple of str
        Datasets that the artifact would read if they were there.
    published : Path or None
        The table of published values, if the artifact reads one.
    searches : mapping of str to Path
        The traces of the searches for settings by system, if the artifact reads them.
    removals : mapping of str to Path
        The values under removed judgments by the name of the removal.
    splits : tuple of (str, str)
        The datasets and the splits of them that the artifact reads without any system's ranks.
    numbers : mapping of str to Path
        The CSV files of other artifacts of the study by their names.
    not_made : tuple of str
        Artifacts whose CSV would be among these if their data were there.
    shown : mapping of str to bool
        The experiments behind these numbers that the artifact shows, and whether their data is
        there.
    simulations : mapping of str to mapping of str to Path
        The values of the simulations by their name and by system; empty without the dataset.
    grid : mapping or None
        The levels of a grid of decisions, as plain values; see :attr:`decisions`.
    seed : int
        The edition's root seed.
    """

    files: InputFiles
    parameters: Mapping[str, Any]
    experiments: Mapping[str, Experiment]
    datasets: tuple[str, ...]
    absent: tuple[str, ...]
    published: Path | None = None
    searches: Mapping[str, Path] = field(default_factory=dict)
    removals: Mapping[str, Path] = field(default_factory=dict)
    splits: tuple[tuple[str, str], ...] = ()
    numbers: Mapping[str, Path] = field(default_factory=dict)
    not_made: tuple[str, ...] = ()
    shown: Mapping[str, bool] = field(default_factory=dict)
    simulations: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    grid: Mapping[str, Any] | None = None
    seed: int = 0

    @property
    def decisions(self) -> DecisionGrid:
        """The grid of decisions that the artifact goes through.

        Raises
        ------
        ValueError
            The artifact names none.
        """
        from receval.config.decision_grid import DecisionGrid

        if self.grid is None:
            raise ValueError("The artifact has no grid of decisions: name one as its grid.")
        return DecisionGrid.model_validate(self.grid)

    @classmethod
    def of(cls, files: InputFiles, description: Mapping[str, Any]) -> ArtifactInputs:
        """Open the inputs that a plan describes (:meth:`receval.plan.Plan.description`).

        Raises
        ------
        ValueError
            The description names a file that is not declared.
        """
        return cls(
            files=files,
            parameters=description["parameters"],
            experiments={
                name: Experiment(files, experiment)
                for name, experiment in description["experiments"].items()
            },
            datasets=tuple(description["datasets"]),
            absent=tuple(description["absent"]),
            published=files.published_file() if description.get("published") else None,
            searches={name: files.search_file(name) for name in description.get("searches", ())},
            removals={name: files.removal_file(name) for name in description.get("removals", ())},
            numbers={name: files.numbers_file(name) for name in description.get("numbers", ())},
            not_made=tuple(description.get("not_made", ())),
            shown=description.get("shown", {}),
            splits=tuple((dataset, name) for dataset, name in description.get("splits", ())),
            simulations={
                name: {system: files.simulation_file(name, system) for system in systems}
                for name, systems in description.get("simulations", {}).items()
            },
            grid=description.get("grid"),
            seed=description.get("seed", 0),
        )

    def ratings(self, dataset: str) -> Ratings:
        """Return the ratings of a dataset."""
        from receval.ratings import Ratings

        return Ratings.read(self.files.ratings_folder(dataset))

    def split(self, dataset: str, name: str) -> Split:
        """Return a split of a dataset."""
        from receval.splits.split import Split

        return Split.read(self.files.split_file(dataset, name))
