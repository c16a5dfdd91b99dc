"""Durations of the benchmarks: minima over repeats, as ratios within one run.

Import this module before NumPy: it limits every library to one thread.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import time
from collections.abc import Callable, Mapping

LEVEL = 0.05
"""Durations that differ by no more than this share are level."""


def fastest(function: Callable[[], object], repeats: int) -> float:
    """Return the least of several durations in seconds; the machine may be shared."""
    durations = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    return min(durations)


def report(title: str, ours: Mapping[str, float], peers: Mapping[str, float | None]) -> None:
    """Print durations, each with its ratio to our first one, and how that compares.

    Parameters
    ----------
    title : str
        What was timed.
    ours : mapping
        Seconds by name; the first one is compared, the others are variants.
    peers : mapping
        Seconds by name; None for a peer that is not installed, which is printed as such.
    """
    headline = next(iter(ours.values()))
    print(title)
    for name, duration in {**ours, **peers}.items():
        if duration is None:
            print(f"  {name:<58} not installed")
        else:
            print(f"  {name:<58}{duration:9.3f} s {duration / headline:8.2f} x ours", flush=True)
    installed = {name: duration for name, duration in peers.items() if duration is not None}
    if not installed:
        print("  no peer is installed, so there is no ratio")
        return
    fastest_peer = min(installed, key=lambda name: installed[name])
    ratio = headline / installed[fastest_peer]
    verdict = "ahead" if ratio < 1 - LEVEL else "level" if ratio <= 1 + LEVEL else "behind"
    print(f"  ours / fastest peer ({fastest_peer}): {ratio:.3f}, {verdict}")
