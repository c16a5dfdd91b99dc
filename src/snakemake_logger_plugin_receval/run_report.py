# SPDX-License-Identifier: MIT
"""Texts about a run: why jobs failed, its progress in one line, and how it ended."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from receval.figures.display import absence_of
from snakemake_logger_plugin_receval.errors import (
    raised_by,
    says_only_how_it_ended,
    without_sentence,
)
from snakemake_logger_plugin_receval.run_state import Failure, Job, RunState

LINES_OF_LOG = 12
"""Number of last lines of a log that are shown."""

_LEVELS = ("DEBUG ", "INFO ", "WARNING ", "ERROR ", "CRITICAL ")


def failure_text(failure: Failure) -> str:
    """Describe a failure: the job, its error, and the path and last lines of its log.

    If Snakemake only knows that a command failed, the error is taken from the end of the log.
    """
    logs = [(path, _read(path)) for path in failure.job.logs]
    sentence = failure.sentence
    if not sentence or says_only_how_it_ended(sentence):
        told = [said for _, log in logs if (said := raised_by(log))]
        sentence = told[-1] if told else sentence
    # Problems of the machine are shown first, without a log, which would not help.
    if failure.cause and failure.cause != failure.sentence and failure.sentence:
        return f"{failure.cause}: {failure.job.name} failed. {sentence}"
    lines = [f"{failure.job.name} failed: {sentence or 'no reason was given.'}"]
    for path, log in logs:
        tail = without_sentence(log, sentence).rstrip().splitlines()[-LINES_OF_LOG:]
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
    moved = sorted(row[0] for row in rows if _drifted(row))
    named = ", ".join(moved[:MOST_DRIFTED]) + (", ..." if len(moved) > MOST_DRIFTED else "")
    return f"{verdict}{f': {named}' if named else ''} ({report})."


def _drifted(row: list[str]) -> bool:
    """Return whether a row of a drift report must be checked (reproduction.drift.comparison)."""
    return len(row) > 1 and row[1].startswith(("drifted", "missing", "new"))


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
