"""What a run of the workflow does first, in its main process or for a job on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from receval.workflow.environment import prepare_job_environment
from receval.workflow.garbage import collect_rarely
from receval.workflow.job_runner import JobRunner
from receval.workflow.lock import remove_stale_locks


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
        remove_stale_locks(Path(".snakemake"))
    runner = JobRunner(abandon)
    runner.stop_on_signals()
    if not dry:
        runner.warm_up()
    return runner
