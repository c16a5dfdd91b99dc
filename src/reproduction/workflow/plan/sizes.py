# SPDX-License-Identifier: MIT
"""The memory and time that jobs request from a cluster, by the data they read.

Each of the few sizes is documented with its measurements. On a single machine the sizes have no
effect. On a cluster, a job that requests too little is killed, and one that requests too much
waits. So the sizes are a little above the largest measured values, and a second or third attempt
requests more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from reproduction.config.settings import Settings
from reproduction.workflow.plan.datasets import PlannedDatasets


@dataclass(frozen=True)
class JobSize:
    """The resources that a job requests.

    Attributes
    ----------
    megabytes : int
        Memory.
    minutes : int
        Wall time.
    shares : bool
        Whether it may share one cluster job with others. A cluster job takes ten seconds to start,
        so jobs of seconds should share one, but a job of an hour should start as soon as possible.
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
        if self.settings.edition == "demo":
            return SMALL
        size = job_size(self._most("ratings", datasets), demanding=demanding)
        return self._with_items(size, datasets)

    def shard(self, dataset: str, shards: int, folds: int = 1) -> JobSize:
        """Return the size of the job of one of several shards of a system on a dataset."""
        if self.settings.edition == "demo":
            return SMALL
        size = shard_size(self._most("ratings", [dataset]), shards, folds)
        return self._with_items(size, [dataset])

    def joined(self, dataset: str) -> JobSize:
        """Return the size of the job that joins the judged ranks of shards, array by array."""
        if self.settings.edition == "demo":
            return SMALL
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
        """Return the largest number of ratings or items among the available datasets."""
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
