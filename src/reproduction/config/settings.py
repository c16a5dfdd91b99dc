# SPDX-License-Identifier: MIT
"""Read, merge and check the whole configuration of one edition.

The configuration of a replication is that of its edition, with the repeated studies and other
seeds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from receval.spec_types import Identifier, Model, Size
from receval.splits.kinds import AnySplitSpec, KFold
from receval.storage.messages import enumerated, quoted
from reproduction.config.reading import check_name, read_yaml, validated
from reproduction.config.studies import (
    RUNS,
    Edition,
    ReplicationsSpec,
    StudySpec,
    as_words,
    seed_names,
)
from reproduction.config.systems import (
    DisplaySpec,
    Parameter,
    SearchesSpec,
    SkewnessSpec,
    SystemSpec,
)
from reproduction.datasets.spec import DatasetSpec
from reproduction.drift.spec import DriftSpec
from reproduction.simulation.spec import TwinSpec

EDITIONS: tuple[Edition, ...] = ("demo", "full")

Shards = Literal["auto", "folds"] | Size


class Settings(Model):
    """All settings of one edition.

    - ``edition``: The edition of targets without an edition in their path: synthetic twins or real
      data.
    - ``seed``: The root of all seeds.
    - ``network``: Whether datasets may be downloaded; with ``off`` the network is never used.
    - ``local_mirrors``: Folders with one folder of raw files per dataset, tried before any
      download, relative to the folder that has ``config``. A folder that does not exist is skipped.
    - ``figures``: The formats of figures: ``svg``, or ``svg`` and ``pdf``.
    - ``leave_out``: Datasets to leave out of the plan although they are available.
    - ``plugins``: Other packages whose code (systems and parsers) the configuration may name.
    - ``accepted_searches``: Whether traces of searches for settings are taken from the accepted
      results instead of new searches.
    - ``shards``: Number of shards (of folds and users) for training and ranking each system, on all
      datasets or by dataset, where unnamed datasets have ``auto``. That is one shard, or on many
      million ratings one per fold, or more for neighbourhoods, whose users are divided. ``folds``
      is the same but never divides users (:mod:`reproduction.workflow.plan.job_sizes`). Results do
      not depend on it.
    - ``datasets``, ``twins``, ``splits``, ``systems``, ``display``, ``searches``, ``simulations``:
      The files of the same names.
    - ``studies``: The studies of the edition.
    - ``drift``: Tolerances of the comparison with the accepted results.
    - ``replications``: The replications with other root seeds.
    - ``repeat``: The replications that ``snakemake replications`` makes
      (:meth:`.ReplicationsSpec.chosen`).
    """

    edition: Edition = "full"
    seed: Annotated[int, Field(ge=0)]
    network: bool
    local_mirrors: tuple[str, ...]
    figures: tuple[Literal["svg"]] | tuple[Literal["svg"], Literal["pdf"]] = ("svg", "pdf")
    leave_out: tuple[Identifier, ...] = ()
    plugins: tuple[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...] = ()
    accepted_searches: bool = False
    shards: Shards | dict[Identifier, Shards] = "auto"
    datasets: dict[Identifier, DatasetSpec]
    twins: dict[Identifier, TwinSpec]
    splits: dict[Identifier, AnySplitSpec]
    systems: dict[Identifier, SystemSpec]
    display: DisplaySpec
    searches: SearchesSpec
    simulations: dict[Identifier, SkewnessSpec]
    studies: dict[Identifier, StudySpec]
    drift: DriftSpec
    replications: ReplicationsSpec
    repeat: Annotated[tuple[str, ...], BeforeValidator(as_words)] = ("all",)

    @property
    def run(self) -> str:
        """The edition or its replication, as the folder in ``work`` and the wildcard."""
        return self.edition

    @property
    def split_run(self) -> str:
        """The run whose splits are read; another run only if it has the same splits."""
        return self.run

    @property
    def model_run(self) -> str:
        """The run whose models are read; another run only if it has the same models."""
        return self.run

    @property
    def root_seeds(self) -> tuple[int, int, int]:
        """The roots of the seeds of splits, of systems, and of candidate sampling and ties."""
        return (self.seed, self.seed, self.seed)

    def system_parameters(self, split: str, system: str) -> dict[str, Parameter]:
        """Return the parameters of a system that is trained on a split."""
        return self.systems[system].parameters

    @property
    def split_seed(self) -> int:
        """The root of the seeds of splits."""
        return self.root_seeds[0]

    @property
    def system_seed(self) -> int:
        """The root of the seeds of systems."""
        return self.root_seeds[1]

    @property
    def candidate_seed(self) -> int:
        """The root of the seeds of candidate sampling and of tie-breaking."""
        return self.root_seeds[2]

    @model_validator(mode="after")
    def _replications_are_known(self) -> Self:
        self.replications.chosen(self.repeat)
        return self

    @model_validator(mode="after")
    def _code_may_be_imported(self) -> Self:
        for name, system in self.systems.items():
            self._check_code(f"the system {name}", system.recommender)
        for name, dataset in self.datasets.items():
            for variant in dataset.variants:
                self._check_code(f"the variant {variant.name} of {name}", variant.parser)
        return self

    def _check_code(self, of: str, code: str) -> None:
        try:
            check_name(code, self.plugins)
        except ValueError as error:
            raise ValueError(f"{of}: {error}") from error

    @model_validator(mode="after")
    def _partitions_are_of_equal_splits(self) -> Self:
        # Not checked in the model of a split, which does not know the other splits.
        for name, split in self.splits.items():
            if not isinstance(split, KFold) or split.partition_of is None:
                continue
            where = f"the split {name} uses the partition of {split.partition_of}"
            other = self.splits.get(split.partition_of)
            if other is None:
                raise ValueError(
                    f"{where}, which is not defined. The defined splits are "
                    f"{enumerated(self.splits)}"
                )
            if not isinstance(other, KFold):
                raise ValueError(
                    f"{where}, but its kind is {other.kind}. Only k-fold splits have a partition"
                )
            if other.partition_of is not None:
                raise ValueError(
                    f"{where}, which itself uses the partition of {other.partition_of}. Name a "
                    "split that has its own partition"
                )
            own, others = split.model_dump(), other.model_dump()
            different = [key for key in own if own[key] != others[key] and key != "partition_of"]
            if different:
                raise ValueError(
                    f"{where}, but differs from it in {enumerated(different)}, which would give "
                    "another partition. Give both splits the same value"
                )
        return self

    @model_validator(mode="after")
    def _names_are_defined(self) -> Self:
        for where, what, names, known in self._named():
            for name in names:
                if name not in known:
                    raise ValueError(
                        f"{where} names the {what} {name}, which is not defined. The defined "
                        f"names are {enumerated(known)}"
                    )
        return self

    def _named(self) -> Iterator[tuple[str, str, Iterable[str], Mapping[str, object]]]:
        """Yield where something is named, what it is, its names, and those that are defined."""
        yield "leave_out", "dataset", self.leave_out, self.datasets
        if isinstance(self.shards, dict):
            yield "shards", "dataset", self.shards, self.datasets
        yield "twins.yaml", "dataset", self.twins, self.datasets
        yield "searches.yaml", "dataset", (self.searches.dataset,), self.datasets
        yield "searches.yaml", "split", (self.searches.split,), self.splits
        for name, system in self.systems.items():
            yield f"the system {name}", "family", (system.family,), self.display.families
        printed = {system.printed_name: system for system in self.systems.values()}
        yield "display.yaml", "shade", self.display.shades, printed
        yield "searches.yaml", "system", self.searches.systems, self.systems
        for name, simulation in self.simulations.items():
            where = f"the simulation {name}"
            yield where, "dataset", (simulation.dataset,), self.datasets
            yield where, "system", simulation.systems, self.systems
        for study_name, study in self.studies.items():
            for name, experiment in study.experiments.items():
                where = f"the experiment {name} of {study_name}"
                yield where, "dataset", (experiment.dataset,), self.datasets
                yield where, "split", experiment.all_splits, self.splits
                yield where, "system", experiment.all_systems, self.systems
            for name, artifact in study.artifacts.items():
                where = f"the artifact {name} of {study_name}"
                yield where, "dataset", artifact.datasets, self.datasets
                yield where, "split", artifact.all_splits, self.splits
                yield where, "simulation", artifact.simulations, self.simulations

    @model_validator(mode="after")
    def _generated_datasets_are_described(self) -> Self:
        for name, entry in self.datasets.items():
            if entry.access == "generated" and name not in self.twins:
                raise ValueError(
                    f"the dataset {name} is generated, but twins.yaml has no entry for it. Add "
                    "an entry there, or change its access"
                )
        return self

    @model_validator(mode="after")
    def _searches_and_simulations_train_on_ratings(self) -> Self:
        trained = [
            ("searches", f"searches.yaml has a search for {n}", n) for n in self.searches.systems
        ]
        trained += [
            ("simulations", f"the simulation {name} has the system {system}", system)
            for name, simulation in self.simulations.items()
            for system in simulation.systems
        ]
        for who, where, name in trained:
            spec = self.systems[name]
            if (spec.learns_from, spec.order) != ("ratings", "codes"):
                raise ValueError(
                    f"{where}, which learns from {spec.learns_from} in the order of "
                    f"{spec.order}. Systems in {who} must train on ratings in the order of codes"
                )
        return self

    @model_validator(mode="after")
    def _pages_and_tables_have_different_names(self) -> Self:
        artifacts = [
            (study_name, name, artifact.kind)
            for study_name, study in self.studies.items()
            for name, artifact in study.artifacts.items()
        ]
        pages = {name for _, name, kind in artifacts if kind == "page"}
        for study_name, name, kind in artifacts:
            if name in pages and kind == "table":
                raise ValueError(
                    f"{name} is a table of {study_name} and a page of another study, but "
                    f"different rules would write both as {name}.md. Rename one of them"
                )
        return self


SomeSettings = TypeVar("SomeSettings", bound=Settings)


def chosen_edition(
    folder: Path, overrides: Mapping[str, Any], edition: str | None = None
) -> Edition:
    """Return the edition that is given by name, by the overrides, or by ``config.yaml``."""
    named = edition or overrides.get("edition") or read_yaml(folder / "config.yaml").get("edition")
    for known in EDITIONS:
        if named == known:
            return known
    raise ValueError(
        f"There is no edition {quoted(named)}. The editions are {' and '.join(EDITIONS)}."
    )


# Merging of the configuration files, before they are checked.

FILES = (
    *("datasets", "twins", "splits", "systems", "display", "searches", "simulations"),
    *("drift", "replications"),
)
"""Names of files without suffix; each file is the value of the key with its name."""


def content_of_edition(folder: Path, edition: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the merged configuration of one edition as plain values, unchecked."""
    content: dict[str, Any] = {name: read_yaml(folder / f"{name}.yaml") for name in FILES}
    content["studies"] = {
        path.stem: read_yaml(path) for path in sorted((folder / "studies").glob("*.yaml"))
    }
    content = merged(content, read_yaml(folder / "config.yaml"))
    if edition == "demo":
        content = merged(content, read_yaml(folder / "demo.yaml"))
    content = merged(content, given)
    content["edition"] = edition
    content["studies"] = _of_edition(content["studies"], edition)
    studies = content["studies"].values() if isinstance(content["studies"], Mapping) else ()
    for study in studies:
        if isinstance(study, dict) and "artifacts" in study:
            study["artifacts"] = _of_edition(study["artifacts"], edition)
    return content


def _of_edition(specs: Any, edition: str) -> Any:
    """Return the studies, or artifacts, that an edition has.

    Invalid values stay, so that the models refuse them with their messages.
    """
    if not isinstance(specs, Mapping):
        return specs

    def has_it(spec: Any) -> bool:
        editions = spec.get("editions") if isinstance(spec, Mapping) else None
        return not isinstance(editions, list | tuple) or edition in editions

    return {name: spec for name, spec in specs.items() if has_it(spec)}


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with changes merged into it, key by key at every depth."""
    result = dict(base)
    for key, value in changes.items():
        there = result.get(key)
        if isinstance(there, Mapping) and isinstance(value, Mapping):
            result[key] = merged(there, value)
        else:
            result[key] = value
    return result


def load_settings(
    folder: Path, edition: str | None = None, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """Read the configuration of one edition.

    In order of precedence, it merges the settings of the command line, the edition's own file
    (``demo.yaml``), ``config.yaml``, and the files of datasets, twins, splits, systems, display,
    searches, simulations, drift, replications and studies. Mappings are merged key by key,
    everything else is replaced. An error has one sentence per problem.
    """
    given = dict(overrides or {})
    chosen = chosen_edition(folder, given, edition)
    return checked(Settings, folder, content_of_edition(folder, chosen, given))


def checked(model: type[SomeSettings], folder: Path, content: Mapping[str, Any]) -> SomeSettings:
    """Return merged content as settings."""
    return validated(model, content, f"The configuration in {folder} cannot be used:")


def json_schema() -> str:
    """Return the JSON schema of the merged configuration, as ``config/schema.json`` holds it."""
    return json.dumps(Settings.model_json_schema(), indent=1, sort_keys=True) + "\n"


RUN_NAMES = rf"(?:{'|'.join(EDITIONS)})-(?:{RUNS})"
"""Pattern of the full names of runs, such as ``full-r01``, which name their folders in ``work``."""

UNSEEDED = ("predefined", "temporal")
"""Kinds of splits that are the same whatever the root seed is."""

_FULL_NAME = re.compile(rf"^({'|'.join(EDITIONS)})-({RUNS})$")


class RepeatedSettings(Settings):
    """The settings of one replication, which replace those of its edition.

    ``run_name`` is ``full-r01``, or ``full-s1-t2-c3`` of the crossed design. ``roots`` are the root
    seeds of splits, of systems and of candidate sampling. All else that is random, such as removed
    judgments and simulated ratings, has ``seed``: the root of all three in a replication, and that
    of the edition in the crossed design.
    """

    run_name: str
    roots: tuple[int, int, int]

    @property
    def run(self) -> str:
        return self.run_name

    @property
    def split_run(self) -> str:
        """In the crossed design, the first run of this seed of splits."""
        return re.sub(r"-t\d-c\d$", "-t1-c1", self.run_name)

    @property
    def model_run(self) -> str:
        """In the crossed design, the first run of these seeds of splits and systems."""
        return re.sub(r"-c\d$", "-c1", self.run_name)

    @property
    def root_seeds(self) -> tuple[int, int, int]:
        return self.roots

    def system_parameters(self, split: str, system: str) -> dict[str, Parameter]:
        """Return the parameters of a system; where the split is fixed, LibRec draws anew.

        LibRec's systems draw the same numbers in every training. Where a replication has the same
        training ratings, too, these numbers are all that can differ.
        """
        parameters = super().system_parameters(split, system)
        if "librec_seed" not in parameters or self.splits[split].kind not in UNSEEDED:
            return parameters
        # Imported here because plans without replications do not need numpy.
        from receval.seeds import integer_seed

        return parameters | {"librec_seed": integer_seed(self.system_seed, "librec_seed", system)}


def edition_of_run(run: str) -> tuple[str, str]:
    """Return the edition that a run repeats, and the run's name within it.

    Examples
    --------
    >>> edition_of_run("full-r01")
    ('full', 'r01')
    """
    found = _FULL_NAME.match(run)
    if found is None:
        raise KeyError(f"There is no run {quoted(run)}. Use a name such as full-r01.")
    return found[1], found[2]


def load_repeated_settings(
    folder: Path, edition: str, overrides: Mapping[str, Any] | None = None, *, crossed: bool = False
) -> RepeatedSettings:
    """Read the configuration of the replications of an edition, or of its crossed design."""
    content = content_of_edition(folder, edition, dict(overrides or {}))
    # The specification of replications is checked first, because the rest depends on it.
    spec = checked(Settings, folder, content).replications
    wanted: dict[str, tuple[str, ...]] = {n: s.artifacts for n, s in spec.studies.items()}
    if crossed:
        wanted = {spec.crossed.study: spec.crossed.artifacts}
    studies = {}
    for name, artifacts in wanted.items():
        if name not in content["studies"]:
            continue
        study = content["studies"][name]
        for departure in spec.studies[name].otherwise if name in spec.studies else ():
            study = merged(study, departure.changes)
        kept = {each: study["artifacts"][each] for each in artifacts if each in study["artifacts"]}
        studies[name] = {**study, "artifacts": kept, "findings": []}
    content["studies"] = studies
    datasets = set((spec.crossed if crossed else spec).datasets)
    left_out = [name for name in content["datasets"] if name not in datasets]
    content["leave_out"] = list(dict.fromkeys([*content.get("leave_out", ()), *left_out]))
    unseeded = {"run_name": "", "roots": (0, 0, 0)}
    return checked(RepeatedSettings, folder, content | unseeded)


def with_seeds_of(settings: RepeatedSettings, run: str) -> RepeatedSettings:
    """Return settings with the root seeds of a run, which follow from its name."""
    _, name = edition_of_run(run)
    # Imported here because plans without replications do not need numpy.
    from receval.seeds import integer_seed

    spec = settings.replications
    if name not in (*spec.names, *spec.crossed.names):
        raise KeyError(
            f"There is no replication {name}. The replications are {spec.names[0]} to "
            f"{spec.names[-1]} and {spec.crossed.names[0]} to {spec.crossed.names[-1]} "
            "(config/replications.yaml)."
        )
    roots = tuple(integer_seed(settings.seed, "replication", part) for part in seed_names(name))
    own: dict[str, Any] = {"run_name": run, "roots": roots, "seed": settings.seed}
    if name in spec.names:
        left_out = set(spec.datasets) - set(spec.datasets_in(name))
        own |= {"seed": roots[0], "leave_out": (*settings.leave_out, *sorted(left_out))}
    return settings.model_copy(update=own)
