# SPDX-License-Identifier: MIT
"""One arithmetic on all x86-64 processors with AVX2: the same sums, so the same bytes.

OpenBLAS chooses its kernels, numba its instructions and numpy its loops by the processor that they
find. Each choice rounds sums in another order, and a last digit that differs swaps items whose
scores are nearly equal. So runs, tests, benchmarks that state bytes and the command ask all three
for what every such processor has, before the first of them is loaded:

============================  =================================  ======================
variable                      value                              what it chooses
============================  =================================  ======================
``OPENBLAS_CORETYPE``         ``Haswell``                        kernels of OpenBLAS
``NUMBA_CPU_NAME``            ``haswell``                        instructions of numba
``NUMBA_CPU_FEATURES``        ``+avx2,+fma``                     the same
``NPY_DISABLE_CPU_FEATURES``  what this numpy has beyond AVX2    loops of numpy
============================  =================================  ======================

A value that is set already stays: the person or the host has a reason for it
(:func:`other_settings` names it). On other processors only the number of threads is set. The
library itself changes nothing in the process that imports it (docs/library.md says how to ask for
the same there).
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
"""Variables that OpenMP, the libraries of linear algebra and numba look at when they start."""

SETTINGS = ("OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NPY_DISABLE_CPU_FEATURES")
"""Variables by which OpenBLAS, numba and numpy choose their instructions."""

# What the kernels for Haswell and code for it may use: the third level of x86-64.
_NEEDED = frozenset({"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"})

# Of Windows' IsProcessorFeaturePresent: processors that have AVX2 have all the rest of the level.
_PF_AVX2_INSTRUCTIONS_AVAILABLE = 40

_LOADED_TOO_EARLY = ("numpy", "scipy", "numba", "llvmlite")


def use_one_arithmetic(*, computes: bool = True) -> None:
    """Have this process, and all that it starts, compute as every x86-64 processor can.

    They also get one thread each: threads share out sums, which are then rounded by their number.
    Another number of threads that is set does not stay.

    Parameters
    ----------
    computes : bool
        Whether this process computes results itself. Snakemake's does not, and may have loaded
        numpy for a plugin of its own.

    Raises
    ------
    RuntimeError
        A library that looks at these variables only when it is loaded is loaded already, and some
        are not as they should be: whoever starts the process calls this too late.

    Examples
    --------
    Nothing is left to be set the second time:

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
            "depend on this machine's processor. Call receval.arithmetic.use_one_arithmetic before "
            f"anything imports {loaded[0]}, or set these variables where the process is started: "
            + " ".join(f"{name}={quote(value)}" for name, value in changed.items())
        )
    os.environ.update(changed)


def one_arithmetic() -> dict[str, str]:
    """Return the variables of the one arithmetic with their values; none on other processors."""
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
    """Return the variables of the one arithmetic with the values that this process has or gets."""
    given = {name: os.environ[name] for name in SETTINGS if name in os.environ}
    return {**one_arithmetic(), **given}


def other_settings() -> dict[str, str]:
    """Return those of the variables to which a person or the host has given another value."""
    ours = one_arithmetic()
    in_effect = settings_in_effect()
    return {name: value for name, value in in_effect.items() if value != ours.get(name)}


def numpy_features_beyond_avx2() -> tuple[str, ...]:
    """Return the names of what the installed numpy has for processors beyond AVX2.

    numpy is not loaded for it. It warns of a name that it does not know, and takes in silence what
    a processor lacks. The names are those of the dispatched features of the wheels on PyPI, whose
    list changed with versions 2.3 and 2.4.
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
    """Return what the machine's processor is called."""
    if sys.platform == "linux":
        named = _first_processor().get("model name", "")
    elif sys.platform == "darwin":
        named = _sysctl("machdep.cpu.brand_string")
    else:
        named = platform.processor()
    return " ".join(named.split()) or platform.machine()


@cache
def _has_avx2() -> bool:
    """Tell whether the processor is of the third level of x86-64."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    if sys.platform == "linux":
        return set(_first_processor().get("flags", "").split()) >= _NEEDED
    if sys.platform == "darwin":
        words = _sysctl("machdep.cpu.features") + " " + _sysctl("machdep.cpu.leaf7_features")
        # Under Rosetta there is none of these.
        return {"avx2", "bmi2"} <= set(words.lower().split())
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        return bool(kernel.IsProcessorFeaturePresent(_PF_AVX2_INSTRUCTIONS_AVAILABLE))
    return False


@cache
def _first_processor() -> dict[str, str]:
    """Return what Linux says of the machine's first processor."""
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
    """Return what macOS says of itself under a name."""
    done = subprocess.run(["/usr/sbin/sysctl", "-n", name], capture_output=True, encoding="utf-8")
    return done.stdout.strip()
