# SPDX-License-Identifier: MIT
"""The plans of all editions, and those of replications, which are made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reproduction.config.repeated_settings import (
    RepeatedSettings,
    edition_of_run,
    load_repeated_settings,
    with_seeds_of,
)
from reproduction.config.settings import EDITIONS, load_settings
from reproduction.workflow.plan.folders import RunFolders
from reproduction.workflow.plan.plan import Plan
from reproduction.workflow.provenance.loaded_sources import CodeBehind


class Plans(Mapping[str, Plan]):
    """Plans by edition, and by the name of a replication.

    Iteration gives the editions alone, so that a run that repeats nothing plans no replication.

    Raises
    ------
    ValueError
        The configuration cannot be used, or the overrides name a local mirror that is not there.
    """

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
        """Return the code that a job's digest is of; None if no plan has worked it out."""
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
        return Plan(settings, self._folders, self._editions[edition])


def _check_mirrors(missing: list[Path]) -> None:
    """Refuse a mirror that somebody has just named: without it a run would plan other data."""
    for mirror in missing:
        hint = " (~ is no home folder here: write it out)" if "~" in mirror.parts else ""
        raise ValueError(
            f"There is no folder {mirror.as_posix()}, which local_mirrors names{hint}. Correct the "
            "name, or leave it out: local_mirrors=[]."
        )
