# SPDX-License-Identifier: MIT
"""Plan the studies of an edition: their files, descriptions for jobs, and provenance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from receval.figures.display import TWIN, DisplayStyle, absence_of
from receval.figures.style import MetricStyle, SystemStyle, shaded
from reproduction.config.settings import Settings
from reproduction.config.studies import StudySpec
from reproduction.studies._shared.inputs import ArtifactDescription
from reproduction.workflow.plan.artifacts import EXTENSIONS, PlannedArtifacts
from reproduction.workflow.plan.experiments import plain

# Descriptions for the jobs of an artifact: what to compute, and how to show it.


class ArtifactDescriptions:
    """The parameters of the jobs that compute and show artifacts."""

    def __init__(self, settings: Settings, artifacts: PlannedArtifacts) -> None:
        self.settings = settings
        self.artifacts = artifacts

    def results(self, study: str, artifact: str) -> dict[str, Any]:
        """Return an :class:`.ArtifactDescription` as plain values."""
        artifacts, experiments = self.artifacts, self.artifacts.experiments
        spec = artifacts.spec(study, artifact)
        behind = artifacts.experiments_of(study, artifact) if spec.results_of else {}
        present = experiments.present(study, behind)
        results = artifacts.results_read(study, artifact)
        absent = artifacts.absent(study, artifact)
        grid = artifacts.grid(study, artifact)
        description = ArtifactDescription(
            parameters=spec.model_dump(mode="json")["parameters"],
            experiments=experiments.descriptions(study, spec.experiments),
            datasets=tuple(
                filter(artifacts.datasets.is_available, artifacts.datasets_of(study, artifact))
            ),
            absent=tuple(absent),
            recommenders=experiments.recommenders(artifacts.systems_read(study, artifact)),
            published=Path(artifacts.published_file(spec.published)) if spec.published else None,
            searches=tuple(self.settings.searches.systems) if spec.reads_searches else (),
            judgment_samplings=spec.judgment_samplings,
            splits=tuple(artifacts.splits_of_its_own(spec)),
            results=tuple(results),
            shown={name: name in present for name in behind},
            simulations={
                name: tuple(artifacts.simulations.files(name)) for name in spec.simulations
            },
            grid=grid.model_dump(mode="json") if grid else None,
            seed=self.settings.seed,
        )
        return plain(description)

    def caption(self, study: str, artifact: str) -> str:
        """Return the caption of an artifact, with this edition's numbers and note.

        ``{samples}`` stands for the number of samples of the judgment samplings that it reads, and
        ``{last_level}`` for the lowest percentage that they keep.
        """
        spec = self.artifacts.spec(study, artifact)
        samplings = [
            self.artifacts.judgment_samplings.spec(study, name) for name in spec.judgment_samplings
        ]
        samples = max((sampling.samples for sampling in samplings), default=0)
        last = min((sampling.levels.lowest for sampling in samplings), default=0)
        text = " ".join(filter(None, (spec.caption, spec.note)))
        return text.replace("{samples}", str(samples)).replace("{last_level}", f"{last:g}")

    def display(self, study: str, artifact: str) -> dict[str, Any]:
        """Return a :class:`.DisplayStyle` as plain values."""
        spec = self.artifacts.spec(study, artifact)
        experiments = self.artifacts.experiments_of(study, artifact)
        systems = dict.fromkeys(name for e in experiments.values() for name in e.all_systems)
        for simulation in spec.simulations:
            systems |= dict.fromkeys(self.artifacts.simulations.spec(simulation).systems)
        if spec.reads_searches:
            systems |= dict.fromkeys(self.settings.searches.systems)
        extra = dict.fromkeys(name for e in experiments.values() for name in e.extra_systems)
        display = DisplayStyle(
            title=spec.title,
            caption=self.caption(study, artifact),
            systems={name: self._style(name) for name in systems},
            extra_systems=tuple(extra),
            metrics={
                name: MetricStyle(style.colour, style.marker)
                for name, style in self.settings.display.metrics.items()
            },
            datasets=self._dataset_titles(study, artifact),
            experiments={name: experiment.title for name, experiment in experiments.items()},
            absence=self._absence(study, artifact),
            parameters=spec.model_dump(mode="json")["parameters"],
        )
        return plain(display)

    def described(self, study: str, artifact: str) -> str:
        """Return the text below an artifact (:attr:`.DisplayStyle.described`)."""
        parts = (self.caption(study, artifact), self._absence(study, artifact))
        return " ".join(filter(None, parts))

    def _absence(self, study: str, artifact: str) -> str:
        titles = self._dataset_titles(study, artifact)
        return absence_of([titles[name] for name in self.artifacts.absent(study, artifact)])

    def _dataset_titles(self, study: str, artifact: str) -> dict[str, str]:
        # A twin's results must not be mistaken for those of the original data. Generated data
        # without an original has a title of its own.
        twins = self.settings.twins if self.settings.edition == "demo" else {}
        own = self.artifacts.datasets.generated
        return {
            name: self.settings.datasets[name].short_title
            + (TWIN if name in twins and name not in own else "")
            for name in self.artifacts.datasets_of(study, artifact)
        }

    def _style(self, system: str) -> SystemStyle:
        spec = self.settings.systems[system]
        colour = shaded(self.settings.display.families[spec.family], spec.shade)
        return SystemStyle(spec.title, colour, spec.marker, spec.short_title)


class PlannedStudies:
    """The files of the workflow's targets: all artifacts of a study, or of all studies."""

    def __init__(
        self, settings: Settings, artifacts: PlannedArtifacts, descriptions: ArtifactDescriptions
    ) -> None:
        self.settings = settings
        self.artifacts = artifacts
        self.descriptions = descriptions
        self._datasets = artifacts.datasets
        self._folder = f"work/{settings.run}"

    @property
    def specs(self) -> dict[str, StudySpec]:
        """The configuration of the studies, with the split that each experiment uses."""
        return self.artifacts.studies

    # --- files ----------------------------------------------------------------------------

    def files(self, study: str) -> list[str]:
        """Return all files that the target of a study makes."""
        made = self.artifacts.made(study)
        files = [file for name in made for file in self.artifacts.files(study, name)]
        return [*files, self.record_file(study), self.page_file(study)]

    def page_file(self, study: str) -> str:
        """Return the page that says what each figure of a study shows."""
        return f"{self._folder}/artifacts/{study}/index.md"

    def record_file(self, study: str) -> str:
        """Return the file with the provenance record of a study."""
        return f"{self._folder}/artifacts/{study}/provenance.json"

    def results_files(self) -> list[str]:
        """Return the CSVs of all artifacts that are made."""
        made = self.artifacts.made
        return [self.artifacts.results_file(s, name) for s in self.specs for name in made(s)]

    def record_files(self) -> list[str]:
        """Return the provenance records of all studies."""
        return [self.record_file(study) for study in self.specs]

    def shown_files(self, study: str) -> list[str]:
        """Return the pages on which the report shows a study's tables and texts."""
        return [
            f"{self._folder}/pages/{study}/{name}.html"
            for name in self.artifacts.made(study)
            if "md" in EXTENSIONS[self.artifacts.spec(study, name).kind]
        ]

    def compared_files(self) -> list[str]:
        """Return the files of all studies, which the drift report compares."""
        return [file for study in self.specs for file in self.files(study)]

    def all_files(self) -> list[str]:
        """Return the artifacts of all studies, the report's pages, and the drift report."""
        shown = [file for study in self.specs for file in self.shown_files(study)]
        return [*self.compared_files(), *shown, f"{self._folder}/drift.md"]

    def artifact_names(self) -> list[str]:
        """Return the ``study/artifact`` names that can be made."""
        return [f"{study}/{name}" for study in self.specs for name in self.artifacts.made(study)]

    def all_artifact_names(self) -> list[str]:
        """Return all ``study/artifact`` names, whether or not their data is available."""
        return [f"{study}/{name}" for study, spec in self.specs.items() for name in spec.artifacts]

    def prepared_files(self) -> list[str]:
        """Return the files of the prepared datasets that any study reads."""
        read = dict.fromkeys(name for study in self.specs for name in self.datasets(study))
        there = [name for name in read if self._datasets.is_available(name)]
        return [
            file
            for name in there
            for file in (*self._datasets.ratings_files(name), self._datasets.summary_file(name))
        ]

    # --- the page -------------------------------------------------------------------------

    def page(self, study: str) -> dict[str, Any]:
        """Return the content of a study's page, except for verdicts, as plain values."""
        spec = self.specs[study]
        made = self.artifacts.made(study)
        specs = {name: self.artifacts.spec(study, name) for name in made}
        return {
            "name": study,
            "title": spec.title,
            "citation": spec.citation,
            "is_demo": self.settings.edition == "demo",
            "datasets": {
                name: self.settings.datasets[name].short_title for name in self.datasets(study)
            },
            # Data without an original is not a twin.
            "generated": [
                name for name in self.datasets(study) if name in self._datasets.generated
            ],
            "artifacts": [
                {
                    "name": name,
                    "code": self._code_file(study, name),
                    "title": artifact.title,
                    "caption": self.descriptions.described(study, name),
                    "reading": artifact.reading,
                    "shows": list(artifact.shows),
                    "suffixes": [*EXTENSIONS[artifact.kind], "csv"],
                }
                for name, artifact in specs.items()
            ],
        }

    def _code_file(self, study: str, artifact: str) -> str:
        """Return the file with an artifact's code, relative to the package."""
        module = self.artifacts.module(study, artifact)
        return f"{module.partition('.')[2].replace('.', '/')}.py"

    # --- provenance -----------------------------------------------------------------------

    def datasets(self, study: str) -> list[str]:
        """Return the datasets that any artifact of a study reads, available or not."""
        of_artifacts = [
            self.artifacts.datasets_of(study, name) for name in self.specs[study].artifacts
        ]
        return list(dict.fromkeys(name for names in of_artifacts for name in names))

    def absent(self, study: str) -> list[str]:
        """Return the datasets of a study that are not available."""
        return [name for name in self.datasets(study) if not self._datasets.is_available(name)]

    def splits(self, study: str) -> list[tuple[str, str]]:
        """Return the (dataset, split) pairs that a study's experiments and artifacts use."""
        spec = self.specs[study]
        used = [(e.dataset, e.split) for e in spec.experiments.values()]
        own = map(self.artifacts.splits_of_its_own, spec.artifacts.values())
        pairs = dict.fromkeys([*used, *(pair for pairs in own for pair in pairs)])
        return [pair for pair in pairs if self._datasets.has_split(*pair)]

    def provenance_inputs(self, study: str) -> dict[str, list[str]]:
        """Return the files that the provenance of a study is read from."""
        present = [name for name in self.datasets(study) if self._datasets.is_available(name)]
        return {
            "summaries": [self._datasets.summary_file(name) for name in present],
            "splits": [self._datasets.split_file(*pair) for pair in self.splits(study)],
            # Verdicts on claims depend on this record, so it cannot include them.
            "results": [
                self.artifacts.results_file(study, name)
                for name in self.artifacts.made(study)
                if not self.specs[study].artifacts[name].reads_claims
            ],
        }

    def description(self, study: str) -> dict[str, Any]:
        """Return the merged configuration behind a study's artifacts, as plain values.

        Captions are as printed, with this edition's numbers.
        """
        settings, spec = self.settings, self.specs[study]
        has_split = self._datasets.has_split
        used = [e for e in spec.experiments.values() if has_split(e.dataset, e.split)]
        splits = dict.fromkeys(split for _, split in self.splits(study))
        systems = dict.fromkeys(name for e in used for name in e.all_systems)
        simulations = {
            name: self.artifacts.simulations.spec(name)
            for artifact in spec.artifacts.values()
            for name in artifact.simulations
        }
        for simulation in simulations.values():
            systems |= dict.fromkeys(simulation.systems)
        searched = any(artifact.reads_searches for artifact in spec.artifacts.values())
        taken = searched and settings.accepted_searches
        return {
            **({"searches": "accepted ones, not made again"} if taken else {}),
            "edition": settings.run,
            "seed": settings.seed,
            "relevance thresholds": {
                name: settings.datasets[name].relevance_threshold for name in self.datasets(study)
            },
            "twins": {
                name: settings.twins[name].model_dump(mode="json")
                for name in self.datasets(study)
                if self._datasets.is_generated(name) and self._datasets.is_available(name)
            },
            "study": self._with_captions(study, spec.model_dump(mode="json")),
            "simulations": {
                name: simulation.model_dump(mode="json") for name, simulation in simulations.items()
            },
            "splits": {name: settings.splits[name].model_dump(mode="json") for name in splits},
            "systems": {
                name: settings.systems[name].model_dump(
                    include={"recommender", "parameters", "learns_from", "order"}
                )
                for name in systems
            },
        }

    def _with_captions(self, study: str, values: dict[str, Any]) -> dict[str, Any]:
        captions = {name: self.descriptions.caption(study, name) for name in values["artifacts"]}
        filled = {
            name: {**artifact, "caption": captions[name]}
            for name, artifact in values["artifacts"].items()
        }
        return {**values, "artifacts": filled}
