# SPDX-License-Identifier: MIT
"""What is read from the records of studies at scale: jobs by stage, and what they took."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from job_records import GIB, RecordedJob, RunRecord

NEIGHBOURHOODS = ("neighbourhoods of users", "neighbourhoods and their ranking")
CONSTANT = ("drawings and tables", "records")
"""Stages that read what is as large for any number of ratings."""

Measure = Callable[[Sequence[RecordedJob]], float]


def staged(record: RunRecord) -> dict[str, list[RecordedJob]]:
    """Return the jobs by stage, and all of them as the last."""
    return {**record.by_stage(), "all": list(record.jobs)}


def cpu_minutes(jobs: Sequence[RecordedJob]) -> float:
    """Return the minutes of the processor that jobs took."""
    return math.fsum(job.cpu for job in jobs) / 60


def peak_gib(jobs: Sequence[RecordedJob]) -> float:
    """Return the memory of the largest job in GiB."""
    return max(job.peak for job in jobs) / GIB


def printed(exponent: float) -> str:
    """Return an exponent as it is printed, of zero without a sign."""
    return f"{exponent:.2f}".replace("-0.00", "0.00")
