# SPDX-License-Identifier: MIT
"""The log handler that Snakemake calls, the screen that it writes to, and the texts about a run."""

from __future__ import annotations

import itertools
import json
import logging
import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase

from receval.figures.display import absence_of
from receval.storage.messages import printable
from snakemake_logger_plugin_receval.run_state import (
    COMMAND,
    ERROR,
    Failure,
    Job,
    Made,
    Notice,
    RunState,
    raised_by,
)

_ERASE = "\r\x1b[2K"
RED, YELLOW = 31, 33


class Screen:
    """A stream of permanent lines with, on a terminal, one live line below them."""

    def __init__(self, stream: TextIO, *, colours: bool) -> None:
        self.stream = stream
        self.is_live = (
            stream.isatty() and os.environ.get("TERM", "") != "dumb" and os.name == "posix"
        )
        self.colours = colours and self.is_live and "NO_COLOR" not in os.environ
        self._line = ""

    def say(self, text: str, colour: int | None = None) -> None:
        """Write permanent lines."""
        # Messages may contain foreign names, which must not control the terminal.
        text = printable(text, kept="\n\t")
        if colour is not None and self.colours:
            text = f"\x1b[{colour}m{text}\x1b[0m"
        line, self._line = self._line, ""
        self.stream.write((_ERASE if line else "") + text + "\n")
        self.show(line)
        self.stream.flush()

    def show(self, line: str) -> None:
        """Replace the live line, cut to the terminal's width; an empty text removes it."""
        if not self.is_live or line == self._line:
            return
        try:
            width = os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            width = 80
        line = printable(line)[: width - 1]
        self.stream.write(_ERASE + line)
        self.stream.flush()
        self._line = line


BETWEEN_DRAWINGS = 0.25
BETWEEN_LINES = 10.0
"""Seconds between updates of the line on a terminal, and between lines elsewhere."""


class LogHandler(LogHandlerBase):
    """Shows a run: one line of progress, warnings and failures in full, and how it ended."""

    # What Snakemake asks of every logger.
    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        stream = sys.stdout if settings.stdout else sys.stderr
        self.screen = Screen(stream, colours=not settings.nocolor)
        self.state = RunState()
        self.quiet = {str(level).rpartition(".")[2].lower() for level in settings.quiet or ()}
        self.dry = settings.dryrun
        self._own = self._snakemakes_own()
        self._log_file = ""
        self._warned: set[str] = set()
        # If the disk is full, Python would print two stacks for each record that cannot be logged.
        logging.raiseExceptions = False
        self._stop = threading.Event()
        self._clock: threading.Thread | None = None

    def _snakemakes_own(self) -> logging.Handler | None:
        """Return Snakemake's own handler if its options request more than is shown here."""
        asked = self.common_settings
        if not (asked.verbose or asked.printshellcmds or asked.debug_dag):
            return None
        own = ColorizingTextHandler(nocolor=asked.nocolor, stream=self.screen.stream)
        own.setFormatter(DefaultFormatter(asked.quiet, asked.show_failed_logs))
        own.addFilter(
            DefaultFilter(
                asked.quiet, asked.debug_dag, asked.verbose, asked.dryrun, asked.printshellcmds
            )
        )
        return own

    def emit(self, record: logging.LogRecord) -> None:
        """Update the state with a record, and show its messages at once."""
        if self._own is not None:
            self._own.handle(record)
            return
        try:
            log = re.match(r"Complete log\(s\): (.*)", record.getMessage())
            self._log_file = log[1] if log else self._log_file
            for notice in self.state.hear(record):
                self._say(notice)
            self._start_clock()
        except Exception:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Say in one line that a record could not be shown; Snakemake's own log has it."""
        if not isinstance(sys.exc_info()[1], BrokenPipeError):
            self.screen.say(
                f"This message could not be shown: {record.getMessage()} ({sys.exc_info()[1]!r})"
            )

    def _say(self, notice: Notice) -> None:
        if "all" in self.quiet and not self.dry:
            return
        if isinstance(notice, Made):
            new = [text for text in warnings_of(notice.job) if text not in self._warned]
            self._warned.update(new)
            for text in new:
                self.screen.say(f"{notice.job.name} warns: {text}", YELLOW)
        elif isinstance(notice, Failure):
            self.screen.say(failure_text(notice), RED)
        elif notice.level >= logging.INFO:
            is_warning = notice.level >= logging.WARNING
            colour = RED if notice.level >= logging.ERROR else YELLOW if is_warning else None
            self.screen.say(notice.text, colour)

    @property
    def _shows_progress(self) -> bool:
        return bool(self.state.planned) and not self.dry and not self.quiet & {"all", "progress"}

    def _start_clock(self) -> None:
        if self._clock is None and self._shows_progress and not self._stop.is_set():
            self._clock = threading.Thread(target=self._tick, name="progress", daemon=True)
            self._clock.start()

    def _tick(self) -> None:
        interval = BETWEEN_DRAWINGS if self.screen.is_live else BETWEEN_LINES
        while not self._stop.wait(interval):
            # The handler's lock, because records are handled in another thread.
            with self.lock or threading.RLock():
                if not self._stop.is_set():
                    self._show(time.time())

    def _show(self, now: float) -> None:
        line = progress_line(self.state, now)
        if self.screen.is_live:
            draws = (self.screen.stream.encoding or "").lower().startswith("utf")
            full, empty = ("█", "░") if draws else ("#", ".")
            self.screen.show(f"{progress_bar(self.state, full=full, empty=empty)} {line}")
        else:
            self.screen.say(line)

    def close(self) -> None:
        """Say once how the run ended, although Snakemake and Python both close handlers."""
        with self.lock or threading.RLock():
            if not self._stop.is_set():
                self._stop.set()
                if self._own is None:
                    self._end()
        super().close()

    def _end(self) -> None:
        self.screen.show("")
        for notice in self.state.last_words():
            self._say(notice)
        if self.dry and self.state.planned:
            self.screen.say(plan_table(self.state))
        elif self._shows_progress:
            self.screen.say(run_ending(self.state, time.time(), self._log_file))


# Why jobs failed, what they warn of, the progress in one line, and how the run ended.

LINES_OF_LOG = 12
"""Number of last lines of a log that are shown."""

_LEVELS = ("DEBUG ", "INFO ", "WARNING ", "ERROR ", "CRITICAL ")


def failure_text(failure: Failure) -> str:
    """Describe a failure: the job, its error, and the path and last lines of its log.

    If Snakemake only knows that a command failed, the error is taken from the end of the log.
    """
    logs = [(path, _read(path)) for path in failure.job.logs]
    sentence = failure.sentence
    if not sentence or sentence.startswith(COMMAND):
        told = [said for _, log in logs if (said := raised_by(log))]
        sentence = told[-1] if told else sentence
    # Problems of the machine are shown first, without a log, which would not help.
    if failure.cause and failure.cause != failure.sentence and failure.sentence:
        return f"{failure.cause}: {failure.job.name} failed. {sentence}"
    lines = [f"{failure.job.name} failed: {sentence or 'no reason was given.'}"]
    for path, log in logs:
        tail = log.replace(f"{ERROR}{sentence}\n", "").rstrip().splitlines()[-LINES_OF_LOG:]
        lines.append(f"  Its log is {path}" + (", which ends:" if tail else "."))
        lines += [f"    | {line}" for line in tail]
    return "\n".join(lines)


def warnings_of(job: Job) -> list[str]:
    """Return the warnings in a job's logs, each with all its lines.

    Every entry of a log begins with its level (reproduction.workflow.jobs.run_job).
    """
    found: list[str] = []
    for path in job.logs:
        log = _read(path)
        if "WARNING " not in log:
            continue
        is_warning = False
        for line in log.splitlines():
            if line.startswith(_LEVELS):
                is_warning = line.startswith("WARNING ")
                if is_warning:
                    found.append(line.removeprefix("WARNING "))
            elif is_warning:
                found[-1] += f"\n{line}"
    return [warning.rstrip() for warning in found]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


FEWEST_JOBS = 3
"""Number of jobs that must have ended before the time left is shown."""

WIDTH_OF_BAR = 24
MOST_NAMED = 3
"""Maximum number of running jobs that are named."""


def in_words(seconds: float) -> str:
    """Return a duration in its two largest units."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def seconds_left(state: RunState, now: float) -> float | None:
    """Estimate the time left from the times of finished jobs; None if it is too early.

    A waiting job takes as long as the finished jobs of its rule on average or, if there are none,
    as all finished jobs. The elapsed time of running jobs is subtracted. The sum is divided by the
    average number of parallel jobs so far.
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
    # More jobs may run than are counted as left: new attempts of failed jobs.
    return max(left, 0.0) / max(side_by_side, 1.0)


def progress_line(state: RunState, now: float) -> str:
    """Return one line with finished jobs, time passed and left, failures, and running jobs."""
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


MOST_DRIFTED = 5
"""Maximum number of drifted artifacts that are named; the report has all."""

_STUDY = re.compile(r"(work/[^/]+)/artifacts/([^/]+)/")
_OTHERS = "## What was not compared"
_DRIFT_REPORT = re.compile(r"work/[^/]+/drift\.md")


def run_ending(state: RunState, now: float, log_file: str = "") -> str:
    """Return how a run ended, where its results are, what drifted, and what was absent.

    The drift report and the provenance files that it made are read. The path of Snakemake's own log
    is shown if the run failed.
    """
    took = in_words(now - state.started) if state.started is not None else "no time"
    outputs = [output for job in state.finished for output in job.outputs]
    if state.total and state.done == state.total:
        lines = [f"Done: {_jobs(state.done)} in {took}."]
    else:
        lines = [_unfinished(state, took)]
        lines += _repeated(state)
        lines += [f"Snakemake's log: {log_file}"] if log_file else []
    lines += _results(outputs)
    for report in sorted({o for o in outputs if _DRIFT_REPORT.fullmatch(o)}):
        lines.append(_drift(report))
    absence = absence_of(_absent(outputs), "receval repo datasets shows how to get them")
    lines += [absence] if absence else []
    return "\n".join(lines)


def plan_table(state: RunState) -> str:
    """Return the rules, how many jobs each has, and why they run.

    A job with several reasons counts for each, so the counts of a row may exceed its jobs.
    """
    rows = [("rule", "jobs", "why")]
    for rule, count in state.planned.items():
        why = state.why.get(rule, Counter[str]())
        rows.append((rule, str(count), ", ".join(f"{kind} {n}" for kind, n in why.items())))
    rows.append(("all together", str(state.total), ""))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(
        f"{rule:<{widths[0]}}  {count:>{widths[1]}}  {why}".rstrip() for rule, count, why in rows
    )


def _unfinished(state: RunState, took: str) -> str:
    failed = len(state.failures)
    waiting = max(state.total - state.done - failed, 0)
    made = f"{state.done} of {_jobs(state.total)} made in {took}"
    if failed:
        return (
            f"Failed: {_jobs(failed)}; {made}, {waiting} not started. Fix what failed. Then run "
            "the same command again, and it continues from there."
        )
    ended = "Stopped" if state.interrupted else "Not finished"
    return f"{ended}: {made}. Run the same command again, and it continues from there."


def _repeated(state: RunState) -> Iterable[str]:
    """Count the failures of each cause that affected more than one job."""
    by_cause: dict[str, list[Job]] = {}
    for failure in state.failures.values():
        by_cause.setdefault(failure.cause, []).append(failure.job)
    for cause, jobs in by_cause.items():
        if len(jobs) > 1:
            rules = Counter(job.rule for job in jobs)
            counted = ", ".join(f"{rule} {count}" for rule, count in rules.items())
            said = cause.partition("\n")[0].rstrip(".")
            yield f"  {len(jobs)} times: {said} ({counted})."


def _results(outputs: Iterable[str]) -> Iterable[str]:
    studies: dict[str, dict[str, None]] = {}
    for output in outputs:
        if study := _STUDY.match(output):
            studies.setdefault(study[1], {})[study[2]] = None
    for edition, names in studies.items():
        if len(names) == 1:
            yield f"Results: {edition}/artifacts/{next(iter(names))}/"
        else:
            yield f"Results: {edition}/artifacts/ ({', '.join(sorted(names))})"


def _drift(report: str) -> str:
    """Return the heading of a drift report, and the artifacts that drifted.

    Problems of prepared data are before the heading.
    """
    try:
        lines = Path(report).read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"Drift: {report} cannot be read."
    before = itertools.takewhile(lambda line: not line.startswith("#"), lines)
    damage = [line for line in before if line]
    below = itertools.dropwhile(lambda line: not line.startswith("#"), lines)
    verdict = next(below, "Drift: unknown").lstrip("# ")
    if damage:
        verdict = f"{' '.join(damage)} {verdict}"
    # The first and the last table have one row per artifact; the others show the changes in each.
    compared = itertools.takewhile(lambda line: not line.startswith("#"), below)
    others = itertools.dropwhile(lambda line: line != _OTHERS, lines)
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in (*compared, *others)
        if line.startswith("| ")
    ]
    # Words of reproduction.drift.comparison.
    to_check = ("drifted", "missing", "new")
    moved = sorted(row[0] for row in rows if len(row) > 1 and row[1].startswith(to_check))
    named = ", ".join(moved[:MOST_DRIFTED]) + (", ..." if len(moved) > MOST_DRIFTED else "")
    return f"{verdict}{f': {named}' if named else ''} ({report})."


def _absent(outputs: Iterable[str]) -> list[str]:
    """Return the datasets that the records of this run's studies list as absent."""
    absent: dict[str, None] = {}
    for study in dict.fromkeys(found[0] for o in outputs if (found := _STUDY.match(o))):
        try:
            record = json.loads(Path(study, "provenance.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        absent |= dict.fromkeys(record.get("absent", []))
    return sorted(absent)


def _jobs(count: int) -> str:
    return f"{count} job{'' if count == 1 else 's'}"
