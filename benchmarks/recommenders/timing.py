# SPDX-License-Identifier: MIT
"""Durations of the benchmarks: minima over repeats, as ratios within one run.

Import this module before NumPy: it limits every library to one thread.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from ratios import note_ratio

LEVEL = 0.05
"""Durations that differ by no more than this share of the peer's are level."""


def fastest(function: Callable[[], object], repeats: int) -> float:
    """Return the least of several durations in seconds; the machine may be shared."""
    durations = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    return min(durations)


def report(title: str, ours: Mapping[str, float], peers: Mapping[str, float | None]) -> None:
    """Print durations, and in the last line how ours compares with the fastest peer.

    Parameters
    ----------
    title : str
    ours : mapping of str to float
        Seconds by name. The first is compared with the peers, further ones are printed beside it.
    peers : mapping of str to float or None
        Seconds by name; None stands for a peer that is not installed: it is printed as such,
        never left out.
    """
    print(title)
    headline = next(iter(ours.values()))
    for name, duration in ours.items():
        print(line(name, duration))
    for name, seconds in peers.items():
        if seconds is None:
            print(f"  {name:<58} not installed")
        else:
            print(f"{line(name, seconds)}   ours / this: {headline / seconds:.2f}")
            note_ratio(title, name, headline, seconds)
    print(f"  {verdict(headline, peers)}", flush=True)


def line(name: str, duration: float) -> str:
    """Return the line of one duration."""
    return f"  {name:<58}{duration:9.3f} s"


def verdict(ours: float, peers: Mapping[str, float | None]) -> str:
    """Return the ratio to the fastest peer, and in a word what it means."""
    installed = {name: seconds for name, seconds in peers.items() if seconds is not None}
    if not installed:
        return "No peer is installed: there is nothing to compare with."
    name = min(installed, key=installed.__getitem__)
    ratio = ours / installed[name]
    word = "ahead" if ratio < 1 - LEVEL else "behind" if ratio > 1 + LEVEL else "level"
    return f"ours / fastest peer ({name}): {ratio:.2f} - {word}"
