"""The environment that the workflow's jobs inherit."""

from __future__ import annotations

import os
from pathlib import Path

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
"""Variables that OpenMP, the libraries of linear algebra and numba look at when they start."""


def prepare_job_environment(source: Path) -> None:
    """Let jobs compute with one thread and use one source of the package.

    Jobs run side by side, each on one thread, so that bytes do not depend on the number of cores.
    They use the repository's package also in an environment where it is not installed.

    Parameters
    ----------
    source : Path
        The folder that holds the package.
    """
    for variable in THREADS:
        os.environ[variable] = "1"
    there = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), there]))
