# SPDX-License-Identifier: MIT
"""Follow a run by the events that Snakemake logs, and interpret its messages."""

from __future__ import annotations

import errno
import logging
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from shlex import quote

from snakemake_interface_logger_plugins.common import LogEvent

# Why jobs run, and which messages are left out.

_KINDS = {
    "Missing output files": "not made yet",
    "Incomplete output files": "left incomplete",
    "Updated input files": "newer inputs",
    "Set of input files has changed": "other inputs",
    "Code has changed": "code changed",
    "Software environment definition has changed": "environment changed",
    "Forced execution": "forced",
    "Rules with ": "always",
}

FOLLOWS = "after another job"
"""The reason of a job that runs only because its inputs are made again."""

_PARAMS = "Params have changed since last execution"
# The code digest that every rule has among its parameters
# (reproduction.workflow.provenance.code_digest).
_DIGEST = r"'?[0-9a-f]{6,}-[0-9a-f]{8}'?"
_ONLY_DIGESTS = re.compile(rf".*before: {_DIGEST}(?:,{_DIGEST})* now: {_DIGEST}(?:,{_DIGEST})*\s*")

# Messages that are shown elsewhere or not needed.
_PATTERNS = (
    # Snakemake's own steps.
    "Assuming unrestricted shared filesystem usage",
    "Building DAG of jobs",
    "Using shell: ",
    "Select jobs to execute",
    r"Execute \d+ jobs",
    "Job rate limit reached",
    "Group jobs: inactive",
    "Conda environments: ignored",
    "Singularity containers: ignored",
    "DAG of jobs will be updated",
    "Shutting down, this might take some time",
    "Removing output files of failed job",
    "Removing temporary output",
    "Would remove temporary output",
    "Touching output file",
    "Loading trusted IOCache",
    "Updating checkpoint dependencies",
    r"Adding \S+ \(.+\)\.$",
    "Loading script code for rule ",
    # Included in the end of a run or the table of a plan.
    "Exiting because a job execution failed",
    r"WorkflowError:\nAt least one job did not complete successfully",
    r"At least one job did not complete successfully",
    r"Complete log\(s\): ",
    "Elapsed time: ",
    "Reasons:",
    "This was a dry-run",
    "Some jobs were triggered by provenance information",
    "Rules with provenance triggered jobs: ",
    "None$",
    "$",
)

_SAID_ELSEWHERE = re.compile("|".join(_PATTERNS))


def kinds_of_reason(reason: str) -> list[str]:
    """Return the kinds of reasons that Snakemake gives for a job, in its words.

    A changed digest among the parameters counts as a change of code.
    """
    kinds = []
    for part in reason.split("; "):
        if part.startswith(_PARAMS):
            kinds.append("code changed" if _ONLY_DIGESTS.fullmatch(part) else "parameters changed")
        kinds += [kind for start, kind in _KINDS.items() if part.startswith(start)]
    return list(dict.fromkeys(kinds)) or [FOLLOWS]


# The message of an error, without frames and class names.

_FRAME = re.compile(r'\s*File ".*", line \d+')
_HEADER = re.compile(r'(?P<name>[\w.]+)(?: in rule \w+)?(?: in file ".*", line \d+)?(?::|\.)')
ERROR = "ERROR "
"""The level that begins an error of a log."""

_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?")
# Names of classes of reproduction.workflow.jobs.job_runner.
_FAILED, _STOPPED = "JobError", "JobStoppedError"
_OF_A_JOB = re.compile(r"(?:\w+: )?(?P<said>.*?)(?:\s+Its log: .*)?", re.DOTALL)
_NAMED = re.compile(r"(?P<name>[\w.]+(?:Error|Exception)): (?P<message>.*)", re.DOTALL)
_OF_A_SHELL = re.compile(
    r"Command '(?:set -euo pipefail; *)?(?P<command>.*)' (?P<ended>.*)", re.DOTALL
)
COMMAND = "its command"
"""The beginning of an error that only says that a command failed."""

_NUMBERED = re.compile(r"\[Errno (\d+)\]")

_LOCKED = "Directory cannot be locked"
_ANOTHER_RUN = (
    "Another run is working in this folder. Wait until it ends, or stop it, and start again. If "
    "no run is working (a killed run can leave its lock where the file system has no locks), "
    "use snakemake --unlock."
)
_FROM_THE_FUTURE = re.compile(
    r"Output (?P<output>.+?) has older modification time \(.*?\) than input (?P<input>.+?) "
    r"\((?P<date>[-\d]+ [:\d]+)"
)

OF_THE_MACHINE = {
    errno.ENOSPC: "The disk is full",
    errno.EDQUOT: "The disk quota is used up",
    errno.EFBIG: "A file exceeds the size that this user may write",
    errno.EROFS: "The file system is read-only",
    errno.EMFILE: "Too many files are open",
    errno.ENOMEM: "There is no memory left",
    errno.EIO: "The disk cannot be read or written",
}
"""Errors of the machine, in words, which affect all jobs."""


def sentence_of(text: str) -> str:
    """Return the message of an error for the person who must fix it.

    The error is as logged by Snakemake (lines with class and location, the message, frames) or by
    Python (a traceback). The names of classes are left out if the message has several words. The
    message of a failed job is returned without the job's name and the path of its log, which are
    shown elsewhere.
    """
    if _LOCKED in text:
        return _ANOTHER_RUN
    if _TRACEBACK in text:
        return raised_by(text) or text.strip()
    if dated := _FROM_THE_FUTURE.search(text):
        return (
            f"{dated['input']} has a date in the future ({dated['date']}), so {dated['output']} "
            "is older than what it was made from and is removed. Set the date of the first file "
            f"to now (touch {quote(dated['input'])}), and check the clock."
        )
    name, lines = _class_and_rest(text)
    message = "\n".join(line for line in lines if not _FRAME.match(line)).strip()
    return _plain(name, message)


def is_of_a_stopped_job(text: str) -> bool:
    """Return whether an error is of a job that was ended, or not started, because its run ends."""
    return _class_and_rest(text)[0] == _STOPPED


def location_of(text: str) -> str:
    """Return the first line of an error if it gives the location in the workflow, else nothing.

    The location of a rule is of no use, because a job fails in the function of its rule.
    """
    if _class_and_rest(text)[0] == _FAILED:
        return ""
    first = text.strip().partition("\n")[0]
    return first.rstrip(":.") if _HEADER.fullmatch(first) and " in file " in first else ""


def raised_by(log: str) -> str:
    """Return the error sentence or traceback at the end of a log; empty if there is none."""
    _, is_there, sentence = f"\n{log}".rpartition(f"\n{ERROR}")
    if is_there and _TRACEBACK not in sentence:
        return sentence.strip()
    *_, last = log.rpartition(_TRACEBACK)
    if last == log:
        return ""
    lines = last.strip("\n").splitlines()
    for number, line in enumerate(lines):
        raised = _RAISED.fullmatch(line)
        if raised and (raised["message"] or "." in raised["name"] or number == len(lines) - 1):
            rest = [raised["message"] or "", *lines[number + 1 :]]
            return _plain(raised["name"], "\n".join(rest).strip())
    return ""


def cause_of(sentence: str) -> str:
    """Return a text that is the same for all failures with the same cause.

    It is the sentence itself or, for errors of the machine (:data:`OF_THE_MACHINE`), their meaning
    without the file.
    """
    numbered = _NUMBERED.search(sentence)
    if numbered and int(numbered[1]) in OF_THE_MACHINE:
        return OF_THE_MACHINE[int(numbered[1])]
    for number, meaning in OF_THE_MACHINE.items():
        if os.strerror(number) in sentence:
            return meaning
    return sentence


def _class_and_rest(text: str) -> tuple[str, list[str]]:
    """Return the name of an error's class, if Snakemake gives one, and the lines below it."""
    lines, name = text.strip().splitlines(), ""
    while lines and (header := _HEADER.fullmatch(lines[0].strip())):
        name = header["name"]
        del lines[0]
    return name, lines


def _plain(name: str, message: str) -> str:
    if shell := _OF_A_SHELL.fullmatch(message):
        return f"{COMMAND} {shell['ended'].rstrip('.')}: {' '.join(shell['command'].split())}"
    if name == _FAILED and (job := _OF_A_JOB.fullmatch(message)):
        said = job["said"].strip()
        named = _NAMED.fullmatch(said)
        return _plain(named["name"], named["message"]) if named else said
    if not message:
        return name
    return message if len(message.split()) > 1 else f"{name.rpartition('.')[2]}: {message}"


# The state of a run.


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
    # In seconds since 1970.
    started: float | None = None
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
        of_a_job = event in (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR)
        notices = [] if of_a_job else self._left_over(record.thread)
        if event == LogEvent.RUN_INFO:
            self._plan(record)
        elif event == LogEvent.JOB_INFO:
            self._start(record)
        elif event == LogEvent.JOB_FINISHED:
            notices += self._finish(record)
        elif event == LogEvent.PROGRESS:
            self.done, self.total = record.__dict__["done"], record.__dict__["total"]
        elif event == LogEvent.ERROR:
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
        cause = cause_of(text)
        if _SAID_ELSEWHERE.match(told) or not self._is_new(cause):
            return []
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
