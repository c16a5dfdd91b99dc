# SPDX-License-Identifier: MIT
"""Plan the artifacts of an edition: which can be made, and from which files."""

from __future__ import annotations

from functools import cached_property

from receval.metrics.registry import module_of
from receval.multiverse.decisions import DecisionGrid
from reproduction.config.studies import ArtifactSpec, ExperimentSpec, StudySpec
from reproduction.workflow.plan.experiments import (
    PlannedExperiments,
    PlannedJudgmentSamplings,
    PlannedSearches,
    PlannedSimulations,
)

EXTENSIONS = {"figure": ("svg", "pdf"), "table": ("md", "tex"), "page": ("md",)}
"""Suffixes of the files beside the CSV, by kind of artifact."""

COMPUTING = "artifacts:compute_artifact"
"""The job that makes the CSV, by ``data`` of the artifact family."""

SHOWING = {
    "figure": ("artifacts:draw_figure", "draw"),
    "table": ("artifacts:write_table", "tabulate"),
    "page": ("artifacts:write_page", "write"),
}
"""The job that makes the other files, and the function of the family that it uses, by kind."""


class PlannedArtifacts:
    """Which artifacts one edition makes, and from which files."""

    def __init__(
        self,
        experiments: PlannedExperiments,
        judgment_samplings: PlannedJudgmentSamplings,
        simulations: PlannedSimulations,
        searches: PlannedSearches,
    ) -> None:
        self.experiments = experiments
        self.judgment_samplings = judgment_samplings
        self.simulations = simulations
        self.searches = searches
        self.datasets = experiments.datasets
        self._folder = f"work/{self.datasets.run}/artifacts"

    @property
    def studies(self) -> dict[str, StudySpec]:
        """The studies that the artifacts belong to."""
        return self.experiments.studies

    def spec(self, study: str, artifact: str) -> ArtifactSpec:
        """Return the configuration of an artifact."""
        artifacts = self.studies[study].artifacts
        if artifact not in artifacts:
            raise KeyError(f"{study} has no artifact {artifact}; it has {', '.join(artifacts)}.")
        return artifacts[artifact]

    def module(self, study: str, artifact: str) -> str:
        """Return the module of an artifact's family."""
        code = self.spec(study, artifact).code or artifact
        return f"reproduction.studies.{code if '.' in code else f'{study}.{code}'}"

    def pages(self) -> list[str]:
        """Return the names of the artifacts that are pages of text."""
        specs = [spec for study in self.studies.values() for spec in study.artifacts.items()]
        return [name for name, artifact in specs if artifact.kind == "page"]

    def measured(self, study: str) -> list[str]:
        """Return the artifacts by which a study's claims are judged: those not on verdicts."""
        specs = self.studies[study].artifacts.items()
        return [name for name, spec in specs if not spec.reads_claims]

    def datasets_of(self, study: str, artifact: str) -> list[str]:
        """Return the datasets behind an artifact and the results it reads, available or not."""
        spec = self.spec(study, artifact)
        if spec.reads_claims:
            behind = (self.datasets_of(study, name) for name in self.measured(study))
            return list(dict.fromkeys(name for names in behind for name in names))
        experiments = self.studies[study].experiments
        shown = {experiments[name].dataset for name in spec.only_experiments}
        others = [
            name
            for other in spec.results_of
            for name in self.datasets_of(study, other)
            if not shown or name in shown
        ]
        return list(dict.fromkeys([*self._read_by(spec, study), *others]))

    def present_datasets(self, study: str, artifact: str) -> list[str]:
        """Return the available datasets whose ratings an artifact's job reads."""
        read = self._read_by(self.spec(study, artifact), study)
        return [name for name in read if self.datasets.is_available(name)]

    def _read_by(self, spec: ArtifactSpec, study: str) -> list[str]:
        """Return the datasets that an artifact reads directly, in samplings or in simulations."""
        experiments = self.studies[study].experiments
        sampled = [
            name
            for sampling in spec.judgment_samplings
            for name in self.judgment_samplings.spec(study, sampling).experiments
        ]
        named = [experiments[name].dataset for name in (*spec.experiments, *sampled)]
        simulated = [self.simulations.spec(name).dataset for name in spec.simulations]
        return list(dict.fromkeys([*spec.datasets, *named, *simulated]))

    def experiments_of(self, study: str, artifact: str) -> dict[str, ExperimentSpec]:
        """Return the experiments behind an artifact, whether or not their data is available."""
        spec = self.studies[study]
        return {name: spec.experiments[name] for name in spec.experiments_of(artifact)}

    def systems_read(self, study: str, artifact: str) -> list[str]:
        """Return the systems whose models an artifact reads, in experiments with available data."""
        spec = self.spec(study, artifact)
        if not spec.reads_models:
            return []
        present = self.experiments.present(study, spec.experiments).values()
        return list(dict.fromkeys(name for e in present for name in e.all_systems))

    def splits_of_its_own(self, spec: ArtifactSpec) -> list[tuple[str, str]]:
        """Return the (dataset, split) pairs that an artifact reads without any system's ranks."""
        pairs = [(name, split) for name in spec.datasets for split in spec.splits_of(name)]
        return [pair for pair in pairs if self.datasets.has_split(*pair)]

    def absent(self, study: str, artifact: str) -> list[str]:
        """Return the datasets of an artifact that are not available or cannot be split."""
        used = self.experiments_of(study, artifact).values()
        spec = self.spec(study, artifact)

        def is_absent(dataset: str) -> bool:
            splits = [e.split for e in used if e.dataset == dataset]
            splits += spec.splits_of(dataset)
            possible = any(self.datasets.has_split(dataset, split) for split in splits)
            return not self.datasets.is_available(dataset) or not (possible or not splits)

        return [name for name in self.datasets_of(study, artifact) if is_absent(name)]

    def made(self, study: str) -> list[str]:
        """Return the artifacts of a study that can be made, for which some data is available."""
        return list(self._made[study])

    @cached_property
    def _made(self) -> dict[str, tuple[str, ...]]:
        return {
            study: tuple(
                name
                for name in spec.artifacts
                if not (needed := self.datasets_of(study, name))
                or len(self.absent(study, name)) < len(needed)
            )
            for study, spec in self.studies.items()
        }

    def inputs(self, study: str, artifact: str) -> dict[str, list[str]]:
        """Return the files that an artifact's results are computed from."""
        spec = self.spec(study, artifact)
        if artifact not in self._made[study]:
            absent = ", ".join(self.absent(study, artifact))
            raise ValueError(
                f"{study}/{artifact} cannot be made: all its data is absent ({absent}). "
                "The table of datasets above says how to get it."
            )
        present = self.experiments.present(study, spec.experiments).values()
        read = self.present_datasets(study, artifact)
        own_splits = [self.datasets.split_file(*pair) for pair in self.splits_of_its_own(spec)]
        return {
            "ratings": [file for name in read for file in self.datasets.ratings_files(name)],
            "splits": list(dict.fromkeys([*self.experiments.split_files(present), *own_splits])),
            "ranks": self.experiments.ranks_files(present),
            "models": self.experiments.models_folders(present) if spec.reads_models else [],
            "published": [self.published_file(spec.published)] if spec.published else [],
            "searches": self.searches.files() if spec.reads_searches else [],
            "judgment_samplings": [
                self.judgment_samplings.file(study, name) for name in spec.judgment_samplings
            ],
            "other_results": list(self.results_read(study, artifact).values()),
            "simulations": [
                file for name in spec.simulations for file in self.simulations.files(name).values()
            ],
            "claims": [self.judged_file(study)] if spec.reads_claims else [],
        }

    def results_file(self, study: str, artifact: str) -> str:
        """Return the CSV of an artifact."""
        return f"{self._folder}/{study}/{artifact}.csv"

    def published_file(self, name: str) -> str:
        """Return a table of published values."""
        return self.datasets.folders.published(name).as_posix()

    def judged_file(self, study: str) -> str:
        """Return the verdicts on the claims of a study."""
        return f"work/{self.datasets.run}/claims/{study}.csv"

    def results_read(self, study: str, artifact: str) -> dict[str, str]:
        """Return the CSVs of other artifacts that an artifact reads, of those that can be made."""
        names = self.spec(study, artifact).results_of
        return {n: self.results_file(study, n) for n in names if n in self._made[study]}

    def files(self, study: str, artifact: str) -> list[str]:
        """Return all files of an artifact."""
        extensions = ("csv", *EXTENSIONS[self.spec(study, artifact).kind])
        return [f"{self._folder}/{study}/{artifact}.{extension}" for extension in extensions]

    def grid(self, study: str, artifact: str) -> DecisionGrid | None:
        """Return the grid of decisions that an artifact uses, if it names one."""
        name = self.spec(study, artifact).grid
        return None if name is None else self.studies[study].grids[name]

    def results_entries(self, study: str, artifact: str) -> list[str]:
        """Return the code of the family that computes an artifact's results, for code digests."""
        own = f"{self.module(study, artifact)}:data"
        systems = self.experiments.recommenders(self.systems_read(study, artifact))
        return list(dict.fromkeys([own, *self.metric_entries(study, artifact), *systems.values()]))

    def shown_entry(self, study: str, artifact: str) -> str:
        """Return the code of the family that shows an artifact's results, for code digests."""
        _, name = SHOWING[self.spec(study, artifact).kind]
        return f"{self.module(study, artifact)}:{name}"

    def metric_entries(self, study: str, artifact: str) -> list[str]:
        """Return the modules of the metrics that an artifact's parameters name, for code digests.

        The parameters ``metric``, ``metrics`` and ``released`` hold labels of metrics, in every
        study; a grid of decisions names metrics, too.
        """
        parameters = self.spec(study, artifact).parameters
        one = parameters.get("metric")
        labels = [one] if isinstance(one, str) else []
        for name in ("metrics", "released"):
            several = parameters.get(name, ())
            labels += [str(label) for label in several] if isinstance(several, tuple) else []
        grid = self.grid(study, artifact)
        labels += [metric.label(condensed=True) for metric in (grid.metric if grid else ())]
        return sorted({module_of(label) for label in labels})
