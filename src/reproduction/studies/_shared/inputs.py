# SPDX-License-Identifier: MIT
"""Inputs of an artifact: its description, and the data that it names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.metrics.registry import parse, parse_named
from reproduction.experiments.experiment import Experiment, ExperimentDescription

if TYPE_CHECKING:
    from receval.data.features import Features
    from receval.data.ratings import Ratings
    from receval.metrics.metric import Metric
    from receval.multiverse.decisions import DecisionGrid
    from receval.recommenders.base import Recommender
    from receval.splits.split import Split
    from reproduction.experiments.experiment import InputFiles

# Plans and all figures import this module, even if a figure is only drawn from its CSV. So code
# that reads and measures data is imported where it is used, and enters code digests only there.


@dataclass(eq=False)
class ArtifactDescription:
    """The description of an artifact for its job: the names of its inputs, and its parameters.

    A plan makes it (:meth:`.ArtifactDescriptions.results`), Snakemake keeps it as plain values, and
    the job opens it as :class:`.ArtifactInputs`.

    Experiments are those whose data is available, by name; ``shown`` has also the others behind the
    results that the artifact shows, and whether their data is available. Datasets are those that
    are available, in the order of the configuration, and ``absent`` those that it would read if
    they were. Recommenders are the classes, as ``module:class``, of the systems whose models it
    reads. The other names are those of the table of published values, of the systems whose searches
    for settings it reads, of judgment samplings, of datasets and splits that it reads without any
    system's ranks, of the file with features of users, of the artifacts whose CSV it reads, and of
    simulations with their systems (none without the dataset). The grid of decisions has plain
    values (:attr:`.ArtifactInputs.decisions`); the seed is the edition's root seed.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    experiments: Mapping[str, ExperimentDescription] = field(default_factory=dict)
    datasets: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    recommenders: Mapping[str, str] = field(default_factory=dict)
    published: Path | None = None
    searches: Collection[str] = ()
    judgment_samplings: Collection[str] = ()
    splits: tuple[tuple[str, str], ...] = ()
    user_features: str | None = None
    results: Collection[str] = ()
    shown: Mapping[str, bool] = field(default_factory=dict)
    simulations: Mapping[str, Collection[str]] = field(default_factory=dict)
    grid: Mapping[str, Any] | None = None
    seed: int = 0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ArtifactDescription:
        """Return the description from plain values."""
        experiments = values.get("experiments", {}).items()
        published = values.get("published")
        typed = {
            "experiments": {name: ExperimentDescription.of(each) for name, each in experiments},
            "published": None if published is None else Path(published),
            **{name: tuple(values.get(name, ())) for name in ("datasets", "absent")},
            "splits": tuple((dataset, split) for dataset, split in values.get("splits", ())),
        }
        return ArtifactDescription(**{**values, **typed})


class ArtifactInputs(ArtifactDescription):
    """The inputs of an artifact: its description and the files that it names.

    The experiments are open, and ``published``, the searches, judgment samplings, results and
    simulations (by system) are paths.
    """

    def __init__(self, files: InputFiles, description: ArtifactDescription) -> None:
        super().__init__(**vars(description))
        self.files = files
        self.experiments: Mapping[str, Experiment] = {
            name: Experiment(files, experiment)
            for name, experiment in description.experiments.items()
        }
        self.published = None if description.published is None else files.one("published")
        self.searches: Mapping[str, Path] = {
            system: files.one("searches", system, "search.csv") for system in description.searches
        }
        self.judgment_samplings: Mapping[str, Path] = {
            name: files.one("judgment_samplings", f"{name}.npz")
            for name in description.judgment_samplings
        }
        self.results: Mapping[str, Path] = {
            name: files.one("other_results", f"{name}.csv") for name in description.results
        }
        self.simulations: Mapping[str, Mapping[str, Path]] = {
            name: {system: files.one("simulations", name, f"{system}.csv") for system in systems}
            for name, systems in description.simulations.items()
        }

    @property
    def decisions(self) -> DecisionGrid:
        """The grid of decisions of the artifact."""
        from receval.multiverse.decisions import DecisionGrid

        if self.grid is None:
            raise ValueError("The artifact has no grid of decisions: name one as its grid.")
        return DecisionGrid.model_validate(self.grid)

    @property
    def judged_claims(self) -> Path:
        """The verdicts on the claims of the study."""
        return self.files.one("claims")

    def published_table(self) -> Path:
        """Return the table of published values."""
        if self.published is None:
            raise ValueError("The artifact needs the key published: the table to compare with.")
        return self.published

    def metrics(self, parameter: str = "metrics") -> list[Metric]:
        """Return the metrics whose labels a parameter lists."""
        return [parse(str(label)) for label in self.parameters[parameter]]

    def named_metrics(self, parameter: str = "metrics") -> dict[str, Metric]:
        """Return the metrics whose labels a parameter lists, by the parameter ``names``."""
        return parse_named(self.parameters["names"], self.parameters[parameter])

    def model(self, experiment: Experiment, system: str, number: int) -> Recommender:
        """Return the model that a system learnt from a fold of an experiment."""
        from receval.recommenders.base import load, model_file

        if system not in self.recommenders:
            raise ValueError(
                f"The artifact reads no model of {system}: name it in one of its experiments, and "
                "say reads_models."
            )
        folder = self.files.models_folder(experiment.dataset, experiment.split, system)
        return load(self.recommenders[system], model_file(folder, number))

    def ratings(self, dataset: str) -> Ratings:
        """Return the ratings of a dataset."""
        from receval.data.ratings import Ratings

        return Ratings.read(self.files.ratings_folder(dataset))

    def all_ratings(self) -> Iterator[tuple[str, Ratings]]:
        """Yield the name and the ratings of each dataset, one after the other."""
        for dataset in self.datasets:
            yield dataset, self.ratings(dataset)

    def features_of_users(self, dataset: str) -> Features:
        """Return the features of the users of a dataset, from its raw files."""
        from importlib import import_module

        from reproduction.datasets.raw import RawFiles

        raw = RawFiles.read(self.files.one("raw_files", dataset, "raw.json"))
        for file in (*raw.files, *raw.auxiliary_files):
            file.check()
        parsers = import_module(raw.parser.partition(":")[0])
        files = [file.path for file in (*raw.files, *raw.auxiliary_files)]
        found: Features = parsers.features_of_users(files, self.user_features)
        return found

    def split(self, dataset: str, name: str) -> Split:
        """Return a split of a dataset."""
        from receval.splits.split import Split

        return Split.read(self.files.split_file(dataset, name))
