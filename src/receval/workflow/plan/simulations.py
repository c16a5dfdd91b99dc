"""Which simulations an edition has, from which files, and what their results depend on."""

from __future__ import annotations

from typing import Any

from receval.config.settings import Settings
from receval.metrics.registry import module_of
from receval.simulation.skewness_spec import SkewnessSpec
from receval.workflow.descriptions import SimulationDescription, plain
from receval.workflow.plan.datasets import PlannedDatasets


class PlannedSimulations:
    """Systems on simulated ratings: one file a simulation and system.

    Parameters
    ----------
    settings : Settings
        The edition's configuration.
    datasets : PlannedDatasets
    """

    def __init__(self, settings: Settings, datasets: PlannedDatasets) -> None:
        self.settings = settings
        self.datasets = datasets

    def spec(self, simulation: str) -> SkewnessSpec:
        """Return the configuration of a simulation.

        Raises
        ------
        KeyError
            There is no such simulation; the message lists those there are.
        """
        known = self.settings.simulations
        if simulation not in known:
            raise KeyError(f"There is no simulation {simulation}; there are {', '.join(known)}.")
        return known[simulation]

    def files(self, simulation: str) -> dict[str, str]:
        """Return the files with the values of a simulation by system.

        There are none where the dataset cannot be had whose sizes are simulated.
        """
        spec = self.spec(simulation)
        if not self.datasets.is_available(spec.dataset):
            return {}
        folder = f"work/{self.settings.edition}/simulations/{simulation}"
        return {system: f"{folder}/{system}.csv" for system in spec.systems}

    def inputs(self, simulation: str) -> list[str]:
        """Return the prepared files of the dataset whose sizes are simulated."""
        return self.datasets.ratings_files(self.spec(simulation).dataset)

    def description(self, simulation: str, system: str) -> dict[str, Any]:
        """Return a :class:`.SimulationDescription` as plain values.

        Raises
        ------
        ValueError
            The simulation does not have the system.
        """
        spec = self.spec(simulation)
        if system not in spec.systems:
            raise ValueError(
                f"The simulation {simulation} has no system {system}; it has "
                f"{', '.join(spec.systems)}. Name it in config/simulations.yaml."
            )
        own = spec.relevance_threshold
        dataset = self.settings.datasets[spec.dataset]
        threshold = dataset.relevance_threshold if own is None else own
        description = SimulationDescription(
            seed=self.settings.seed,
            dataset=spec.dataset,
            skewness=spec.skewness,
            repetitions=spec.repetitions,
            train_ratio=spec.train_ratio,
            relevance_threshold=threshold,
            protocols=tuple(p for each in spec.protocols for p in each.protocols(threshold)),
            metrics=spec.metrics,
            recommender=self.settings.systems[system].recommender,
            parameters=self.settings.systems[system].parameters,
        )
        values: dict[str, Any] = plain(description)
        return values

    def metric_entries(self, simulation: str) -> list[str]:
        """Return the modules of the metrics that a simulation measures, for code digests."""
        return sorted({module_of(label) for label in self.spec(simulation).metrics})
