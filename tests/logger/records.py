# SPDX-License-Identifier: MIT
"""Log records with the fields that Snakemake 9.27 gives them; ``test_runs`` sees the real ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_receval.run_state import Notice, RunState


def record(
    event: LogEvent | None, text: str = "None", /, *, at: float = 0.0, thread: int = 1, **told: Any
) -> logging.LogRecord:
    """A record of an event, at a time and from a thread."""
    made = logging.makeLogRecord({"msg": text, "levelno": logging.INFO, **told})
    made.created, made.thread = at, thread
    if event is not None:
        made.__dict__["event"] = event
    return made


def plan(at: float = 0.0, **jobs: int) -> logging.LogRecord:
    """The stats of a run."""
    return record(LogEvent.RUN_INFO, at=at, stats={**jobs, "total": sum(jobs.values())})


def start(
    number: int,
    rule: str = "train_system",
    *,
    at: float = 0.0,
    reason: str = "",
    output: Iterable[str] = (),
    log: Iterable[str] = (),
    **wildcards: str,
) -> logging.LogRecord:
    """The start of a job."""
    return record(
        LogEvent.JOB_INFO,
        at=at,
        jobid=number,
        rule_name=rule,
        wildcards=wildcards,
        output=list(output),
        log=list(log),
        reason=reason,
    )


def finish(number: int, *, at: float = 0.0) -> logging.LogRecord:
    """The end of a job."""
    return record(LogEvent.JOB_FINISHED, at=at, job_id=number)


def progress(done: int, total: int, *, at: float = 0.0) -> logging.LogRecord:
    """How far the run has come."""
    return record(LogEvent.PROGRESS, at=at, done=done, total=total)


def exception(text: str, *, thread: int = 1) -> logging.LogRecord:
    """An exception as Snakemake words it."""
    return record(LogEvent.ERROR, text, thread=thread, levelno=logging.ERROR)


def raised(name: str, message: str, *, thread: int = 1) -> logging.LogRecord:
    """An exception in the body of a rule."""
    place = 'in file "/there/Snakefile", line 13'
    frames = '  File "/there/Snakefile", line 13, in __rule_train_system'
    text = f"RuleException:\n{name} {place}:\n{message}\n{frames}"
    return exception(text, thread=thread)


def error(
    number: int,
    rule: str = "train_system",
    *,
    log: Iterable[str] = (),
    thread: int = 1,
    **more: Any,
) -> logging.LogRecord:
    """The failure of a job, which follows the exception that ended it."""
    told: dict[str, Any] = {"wildcards": {}, "output": [], "rule_msg": None, **more}
    return record(
        LogEvent.JOB_ERROR,
        thread=thread,
        jobid=number,
        rule_name=rule,
        log=list(log),
        levelno=logging.ERROR,
        **told,
    )


def heard(state: RunState, *records: logging.LogRecord) -> list[Notice]:
    """Let a state hear records, and return all that is to be said."""
    return [notice for one in records for notice in state.hear(one)]
