# SPDX-License-Identifier: MIT
"""What a run of the workflow does first, in its main process or for a job on a cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from receval.arithmetic import use_one_arithmetic
from receval.config.settings import EDITIONS
from receval.provenance.used_arithmetic import begin_to_describe_processor
from receval.storage.files import being_written
from receval.storage.messages import REFUSED, about_files
from receval.workflow.foreground import launcher_of_this_run
from receval.workflow.garbage import collect_rarely
from receval.workflow.job_runner import JobRunner
from receval.workflow.leftovers import remove_leftovers

# Of what a run writes before and beside its results: the plan of a full edition takes a part of it.
_RECORD_BYTES = 2**20

_held: list[FileLock] = []


def begin_run(
    source: Path, *, in_main_process: bool, dry: bool, abandon: Callable[[Exception], object]
) -> JobRunner:
    """Prepare this process for a run, and return what runs its jobs.

    Parameters
    ----------
    source : Path
        The folder that holds the package.
    in_main_process : bool
        Whether this is the run's main process, which then holds the run's lock in ``.snakemake``.
    dry : bool
        Whether nothing will be run, so that nothing need be loaded.
    abandon : callable
        See :class:`receval.workflow.job_runner.JobRunner`.
    """
    collect_rarely()
    prepare_job_environment(source)
    if in_main_process:
        _clear_up(dry)
        if not dry:
            begin_to_describe_processor()
    runner = JobRunner(abandon, launcher_of_this_run())
    runner.stop_on_signals()
    if not dry:
        runner.warm_up()
    return runner


def _clear_up(dry: bool) -> None:
    """Remove what killed runs have left; end this one where it could keep no records."""
    if dry:
        with suppress(OSError):
            remove_stale_locks(Path(".snakemake"))
        return
    with or_no_run():
        for folder in (Path(".snakemake"), Path("work")):
            _check_space(folder)
        remove_stale_locks(Path(".snakemake"), [Path("work") / name for name in (*EDITIONS, "raw")])


@contextmanager
def or_no_run() -> Iterator[None]:
    """End the run with one sentence, and the status 2, where the system refuses a file."""
    try:
        yield
    except OSError as error:
        print(f"No run can begin. {about_files(error)}", file=sys.stderr)
        raise SystemExit(2) from error


def _check_space(folder: Path) -> None:
    """Raise the system's error where a folder takes no more files."""
    folder.mkdir(parents=True, exist_ok=True)
    probe = being_written(folder, ".space")
    try:
        with probe.open("xb") as file:
            file.write(bytes(_RECORD_BYTES))
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def prepare_job_environment(source: Path) -> None:
    """Let jobs compute with the one arithmetic and use one source of the package.

    Jobs run side by side, each on one thread, so that bytes do not depend on the number of cores.
    They use the repository's package also in an environment where it is not installed.

    Parameters
    ----------
    source : Path
        The folder that holds the package.
    """
    use_one_arithmetic(computes=False)
    # Jupyter's kernels set it for all that they start: here figures are files.
    os.environ.pop("MPLBACKEND", None)
    there = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), there]))


def remove_stale_locks(folder: Path, outputs: Sequence[Path] = ()) -> list[Path]:
    """Remove the locks of runs that are no more; call it at the start of every run.

    Snakemake locks its outputs with files. They outlive a run that was killed, and the next one
    refuses to start until somebody unlocks the folder by hand. A lock of the operating system ends
    with its process, however that ends. So every run holds one on a file of its own until it ends,
    and whoever can have those of all others for a moment knows that no other run is alive.

    Parameters
    ----------
    folder : Path
        Snakemake's own folder, ``.snakemake``; made where it is missing.
    outputs : sequence of Path
        Folders from which goes, too, what those runs had half written.

    Returns
    -------
    list of Path
        What was removed; nothing while another run is alive, or where the file system has no such
        locks (Snakemake's own then decide alone).

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    removed: list[Path] = []
    try:
        # Of two runs that begin at once, one sees the other.
        with FileLock(folder / "runs.lock"):
            alive = [path for path in runs.glob("*.lock") if not _remove_if_free(path)]
            if not alive:
                removed = sorted((folder / "locks").glob("*.lock"))
                for lock in removed:
                    lock.unlink(missing_ok=True)
                for output in outputs:
                    removed += remove_leftovers(output)
            own = FileLock(runs / f"{uuid4().hex}.lock")
            own.acquire()
            _held.append(own)
    except (OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno in REFUSED:
            raise
    return removed


def _remove_if_free(path: Path) -> bool:
    """Remove the file of a run that has ended; return whether it has."""
    try:
        with FileLock(path, blocking=False):
            pass
    except Timeout:
        return False
    path.unlink(missing_ok=True)
    return True
