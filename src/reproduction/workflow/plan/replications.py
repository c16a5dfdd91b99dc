# SPDX-License-Identifier: MIT
"""Plan the replications of an edition: their runs, files and labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from reproduction.config.settings import Settings
from reproduction.config.studies import RepeatedRuns, ReplicationsSpec
from reproduction.workflow.plan.claims import PlannedClaims
from reproduction.workflow.plan.code import CodeDigests
from reproduction.workflow.provenance.source_file import hash_texts

TABLES = ("replications", "certainty")

VARIANCE = "variance"

DIGITS = 12
"""Number of digits of the digest in the labels of rows."""

_WORDS = ("title", "caption", "citation", "note")
"""Keys of a study's configuration that affect no number."""


class PlannedReplications:
    """The replications of an edition, and the files they make."""

    def __init__(
        self, settings: Settings, claims: PlannedClaims, code_digests: CodeDigests
    ) -> None:
        self.settings = settings
        self.claims = claims
        self.code_digests = code_digests
        self._folder = f"work/{settings.edition}/artifacts"

    @property
    def spec(self) -> ReplicationsSpec:
        """The configuration of the replications."""
        return self.settings.replications

    @cached_property
    def chosen(self) -> RepeatedRuns:
        """The runs that this configuration requests."""
        return self.spec.chosen(self.settings.repeat)

    @cached_property
    def studies(self) -> list[str]:
        """The studies whose claims are judged in replications."""
        return [study for study in self.claims.papers if study in self.spec.studies]

    def run(self, name: str) -> str:
        """Return the full name of a run, as ``full-r01``."""
        return f"{self.settings.edition}-{name}"

    def seeds(self) -> dict[str, int]:
        """Return the root seed of each replication."""
        # Imported here because plans without replications do not need numpy.
        from receval.seeds import integer_seed

        return {
            name: integer_seed(self.settings.seed, "replication", name) for name in self.spec.names
        }

    # --- files ----------------------------------------------------------------------------

    def verdict_files(self) -> list[str]:
        """Return the files of verdicts of the requested replications."""
        return [
            f"work/{self.run(name)}/verdicts/{study}.csv"
            for name in self.chosen.replications
            for study in self.studies
        ]

    def number_files(self) -> dict[str, str]:
        """Return the files of deciding numbers in the crossed design, by run."""
        study = self.spec.crossed.study
        if study not in self.studies:
            return {}
        names = self.chosen.crossed
        return {name: f"work/{self.run(name)}/verdicts/{study}_numbers.csv" for name in names}

    def accepted_files(self) -> list[str]:
        """Return the accepted verdicts of all replications, if there are any."""
        path = self.claims.studies.artifacts.datasets.folders.results(self.settings.edition)
        path /= "replications.csv"
        return [path.as_posix()] if path.is_file() else []

    def claims_files(self) -> list[str]:
        """Return the files that list the claims of the studies that are repeated."""
        return [self.claims.claims_file(study) for study in self.studies]

    def table_file(self, name: str) -> str:
        """Return the CSV of one of the tables, or of a study's figure."""
        return f"{self._folder}/{name}.csv"

    def figure_files(self, study: str) -> list[str]:
        """Return the files of the figure of a study."""
        return [f"{self._folder}/{_figure(study)}.{suffix}" for suffix in ("csv", "svg", "pdf")]

    def files(self) -> list[str]:
        """Return all files of the target ``replications``."""
        found = []
        if self.verdict_files():
            found += [self.table_file(name) for name in TABLES]
            found += [file for study in self.studies for file in self.figure_files(study)]
        if self.number_files():
            found.append(self.table_file(VARIANCE))
        return found

    def names(self) -> list[str]:
        """Return the names under which results of replications are accepted."""
        return [*TABLES, VARIANCE, *map(_figure, self.spec.studies)]

    def made(self) -> list[str]:
        """Return the names of results that a run has made, to compare with the accepted ones."""
        return [name for name in self.names() if Path(self.table_file(name)).is_file()]

    # --- of one replication ------------------------------------------------------------------

    def label(self, study: str) -> dict[str, Any]:
        """Return a :class:`.ReplicationLabel` of the rows of a study in this run."""
        _, _, name = self.settings.run.partition("-")
        return {"name": name, "seed": self.settings.seed, "code": self._made_with(study)}

    def _made_with(self, study: str) -> str:
        """Return a digest of the code and configuration behind a study's verdicts."""
        artifacts = self.claims.studies.artifacts
        behind = (self.code_digests.behind(study, name) for name in artifacts.made(study))
        judging = self.code_digests.code.of_job("claims:judge_replication")
        description = self.claims.studies.description(study)
        configured = {k: v for k, v in description.items() if k not in ("seed", "edition")}
        texts = [
            self.code_digests.code.folded(frozenset([judging]).union(*behind)),
            json.dumps(_without_words(configured), sort_keys=True, default=str),
        ]
        return hash_texts(texts)[:DIGITS]


def _figure(study: str) -> str:
    return f"replications_{study}"


def _without_words(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_words(v) for k, v in value.items() if k not in _WORDS}
    if isinstance(value, list | tuple):
        return [_without_words(each) for each in value]
    return value
