"""What the accepted results of an edition were made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from receval.workflow.plan.datasets import PlannedDatasets


class AcceptedResults:
    """The results that are tracked for one edition, and their records of provenance.

    Parameters
    ----------
    datasets : PlannedDatasets
    """

    def __init__(self, datasets: PlannedDatasets) -> None:
        self._datasets = datasets
        self._folder = Path("results") / datasets.edition

    def files(self) -> list[str]:
        """Return the accepted files, for the drift report to watch."""
        return sorted(path.as_posix() for path in self._folder.glob("*/*.*"))

    def file(self, study: str, artifact: str) -> str:
        """Return the accepted CSV of an artifact."""
        return (self._folder / study / f"{artifact}.csv").as_posix()

    def record(self, study: str) -> dict[str, Any]:
        """Return what the results of a study were made from; empty if there are none."""
        record = self._folder / study / "provenance.json"
        if not record.is_file():
            return {}
        content: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
        return content

    def absent(self, study: str) -> list[str]:
        """Return the datasets that were absent when the results of a study were accepted."""
        return list(self.record(study).get("absent", ()))

    def datasets(self, study: str) -> list[str]:
        """Return the datasets that the accepted results of a study were made from."""
        return list(self.record(study).get("datasets", ()))

    def one_sided_datasets(self) -> list[str]:
        """Return the datasets that need not be on both sides of a comparison with the accepted.

        They are those that cannot be had here, and those that were absent when the results were
        accepted.
        """
        settings = self._datasets.settings
        before = {name for study in settings.studies for name in self.absent(study)}
        return [
            name
            for name in settings.datasets
            if name in before or not self._datasets.is_available(name)
        ]
