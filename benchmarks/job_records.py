# SPDX-License-Identifier: MIT
"""What the jobs of a study took, as it is kept in ``benchmarks/scale``: files, sums, growth.

A record begins with a line on the run, and has a line a job. There are no paths, hosts or dates.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from receval.workflow.schedule import Schedule, TimedJob, schedule

GIB = 1 << 30
MACHINES = ((1, 2, 24), (1, 64, 256), (20, 64, 256))
"""Machines, and of each the cores and the memory in GiB, on which the jobs are simulated."""

STAGES = {
    "generating": ("generate_twin",),
    "parsing": ("prepare_ratings",),
    "splits": ("split_ratings",),
    "training": ("train_system",),
    "ranking": ("rank_system",),
    "judgment samplings": ("sample_judgments",),
    "simulations": ("simulate_skewness",),
    "numbers of artifacts": ("compute_artifact",),
    "drawings and tables": ("draw_figure", "write_table", "write_page"),
    "records": ("record_provenance", "write_index"),
}
"""Rules of the workflow by stage."""

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
    def stage(self) -> str:
        """What stands in tables for its rule."""
        return _STAGE_OF.get(self.rule, self.rule)


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
    planned : int
        Jobs of the whole study, of which those of a part may be here.
    jobs : tuple of RecordedJob
        By their starts.
    """

    study: str
    dataset: str
    choices: int
    users: int
    cores: int
    planned: int
    jobs: tuple[RecordedJob, ...]

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
        return cls(jobs=tuple(map(_job, rows)), **about)

    def write(self, folder: Path) -> None:
        """Write it to a file of a folder, under the name of study, dataset and size."""
        about = {k: v for k, v in asdict(self).items() if k != "jobs"}
        lines = [json.dumps(row) for row in (about, *map(asdict, self.jobs))]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.file_name).write_text("".join(f"{line}\n" for line in lines))

    @property
    def file_name(self) -> str:
        """Of the study, the dataset and the size."""
        return f"{self.study}-{self.dataset}-{self.millions:g}.jsonl"

    @property
    def millions(self) -> float:
        """Million pairs of user and item."""
        return self.choices / 1e6

    @property
    def wall(self) -> float:
        """Seconds from the start of the first job to the end of the last, without pauses.

        Parts of a study are recorded one behind the other.
        """
        return max(job.start + job.wall for job in self.jobs) - self.jobs[0].start

    @property
    def cpu(self) -> float:
        """Seconds of the processor that all jobs took."""
        return math.fsum(job.cpu for job in self.jobs)

    def by_stage(self) -> dict[str, list[RecordedJob]]:
        """Return the jobs by stage, in the order of a run."""
        order = dict.fromkeys([*STAGES, *(job.stage for job in self.jobs)])
        found = {stage: [job for job in self.jobs if job.stage == stage] for stage in order}
        return {stage: jobs for stage, jobs in found.items() if jobs}


def _job(row: Mapping[str, Any]) -> RecordedJob:
    return RecordedJob(
        rule=row["rule"],
        subject=row["subject"],
        start=round(row["start"], 2),
        wall=round(row["wall"], 2),
        cpu=round(row["cpu"], 2),
        peak=row["peak"],
        read=row["read"],
        written=row["written"],
        needs=tuple(row["needs"]),
    )


def resident(jobs: Sequence[RecordedJob]) -> int:
    """Return a bound on the memory of jobs side by side: the largest sum of their peaks."""
    return max(
        sum(other.peak for other in jobs if 0 <= one.start - other.start < other.wall)
        for one in jobs
    )


def stage_rows(record: RunRecord) -> list[tuple[str, ...]]:
    """Return the cells of a table by stage: times in minutes, memory and files in GiB."""
    return [
        *(_cells(stage, jobs) for stage, jobs in record.by_stage().items()),
        _cells("all", record.jobs),
    ]


HEADINGS = (
    *("stage", "jobs", "wall, min", "CPU, min", "longest job, min", "peak, GiB"),
    *("read, GiB", "written, GiB"),
)


def _cells(name: str, jobs: Sequence[RecordedJob]) -> tuple[str, ...]:
    return (
        name,
        f"{len(jobs)}",
        f"{math.fsum(job.wall for job in jobs) / 60:.2f}",
        f"{math.fsum(job.cpu for job in jobs) / 60:.2f}",
        f"{max(job.wall for job in jobs) / 60:.2f}",
        f"{max(job.peak for job in jobs) / GIB:.2f}",
        f"{sum(job.read for job in jobs) / GIB:.2f}",
        f"{sum(job.written for job in jobs) / GIB:.2f}",
    )


def stage_table(record: RunRecord) -> str:
    """Return the table by stage as plain text; wall times are sums over jobs side by side."""
    rows = [HEADINGS, *stage_rows(record)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        "  "
        + row[0].ljust(widths[0])
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )


def exponents(records: Sequence[RunRecord]) -> dict[str, tuple[list[float], list[float]]]:
    """Return the exponents of the growth from each size to the next, by stage and of all.

    Of processor time, and of the memory of the largest job; of stages that all sizes have.
    """
    staged = [{**record.by_stage(), "all": list(record.jobs)} for record in records]
    sizes = [record.choices for record in records]

    def growth(values: Sequence[float]) -> list[float]:
        return [
            math.log(values[n + 1] / values[n]) / math.log(sizes[n + 1] / sizes[n])
            for n in range(len(sizes) - 1)
        ]

    return {
        stage: (
            growth([math.fsum(job.cpu for job in each[stage]) for each in staged]),
            growth([max(job.peak for job in each[stage]) for each in staged]),
        )
        for stage in staged[0]
        if all(stage in each for each in staged)
    }


def timed(jobs: Sequence[RecordedJob]) -> list[TimedJob]:
    """Return jobs for the simulation of a schedule; what made an input elsewhere is left out."""
    known = {job.name for job in jobs}
    return [
        TimedJob(job.name, job.wall, job.peak, tuple(n for n in job.needs if n in known))
        for job in jobs
    ]


def schedules(record: RunRecord) -> dict[str, Schedule]:
    """Return the schedules of a record's jobs on :data:`MACHINES`, by what these are called."""
    jobs = timed(record.jobs)
    return {
        f"{nodes} x {cores} cores, {gib} GiB": schedule(
            jobs, nodes=nodes, cores=cores, memory=gib * GIB
        )
        for nodes, cores, gib in MACHINES
    }
