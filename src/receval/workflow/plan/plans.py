# SPDX-License-Identifier: MIT
"""The plans of all editions, and those of replications, which are made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from receval.config.repeated_settings import (
    RepeatedSettings,
    edition_of_run,
    load_repeated_settings,
    with_seeds_of,
)
from receval.config.settings import EDITIONS, load_settings
from receval.provenance.loaded_sources import CodeBehind
from receval.workflow.plan.folders import RunFolders
from receval.workflow.plan.plan import Plan


class Plans(Mapping[str, Plan]):
    """Plans by edition, and by the name of a replication.

    Iteration gives the editions alone, so that a run that repeats nothing plans no replication.

    Parameters
    ----------
    folders : RunFolders
        What is read and not made, the configuration among it.
    overrides : mapping
        From ``--config`` and ``--configfile``.
    """

    def __init__(self, folders: RunFolders, overrides: Mapping[str, Any]) -> None:
        self._folders = folders
        self._overrides = overrides
        self._editions: dict[str, Plan] = {
            edition: Plan(load_settings(folders.config, edition, overrides), folders)
            for edition in EDITIONS
        }
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
