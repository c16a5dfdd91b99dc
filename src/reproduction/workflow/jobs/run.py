# SPDX-License-Identifier: MIT
"""Prepare a run: check limits and disk space, remove temporary files and stale locks."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from receval.arithmetic import use_one_arithmetic
from receval.storage.files import being_written
from receval.storage.messages import REFUSED, about_files, how_many
from reproduction.config.settings import EDITIONS
from reproduction.workflow.jobs.interpreter import collect_rarely
from reproduction.workflow.jobs.job_runner import (
    JobRunner,
    date_back,
    launcher_of_this_run,
    remove_temporary_files,
)
from reproduction.workflow.provenance.versions import begin_to_describe_processor

# An upper bound of the records that a run writes beside its results, such as its plan.
_RECORD_BYTES = 2**20

_held: list[FileLock] = []


def begin_run(
    source: Path,
    *,
    in_main_process: bool,
    dry: bool,
    at_once: Sequence[int | None],
    abandon: Callable[[Exception], object],
) -> JobRunner:
    """Prepare this process for a run, and return the job runner.

    The run's main process holds the run's lock in ``.snakemake``. The limits ``at_once``, if any,
    are on the cores of the run and on the jobs that it may submit.
    """
    collect_rarely()
    prepare_job_environment(source)
    if in_main_process:
        # With a limit of zero a run would wait for ever.
        if min(limit for limit in (1, *at_once) if limit is not None) < 1:
            print(
                "A run cannot start with --cores 0 or --jobs 0. Use a number of at least 1, or "
                "all.",
                file=sys.stderr,
            )
            raise SystemExit(2)
        _clear_up(dry)
        if not dry:
            begin_to_describe_processor()
    runner = JobRunner(abandon, launcher_of_this_run())
    runner.stop_on_signals()
    if not dry:
        runner.warm_up()
    return runner


def _clear_up(dry: bool) -> None:
    """Remove what killed runs have left; end this run if it could not write its records."""
    if dry:
        with suppress(OSError):
            remove_stale_locks(Path(".snakemake"))
        return
    with or_no_run():
        links = [path for path in Path("work").glob("*") if path.is_symlink()]
        for folder in (Path(".snakemake"), Path("work"), *links):
            _check_space(folder)
        remove_stale_locks(Path(".snakemake"), [Path("work") / name for name in (*EDITIONS, "raw")])
    say_what_was_of_the_future(Path("work"))


def say_what_was_of_the_future(folder: Path) -> None:
    """Set dates that are in the future to now, and report it: see :func:`date_back`."""
    dated = date_back(folder, time.time())
    if dated:
        print(
            f"{how_many(len(dated), 'file')} in {folder.as_posix()} had a date in the future, "
            f"such as {dated[0].as_posix()}. Their dates were set to now. Check the clocks of "
            "your machines.",
            file=sys.stderr,
        )


@contextmanager
def or_no_run() -> Iterator[None]:
    """End the run with one sentence and status 2 if the system refuses a file."""
    try:
        yield
    except OSError as error:
        print(f"The run cannot start. {about_files(error)}", file=sys.stderr)
        raise SystemExit(2) from error


def _check_space(folder: Path) -> None:
    """Raise the system's error if no more files can be written to a folder."""
    if folder.is_symlink() and not folder.exists():
        there = os.fspath(folder.readlink())
        reason = (
            f"it is a link to {there}, which does not exist. Mount its disk, or remove the link"
        )
        raise OSError(errno.ENOLINK, reason, os.fspath(folder))
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(folder))
    folder.mkdir(parents=True, exist_ok=True)
    probe = being_written(folder, ".space")
    try:
        with probe.open("xb") as file:
            file.write(bytes(_RECORD_BYTES))
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def prepare_job_environment(source: Path) -> None:
    """Set the environment of jobs: one arithmetic, one thread, and the repository's package.

    Each job has one thread, so that results do not depend on the number of cores. Jobs use the
    repository's package even if it is not installed.
    """
    use_one_arithmetic(computes=False)
    # Jupyter's kernels set it for their child processes, but here figures are files.
    os.environ.pop("MPLBACKEND", None)
    # An empty part would mean the current folder, which may hold other people's files.
    there = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), *there]))


def remove_stale_locks(folder: Path, outputs: Sequence[Path] = ()) -> list[Path]:
    """Remove the locks of runs that have ended; call it at the start of every run.

    Snakemake locks its outputs with files. They outlive a killed run, and the next run refuses to
    start until somebody unlocks the folder by hand. In contrast, a lock of the operating system
    always ends with its process. So every run locks a file of its own until it ends, and a run that
    can lock those of all others knows that no other run is active. Nothing is removed while another
    run is active, or if the file system has no such locks (then only Snakemake's own locks count).
    """
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    removed: list[Path] = []
    try:
        # If two runs begin at once, one sees the other.
        with FileLock(folder / "runs.lock"):
            alive = [path for path in runs.glob("*.lock") if _is_held(path)]
            if not alive:
                removed = sorted((folder / "locks").glob("*.lock"))
                for lock in removed:
                    lock.unlink(missing_ok=True)
                for output in outputs:
                    removed += remove_temporary_files(output)
            own = FileLock(runs / f"{uuid4().hex}.lock")
            own.acquire()
            _held.append(own)
    except (OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno in REFUSED:
            raise
    return removed


def _is_held(path: Path) -> bool:
    """Return whether a run is alive; the file of one that has ended is removed."""
    with suppress(Timeout):
        with FileLock(path, blocking=False):
            pass
        path.unlink(missing_ok=True)
        return False
    return True
