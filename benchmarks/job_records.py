# SPDX-License-Identifier: MIT
"""What the jobs of a study took, as it is kept in ``benchmarks/scale``: files, sums, growth.

A record begins with a line on the run, and has a line a job. There are no paths, hosts or dates.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

GIB = 1 << 30
STAGES = {
    "generating": ("generate_twin",),
    "parsing": ("prepare_ratings",),
    "splits": ("split_ratings",),
    "neighbourhoods of users": (),
    "neighbourhoods and their ranking": (),
    "other training": ("train_system",),
    "other training and its ranking": (),
    "ranking": ("rank_system", "rank_shard", "join_shards"),
    "judgment samplings": ("sample_judgments",),
    "simulations": ("simulate_skewness",),
    "numbers of artifacts": ("compute_artifact",),
    "drawings and tables": ("draw_figure", "write_table", "write_page"),
    "records": ("record_provenance", "write_index"),
}
"""Rules of the workflow by stage. Which systems compare all users, the record says: training them
is a stage of its own, and shards that train and rank are one more of either."""

DECIMALS = 2
"""Of seconds, in a record."""

ROUNDED = 2 * 10**-DECIMALS
"""Seconds by which a start and an end, each the sum of rounded numbers, may be off."""

_STAGE_OF = {rule: stage for stage, rules in STAGES.items() for rule in rules}


@dataclass(frozen=True)
class RecordedJob:
    """What a job took.

    Attributes
    ----------
    rule, subject : str
        The rule of the workflow, and what it is applied to.
    start, wall, cpu : float
        Seconds: since the first job, the duration, and of the processor.
    peak : int
        Largest resident set in bytes.
    read, written : int
        Bytes of its input and output files.
    needs : tuple of str
        Names of the jobs that make its inputs.
    """

    rule: str
    subject: str
    start: float
    wall: float
    cpu: float
    peak: int
    read: int
    written: int
    needs: tuple[str, ...]

    @property
    def name(self) -> str:
        """The rule and what it is applied to."""
        return f"{self.rule} {self.subject}"

    @property
    def system(self) -> str:
        """The system that it trains or ranks with."""
        return self.subject.rpartition(", ")[2]


@dataclass(frozen=True)
class RunRecord:
    """What a study on a generated dataset took.

    Attributes
    ----------
    study, dataset : str
    choices : int
        Pairs of user and item in the dataset.
    users : int
    cores : int
        How many jobs ran side by side.
    neighbourhoods : tuple of str
        Systems that compare all users with each other.
    planned : int
        Jobs of the whole study, of which those of a part may be here.
    jobs : tuple of RecordedJob
        By their starts.
    shards : int or str
        How systems were to be shared out: a number of shards each, ``folds`` or ``auto``.
    """

    study: str
    dataset: str
    choices: int
    users: int
    cores: int
    neighbourhoods: tuple[str, ...]
    planned: int
    jobs: tuple[RecordedJob, ...]
    shards: int | str = 1

    @classmethod
    def of_rows(
        cls, rows: Iterable[Mapping[str, Any]], planned: Sequence[str], **about: Any
    ) -> Self:
        """Return the record of the rows that ``measured_jobs`` wrote of planned jobs."""
        known = set(planned)
        named = ({**row, "rule": row["stage"]} for row in rows)
        jobs = [_job(row) for row in named]
        there = sorted((job for job in jobs if job.name in known), key=lambda job: job.start)
        return cls(planned=len(planned), jobs=tuple(there), **about)

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read what :meth:`write` wrote."""
        about, *rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        about["neighbourhoods"] = tuple(about["neighbourhoods"])
        return cls(jobs=tuple(map(_job, rows)), **about)

    def write(self, folder: Path) -> None:
        """Write it to a file of a folder, under the name of study, dataset and size."""
        about = {k: v for k, v in asdict(self).items() if k != "jobs"}
        lines = [json.dumps(row) for row in (about, *map(asdict, self.jobs))]
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines)
        (folder / self.file_name).write_text(text, encoding="utf-8")

    @property
    def file_name(self) -> str:
        """Of the study, the dataset, the size and the shards, where there may be several."""
        parts = "" if self.shards == 1 else f"-{self.shards}-shards"
        return f"{self.study}-{self.dataset}-{self.millions:g}{parts}.jsonl"

    @property
    def millions(self) -> float:
        """Million pairs of user and item."""
        return self.choices / 1e6

    @property
    def wall(self) -> float:
        """Seconds in which any job ran.

        Parts of a study are recorded one behind the other, and a job that is run again behind all
        others; neither what was between them nor the room that it leaves is counted.
        """
        seconds, end = 0.0, -math.inf
        for job in sorted(self.jobs, key=lambda job: job.start):
            last = job.start + job.wall
            seconds += max(0.0, last - max(job.start, end))
            end = max(end, last)
        return seconds

    @property
    def cpu(self) -> float:
        """Seconds of the processor that all jobs took."""
        return math.fsum(job.cpu for job in self.jobs)

    def stage(self, job: RecordedJob) -> str:
        """Return what stands in tables for a job."""
        compares = job.system in self.neighbourhoods
        reads_models = any(need.startswith("train_system ") for need in job.needs)
        if job.rule == "rank_shard" and not reads_models:
            which = "neighbourhoods and their" if compares else "other training and its"
            return f"{which} ranking"
        if job.rule == "train_system" and compares:
            return "neighbourhoods of users"
        return _STAGE_OF.get(job.rule, job.rule)

    def by_stage(self) -> dict[str, list[RecordedJob]]:
        """Return the jobs by stage, in the order of a run."""
        order = dict.fromkeys([*STAGES, *map(self.stage, self.jobs)])
        found = {stage: [job for job in self.jobs if self.stage(job) == stage] for stage in order}
        return {stage: jobs for stage, jobs in found.items() if jobs}


def _job(row: Mapping[str, Any]) -> RecordedJob:
    return RecordedJob(
        rule=row["rule"],
        subject=row["subject"],
        start=round(row["start"], DECIMALS),
        wall=round(row["wall"], DECIMALS),
        cpu=round(row["cpu"], DECIMALS),
        peak=row["peak"],
        read=row["read"],
        written=row["written"],
        needs=tuple(row["needs"]),
    )


def resident(jobs: Sequence[RecordedJob]) -> int:
    """Return a bound on the memory of jobs side by side: the largest sum of their peaks."""

    def runs_at_the_start_of(one: RecordedJob, other: RecordedJob) -> bool:
        # A job may start as another ends: rounded, a little before that.
        return other is one or 0 <= one.start - other.start < other.wall - ROUNDED

    return max(sum(each.peak for each in jobs if runs_at_the_start_of(one, each)) for one in jobs)


HEADINGS = (
    *("stage", "jobs", "wall, min", "CPU, min", "longest job, CPU min", "peak, GiB"),
    *("read, GiB", "written, GiB"),
)


def stage_rows(record: RunRecord) -> list[tuple[str, ...]]:
    """Return the cells of a table by stage, below :data:`HEADINGS`.

    The wall time of a stage is the sum of its jobs', some of which ran side by side; that of all is
    the time from the first to the last.
    """
    staged = record.by_stage().items()
    rows = [_cells(stage, jobs, math.fsum(job.wall for job in jobs)) for stage, jobs in staged]
    return [*rows, _cells("all", record.jobs, record.wall)]


def _cells(name: str, jobs: Sequence[RecordedJob], wall: float) -> tuple[str, ...]:
    return (
        name,
        f"{len(jobs)}",
        f"{wall / 60:.2f}",
        f"{math.fsum(job.cpu for job in jobs) / 60:.2f}",
        f"{max(job.cpu for job in jobs) / 60:.2f}",
        f"{max(job.peak for job in jobs) / GIB:.2f}",
        f"{sum(job.read for job in jobs) / GIB:.2f}",
        f"{sum(job.written for job in jobs) / GIB:.2f}",
    )


def stage_table(record: RunRecord) -> str:
    """Return the table by stage as plain text."""
    rows = [HEADINGS, *stage_rows(record)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        "  "
        + row[0].ljust(widths[0])
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )


def comparable(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Return records of the jobs alone that all of them have, in the same stage.

    A job's stage depends on what it reads, which may be another in another plan.
    """
    shared = set.intersection(
        *({(job.name, record.stage(job)) for job in record.jobs} for record in records)
    )
    return [
        replace(
            record,
            jobs=tuple(job for job in record.jobs if (job.name, record.stage(job)) in shared),
        )
        for record in records
    ]


def fitted_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the b of the power law a n^b that is nearest by least squares of logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def exponents(records: Sequence[RunRecord]) -> dict[str, tuple[list[float], list[float]]]:
    """Return the exponents of the growth from each size to the next, by stage and of all.

    Of processor time, and of the memory of the largest job; of the jobs that all sizes have.
    """
    records = comparable(records)
    staged = [{**record.by_stage(), "all": list(record.jobs)} for record in records]
    sizes = [record.choices for record in records]

    def growth(values: Sequence[float]) -> list[float]:
        steps = range(len(sizes) - 1)
        return [fitted_exponent(sizes[n : n + 2], values[n : n + 2]) for n in steps]

    return {
        stage: (
            growth([math.fsum(job.cpu for job in each[stage]) for each in staged]),
            growth([max(job.peak for job in each[stage]) for each in staged]),
        )
        for stage in staged[0]
    }
