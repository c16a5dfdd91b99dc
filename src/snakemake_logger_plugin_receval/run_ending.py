"""What a run says at its end: what it made, or the table of what it would make."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from receval.figures.display import absence_of
from snakemake_logger_plugin_receval.progress import in_words
from snakemake_logger_plugin_receval.run_state import Job, RunState

MOST_NAMED = 5
"""So many artifacts that drifted are named; the report has all."""

_STUDY = re.compile(r"(work/[^/]+)/artifacts/([^/]+)/")
_DRIFT_REPORT = re.compile(r"work/[^/]+/drift\.md")


def run_ending(state: RunState, now: float, log_file: str = "") -> str:
    """Return how a run ended, where its results are, what drifted, and what was absent.

    Parameters
    ----------
    state : RunState
        What is known of the run. The drift report and the provenance files that it made are read.
    now : float
        Time in seconds since 1970.
    log_file : str
        Where Snakemake's own log is; said if the run did not succeed.
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
    absence = absence_of(_absent(outputs), "receval datasets tells how to get them")
    lines += [absence] if absence else []
    return "\n".join(lines)


def plan_table(state: RunState) -> str:
    """Return the rules, how many jobs each has, and why they run.

    A job with several reasons counts for each, so that the counts of a row may exceed its jobs.
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
        ended = f"Failed: {_jobs(failed)}; {made}, {waiting} had to wait."
    else:
        ended = f"{'Stopped' if state.interrupted else 'Not finished'}: {made}."
    return f"{ended} The same command goes on from there."


def _repeated(state: RunState) -> Iterable[str]:
    """Count the failures of each cause that more than one job met."""
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
    """Say what a drift report's first line does, and which artifacts drifted."""
    try:
        lines = Path(report).read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"Drift: {report} cannot be read."
    verdict = lines[0].lstrip("# ") if lines else "Drift: unknown"
    # The first table has a row an artifact; those after it tell what moved in each.
    of_artifacts = itertools.takewhile(lambda line: not line.startswith("#"), lines[1:])
    rows = [line.strip("| ").split(" | ") for line in of_artifacts if line.startswith("| ")]
    moved = [row[0] for row in rows if _drifted(row)]
    named = ", ".join(moved[:MOST_NAMED]) + (", ..." if len(moved) > MOST_NAMED else "")
    return f"{verdict}{f': {named}' if named else ''} ({report})."


def _drifted(row: list[str]) -> bool:
    """Return whether a row of a drift report asks to be looked at (receval.drift.comparison)."""
    return len(row) > 1 and row[1].startswith(("drifted", "missing", "new"))


def _absent(outputs: Iterable[str]) -> list[str]:
    """Return the datasets that studies of this run did without, by what they have recorded."""
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
