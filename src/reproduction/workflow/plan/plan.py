# SPDX-License-Identifier: MIT
"""The plan of an edition: what can be made, from which files, and with which code.

The workflow asks this module for paths, inputs and code digests; its rules hold no logic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reproduction.config.settings import (
    EDITIONS,
    RepeatedSettings,
    Settings,
    edition_of_run,
    load_repeated_settings,
    load_settings,
    with_seeds_of,
)
from reproduction.workflow.plan.artifacts import PlannedArtifacts
from reproduction.workflow.plan.claims import PlannedClaims, PlannedErrata
from reproduction.workflow.plan.code import CodeDigests, PlannedCode
from reproduction.workflow.plan.datasets import AcceptedResults, PlannedDatasets, RunFolders
from reproduction.workflow.plan.experiments import PlannedExperiments
from reproduction.workflow.plan.job_sizes import PlannedShards, PlannedSizes
from reproduction.workflow.plan.measurements import (
    PlannedJudgmentSamplings,
    PlannedSearches,
    PlannedSimulations,
)
from reproduction.workflow.plan.publishing import PlannedPaper, PlannedSite
from reproduction.workflow.plan.replications import PlannedReplications
from reproduction.workflow.plan.studies import ArtifactDescriptions, PlannedStudies
from reproduction.workflow.provenance.loaded_sources import CodeBehind


class Plan:
    """What one edition makes, from which files, and what the results of its jobs depend on.

    ``run`` is the folder in ``work``: the name of the edition or of a replication. ``known`` is the
    plan of the edition that a replication repeats, to compute shared parts once.
    """

    def __init__(
        self, settings: Settings, folders: RunFolders | Path, known: Plan | None = None
    ) -> None:
        if isinstance(folders, Path):
            folders = RunFolders(folders)
        self.folders = folders
        self.settings = settings
        self.edition = settings.edition
        self.run = settings.run
        self.datasets: PlannedDatasets = PlannedDatasets(
            settings, known.datasets if known else None, folders
        )
        self.accepted = AcceptedResults(self.datasets)
        # Computations on the datasets, and the artifacts made from all of them.
        self.experiments = PlannedExperiments(settings, self.datasets)
        self.judgment_samplings = PlannedJudgmentSamplings(self.experiments)
        self.simulations = PlannedSimulations(settings, self.datasets)
        self.searches = PlannedSearches(settings, self.accepted)
        self.artifacts = PlannedArtifacts(
            self.experiments, self.judgment_samplings, self.simulations, self.searches
        )
        self.descriptions = ArtifactDescriptions(settings, self.artifacts)
        self.code: PlannedCode = PlannedCode(
            settings, folders.repository, known.code if known else None
        )
        self.studies = PlannedStudies(settings, self.artifacts, self.descriptions)
        self.claims = PlannedClaims(self.studies, folders)
        self.errata = PlannedErrata(self.studies, folders)
        self.paper = PlannedPaper(self.studies, self.claims, folders)
        self.code_digests = CodeDigests(settings, self.artifacts, self.claims, self.code)
        self.replications = PlannedReplications(settings, self.claims, self.code_digests)
        self.site = PlannedSite(settings, self.studies, self.claims, self.paper, folders)
        self.sizes = PlannedSizes(settings, self.datasets)
        self.shards = PlannedShards(settings, self.experiments, self.sizes)

    def targets(self) -> dict[str, list[str]]:
        """Return the files of each named target: studies, replications, the paper and the site."""
        studies = self.studies
        made = {name: studies.files(name) + studies.shown_files(name) for name in studies.specs}
        return {
            **made,
            "replications": self.replications.files(),
            "paper": self.paper.files(),
            "site": [self.site.folder()],
        }


# The plans of all editions, and those of replications, which are made on request.


class Plans(Mapping[str, Plan]):
    """Plans by edition, and by the name of a replication.

    Iteration gives only the editions, so that runs without replications do not plan any.
    """

    def __init__(self, folders: RunFolders, overrides: Mapping[str, Any]) -> None:
        self._folders = folders
        self._overrides = overrides
        self._editions: dict[str, Plan] = {
            edition: Plan(load_settings(folders.config, edition, overrides), folders)
            for edition in EDITIONS
        }
        if "local_mirrors" in overrides:
            _check_mirrors(self._editions["full"].datasets.missing_mirrors())
        self._unseeded: dict[tuple[str, bool], RepeatedSettings] = {}
        self._runs: dict[str, Plan] = {}

    def __getitem__(self, name: str) -> Plan:
        """Return the plan of an edition, or of a replication such as ``full-r01``."""
        if name in self._editions:
            return self._editions[name]
        if name not in self._runs:
            self._runs[name] = self._plan_of_run(name)
        return self._runs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._editions)

    def __len__(self) -> int:
        return len(self._editions)

    def code_behind(self, digest: str) -> CodeBehind | None:
        """Return the code behind a job's digest; None if no plan has computed it."""
        plans = (*self._editions.values(), *self._runs.values())
        return next(filter(None, (plan.code.behind(digest) for plan in plans)), None)

    def _plan_of_run(self, name: str) -> Plan:
        edition, short = edition_of_run(name)
        kind = edition, "-" in short
        if kind not in self._unseeded:
            self._unseeded[kind] = load_repeated_settings(
                self._folders.config, edition, self._overrides, crossed=kind[1]
            )
        settings = with_seeds_of(self._unseeded[kind], name)
        return Plan(settings, self._folders, self._editions[edition])


def _check_mirrors(missing: list[Path]) -> None:
    """Refuse missing mirrors, without which a run would plan other data."""
    for mirror in missing:
        hint = " (~ is no home folder here: write it out)" if "~" in mirror.parts else ""
        raise ValueError(
            f"There is no folder {mirror.as_posix()}, which local_mirrors names{hint}. Correct the "
            "name, or leave it out: local_mirrors=[]."
        )
