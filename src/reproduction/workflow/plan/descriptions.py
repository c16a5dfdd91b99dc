# SPDX-License-Identifier: MIT
"""What the jobs of an artifact are told, as plain values: what to compute, how to show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from receval.figures.display import TWIN, DisplayStyle, absence_of
from receval.figures.hues import shaded
from receval.figures.named_styles import MetricStyle, SystemStyle
from reproduction.config.settings import Settings
from reproduction.studies._shared.inputs import ArtifactDescription
from reproduction.workflow.plan.artifacts import PlannedArtifacts
from reproduction.workflow.plan.job_descriptions import plain


class ArtifactDescriptions:
    """The parameters of the jobs that compute artifacts and show them."""

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
            not_made=tuple(name for name in spec.results_of if name not in results),
            shown={name: name in present for name in behind},
            simulations={
                name: tuple(artifacts.simulations.files(name)) for name in spec.simulations
            },
            grid=grid.model_dump(mode="json") if grid else None,
            seed=self.settings.seed,
        )
        values: dict[str, Any] = plain(description)
        return values

    def caption(self, study: str, artifact: str) -> str:
        """Return the caption of an artifact, with this edition's figures and note.

        ``{samples}`` stands for the number of samples of the judgment samplings that it reads,
        ``{last_level}`` for the least per cent that they keep.
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
        values: dict[str, Any] = plain(display)
        return values

    def described(self, study: str, artifact: str) -> str:
        """Return what stands below an artifact (:attr:`.DisplayStyle.described`)."""
        parts = (self.caption(study, artifact), self._absence(study, artifact))
        return " ".join(filter(None, parts))

    def _absence(self, study: str, artifact: str) -> str:
        titles = self._dataset_titles(study, artifact)
        return absence_of([titles[name] for name in self.artifacts.absent(study, artifact)])

    def _dataset_titles(self, study: str, artifact: str) -> dict[str, str]:
        # Nobody should take a twin's results for those of the data it stands for. What stands for
        # no other data says in its own title what it is.
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
