# SPDX-License-Identifier: MIT
"""The plan of an edition: what can be made, from which files, and what each job depends on.

The workflow asks this module for paths, inputs and code digests; its rules hold no logic.
"""

from __future__ import annotations

from pathlib import Path

from reproduction.config.settings import Settings
from reproduction.workflow.plan.artifacts import PlannedArtifacts
from reproduction.workflow.plan.claims import PlannedClaims
from reproduction.workflow.plan.code import CodeDigests, PlannedCode
from reproduction.workflow.plan.datasets import AcceptedResults, PlannedDatasets
from reproduction.workflow.plan.descriptions import ArtifactDescriptions
from reproduction.workflow.plan.errata import PlannedErrata
from reproduction.workflow.plan.experiments import PlannedExperiments
from reproduction.workflow.plan.folders import RunFolders
from reproduction.workflow.plan.measurements import (
    PlannedJudgmentSamplings,
    PlannedSearches,
    PlannedSimulations,
)
from reproduction.workflow.plan.paper import PlannedPaper
from reproduction.workflow.plan.replications import PlannedReplications
from reproduction.workflow.plan.shards import PlannedShards
from reproduction.workflow.plan.site import PlannedSite
from reproduction.workflow.plan.sizes import PlannedSizes
from reproduction.workflow.plan.studies import PlannedStudies


class Plan:
    """What one edition makes, from what, and what its jobs' results depend on.

    Parameters
    ----------
    known : Plan, optional
        Of the edition that a replication repeats: what both have alike is worked out once.

    Attributes
    ----------
    edition : {"demo", "full"}
    folders : RunFolders
        Where what is read and not made is.
    run : str
        The folder in ``work``: the edition, or the name of a replication.
    datasets : PlannedDatasets
        Which datasets and splits can be had.
    experiments, judgment_samplings, simulations, searches
        What is computed on them.
    artifacts : PlannedArtifacts
        What is made of all these, and ``descriptions`` of what its jobs are told.
    studies : PlannedStudies
        All artifacts of a study together.
    claims : PlannedClaims
        The verdicts on what the papers claim.
    errata : PlannedErrata
        The sizes of their slips.
    paper : PlannedPaper
        The report on all of it.
    site : PlannedSite
        What shows them to readers.
    replications : PlannedReplications
        What is repeated with other root seeds; of a replication, what its rows are made with.
    accepted : AcceptedResults
        The results to compare with.
    code : PlannedCode
        Digests of what jobs run, and ``code_digests`` of all that is behind each artifact.
    sizes : PlannedSizes
        What jobs ask a cluster for.
    shards : PlannedShards
        Which systems several jobs share, by users.
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
        """Return what each named target makes: studies, replications, the paper and the site."""
        studies = self.studies
        made = {name: studies.files(name) + studies.shown_files(name) for name in studies.specs}
        return {
            **made,
            "replications": self.replications.files(),
            "paper": self.paper.files(),
            "site": [self.site.folder()],
        }
