# SPDX-License-Identifier: MIT
"""Plan the studies of an edition: their files, descriptions for jobs, and provenance.

Artifacts are planned first: which can be made, and from which files.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from receval.figures.display import TWIN, DisplayStyle, absence_of
from receval.figures.style import MetricStyle, SystemStyle, shaded
from receval.metrics.registry import module_of
from receval.multiverse.decisions import DecisionGrid
from reproduction.config.settings import Settings
from reproduction.config.studies import ArtifactSpec, ExperimentSpec, StudySpec
from reproduction.studies._shared.inputs import ArtifactDescription
from reproduction.workflow.plan.experiments import (
    PlannedExperiments,
    PlannedJudgmentSamplings,
    PlannedSearches,
    PlannedSimulations,
    plain,
)

SHOWN_AS = {"table": ("md", "tex"), "page": ("md",)}
"""Suffixes of the files beside the CSV, by kind of artifact; those of figures are a setting."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
"""Small numbers as captions print them."""

COMPUTING = "artifacts:compute_artifact"
"""The job that makes the CSV, by ``data`` of the artifact's family."""

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
            raise KeyError(
                f"{study} has no artifact {artifact}. Its artifacts are {', '.join(artifacts)}."
            )
        return artifacts[artifact]

    def module(self, study: str, artifact: str) -> str:
        """Return the module of an artifact's family."""
        return self._function(study, artifact, "data").partition(":")[0]

    def computing_function(self, study: str, artifact: str) -> str:
        """Return ``module:function`` of what computes an artifact's results."""
        return self._function(study, artifact, "data")

    def showing_function(self, study: str, artifact: str) -> str:
        """Return ``module:function`` of what draws or writes an artifact's results."""
        _, name = SHOWING[self.spec(study, artifact).kind]
        return self._function(study, artifact, name)

    def _function(self, study: str, artifact: str, name: str) -> str:
        """Return a function of an artifact's family; modules of several families say which."""
        code = self.spec(study, artifact).code or artifact
        module, _, family = code.partition(":")
        folder = "" if "." in module else f"{study}."
        return f"reproduction.studies.{folder}{module}:{'_'.join(filter(None, (name, family)))}"

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
        read = (spec, *(self.spec(study, name) for name in spec.results_of))
        files = [own.user_features for own in read if own.user_features]

        def is_absent(dataset: str) -> bool:
            splits = [e.split for e in used if e.dataset == dataset]
            splits += spec.splits_of(dataset)
            possible = any(self.datasets.has_split(dataset, split) for split in splits)
            lacks = any(not self.datasets.has_file(dataset, file) for file in files)
            return lacks or not self.datasets.is_available(dataset) or not (possible or not splits)

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
                f"{study}/{artifact} cannot be made, because all its datasets are absent "
                f"({absent}). The table of datasets above says how to get them."
            )
        present = self.experiments.present(study, spec.experiments).values()
        read = self.present_datasets(study, artifact)
        own_splits = [self.datasets.split_file(*pair) for pair in self.splits_of_its_own(spec)]
        return {
            "ratings": [file for name in read for file in self.datasets.ratings_files(name)],
            "raw_files": [self.datasets.manifest_file(name) for name in read if spec.user_features],
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
        names = ("csv", *self.shown_as(study, artifact))
        return [f"{self._folder}/{study}/{artifact}.{suffix}" for suffix in names]

    def shown_as(self, study: str, artifact: str) -> tuple[str, ...]:
        """Return the suffixes of the files beside the CSV of an artifact."""
        kind = self.spec(study, artifact).kind
        return SHOWN_AS.get(kind, self.datasets.settings.figures)

    def grid(self, study: str, artifact: str) -> DecisionGrid | None:
        """Return the grid of decisions that an artifact uses, if it names one."""
        name = self.spec(study, artifact).grid
        return None if name is None else self.studies[study].grids[name]

    def results_entries(self, study: str, artifact: str) -> list[str]:
        """Return the code of the family that computes an artifact's results, for code digests."""
        systems = self.experiments.recommenders(self.systems_read(study, artifact))
        own = self.computing_function(study, artifact)
        entries = [own, *self.metric_entries(study, artifact), *systems.values()]
        if self.spec(study, artifact).user_features:
            for dataset in self.present_datasets(study, artifact):
                entries += self.datasets.parser_entries(dataset)
        return list(dict.fromkeys(entries))

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
            user_features=spec.user_features,
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

        ``{samples}`` stands for the number of samples of the judgment samplings that it reads,
        ``{last_level}`` for the lowest percentage that they keep, ``{folds}`` for the largest
        number of folds of its splits, in words, and ``{permutations}`` for this parameter.
        """
        spec = self.artifacts.spec(study, artifact)
        samplings = [
            self.artifacts.judgment_samplings.spec(study, name) for name in spec.judgment_samplings
        ]
        samples = max((sampling.samples for sampling in samplings), default=0)
        last = min((sampling.levels.lowest for sampling in samplings), default=0)
        experiments = self.artifacts.experiments_of(study, artifact).values()
        splits = {*spec.all_splits, *(name for e in experiments for name in e.all_splits)}
        folds = max((self.settings.splits[name].n_folds or 1 for name in splits), default=1)
        numbers = {
            "samples": f"{samples}",
            "last_level": f"{last:g}",
            "folds": NUMBERS[folds] if folds < len(NUMBERS) else f"{folds}",
            "permutations": f"{spec.parameters.get('permutations', 0):,}",
        }
        text = " ".join(filter(None, (spec.caption, spec.note)))
        for name, number in numbers.items():
            text = text.replace(f"{{{name}}}", number)
        return text

    def display(self, study: str, artifact: str) -> dict[str, Any]:
        """Return a :class:`.DisplayStyle` as plain values."""
        spec = self.artifacts.spec(study, artifact)
        experiments = self.artifacts.experiments_of(study, artifact)
        systems = dict.fromkeys(name for e in experiments.values() for name in e.all_systems)
        for simulation in spec.simulations:
            systems |= dict.fromkeys(self.artifacts.simulations.spec(simulation).systems)
        systems |= dict.fromkeys(spec.styled_as)
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
        return {
            name: self.dataset_title(name) for name in self.artifacts.datasets_of(study, artifact)
        }

    def dataset_title(self, name: str) -> str:
        """Return the short title of a dataset, which says if it is a twin."""
        # A twin's results must not be mistaken for those of the original data. Generated data
        # without an original has a title of its own.
        is_twin = self.settings.edition == "demo" and name in self.settings.twins
        own = name in self.artifacts.datasets.generated
        return self.settings.datasets[name].short_title + TWIN * (is_twin and not own)

    def _style(self, system: str) -> SystemStyle:
        spec = self.settings.systems[system]
        display = self.settings.display
        shade = display.shades.get(spec.printed_name, 0.0)
        colour = shaded(display.families[spec.family], shade)
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
            if self.artifacts.spec(study, name).kind != "figure"
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
            "findings": list(spec.findings),
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
                    "suffixes": [*self.artifacts.shown_as(study, name), "csv"],
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
        """Return the merged configuration behind a study's artifacts, with captions as printed."""
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
            "study": self._with_captions(study, spec.model_dump(mode="json", exclude={"findings"})),
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
