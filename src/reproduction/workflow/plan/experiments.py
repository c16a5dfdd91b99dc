# SPDX-License-Identifier: MIT
"""Plan the experiments of an edition: their splits, their files, and the inputs of their jobs.

Judgment samplings, searches for settings and simulations are planned here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from pydantic import TypeAdapter

from receval.metrics.registry import module_of
from receval.protocols.protocol import Protocol
from receval.splits.kinds import AnySplitSpec
from reproduction.config.settings import Settings
from reproduction.config.studies import ExperimentSpec, JudgmentSamplingSpec, StudySpec
from reproduction.config.systems import SkewnessSpec
from reproduction.experiments.experiment import ExperimentDescription
from reproduction.workflow.plan.datasets import AcceptedResults, PlannedDatasets


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


class PlannedJudgmentSamplings:
    """Metric values of a study's experiments under sampled judgments: one file per sampling."""

    def __init__(self, experiments: PlannedExperiments) -> None:
        self.experiments = experiments

    def spec(self, study: str, judgment_sampling: str) -> JudgmentSamplingSpec:
        """Return the configuration of a judgment sampling."""
        known = self.experiments.studies[study].judgment_samplings
        if judgment_sampling not in known:
            raise KeyError(
                f"{study} has no judgment sampling {judgment_sampling}. Its judgment samplings "
                f"are {', '.join(known)}."
            )
        return known[judgment_sampling]

    def file(self, study: str, judgment_sampling: str) -> str:
        """Return the file with the metric values of a judgment sampling."""
        run = self.experiments.settings.run
        return f"work/{run}/judgment_samplings/{study}/{judgment_sampling}.npz"

    def _present(self, study: str, judgment_sampling: str) -> list[ExperimentSpec]:
        names = self.spec(study, judgment_sampling).experiments
        return list(self.experiments.present(study, names).values())

    def datasets(self, study: str, judgment_sampling: str) -> list[str]:
        """Return the available datasets whose judgments are sampled."""
        present = self._present(study, judgment_sampling)
        return list(dict.fromkeys(experiment.dataset for experiment in present))

    def inputs(self, study: str, judgment_sampling: str) -> dict[str, list[str]]:
        """Return the files that the values of a judgment sampling are computed from."""
        present = self._present(study, judgment_sampling)
        tables = map(
            self.experiments.datasets.ratings_files, self.datasets(study, judgment_sampling)
        )
        return {
            "ratings": [file for files in tables for file in files],
            "splits": self.experiments.split_files(present),
            "ranks": self.experiments.ranks_files(present),
        }

    def description(self, study: str, judgment_sampling: str) -> dict[str, Any]:
        """Return what the job is told (:class:`.JudgmentSamplingDescription`), as plain values."""
        spec = self.spec(study, judgment_sampling)
        return {
            "seed": self.experiments.settings.seed,
            "experiments": plain(self.experiments.descriptions(study, spec.experiments)),
            "unit": spec.unit,
            "percents": spec.levels.percents,
            "samples": spec.samples,
            "averages": plain(spec.averages),
        }

    def metric_entries(self, study: str, judgment_sampling: str) -> list[str]:
        """Return the modules of the metrics that are measured, for code digests."""
        averages = self.spec(study, judgment_sampling).averages
        return sorted({module_of(label) for labels in averages.values() for label in labels})


class PlannedSearches:
    """Searches for the settings of systems that come closest to published values."""

    def __init__(self, settings: Settings, accepted: AcceptedResults) -> None:
        self.settings = settings
        self.accepted = accepted

    def file(self, system: str) -> str:
        """Return the file with the trace of a system's search."""
        searches = self.settings.searches
        edition = self.settings.edition
        return f"work/{edition}/{searches.dataset}/{searches.split}/{system}/search.csv"

    def files(self) -> list[str]:
        """Return the traces of all searches."""
        return [self.file(system) for system in self.settings.searches.systems]

    def published_file(self) -> str:
        """Return the table of published values that the searches compare with."""
        return self.accepted.folders.published(self.settings.searches.published).as_posix()

    def accepted_files(self) -> list[str]:
        """Return the accepted traces if they are used instead of new searches."""
        if not self.settings.accepted_searches:
            return []
        config = self.accepted.record("systems").get("config", {})
        split = self.settings.searches.split
        recorded = config.get("splits", {}).get(split)
        same_split = recorded is not None and (
            TypeAdapter(AnySplitSpec).validate_python(recorded) == self.settings.splits[split]
        )
        if config.get("seed") != self.settings.seed or not same_split:
            raise ValueError(
                "accepted_searches is on, but the accepted searches have another root seed or "
                f"another split {split} than this configuration. Run the searches "
                "(accepted_searches=off)."
            )
        return [self.accepted.file("systems", "searches")]

    def description(self, system: str) -> dict[str, Any]:
        """Return what the job is told (:class:`.SearchDescription`), as plain values."""
        searches = self.settings.searches
        return {
            "recommender": self.settings.systems[system].recommender,
            "settings": plain(searches.systems[system].settings),
            "metrics": list(searches.metrics),
            "threshold": self.settings.datasets[searches.dataset].relevance_threshold,
        }

    def metric_entries(self) -> list[str]:
        """Return the modules of the metrics that the searches look at, for code digests."""
        return sorted({module_of(label) for label in self.settings.searches.metrics})


class PlannedSimulations:
    """Systems on simulated ratings: one file per simulation and system."""

    def __init__(self, settings: Settings, datasets: PlannedDatasets) -> None:
        self.settings = settings
        self.datasets = datasets

    def spec(self, simulation: str) -> SkewnessSpec:
        """Return the configuration of a simulation."""
        known = self.settings.simulations
        if simulation not in known:
            raise KeyError(
                f"There is no simulation {simulation}. The simulations are {', '.join(known)}."
            )
        return known[simulation]

    def files(self, simulation: str) -> dict[str, str]:
        """Return the files with the values of a simulation by system; none without its dataset."""
        spec = self.spec(simulation)
        if not self.datasets.is_available(spec.dataset):
            return {}
        folder = f"work/{self.settings.run}/simulations/{simulation}"
        return {system: f"{folder}/{system}.csv" for system in spec.systems}

    def inputs(self, simulation: str) -> list[str]:
        """Return the prepared files of the dataset whose sizes are simulated."""
        return self.datasets.ratings_files(self.spec(simulation).dataset)

    def description(self, simulation: str, system: str) -> dict[str, Any]:
        """Return what the job is told (:class:`.SimulationDescription`), as plain values."""
        spec = self.spec(simulation)
        if system not in spec.systems:
            raise ValueError(
                f"The simulation {simulation} has no system {system}. Its systems are "
                f"{', '.join(spec.systems)}. Add the system in config/simulations.yaml."
            )
        own = spec.relevance_threshold
        dataset = self.settings.datasets[spec.dataset]
        threshold = dataset.relevance_threshold if own is None else own
        protocols = [p for each in spec.protocols for p in each.protocols(threshold)]
        return {
            "seed": self.settings.seed,
            "dataset": spec.dataset,
            "skewness": list(spec.skewness),
            "repetitions": spec.repetitions,
            "train_ratio": spec.train_ratio,
            "relevance_threshold": threshold,
            "protocols": plain(protocols),
            "metrics": list(spec.metrics),
            "recommender": self.settings.systems[system].recommender,
            "parameters": plain(self.settings.systems[system].parameters),
        }

    def metric_entries(self, simulation: str) -> list[str]:
        """Return the modules of the metrics that a simulation measures, for code digests."""
        return sorted({module_of(label) for label in self.spec(simulation).metrics})
