# SPDX-License-Identifier: MIT
"""The fork server: a process that loads libraries in advance and forks the processes of jobs.

:class:`ForkServer` runs this module as a program, with the number of an open socket as its
argument. The server receives further sockets over it, one per job. Each of these delivers a
:class:`~reproduction.workflow.jobs.run_job.Job`, and returns first the process id, then the
:class:`~reproduction.workflow.jobs.run_job.JobResult` (from the process itself, if nothing kills
it), and last :class:`~reproduction.workflow.jobs.run_job.ProcessExit`. The server ends, together
with all its jobs, when the first socket closes, which happens when the main process ends for any
reason.

Forking and ending a process takes some hundredths of a second, mostly for copying pages of memory.
So a process that has finished a job waits for the next one, unless the job failed, left a thread,
needed much memory, or may have run code of other packages, which may change something for others.
"""

from __future__ import annotations

if __name__ == "__main__":
    import receval.import_path  # noqa: F401 - before libraries that may lie elsewhere

import ctypes
import gc
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from receval.arithmetic import use_one_arithmetic
from reproduction.workflow.jobs.interpreter import (
    KEPT,
    SAFE_PYTHON,
    WITHOUT_THREADS,
    use_large_pages,
)
from reproduction.workflow.jobs.kernels import compile_kernel, listed
from reproduction.workflow.jobs.run_job import (
    Job,
    JobResult,
    ProcessExit,
    end_with_the_run_alone,
    run_job,
)
from reproduction.workflow.provenance.code_digest import LOADED
from reproduction.workflow.provenance.source_file import PACKAGES

PROGRAM = "reproduction.workflow.jobs.fork_server"

PATIENCE = 10.0
"""Seconds after which a server that was told to end is killed; it may be compiling a kernel."""

MANY_JOBS = 3
"""The number of jobs from which on it pays to load all other modules and compiled kernels, too."""

KEPT_MEMORY = 256 * 2**20
"""Bytes by which a process may have grown in its jobs if it is to do another one."""

_JOB, _TAKEN, _FREE = b"j", b"t", b"f"
"""What the server and a process tell each other."""

_PR_SET_PDEATHSIG = 1


class ForkServer:
    """Launcher that forks every job from one process that has loaded the libraries.

    The server starts with :meth:`warm_up` or the first job, and ends when this process ends or
    :meth:`close` is called. So no job runs code older than the run.
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
                [*SAFE_PYTHON, "-m", PROGRAM, str(number)],
                stdin=subprocess.DEVNULL,
                pass_fds=[number],
                env={**KEPT, **WITHOUT_THREADS, **os.environ},
            )

    def start(self, job: Job) -> ForkedJob:
        """Start a process for a job."""
        self.warm_up()
        try:
            return self._ask_for(job)
        except ConnectionError:
            # The server was just killed, before the job began.
            self.close()
            self.warm_up()
            return self._ask_for(job)

    def _ask_for(self, job: Job) -> ForkedJob:
        assert self._control is not None
        ours, theirs = socket.socketpair()
        with ours, theirs:
            socket.send_fds(self._control, [b"j"], [theirs.fileno()])
            connection = Connection(ours.detach())
        connection.send(job)
        return ForkedJob(connection)

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


class ForkedJob:
    """A job whose process the fork server has forked, or is about to fork."""

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
                elif isinstance(message, ProcessExit):
                    status = message.status
                else:
                    with self._lock:
                        self._process = message
                    if self._unwanted:
                        self.terminate()
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


class Server:
    """Gives every requested job to a process that is free, or forks one for it."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        # Processes, the socket of each, and the connections of those that have a job or are given
        # one.
        self._workers: dict[int, socket.socket] = {}
        self._jobs: dict[int, Connection] = {}
        self._given: set[int] = set()
        self._asked = 0
        self._to_load: deque[Callable[[], object]] = deque(libraries())
        # The death of a child wakes the loop.
        self._children, self._writer = os.pipe()
        os.set_blocking(self._children, False)
        os.set_blocking(self._writer, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        end_with_the_run_alone()
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._children, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve until the main process ends, and load libraries between requests."""
        while True:
            patience = 0 if self._to_load else None
            ready = {key.fileobj for key, _ in self._selector.select(patience)}
            if self._children in ready:
                self._see_who_ended()
            for process, worker in list(self._workers.items()):
                if worker in ready:
                    self._hear(process)
            if self._control in ready and not self._accept():
                return
            if not ready:
                # A broken module is reported by the job that needs it.
                with suppress(Exception):
                    self._to_load.popleft()()

    def _accept(self) -> bool:
        """Fork the next job; return whether the main process is still there."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        except ConnectionError:
            return False
        if not message:
            return False
        self._asked += 1
        if self._asked == MANY_JOBS:
            self._to_load.extend(all_the_rest())
        connection = Connection(descriptors[0])
        # If the connection is broken, nobody waits for the job.
        with suppress(OSError):
            if not self._hand_over(connection):
                self._fork(connection)
        return True

    def _hand_over(self, connection: Connection) -> bool:
        """Give a job to a process that is free; return whether there is one."""
        for process in self._workers.keys() - self._jobs.keys():
            # One that was killed is not there to take it.
            with suppress(OSError):
                socket.send_fds(self._workers[process], [_JOB], [connection.fileno()])
                self._jobs[process] = connection
                self._given.add(process)
                return True
        return False

    def _hear(self, process: int) -> bool:
        """Take all messages of a process: it has taken its job, or is free again.

        Return whether there were any; there are none when the process has ended.
        """
        messages = b""
        with suppress(OSError):
            messages = self._workers[process].recv(16)
        for message in messages:
            if message == ord(_TAKEN):
                self._given.remove(process)
                # A short job may be done before this is heard, and nobody waits for it then.
                with suppress(OSError):
                    self._jobs[process].send(process)
            else:
                self._jobs.pop(process).close()
        if not messages:
            # Its death tells why it has ended.
            with suppress(KeyError):
                self._selector.unregister(self._workers[process])
        return bool(messages)

    def _fork(self, connection: Connection) -> None:
        # Loaded objects never become garbage in a job. Freezing them saves scans and copies of
        # pages.
        gc.freeze()
        server = os.getpid()
        ours, theirs = socket.socketpair()
        try:
            process = os.fork()
        except OSError as error:
            ours.close()
            theirs.close()
            connection.send(
                JobResult(f"The system could not start a process for it: {error.strerror}.")
            )
            connection.send(ProcessExit(1))
            return
        if process == 0:
            ours.close()
            self._be(connection, theirs, server)
        theirs.close()
        self._workers[process], self._jobs[process] = ours, connection
        self._selector.register(ours, selectors.EVENT_READ)
        connection.send(process)

    def _be(self, connection: Connection, server_end: socket.socket, server: int) -> NoReturn:
        """Do jobs and end the process."""
        status = 1
        try:
            # End when the server ends, even while compiled code runs.
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != server:
                os._exit(1)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            self._control.close()
            for job in self._jobs.values():
                job.close()
            for worker in self._workers.values():
                worker.close()
            # A process without what most jobs need would load it in addition to the server.
            status = _do_jobs(connection, server_end, may_stay=not self._to_load)
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
        while self._workers:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            # It may have said that it took its job before it was killed by it.
            while self._hear(process):
                pass
            self._workers.pop(process).close()
            if connection := self._jobs.pop(process, None):
                # If the connection is broken, nobody waits for the job.
                with suppress(OSError):
                    if process in self._given:
                        self._given.remove(process)
                        self._fork(connection)
                        continue
                    connection.send(ProcessExit(os.waitstatus_to_exitcode(status)))
                connection.close()


def _do_jobs(connection: Connection, server: socket.socket, *, may_stay: bool) -> int:
    """Do a job, and those that the server has while this process is as new; return the status."""
    before = _memory()
    while True:
        began = time.process_time()
        job: Job = connection.recv()
        result = run_job(job, began)
        connection.send(result)
        is_our_own = job.code is None or not job.code.plugins
        as_new = threading.active_count() == 1 and _memory() - before <= KEPT_MEMORY
        if result.error is not None or not (may_stay and is_our_own and as_new and _said_all()):
            return int(result.error is not None)
        # First, so that the next job finds this process free.
        server.send(_FREE)
        connection.send(ProcessExit(0))
        connection.close()
        message, descriptors, _, _ = socket.recv_fds(server, 1, 1)
        if not message:
            return 0
        server.send(_TAKEN)
        connection = Connection(descriptors[0])


def _said_all() -> bool:
    """Write what waits in buffers, and return whether that was possible."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
        return True
    return False


def _memory() -> float:
    """Return the resident memory of this process in bytes; infinite where the system hides it."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return float("inf")


# What the server loads in advance, to save time in jobs.

LIBRARIES = (
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "matplotlib.figure",
    "matplotlib.style",
    "matplotlib.backends.backend_svg",
    "matplotlib.backends.backend_pdf",
)
"""What most jobs need, loaded first."""

TABLES_OF_FONTS = (
    *("O_S_2f_2", "_c_m_a_p", "_c_v_t", "_f_p_g_m", "_g_a_s_p", "_g_l_y_f", "_h_e_a_d"),
    *("_h_h_e_a", "_h_m_t_x", "_l_o_c_a", "_m_a_x_p", "_n_a_m_e", "_p_o_s_t", "_p_r_e_p"),
)

LOADED_WHEN_USED = (
    "encodings.cp437",
    "encodings.utf_16_be",
    "encodings.utf_32_be",
    *(f"fontTools.ttLib.tables.{table}" for table in TABLES_OF_FONTS),
    "pandas.core.methods.to_dict",
    "pandas.core.reshape.reshape",
    "pandas.io.formats.csvs",
    "pyarrow.pandas_compat",
)
"""Modules that libraries import only when they read or write a file such as a CSV or a font."""

OTHER_PACKAGES = ("implicit", "sklearn.decomposition", "sklearn.linear_model", "sklearn.neighbors")
"""Packages with which several jobs train systems; the library imports them only then."""

LEFT_OUT = frozenset({"receval.cli.main", PROGRAM})
"""Modules that are programs, which no job imports."""


def libraries() -> Iterator[Callable[[], object]]:
    """Yield the steps that load what most jobs need."""
    yield from (partial(import_module, name) for name in LIBRARIES)


def all_the_rest() -> Iterator[Callable[[], object]]:
    """Yield the steps that load everything else, for a long run."""
    from receval.recommenders.base import find_threads

    names = (*module_names(), *LOADED_WHEN_USED, *OTHER_PACKAGES)
    yield from (partial(import_module, name) for name in names)
    yield from (partial(compile_kernel, *kernel) for kernel in listed())
    yield find_threads
    yield use_large_pages


def module_names() -> Iterator[str]:
    """Yield the names of all modules of both packages, each package before its modules."""
    for package in PACKAGES:
        path = import_module(package).__path__
        # A broken package is reported by the job that needs it, as a broken module is.
        for module in pkgutil.walk_packages(path, f"{package}.", onerror=lambda _: None):
            if module.name not in LEFT_OUT:
                yield module.name


def run_server() -> NoReturn:
    """Serve at the socket whose number is the program's argument."""
    LOADED.keep()
    use_one_arithmetic()
    Server(socket.socket(fileno=int(sys.argv[1]))).serve()
    os._exit(0)


if __name__ == "__main__":
    run_server()
