# SPDX-License-Identifier: MIT
"""Plan which systems are divided into shards of folds and users, and what their jobs read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from reproduction.config.settings import Settings
from reproduction.workflow.plan.experiments import PlannedExperiments
from reproduction.workflow.plan.sizes import JobSize, PlannedSizes

FITTED_BY_USERS = frozenset({"receval.recommenders.knn:UserKNN"})
"""Classes whose ``FITS_SOME_USERS`` is true. Plans do not import them; a test compares."""

RATINGS_A_SHARD = 12_500_000
"""Default number of ratings per shard of a system fitted for some users: 8 shards of Netflix.

Data with fewer than twice as many ratings is not divided. The time for all pairs of users grows
with users times ratings, and all shards together compare each pair of a fold nearly twice. So users
should be divided only if this takes hours. A job for each fold costs no more than one for all,
except for reading the ratings.
"""


class PlannedShards:
    """How the folds and users of an edition's systems are divided into shards."""

    def __init__(
        self, settings: Settings, experiments: PlannedExperiments, sizes: PlannedSizes
    ) -> None:
        self.settings = settings
        self.experiments = experiments
        self.sizes = sizes

    def number(self, dataset: str, split: str, system: str) -> int:
        """Return the number of shards of a system on a split; 1 if it is not divided."""
        asked = self.settings.shards
        if isinstance(asked, dict):
            asked = asked.get(dataset, "auto")
        if isinstance(asked, int):
            return asked
        most = (self.settings.datasets[dataset].expected.ratings or 0) // RATINGS_A_SHARD
        if self.settings.edition == "demo" or most <= 1:
            return 1
        folds = self._folds(split)
        divides_users = asked == "auto" and self._fits_some_users(system)
        # One fold per shard is better, because no pair is compared twice, unless there are enough
        # shards to divide the users of all folds.
        return most if divides_users and most >= 2 * folds else folds

    def _folds(self, split: str) -> int:
        """Return the number of folds of a split; 1 if only a file tells it."""
        spec = self.settings.splits.get(split)
        return 1 if spec is None or spec.n_folds is None else spec.n_folds

    def is_fitted_by_shard(self, dataset: str, split: str, system: str) -> bool:
        """Return whether each shard trains the system itself, so that no models are stored.

        A shard of whole folds trains on them. If users are divided, the system must be able to
        learn for some users only.
        """
        number = self.number(dataset, split, system)
        has_whole_folds = number <= self._folds(split)
        return (
            number > 1
            and (has_whole_folds or self._fits_some_users(system))
            and (dataset, system) not in self._with_models_read
        )

    def _fits_some_users(self, system: str) -> bool:
        spec = self.settings.systems[system]
        return spec.recommender in FITTED_BY_USERS and spec.order == "codes"

    @cached_property
    def _with_models_read(self) -> frozenset[tuple[str, str]]:
        """The (dataset, system) pairs whose models artifacts read."""
        return frozenset(
            (study.experiments[name].dataset, system)
            for study in self.settings.studies.values()
            for artifact in study.artifacts.values()
            if artifact.reads_models
            for name in artifact.experiments
            for system in study.experiments[name].all_systems
        )

    def models(self, dataset: str, split: str, system: str) -> list[str]:
        """Return the folder of the models that a shard reads; none if it trains the system."""
        if self.is_fitted_by_shard(dataset, split, system):
            return []
        return [self.experiments.models_folder(dataset, split, system)]

    def files(self, dataset: str, split: str, system: str) -> list[str]:
        """Return the files of the judged ranks of all shards, in their order."""
        folder = f"work/{self.settings.run}/{dataset}/{split}/{system}/shards"
        number = self.number(dataset, split, system)
        return [f"{folder}/{_name(each, number)}.npz" for each in range(1, number + 1)]

    def position(self, shard: str) -> tuple[int, int]:
        """Return the number of a shard and of all shards from a name such as ``3-of-8``."""
        number, _, count = shard.partition("-of-")
        return int(number), int(count)

    def size(self, dataset: str, split: str, system: str) -> JobSize:
        """Return the size of the job of one shard."""
        return self.sizes.shard(dataset, self.number(dataset, split, system), self._folds(split))

    def pattern(self) -> str:
        """Return a regular expression of the judged ranks, below ``work``, that are joined.

        It includes replications, which have the shards of their edition.
        """
        ranks = []
        for dataset in self.settings.datasets:
            splits_by_systems: dict[tuple[str, ...], list[str]] = {}
            for split in self.settings.splits:
                systems = (s for s in self.settings.systems if self.number(dataset, split, s) > 1)
                splits_by_systems.setdefault(tuple(systems), []).append(split)
            ranks += [
                f"{dataset}/(?:{'|'.join(splits)})/(?:{'|'.join(systems)})"
                for systems, splits in splits_by_systems.items()
                if systems
            ]
        edition = self.settings.edition
        return rf"{edition}(?:-[^/]+)?/(?:{'|'.join(ranks)})/ranks[.]npz" if ranks else ""

    def stale_files(self) -> list[Path]:
        """Return the files of shards whose number differs from the planned one.

        They are of a stopped run with another configuration.
        """
        known = self.settings
        folder = Path("work") / known.run
        return sorted(
            path
            for path in folder.glob("*/*/*/shards/*.npz")
            for dataset, split, system in [path.parts[len(folder.parts) : -2]]
            if dataset not in known.datasets
            or system not in known.systems
            or not re.fullmatch(rf"[0-9]+-of-{self.number(dataset, split, system)}", path.stem)
        )


def joined_ranks(plans: Iterable[PlannedShards]) -> str:
    """Return a regular expression of the judged ranks, below ``work``, that some plan joins.

    It matches nothing if no plan divides a system.
    """
    return "|".join(filter(None, (plan.pattern() for plan in plans))) or "(?!)"


def _name(number: int, count: int) -> str:
    return f"{number}-of-{count}"
