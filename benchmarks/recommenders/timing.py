"""Durations of the benchmarks: minima over repeats, as ratios within one run.

Import this module before NumPy: it limits every library to one thread.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import time
from collections.abc import Callable, Mapping


def fastest(function: Callable[[], object], repeats: int) -> float:
    """Return the least of several durations in seconds; the machine may be shared."""
    durations = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    return min(durations)


def report(title: str, seconds: Mapping[str, float | None]) -> None:
    """Print durations, each with its ratio to the first one, which is ours.

    None stands for a peer that is not installed: it is printed as such, never left out.
    """
    ours = next(iter(seconds.values()))
    print(title)
    for name, duration in seconds.items():
        if duration is None or ours is None:
            print(f"  {name:<58} not installed")
        else:
            print(f"  {name:<58}{duration:9.3f} s {duration / ours:8.2f} x ours", flush=True)
