# SPDX-License-Identifier: MIT
"""Record the settings, data, versions and arithmetic that results were made with."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module, metadata
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from receval.arithmetic import other_settings, processor, use_one_arithmetic
from receval.storage.files import write_atomically

PACKAGES = ("matplotlib", "numba", "numpy", "pandas", "pyarrow", "scipy")
"""Distributions whose code computes or draws results."""

OPTIONAL_PACKAGES = ("implicit", "scikit-learn", "snakemake")
"""Distributions that are recorded if installed; results can be made without them."""

_MODULES = (*PACKAGES, "implicit", "pydantic", "sklearn", "snakemake", "yaml")

# Within a sentence, a path must have two folders, so that "and /or" is not a path.
_ABSOLUTE_PATH = re.compile(
    r"^(?:[/~]|file:)|(?:^|[\s\"'(\[=,;])(?:~?/[\w.-]+/|[A-Za-z]:[\\/]|\\\\\w|file:/)"
)


def versions() -> dict[str, str]:
    """Return the versions that results depend on, sorted by name.

    They are those of ``python`` (major.minor), of the distributions of ``PACKAGES`` and, where
    installed, of ``OPTIONAL_PACKAGES``.
    """
    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in (*PACKAGES, *OPTIONAL_PACKAGES):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            if name in PACKAGES:
                raise ValueError(
                    f"The package {name} is not installed, but results depend on it. Install the "
                    "environment of the repository (requirements.lock)."
                ) from None
    return dict(sorted(found.items()))


def commit_of(repository: Path) -> str:
    """Return the commit that a clone is at, with ``-dirty`` behind it if files were changed.

    It is empty in a copy without Git's folder, and where Git is not installed.
    """
    git = ("git", f"--git-dir={repository / '.git'}", f"--work-tree={repository}")
    asked = (*git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def libraries_from_elsewhere() -> str:
    """Return a warning about libraries that ``PYTHONPATH`` puts before the environment's.

    It is empty if there are none. Nothing is imported.
    """
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    own = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    found: dict[str, list[str]] = {}
    for module in _MODULES if folders and not sys.flags.ignore_environment else ():
        first, installed = (PathFinder.find_spec(module, where) for where in (folders, own))
        if first is None or installed is None or first.origin is None or installed.origin is None:
            continue
        if not Path(first.origin).samefile(installed.origin):
            found.setdefault(str(Path(first.origin).parents[1]), []).append(module)
    if not found:
        return ""
    brought = "; ".join(f"{', '.join(names)} from {folder}" for folder, names in found.items())
    return (
        f"PYTHONPATH replaces libraries of this environment ({sys.prefix}): {brought}. The "
        "results would be those of other versions. Remove it (unset PYTHONPATH) and start again."
    )


# The arithmetic that this process uses, as reported by its libraries.
#
# OpenBLAS, numba and numpy may not use what :mod:`receval.arithmetic` requests: a user may have set
# something else, the processor may be of another kind, and the linear algebra may be Apple's or
# Intel's. Run as a program, this module prints :func:`processor_and_arithmetic` as JSON.


def used_arithmetic() -> dict[str, Any]:
    """Return what determines how this process rounds; nothing in it names the machine.

    ``blas`` lists each library of linear algebra with its version and the kernels that it runs,
    ``numba`` the processor and the features that it compiles for, ``numpy`` the features whose
    loops it uses, ``libc`` the library with the elementary functions, and ``given`` those settings
    to which a person or the host has given another value than
    :func:`receval.arithmetic.one_arithmetic` would.
    """
    # Imported here because loading these libraries takes as long as many jobs.
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
    """Return the processor and :func:`used_arithmetic`, for the record of a run."""
    return {"processor": processor(), "arithmetic": used_arithmetic()}


class UnknownArithmeticError(ValueError):
    """The process that describes its arithmetic has failed."""


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
    """Start a process that describes the machine, for :func:`described_processor`.

    Loading the libraries in this process would take too long.
    """
    _describing()


@cache
def described_processor() -> dict[str, Any]:
    """Return :func:`processor_and_arithmetic` of another process with this environment."""
    said, complaint = _describing().communicate()
    if _describing().returncode:
        raise UnknownArithmeticError(
            "The libraries that compute results cannot be loaded: "
            + (complaint.strip().splitlines() or ["the process gave no reason"])[-1]
        )
    description: dict[str, Any] = json.loads(said)
    return description


_BLAS_NAMES = {"openblas": "OpenBLAS", "mkl": "MKL", "blis": "BLIS", "flexiblas": "FlexiBLAS"}


def _kernels(library: Mapping[str, Any]) -> str:
    kernels = library.get("architecture")
    return f"with {kernels} kernels" if kernels else ""


def _blas_of_numpy_s_build() -> str:
    """Return numpy's build information on a library that threadpoolctl does not know."""
    import numpy

    built = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return " ".join(filter(None, (built.get("name"), built.get("version"))))


def _target_of_numba() -> str:
    from numba.core.registry import cpu_target

    _, name, features = cpu_target.target_context.codegen().magic_tuple()
    # A processor that reports its own features has many.
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
    # Skip the clean-up, which would take as long again.
    os._exit(0)


def provenance_record(
    config: Mapping[str, Any],
    datasets: Mapping[str, Any],
    absent: Sequence[str],
    digests: Mapping[str, Any],
    results: Iterable[Path] = (),
) -> dict[str, Any]:
    """Return the provenance record of a family of results, with the arithmetic of this process.

    Absolute paths, which are valid on one machine only, are refused, and values that JSON does not
    have (dates, sets, NaN, keys that are not strings).
    """
    record = {
        "absent": sorted(absent),
        "arithmetic": used_arithmetic(),
        "code": digests,
        "config": config,
        "datasets": datasets,
        "results": checksums_of_results(results),
        "versions": versions(),
    }
    _check(record, "record")
    return record


def checksums_of_results(results: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of the existing CSVs, by the names of their artifacts."""
    checksums = {}
    for path in results:
        if path.is_file():
            with path.open("rb") as file:
                checksums[path.stem] = hashlib.file_digest(file, "sha256").hexdigest()
    return checksums


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record as JSON whose bytes depend only on its values: sorted keys, two spaces."""
    _check(record, "record")
    text = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    write_atomically(path, f"{text}\n")


def _check(value: object, where: str) -> None:
    """Refuse values that must not be in a record, and name where they are."""
    if isinstance(value, str):
        if _ABSOLUTE_PATH.search(value):
            raise ValueError(
                f'{where} holds the absolute path "{value}", which is true on one machine only. '
                "Write it relative to the repository root, or leave it out."
            )
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(
                    f"{where} has the key {key!r} of type {type(key).__name__}: JSON has only "
                    "text as keys. Put it in quotes."
                )
            _check(key, f"A key of {where}")
            _check(item, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            _check(item, f"{where}[{position}]")
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"{where} is {value}, which JSON does not have. Leave it out.")
    elif value is not None and not isinstance(value, bool | int):
        raise ValueError(
            f"{where} is of type {type(value).__name__}, which JSON does not have. Give text, "
            "a number, true or false, a list or a mapping."
        )
