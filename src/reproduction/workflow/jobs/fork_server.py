# SPDX-License-Identifier: MIT
"""The fork server: a process that loads libraries in advance and forks a process for each job.

Run as a program by :class:`reproduction.workflow.jobs.job_launchers.ForkServer`, with the number of
an open socket as its argument. It receives further sockets over it, one per job. Each of these
delivers a :class:`~reproduction.workflow.jobs.run_job.Job`, and returns first the process id,
then the :class:`~reproduction.workflow.jobs.run_job.JobResult` (from the process itself, if
nothing kills it), and last :class:`~reproduction.workflow.jobs.run_job.Ended`. The server ends,
together with all its jobs, when the first socket closes, which happens when the main process ends
for any reason.
"""

from __future__ import annotations

import receval.import_path  # noqa: F401 - before libraries that may lie elsewhere

# isort: split
import ctypes
import gc
import os
import selectors
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NoReturn

from receval.arithmetic import use_one_arithmetic
from reproduction.workflow.jobs.preloading import all_the_rest, libraries
from reproduction.workflow.jobs.run_job import (
    Ended,
    Job,
    JobResult,
    carry_out,
    end_with_the_run_alone,
)
from reproduction.workflow.provenance.loaded_sources import LOADED

MANY_JOBS = 3
"""The number of jobs from which on it pays to load all other modules and compiled kernels, too."""

_PR_SET_PDEATHSIG = 1


class Server:
    """Forks a process for every requested job."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._jobs: dict[int, Connection] = {}
        self._asked = 0
        self._to_load: deque[Callable[[], object]] = deque(libraries())
        # The death of a child wakes the loop.
        reader, self._writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(self._writer, False)
        self._children = reader
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        end_with_the_run_alone()
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(reader, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve until the main process ends, and load libraries between requests."""
        while True:
            patience = 0 if self._to_load else None
            ready = {key.fileobj for key, _ in self._selector.select(patience)}
            if self._children in ready:
                self._see_who_ended()
            if self._control in ready and not self._accept():
                return
            if not ready:
                self._load_one_more()

    def _accept(self) -> bool:
        """Fork the next job; return whether the main process is still there."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        except ConnectionError:
            return False
        if not message:
            return False
        connection = Connection(descriptors[0])
        # If the connection is broken, nobody waits for the job.
        with suppress(EOFError, OSError):
            self._fork(connection.recv(), connection)
        return True

    def _fork(self, job: Job, connection: Connection) -> None:
        self._asked += 1
        if self._asked == MANY_JOBS:
            self._to_load.extend(all_the_rest())
        # Loaded objects never become garbage in a job. Freezing them saves scans and copies of
        # pages.
        gc.freeze()
        server = os.getpid()
        try:
            process = os.fork()
        except OSError as error:
            connection.send(JobResult(f"The system starts no process for it: {error.strerror}."))
            connection.send(Ended(1))
            return
        if process == 0:
            self._be(job, connection, server)
        self._jobs[process] = connection
        connection.send(process)

    def _be(self, job: Job, connection: Connection, server: int) -> NoReturn:
        """Do a job and end the process."""
        status = 1
        try:
            _end_with(server)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            self._control.close()
            for other in self._jobs.values():
                other.close()
            result = carry_out(job)
            connection.send(result)
            status = int(result.error is not None)
        finally:
            # Exit at once: clearing up what the server has loaded takes longer than many jobs, and
            # the process must never go on as a second server.
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)

    def _see_who_ended(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._children, 4096)
        while self._jobs:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            connection = self._jobs.pop(process)
            with suppress(OSError):
                connection.send(Ended(os.waitstatus_to_exitcode(status)))
            connection.close()

    def _load_one_more(self) -> None:
        # A broken module is reported by the job that needs it.
        with suppress(Exception):
            self._to_load.popleft()()


def _end_with(server: int) -> None:
    """End this process when the server ends, even while compiled code runs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)


if __name__ == "__main__":
    LOADED.keep()
    use_one_arithmetic()
    Server(socket.socket(fileno=int(sys.argv[1]))).serve()
    os._exit(0)
