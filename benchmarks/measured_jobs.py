# SPDX-License-Identifier: MIT
"""Jobs in processes of their own, as many at a time as there are cores, and what each one takes.

As the workflow runs them: one thread a job, and whichever job has its inputs starts as soon as a
core is free, in the order of the plan.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from select import select
from typing import Any

from reproduction.workflow.jobs.run_job import Call

KIBIBYTE = 1024
TAKEN = ("start", "wall", "cpu", "peak", "read", "written")
"""What a record has of each job, beside its name and those of the jobs that it needs."""


@dataclass(frozen=True)
class Job:
    """One process.

    Attributes
    ----------
    stage : str
        The rule of the workflow.
    subject : str
        What the rule is applied to.
    arguments : dict
        Plain values.
    inputs, outputs : tuple of str
        Files and folders, relative to the folder that the jobs run in; what is absolute is the
        configuration.
    is_scratch : bool
        Whether the outputs are removed behind the last job that reads them.
    """

    stage: str
    subject: str
    arguments: dict[str, Any]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    is_scratch: bool = False

    @property
    def name(self) -> str:
        """What it is called in records and tables."""
        return f"{self.stage} {self.subject}"

    @property
    def asked(self) -> str:
        """The SHA-256 of its arguments: with others it makes other files of the same names."""
        return sha256(json.dumps(self.arguments, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Measured:
    """What a job took.

    Attributes
    ----------
    job : Job
    start, wall, cpu : float
        Seconds: since the first job, the duration, and of the processor in user and system mode.
    peak : int
        Largest resident set in bytes.
    read, written : int
        Bytes of the files that are its inputs and its outputs.
    """

    job: Job
    start: float
    wall: float
    cpu: float
    peak: int
    read: int
    written: int


@dataclass
class _Running:
    job: Job
    process: subprocess.Popen[bytes]
    start: float
    read: int
    errors: Any = field(repr=False)


def read_configuration_of(checkout: Path, folder: Path) -> None:
    """Let jobs in a folder read the configuration of a checkout, whichever they read before.

    Paths of a plan are relative to the repository. A folder that is kept may have been begun by
    another checkout, which may be gone.

    Raises
    ------
    FileExistsError
        The folder has a configuration that no run has linked.
    """
    configuration = folder / "config"
    if configuration.exists() and not configuration.is_symlink():
        raise FileExistsError(
            f"{configuration} is not the link that a run makes: give --keep a folder that nothing "
            "else is in."
        )
    configuration.unlink(missing_ok=True)
    configuration.symlink_to(checkout / "config")


def run(
    program: str,
    jobs: Sequence[Job],
    cores: int,
    folder: Path,
    tell: Callable[[Measured], None] = lambda one: None,
    record: Path | None = None,
) -> list[Measured]:
    """Run all jobs in a folder: ``python program --job`` for each, with its arguments as JSON.

    They are the standard input of the process, as a command line holds no more than 128 KiB.
    ``tell`` is called for each job that ends. With a record, what each job took is written there,
    and jobs that are in it already, with the same arguments and their outputs in the folder or
    behind the last job that reads them, are not run again: days of jobs can be stopped and gone on
    with. Whether the code has been edited since is not looked at. Their starts go on behind the
    last of the record, whether or not that is among these jobs.

    Raises
    ------
    RuntimeError
        A job fails, or an input is there neither at the start nor as the output of a job.
    """
    # Not at the top: a job may be of a commit that has no such module.
    from receval.arithmetic import use_one_arithmetic

    use_one_arithmetic(computes=False)
    rows = read_rows(record) if record is not None and record.exists() else []
    finished = _still_there(rows, jobs, folder)
    done = {(one.job.stage, one.job.subject) for one in finished}
    waiting = [job for job in jobs if (job.stage, job.subject) not in done]
    _remove_scratch(jobs, waiting, folder)
    running: dict[int, _Running] = {}
    origin = time.perf_counter() - max((row["start"] + row["wall"] for row in rows), default=0.0)
    makers = {path: job for job in jobs for path in job.outputs}
    try:
        while waiting or running:
            unmade = {name for one in running.values() for name in one.job.outputs}
            unmade.update(name for job in waiting for name in job.outputs)
            ready = [job for job in waiting if unmade.isdisjoint(job.inputs)]
            for job in ready[: cores - len(running)]:
                waiting.remove(job)
                errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the job ends
                read = size_of(job.inputs, folder)
                with tempfile.TemporaryFile() as order:
                    order.write(json.dumps(job.arguments).encode())
                    order.seek(0)
                    process = subprocess.Popen(
                        [sys.executable, program, "--job"],
                        cwd=folder,
                        stdin=order,
                        stderr=errors,
                    )
                handle = os.pidfd_open(process.pid)
                running[handle] = _Running(job, process, time.perf_counter(), read, errors)
            if not running:
                raise RuntimeError(f"{len(waiting)} jobs wait for each other's outputs.")
            # Whoever calls this may have other children, whose ends are for it to see.
            (handle, *_), _, _ = select(running, [], [])
            end = time.perf_counter()
            one = running.pop(handle)
            os.close(handle)
            # The resources of this one child; those of all of them would have one peak for all.
            _, status, usage = os.wait4(one.process.pid, 0)
            one.process.returncode = os.waitstatus_to_exitcode(status)
            with one.errors:
                if one.process.returncode:
                    one.errors.seek(0)
                    said = one.errors.read().decode(errors="replace")
                    raise RuntimeError(
                        f"{one.job.stage} {one.job.subject} ended with the status "
                        f"{one.process.returncode}:\n{said[-4000:]}"
                    )
            finished.append(
                Measured(
                    one.job,
                    one.start - origin,
                    end - one.start,
                    usage.ru_utime + usage.ru_stime,
                    usage.ru_maxrss * KIBIBYTE,
                    one.read,
                    size_of(one.job.outputs, folder),
                )
            )
            tell(finished[-1])
            if record is not None:
                with record.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(_row(finished[-1], makers)) + "\n")
            _remove_scratch(jobs, [*waiting, *(other.job for other in running.values())], folder)
    finally:
        for handle, one in running.items():
            os.close(handle)
            with one.errors, one.process:
                one.process.kill()
    return finished


def do(function: str, files: Mapping[str, str | Sequence[str]], values: Mapping[str, Any]) -> None:
    """Do one job in this process; only what it needs is imported, as by the workflow's jobs."""
    paths = {
        name: Path(held) if isinstance(held, str) else tuple(map(Path, held))
        for name, held in files.items()
    }
    Call(function, {**values, **paths}).make()


def _remove_scratch(jobs: Sequence[Job], unfinished: Sequence[Job], folder: Path) -> None:
    """Remove the outputs for no use but other jobs' that no unfinished job makes or reads."""
    used = {name for job in unfinished for name in (*job.inputs, *job.outputs)}
    for name in (name for job in jobs if job.is_scratch for name in job.outputs):
        if name not in used and (folder / name).exists():
            remove = shutil.rmtree if (folder / name).is_dir() else Path.unlink
            remove(folder / name)


def size_of(paths: Sequence[str], folder: Path) -> int:
    """Return the bytes of files, and of all files below folders; what is not there has none."""
    held = (folder / path for path in paths)
    files = chain.from_iterable(
        path.rglob("*") if path.is_dir() else [path] for path in held if path.exists()
    )
    return sum(file.stat().st_size for file in files if file.is_file())


def _row(one: Measured, makers: Mapping[str, Job]) -> dict[str, Any]:
    needed = dict.fromkeys(makers[path].name for path in one.job.inputs if path in makers)
    return {
        "stage": one.job.stage,
        "subject": one.job.subject,
        "asked": one.job.asked,
        "start": one.start,
        "wall": one.wall,
        "cpu": one.cpu,
        "peak": one.peak,
        "read": one.read,
        "written": one.written,
        "needs": list(needed),
    }


def read_rows(record: Path) -> list[dict[str, Any]]:
    """Return the rows of a record, one a job: of one that was run again, what it took last."""
    # What stands behind the last line end was being written when the run was stopped.
    *lines, unfinished = record.read_text(encoding="utf-8").split("\n")
    if unfinished:
        record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    rows = map(json.loads, lines)
    return list({(row["stage"], row["subject"]): row for row in rows}.values())


def _still_there(
    rows: Sequence[Mapping[str, Any]], jobs: Sequence[Job], folder: Path
) -> list[Measured]:
    """Return what rows of a record say of jobs that are asked for, if their outputs are there."""
    by_name = {(job.stage, job.subject): job for job in jobs}
    recorded = {}
    for row in rows:
        name = (row["stage"], row["subject"])
        if name in by_name and row.get("asked") == by_name[name].asked:
            recorded[name] = Measured(by_name[name], *(row[key] for key in TAKEN))
    # Backwards, as scratch is there no more when all that read it are done.
    needed: set[str] = set()
    done = set()
    for job in reversed(jobs):
        name = (job.stage, job.subject)
        wanted = needed.intersection(job.outputs) if job.is_scratch else job.outputs
        if name in recorded and all((folder / path).exists() for path in wanted):
            done.add(name)
        else:
            needed.update(job.inputs)
    return [one for name, one in recorded.items() if name in done]
