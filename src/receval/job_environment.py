"""The environment that the workflow's jobs inherit."""

from __future__ import annotations

import os
from pathlib import Path


def prepare_job_environment(source: Path) -> None:
    """Let jobs compute with one thread and use one source of the package.

    Snakemake passes a job's threads on to OpenMP and BLAS, but not to numba. The scripts use the
    repository's package also in an environment where it is not installed.

    Parameters
    ----------
    source : Path
        The folder that holds the package.
    """
    os.environ["NUMBA_NUM_THREADS"] = "1"
    there = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), there]))
