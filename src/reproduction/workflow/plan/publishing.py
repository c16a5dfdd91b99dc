# SPDX-License-Identifier: MIT
"""Plan how claims are judged, and whether and from what the paper and the site can be made.

Also planned is how the effects of errata are measured.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import Field

from receval.spec_types import Identifier, Model, NonEmptyText
from reproduction.config.reading import read_yaml, validated
from reproduction.config.settings import Settings
from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.studies import PlannedArtifacts, PlannedStudies
from reproduction.workflow.provenance.source_file import PACKAGES

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
        """Return the module that the claims name, for code digests."""
        path = self._folders.repository / "src" / f"{THEOREMS.replace('.', '/')}.py"
        return [THEOREMS] if path.is_file() else []


# The errata of an edition: the files from which the sizes of their effects are read.

ERRATA = "errata"


class PlannedErrata:
    """The table of the numbers of errata, and its inputs."""

    def __init__(self, studies: PlannedStudies, folders: RunFolders) -> None:
        self.studies = studies
        self._list = folders.config / f"{ERRATA}.yaml"

    def files(self) -> list[str]:
        """Return the table of their numbers; none if there are no errata."""
        return [f"work/{self.studies.settings.run}/artifacts/{name}.csv" for name in self.names()]

    def names(self) -> list[str]:
        """Return the name under which the table is compared with the accepted one."""
        return [ERRATA] * self._list.is_file()

    def inputs(self) -> dict[str, str | list[str]]:
        """Return the files that the table is made from, by kind."""
        return {
            "errata": self._list.as_posix(),
            "results": self.studies.results_files(),
            "records": self.studies.record_files(),
        }


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
            "tables": kinds.count("table") + kinds.count("page"),
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
            "sources": [
                *self._found("src/reproduction/studies", "**/*.py"),
                *self._found("config/studies", "*.yaml"),
            ],
            "modules": [
                file for root in PACKAGES for file in self._found(f"src/{root}", "**/*.py")
            ],
            "templates": self._found(f"{GENERATOR}/templates", "*.html"),
            "assets": self._found(f"{GENERATOR}/assets", "*.*"),
        }

    def dataset_titles(self) -> dict[str, str]:
        """Return the short title of each dataset, which says if it is a twin."""
        title = self.studies.descriptions.dataset_title
        return {name: title(name) for name in self.settings.datasets}

    def _present(self, name: str) -> list[str]:
        """Return an accepted result of the replications, if it exists; no ordinary run makes it."""
        path = self._accepted / name
        return [path.as_posix()] if path.is_file() else []

    def _found(self, folder: str, pattern: str) -> list[str]:
        return sorted(map(str, (self._repository / folder).glob(pattern)))
