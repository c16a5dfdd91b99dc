# SPDX-License-Identifier: MIT
"""Run a job in its process: call its function, and write its log and benchmark."""

from __future__ import annotations

import errno
import faulthandler
import logging
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from receval.storage.files import write_atomically
from receval.storage.messages import printable
from reproduction.workflow.jobs.kernels import COMPILED, noting_compiled
from reproduction.workflow.provenance.code_digest import CodeBehind, as_planned
from reproduction.workflow.provenance.source_file import PACKAGES

_log = logging.getLogger(__name__)

TALKATIVE = ("fontTools",)
"""Libraries whose log messages are too verbose."""


# The call that a rule makes: one function of the library and its keyword arguments.

UNUSED_PARAMETERS = frozenset({"code"})
"""Parameters of rules that only make Snakemake run a job again when they change."""


class NamedFiles(Protocol):
    """Snakemake's list of the named inputs, outputs or logs of a job."""

    def items(self) -> Any:
        """Return pairs of a name and a path, or a list of paths."""

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Call:
    """A call of a library function by name, as plain values that another process can read.

    The function is ``module:name``. Among its keyword arguments, files are ``Path`` or tuples of
    ``Path``.
    """

    function: str
    arguments: dict[str, Any]

    @classmethod
    def of_rule(
        cls,
        function: str,
        inputs: NamedFiles,
        outputs: NamedFiles,
        params: Mapping[str, Any],
        more: Mapping[str, Any],
    ) -> Call:
        """Return the call of a rule, which uses the names of the function's arguments."""
        arguments: dict[str, Any] = {}
        sources = {
            "input": _paths(inputs, function, "input"),
            "output": _paths(outputs, function, "output"),
            "params": {k: v for k, v in params.items() if k not in UNUSED_PARAMETERS},
            "the rule's body": more,
        }
        for source, values in sources.items():
            twice = sorted(values.keys() & arguments.keys())
            if twice:
                raise ValueError(
                    f"The rule that calls {function} has {', '.join(twice)} both under {source} "
                    "and above it, but every name is one argument of the function. Rename one "
                    "of them."
                )
            arguments |= values
        return cls(function, arguments)

    @property
    def name(self) -> str:
        """The function's name, without its module."""
        return self.function.rpartition(":")[2]

    def make(self) -> None:
        """Import the function and call it."""
        module = import_module(self.function.partition(":")[0])
        getattr(module, self.name)(**self.arguments)


def paths_of(files: NamedFiles) -> list[Path]:
    """Return all files of a job's inputs, outputs or logs."""
    return [
        Path(path)
        for _, value in files.items()
        for path in ([value] if isinstance(value, str) else value)
    ]


def _paths(files: NamedFiles, function: str, kind: str) -> dict[str, Any]:
    named = {
        name: Path(value) if isinstance(value, str) else tuple(map(Path, value))
        for name, value in files.items()
    }
    held = sum(len(value) if isinstance(value, tuple) else 1 for value in named.values())
    if held != len(files):
        raise ValueError(
            f"The rule that calls {function} has {len(files) - held} files without a name under "
            f"{kind}. Name each file after an argument of the function."
        )
    return named


@dataclass(frozen=True)
class Job:
    """A call, and the files that its process writes about it.

    The paths of the call are relative to ``folder``, the current folder of the run. ``log`` is
    overwritten and gets all output of the job. ``benchmark`` is a table of one row, written if the
    job succeeds: ``function`` (its name), ``s`` (its wall seconds), ``cpu_time`` (its processor
    seconds, user and system), ``max_rss`` (largest resident memory of the process in MB, with the
    libraries that it shares with others) and ``process_cpu_time`` (processor seconds of the process
    from its start or the end of its last job). ``code`` is what the run was planned with; the job
    fails if its process has loaded other code.
    """

    call: Call
    folder: Path
    log: Path
    benchmark: Path | None = None
    code: CodeBehind | None = None


@dataclass(frozen=True)
class JobResult:
    """The result of a job that was not killed.

    ``error`` is a sentence; None if the job succeeded. ``disk_full`` tells whether it failed
    because the disk is full, as every other job would.
    """

    error: str | None = None
    disk_full: bool = False


@dataclass(frozen=True)
class ProcessExit:
    """The exit status of a job's process, or the negative number of the signal that killed it."""

    status: int


def end_with_the_run_alone() -> None:
    """Ignore Ctrl-C, so that only the main process decides when this one ends.

    A run in the background ignores Ctrl-C, and its jobs go on with it. Any other run ends its jobs
    by SIGTERM, which jobs must not ignore even if the parent process does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def run_job(job: Job, began: float = 0.0) -> JobResult:
    """Run a job in this process, which does nothing else meanwhile.

    ``began`` is the processor time of this process when it got the job.

    From now on, standard output and errors go to the job's log, including those of compiled code
    and the last messages of a process that crashes.
    """
    try:
        _forget_largest_memory()
        os.chdir(job.folder)
        job.log.parent.mkdir(parents=True, exist_ok=True)
        with job_log(job.log):
            descriptor = os.open(job.log, os.O_WRONLY | os.O_APPEND)
            for stream in (1, 2):
                os.dup2(descriptor, stream)
            os.close(descriptor)
            faulthandler.enable(2)
            wall, processor = time.perf_counter(), time.process_time()
            with as_planned(job.code), noting_compiled() as compiled:
                job.call.make()
            spent = time.perf_counter() - wall, time.process_time() - processor
            for kernel, types in compiled:
                _log.info("%s%s for %s", COMPILED, kernel, types)
        if job.benchmark is not None:
            _write_benchmark(job.benchmark, job.call.name, *spent, began)
    except Exception as error:
        return JobResult(sentence_of(error), _is_for_want_of_space(error))
    return JobResult()


def sentence_of(error: BaseException) -> str:
    """Return an exception as one sentence, with its type unless it is one of this project's."""
    if is_our_own(error) or (type(error) is ValueError and str(error).strip()):
        return str(error).strip()
    return "".join(traceback.format_exception_only(error)).strip()


def is_our_own(error: BaseException) -> bool:
    """Return whether an exception is of a class of this project, whose message is complete."""
    return type(error).__module__.partition(".")[0] in PACKAGES and bool(str(error).strip())


@contextmanager
def job_log(path: str | Path) -> Iterator[logging.Logger]:
    """Log a job to a file. An exception that ends it is logged and raised again.

    An exception of this project is logged as its message, without a traceback.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"")
    # Append, so that other handlers can write to the same file.
    handler = logging.FileHandler(target, mode="a", encoding="utf-8")
    handler.setFormatter(_PlainText("%(levelname)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    level = root.level
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        with warnings.catch_warnings():
            yield logging.getLogger("receval")
    except Exception as error:
        said = sentence_of(error) if is_our_own(error) else traceback.format_exc()
        logging.getLogger("receval").error("%s", said)
        raise
    finally:
        logging.captureWarnings(False)
        root.setLevel(level)
        root.removeHandler(handler)
        handler.close()


class _PlainText(logging.Formatter):
    """Escapes control characters in foreign names, because logs are read at terminals."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record), kept="\n\t")


def _is_for_want_of_space(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def _forget_largest_memory() -> None:
    """Let Linux measure the largest memory of this process from now on."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_bytes(b"5")


def _write_benchmark(
    path: Path, function: str, wall: float, processor: float, began: float
) -> None:
    whole, memory = time.process_time(), "NA"
    if sys.platform != "win32":
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        # Kilobytes, but bytes on macOS.
        unit = 2**20 if sys.platform == "darwin" else 2**10
        whole, memory = usage.ru_utime + usage.ru_stime, f"{usage.ru_maxrss / unit:.1f}"
    values = {
        "function": function,
        "s": f"{wall:.4f}",
        "cpu_time": f"{processor:.4f}",
        "max_rss": memory,
        "process_cpu_time": f"{whole - began:.4f}",
    }
    write_atomically(path, "\t".join(values) + "\n" + "\t".join(values.values()) + "\n")
