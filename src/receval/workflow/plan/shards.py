# SPDX-License-Identifier: MIT
"""Which systems are shared out by shards of users, into how many, and what their jobs read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from receval.config.settings import Settings
from receval.workflow.plan.experiments import PlannedExperiments
from receval.workflow.plan.sizes import JobSize, PlannedSizes

FITTED_BY_USERS = frozenset({"receval.recommenders.knn:UserKNN"})
"""Classes whose ``FITS_SOME_USERS`` is true, which no plan imports; a test compares the two."""

RATINGS_A_SHARD = 12_500_000
"""Of a system that is fitted for some users alone, unless told: Netflix has eight shards.

All pairs of users take a time that grows with users times ratings, so more than one job should have
it only where that is hours: all shards together compare each pair nearly twice.
"""


class PlannedShards:
    """How the users of an edition's systems are shared out.

    Parameters
    ----------
    settings : Settings
        The edition's configuration.
    experiments : PlannedExperiments
    sizes : PlannedSizes
    """

    def __init__(
        self, settings: Settings, experiments: PlannedExperiments, sizes: PlannedSizes
    ) -> None:
        self.settings = settings
        self.experiments = experiments
        self.sizes = sizes

    def number(self, dataset: str, system: str) -> int:
        """Return into how many shards a system's users on a dataset are divided: 1 for one job."""
        asked = self.settings.shards
        if isinstance(asked, dict):
            asked = asked.get(dataset, "auto")
        if asked != "auto":
            return asked
        if self.settings.edition == "demo" or not self._fits_some_users(system):
            return 1
        ratings = self.settings.datasets[dataset].expected.ratings or 0
        return max(1, ratings // RATINGS_A_SHARD)

    def is_fitted_by_shard(self, dataset: str, system: str) -> bool:
        """Return whether each shard trains for its own users, so that there are no models."""
        return (
            self.number(dataset, system) > 1
            and self._fits_some_users(system)
            and (dataset, system) not in self._with_models_read
        )

    def _fits_some_users(self, system: str) -> bool:
        spec = self.settings.systems[system]
        return spec.recommender in FITTED_BY_USERS and spec.order == "codes"

    @cached_property
    def _with_models_read(self) -> frozenset[tuple[str, str]]:
        """The (dataset, system) whose models artifacts read."""
        return frozenset(
            (study.experiments[name].dataset, system)
            for study in self.settings.studies.values()
            for artifact in study.artifacts.values()
            if artifact.reads_models
            for name in artifact.experiments
            for system in study.experiments[name].all_systems
        )

    def models(self, dataset: str, split: str, system: str) -> list[str]:
        """Return the folder of the models that a shard reads; none if it trains by itself."""
        if self.is_fitted_by_shard(dataset, system):
            return []
        return [self.experiments.models_folder(dataset, split, system)]

    def files(self, dataset: str, split: str, system: str) -> list[str]:
        """Return the files of the judged ranks of all shards, in their order."""
        folder = f"work/{self.settings.run}/{dataset}/{split}/{system}/shards"
        number = self.number(dataset, system)
        return [f"{folder}/{_name(each, number)}.npz" for each in range(1, number + 1)]

    def position(self, shard: str) -> tuple[int, int]:
        """Return number and count of a shard by its name, such as ``3-of-8``."""
        number, _, count = shard.partition("-of-")
        return int(number), int(count)

    def size(self, dataset: str, system: str) -> JobSize:
        """Return the size of the job of one shard."""
        return self.sizes.shard(dataset, self.number(dataset, system))

    def pattern(self) -> str:
        """Return a regular expression of the judged ranks, below ``work``, that are joined.

        Those of replications, which have the shards of their edition, are among them.
        """
        by_dataset = (
            (dataset, [s for s in self.settings.systems if self.number(dataset, s) > 1])
            for dataset in self.settings.datasets
        )
        ranks = [f"{name}/[^/]+/(?:{'|'.join(systems)})" for name, systems in by_dataset if systems]
        edition = self.settings.edition
        return rf"{edition}(?:-[^/]+)?/(?:{'|'.join(ranks)})/ranks[.]npz" if ranks else ""

    def stale_files(self) -> list[Path]:
        """Return what lies there of shards of another number than the planned one.

        A run that was stopped has left it, and its configuration has been changed since.
        """
        known = self.settings
        folder = Path("work") / known.run
        return sorted(
            path
            for path in folder.glob("*/*/*/shards/*.npz")
            for dataset, _, system in [path.parts[len(folder.parts) : -2]]
            if dataset not in known.datasets
            or system not in known.systems
            or not re.fullmatch(rf"[0-9]+-of-{self.number(dataset, system)}", path.stem)
        )


def joined_ranks(plans: Iterable[PlannedShards]) -> str:
    """Return a regular expression of the judged ranks, below ``work``, that any plan joins.

    It matches nothing where no plan shares anything out.
    """
    return "|".join(filter(None, (plan.pattern() for plan in plans))) or "(?!)"


def _name(number: int, count: int) -> str:
    return f"{number}-of-{count}"
