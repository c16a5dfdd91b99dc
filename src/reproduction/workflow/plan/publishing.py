# SPDX-License-Identifier: MIT
"""Plan the paper and the site of an edition: whether they can be made, and from which files."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import Field

from receval.spec_types import Identifier, Model, NonEmptyText
from reproduction.config.reading import read_yaml, validated
from reproduction.config.settings import Settings
from reproduction.workflow.plan.claims import PlannedClaims
from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.studies import PlannedStudies
from reproduction.workflow.provenance.source_file import PACKAGES

FOLDER = "paper"
NAME = "receval"
SOURCES = "sources.yaml"
TEXT = ("receval.typ", "style.typ", "receval.bib")
REPLICATIONS = ("certainty", "variance")
"""Tables of the replications among the accepted results; no ordinary run makes them."""


# Model of ``paper/sources.yaml``: what the paper is made from, besides all results.


class PaperSources(Model):
    """What the paper needs.

    The full edition has no paper unless all splits are available. Figures are ``study/artifact`` by
    their names in the text. Documents of the repository contain numbers of the text.
    """

    splits: dict[Identifier, tuple[Identifier, ...]]
    figures: dict[Identifier, Annotated[str, Field(pattern=r"^[a-z0-9]+/[a-z0-9_]+$")]]
    documents: tuple[NonEmptyText, ...] = ()


def read_paper_sources(path: Path) -> PaperSources:
    """Read and check ``paper/sources.yaml``; an error has one sentence per problem."""
    return validated(PaperSources, read_yaml(path), f"{path} cannot be used:")


class PlannedPaper:
    """The files of the paper of an edition, and its inputs."""

    def __init__(self, studies: PlannedStudies, claims: PlannedClaims, folders: RunFolders) -> None:
        self.studies = studies
        self.claims = claims
        self._artifacts = studies.artifacts
        self._folders = folders
        self._edition = studies.settings.edition

    @cached_property
    def sources(self) -> PaperSources:
        """What ``paper/sources.yaml`` lists."""
        return read_paper_sources(self._folders.repository / FOLDER / SOURCES)

    @cached_property
    def can_be_made(self) -> bool:
        """Whether the edition has everything that the text mentions."""
        if not self.listed_names() or not self.claims.papers:
            return False
        wanted = set(self.sources.figures.values())
        if any(name.partition("/")[0] not in self.studies.specs for name in wanted):
            return False
        made = set(self.studies.artifact_names())
        if self._edition == "demo":
            return made.issuperset(wanted & set(self.studies.all_artifact_names()))
        has_split = self._artifacts.datasets.has_split
        splits = ((name, split) for name, own in self.sources.splits.items() for split in own)
        return made.issuperset(wanted) and all(has_split(*pair) for pair in splits)

    def files(self) -> list[str]:
        """Return the paper and the table of its numbers; none if it cannot be made."""
        folder = f"work/{self._edition}/artifacts"
        return [f"{folder}/{NAME}.{suffix}" for suffix in ("csv", "pdf")] * self.can_be_made

    def names(self) -> list[str]:
        """Return the name under which the paper is compared with the accepted one."""
        return self.listed_names() * self.can_be_made

    def listed_names(self) -> list[str]:
        """Return the name of the paper, whether or not the edition can make it."""
        return [NAME] * (self._folders.repository / FOLDER / SOURCES).is_file()

    def inputs(self) -> dict[str, str | list[str]]:
        """Return the files that the paper is made from, by kind."""
        folder = f"work/{self._edition}/artifacts"
        return {
            "text": [self._own(name) for name in TEXT],
            "numbers": self._own("numbers.yaml"),
            "ledger": f"{folder}/claims.csv",
            "results": self.studies.results_files(),
            "records": self.studies.record_files(),
            "errata": str(self._folders.config / "errata.yaml"),
            "configuration": sorted(map(str, self._folders.config.rglob("*.yaml"))),
            "documents": [str(self._folders.repository / name) for name in self.sources.documents],
            "figures": [f"{folder}/{name}.pdf" for name in self._figures().values()],
            **{name: self._accepted(name) for name in REPLICATIONS},
        }

    def names_of_figures(self) -> list[str]:
        """Return the names in the text of the available figures."""
        return list(self._figures())

    def counts(self) -> dict[str, int]:
        """Return the numbers of artifacts, datasets and other parts of the plan."""
        experiments = self._artifacts.experiments.in_use
        there = [e for e in experiments if self._artifacts.datasets.has_split(e.dataset, e.split)]
        trained = {(e.dataset, e.split, name) for e in there for name in e.all_systems}
        kinds = [
            self._artifacts.spec(study, name).kind
            for study in self.studies.specs
            for name in self._artifacts.made(study)
        ]
        return {
            "artifacts": len(kinds),
            "figures": kinds.count("figure"),
            "tables": kinds.count("table"),
            "datasets": len({e.dataset for e in there}),
            "splits": len({(e.dataset, e.split) for e in there}),
            "systems": len({name for _, _, name in trained}),
            "trainings": len(trained),
        }

    def _figures(self) -> dict[str, str]:
        made = set(self.studies.artifact_names())
        return {name: of for name, of in self.sources.figures.items() if of in made}

    def _own(self, name: str) -> str:
        return str(self._folders.repository / FOLDER / name)

    def _accepted(self, name: str) -> list[str]:
        accepted = self._folders.results(self._edition) / f"{name}.csv"
        return [accepted.as_posix()] if accepted.is_file() else []


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
            "modules": [
                file for root in PACKAGES for file in self._found(f"src/{root}", "**/*.py")
            ],
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
