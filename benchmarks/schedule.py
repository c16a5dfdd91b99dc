# SPDX-License-Identifier: MIT
"""Simulate the schedule of measured jobs on other machines, to predict how long they take.

Whenever a core is free, the waiting job with the longest chain of jobs that depend on it starts, on
the first machine with a free core and enough memory. This is list scheduling: with one machine and
enough memory it takes at most ``2 - 1 / cores`` times as long as the best schedule (R. L. Graham,
Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), 1969).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from receval.storage.messages import enumerated


@dataclass(frozen=True)
class TimedJob:
    """A job of one core, with its measured time and memory.

    Attributes
    ----------
    name : str
    seconds : float
        Duration.
    memory : int
        Largest resident set in bytes.
    needs : tuple of str
        Names of the jobs that must have ended before.
    """

    name: str
    seconds: float
    memory: int
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """When each job starts, and the longest chain, which bounds the time of all jobs.

    Attributes
    ----------
    starts : mapping of str to float
        Seconds from the first job on.
    seconds : float
        Until the last job has ended.
    longest_chain : tuple of str
        The jobs that wait for each other and together take longest. No number of cores is faster.
    longest_chain_seconds : float
    """

    starts: Mapping[str, float]
    seconds: float
    longest_chain: tuple[str, ...]
    longest_chain_seconds: float


def schedule(
    jobs: Sequence[TimedJob], *, nodes: int, cores: int, memory: int, overhead: float = 0.0
) -> Schedule:
    """Simulate the schedule of jobs on equal machines.

    Parameters
    ----------
    overhead : float
        Extra seconds per job, such as the time that a cluster takes to start it.

    Raises
    ------
    ValueError
        There is no machine or core, two jobs have one name, a job needs one that is not there or,
        through others, itself, or has more memory than a machine.

    Examples
    --------
    Two halves of three seconds, and what joins them:

    >>> halves = [TimedJob("one", 3, 1), TimedJob("two", 3, 1)]
    >>> jobs = [*halves, TimedJob("joined", 1, 1, needs=("one", "two"))]
    >>> [schedule(jobs, nodes=1, cores=cores, memory=8).seconds for cores in (1, 2, 64)]
    [7.0, 4.0, 4.0]
    """
    if nodes < 1 or cores < 1:
        raise ValueError(f"Jobs need a machine with a core, and here are {nodes} of {cores} cores.")
    by_name = {job.name: job for job in jobs}
    order = _checked_order(jobs, by_name, memory)
    followers: dict[str, list[str]] = {name: [] for name in by_name}
    for job in jobs:
        for needed in job.needs:
            followers[needed].append(job.name)
    ahead: dict[str, float] = {}
    for name in reversed(order):
        rest = max((ahead[follower] for follower in followers[name]), default=0.0)
        ahead[name] = by_name[name].seconds + overhead + rest
    free = [(cores, memory)] * nodes
    missing = {job.name: len(job.needs) for job in jobs}
    position = {job.name: number for number, job in enumerate(jobs)}
    ready = [(-ahead[name], position[name], name) for name, number in missing.items() if not number]
    heapq.heapify(ready)
    ending: list[tuple[float, int, str, int]] = []
    starts: dict[str, float] = {}
    now = 0.0
    while ready or ending:
        waiting = []
        while ready:
            entry = heapq.heappop(ready)
            job = by_name[entry[2]]
            fitting = (n for n, (left, room) in enumerate(free) if left and room >= job.memory)
            node = next(fitting, None)
            if node is None:
                waiting.append(entry)
                continue
            free[node] = (free[node][0] - 1, free[node][1] - job.memory)
            starts[job.name] = now
            end = now + job.seconds + overhead
            heapq.heappush(ending, (end, position[job.name], job.name, node))
        ready = waiting
        heapq.heapify(ready)
        now, _, name, node = heapq.heappop(ending)
        free[node] = (free[node][0] + 1, free[node][1] + by_name[name].memory)
        for follower in followers[name]:
            missing[follower] -= 1
            if not missing[follower]:
                heapq.heappush(ready, (-ahead[follower], position[follower], follower))
    chain = _longest_chain(order, followers, ahead, by_name)
    return Schedule(starts, now, chain, ahead[chain[0]] if chain else 0.0)


def _checked_order(
    jobs: Sequence[TimedJob], by_name: Mapping[str, TimedJob], memory: int
) -> list[str]:
    """Return the names in an order in which each job comes after those it needs."""
    if len(by_name) < len(jobs):
        raise ValueError("Two jobs have the same name: name each once.")
    for job in jobs:
        if unknown := [needed for needed in job.needs if needed not in by_name]:
            raise ValueError(f"{job.name} needs {enumerated(unknown)}, which is no job here.")
        if job.memory > memory:
            raise ValueError(
                f"{job.name} takes {job.memory:,} bytes, and a machine has {memory:,}: simulate "
                "larger machines, or split the job."
            )
    try:
        return list(TopologicalSorter({job.name: job.needs for job in jobs}).static_order())
    except CycleError as error:
        circle = " < ".join(error.args[1])
        raise ValueError(f"Jobs wait for each other in a circle: {circle}.") from error


def _longest_chain(
    order: Sequence[str],
    followers: Mapping[str, Sequence[str]],
    ahead: Mapping[str, float],
    by_name: Mapping[str, TimedJob],
) -> tuple[str, ...]:
    """Return the jobs of the longest chain, the first one first."""
    following = [name for name in order if not by_name[name].needs]
    chain: list[str] = []
    while following:
        chain.append(max(following, key=lambda name: ahead[name]))
        following = list(followers[chain[-1]])
    return tuple(chain)
