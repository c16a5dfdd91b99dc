# SPDX-License-Identifier: MIT
"""The simulated schedule of measured jobs on other machines."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedule import TimedJob, schedule


def _simulated(jobs: list[TimedJob], cores: int = 2, nodes: int = 1, memory: int = 100) -> float:
    return schedule(jobs, nodes=nodes, cores=cores, memory=memory).seconds


@st.composite
def timed_jobs(draw: st.DrawFn) -> list[TimedJob]:
    """Jobs of which each needs some of those before it."""
    jobs: list[TimedJob] = []
    for number in range(draw(st.integers(1, 12))):
        names = [job.name for job in jobs]
        needs = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
        seconds = draw(st.integers(1, 9))
        jobs.append(TimedJob(f"job {number}", seconds, draw(st.integers(0, 50)), tuple(needs)))
    return jobs


def test_the_job_with_the_longest_rest_starts_first() -> None:
    """In the order given, 1 + 1 would run first, and all end at 5 instead of 4."""
    jobs = [
        TimedJob("short", 1, 1),
        TimedJob("shorter", 1, 1),
        TimedJob("first", 2, 1),
        TimedJob("second", 2, 1, needs=("first",)),
    ]
    found = schedule(jobs, nodes=1, cores=2, memory=8)
    assert found.seconds == 4
    assert found.starts["first"] == 0
    assert found.longest_chain == ("first", "second")
    assert found.longest_chain_seconds == 4


def test_jobs_side_by_side_share_the_memory_of_a_machine() -> None:
    jobs = [TimedJob(f"{number}", 3, 60) for number in range(4)]
    assert _simulated(jobs, cores=4) == 12
    assert _simulated(jobs, cores=4, nodes=2) == 6
    assert _simulated(jobs, cores=4, memory=120) == 6


def test_overhead_is_of_every_job() -> None:
    jobs = [TimedJob("one", 3, 1), TimedJob("two", 1, 1, needs=("one",))]
    assert schedule(jobs, nodes=1, cores=1, memory=1, overhead=0.5).seconds == 5


def test_no_jobs_take_no_time() -> None:
    assert schedule([], nodes=1, cores=1, memory=1).seconds == 0


@given(jobs=timed_jobs(), cores=st.integers(1, 4), nodes=st.integers(1, 3))
def test_a_schedule_keeps_order_cores_and_memory_and_grahams_bound(
    jobs: list[TimedJob], cores: int, nodes: int
) -> None:
    found = schedule(jobs, nodes=nodes, cores=cores, memory=60)
    by_name = {job.name: job for job in jobs}
    assert found.starts.keys() == by_name.keys()
    for job in jobs:
        for needed in job.needs:
            assert found.starts[job.name] >= found.starts[needed] + by_name[needed].seconds
        running = [
            other
            for other in jobs
            if 0 <= found.starts[job.name] - found.starts[other.name] < other.seconds
        ]
        assert len(running) <= cores * nodes
        assert math.fsum(other.memory for other in running) <= 60 * nodes
    work = sum(job.seconds for job in jobs)
    least = max(found.longest_chain_seconds, work / cores / nodes)
    assert found.seconds >= least - 1e-9
    enough = schedule(jobs, nodes=1, cores=cores, memory=50 * cores)
    bound = work / cores + (1 - 1 / cores) * enough.longest_chain_seconds
    assert enough.seconds <= bound + 1e-9


@pytest.mark.each(
    ("jobs", "said"),
    [
        ([TimedJob("one", 1, 1), TimedJob("one", 2, 1)], "Two jobs have the same name"),
        ([TimedJob("one", 1, 1, needs=("two",))], "one needs two, which is no job here"),
        ([TimedJob("one", 1, 101)], "one takes 101 bytes, and a machine has 100"),
        (
            [TimedJob("one", 1, 1, needs=("two",)), TimedJob("two", 1, 1, needs=("one",))],
            "wait for each other in a circle",
        ),
    ],
)
def test_jobs_that_cannot_be_scheduled_are_refused(jobs: list[TimedJob], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _simulated(jobs)


def test_machines_without_cores_are_refused() -> None:
    with pytest.raises(ValueError, match="Jobs need a machine with a core"):
        _simulated([], cores=0)
