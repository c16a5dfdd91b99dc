"""Which judgment samplings an edition has, from which files, and what their values depend on."""

from __future__ import annotations

from typing import Any

from receval.config.studies import ExperimentSpec
from receval.metrics.registry import module_of
from receval.robustness.spec import JudgmentSamplingSpec
from receval.workflow.descriptions import JudgmentSamplingDescription, plain
from receval.workflow.plan.experiments import PlannedExperiments


class PlannedJudgmentSamplings:
    """Metric values of a study's experiments under sampled judgments: one file a sampling.

    Parameters
    ----------
    experiments : PlannedExperiments
    """

    def __init__(self, experiments: PlannedExperiments) -> None:
        self.experiments = experiments

    def spec(self, study: str, judgment_sampling: str) -> JudgmentSamplingSpec:
        """Return the configuration of a judgment sampling.

        Raises
        ------
        KeyError
            The study has no such judgment sampling; the message lists what it has.
        """
        known = self.experiments.studies[study].judgment_samplings
        if judgment_sampling not in known:
            raise KeyError(
                f"{study} has no judgment sampling {judgment_sampling}; it has {', '.join(known)}."
            )
        return known[judgment_sampling]

    def file(self, study: str, judgment_sampling: str) -> str:
        """Return the file with the metric values of a judgment sampling."""
        edition = self.experiments.settings.edition
        return f"work/{edition}/judgment_samplings/{study}/{judgment_sampling}.npz"

    def _present(self, study: str, judgment_sampling: str) -> list[ExperimentSpec]:
        names = self.spec(study, judgment_sampling).experiments
        return list(self.experiments.present(study, names).values())

    def datasets(self, study: str, judgment_sampling: str) -> list[str]:
        """Return the datasets whose judgments are sampled, of those that can be had."""
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
        """Return a :class:`.JudgmentSamplingDescription` as plain values."""
        spec = self.spec(study, judgment_sampling)
        description = JudgmentSamplingDescription(
            seed=self.experiments.settings.seed,
            experiments=self.experiments.descriptions(study, spec.experiments),
            unit=spec.unit,
            percents=tuple(spec.levels.percents),
            samples=spec.samples,
            averages=spec.averages,
        )
        values: dict[str, Any] = plain(description)
        return values

    def metric_entries(self, study: str, judgment_sampling: str) -> list[str]:
        """Return the modules of the metrics that are measured, for code digests."""
        averages = self.spec(study, judgment_sampling).averages
        return sorted({module_of(label) for labels in averages.values() for label in labels})
