# SPDX-License-Identifier: MIT
"""Plan how the claims of an edition are judged, and how the effects of errata are measured."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from reproduction.workflow.plan.artifacts import PlannedArtifacts
from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.studies import PlannedStudies

THEOREMS = "reproduction.claims.theorems"

_OF_ANOTHER = re.compile(r"\bartifact: ([a-z]\w*)/(\w+)")
"""Pattern by which a claim names an artifact of another study."""


class PlannedClaims:
    """Which claims are judged, and from which files."""

    def __init__(self, studies: PlannedStudies, folders: RunFolders) -> None:
        self.studies = studies
        self._artifacts: PlannedArtifacts = studies.artifacts
        self._folders = folders
        self._folder = f"work/{studies.settings.run}"

    @cached_property
    def papers(self) -> list[str]:
        """The studies whose papers' claims are listed."""
        listed = {path.stem for path in (self._folders.config / "claims").glob("*.yaml")}
        return [study for study in self.studies.specs if study in listed]

    def claims_file(self, study: str) -> str:
        """Return the file that lists the claims of a study's paper."""
        return (self._folders.config / "claims" / f"{study}.yaml").as_posix()

    def artifacts_read(self, study: str) -> list[str]:
        """Return the artifacts by which the claims are judged, of those that are made."""
        made = self._artifacts.made(study)
        return [name for name in self._artifacts.measured(study) if name in made]

    def record(self, study: str) -> str:
        """Return the provenance record of these artifacts, from which settings are read."""
        return self.studies.record_file(study)

    def results(self, study: str) -> list[str]:
        """Return the CSVs by which claims are judged, including those of other studies."""
        named = _OF_ANOTHER.findall(Path(self.claims_file(study)).read_text(encoding="utf-8"))
        others = [
            self._artifacts.results_file(other, name)
            for other, name in sorted(set(named))
            # Replications do not have every study.
            if other != study
            and other in self.studies.specs
            and name in self._artifacts.made(other)
        ]
        return [*self._own_results(study), *others]

    def _own_results(self, study: str) -> list[str]:
        return [self._artifacts.results_file(study, name) for name in self.artifacts_read(study)]

    def index_inputs(self, study: str) -> dict[str, str | list[str]]:
        """Return the inputs of the page of a study, by kind."""
        return {
            "record": self.record(study),
            "results": self._own_results(study),
            "verdicts": [self._artifacts.judged_file(study)] if study in self.papers else [],
        }

    def certainty_files(self) -> list[str]:
        """Return the accepted table of certainties, which no ordinary run makes."""
        path = self._folders.results(self.studies.settings.edition) / "certainty.csv"
        return [path.as_posix()] if path.is_file() else []

    def judged_files(self) -> list[str]:
        """Return the verdicts of each paper."""
        return [self._artifacts.judged_file(study) for study in self.papers]

    def files(self) -> list[str]:
        """Return the ledger of all papers and its pages; none if there are no papers."""
        names = ["claims.csv", "claims.md", *(f"{page}.md" for page in self.pages())]
        return [f"{self._folder}/artifacts/{name}" for name in names] if self.papers else []

    def pages(self) -> list[str]:
        """Return the names of the pages of claims, which have no CSV."""
        return [f"claims_{study}" for study in self.papers]

    def names(self) -> list[str]:
        """Return the name under which the ledger is compared with the accepted one."""
        return ["claims"] if self.papers else []

    def datasets_elsewhere(self) -> dict[str, str]:
        """Return how claims are decided on datasets that are not available."""
        # Verdicts load pandas, which most plans do not need.
        from reproduction.claims.verdicts import datasets_elsewhere

        return datasets_elsewhere(self.studies.settings.datasets)

    def code_entries(self) -> list[str]:
        """Return the modules that the claims name, for code digests."""
        folder = self._folders.repository / "src" / THEOREMS.replace(".", "/")
        return [f"{THEOREMS}.{path.stem}" for path in sorted(folder.glob("[a-z]*.py"))]


# The errata of an edition: the files from which the sizes of their effects are read.

NAME = "errata"


class PlannedErrata:
    """The table of the numbers of errata, and its inputs."""

    def __init__(self, studies: PlannedStudies, folders: RunFolders) -> None:
        self.studies = studies
        self._list = folders.config / f"{NAME}.yaml"

    def files(self) -> list[str]:
        """Return the table of their numbers; none if there are no errata."""
        return [f"work/{self.studies.settings.run}/artifacts/{name}.csv" for name in self.names()]

    def names(self) -> list[str]:
        """Return the name under which the table is compared with the accepted one."""
        return [NAME] * self._list.is_file()

    def inputs(self) -> dict[str, str | list[str]]:
        """Return the files that the table is made from, by kind."""
        return {
            "errata": self._list.as_posix(),
            "results": self.studies.results_files(),
            "records": self.studies.record_files(),
        }
