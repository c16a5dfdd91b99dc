"""What an artifact's results are computed from: ratings, and the judged ranks of experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from receval.evaluation.experiment import Experiment
from receval.evaluation.input_files import InputFiles
from receval.studies._shared.description import ArtifactDescription

if TYPE_CHECKING:
    from receval.multiverse.decision_grid import DecisionGrid
    from receval.ratings import Ratings
    from receval.splits.split import Split

# Every figure's module knows this one, also when it is only drawn from its CSV: what reads and
# measures data is imported where data is read, and is part of code digests there.


class ArtifactInputs(ArtifactDescription):
    """Everything an artifact may read: its description, with the files that it names.

    Parameters
    ----------
    files : InputFiles
        The ratings, splits and ranks that the artifact's rule declares.
    description : ArtifactDescription

    Attributes
    ----------
    experiments : mapping of str to Experiment
    published : Path or None
    searches, judgment_samplings, results : mapping of str to Path
    simulations : mapping of str to mapping of str to Path
        By simulation and system.

    Raises
    ------
    ValueError
        The description names a file that is not declared.
    """

    def __init__(self, files: InputFiles, description: ArtifactDescription) -> None:
        super().__init__(**vars(description))
        self.files = files
        self.experiments: Mapping[str, Experiment] = {
            name: Experiment(files, experiment)
            for name, experiment in description.experiments.items()
        }
        self.published = None if description.published is None else files.published_file()
        self.searches: Mapping[str, Path] = {
            system: files.search_file(system) for system in description.searches
        }
        self.judgment_samplings: Mapping[str, Path] = {
            name: files.judgment_sampling_file(name) for name in description.judgment_samplings
        }
        self.results: Mapping[str, Path] = {
            name: files.results_file(name) for name in description.results
        }
        self.simulations: Mapping[str, Mapping[str, Path]] = {
            name: {system: files.simulation_file(name, system) for system in systems}
            for name, systems in description.simulations.items()
        }

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
