# SPDX-License-Identifier: MIT
"""Plan the judgment samplings, searches for settings and simulations of an edition."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from receval.metrics.registry import module_of
from receval.splits.kinds import AnySplitSpec
from reproduction.config.settings import Settings
from reproduction.config.studies import ExperimentSpec, JudgmentSamplingSpec
from reproduction.config.systems import SkewnessSpec
from reproduction.workflow.plan.datasets import AcceptedResults, PlannedDatasets
from reproduction.workflow.plan.experiments import PlannedExperiments, plain


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
        """Return the files with the values of a simulation by system.

        There are none if the dataset whose sizes are simulated is not available.
        """
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
