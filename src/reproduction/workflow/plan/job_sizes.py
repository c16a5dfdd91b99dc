# SPDX-License-Identifier: MIT
"""The memory and time that jobs request from a cluster, and the shards of large systems."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal

from reproduction.config.settings import Settings
from reproduction.workflow.plan.datasets import PlannedDatasets
from reproduction.workflow.plan.experiments import PlannedExperiments


@dataclass(frozen=True)
class JobSize:
    """The memory and wall time that a job requests, and whether it may share a cluster job.

    A cluster job takes ten seconds to start, so jobs of seconds should share one, but a job of an
    hour should start as soon as possible.
    """

    megabytes: int
    minutes: int
    shares: bool

    def group(self, name: str) -> str | None:
        """Return the name of the job's group in the workflow if it may be in one."""
        return name if self.shares else None

    def memory(self, attempt: int) -> int:
        """Return the memory in MB that an attempt requests; the first attempt is 1."""
        return self.megabytes * attempt

    def runtime(self, attempt: int) -> int:
        """Return the minutes that an attempt requests; the first attempt is 1."""
        return self.minutes * attempt


SMALL = JobSize(megabytes=1000, minutes=10, shares=True)
"""All drawings and tables, and undemanding jobs on at most :data:`SMALL_DATA` ratings.

Of 308 jobs of the demo, none took more than 344 MB or 5 s of processor time, and six of seven less
than 1 s; of 45 trainings on MovieLens 1M none took more than 315 MB or 14 s. About 170
MB of each are the libraries.
"""

MEDIUM = JobSize(megabytes=5000, minutes=60, shares=False)
"""Demanding jobs on at most :data:`SMALL_DATA` ratings.

All pairs of systems in every universe of the multiverse take 1.65 GiB on 3 million ratings, the
longest judgment samplings and searches several minutes.
"""

ITEM_PAIRS = JobSize(megabytes=5000, minutes=120, shares=False)
"""Jobs on more than :data:`MANY_ITEMS` items, whose pairs some systems compare.

With the 66,055 items of BeerAdvocate, item-based kNN takes 3.2 GiB; SLIM trains a fold in 19
minutes, and a split may have five.
"""

MANY_ITEMS = 20_000
"""The number of items above which pairs of items determine a job's size.

Netflix has 17,770, and its pairs of items take less than its ratings.
"""

SMALL_DATA = 2_000_000
"""The number of ratings up to which a job's size is constant; most datasets have fewer."""

_MEGABYTES_A_MILLION = 90
_MINUTES_A_MILLION = 4

_JOINED_MEGABYTES_A_MILLION = 20
"""Shards are joined array by array; the largest has four bytes per judgment, held twice."""


def job_size(ratings: int, *, demanding: bool = False) -> JobSize:
    r"""Return the size of a job by the number of ratings of the largest dataset that it reads.

    Above :data:`SMALL_DATA`, memory and time grow linearly. In a study on :math:`n` million ratings
    (``benchmarks/study_at_scale.py``), the largest job took .40, .57, 1.11, 2.72 and 8.19 GiB for
    :math:`n = 1, 3, 10, 30, 100`, that is at most :math:`.33 + .08 n`. Training all its systems,
    and ranking with most, took 3.7 minutes per million. So Netflix, with 100 million, requests 10
    GB and 7 h.
    """
    size = MEDIUM if demanding else SMALL
    if ratings <= SMALL_DATA:
        return size
    millions = math.ceil(ratings / 10**6)
    return replace(
        size,
        megabytes=size.megabytes + _MEGABYTES_A_MILLION * millions,
        minutes=size.minutes + _MINUTES_A_MILLION * millions,
        shares=False,
    )


def shard_size(ratings: int, shards: int, folds: int = 1) -> JobSize:
    """Return the size of the job of one of several shards of a system."""
    whole = job_size(ratings)
    if ratings <= SMALL_DATA or shards == 1:
        return whole
    parts_of_fold = max(1, shards // folds)
    share_of_folds = math.ceil(folds / shards) / folds
    # Every shard reads all ratings and searches all users for the neighbours of its own.
    megabytes = (whole.megabytes - SMALL.megabytes) * (1 + 1 / parts_of_fold) / 2
    twice = (2 - 1 / parts_of_fold) / parts_of_fold
    minutes = (whole.minutes - SMALL.minutes) * share_of_folds * twice
    return replace(
        whole,
        megabytes=SMALL.megabytes + math.ceil(megabytes),
        minutes=SMALL.minutes + math.ceil(minutes),
    )


class PlannedSizes:
    """Sizes of jobs by the datasets whose ratings they read."""

    def __init__(self, settings: Settings, datasets: PlannedDatasets) -> None:
        self.settings = settings
        self.datasets = datasets

    def of(self, *datasets: str, demanding: bool = False) -> JobSize:
        """Return the size of a job on some datasets, by the most ratings and the most items."""
        # Every job of the demo is small.
        demanding = demanding and self.settings.edition != "demo"
        size = job_size(self._most("ratings", datasets), demanding=demanding)
        return self._with_items(size, datasets)

    def shard(self, dataset: str, shards: int, folds: int = 1) -> JobSize:
        """Return the size of the job of one of several shards of a system on a dataset."""
        size = shard_size(self._most("ratings", [dataset]), shards, folds)
        return self._with_items(size, [dataset])

    def joined(self, dataset: str) -> JobSize:
        """Return the size of the job that joins the judged ranks of shards, array by array."""
        ratings = self._most("ratings", [dataset])
        size = job_size(ratings)
        if size.shares:
            return size
        millions = math.ceil(ratings / 10**6)
        return replace(size, megabytes=SMALL.megabytes + _JOINED_MEGABYTES_A_MILLION * millions)

    def _with_items(self, size: JobSize, datasets: Iterable[str]) -> JobSize:
        """Return a size that is also sufficient for pairs of items."""
        if self._most("items", datasets) <= MANY_ITEMS:
            return size
        return JobSize(
            megabytes=max(size.megabytes, ITEM_PAIRS.megabytes),
            minutes=max(size.minutes, ITEM_PAIRS.minutes),
            shares=False,
        )

    def _most(self, what: Literal["ratings", "items"], datasets: Iterable[str]) -> int:
        """Return the most ratings or items among the available datasets, and 0 for the demo."""
        if self.settings.edition == "demo":
            return 0
        expected = (
            self.settings.datasets[name].expected
            for name in datasets
            if self.datasets.is_available(name)
        )
        return max((getattr(each, what) or 0 for each in expected), default=0)

    def artifact(self, study: str, artifact: str) -> JobSize:
        """Return the size of the job that computes the results of an artifact.

        The results of other artifacts that it reads are always small.
        """
        spec = self.settings.studies[study].artifacts[artifact]
        experiments = self.settings.studies[study].experiments
        sampled = (self._sampled(study, name) for name in spec.judgment_samplings)
        return self.of(
            *spec.datasets,
            *(experiments[name].dataset for name in spec.experiments),
            *chain.from_iterable(sampled),
            *(self.settings.simulations[name].dataset for name in spec.simulations),
            demanding=spec.grid is not None,
        )

    def judgment_sampling(self, study: str, judgment_sampling: str) -> JobSize:
        """Return the size of the job that computes the values of a judgment sampling."""
        return self.of(*self._sampled(study, judgment_sampling), demanding=True)

    def simulation(self, simulation: str) -> JobSize:
        """Return the size of the job that simulates ratings for one system."""
        return self.of(self.settings.simulations[simulation].dataset, demanding=True)

    def _sampled(self, study: str, judgment_sampling: str) -> list[str]:
        spec = self.settings.studies[study]
        names = spec.judgment_samplings[judgment_sampling].experiments
        return [spec.experiments[name].dataset for name in names]


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
        """Return the files of shards of another number, of a run with other settings."""
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
    """Return a regular expression of the judged ranks that some plan joins, or of nothing."""
    return "|".join(filter(None, (plan.pattern() for plan in plans))) or "(?!)"


def _name(number: int, count: int) -> str:
    return f"{number}-of-{count}"
