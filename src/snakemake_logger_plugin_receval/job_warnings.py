"""What jobs that were made warn of in their logs."""

from __future__ import annotations

from pathlib import Path

from snakemake_logger_plugin_receval.run_state import Job

_LEVELS = ("DEBUG ", "INFO ", "WARNING ", "ERROR ", "CRITICAL ")


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
        try:
            log = Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
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
