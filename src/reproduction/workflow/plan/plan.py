# SPDX-License-Identifier: MIT
"""The plan of an edition: what can be made, from which files, and with which code.

The workflow asks this module for paths, inputs and code digests; its rules hold no logic.

Replications of an edition have runs, files and labels of their own.

The settings and the plan of a run are recorded, to check later that artifacts belong to it. A
command that made a new plan would not know the ``--config`` of the run. It could report datasets
that the run left out as missing, or accept results with fewer datasets unnoticed. So a run records
its ``--config``, and commands plan with it. They check that the artifacts are of this plan, because
a later run of other artifacts may have had another ``--config``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from receval.storage.files import write_atomically
from reproduction.config.settings import (
    EDITIONS,
    RepeatedSettings,
    Settings,
    edition_of_run,
    load_repeated_settings,
    load_settings,
    with_seeds_of,
)
from reproduction.config.studies import RepeatedRuns, ReplicationsSpec
from reproduction.workflow.plan.code import CodeDigests, PlannedCode
from reproduction.workflow.plan.datasets import AcceptedResults, PlannedDatasets, RunFolders
from reproduction.workflow.plan.experiments import (
    PlannedExperiments,
    PlannedJudgmentSamplings,
    PlannedSearches,
    PlannedSimulations,
)
from reproduction.workflow.plan.job_sizes import PlannedShards, PlannedSizes
from reproduction.workflow.plan.publishing import (
    PlannedClaims,
    PlannedErrata,
    PlannedPaper,
    PlannedSite,
)
from reproduction.workflow.plan.studies import (
    ArtifactDescriptions,
    PlannedArtifacts,
    PlannedStudies,
)
from reproduction.workflow.provenance.code_digest import CodeBehind
from reproduction.workflow.provenance.source_file import hash_texts
from reproduction.workflow.provenance.versions import (
    checksums_of_results,
    described_processor,
    versions,
)

TABLES = ("replications", "certainty")

VARIANCE = "variance"

DIGITS = 12
"""Number of digits of the digest in the labels of rows."""

_WORDS = ("title", "caption", "citation", "note")
"""Keys of a study's configuration that affect no number."""


class PlannedReplications:
    """The replications of an edition, and the files they make.

    ``whole`` is a replication with all datasets, by whose code the rows of one with fewer are
    labelled, so that the rows of both are kept or made anew together.
    """

    def __init__(
        self, settings: Settings, claims: PlannedClaims, code_digests: CodeDigests
    ) -> None:
        self.settings = settings
        self.claims = claims
        self.code_digests = code_digests
        self.whole: PlannedReplications = self
        self._folder = f"work/{settings.edition}/artifacts"

    @property
    def spec(self) -> ReplicationsSpec:
        """The configuration of the replications."""
        return self.settings.replications

    @cached_property
    def chosen(self) -> RepeatedRuns:
        """The runs that this configuration requests."""
        return self.spec.chosen(self.settings.repeat)

    @cached_property
    def studies(self) -> list[str]:
        """The studies whose claims are judged in replications."""
        return [study for study in self.claims.papers if study in self.spec.studies]

    def run(self, name: str) -> str:
        """Return the full name of a run, as ``full-r01``."""
        return f"{self.settings.edition}-{name}"

    def seeds(self) -> dict[str, int]:
        """Return the root seed of each replication."""
        # Imported here because plans without replications do not need numpy.
        from receval.seeds import integer_seed

        return {
            name: integer_seed(self.settings.seed, "replication", name) for name in self.spec.names
        }

    def designs_beside(self) -> dict[str, str]:
        """Return, by study, why splits do not decide, where they are of another design."""
        return {name: told for name, own in self.spec.studies.items() if (told := own.beside)}

    # --- files ----------------------------------------------------------------------------

    def verdict_files(self) -> list[str]:
        """Return the files of verdicts of the requested replications."""
        return [
            f"work/{self.run(name)}/verdicts/{study}.csv"
            for name in self.chosen.replications
            for study in self.studies
            if name in self.spec.names_of(study)
        ]

    def number_files(self) -> dict[str, str]:
        """Return the files of deciding numbers in the crossed design, by run."""
        study = self.spec.crossed.study
        if study not in self.studies:
            return {}
        names = self.chosen.crossed
        return {name: f"work/{self.run(name)}/verdicts/{study}_numbers.csv" for name in names}

    def accepted_files(self) -> list[str]:
        """Return the accepted verdicts of all replications, if there are any."""
        path = self.claims.studies.artifacts.datasets.folders.results(self.settings.edition)
        path /= "replications.csv"
        return [path.as_posix()] if path.is_file() else []

    def claims_files(self) -> list[str]:
        """Return the files that list the claims of the studies that are repeated."""
        return [self.claims.claims_file(study) for study in self.studies]

    def table_file(self, name: str) -> str:
        """Return the CSV of one of the tables, or of a study's figure."""
        return f"{self._folder}/{name}.csv"

    def figure_files(self, study: str) -> list[str]:
        """Return the files of the figure of a study."""
        return [f"{self._folder}/{_figure(study)}.{suffix}" for suffix in ("csv", "svg", "pdf")]

    def files(self) -> list[str]:
        """Return all files of the target ``replications``."""
        found = []
        if self.verdict_files():
            found += [self.table_file(name) for name in TABLES]
            found += [file for study in self.studies for file in self.figure_files(study)]
        if self.number_files():
            found.append(self.table_file(VARIANCE))
        return found

    def names(self) -> list[str]:
        """Return the names under which results of replications are accepted."""
        return [*TABLES, VARIANCE, *map(_figure, self.spec.studies)]

    def made(self) -> list[str]:
        """Return the names of results that a run has made, to compare with the accepted ones."""
        return [name for name in self.names() if Path(self.table_file(name)).is_file()]

    # --- of one replication ------------------------------------------------------------------

    def label(self, study: str) -> dict[str, Any]:
        """Return a :class:`.ReplicationLabel` of the rows of a study in this run."""
        made_with = self.whole._made_with(study)
        return {"name": self._name, "seed": self.settings.seed, "code": made_with}

    @property
    def _name(self) -> str:
        """The name of this run within its edition."""
        return self.settings.run.partition("-")[2]

    def datasets(self, study: str) -> list[str]:
        """Return the datasets of a study in this run; "" if it has all, for claims on several."""
        everything = self.spec.datasets
        repeated = self._name in self.spec.names
        own = self.spec.datasets_of(study, self._name) if repeated else everything
        return [*own, ""] if own == everything else list(own)

    def _made_with(self, study: str) -> str:
        """Return a digest of the code and configuration behind a study's verdicts."""
        artifacts = self.claims.studies.artifacts
        behind = (self.code_digests.behind(study, name) for name in artifacts.made(study))
        judging = self.code_digests.code.of_job("claims:judge_replication")
        description = self.claims.studies.description(study)
        configured = {k: v for k, v in description.items() if k not in ("seed", "edition")}
        texts = [
            self.code_digests.code.folded(frozenset([judging]).union(*behind)),
            json.dumps(_without_words(configured), sort_keys=True, default=str),
        ]
        return hash_texts(texts)[:DIGITS]


def _figure(study: str) -> str:
    return f"replications_{study}"


def _without_words(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_words(v) for k, v in value.items() if k not in _WORDS}
    if isinstance(value, list | tuple):
        return [_without_words(each) for each in value]
    return value


class Plan:
    """What one edition makes, from which files, and what the results of its jobs depend on.

    ``run`` is the folder in ``work``: the name of the edition or of a replication. ``known`` is the
    plan of the edition that a replication repeats, to compute shared parts once.
    """

    def __init__(
        self, settings: Settings, folders: RunFolders | Path, known: Plan | None = None
    ) -> None:
        if isinstance(folders, Path):
            folders = RunFolders(folders)
        self.folders = folders
        self.settings = settings
        self.edition = settings.edition
        self.run = settings.run
        self.datasets: PlannedDatasets = PlannedDatasets(
            settings, known.datasets if known else None, folders
        )
        self.accepted = AcceptedResults(self.datasets)
        # Computations on the datasets, and the artifacts made from all of them.
        self.experiments = PlannedExperiments(settings, self.datasets)
        self.judgment_samplings = PlannedJudgmentSamplings(self.experiments)
        self.simulations = PlannedSimulations(settings, self.datasets)
        self.searches = PlannedSearches(settings, self.accepted)
        self.artifacts = PlannedArtifacts(
            self.experiments, self.judgment_samplings, self.simulations, self.searches
        )
        self.descriptions = ArtifactDescriptions(settings, self.artifacts)
        self.code: PlannedCode = PlannedCode(
            settings, folders.repository, known.code if known else None
        )
        self.studies = PlannedStudies(settings, self.artifacts, self.descriptions)
        self.claims = PlannedClaims(self.studies, folders)
        self.errata = PlannedErrata(self.studies, folders)
        self.paper = PlannedPaper(self.studies, self.claims, folders)
        self.code_digests = CodeDigests(settings, self.artifacts, self.claims, self.code)
        self.replications = PlannedReplications(settings, self.claims, self.code_digests)
        self.site = PlannedSite(settings, self.studies, self.claims, self.paper, folders)
        self.sizes = PlannedSizes(settings, self.datasets)
        self.shards = PlannedShards(settings, self.experiments, self.sizes)

    def targets(self) -> dict[str, list[str]]:
        """Return the files of each named target: studies, replications, the paper and the site."""
        studies = self.studies
        made = {name: studies.files(name) + studies.shown_files(name) for name in studies.specs}
        return {
            **made,
            "replications": self.replications.files(),
            "paper": self.paper.files(),
            "site": [self.site.folder()],
        }


# The plans of all editions, and those of replications, which are made on request.


class Plans(Mapping[str, Plan]):
    """Plans by edition, and by the name of a replication; iteration gives only the editions."""

    def __init__(self, folders: RunFolders, overrides: Mapping[str, Any]) -> None:
        self._folders = folders
        self._overrides = overrides
        self._editions: dict[str, Plan] = {
            edition: Plan(load_settings(folders.config, edition, overrides), folders)
            for edition in EDITIONS
        }
        if "local_mirrors" in overrides:
            _check_mirrors(self._editions["full"].datasets.missing_mirrors())
        self._unseeded: dict[tuple[str, bool], RepeatedSettings] = {}
        self._runs: dict[str, Plan] = {}

    def __getitem__(self, name: str) -> Plan:
        """Return the plan of an edition, or of a replication such as ``full-r01``."""
        if name in self._editions:
            return self._editions[name]
        if name not in self._runs:
            self._runs[name] = self._plan_of_run(name)
        return self._runs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._editions)

    def __len__(self) -> int:
        return len(self._editions)

    def code_behind(self, digest: str) -> CodeBehind | None:
        """Return the code behind a job's digest; None if no plan has computed it."""
        plans = (*self._editions.values(), *self._runs.values())
        return next(filter(None, (plan.code.behind(digest) for plan in plans)), None)

    def _plan_of_run(self, name: str) -> Plan:
        edition, short = edition_of_run(name)
        kind = edition, "-" in short
        if kind not in self._unseeded:
            self._unseeded[kind] = load_repeated_settings(
                self._folders.config, edition, self._overrides, crossed=kind[1]
            )
        settings = with_seeds_of(self._unseeded[kind], name)
        plan = Plan(settings, self._folders, self._editions[edition])
        spec = settings.replications
        if short in spec.names and spec.datasets_in(short) != spec.datasets:
            plan.replications.whole = self[f"{edition}-{spec.names[0]}"].replications
        return plan


def _check_mirrors(missing: list[Path]) -> None:
    """Refuse missing mirrors, without which a run would plan other data."""
    for mirror in missing:
        hint = (
            (" (~ does not stand for the home folder here; write its full path)")
            if "~" in mirror.parts
            else ""
        )
        raise ValueError(
            f"local_mirrors names the folder {mirror.as_posix()}, which does not exist{hint}. "
            "Correct the name, or set local_mirrors=[]."
        )


RUN_FILE = "run.json"
"""In ``work/<edition>``: what the last run was given, what it planned, on which processor and with
which arithmetic."""

HERE = RunFolders()
"""The folders of a command in the repository."""

SPLITS_METADATA = "metadata of the splits"
"""Key of provenance records that no plan has: it is known only when the splits are made."""


def record_run(plan: Plan, given: Mapping[str, Any], commit: str = "") -> None:
    """Record the given settings of a run, its plan and commit; call this before the first job."""
    content = {
        "given": given,
        "datasets": _available(plan),
        "descriptions": _digests_of_descriptions(plan),
        "versions": versions(),
        "commit": commit,
        **described_processor(),
    }
    text = json.dumps(content, indent=1, sort_keys=True, default=str)
    write_atomically(run_file(plan.edition), f"{text}\n")


def run_file(edition: str) -> Path:
    """Return the path of the record of an edition's last run."""
    return Path("work") / edition / RUN_FILE


def plan_of_last_run(edition: str | None = None, folders: RunFolders = HERE) -> Plan:
    """Plan as the last run of an edition did, if its settings still give the same plan."""
    chosen = edition or load_settings(folders.config).edition
    path = run_file(chosen)
    if not path.is_file():
        raise ValueError(
            f"There is no {path.as_posix()}, so nothing has been run. Run the workflow first: "
            f"snakemake --cores all --config edition={chosen}."
        )
    record = _read_record(path, given=dict, datasets=dict, descriptions=dict)
    if record is None:
        raise ValueError(
            f"{path.as_posix()} is not a record of a run. Delete it, and run the workflow again."
        )
    datasets, told = record["datasets"], record["descriptions"]
    plan = Plan(load_settings(folders.config, chosen, record["given"]), folders)
    changed = sorted(
        name for name, available in _available(plan).items() if datasets.get(name) != available
    )
    if changed:
        raise ValueError(
            f"The available datasets have changed since {path.as_posix()} was written: "
            f"{', '.join(changed)}. Run the workflow again."
        )
    described = _digests_of_descriptions(plan)
    changed = sorted(name for name in {*described, *told} if told.get(name) != described.get(name))
    if changed:
        raise ValueError(
            f"The configuration of {', '.join(changed)} has changed since {path.as_posix()} was "
            "written. Run the workflow again."
        )
    return plan


def check_artifacts(plan: Plan, *, recorded: bool) -> None:
    """Refuse artifacts that do not belong to a plan, or a plan of which there is no artifact.

    The artifacts of a study must not be of a run with other configuration or data. With
    ``recorded``, every study must have a record of provenance of exactly these results and the
    present code. Otherwise a partly made study may lack one.
    """
    found = bool(plan.replications.made())
    for study in plan.studies.specs:
        results = plan.studies.provenance_inputs(study)["results"]
        made = [file for file in map(Path, results) if file.is_file()]
        found = found or bool(made)
        if made:
            for reason in _differences(plan, study, recorded=recorded):
                raise ValueError(
                    f"work/{plan.edition}/artifacts/{study} is not from the last run, which "
                    f"{run_file(plan.edition).as_posix()} records: {reason}. Make the study "
                    f"again with the same configuration: snakemake --cores all {study} --config "
                    "..."
                )
    if not found:
        raise ValueError(
            f"The last run made no artifact: work/{plan.edition}/artifacts contains no artifact "
            "of this plan."
        )


def _differences(plan: Plan, study: str, *, recorded: bool) -> Iterator[str]:
    """Yield the differences between the artifacts of a study and those that the plan would make."""
    path = plan.studies.record_file(study)
    if not Path(path).is_file():
        if recorded:
            yield f"{path} is missing, as it is after a run that did not finish"
        return
    record = _read_record(Path(path), config=dict, absent=list, code=dict, results=dict)
    if record is None:
        yield f"{path} is not a record of provenance and must be deleted"
        return
    told = {key: value for key, value in record["config"].items() if key != SPLITS_METADATA}
    planned = _plain(plan.studies.description(study))
    other = sorted(key for key in {*told, *planned} if told.get(key) != planned.get(key))
    if other:
        yield f"it was made with other settings ({', '.join(other)})"
    if record["absent"] != sorted(plan.studies.absent(study)):
        without = ", ".join(map(str, record["absent"]))
        yield f"it was made {f'without {without}' if without else 'with all its datasets'}"
    if recorded:
        if record["code"] != _plain(plan.code_digests.of_study(study)):
            yield "the code behind it, a library or the arithmetic has changed since"
        now = checksums_of_results(map(Path, plan.studies.provenance_inputs(study)["results"]))
        changed = sorted(name for name in now if record["results"].get(name) != now[name])
        if changed:
            others = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            yield f"{', '.join(changed[:3])}{others} differs from its record"


def _read_record(path: Path, **types: type) -> dict[str, Any] | None:
    """Return the content of a record; None if one of the keys is missing or of another type."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    whole = all(isinstance(record.get(key), kind) for key, kind in types.items())
    return record if whole else None


def _available(plan: Plan) -> dict[str, bool]:
    return {name: plan.datasets.is_available(name) for name in plan.settings.datasets}


def _digests_of_descriptions(plan: Plan) -> dict[str, str]:
    """Return a digest of each study's configuration as provenance records it."""
    texts = {
        name: json.dumps(plan.studies.description(name), sort_keys=True, default=str)
        for name in plan.studies.specs
    }
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def _plain(value: Any) -> Any:
    """Return a value as it is after writing and reading JSON."""
    return json.loads(json.dumps(value, default=str))
