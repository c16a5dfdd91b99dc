"""Which files an edition makes, and from which files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from receval.config.studies import ArtifactSpec, ExperimentSpec
from receval.robustness.spec import JudgmentSamplingSpec
from receval.splits.spec import AnySplit
from receval.workflow.plan.simulations import PlannedSimulations

EXTENSIONS = {"figure": ("svg", "pdf"), "table": ("md", "tex"), "page": ("md",)}
"""Files beside the CSV, by kind of artifact."""


class PlannedFiles(PlannedSimulations):
    """Which files one edition makes, and from which files.

    Paths returned are relative to the repository, which is also the current folder.
    """

    def split_file(self, dataset: str, split: str) -> str:
        """Return the file of a split."""
        return f"work/{self.edition}/{dataset}/{split}/split.npz"

    def ranks_file(self, experiment: ExperimentSpec, system: str) -> str:
        """Return the file of a system's judged ranks on an experiment's split."""
        return f"work/{self.edition}/{experiment.dataset}/{experiment.split}/{system}/ranks.npz"

    # --- artifacts ------------------------------------------------------------------------

    def artifact(self, study: str, artifact: str) -> ArtifactSpec:
        """Return the description of an artifact.

        Raises
        ------
        KeyError
            The study has no such artifact; the message lists what it has.
        """
        artifacts = self.studies[study].artifacts
        if artifact not in artifacts:
            raise KeyError(f"{study} has no artifact {artifact}; it has {', '.join(artifacts)}.")
        return artifacts[artifact]

    def pages(self) -> list[str]:
        """Return the names of the artifacts that are pages of text."""
        specs = [spec for study in self.studies.values() for spec in study.artifacts.items()]
        return [name for name, artifact in specs if artifact.kind == "page"]

    def datasets_of(self, study: str, artifact: str) -> list[str]:
        """Return the datasets behind an artifact, available or not, also in others' numbers."""
        spec = self.artifact(study, artifact)
        experiments = self.studies[study].experiments
        shown = {experiments[name].dataset for name in spec.only_experiments}
        others = [
            name
            for other in spec.results_of
            for name in self.datasets_of(study, other)
            if not shown or name in shown
        ]
        return list(dict.fromkeys([*self._read_by(spec, study), *others]))

    def _read_by(self, spec: ArtifactSpec, study: str) -> list[str]:
        """Return the datasets that an artifact reads itself, in removals or in simulations."""
        experiments = self.studies[study].experiments
        removed = [
            name
            for r in spec.judgment_samplings
            for name in self.judgment_sampling(study, r).experiments
        ]
        named = [experiments[name].dataset for name in (*spec.experiments, *removed)]
        simulated = [self.simulation(name).dataset for name in spec.simulations]
        return list(dict.fromkeys([*spec.datasets, *named, *simulated]))

    def experiments_of(self, study: str, artifact: str) -> dict[str, ExperimentSpec]:
        """Return the experiments an artifact reads, itself or in removals, there or not."""
        spec = self.studies[study]
        return {name: spec.experiments[name] for name in spec.experiments_of(artifact)}

    def present(self, study: str, names: Iterable[str]) -> dict[str, ExperimentSpec]:
        """Return those of some experiments of a study whose data can be had and split."""
        experiments = self.studies[study].experiments
        return {
            name: experiments[name]
            for name in names
            if self.has_split(experiments[name].dataset, experiments[name].split)
        }

    def absent(self, study: str, artifact: str) -> list[str]:
        """Return the datasets that an artifact reads and that cannot be had, or not split."""
        used = self.experiments_of(study, artifact).values()
        spec = self.artifact(study, artifact)

        def is_absent(dataset: str) -> bool:
            splits = [e.split for e in used if e.dataset == dataset]
            splits += spec.splits_of(dataset)
            possible = any(self.has_split(dataset, split) for split in splits) or not splits
            return not self.is_available(dataset) or not possible

        return [name for name in self.datasets_of(study, artifact) if is_absent(name)]

    def artifacts(self, study: str) -> list[str]:
        """Return the artifacts of a study that can be made: not all their data is absent."""
        return list(self._artifacts[study])

    @cached_property
    def _artifacts(self) -> dict[str, tuple[str, ...]]:
        return {
            study: tuple(
                name
                for name in spec.artifacts
                if not (needed := self.datasets_of(study, name))
                or len(self.absent(study, name)) < len(needed)
            )
            for study, spec in self.studies.items()
        }

    def artifact_inputs(self, study: str, artifact: str) -> dict[str, list[str]]:
        """Return the files that an artifact's numbers are computed from."""
        spec = self.artifact(study, artifact)
        if artifact not in self.artifacts(study):
            absent = ", ".join(self.absent(study, artifact))
            raise ValueError(
                f"{study}/{artifact} cannot be made: all its data is absent ({absent}). "
                "The table of datasets above says how to get it."
            )
        present = self.present(study, spec.experiments).values()
        datasets = [name for name in self._read_by(spec, study) if self.is_available(name)]
        splits = dict.fromkeys(
            [
                *(self.split_file(e.dataset, e.split) for e in present),
                *(self.split_file(*pair) for pair in self.splits_of_its_own(spec)),
            ]
        )
        ranks = dict.fromkeys(self.ranks_file(e, s) for e in present for s in e.all_systems)
        return {
            "ratings": [file for dataset in datasets for file in self.ratings_files(dataset)],
            "splits": list(splits),
            "ranks": list(ranks),
            "published": [f"config/published/{spec.published}"] if spec.published else [],
            "searches": self.search_files() if spec.reads_searches else [],
            "judgment_samplings": [
                self.judgment_sampling_file(study, name) for name in spec.judgment_samplings
            ],
            "other_results": list(self.results_read(study, artifact).values()),
            "simulations": [
                file for name in spec.simulations for file in self.simulation_files(name).values()
            ],
        }

    def judgment_sampling(self, study: str, judgment_sampling: str) -> JudgmentSamplingSpec:
        """Return the description of a judgment sampling.

        Raises
        ------
        KeyError
            The study has no such judgment sampling; the message lists what it has.
        """
        judgment_samplings = self.studies[study].judgment_samplings
        if judgment_sampling not in judgment_samplings:
            raise KeyError(
                f"{study} has no judgment sampling {judgment_sampling}; it has "
                f"{', '.join(judgment_samplings)}."
            )
        return judgment_samplings[judgment_sampling]

    def judgment_sampling_file(self, study: str, judgment_sampling: str) -> str:
        """Return the file with the metric values of a judgment sampling."""
        return f"work/{self.edition}/judgment_samplings/{study}/{judgment_sampling}.npz"

    def judgment_sampling_inputs(self, study: str, judgment_sampling: str) -> dict[str, list[str]]:
        """Return the files that the values of a removal are computed from."""
        present = self.present(
            study, self.judgment_sampling(study, judgment_sampling).experiments
        ).values()
        datasets = dict.fromkeys(experiment.dataset for experiment in present)
        return {
            "ratings": [file for name in datasets for file in self.ratings_files(name)],
            "splits": list(dict.fromkeys(self.split_file(e.dataset, e.split) for e in present)),
            "ranks": list(
                dict.fromkeys(self.ranks_file(e, s) for e in present for s in e.all_systems)
            ),
        }

    def judgment_sampling_datasets(self, study: str, judgment_sampling: str) -> list[str]:
        """Return the datasets whose judgments a removal removes, of those that can be had."""
        present = self.present(
            study, self.judgment_sampling(study, judgment_sampling).experiments
        ).values()
        return list(dict.fromkeys(experiment.dataset for experiment in present))

    def search_file(self, system: str) -> str:
        """Return the file with the trace of a system's search for settings."""
        searches = self.settings.searches
        return f"work/{self.edition}/{searches.dataset}/{searches.split}/{system}/search.csv"

    def search_files(self) -> list[str]:
        """Return the traces of all searches."""
        return [self.search_file(system) for system in self.settings.searches.systems]

    def accepted_searches(self) -> list[str]:
        """Return the accepted traces of the searches, where they are to stand for new ones.

        Raises
        ------
        ValueError
            They were made with another root seed or on another split.
        """
        if not self.settings.accepted_searches:
            return []
        config = self._accepted_record("systems").get("config", {})
        split = self.settings.searches.split
        recorded = config.get("splits", {}).get(split)
        same_split = recorded is not None and (
            TypeAdapter(AnySplit).validate_python(recorded) == self.settings.splits[split]
        )
        if config.get("seed") != self.settings.seed or not same_split:
            raise ValueError(
                "accepted_searches is on, but the accepted searches have another root seed or "
                f"another split {split} than this configuration: run the searches "
                "(accepted_searches=off)."
            )
        return [f"results/{self.edition}/systems/searches.csv"]

    def results_file(self, study: str, artifact: str) -> str:
        """Return the CSV of an artifact."""
        return f"work/{self.edition}/artifacts/{study}/{artifact}.csv"

    def results_read(self, study: str, artifact: str) -> dict[str, str]:
        """Return the CSVs that an artifact reads, by artifact: of those that can be made."""
        made = self.artifacts(study)
        names = self.artifact(study, artifact).results_of
        return {name: self.results_file(study, name) for name in names if name in made}

    def artifact_files(self, study: str, artifact: str) -> list[str]:
        """Return all files of an artifact."""
        kind = self.artifact(study, artifact).kind
        stem = f"work/{self.edition}/artifacts/{study}/{artifact}"
        return [f"{stem}.{extension}" for extension in ("csv", *EXTENSIONS[kind])]

    def study_files(self, study: str) -> list[str]:
        """Return all files that the target of a study makes."""
        files = [f for name in self.artifacts(study) for f in self.artifact_files(study, name)]
        return [*files, f"work/{self.edition}/artifacts/{study}/provenance.json"]

    def shown_files(self, study: str) -> list[str]:
        """Return the pages on which the report shows a study's tables and texts."""
        return [
            f"work/{self.edition}/pages/{study}/{name}.html"
            for name in self.artifacts(study)
            if "md" in EXTENSIONS[self.artifact(study, name).kind]
        ]

    def study_summaries(self, study: str) -> list[str]:
        """Return the summaries of the prepared datasets that a study reads."""
        return [
            f"work/{self.edition}/{name}/summary.json"
            for name in self.study_datasets(study)
            if self.is_available(name)
        ]

    def study_splits(self, study: str) -> list[str]:
        """Return the files of the splits that a study uses."""
        return [self.split_file(*pair) for pair in self.splits_of(study)]

    def splits_of(self, study: str) -> list[tuple[str, str]]:
        """Return the (dataset, split) that a study's experiments and artifacts use."""
        spec = self.studies[study]
        used = [(e.dataset, e.split) for e in spec.experiments.values()]
        read = [pair for a in spec.artifacts.values() for pair in self.splits_of_its_own(a)]
        return [pair for pair in dict.fromkeys([*used, *read]) if self.has_split(*pair)]

    def splits_of_its_own(self, spec: ArtifactSpec) -> list[tuple[str, str]]:
        """Return the (dataset, split) that an artifact reads without any system's ranks."""
        pairs = [(name, split) for name in spec.datasets for split in spec.splits_of(name)]
        return [pair for pair in pairs if self.has_split(*pair)]

    def study_results(self, study: str) -> list[str]:
        """Return the CSV files of a study."""
        return [self.results_file(study, name) for name in self.artifacts(study)]

    def study_absent(self, study: str) -> list[str]:
        """Return the datasets that a study reads and that cannot be had."""
        return [name for name in self.study_datasets(study) if not self.is_available(name)]

    def artifact_names(self) -> list[str]:
        """Return the ``study/artifact`` names that can be made."""
        return [f"{study}/{name}" for study in self.studies for name in self.artifacts(study)]

    def all_artifact_names(self) -> list[str]:
        """Return all ``study/artifact`` names, whether or not their data is there."""
        studies = self.studies.items()
        return [f"{study}/{name}" for study, spec in studies for name in spec.artifacts]

    def accepted_files(self) -> list[str]:
        """Return the accepted files, for the drift report to watch."""
        accepted = Path("results") / self.edition
        return sorted(path.as_posix() for path in accepted.glob("*/*.*"))

    def one_sided_datasets(self) -> list[str]:
        """Return the datasets that need not be on both sides of a comparison with the accepted.

        They are those that cannot be had here, and those that were absent when the results were
        accepted.
        """
        before = {name for study in self.studies for name in self.accepted_absent(study)}
        return [
            name for name in self.settings.datasets if name in before or not self.is_available(name)
        ]

    def accepted_absent(self, study: str) -> list[str]:
        """Return the datasets that were absent when the results of a study were accepted."""
        return list(self._accepted_record(study).get("absent", ()))

    def accepted_datasets(self, study: str) -> list[str]:
        """Return the datasets that the accepted results of a study were made from."""
        return list(self._accepted_record(study).get("datasets", ()))

    def _accepted_record(self, study: str) -> dict[str, Any]:
        """Return what the accepted results of a study were made from; empty if there are none."""
        record = Path("results") / self.edition / study / "provenance.json"
        if not record.is_file():
            return {}
        content: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
        return content

    def compared_files(self) -> list[str]:
        """Return the files of all studies, which the drift report compares."""
        return [file for study in self.studies for file in self.study_files(study)]

    def all_files(self) -> list[str]:
        """Return the artifacts of all studies, the report's pages, and the drift report."""
        shown = [file for study in self.studies for file in self.shown_files(study)]
        return [*self.compared_files(), *shown, f"work/{self.edition}/drift.md"]

    def study_datasets(self, study: str) -> list[str]:
        """Return the datasets that any artifact of a study reads, available or not."""
        names = [n for a in self.studies[study].artifacts for n in self.datasets_of(study, a)]
        return list(dict.fromkeys(names))
