"""What the jobs of an artifact are told, as plain values: what to compute, how to show it."""

from __future__ import annotations

from typing import Any

from receval.config.settings import Settings
from receval.workflow.plan.artifacts import PlannedArtifacts


class ArtifactDescriptions:
    """The parameters of the jobs that compute artifacts and show them.

    Parameters
    ----------
    settings : Settings
        The edition's configuration.
    artifacts : PlannedArtifacts
    """

    def __init__(self, settings: Settings, artifacts: PlannedArtifacts) -> None:
        self.settings = settings
        self.artifacts = artifacts

    def of(self, study: str, artifact: str) -> dict[str, Any]:
        """Return the configuration that an artifact's results depend on, as plain values."""
        artifacts, experiments = self.artifacts, self.artifacts.experiments
        spec = artifacts.spec(study, artifact)
        behind = artifacts.experiments_of(study, artifact) if spec.results_of else {}
        present = experiments.present(study, behind)
        results = artifacts.results_read(study, artifact)
        not_made = [name for name in spec.results_of if name not in results]
        grid = artifacts.grid(study, artifact)
        return {
            **({"shown": {name: name in present for name in behind}} if behind else {}),
            "seed": self.settings.seed,
            "published": f"config/published/{spec.published}" if spec.published else None,
            "searches": list(self.settings.searches.systems) if spec.reads_searches else [],
            "grid": grid.model_dump(mode="json") if grid else None,
            "parameters": spec.model_dump(mode="json")["parameters"],
            "experiments": experiments.descriptions(study, spec.experiments),
            "judgment_samplings": list(spec.judgment_samplings),
            "splits": [list(pair) for pair in artifacts.splits_of_its_own(spec)],
            "results": list(results),
            **({"not_made": not_made} if not_made else {}),
            "simulations": {
                name: list(artifacts.simulations.files(name)) for name in spec.simulations
            },
            "datasets": [
                name
                for name in artifacts.datasets_of(study, artifact)
                if artifacts.datasets.is_available(name)
            ],
            "absent": artifacts.absent(study, artifact),
        }

    def caption(self, study: str, artifact: str) -> str:
        """Return the caption of an artifact, with this edition's figures.

        ``{samples}`` stands for the number of samples of the judgment sampling that it reads.
        """
        spec = self.artifacts.spec(study, artifact)
        samples = [
            self.artifacts.judgment_samplings.spec(study, name).samples
            for name in spec.judgment_samplings
        ]
        return spec.caption.replace("{samples}", str(max(samples, default=0)))

    def display(self, study: str, artifact: str) -> dict[str, Any]:
        """Return how an artifact's names are shown, as plain values."""
        spec = self.artifacts.spec(study, artifact)
        experiments = self.artifacts.experiments_of(study, artifact)
        systems = dict.fromkeys(name for e in experiments.values() for name in e.all_systems)
        for simulation in spec.simulations:
            systems |= dict.fromkeys(self.artifacts.simulations.spec(simulation).systems)
        extra = dict.fromkeys(name for e in experiments.values() for name in e.extra_systems)
        # Nobody should take a twin's results for those of the data it stands for.
        twins = self.settings.twins if self.settings.edition == "demo" else {}
        titles = {
            name: self.settings.datasets[name].short_title + (" twin" if name in twins else "")
            for name in self.artifacts.datasets_of(study, artifact)
        }
        return {
            "title": spec.title,
            "caption": self.caption(study, artifact),
            "parameters": spec.model_dump(mode="json")["parameters"],
            "systems": {
                name: self.settings.systems[name].model_dump(
                    include={"title", "short_title", "colour", "marker"}
                )
                for name in systems
            },
            "extra_systems": list(extra),
            "datasets": titles,
            "experiments": {name: experiment.title for name, experiment in experiments.items()},
            "absent": [titles[name] for name in self.artifacts.absent(study, artifact)],
        }
