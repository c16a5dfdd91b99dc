# SPDX-License-Identifier: MIT
"""Plan the experiments of an edition: their splits, their files, and the inputs of their jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from receval.protocols.protocol import Protocol
from reproduction.config.settings import Settings
from reproduction.config.studies import ExperimentSpec, StudySpec
from reproduction.experiments.experiment import ExperimentDescription
from reproduction.workflow.plan.datasets import PlannedDatasets


class PlannedExperiments:
    """The experiments in the studies of one edition."""

    def __init__(self, settings: Settings, datasets: PlannedDatasets) -> None:
        self.settings = settings
        self.datasets = datasets

    @cached_property
    def studies(self) -> dict[str, StudySpec]:
        """The studies, in which each experiment has the one split that it uses."""
        return {
            name: study.model_copy(
                update={
                    "experiments": {
                        key: self._with_its_split(experiment)
                        for key, experiment in study.experiments.items()
                    }
                }
            )
            for name, study in self.settings.studies.items()
        }

    def _with_its_split(self, experiment: ExperimentSpec) -> ExperimentSpec:
        possible = [
            s for s in experiment.all_splits if self.datasets.has_split(experiment.dataset, s)
        ]
        chosen = possible[0] if possible else experiment.split
        return experiment.model_copy(update={"split": chosen, "fallback_splits": ()})

    @cached_property
    def in_use(self) -> tuple[ExperimentSpec, ...]:
        """Every experiment that an artifact reads."""
        found: list[ExperimentSpec] = []
        for spec in self.studies.values():
            read = {name for artifact in spec.artifacts for name in spec.experiments_of(artifact)}
            found += [spec.experiments[name] for name in spec.experiments if name in read]
        return tuple(found)

    def present(self, study: str, names: Iterable[str]) -> dict[str, ExperimentSpec]:
        """Return the experiments, of those named, whose data is available and can be split."""
        experiments = self.studies[study].experiments
        return {
            name: experiments[name]
            for name in names
            if self.datasets.has_split(experiments[name].dataset, experiments[name].split)
        }

    def ranks_file(self, experiment: ExperimentSpec, system: str) -> str:
        """Return the file of a system's judged ranks on an experiment's split."""
        run = self.datasets.run
        return f"work/{run}/{experiment.dataset}/{experiment.split}/{system}/ranks.npz"

    def models_folders(self, experiments: Iterable[ExperimentSpec]) -> list[str]:
        """Return the folders of the models of some experiments, each once."""
        pairs = ((e, system) for e in experiments for system in e.all_systems)
        return list(dict.fromkeys(self.models_folder(e.dataset, e.split, s) for e, s in pairs))

    def models_folder(self, dataset: str, split: str, system: str) -> str:
        """Return the folder of the models of a system, one per fold."""
        return f"work/{self.settings.model_run}/{dataset}/{split}/{system}/models"

    def recommenders(self, systems: Iterable[str]) -> dict[str, str]:
        """Return the classes of some systems, as ``module:class``."""
        return {name: self.settings.systems[name].recommender for name in systems}

    def split_files(self, experiments: Iterable[ExperimentSpec]) -> list[str]:
        """Return the files of the splits of some experiments, each once."""
        return list(
            dict.fromkeys(self.datasets.split_file(e.dataset, e.split) for e in experiments)
        )

    def ranks_files(self, experiments: Iterable[ExperimentSpec]) -> list[str]:
        """Return the files of the judged ranks of some experiments, each once."""
        return list(
            dict.fromkeys(self.ranks_file(e, s) for e in experiments for s in e.all_systems)
        )

    def threshold(self, experiment: ExperimentSpec) -> float:
        """Return the relevance threshold of an experiment."""
        own = experiment.relevance_threshold
        return (
            self.settings.datasets[experiment.dataset].relevance_threshold if own is None else own
        )

    def protocols(self, dataset: str, split: str, system: str | None = None) -> list[Protocol]:
        """Return all protocols that any study uses on a split, in a fixed order.

        For one system, return those of the experiments that compare it.
        """
        wanted = {
            protocol.key: protocol
            for experiment in self.in_use
            if (experiment.dataset, experiment.split) == (dataset, split)
            and (system is None or system in experiment.all_systems)
            for spec in experiment.protocols
            for protocol in spec.protocols(self.threshold(experiment))
        }
        return [wanted[key] for key in sorted(wanted)]

    def protocol_descriptions(
        self, dataset: str, split: str, system: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the protocols of a split, or of one system on it, as plain values."""
        return [asdict(protocol) for protocol in self.protocols(dataset, split, system)]

    def descriptions(self, study: str, names: Iterable[str]) -> dict[str, ExperimentDescription]:
        """Return the descriptions of some experiments for jobs, if their data is available."""
        present = self.present(study, names).items()
        return {name: self._description(experiment) for name, experiment in present}

    def _description(self, experiment: ExperimentSpec) -> ExperimentDescription:
        threshold = self.threshold(experiment)
        return ExperimentDescription(
            dataset=experiment.dataset,
            split=experiment.split,
            split_spec=self.settings.splits[experiment.split].model_dump(mode="json"),
            systems=experiment.systems,
            extra_systems=experiment.extra_systems,
            protocols=tuple(p for spec in experiment.protocols for p in spec.protocols(threshold)),
            threshold=threshold,
            evaluated_users=experiment.evaluated_users,
            evaluations=experiment.evaluations,
            released_real_threshold=experiment.released_real_threshold,
        )

    def grades_from(self, dataset: str, system: str) -> float | None:
        """Return the threshold of the grades that a system learns from; None for ratings."""
        if self.settings.systems[system].learns_from == "ratings":
            return None
        return self.settings.datasets[dataset].relevance_threshold


def plain(value: Any) -> Any:
    """Convert a value for JSON: dataclasses to objects, tuples to lists, and paths to text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(inner) for inner in value]
    return value.as_posix() if isinstance(value, PurePath) else value
