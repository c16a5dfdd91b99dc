# SPDX-License-Identifier: MIT
"""Make all x86-64 processors with AVX2 compute the same floating-point results.

OpenBLAS, numba and numpy choose their kernels, instructions and loops for the processor. Each
choice rounds sums differently, and a different last digit swaps items with nearly equal scores. So
runs, tests, the command and benchmarks that compare bytes restrict all three to what every such
processor has, before any of them is loaded:

============================  =================================  ======================
variable                      value                              what it chooses
============================  =================================  ======================
``OPENBLAS_CORETYPE``         ``Haswell``                        kernels of OpenBLAS
``NUMBA_CPU_NAME``            ``haswell``                        instructions of numba
``NUMBA_CPU_FEATURES``        ``+avx2,+fma``                     the same
``NPY_DISABLE_CPU_FEATURES``  what this numpy has beyond AVX2    loops of numpy
============================  =================================  ======================

A value that is already set is kept, since it was set for a reason (:func:`other_settings` names
it). On other processors only the number of threads is set. Importing the library does not change
these variables (docs/library.md explains how to set them).
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
"""Variables for the number of threads, read by OpenMP, linear algebra libraries and numba."""

SETTINGS = ("OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NPY_DISABLE_CPU_FEATURES")
"""Variables by which OpenBLAS, numba and numpy choose their instructions."""

# The features that code for Haswell may use: the third level of x86-64.
_NEEDED = frozenset({"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"})

# For Windows' IsProcessorFeaturePresent: processors with AVX2 have the whole level.
_PF_AVX2_INSTRUCTIONS_AVAILABLE = 40

_LOADED_TOO_EARLY = ("numpy", "scipy", "numba", "llvmlite")


def use_one_arithmetic(*, computes: bool = True) -> None:
    """Make this process and its child processes compute as every x86-64 processor can.

    They also get one thread each, because rounding depends on how threads divide sums. A different
    number of threads is overwritten.

    Parameters
    ----------
    computes : bool
        Whether this process computes results itself. That of Snakemake does not, and may already
        have loaded numpy for a plugin.

    Raises
    ------
    RuntimeError
        A library that reads these variables only when it is loaded has already been loaded, and
        some values are wrong: this function was called too late.

    Examples
    --------
    The second call has nothing left to set:

    >>> use_one_arithmetic(computes=False)
    >>> before = dict(os.environ)
    >>> use_one_arithmetic()
    >>> dict(os.environ) == before
    True
    """
    wanted = {**settings_in_effect(), **dict.fromkeys(THREADS, "1")}
    changed = {name: value for name, value in wanted.items() if os.environ.get(name) != value}
    loaded = [name for name in _LOADED_TOO_EARLY if name in sys.modules]
    if changed and loaded and computes:
        raise RuntimeError(
            f"{loaded[0]} was loaded before the arithmetic could be chosen, so results would "
            "depend on the processor of this machine. Call receval.arithmetic.use_one_arithmetic "
            f"before anything imports {loaded[0]}, or set these variables where the process is "
            "started: " + " ".join(f"{name}={quote(value)}" for name, value in changed.items())
        )
    os.environ.update(changed)


def one_arithmetic() -> dict[str, str]:
    """Return the variables to set, with their values; empty on other processors."""
    if not _has_avx2():
        return {}
    settings = {
        "OPENBLAS_CORETYPE": "Haswell",
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+avx2,+fma",
    }
    if features := numpy_features_beyond_avx2():
        settings["NPY_DISABLE_CPU_FEATURES"] = " ".join(features)
    return settings


def settings_in_effect() -> dict[str, str]:
    """Return these variables with the values that this process has or will get."""
    given = {name: os.environ[name] for name in SETTINGS if name in os.environ}
    return {**one_arithmetic(), **given}


def other_settings() -> dict[str, str]:
    """Return those of these variables that were set to another value."""
    ours = one_arithmetic()
    in_effect = settings_in_effect()
    return {name: value for name, value in in_effect.items() if value != ours.get(name)}


def numpy_features_beyond_avx2() -> tuple[str, ...]:
    """Return the installed numpy's names of processor features beyond AVX2.

    numpy is not loaded for this. It warns of unknown names, but accepts features that a processor
    lacks. The names are the dispatched features of the wheels on PyPI, which changed in versions
    2.3 and 2.4.
    """
    spec = find_spec("numpy")
    if spec is None or spec.origin is None:
        return ()
    text = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    found = re.search(r"^version\s*=\s*[\"'](\d+)\.(\d+)", text, re.MULTILINE)
    version = (int(found[1]), int(found[2])) if found else (2, 4)
    if version >= (2, 4):
        return ("X86_V4", "AVX512_ICL", "AVX512_SPR")
    names = ("F", "CD", "_KNL", "_KNM", "_SKX", "_CLX", "_CNL", "_ICL")
    return tuple(f"AVX512{name}" for name in (*names, *(["_SPR"] if version >= (2, 3) else [])))


def processor() -> str:
    """Return the name of the machine's processor."""
    if sys.platform == "linux":
        named = _first_processor().get("model name", "")
    elif sys.platform == "darwin":
        named = _sysctl("machdep.cpu.brand_string")
    else:
        named = platform.processor()
    return " ".join(named.split()) or platform.machine()


@cache
def _has_avx2() -> bool:
    """Tell whether the processor has the third level of x86-64."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    if sys.platform == "linux":
        return set(_first_processor().get("flags", "").split()) >= _NEEDED
    if sys.platform == "darwin":
        words = _sysctl("machdep.cpu.features") + " " + _sysctl("machdep.cpu.leaf7_features")
        # Rosetta has none of these.
        return {"avx2", "bmi2"} <= set(words.lower().split())
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        return bool(kernel.IsProcessorFeaturePresent(_PF_AVX2_INSTRUCTIONS_AVAILABLE))
    return False


@cache
def _first_processor() -> dict[str, str]:
    """Return the fields that Linux reports for the first processor."""
    said: dict[str, str] = {}
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if not line.strip():
                    break
                name, _, value = line.partition(":")
                said[name.strip()] = value.strip()
    except OSError:
        return {}
    return said


def _sysctl(name: str) -> str:
    """Return the value that macOS reports for a name."""
    done = subprocess.run(["/usr/sbin/sysctl", "-n", name], capture_output=True, encoding="utf-8")
    return done.stdout.strip()
