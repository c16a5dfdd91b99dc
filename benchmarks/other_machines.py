# SPDX-License-Identifier: MIT
"""How long recorded jobs would take on other machines, each system whole or shared out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from job_records import GIB, RecordedJob, RunRecord
from schedule import Schedule, TimedJob, schedule

MACHINES = ((1, 2, 24), (1, 64, 256), (20, 64, 256))
"""Machines, and of each the cores and the memory in GiB, on which the jobs are simulated."""


def timed(jobs: Sequence[RecordedJob]) -> list[TimedJob]:
    """Return jobs for the simulation of a schedule; what made an input elsewhere is left out.

    They take as long as they had the processor, since the machine had other work beside them.
    """
    known = {job.name for job in jobs}
    return [
        TimedJob(job.name, job.cpu, job.peak, tuple(n for n in job.needs if n in known))
        for job in jobs
    ]


def shared_out(record: RunRecord, shards: int) -> list[RecordedJob]:
    """Return the jobs as they would be if every neighbourhood were shared out.

    Folds that are jobs of their own stay so, and their users are divided where at least twice as
    many shards as folds are asked for, into as many equal parts as fit. Each shard finds the
    neighbours of its users and ranks for them. One job compares each pair of users once; shards
    compare a pair of two of them once each, which is 2 - 1 / n times the work of one for n shards,
    and what a job of one fold takes is all taken to be this. Each shard also reads the ratings and
    makes the folds, for which it is taken to need as long as the job that divides them, which reads
    the same; and the memory of the whole. Joining takes what it did, and nothing where there was
    none to do.

    Raises
    ------
    ValueError
        Users are divided in the record.
    """
    if record.shards not in (1, "folds"):
        raise ValueError(
            f"{record.file_name} is of systems that were shared out already, so that what a "
            "neighbourhood takes alone is not known: record a run with --shards 1 or folds."
        )
    reading = {job.subject: job.cpu for job in record.jobs if job.rule == "split_ratings"}
    of_neighbourhoods = [job for job in record.jobs if job.system in record.neighbourhoods]
    training = {job.subject: job for job in of_neighbourhoods if job.rule == "train_system"}
    folds = Counter(_undivided(job) for job in of_neighbourhoods if job.rule == "rank_shard")
    found: list[RecordedJob] = []
    parts_of: dict[str, tuple[str, ...]] = {}
    for job in record.jobs:
        subject = _undivided(job)
        if job.rule == "train_system" and job.subject in training:
            continue
        if job.rule == "rank_system" and job.subject in training:
            first = training[job.subject]
            compared, rest, number = first.cpu, job.cpu, shards
            whole = replace(first, peak=max(first.peak, job.peak))
        elif job.rule == "rank_shard" and shards >= 2 * folds[subject] > 0:
            compared, rest, number, whole = job.cpu, 0.0, shards // folds[subject], job
        else:
            found.append(job)
            continue
        seconds = (compared * (2 - 1 / number) + rest) / number
        seconds += reading[subject.partition(", ")[0]]
        parts = [
            replace(
                whole, rule="rank_shard", subject=f"{n}-of-{number}, {job.subject}", cpu=seconds
            )
            for n in range(1, number + 1)
        ]
        found += parts
        parts_of[job.name] = tuple(part.name for part in parts)
        if job.rule == "rank_system":
            found.append(replace(job, cpu=0.0, needs=parts_of.pop(job.name)))
    return [
        replace(job, needs=tuple(chain(*(parts_of.get(need, (need,)) for need in job.needs))))
        for job in found
    ]


def _undivided(job: RecordedJob) -> str:
    """Return split and system of a job that trains or ranks, without the number of its shard."""
    return ", ".join(job.subject.split(", ")[-2:])


def schedules(jobs: Sequence[RecordedJob]) -> dict[str, Schedule]:
    """Return the schedules of jobs on :data:`MACHINES`, by what these are :func:`called`."""
    waiting = timed(jobs)
    return {
        called(nodes, cores, gib): schedule(waiting, nodes=nodes, cores=cores, memory=gib * GIB)
        for nodes, cores, gib in MACHINES
    }


def called(nodes: int, cores: int, gib: int) -> str:
    """Return what machines are called in tables."""
    return f"{nodes} x {cores} cores, {gib} GiB"
