"""How far a run is, in one line: jobs done, time passed and left, and what runs now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from snakemake_logger_plugin_receval.run_state import Job, RunState

FEWEST_JOBS = 3
"""Jobs that must have ended before anything is said about the time left."""

WIDTH_OF_BAR = 24
MOST_NAMED = 3
"""So many of the jobs that run are named."""


def in_words(seconds: float) -> str:
    """Return a duration in its two largest units."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def seconds_left(state: RunState, now: float) -> float | None:
    """Return how long a run will still take, from how long its jobs took; None if it is too early.

    A job that is still to be made takes as long as the finished ones of its rule did on average,
    and where none of its rule has ended, as the finished ones of all rules. What runs has part of
    this behind it. The sum is shared by as many jobs as ran side by side so far.

    Parameters
    ----------
    state : RunState
        What is known of the run.
    now : float
        Time in seconds since 1970.
    """
    ended = Counter(job.rule for job in state.finished)
    if ended.total() < FEWEST_JOBS or state.started is None or now <= state.started:
        return None
    spent = sum(state.seconds.values())
    of_any = spent / ended.total()
    of_rule = {rule: state.seconds[rule] / count for rule, count in ended.items()}
    failed = Counter(failure.job.rule for failure in state.failures.values())
    left = sum(
        max(count - ended[rule] - failed[rule], 0) * of_rule.get(rule, of_any)
        for rule, count in state.planned.items()
    )
    running = {job: now - job.started for job in state.running.values()}
    left -= sum(min(took, of_rule.get(job.rule, of_any)) for job, took in running.items())
    side_by_side = (spent + sum(running.values())) / (now - state.started)
    return left / max(side_by_side, 1.0)


def progress_line(state: RunState, now: float) -> str:
    """Return how many jobs of all are done, the time passed and left, failures, what runs now."""
    share = state.done / state.total if state.total else 0.0
    parts = [f"{state.done} of {state.total} jobs ({share:.0%})"]
    if state.started is not None:
        parts.append(in_words(max(now - state.started, 0.0)))
    left = seconds_left(state, now)
    if left is not None and state.done < state.total:
        parts.append(f"about {in_words(left)} left")
    if state.failures:
        parts.append(f"{len(state.failures)} failed")
    now_runs = f"; now: {_named(state.running.values())}" if state.running else ""
    return ", ".join(parts) + now_runs


def progress_bar(state: RunState, *, full: str, empty: str) -> str:
    """Return a bar of fixed width that fills as jobs end."""
    share = state.done / state.total if state.total else 0.0
    filled = int(share * WIDTH_OF_BAR)
    return full * filled + empty * (WIDTH_OF_BAR - filled)


def _named(jobs: Iterable[Job]) -> str:
    """Name jobs by their rules and last two wildcards, the oldest first."""
    names = [f"{job.rule} {'/'.join(job.wildcards[-2:])}".strip() for job in jobs]
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
