# SPDX-License-Identifier: MIT
"""Run each job of the workflow outside of Snakemake's process.

Most jobs take some hundredths of a second. A new process would first spend a second on loading
Python, the numerical libraries and the compiled kernels. So the processes of jobs are
forked from one that has loaded them once (:mod:`reproduction.workflow.jobs.fork_server`). Each job
still has a process to itself while it runs, with its own log and exit status.

One job may also run in the current process, so that it can be debugged. This process starts
Snakemake with the forced target and waits. Snakemake makes missing inputs as usual, but hands the
job that makes the target back over a socket. An environment variable tells it the number of the
socket and the target. So the function gets the arguments of the current rule, and Snakemake records
the job like any other.

Unfinished files and folders that killed runs and jobs leave behind are removed.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

from threadpoolctl import threadpool_limits

from receval.arithmetic import use_one_arithmetic
from reproduction.workflow.jobs.fork_server import ForkedJob, ForkServer
from reproduction.workflow.jobs.interpreter import SAFE_PYTHON, safe_path
from reproduction.workflow.jobs.run_job import (
    Call,
    Job,
    JobResult,
    NamedFiles,
    end_with_the_run_alone,
    paths_of,
    run_job,
    sentence_of,
)
from reproduction.workflow.provenance.code_digest import LOADED, CodeBehind, as_planned

_BEING_WRITTEN = re.compile(r"(models|\..*)?\.[0-9a-f]+\.part")
"""Names of unfinished results (:func:`receval.storage.files.being_written`)."""


def remove_temporary_files(folder: Path) -> list[Path]:
    """Remove the unfinished files of killed runs; call it while no run is active.

    The folder is that of an edition, of raw files or of accepted results. Partial downloads have
    other names and are kept, to be continued.
    """
    removed = []
    for parent, folders, files in os.walk(folder):
        left = [name for name in (*folders, *files) if _BEING_WRITTEN.fullmatch(name)]
        folders[:] = [name for name in folders if name not in left]
        removed += remove_all(Path(parent, name) for name in left)
    return removed


def date_back(folder: Path, now: float) -> list[Path]:
    """Set the dates of files that are in the future to now; call it while no run is active.

    Otherwise Snakemake would reject everything made from such a file as older than its input, and
    remove it. All of them get the same date, so that files made from each other stay valid.
    """
    dated = []
    for parent, folders, files in os.walk(folder):
        if Path(parent) == folder and "raw" in folders:
            folders.remove("raw")
        for path in (Path(parent, name) for name in files):
            # Snakemake reports files whose date cannot be set.
            with suppress(OSError):
                if path.lstat().st_mtime > now:
                    os.utime(path, (now, now), follow_symlinks=False)
                    dated.append(path)
    return sorted(dated)


def remove_parts_of(targets: Iterable[Path]) -> None:
    """Remove unfinished versions of some files and folders; call it before they are made.

    On a cluster, the time limit or the failure of a node may have killed an earlier attempt in this
    run. Snakemake has locked these files, so no other process writes them.
    """
    folders: dict[Path, list[str]] = {}
    for target in targets:
        folders.setdefault(target.parent, []).append(re.escape(target.name))
    for parent, names in folders.items():
        if not parent.is_dir():
            continue
        # A prepared dataset is a folder without its own name until it is complete.
        own = re.compile(rf"(\.?(?:{'|'.join(names)}))?\.[0-9a-f]+\.part")
        remove_all(path for path in parent.iterdir() if own.fullmatch(path.name))


def remove_all(paths: Iterable[Path]) -> list[Path]:
    """Remove files and folders that are not needed; what cannot be removed does no harm."""
    removed = list(paths)
    for path in removed:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            # A process that is ending may remove its own files.
            with suppress(OSError):
                path.unlink()
    return removed


PATIENCE = 30.0
"""Seconds after SIGTERM until the main process is ended by force."""


class JobError(Exception):
    """A job failed; the message is a sentence that says why."""


class JobStoppedError(JobError):
    """A job was ended, or not started, because the whole run ends."""


StartedJob: TypeAlias = "ForkedJob | SpawnedJob | HandedOverJob"
"""A job that runs in its own process: ``wait`` and ``terminate``."""

Launcher: TypeAlias = "ForkServer | Spawner | HandingOver"
"""Starts processes for jobs, in turns: ``warm_up``, ``start`` and ``close``."""


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
        """Call a library function (``module:function``) in its own process, and wait for it.

        Every named input, output and parameter of the rule, except ``code``, is a keyword argument.
        """
        call = Call.of_rule(function, inputs, outputs, params, more)
        name = call.name
        code = self.code_behind(params.get("code", ""))
        job = Job(call, Path.cwd(), Path(log.messages), Path(log.benchmark), code)
        remove_parts_of(paths_of(outputs))
        with self._lock:
            if self._stopped_by is not None:
                raise JobStoppedError(f"{name} was not started: {self._stopped_by}.")
            started = self._launcher.start(job)
            self._running.add(started)
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
        if result.error is None:
            return
        error = JobError(f"{name}: {result.error}\nIts log: {job.log}.")
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

    def start(self, job: Job) -> SpawnedJob:
        """Start a process for a job."""
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_spawned, args=(job, sender), daemon=True)
        with self._lock, safe_path():
            # The process would import the main module, and Snakemake with it.
            main = sys.modules["__main__"]
            sys.modules["__main__"] = types.ModuleType("__main__")
            try:
                process.start()
            finally:
                sys.modules["__main__"] = main
        sender.close()
        return SpawnedJob(process, receiver, self._lock)

    def close(self) -> None:
        """Do nothing: there is nothing to share."""


class SpawnedJob:
    """A job whose process was spawned."""

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

    def watch() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    end_with_the_run_alone()
    result.send(run_job(job))


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
        return HandedOverJob(self._asking)

    def close(self) -> None:
        """Close the launcher of the other jobs."""
        self._others.close()


class HandedOverJob:
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
