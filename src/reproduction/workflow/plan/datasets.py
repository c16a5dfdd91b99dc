# SPDX-License-Identifier: MIT
"""Plan the data of an edition: folders, available datasets, possible splits, accepted results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from receval.storage.messages import shortened
from reproduction.config.settings import Settings
from reproduction.datasets.raw import Availability, KnownChecksums, availability_table, resolve
from reproduction.simulation.spec import WRITERS


@dataclass(frozen=True)
class RunFolders:
    """The folders that a run reads; it writes below the current folder.

    In the repository all paths are relative, so that they are the same in every copy of it. The
    ``repository`` has the code, the documents and the text of the paper. ``own`` has ``config`` and
    ``results``: it is the current folder if it has them, else the repository.
    """

    repository: Path = Path()
    own: Path = Path()

    @classmethod
    def of(cls, repository: Path, here: Path | None = None) -> Self:
        """Return the folders of a run of some repository, by default in the current folder.

        A folder ``config`` there is used only if it has ``studies`` in it.
        """
        home, here = repository.resolve(), (here or Path()).resolve()
        if home == here:
            return cls()
        has_own = (here / "config" / "studies").is_dir()
        return cls(home, Path() if has_own else home)

    @classmethod
    def of_command(cls) -> Self:
        """Return the folders of a command: in a repository its own, elsewhere those of a run.

        The repository of a run is then the one with the command's code.
        """
        repository = Path(__file__).resolve().parents[4]
        elsewhere = (repository / "Snakefile").is_file() and not Path("src", "receval").is_dir()
        return cls.of(repository) if elsewhere else cls()

    @property
    def are_own(self) -> bool:
        """Whether configuration and accepted results are in the current folder."""
        return self.own == Path()

    @property
    def config(self) -> Path:
        """The folder of the configuration, with published tables and claims."""
        return self.own / "config"

    def published(self, name: str) -> Path:
        """Return a table of published values."""
        return self.config / "published" / name

    def results(self, edition: str) -> Path:
        """Return the folder of the accepted results of an edition."""
        return self.own / "results" / edition


TABLE_FILES = ("ratings.parquet", "users.parquet", "items.parquet")
"""Copied from :mod:`receval.data.ratings`, which loads libraries that no plan needs."""

RAW_FOLDER = Path("work/raw")
"""The folder of downloads and of files put there by hand."""


class PlannedDatasets:
    """The datasets and splits that are available to one edition, and their files."""

    def __init__(
        self,
        settings: Settings,
        known: PlannedDatasets | None = None,
        folders: RunFolders | None = None,
    ) -> None:
        self.settings = settings
        self.folders = folders or RunFolders()
        self._known = known
        self.edition = settings.edition
        self.run = settings.run

    @cached_property
    def availability(self) -> dict[str, Availability]:
        """Where each dataset of the full edition is, or how to get it, by name."""
        if self._known is not None:
            return self._known.availability
        return {
            name: resolve(name, spec, RAW_FOLDER / name, self._mirrors, self.settings.network)
            for name, spec in self.settings.datasets.items()
        }

    def is_available(self, dataset: str) -> bool:
        """Return whether a dataset is available in the edition."""
        if dataset in self.settings.leave_out:
            return False
        if self.edition == "demo":
            return dataset in self.settings.twins
        return self.availability[dataset].status != "absent"

    def is_generated(self, dataset: str) -> bool:
        """Return whether the edition writes the raw files of a dataset itself.

        The demo generates all datasets, as synthetic twins of the originals. The full edition
        generates datasets that have no original.
        """
        return self.edition == "demo" or dataset in self.generated

    @property
    def generated(self) -> tuple[str, ...]:
        """The datasets that every edition generates, because they have no original."""
        datasets = self.settings.datasets.items()
        return tuple(name for name, spec in datasets if spec.access == "generated")

    def table(self) -> str:
        """Return a plain-text table of all datasets: whether they are available, and how."""
        if self.edition == "demo":
            rows = [f"  {name:<14} {self._kind(name)}" for name in self.settings.datasets]
            return "\n".join(["Datasets of the demo edition:", *rows])
        left_out = ", ".join(self.settings.leave_out)
        note = f"\nLeft out by the configuration: {left_out}." if left_out else ""
        return availability_table(self.availability.values()) + note

    def _kind(self, dataset: str) -> str:
        """Describe in words what the demo uses for a dataset."""
        if not self.is_available(dataset):
            return "none"
        return "generated" if dataset in self.generated else "synthetic twin"

    def note(self) -> str:
        """Return the first message of a run: which data is available, and how to get the rest."""
        edition = "Demo" if self.edition == "demo" else "Full"
        there = [name for name in self.settings.datasets if self.is_available(name)]
        missing = [name for name in self.settings.datasets if name not in there]
        own = [name for name in there if name in self.generated]
        named = ", ".join(name for name in there if name not in own)
        what = "synthetic twins of " if named and self.edition == "demo" else ""
        said = [f"{what}{named}"] * bool(named) + [f"generated {', '.join(own)}"] * bool(own)
        lines = [f"{edition} edition: {'; '.join(said) or 'no dataset'}."]
        if missing:
            lines[0] += f" Without {', '.join(missing)}."
        if self.edition == "full":
            rows = [
                found
                for name, found in self.availability.items()
                if found.status in ("download", "absent") and name not in self.settings.leave_out
            ]
            lines += [availability_table(rows)] if rows else []
            lines += [
                f"The local mirror {mirror.as_posix()} does not exist."
                for mirror in self.missing_mirrors()
                if rows
            ]
        return "\n".join(lines).rstrip()

    def local_checksums(self, dataset: str) -> dict[str, str]:
        """Return the SHA-256 of the present raw files and auxiliary files, by path.

        Files in ``work/raw`` are left out. Downloads are not there before they are fetched, and a
        set of files that grows would make everything run a second time.
        """
        found = self.availability[dataset]
        files = found.files if found.status == "local" else ()
        watched = [p for p in (*files, *found.auxiliary_files) if not p.is_relative_to(RAW_FOLDER)]
        checksums = self._checksums.of_all(watched)
        return {path.as_posix(): checksum for path, checksum in checksums.items()}

    @cached_property
    def _checksums(self) -> KnownChecksums:
        return KnownChecksums(RAW_FOLDER / "checksums.json")

    def sources(self) -> dict[str, Any]:
        """Return the possible sources of raw files, as plain values."""
        return {
            "raw_folder": RAW_FOLDER,
            "local_mirrors": list(map(str, self._mirrors)),
            "network": self.settings.network,
        }

    def missing_mirrors(self) -> list[Path]:
        """Return the local mirrors that do not exist."""
        return [mirror for mirror in self._mirrors if not mirror.is_dir()]

    @property
    def _mirrors(self) -> list[Path]:
        return [self.folders.own / mirror for mirror in self.settings.local_mirrors]

    def writer_entry(self, dataset: str) -> str:
        """Return the module that writes the raw files of a generated dataset, for code digests."""
        return WRITERS[dataset]

    def description(self, dataset: str) -> dict[str, Any]:
        """Return the registry's entry of a dataset, as plain values."""
        return self.settings.datasets[dataset].model_dump(mode="json")

    def ratings_files(self, dataset: str) -> list[str]:
        """Return the files of a prepared dataset's table; replications share their edition's."""
        return [f"work/{self.edition}/{dataset}/{name}" for name in TABLE_FILES]

    def manifest_file(self, dataset: str) -> str:
        """Return the record of a dataset's raw files."""
        return f"work/{self.edition}/{dataset}/raw.json"

    def summary_file(self, dataset: str) -> str:
        """Return the summary of a prepared dataset."""
        return f"work/{self.edition}/{dataset}/summary.json"

    def split_file(self, dataset: str, split: str) -> str:
        """Return the file of a split."""
        return f"work/{self.settings.split_run}/{dataset}/{split}/split.npz"

    def has_split(self, dataset: str, split: str) -> bool:
        """Return whether a split can be made.

        A predefined split needs an auxiliary file, and a temporal split needs timestamps.
        """
        if not self.is_available(dataset):
            return False
        spec = self.settings.splits[split]
        if spec.needs_timestamps and not self._has_timestamps(dataset):
            return False
        auxiliary_files = (
            {path.name for path in self.availability[dataset].auxiliary_files}
            if self.edition == "full"
            else set()
        )
        return auxiliary_files.issuperset(spec.files)

    def has_file(self, dataset: str, name: str) -> bool:
        """Return whether a file of features is there: beside the ratings, or in their archive."""
        if not self.is_available(dataset):
            return False
        if self.is_generated(dataset):
            return True
        found = self.availability[dataset]
        beside = name in {path.name for path in found.auxiliary_files}
        return beside or any(path.suffix == ".zip" for path in found.files)

    def _has_timestamps(self, dataset: str) -> bool:
        if self.is_generated(dataset):
            return self.settings.twins[dataset].period is not None
        variant = self.availability[dataset].variant
        return variant is not None and variant.timestamps

    def parser_entries(self, dataset: str) -> list[str]:
        """Return the modules that may parse a dataset, for code digests."""
        variants = self.settings.datasets[dataset].variants
        return sorted({variant.parser.partition(":")[0] for variant in variants})


class AcceptedResults:
    """The accepted results of one edition in ``results``, and their records of provenance."""

    def __init__(self, datasets: PlannedDatasets) -> None:
        self._datasets = datasets
        self.folders = datasets.folders
        self.folder = datasets.folders.results(datasets.edition)

    def files(self) -> list[str]:
        """Return the accepted files, for the drift report to watch."""
        return sorted(
            path.as_posix() for pattern in ("*.*", "*/*.*") for path in self.folder.glob(pattern)
        )

    def file(self, study: str, artifact: str) -> str:
        """Return the accepted CSV of an artifact."""
        return (self.folder / study / f"{artifact}.csv").as_posix()

    def record(self, study: str) -> dict[str, Any]:
        """Return the provenance record of a study's results; empty if there is none."""
        record = self.folder / study / "provenance.json"
        if not record.is_file():
            return {}
        try:
            content: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
            lists = (content.get("absent", []), content.get("datasets", {}))
            if not isinstance(lists[0], list) or not isinstance(lists[1], dict):
                raise ValueError("the datasets are not recorded")
        except (ValueError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{record} is not a record of provenance ({shortened(str(error), 100)}). Restore "
                f"it, for example with git checkout {record}."
            ) from error
        return content

    def absent(self, study: str) -> list[str]:
        """Return the datasets that were absent when the results of a study were accepted."""
        return list(self.record(study).get("absent", ()))

    def datasets(self, study: str) -> list[str]:
        """Return the datasets that the accepted results of a study were made from."""
        return list(self.record(study).get("datasets", ()))

    def one_sided_datasets(self) -> list[str]:
        """Return the datasets that are absent here, or were when results were accepted."""
        settings = self._datasets.settings
        before = {name for study in settings.studies for name in self.absent(study)}
        return [
            name
            for name in settings.datasets
            if name in before or not self._datasets.is_available(name)
        ]
