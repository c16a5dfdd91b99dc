"""The claims of an edition: by which files they are judged, and what that makes."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from receval.workflow.plan.artifacts import PlannedArtifacts
from receval.workflow.plan.studies import PlannedStudies

FOLDER = "config/claims"
THEOREMS = "receval.claims.theorems"


class PlannedClaims:
    """Which papers' claims are judged, and by what.

    Parameters
    ----------
    studies : PlannedStudies
    root : Path
        The repository.
    """

    def __init__(self, studies: PlannedStudies, root: Path) -> None:
        self.studies = studies
        self._artifacts: PlannedArtifacts = studies.artifacts
        self._root = root
        self._folder = f"work/{studies.settings.edition}"

    @cached_property
    def papers(self) -> list[str]:
        """The studies whose papers' claims are listed."""
        listed = {path.stem for path in (self._root / FOLDER).glob("*.yaml")}
        return [study for study in self.studies.specs if study in listed]

    def inputs(self, study: str) -> dict[str, list[str]]:
        """Return the files by which the claims of a study's paper are judged."""
        made = self._artifacts.made(study)
        own = [(study, name) for name in self._artifacts.measured(study) if name in made]
        named = (name.split("/") for name in self.studies.specs[study].claims_read)
        others = [(s, n) for s, n in named if s in self.studies.specs and n in self._made(s)]
        return {
            "claims": [f"{FOLDER}/{study}.yaml"],
            "records": [
                self.studies.record_file(s) for s in dict.fromkeys([study, *(s for s, _ in others)])
            ],
            "results": [self._artifacts.results_file(*names) for names in [*own, *others]],
        }

    def _made(self, study: str) -> list[str]:
        return self._artifacts.made(study)

    def judged_files(self) -> list[str]:
        """Return the verdicts of each paper."""
        return [self._artifacts.judged_file(study) for study in self.papers]

    def files(self) -> list[str]:
        """Return the ledger of all papers, and its page."""
        return [f"{self._folder}/artifacts/claims.{suffix}" for suffix in ("csv", "md")]

    def names(self) -> list[str]:
        """Return the name under which the ledger is compared with the accepted one."""
        return ["claims"]

    def code_entries(self) -> list[str]:
        """Return the modules that the claims name, for code digests."""
        folder = self._root / "src" / THEOREMS.replace(".", "/")
        return [f"{THEOREMS}.{path.stem}" for path in sorted(folder.glob("[a-z]*.py"))]
