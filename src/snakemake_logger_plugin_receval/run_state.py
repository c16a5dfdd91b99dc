# SPDX-License-Identifier: MIT
"""The state of a run, from the events that Snakemake logs."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_receval.errors import (
    cause_of,
    is_of_a_stopped_job,
    location_of,
    sentence_of,
)
from snakemake_logger_plugin_receval.snakemake_words import is_said_elsewhere, kinds_of_reason


@dataclass(frozen=True)
class Job:
    """One job that runs, has run, or would run, by Snakemake's number of it within the run.

    The values of its wildcards are in the order of the rule. ``started`` is when it started, or was
    handed to a cluster, in seconds since 1970.
    """

    number: int
    rule: str
    wildcards: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    started: float = 0.0

    @property
    def name(self) -> str:
        """The job's rule and all wildcards."""
        return f"{self.rule} ({', '.join(self.wildcards)})" if self.wildcards else self.rule


@dataclass(frozen=True)
class Failure:
    """A job that failed.

    The sentence is the message of its error; empty if only the log has it. The cause is a text that
    failures with the same cause have in common.
    """

    job: Job
    sentence: str
    cause: str


@dataclass(frozen=True)
class Message:
    """A message to show unchanged, with a level as in :mod:`logging`."""

    text: str
    level: int


@dataclass(frozen=True)
class Made:
    """A finished job; its log has its warnings."""

    job: Job


Notice = Failure | Message | Made


@dataclass
class RunState:
    """The state of a run according to the events so far."""

    # Jobs by rule; empty before the plan is made.
    planned: dict[str, int] = field(default_factory=dict)
    # By rule, the number of shown jobs for each reason.
    why: dict[str, Counter[str]] = field(default_factory=dict)
    total: int = 0
    done: int = 0
    # By number.
    running: dict[int, Job] = field(default_factory=dict)
    finished: list[Job] = field(default_factory=list)
    # By rule, the total time of its finished jobs.
    seconds: dict[str, float] = field(default_factory=dict)
    # By number, of jobs that have not been tried again since.
    failures: dict[int, Failure] = field(default_factory=dict)
    # Of the run and of its last event, in seconds since 1970.
    started: float | None = None
    heard: float | None = None
    # Whether the run was asked to stop.
    interrupted: bool = False
    _known: dict[int, Job] = field(default_factory=dict)
    # The same thread logs an exception just before the failure of its job.
    _raised: dict[int, str] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)
    # Jobs that are ended on request do not count as failed.
    _ends_jobs: bool = False
    _of_groups: set[int] = field(default_factory=set)

    def hear(self, record: logging.LogRecord) -> list[Notice]:
        """Update the state with a record, and return what must be shown at once.

        Further failures with the same cause are counted and not shown again; so are equal messages.
        """
        event = getattr(record, "event", None)
        self.heard = record.created
        if event not in (LogEvent.ERROR, LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR):
            notices = self._left_over(record.thread)
        else:
            notices = []
        if event == LogEvent.RUN_INFO:
            self._plan(record)
        elif event == LogEvent.JOB_INFO:
            self._start(record)
        elif event == LogEvent.JOB_FINISHED:
            notices += self._finish(record)
        elif event == LogEvent.PROGRESS:
            self.done, self.total = record.__dict__["done"], record.__dict__["total"]
        elif event == LogEvent.ERROR:
            notices = self._left_over(record.thread)
            self._raised[record.thread or 0] = record.getMessage()
        elif event == LogEvent.JOB_ERROR:
            notices += self._fail(record)
        elif event == LogEvent.GROUP_ERROR:
            notices += self._fail_group(record)
        elif event is None:
            notices += self._listen(record)
        return notices

    def last_words(self) -> list[Notice]:
        """Return the messages that were held back in case they belonged to a job."""
        return [notice for thread in list(self._raised) for notice in self._left_over(thread)]

    def _plan(self, record: logging.LogRecord) -> None:
        stats = dict(record.__dict__["stats"])
        self.total = stats.pop("total", sum(stats.values()))
        self.planned = stats
        self.started = self.started or record.created

    def _start(self, record: logging.LogRecord) -> None:
        told = record.__dict__
        job = _job(told, record.created)
        self._known[job.number] = self.running[job.number] = job
        # When a group is tried again, Snakemake names no job before it starts.
        self.failures.pop(job.number, None)
        self.why.setdefault(job.rule, Counter()).update(kinds_of_reason(told["reason"]))

    def _finish(self, record: logging.LogRecord) -> list[Notice]:
        number = record.__dict__["job_id"]
        self.failures.pop(number, None)
        job = self.running.pop(number, None)
        if job is None:
            return []
        self.finished.append(job)
        took = record.created - job.started
        self.seconds[job.rule] = self.seconds.get(job.rule, 0.0) + took
        return [Made(job)]

    def _fail(self, record: logging.LogRecord) -> list[Notice]:
        told = record.__dict__
        number = told["jobid"]
        self.running.pop(number, None)
        raised = self._raised.pop(record.thread or 0, "")
        if self._ends_jobs or is_of_a_stopped_job(raised):
            return []
        job = replace(
            self._known.get(number) or _job(told, record.created), logs=_logs(told["log"])
        )
        # A cluster gives no exception, but its own message about the job.
        sentence = sentence_of(raised or str(told.get("rule_msg") or ""))
        failure = Failure(job, sentence, cause_of(sentence) or job.name)
        self.failures[number] = failure
        if number in self._of_groups:
            return []
        return [failure] if self._is_new(failure.cause) else []

    def _fail_group(self, record: logging.LogRecord) -> list[Notice]:
        told = record.__dict__
        members = told["job_error_info"]
        self._of_groups.update(member["jobid"] for member in members)
        raised = self._raised.pop(record.thread or 0, "")
        if self._ends_jobs or is_of_a_stopped_job(raised):
            return []
        sentence = sentence_of(raised or str(told.get("msg") or ""))
        logs = [*told["aux_logs"], *(log for member in members for log in member["log"])]
        rules = ", ".join(dict.fromkeys(member["rule_name"] for member in members))
        job = Job(-1, f"a group of {len(members)} jobs ({rules})", logs=_logs(logs))
        failure = Failure(job, sentence, cause_of(sentence) or f"{job.name} {told['groupid']}")
        return [failure] if self._is_new(failure.cause) else []

    def _listen(self, record: logging.LogRecord) -> list[Notice]:
        text = record.getMessage()
        self._ends_jobs |= text.startswith("Terminating processes on user request")
        self.interrupted |= self._ends_jobs or text.startswith("Will exit after finishing")
        if restarted := re.fullmatch(r"Trying to restart job (\d+)\.", text):
            self.failures.pop(int(restarted[1]), None)
            job = self._known.get(int(restarted[1]))
            text = f"{job.name} is being retried." if job else text
            return [Message(text, logging.WARNING)]
        return self._message(text, text, record.levelno)

    def _left_over(self, thread: int | None) -> list[Notice]:
        """Return an exception that belonged to no job, if there is one."""
        raised = self._raised.pop(thread or 0, None)
        if raised is None or is_of_a_stopped_job(raised):
            return []
        location = location_of(raised)
        text = f"{sentence_of(raised)}\n  ({location})" if location else sentence_of(raised)
        return self._message(raised, text, logging.ERROR)

    def _message(self, told: str, text: str, level: int) -> list[Notice]:
        if is_said_elsewhere(told) or not self._is_new(cause_of(text)):
            return []
        cause = cause_of(text)
        return [Message(text if cause == text else f"{cause}: {text}", level)]

    def _is_new(self, text: str) -> bool:
        new = text not in self._said
        self._said.add(text)
        return new


def _job(told: Mapping[str, object], started: float) -> Job:
    wildcards = told.get("wildcards") or {}
    assert isinstance(wildcards, Mapping)
    return Job(
        int(str(told["jobid"])),
        str(told["rule_name"]),
        tuple(map(str, wildcards.values())),
        _texts(told["output"]),
        _logs(told["log"]),
        started,
    )


def _texts(values: object) -> tuple[str, ...]:
    assert isinstance(values, Iterable)
    return tuple(map(str, values))


def _logs(values: object) -> tuple[str, ...]:
    """Return the logs of a rule without its benchmark, which rules declare among them."""
    return tuple(text for text in _texts(values) if not text.endswith(".tsv"))
