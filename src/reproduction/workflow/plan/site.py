# SPDX-License-Identifier: MIT
"""Plan the site of an edition: its folder and its inputs."""

from __future__ import annotations

from reproduction.config.settings import Settings
from reproduction.publishing.site import ROOTS
from reproduction.workflow.plan.claims import PlannedClaims
from reproduction.workflow.plan.folders import RunFolders
from reproduction.workflow.plan.paper import PlannedPaper
from reproduction.workflow.plan.studies import PlannedStudies

GENERATOR = "src/reproduction/publishing/site"
TOP_DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


class PlannedSite:
    """The files behind the site of an edition."""

    def __init__(
        self,
        settings: Settings,
        studies: PlannedStudies,
        claims: PlannedClaims,
        paper: PlannedPaper,
        folders: RunFolders,
    ) -> None:
        self.settings = settings
        self.studies = studies
        self.claims = claims
        self.paper = paper
        self._accepted = folders.results(settings.edition)
        self._repository = folders.repository

    def folder(self) -> str:
        """Return the folder of the site."""
        return f"work/{self.settings.run}/site"

    def inputs(self) -> dict[str, str | list[str]]:
        """Return the files that the site is made from, by kind."""
        studies = self.studies
        names = list(studies.specs)
        own = {studies.page_file(name) for name in names} | set(map(studies.record_file, names))
        return {
            "claims": f"work/{self.settings.run}/artifacts/claims.csv",
            "statements": [self.claims.claims_file(name) for name in self.claims.papers],
            "indexes": [studies.page_file(name) for name in names],
            "records": [studies.record_file(name) for name in names],
            "files": [file for name in names for file in studies.files(name) if file not in own],
            "papers": [file for file in self.paper.files() if file.endswith(".pdf")],
            "certainty": self._present("certainty.csv"),
            "certainty_figures": [
                file
                for name in self.settings.replications.studies
                for suffix in ("svg", "csv")
                for file in self._present(f"replications_{name}.{suffix}")
            ],
            "documents": [
                *(str(self._repository / name) for name in TOP_DOCUMENTS),
                *self._found("docs", "*.md"),
            ],
            "pictures": self._found("docs", "**/*.svg"),
            "modules": [file for root in ROOTS for file in self._found(f"src/{root}", "**/*.py")],
            "templates": self._found(f"{GENERATOR}/templates", "*.html"),
            "assets": self._found(f"{GENERATOR}/assets", "*.*"),
        }

    def dataset_titles(self) -> dict[str, str]:
        """Return the short title of each dataset."""
        return {name: spec.short_title for name, spec in self.settings.datasets.items()}

    def _present(self, name: str) -> list[str]:
        """Return an accepted result of the replications, if it exists; no ordinary run makes it."""
        path = self._accepted / name
        return [path.as_posix()] if path.is_file() else []

    def _found(self, folder: str, pattern: str) -> list[str]:
        return sorted(map(str, (self._repository / folder).glob(pattern)))
