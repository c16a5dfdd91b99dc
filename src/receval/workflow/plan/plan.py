"""The plan of an edition: what can be made, from which files, and what each job depends on.

The workflow asks this module for paths, inputs and code digests; its rules hold no logic.
"""

from __future__ import annotations

import atexit
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from receval.config.studies import ArtifactSpec
from receval.metrics.registry import module_of
from receval.multiverse.decision_grid import DecisionGrid
from receval.provenance.code_digest import CodeSnapshot
from receval.provenance.parsed_sources import ParsedSources
from receval.provenance.versions import versions
from receval.splits.registry import SPLITTERS
from receval.workflow.plan.files import PlannedFiles


class Plan(PlannedFiles):
    """What one edition makes, from what, and what its jobs' results depend on."""

    def code(self, *entries: str) -> str:
        """Return the digest of the function that a rule names and of modules it loads by name.

        The versions of the libraries under them count as code: a result of other versions is made
        again, and the recorded versions are those of every number.
        """
        return f"{self._code.digest(*entries)}-{_versions_digest()}"

    @cached_property
    def _code(self) -> CodeSnapshot:
        return CodeSnapshot(self.root, _sources_kept_in(self.root.absolute()))

    def artifact_module(self, study: str, artifact: str) -> str:
        """Return the module of an artifact's family."""
        code = self.artifact(study, artifact).code or artifact
        return f"receval.studies.{code if '.' in code else f'{study}.{code}'}"

    def splitter_entry(self, split: str) -> str:
        """Return the module that makes a split, for code digests."""
        return SPLITTERS[self.settings.splits[split].kind].partition(":")[0]

    def metric_entries(self, study: str, artifact: str) -> list[str]:
        """Return the modules of the metrics that an artifact's parameters name, for code digests.

        The parameters ``metric``, ``metrics`` and ``released`` hold labels of metrics, in every
        study; a grid of decisions names metrics, too.
        """
        parameters = self.artifact(study, artifact).parameters
        one = parameters.get("metric")
        labels = [one] if isinstance(one, str) else []
        for name in ("metrics", "released"):
            several = parameters.get(name, ())
            labels += [str(label) for label in several] if isinstance(several, tuple) else []
        grid = self._grid(study, self.artifact(study, artifact))
        labels += [metric.label(condensed=True) for metric in (grid.metric if grid else ())]
        return sorted({module_of(label) for label in labels})

    def recommender_entry(self, system: str) -> str:
        """Return the module of a system's class, for code digests."""
        return self.settings.systems[system].recommender.partition(":")[0]

    def published_file(self) -> str:
        """Return the table of values that the searches try to come close to."""
        return f"config/published/{self.settings.searches.published}"

    def search_metric_entries(self) -> list[str]:
        """Return the modules of the metrics that the searches look at, for code digests."""
        return sorted({module_of(label) for label in self.settings.searches.metrics})

    def grades_from(self, dataset: str, system: str) -> float | None:
        """Return the threshold of the grades that a system learns from; None for ratings."""
        if self.settings.systems[system].learns_from == "ratings":
            return None
        return self.settings.datasets[dataset].relevance_threshold

    def search_description(self, system: str) -> dict[str, Any]:
        """Return what a system's search for settings depends on, as plain values."""
        searches = self.settings.searches
        return {
            "recommender": self.settings.systems[system].recommender,
            "settings": searches.systems[system].settings,
            "metrics": list(searches.metrics),
            "threshold": self.settings.datasets[searches.dataset].relevance_threshold,
        }

    def description(self, study: str, artifact: str) -> dict[str, Any]:
        """Return the configuration that an artifact's numbers depend on, as plain values."""
        spec = self.artifact(study, artifact)
        behind = self.experiments_of(study, artifact) if spec.results_of else {}
        present = self.present(study, behind)
        results = self.results_read(study, artifact)
        not_made = [name for name in spec.results_of if name not in results]
        return {
            **({"shown": {name: name in present for name in behind}} if behind else {}),
            "seed": self.settings.seed,
            "published": f"config/published/{spec.published}" if spec.published else None,
            "searches": list(self.settings.searches.systems) if spec.reads_searches else [],
            "grid": grid.model_dump(mode="json") if (grid := self._grid(study, spec)) else None,
            "parameters": spec.model_dump(mode="json")["parameters"],
            "experiments": self._described(study, spec.experiments),
            "judgment_samplings": list(spec.judgment_samplings),
            "splits": [list(pair) for pair in self.splits_of_its_own(spec)],
            "results": list(results),
            **({"not_made": not_made} if not_made else {}),
            "simulations": {name: list(self.simulation_files(name)) for name in spec.simulations},
            "datasets": [n for n in self.datasets_of(study, artifact) if self.is_available(n)],
            "absent": self.absent(study, artifact),
        }

    def _grid(self, study: str, spec: ArtifactSpec) -> DecisionGrid | None:
        return None if spec.grid is None else self.studies[study].grids[spec.grid]

    def _described(self, study: str, names: Iterable[str]) -> dict[str, Any]:
        return {
            name: {
                **experiment.model_dump(mode="json"),
                "split_spec": self.settings.splits[experiment.split].model_dump(mode="json"),
                "relevance_threshold": self.threshold(experiment),
                "protocols": [
                    asdict(protocol)
                    for protocols in experiment.protocols
                    for protocol in protocols.protocols(self.threshold(experiment))
                ],
            }
            for name, experiment in self.present(study, names).items()
        }

    def judgment_sampling_description(self, study: str, judgment_sampling: str) -> dict[str, Any]:
        """Return the configuration that the values of a removal depend on, as plain values."""
        spec = self.judgment_sampling(study, judgment_sampling)
        return {
            "seed": self.settings.seed,
            "experiments": self._described(study, spec.experiments),
            "unit": spec.unit,
            "percents": spec.levels.percents,
            "samples": spec.samples,
            "averages": {name: list(labels) for name, labels in spec.averages.items()},
        }

    def judgment_sampling_metric_entries(self, study: str, judgment_sampling: str) -> list[str]:
        """Return the modules of the metrics that a removal measures, for code digests."""
        labels = {
            n
            for names in self.judgment_sampling(study, judgment_sampling).averages.values()
            for n in names
        }
        return sorted({module_of(label) for label in labels})

    def study_description(self, study: str) -> dict[str, Any]:
        """Return the merged configuration behind a study's artifacts, as plain values."""
        spec = self.studies[study]
        used = [e for e in spec.experiments.values() if self.has_split(e.dataset, e.split)]
        splits = dict.fromkeys(split for _, split in self.splits_of(study))
        systems = dict.fromkeys(name for e in used for name in e.all_systems)
        simulations = dict.fromkeys(n for a in spec.artifacts.values() for n in a.simulations)
        for name in simulations:
            systems |= dict.fromkeys(self.simulation(name).systems)
        searched = any(artifact.reads_searches for artifact in spec.artifacts.values())
        taken = searched and self.settings.accepted_searches
        return {
            **({"searches": "accepted ones, not made again"} if taken else {}),
            "edition": self.edition,
            "seed": self.settings.seed,
            "relevance thresholds": {
                name: self.settings.datasets[name].relevance_threshold
                for name in self.study_datasets(study)
            },
            "twins": {
                name: self.settings.twins[name].model_dump(mode="json")
                for name in self.study_datasets(study)
                if self.edition == "demo" and self.is_available(name)
            },
            "study": spec.model_dump(mode="json"),
            "simulations": {
                name: self.simulation(name).model_dump(mode="json") for name in simulations
            },
            "splits": {name: self.settings.splits[name].model_dump(mode="json") for name in splits},
            "systems": {
                name: self.settings.systems[name].model_dump(
                    include={"recommender", "parameters", "learns_from", "order"}
                )
                for name in systems
            },
        }

    def caption(self, study: str, artifact: str) -> str:
        """Return the caption of an artifact, with this edition's numbers.

        ``{samples}`` stands for the number of samples of the removal that the artifact reads.
        """
        spec = self.artifact(study, artifact)
        samples = [
            self.judgment_sampling(study, judgment_sampling).samples
            for judgment_sampling in spec.judgment_samplings
        ]
        return spec.caption.replace("{samples}", str(max(samples, default=0)))

    def display(self, study: str, artifact: str) -> dict[str, Any]:
        """Return how an artifact's names are shown, as plain values."""
        spec = self.artifact(study, artifact)
        experiments = self.experiments_of(study, artifact).values()
        systems = dict.fromkeys(name for e in experiments for name in e.all_systems)
        for simulation in spec.simulations:
            systems |= dict.fromkeys(self.simulation(simulation).systems)
        extra = dict.fromkeys(name for e in experiments for name in e.extra_systems)
        # Nobody should take a twin's numbers for those of the data it stands for.
        twins = self.settings.twins if self.edition == "demo" else {}
        titles = {
            name: self.settings.datasets[name].short_title + (" twin" if name in twins else "")
            for name in self.datasets_of(study, artifact)
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
            "experiments": {
                name: experiment.title
                for name, experiment in self.experiments_of(study, artifact).items()
            },
            "absent": [titles[name] for name in self.absent(study, artifact)],
        }


@cache
def _sources_kept_in(root: Path) -> ParsedSources:
    """Return the sources that earlier runs have parsed; what this one parses goes to them.

    They lie with what Snakemake keeps for itself, where that is: a library makes no folders.
    """
    sources = ParsedSources(root / ".snakemake" / "parsed_sources.json")
    atexit.register(sources.save)
    return sources


@cache
def _versions_digest() -> str:
    used = {name: version for name, version in versions().items() if name != "snakemake"}
    return hashlib.sha256(json.dumps(used, sort_keys=True).encode()).hexdigest()[:8]
