"""The plan of an edition: what can be made from the data that can be had, and from which files.

The workflow asks this module for paths, inputs and code digests; its rules hold no logic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from receval.config.settings import Edition, Settings
from receval.config.studies import ArtifactSpec, ExperimentSpec
from receval.datasets.availability import Availability, availability_table, resolve
from receval.datasets.raw import RawFiles
from receval.metrics.parse import module_of
from receval.protocols.protocol import Protocol
from receval.provenance.code_digest import code_digest
from receval.simulation.twins import WRITERS
from receval.splits.registry import SPLITTERS

EXTENSIONS = {"figure": ("svg", "pdf"), "table": ("md", "tex")}
"""Files beside the CSV, by kind of artifact."""

RATINGS_FILES = ("ratings.parquet", "users.parquet", "items.parquet", "summary.json")


class Plan:
    """What one edition makes, and from what.

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

        What the workflow itself downloaded is left out: it was no input when it was fetched, and
        a set of inputs that grows would fetch, and then train, everything a second time.
        """
        found = self.availability[dataset]
        own = found.status == "download" or self._was_downloaded(dataset)
        files = () if own else found.files
        return [path.as_posix() for path in (*files, *found.companions)]

    def _was_downloaded(self, dataset: str) -> bool:
        manifest = Path("work/full") / dataset / "raw.json"
        return manifest.is_file() and RawFiles.read(manifest).source == "download"

    def writer_entry(self, dataset: str) -> str:
        """Return the module that writes a twin's raw files, for code digests."""
        return WRITERS[dataset]

    def dataset_description(self, dataset: str) -> dict[str, Any]:
        """Return the registry's entry of a dataset, as plain values."""
        return self.settings.datasets[dataset].model_dump(mode="json")

    def parser_memory(self, dataset: str) -> int:
        """Return the memory in MB that preparing a dataset may need."""
        rows = self.settings.datasets[dataset].expected.ratings or 0
        return 2000 if self.edition == "demo" else 2000 + 60 * rows // 10**6

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
        """Return the datasets that an artifact reads and that cannot be had."""
        return [name for name in self.datasets_of(study, artifact) if not self.is_available(name)]

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
            if self.is_available(experiments[name].dataset)
        ]
        datasets = [name for name in self.datasets_of(study, artifact) if self.is_available(name)]
        splits = dict.fromkeys(self.split_file(e.dataset, e.split) for e in present)
        ranks = dict.fromkeys(self.ranks_file(e, s) for e in present for s in e.all_systems)
        return {
            "ratings": [file for dataset in datasets for file in self.ratings_files(dataset)],
            "splits": list(splits),
            "ranks": list(ranks),
        }

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

    def all_numbers(self) -> list[str]:
        """Return the CSV files of all studies."""
        return [file for study in self.settings.studies for file in self.study_numbers(study)]

    def accepted_numbers(self) -> list[str]:
        """Return the accepted CSV files, for the drift report to watch."""
        accepted = Path("results") / self.edition
        return sorted(path.as_posix() for path in accepted.glob("*/*.csv"))

    def one_sided_datasets(self) -> list[str]:
        """Return the datasets that need not be on both sides of a comparison with the accepted.

        In the full edition those are all: whoever accepted the results may have had other data
        than whoever compares with them. The demo edition makes its data itself.
        """
        return [] if self.edition == "demo" else list(self.settings.datasets)

    def all_files(self) -> list[str]:
        """Return the artifacts of all studies and the drift report."""
        files = [file for study in self.settings.studies for file in self.study_files(study)]
        return [*files, f"work/{self.edition}/drift.md"]

    def study_datasets(self, study: str) -> list[str]:
        """Return the datasets that any artifact of a study reads, available or not."""
        names = [
            n for a in self.settings.studies[study].artifacts for n in self.datasets_of(study, a)
        ]
        return list(dict.fromkeys(names))

    # --- what a job's result depends on ---------------------------------------------------

    def code(self, script: str, *entries: str) -> str:
        """Return the digest of a script and of modules it loads by name, with all they import."""
        return code_digest(f"workflow/scripts/{script}.py", *entries, root=self.root)

    def splitter_entry(self, split: str) -> str:
        """Return the module that makes a split, for code digests."""
        return SPLITTERS[self.settings.splits[split].kind].partition(":")[0]

    def metric_entries(self, study: str, artifact: str) -> list[str]:
        """Return the modules of the metrics that an artifact's parameters name, for code digests.

        The parameters ``metric`` and ``metrics`` hold labels of metrics, here as in every study.
        """
        parameters = self.artifact(study, artifact).parameters
        one, several = parameters.get("metric"), parameters.get("metrics", ())
        labels = [one] if isinstance(one, str) else []
        labels += [str(label) for label in several] if isinstance(several, tuple) else []
        return sorted({module_of(label) for label in labels})

    def recommender_entry(self, system: str) -> str:
        """Return the module of a system's class, for code digests."""
        return self.settings.systems[system].recommender.partition(":")[0]

    def description(self, study: str, artifact: str) -> dict[str, Any]:
        """Return the configuration that an artifact's numbers depend on, as plain values."""
        spec = self.artifact(study, artifact)
        experiments = self.settings.studies[study].experiments
        names = [n for n in spec.experiments if self.is_available(experiments[n].dataset)]
        return {
            "parameters": spec.model_dump(mode="json")["parameters"],
            "experiments": {
                name: {
                    **experiments[name].model_dump(mode="json"),
                    "relevance_threshold": self.threshold(experiments[name]),
                    "protocols": [
                        asdict(protocol)
                        for protocols in experiments[name].protocols
                        for protocol in protocols.protocols(self.threshold(experiments[name]))
                    ],
                }
                for name in names
            },
            "datasets": [n for n in self.datasets_of(study, artifact) if self.is_available(n)],
            "absent": self.absent(study, artifact),
        }

    def study_description(self, study: str) -> dict[str, Any]:
        """Return the merged configuration behind a study's artifacts, as plain values."""
        spec = self.settings.studies[study]
        used = [e for name, e in spec.experiments.items() if self.is_available(e.dataset)]
        splits = dict.fromkeys(e.split for e in used)
        systems = dict.fromkeys(name for e in used for name in e.all_systems)
        return {
            "seed": self.settings.seed,
            "study": spec.model_dump(mode="json"),
            "splits": {name: self.settings.splits[name].model_dump(mode="json") for name in splits},
            "systems": {
                name: self.settings.systems[name].model_dump(include={"recommender", "parameters"})
                for name in systems
            },
        }

    def look(self, study: str, artifact: str) -> dict[str, Any]:
        """Return how an artifact's names are shown, as plain values."""
        spec = self.artifact(study, artifact)
        experiments = [self.settings.studies[study].experiments[name] for name in spec.experiments]
        systems = dict.fromkeys(name for e in experiments for name in e.all_systems)
        extra = dict.fromkeys(name for e in experiments for name in e.extra_systems)
        # Nobody should take a twin's numbers for those of the data it stands for.
        suffix = " twin" if self.edition == "demo" else ""
        titles = {
            name: self.settings.datasets[name].short_title + suffix
            for name in self.datasets_of(study, artifact)
        }
        return {
            "title": spec.title,
            "caption": spec.caption,
            "parameters": spec.model_dump(mode="json")["parameters"],
            "systems": {
                name: self.settings.systems[name].model_dump(include={"title", "colour", "marker"})
                for name in systems
            },
            "extra_systems": list(extra),
            "datasets": titles,
            "absent": [titles[name] for name in self.absent(study, artifact)],
        }
