# SPDX-License-Identifier: MIT
"""Run one job of the workflow in the current process, so that it can be debugged.

The process starts Snakemake with the forced target and waits. Snakemake makes missing inputs as
usual, but hands the job that makes the target back over a socket. An environment variable tells it
the number of the socket and the target. So the function gets the arguments of the current rule, and
Snakemake records the job like any other.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from threadpoolctl import threadpool_limits

from reproduction.workflow.jobs.interpreter import SAFE_PYTHON
from reproduction.workflow.jobs.job_runner import Launcher, StartedJob, fastest_launcher
from reproduction.workflow.jobs.run_job import Job, JobResult, sentence_of
from reproduction.workflow.provenance.loaded_sources import LOADED, as_planned

VARIABLE = "RECEVAL_FOREGROUND"
"""The environment variable with the socket and the target, as ``number:file``."""


def run_rule(target: str, options: Sequence[str] = ()) -> int:
    """Call the function that makes a file, in this thread, and return Snakemake's exit status.

    The file is relative to the repository, which is the current folder.
    """
    if sys.platform == "win32":
        raise ValueError("receval repo run-rule works only on Linux and macOS.")
    LOADED.keep()
    ours, theirs = socket.socketpair()
    with theirs:
        number = theirs.fileno()
        snakemake = subprocess.Popen(
            [*SAFE_PYTHON, "-m", "snakemake", "--cores", "1", *options, "--force", "--", target],
            # Otherwise its line of progress would overwrite the debugger's output.
            env={**os.environ, VARIABLE: f"{number}:{target}", "TERM": "dumb"},
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            # Ctrl-C should interrupt the function, not Snakemake.
            start_new_session=True,
        )
    with Connection(ours.detach()) as connection:
        try:
            _serve(connection)
        finally:
            connection.close()
            status = snakemake.wait()
    return status


def _serve(connection: Connection) -> None:
    """Run the job that Snakemake hands over, if there is one."""
    try:
        job: Job = connection.recv()
    except EOFError:
        return
    print(f"{job.call.function} in process {os.getpid()}", file=sys.stderr)
    result = JobResult("The debugger ended it.")
    try:
        # As in any other job, so that results have the same bytes.
        with as_planned(job.code), threadpool_limits(1):
            job.call.make()
        result = JobResult()
    except Exception as error:
        result = JobResult(sentence_of(error))
        raise
    finally:
        with suppress(OSError):
            connection.send(result)


def launcher_of_this_run() -> Launcher:
    """Return the launcher of this run: all jobs in the background, or all except one."""
    number, _, target = os.environ.get(VARIABLE, "").partition(":")
    fastest = fastest_launcher()
    return HandingOver(Connection(int(number)), Path(target), fastest) if number else fastest


class HandingOver:
    """Launcher that hands the job of one file to another process, and starts all others."""

    def __init__(self, asking: Connection, target: Path, others: Launcher) -> None:
        self._asking = asking
        self._target = target
        self._others = others

    def warm_up(self) -> None:
        """Do nothing: there are few other jobs, or none."""

    def start(self, job: Job) -> StartedJob:
        """Hand a job over, or start a process for it."""
        if self._target not in job.call.arguments.values():
            return self._others.start(job)
        self._asking.send(job)
        return _HandedOver(self._asking)

    def close(self) -> None:
        """Close the launcher of the other jobs."""
        self._others.close()


class _HandedOver:
    """A job that another process runs."""

    def __init__(self, asking: Connection) -> None:
        self._asking = asking

    def wait(self) -> tuple[JobResult | None, int | None]:
        try:
            result: JobResult = self._asking.recv()
        except (EOFError, OSError):
            return None, None
        return result, int(result.error is not None)

    def terminate(self) -> None:
        """Do nothing: the job is being debugged."""
