# SPDX-License-Identifier: MIT
"""Start a process for each job, by forking from a fork server or by spawning."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Protocol

from receval.arithmetic import use_one_arithmetic
from reproduction.workflow.jobs.interpreter import KEPT, SAFE_PYTHON, WITHOUT_THREADS, safe_path
from reproduction.workflow.jobs.run_job import (
    Ended,
    Job,
    JobResult,
    carry_out,
    end_with_the_run_alone,
)
from reproduction.workflow.provenance.loaded_sources import LOADED

PATIENCE = 10.0
"""Seconds after which a server that was told to end is killed; it may be compiling a kernel."""


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


class ForkServer:
    """Launcher that forks every job from one process that has loaded the libraries.

    The server runs :mod:`reproduction.workflow.jobs.fork_server`. It starts with :meth:`warm_up` or
    the first job, and ends when this process ends or :meth:`close` is called. So no job runs code
    older than the run.
    """

    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def warm_up(self) -> None:
        """Start the server if it does not run."""
        if self._server is not None and self._server.poll() is None:
            return
        self.close()
        self._control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._server = subprocess.Popen(
                [*SAFE_PYTHON, "-m", "reproduction.workflow.jobs.fork_server", str(number)],
                stdin=subprocess.DEVNULL,
                pass_fds=[number],
                env={**KEPT, **WITHOUT_THREADS, **os.environ},
            )

    def start(self, job: Job) -> StartedJob:
        """Start a process for a job."""
        self.warm_up()
        try:
            return self._ask_for(job)
        except ConnectionError:
            # The server was just killed, before the job began.
            self.close()
            self.warm_up()
            return self._ask_for(job)

    def _ask_for(self, job: Job) -> StartedJob:
        assert self._control is not None
        ours, theirs = socket.socketpair()
        with ours, theirs:
            socket.send_fds(self._control, [b"j"], [theirs.fileno()])
            connection = Connection(ours.detach())
        connection.send(job)
        return _ForkedJob(connection)

    def close(self) -> None:
        """End the server, and with it all its jobs."""
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            try:
                self._server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        self._control = self._server = None


class _ForkedJob:
    """A process that the fork server has forked, or is about to."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._process: int | None = None
        self._unwanted = False

    def wait(self) -> tuple[JobResult | None, int | None]:
        """Return the result of the job and its exit status; None for what is unknown."""
        result = status = None
        # A broken connection means that the server has ended.
        with suppress(EOFError, OSError), self._connection:
            while status is None:
                message = self._connection.recv()
                if isinstance(message, JobResult):
                    result = message
                elif isinstance(message, Ended):
                    status = message.status
                else:
                    self._started(message)
        with self._lock:
            # From now on the system may give its id to another process.
            self._process = None
        return result, status

    def terminate(self) -> None:
        """End the process, even if it has not started yet."""
        with self._lock:
            self._unwanted = True
            if self._process is not None:
                with suppress(ProcessLookupError):
                    os.kill(self._process, signal.SIGTERM)

    def _started(self, process: int) -> None:
        with self._lock:
            self._process = process
            unwanted = self._unwanted
        if unwanted:
            self.terminate()


class Spawner:
    """Launcher that spawns a new process for every job, where forking is unsafe or unavailable."""

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
    """A process of multiprocessing."""

    def __init__(self, process: BaseProcess, receiver: Connection, lock: threading.Lock) -> None:
        self._process = process
        self._receiver = receiver
        self._lock = lock

    def wait(self) -> tuple[JobResult | None, int | None]:
        """Return the result of the job and its exit status; None for what is unknown."""
        result: JobResult | None = None
        with suppress(EOFError, OSError), self._receiver:
            result = self._receiver.recv()
        wait([self._process.sentinel])
        with self._lock:
            self._process.join()
        return result, self._process.exitcode

    def terminate(self) -> None:
        """End the process."""
        self._process.terminate()


def _spawned(job: Job, result: Connection) -> None:
    """Carry out a job, and end when the parent process ends."""
    LOADED.keep()
    use_one_arithmetic()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    end_with_the_run_alone()
    result.send(carry_out(job))


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Hide the main module from a spawned process, which would import it and Snakemake."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
