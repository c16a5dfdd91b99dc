# SPDX-License-Identifier: MIT
"""How long recorded jobs would take on other machines, each system whole or shared out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from job_records import GIB, RecordedJob, RunRecord

from receval.workflow.schedule import Schedule, TimedJob, schedule

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
    """Return the jobs as they would be if the users of every neighbourhood were shared out.

    Each shard finds the neighbours of its users and ranks for them. One job compares each pair of
    users once; shards compare a pair of two of them once each, which is 2 - 1 / n times the work of
    one for n shards. Each also reads the ratings and makes the folds, for which it is taken to need
    as long as the job that divides them, which reads the same; and the memory of the whole. Joining
    is taken to need no time.
    """
    reading = {job.subject: job.cpu for job in record.jobs if job.rule == "split_ratings"}
    ranks = {job.subject: job for job in record.jobs if job.rule == "rank_system"}
    whole = {
        job.subject: job
        for job in record.jobs
        if record.stage(job) == "neighbourhoods of users" and job.subject in ranks
    }
    found = []
    for job in record.jobs:
        if job.subject not in whole or job.rule not in ("train_system", "rank_system"):
            found.append(job)
        elif job.rule == "rank_system":
            training = whole[job.subject]
            parts = [
                replace(
                    training,
                    rule="rank_shard",
                    subject=f"{number}-of-{shards}, {job.subject}",
                    cpu=(training.cpu * (2 - 1 / shards) + job.cpu) / shards
                    + reading[job.subject.partition(", ")[0]],
                    peak=max(training.peak, job.peak),
                )
                for number in range(1, shards + 1)
            ]
            found += [*parts, replace(job, cpu=0.0, needs=tuple(part.name for part in parts))]
    return found


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
