# SPDX-License-Identifier: MIT
"""Run each job of the workflow in its own process.

Most jobs take some hundredths of a second. A new process would first spend a second on loading
Python, the numerical libraries and the compiled kernels. So jobs are forked from a process that has
loaded them once (:mod:`reproduction.workflow.jobs.fork_server`). Each still has its own memory, log
and exit status, like a new process.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

from receval.arithmetic import use_one_arithmetic
from reproduction.workflow.jobs.fork_server import ForkServer
from reproduction.workflow.jobs.interpreter import safe_path
from reproduction.workflow.jobs.run_job import (
    Call,
    Job,
    JobResult,
    NamedFiles,
    end_with_the_run_alone,
    paths_of,
    run_job,
)
from reproduction.workflow.jobs.temporary_files import remove_parts_of
from reproduction.workflow.provenance.loaded_sources import LOADED, CodeBehind

PATIENCE = 30.0
"""Seconds after SIGTERM until the main process is ended by force."""


class JobError(Exception):
    """A job failed; the message is a sentence that says why."""


class JobStoppedError(JobError):
    """A job was ended, or not started, because the whole run ends."""


class StartedJob(Protocol):
    """A job that runs in its own process."""

    def wait(self) -> tuple[JobResult | None, int | None]:
        """Return the result of the job and its exit status; None for what is unknown."""

    def terminate(self) -> None:
        """End the process."""


class Launcher(Protocol):
    """Starts processes for jobs. Callers in several threads must take turns."""

    def warm_up(self) -> None:
        """Begin to load the libraries that jobs share."""

    def start(self, job: Job) -> StartedJob:
        """Start a process for a job."""

    def close(self) -> None:
        """End what was started for all jobs."""


def fastest_launcher() -> Launcher:
    """Return a fork server on Linux, and a slower spawner elsewhere."""
    return ForkServer() if sys.platform == "linux" else Spawner()


class JobRunner:
    """Runs jobs in parallel, each in its own process.

    ``abandon`` is called to end the run, with an exception that every other job would also raise.
    ``code_behind`` returns the code behind the digest that a rule has as its parameter ``code``, so
    that a job that has loaded other code fails; None where the code is unknown, as before the plan
    is made. ``disk_full`` tells whether the run was abandoned because a job found the disk full.
    :meth:`run` may be called from many threads; it returns when the job has ended.
    """

    def __init__(
        self, abandon: Callable[[Exception], object], launcher: Launcher | None = None
    ) -> None:
        self._launcher = fastest_launcher() if launcher is None else launcher
        self._abandon = abandon
        self._lock = threading.Lock()
        self._running: set[StartedJob] = set()
        self._stopped_by: str | None = None
        self._interrupted = False
        self.code_behind: Callable[[str], CodeBehind | None] = lambda _: None
        self.disk_full = False
        # Then the jobs' time counts as that of this process's children.
        atexit.register(self.close)

    def warm_up(self) -> None:
        """Begin to load shared libraries before the first job."""
        with self._lock:
            self._launcher.warm_up()

    def run(
        self,
        function: str,
        inputs: NamedFiles,
        outputs: NamedFiles,
        params: Mapping[str, Any],
        log: Any,
        **more: Any,
    ) -> None:
        """Call a library function in its own process, and wait for it.

        The function is ``module:name``. It is called with every named input, output and parameter
        of the rule, except ``code``, as a keyword argument.
        """
        call = Call.of_rule(function, inputs, outputs, params, more)
        name = call.name
        code = self.code_behind(params.get("code", ""))
        job = Job(call, Path.cwd(), Path(log.messages), Path(log.benchmark), code)
        remove_parts_of(paths_of(outputs))
        started = self._start(job, name)
        result, status = started.wait()
        with self._lock:
            self._running.discard(started)
        if self._interrupted:
            # Snakemake does not report a job that ends like this: the run is interrupted, too.
            raise KeyboardInterrupt
        if result is None and self._stopped_by is not None:
            raise JobStoppedError(f"{name} was stopped: {self._stopped_by}.")
        if result is None:
            raise JobError(f"{name} {_end_of(status)} Its log: {job.log}.")
        self._tell(result, name, job.log)

    def _start(self, job: Job, name: str) -> StartedJob:
        with self._lock:
            if self._stopped_by is not None:
                raise JobStoppedError(f"{name} was not started: {self._stopped_by}.")
            started = self._launcher.start(job)
            self._running.add(started)
            return started

    def _tell(self, result: JobResult, name: str, log: Path) -> None:
        if result.error is None:
            return
        error = JobError(f"{name}: {result.error}\nIts log: {log}.")
        if result.disk_full:
            # All other jobs would fail, too.
            self.disk_full = True
            self.stop("there is no space left on the disk")
            self._abandon(error)
        raise error

    def stop(self, reason: str, *, interrupted: bool = False) -> None:
        """End all jobs, and start no more."""
        with self._lock:
            self._stopped_by = self._stopped_by or reason
            self._interrupted |= interrupted
            for job in self._running:
                job.terminate()

    def stop_on_signals(self) -> None:
        """End all jobs when this process gets a signal to end; call it in the main thread.

        Otherwise Snakemake would wait for its jobs, which may take minutes. Snakemake's own signal
        handlers stay in place.
        """
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

        def listen() -> None:
            while True:
                for number in os.read(reader, 64):
                    if number in (signal.SIGINT, signal.SIGTERM):
                        reason = f"the run received the signal {signal.Signals(number).name}"
                        self.stop(reason, interrupted=number == signal.SIGINT)
                    if number == signal.SIGTERM:
                        # Snakemake's handler may wait for ever for a lock that the main thread
                        # holds. A killed run loses nothing.
                        killing = threading.Timer(PATIENCE, os._exit, [128 + number])
                        killing.daemon = True
                        killing.start()

        threading.Thread(target=listen, name="receval-signals", daemon=True).start()

    def close(self) -> None:
        """End what was started for all jobs."""
        self._launcher.close()


def _end_of(status: int | None) -> str:
    if status is None:
        return "was lost: the process that starts jobs was killed."
    if status >= 0:
        return f"ended without a result, with status {status}."
    # Not every signal number has a name, and Windows has no SIGKILL.
    names = {number.value: number.name for number in signal.Signals}
    name = names.get(-status, f"the signal {-status}")
    if name == "SIGKILL":
        return (
            "was killed by SIGKILL. The system may have run out of memory. Run fewer jobs at "
            "once, or use a machine with more memory."
        )
    return f"was killed by {name}."


# Jobs of new processes, where forking is unsafe or unavailable.


class Spawner:
    """Launcher that spawns a new process for every job."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        # multiprocessing's list of children is not thread-safe.
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Do nothing: there is nothing to share."""

    def start(self, job: Job) -> StartedJob:
        """Start a process for a job."""
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_spawned, args=(job, sender), daemon=True)
        with self._lock, _without_main_module(), safe_path():
            process.start()
        sender.close()
        return _SpawnedJob(process, receiver, self._lock)

    def close(self) -> None:
        """Do nothing: there is nothing to share."""


class _SpawnedJob:
    def __init__(self, process: BaseProcess, receiver: Connection, lock: threading.Lock) -> None:
        self._process = process
        self._receiver = receiver
        self._lock = lock

    def wait(self) -> tuple[JobResult | None, int | None]:
        result: JobResult | None = None
        with suppress(EOFError, OSError), self._receiver:
            result = self._receiver.recv()
        wait([self._process.sentinel])
        with self._lock:
            self._process.join()
        return result, self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()


def _spawned(job: Job, result: Connection) -> None:
    """Run a job, and end when the parent process ends."""
    LOADED.keep()
    use_one_arithmetic()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    end_with_the_run_alone()
    result.send(run_job(job))


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Hide the main module from a spawned process, which would import it and Snakemake."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
