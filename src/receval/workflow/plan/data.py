"""Which data an edition has: datasets that can be had, their splits, the experiments on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from receval.config.settings import Settings
from receval.config.studies import Edition, ExperimentSpec, StudySpec
from receval.datasets.availability import Availability, availability_table, resolve
from receval.datasets.checksums import KnownChecksums
from receval.protocols.protocol import Protocol
from receval.simulation.spec import WRITERS
from receval.workflow.plan.job_sizes import SMALL, JobSize, job_size

TABLE_FILES = ("ratings.parquet", "users.parquet", "items.parquet")
"""As in :mod:`receval.ratings`, which loads libraries that no plan needs."""

RAW_FOLDER = Path("work/raw")
"""Where downloads go, and what people put there by hand."""


class PlannedData:
    """Which datasets and experiments one edition has.

    Parameters
    ----------
    settings : Settings
        The edition's configuration.
    root : Path
        The repository. Paths returned are relative to it, which is also the current folder.
    """

    def __init__(self, settings: Settings, root: Path) -> None:
        self.settings = settings
        self.root = root

    @property
    def edition(self) -> Edition:
        """Name of the edition."""
        return self.settings.edition

    # --- data -----------------------------------------------------------------------------

    @cached_property
    def availability(self) -> dict[str, Availability]:
        """Where each dataset of the full edition is, or how to get it."""
        mirrors = [Path(mirror) for mirror in self.settings.local_mirrors]
        return {
            name: resolve(name, spec, RAW_FOLDER / name, mirrors, self.settings.network)
            for name, spec in self.settings.datasets.items()
        }

    def is_available(self, dataset: str) -> bool:
        """Return whether the edition can have a dataset."""
        if dataset in self.settings.leave_out:
            return False
        if self.edition == "demo":
            return dataset in self.settings.twins
        return self.availability[dataset].status != "absent"

    def table_of_datasets(self) -> str:
        """Return a table in plain text: every dataset, whether it can be had, and how."""
        if self.edition == "demo":
            rows = [
                f"  {name:<14} synthetic twin" if self.is_available(name) else f"  {name:<14} none"
                for name in self.settings.datasets
            ]
            return "\n".join(["Datasets of the demo edition:", *rows])
        left_out = ", ".join(self.settings.leave_out)
        note = f"\nLeft out by the configuration: {left_out}." if left_out else ""
        return availability_table(self.availability.values()) + note

    def note_on_datasets(self) -> str:
        """Return what a run should say first: which data there is, and how to get the rest."""
        edition = "Demo" if self.edition == "demo" else "Full"
        there = [name for name in self.settings.datasets if self.is_available(name)]
        missing = [name for name in self.settings.datasets if name not in there]
        what = "synthetic twins of " if self.edition == "demo" else ""
        lines = [f"{edition} edition: {what}{', '.join(there) or 'no dataset'}."]
        if missing:
            lines[0] += f" Without {', '.join(missing)}."
        if self.edition == "full":
            rows = [
                found
                for name, found in self.availability.items()
                if found.status != "local" and name not in self.settings.leave_out
            ]
            lines += [availability_table(rows)] if rows else []
        return "\n".join(lines).rstrip()

    def local_checksums(self, dataset: str) -> dict[str, str]:
        """Return the SHA-256 of the raw files and auxiliary files that are there now, by path.

        What lies in ``work/raw`` is left out: a download was not there when it was fetched, and a
        set of files that grows would fetch, and then train, everything a second time.
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
        """Return where raw files may come from, as plain values."""
        return {
            "raw_folder": RAW_FOLDER,
            "local_mirrors": list(self.settings.local_mirrors),
            "network": self.settings.network,
        }

    def writer_entry(self, dataset: str) -> str:
        """Return the module that writes a twin's raw files, for code digests."""
        return WRITERS[dataset]

    def dataset_description(self, dataset: str) -> dict[str, Any]:
        """Return the registry's entry of a dataset, as plain values."""
        return self.settings.datasets[dataset].model_dump(mode="json")

    def ratings_files(self, dataset: str) -> list[str]:
        """Return the files of a prepared dataset's table."""
        return [f"work/{self.edition}/{dataset}/{name}" for name in TABLE_FILES]

    def has_split(self, dataset: str, split: str) -> bool:
        """Return whether a split can be made.

        A given split needs a file beside the raw data, a temporal one ratings with timestamps.
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

    def _has_timestamps(self, dataset: str) -> bool:
        if self.edition == "demo":
            return self.settings.twins[dataset].period is not None
        variant = self.availability[dataset].variant
        return variant is not None and variant.timestamps

    def size(self, *datasets: str, demanding: bool = False) -> JobSize:
        """Return how much memory and time a job on some datasets asks a cluster for.

        Parameters
        ----------
        *datasets : str
            Those whose ratings it may read; what cannot be had does not count.
        demanding : bool
            Whether it holds or tries much at once.
        """
        if self.edition == "demo":
            return SMALL
        ratings = (
            self.settings.datasets[name].expected.ratings or 0
            for name in datasets
            if self.is_available(name)
        )
        return job_size(max(ratings, default=0), demanding=demanding)

    def results_size(self, study: str, artifact: str) -> JobSize:
        """Return the size of the job that computes the numbers of an artifact.

        The numbers of others that it reads are small, whatever they were computed from.
        """
        spec = self.settings.studies[study].artifacts[artifact]
        experiments = self.settings.studies[study].experiments
        removed = (
            self._removed_from(study, judgment_sampling)
            for judgment_sampling in spec.judgment_samplings
        )
        return self.size(
            *spec.datasets,
            *(experiments[name].dataset for name in spec.experiments),
            *chain.from_iterable(removed),
            *(self.settings.simulations[name].dataset for name in spec.simulations),
            demanding=spec.grid is not None,
        )

    def judgment_sampling_size(self, study: str, judgment_sampling: str) -> JobSize:
        """Return the size of the job that computes the values of a removal of judgments."""
        return self.size(*self._removed_from(study, judgment_sampling), demanding=True)

    def simulation_size(self, simulation: str) -> JobSize:
        """Return the size of the job that simulates ratings for one system."""
        return self.size(self.settings.simulations[simulation].dataset, demanding=True)

    def _removed_from(self, study: str, judgment_sampling: str) -> list[str]:
        spec = self.settings.studies[study]
        return [
            spec.experiments[name].dataset
            for name in spec.judgment_samplings[judgment_sampling].experiments
        ]

    def parser_entries(self, dataset: str) -> list[str]:
        """Return the modules that may parse a dataset, for code digests."""
        variants = self.settings.datasets[dataset].variants
        return sorted({variant.parser.partition(":")[0] for variant in variants})

    # --- experiments ----------------------------------------------------------------------

    @cached_property
    def studies(self) -> dict[str, StudySpec]:
        """The studies, with the split that each experiment takes of those it allows."""
        return {
            name: study.model_copy(
                update={
                    "experiments": {
                        key: self._with_its_split(experiment)
                        for key, experiment in study.experiments.items()
                    }
                }
            )
            for name, study in self.settings.studies.items()
        }

    def _with_its_split(self, experiment: ExperimentSpec) -> ExperimentSpec:
        possible = [s for s in experiment.all_splits if self.has_split(experiment.dataset, s)]
        chosen = possible[0] if possible else experiment.split
        return experiment.model_copy(update={"split": chosen, "fallback_splits": ()})

    def experiments(self) -> Iterable[tuple[str, ExperimentSpec]]:
        """Return every experiment that an artifact reads, with its study."""
        return self._experiments

    @cached_property
    def _experiments(self) -> tuple[tuple[str, ExperimentSpec], ...]:
        found = []
        for study, spec in self.studies.items():
            read = {name for artifact in spec.artifacts for name in spec.experiments_of(artifact)}
            found += [(study, spec.experiments[name]) for name in spec.experiments if name in read]
        return tuple(found)

    def threshold(self, experiment: ExperimentSpec) -> float:
        """Return the relevance threshold of an experiment."""
        own = experiment.relevance_threshold
        return (
            self.settings.datasets[experiment.dataset].relevance_threshold if own is None else own
        )

    def protocols(self, dataset: str, split: str, system: str | None = None) -> list[Protocol]:
        """Return all protocols that any study wants on a split, in a fixed order.

        Of one system, those of the experiments that compare it.
        """
        wanted = {
            protocol.key: protocol
            for _, experiment in self.experiments()
            if (experiment.dataset, experiment.split) == (dataset, split)
            and (system is None or system in experiment.all_systems)
            for spec in experiment.protocols
            for protocol in spec.protocols(self.threshold(experiment))
        }
        return [wanted[key] for key in sorted(wanted)]

    def protocol_descriptions(
        self, dataset: str, split: str, system: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the protocols of a split, or of one system on it, as plain values."""
        return [asdict(protocol) for protocol in self.protocols(dataset, split, system)]
