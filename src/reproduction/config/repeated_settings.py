# SPDX-License-Identifier: MIT
"""The configuration of a replication: its edition's, with the repeated studies and other seeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from receval.storage.messages import quoted
from reproduction.config.replications import RUNS, ReplicationsSpec, seed_names
from reproduction.config.settings import EDITIONS, Settings, checked, content_of_edition, merged

RUN_NAMES = rf"(?:{'|'.join(EDITIONS)})-(?:{RUNS})"
"""Pattern of the full names of runs, such as ``full-r01``, which name their folders in ``work``."""

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
        """The name of the folder in ``work``, and the value of the wildcard."""
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
        """The roots of the seeds of splits, of systems and of candidate sampling."""
        return self.roots


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
    there = [name for name in wanted if name in content["studies"]]
    content["studies"] = {
        name: _repeated_study(content["studies"][name], wanted[name], _changes(spec, name))
        for name in there
    }
    datasets = set((spec.crossed if crossed else spec).datasets)
    left_out = [name for name in content["datasets"] if name not in datasets]
    content["leave_out"] = list(dict.fromkeys([*content.get("leave_out", ()), *left_out]))
    unseeded = {"run_name": "", "roots": (0, 0, 0)}
    return checked(RepeatedSettings, folder, content | unseeded)


def _changes(spec: ReplicationsSpec, study: str) -> list[Mapping[str, Any]]:
    repeated = spec.studies.get(study)
    return [departure.changes for departure in repeated.otherwise] if repeated else []


def _repeated_study(
    study: Mapping[str, Any], artifacts: Iterable[str], changes: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    for change in changes:
        study = merged(study, change)
    kept = {name: study["artifacts"][name] for name in artifacts if name in study["artifacts"]}
    return {**study, "artifacts": kept}


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
    seed = roots[0] if name in spec.names else settings.seed
    return settings.model_copy(update={"run_name": run, "roots": roots, "seed": seed})
