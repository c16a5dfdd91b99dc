# SPDX-License-Identifier: MIT
"""Seconds and peak memory of the same algorithm by several packages: `systems/implementations`.

    python benchmarks/recommenders/implementations.py [--real work/full/ml-1m] [--repeats 3]

Each system of the artifact is fitted to one fold, 80 % of generated ratings of MovieLens 1M's shape
or of a prepared dataset, in processes of its own on one thread; what numba compiles is compiled
and what is imported is loaded on a few ratings before. Prints a row of Markdown for each: the least
processor time of fitting over the repeats, that of ranking the other 20 %, and the peak of memory.
The peak is of one fit and ranking, in a process that did nothing else but load the ratings and
compile: what the allocator holds of earlier work is given back before, and the kernel's own peak
(Linux, `VmHWM`) is set back to what the process holds, which is then subtracted. The artifact has
none of it, because its bytes are the same on every run.
"""

from __future__ import annotations

import timing  # noqa: F401 - limits the threads before NumPy is imported

# isort: split
import argparse
import ctypes
import gc
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from all_systems import CONFIG, TINY, compile_on, learn, named
from generated import add_size, ml1m_shaped
from ranking import one_fold, rank, table

from receval.data.ratings import Ratings
from receval.splits.split import Fold
from reproduction.config.settings import load_settings
from reproduction.config.systems import SystemSpec

STATUS = Path("/proc/self/status")
PEAK_RESET = "5"
"""What the kernel takes as the order to set the peak of a process back (proc_pid_clear_refs)."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="of a prepared dataset")
    parser.add_argument("--repeats", type=int, default=3)
    add_size(parser)
    options = parser.parse_args()
    artifact = load_settings(CONFIG, "full").studies["systems"].artifacts["implementations"]
    algorithms = artifact.parameters["algorithms"]
    assert isinstance(algorithms, tuple)
    print("| algorithm | system | fit, s | rank, s | memory, MiB |")
    print("| --- | --- | ---: | ---: | ---: |")
    context = multiprocessing.get_context("spawn")
    for algorithm in map(str, algorithms):
        systems = artifact.parameters[algorithm]
        assert isinstance(systems, tuple)
        for name in map(str, systems):
            # A new process for each of the two: no measurement finds what another has left.
            with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as process:
                arguments = (name, options.real, options.size)
                peak = process.submit(grown_memory, *arguments).result()
                fit, ranks = process.submit(durations, *arguments, options.repeats).result()
            print(
                f"| {algorithm} | `{name}` | {fit:.2f} | {ranks:.2f} | {peak / 2**20:.0f} |",
                flush=True,
            )


def durations(name: str, real: Path | None, size: float, repeats: int) -> tuple[float, float]:
    """Return the least processor time of fitting a system, and that of ranking."""
    spec, data = prepared(name, real, size)
    model = named(name, spec)
    fit = min(processor_time(lambda: learn(model, data, spec)) for _ in range(repeats))
    return fit, processor_time(lambda: rank(model, data))


def grown_memory(name: str, real: Path | None, size: float) -> int:
    """Return how many bytes the peak of one fit and ranking lies above what was held before."""
    spec, data = prepared(name, real, size)
    model = named(name, spec)
    gc.collect()
    # Or the fit would live in memory that the allocator still holds, and seem to need none.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text(PEAK_RESET, encoding="utf-8")
    before = status("VmRSS")
    learn(model, data, spec)
    rank(model, data)
    return status("VmHWM") - before


def prepared(name: str, real: Path | None, size: float) -> tuple[SystemSpec, Fold]:
    """Return a system's entry and a fold, what the system needs being compiled and loaded."""
    spec = load_settings(CONFIG, "full").systems[name]
    compile_on(one_fold(table(ml1m_shaped(TINY))), name, spec)
    return spec, one_fold(Ratings.read(real) if real else table(ml1m_shaped(size)))


def status(entry: str) -> int:
    """Return an amount of memory of this process in bytes, as the kernel names it."""
    (line,) = (
        line
        for line in STATUS.read_text(encoding="utf-8").splitlines()
        if line.startswith(entry + ":")
    )
    return 1024 * int(line.split()[1])


def processor_time(function: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds, other programs on the machine left out."""
    start = time.process_time()
    function()
    return time.process_time() - start


if __name__ == "__main__":
    main()
