"""The files of an edition: what can be made from the data that can be had, and from which."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from receval.config.settings import Settings
from receval.config.studies import ArtifactSpec, Edition, ExperimentSpec
from receval.datasets.availability import Availability, availability_table, resolve
from receval.protocols.protocol import Protocol
from receval.simulation.registry import WRITERS

EXTENSIONS = {"figure": ("svg", "pdf"), "table": ("md", "tex")}
"""Files beside the CSV, by kind of artifact."""

RATINGS_FILES = ("ratings.parquet", "users.parquet", "items.parquet", "summary.json")


class PlannedFiles:
    """Which files one edition makes, and from which files.

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
            name: resolve(name, spec, Path("work/raw") / name, mirrors, self.settings.network)
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

    def local_raw_files(self, dataset: str) -> list[str]:
        """Return the raw files and companions that are there now, for the plan to watch.

        What lies in ``work/raw`` is left out: a download was no input when it was fetched, and a
        set of inputs that grows would fetch, and then train, everything a second time.
        """
        found = self.availability[dataset]
        files = found.files if found.status == "local" else ()
        own = Path("work/raw")
        return [
            path.as_posix() for path in (*files, *found.companions) if not path.is_relative_to(own)
        ]

    def writer_entry(self, dataset: str) -> str:
        """Return the module that writes a twin's raw files, for code digests."""
        return WRITERS[dataset]

    def dataset_description(self, dataset: str) -> dict[str, Any]:
        """Return the registry's entry of a dataset, as plain values."""
        return self.settings.datasets[dataset].model_dump(mode="json")

    def has_split(self, dataset: str, split: str) -> bool:
        """Return whether a split can be made: a given split needs a file beside the raw data."""
        if not self.is_available(dataset):
            return False
        files = getattr(self.settings.splits[split], "files", ())
        if not files:
            return True
        if self.edition == "demo":
            return False
        companions = {path.name for path in self.availability[dataset].companions}
        return companions.issuperset(files)

    def memory(self, *datasets: str) -> int:
        """Return the memory in MB that a job on some datasets may need."""
        if self.edition == "demo":
            return 2000
        rows = max(
            (self.settings.datasets[name].expected.ratings or 0 for name in datasets), default=0
        )
        return 2000 + 60 * rows // 10**6

    def parser_entries(self, dataset: str) -> list[str]:
        """Return the modules that may parse a dataset, for code digests."""
        editions = self.settings.datasets[dataset].editions
        return sorted({edition.parser.partition(":")[0] for edition in editions})

    # --- experiments ----------------------------------------------------------------------

    def experiments(self) -> Iterable[tuple[str, ExperimentSpec]]:
        """Yield every experiment that an artifact reads, with its study."""
        for study, spec in self.settings.studies.items():
            for name, experiment in spec.experiments.items():
                if any(name in artifact.experiments for artifact in spec.artifacts.values()):
                    yield study, experiment

    def threshold(self, experiment: ExperimentSpec) -> float:
        """Return the relevance threshold of an experiment."""
        own = experiment.relevance_threshold
        return (
            self.settings.datasets[experiment.dataset].relevance_threshold if own is None else own
        )

    def protocols(self, dataset: str, split: str) -> list[Protocol]:
        """Return all protocols that any study wants on a split, in a fixed order."""
        wanted = {
            protocol.key: protocol
            for _, experiment in self.experiments()
            if (experiment.dataset, experiment.split) == (dataset, split)
            for spec in experiment.protocols
            for protocol in spec.protocols(self.threshold(experiment))
        }
        return [wanted[key] for key in sorted(wanted)]

    def protocol_descriptions(self, dataset: str, split: str) -> list[dict[str, Any]]:
        """Return the protocols of a split as plain values."""
        return [asdict(protocol) for protocol in self.protocols(dataset, split)]

    # --- files ----------------------------------------------------------------------------

    def ratings_files(self, dataset: str) -> list[str]:
        """Return the files of a prepared dataset."""
        return [f"work/{self.edition}/{dataset}/{name}" for name in RATINGS_FILES]

    def split_file(self, dataset: str, split: str) -> str:
        """Return the file of a split."""
        return f"work/{self.edition}/{dataset}/{split}/split.npz"

    def ranks_file(self, experiment: ExperimentSpec, system: str) -> str:
        """Return the file of a system's judged ranks on an experiment's split."""
        return f"work/{self.edition}/{experiment.dataset}/{experiment.split}/{system}/ranks.npz"

    # --- artifacts ------------------------------------------------------------------------

    def artifact(self, study: str, artifact: str) -> ArtifactSpec:
        """Return the description of an artifact.

        Raises
        ------
        KeyError
            The study has no such artifact; the message lists what it has.
        """
        artifacts = self.settings.studies[study].artifacts
        if artifact not in artifacts:
            raise KeyError(f"{study} has no artifact {artifact}; it has {', '.join(artifacts)}.")
        return artifacts[artifact]

    def datasets_of(self, study: str, artifact: str) -> list[str]:
        """Return the datasets an artifact reads, available or not."""
        spec = self.artifact(study, artifact)
        experiments = self.settings.studies[study].experiments
        named = [experiments[name].dataset for name in spec.experiments]
        return list(dict.fromkeys([*spec.datasets, *named]))

    def absent(self, study: str, artifact: str) -> list[str]:
        """Return the datasets that an artifact reads and that cannot be had, or not split."""
        spec = self.artifact(study, artifact)
        experiments = self.settings.studies[study].experiments
        used = [experiments[name] for name in spec.experiments]

        def is_absent(dataset: str) -> bool:
            splits = [e.split for e in used if e.dataset == dataset]
            possible = any(self.has_split(dataset, split) for split in splits) or not splits
            return not self.is_available(dataset) or not possible

        return [name for name in self.datasets_of(study, artifact) if is_absent(name)]

    def artifacts(self, study: str) -> list[str]:
        """Return the artifacts of a study that can be made: not all their data is absent."""
        return [
            name
            for name in self.settings.studies[study].artifacts
            if not (needed := self.datasets_of(study, name))
            or len(self.absent(study, name)) < len(needed)
        ]

    def artifact_inputs(self, study: str, artifact: str) -> dict[str, list[str]]:
        """Return the files that an artifact's numbers are computed from."""
        spec = self.artifact(study, artifact)
        if artifact not in self.artifacts(study):
            absent = ", ".join(self.absent(study, artifact))
            raise ValueError(
                f"{study}/{artifact} cannot be made: all its data is absent ({absent}). "
                "The table of datasets above says how to get it."
            )
        experiments = self.settings.studies[study].experiments
        present = [
            experiments[name]
            for name in spec.experiments
            if self.has_split(experiments[name].dataset, experiments[name].split)
        ]
        datasets = [name for name in self.datasets_of(study, artifact) if self.is_available(name)]
        splits = dict.fromkeys(self.split_file(e.dataset, e.split) for e in present)
        ranks = dict.fromkeys(self.ranks_file(e, s) for e in present for s in e.all_systems)
        return {
            "ratings": [file for dataset in datasets for file in self.ratings_files(dataset)],
            "splits": list(splits),
            "ranks": list(ranks),
            "published": [f"config/published/{spec.published}"] if spec.published else [],
            "searches": self.search_files() if spec.reads_searches else [],
        }

    def search_file(self, system: str) -> str:
        """Return the file with the trace of a system's search for settings."""
        searches = self.settings.searches
        return f"work/{self.edition}/{searches.dataset}/{searches.split}/{system}/search.csv"

    def search_files(self) -> list[str]:
        """Return the traces of all searches."""
        return [self.search_file(system) for system in self.settings.searches.systems]

    def artifact_files(self, study: str, artifact: str) -> list[str]:
        """Return all files of an artifact."""
        kind = self.artifact(study, artifact).kind
        stem = f"work/{self.edition}/artifacts/{study}/{artifact}"
        return [f"{stem}.{extension}" for extension in ("csv", *EXTENSIONS[kind])]

    def study_files(self, study: str) -> list[str]:
        """Return all files that the target of a study makes."""
        files = [f for name in self.artifacts(study) for f in self.artifact_files(study, name)]
        return [*files, f"work/{self.edition}/artifacts/{study}/provenance.json"]

    def study_summaries(self, study: str) -> list[str]:
        """Return the summaries of the prepared datasets that a study reads."""
        return [
            f"work/{self.edition}/{name}/summary.json"
            for name in self.study_datasets(study)
            if self.is_available(name)
        ]

    def study_splits(self, study: str) -> list[str]:
        """Return the files of the splits that a study uses."""
        used = self.settings.studies[study].experiments.values()
        files = [
            self.split_file(e.dataset, e.split) for e in used if self.has_split(e.dataset, e.split)
        ]
        return list(dict.fromkeys(files))

    def study_numbers(self, study: str) -> list[str]:
        """Return the CSV files of a study."""
        return [
            f"work/{self.edition}/artifacts/{study}/{name}.csv" for name in self.artifacts(study)
        ]

    def study_absent(self, study: str) -> list[str]:
        """Return the datasets that a study reads and that cannot be had."""
        return [name for name in self.study_datasets(study) if not self.is_available(name)]

    def artifact_names(self) -> list[str]:
        """Return the ``study/artifact`` names that can be made."""
        return [
            f"{study}/{name}" for study in self.settings.studies for name in self.artifacts(study)
        ]

    def all_artifact_names(self) -> list[str]:
        """Return all ``study/artifact`` names, whether or not their data is there."""
        studies = self.settings.studies.items()
        return [f"{study}/{name}" for study, spec in studies for name in spec.artifacts]

    def accepted_files(self) -> list[str]:
        """Return the accepted files, for the drift report to watch."""
        accepted = Path("results") / self.edition
        return sorted(path.as_posix() for path in accepted.glob("*/*.*"))

    def one_sided_datasets(self) -> list[str]:
        """Return the datasets that need not be on both sides of a comparison with the accepted.

        They are those that cannot be had here, and those that were absent when the results were
        accepted.
        """
        before = {name for study in self.settings.studies for name in self.accepted_absent(study)}
        return [
            name for name in self.settings.datasets if name in before or not self.is_available(name)
        ]

    def accepted_absent(self, study: str) -> list[str]:
        """Return the datasets that were absent when the results of a study were accepted."""
        record = Path("results") / self.edition / study / "provenance.json"
        if not record.is_file():
            return []
        absent: list[str] = json.loads(record.read_text(encoding="utf-8"))["absent"]
        return absent

    def compared_files(self) -> list[str]:
        """Return the files of all studies, which the drift report compares."""
        return [file for study in self.settings.studies for file in self.study_files(study)]

    def all_files(self) -> list[str]:
        """Return the artifacts of all studies and the drift report."""
        return [*self.compared_files(), f"work/{self.edition}/drift.md"]

    def study_datasets(self, study: str) -> list[str]:
        """Return the datasets that any artifact of a study reads, available or not."""
        names = [
            n for a in self.settings.studies[study].artifacts for n in self.datasets_of(study, a)
        ]
        return list(dict.fromkeys(names))
