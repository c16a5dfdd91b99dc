"""The progress of a run in one line."""

from __future__ import annotations

from collections.abc import Iterable

from snakemake_logger_plugin_receval.durations import in_words, seconds_left
from snakemake_logger_plugin_receval.run_state import Job, RunState

WIDTH_OF_BAR = 24
MOST_NAMED = 3
"""So many of the jobs that run are named."""


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
