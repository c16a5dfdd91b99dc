# SPDX-License-Identifier: MIT
"""The errata of an edition: from which files the sizes of their effects are read."""

from __future__ import annotations

from reproduction.workflow.plan.folders import RunFolders
from reproduction.workflow.plan.studies import PlannedStudies

NAME = "errata"


class PlannedErrata:
    """What the table of the errata's numbers is made from."""

    def __init__(self, studies: PlannedStudies, folders: RunFolders) -> None:
        self.studies = studies
        self._list = folders.config / f"{NAME}.yaml"

    def files(self) -> list[str]:
        """Return the table of their numbers; none without errata."""
        return [f"work/{self.studies.settings.run}/artifacts/{name}.csv" for name in self.names()]

    def names(self) -> list[str]:
        """Return the name under which the table is compared with the accepted one."""
        return [NAME] * self._list.is_file()

    def inputs(self) -> dict[str, str | list[str]]:
        """Return the files that the table is made from, by kind."""
        studies, artifacts = self.studies, self.studies.artifacts
        names = [(study, name) for study in studies.specs for name in artifacts.made(study)]
        return {
            "errata": self._list.as_posix(),
            "results": [artifacts.results_file(*pair) for pair in names],
            "records": [studies.record_file(study) for study in studies.specs],
        }
