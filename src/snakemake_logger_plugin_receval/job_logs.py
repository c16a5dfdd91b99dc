"""What the logs of jobs tell: why one failed, and what one that was made warns of."""

from __future__ import annotations

from pathlib import Path

from snakemake_logger_plugin_receval.errors import (
    is_our_own,
    raised_by,
    says_only_how_it_ended,
    without_traceback,
)
from snakemake_logger_plugin_receval.run_state import Failure, Job

LINES_OF_LOG = 12
"""So many of the last lines of a log are shown."""

_LEVELS = ("DEBUG ", "INFO ", "WARNING ", "ERROR ", "CRITICAL ")


def failure_text(failure: Failure) -> str:
    """Return a failure in words: the job, the sentence of its error, its log's path and last lines.

    Where Snakemake knows only that a command failed, the sentence is what the log's last traceback
    ends in. A traceback of an error that this project words itself is not shown: the
    sentence is all there is to it.

    Parameters
    ----------
    failure : Failure
        The failure; its logs are read.
    """
    logs = [(path, _read(path)) for path in failure.job.logs]
    sentence = failure.sentence
    if not sentence or says_only_how_it_ended(sentence):
        told = [said for _, log in logs if (said := raised_by(log))]
        sentence = told[-1] if told else sentence
    # What is wrong with the machine is worth saying first, and no log helps to understand it.
    if failure.cause and failure.cause != failure.sentence and failure.sentence:
        return f"{failure.cause}: {failure.job.name} failed. {sentence}"
    lines = [f"{failure.job.name} failed: {sentence or 'nothing says why.'}"]
    for path, log in logs:
        shown = without_traceback(log) if is_our_own(log) else log
        tail = shown.rstrip().splitlines()[-LINES_OF_LOG:]
        lines.append(f"  Its log is {path}" + (", which ends:" if tail else "."))
        lines += [f"    | {line}" for line in tail]
    return "\n".join(lines)


def warnings_of(job: Job) -> list[str]:
    """Return the warnings in a job's logs, each in full, however many lines it has.

    In a log every entry begins with its level (receval.workflow.job_process).

    Parameters
    ----------
    job : Job
        A job that has ended; its logs are read.
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
