# SPDX-License-Identifier: MIT
"""With which arithmetic this process computes, as the libraries that do it say themselves.

What :mod:`receval.arithmetic` asks for is one thing, and what OpenBLAS, numba and numpy then use is
another: a person may have asked for something else, the processor may be of another kind, and the
linear algebra may be Apple's or Intel's. Run as a program, this module prints
:func:`processor_and_arithmetic` as JSON.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from receval.arithmetic import other_settings, processor, use_one_arithmetic


def used_arithmetic() -> dict[str, Any]:
    """Return what decides how this process rounds.

    Returns
    -------
    dict
        ``blas``, a list: each library of linear algebra with its version and the kernels that it
        runs; ``numba``: the processor and the features that it compiles for; ``numpy``: the
        features whose loops it uses; ``libc``: the library with the elementary functions; and
        ``given``: those settings to which a person or the host has given another value than
        :func:`receval.arithmetic.one_arithmetic` would. Nothing in it names the machine.
    """
    # What loads the libraries takes as long as many a job: only who asks waits for it.
    import scipy.linalg.blas  # noqa: F401 - loads scipy's own library of linear algebra
    from threadpoolctl import threadpool_info

    libraries = {
        " ".join(filter(None, (_BLAS_NAMES.get(name, name), one["version"], _kernels(one))))
        for one in threadpool_info()
        if one["user_api"] == "blas"
        for name in [one["internal_api"]]
    }
    return {
        "blas": sorted(libraries) or [_blas_of_numpy_s_build()],
        "numba": _target_of_numba(),
        "numpy": _features_of_numpy(),
        "libc": " ".join(filter(None, platform.libc_ver())) or platform.system(),
        "given": other_settings(),
    }


def processor_and_arithmetic() -> dict[str, Any]:
    """Return :func:`used_arithmetic` beside the processor, for the record of a run."""
    return {"processor": processor(), "arithmetic": used_arithmetic()}


class UnknownArithmeticError(ValueError):
    """The process that was to say with which arithmetic it computes has failed."""


@cache
def _describing() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def begin_to_describe_processor() -> None:
    """Begin to describe the machine in a process of its own, for :func:`described_processor`.

    The libraries that have to be loaded for it take longer than this process has time to wait.
    """
    _describing()


@cache
def described_processor() -> dict[str, Any]:
    """Return :func:`processor_and_arithmetic` as another process with this environment gives it."""
    said, complaint = _describing().communicate()
    if _describing().returncode:
        raise UnknownArithmeticError(
            "The libraries that compute results cannot be loaded: "
            + (complaint.strip().splitlines() or ["the process said nothing"])[-1]
        )
    description: dict[str, Any] = json.loads(said)
    return description


_BLAS_NAMES = {"openblas": "OpenBLAS", "mkl": "MKL", "blis": "BLIS", "flexiblas": "FlexiBLAS"}


def _kernels(library: Mapping[str, Any]) -> str:
    kernels = library.get("architecture")
    return f"with {kernels} kernels" if kernels else ""


def _blas_of_numpy_s_build() -> str:
    """Return what numpy was built with, of a library that threadpoolctl does not know."""
    import numpy

    built = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return " ".join(filter(None, (built.get("name"), built.get("version"))))


def _target_of_numba() -> str:
    from numba.core.registry import cpu_target

    _, name, features = cpu_target.target_context.codegen().magic_tuple()
    # Those of a processor that was asked what it has are many.
    with_features = features if len(features) < 40 else "all its features"
    return f"for {name or 'any'}{f' with {with_features}' if with_features else ''}"


def _features_of_numpy() -> str:
    import numpy

    package = "numpy.core" if numpy.__version__.startswith("1.") else "numpy._core"
    core = import_module(f"{package}._multiarray_umath")
    used = [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]]
    return " ".join([*core.__cpu_baseline__, *used])


if __name__ == "__main__":
    use_one_arithmetic()
    print(json.dumps(processor_and_arithmetic()))
    sys.stdout.flush()
    # Nothing is left to clear up, which would take as long again.
    os._exit(0)
