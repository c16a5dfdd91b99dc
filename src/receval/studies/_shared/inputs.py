"""What an artifact's numbers are computed from: ratings, and the judged ranks of experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.evaluation.experiment import Experiment
from receval.evaluation.input_files import InputFiles

if TYPE_CHECKING:
    from receval.multiverse.decision_grid import DecisionGrid
    from receval.ratings import Ratings
    from receval.splits.split import Split

# Every figure's module knows this one, also when it is only drawn from its CSV: what reads and
# measures data is imported where data is read, and is part of code digests there.


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
    judgment_samplings : mapping of str to Path
        The values under removed judgments by the name of the removal.
    splits : tuple of (str, str)
        The datasets and the splits of them that the artifact reads without any system's ranks.
    results : mapping of str to Path
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
    judgment_samplings: Mapping[str, Path] = field(default_factory=dict)
    splits: tuple[tuple[str, str], ...] = ()
    results: Mapping[str, Path] = field(default_factory=dict)
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
        from receval.multiverse.decision_grid import DecisionGrid

        if self.grid is None:
            raise ValueError("The artifact has no grid of decisions: name one as its grid.")
        return DecisionGrid.model_validate(self.grid)

    @classmethod
    def of(cls, files: InputFiles, description: Mapping[str, Any]) -> ArtifactInputs:
        """Open the inputs that a plan describes (:meth:`.ArtifactDescriptions.of`).

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
            judgment_samplings={
                name: files.judgment_sampling_file(name)
                for name in description.get("judgment_samplings", ())
            },
            results={name: files.results_file(name) for name in description.get("results", ())},
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

    def all_ratings(self) -> Iterator[tuple[str, Ratings]]:
        """Yield the name and the ratings of each dataset, one after the other."""
        for dataset in self.datasets:
            yield dataset, self.ratings(dataset)

    def split(self, dataset: str, name: str) -> Split:
        """Return a split of a dataset."""
        from receval.splits.split import Split

        return Split.read(self.files.split_file(dataset, name))
