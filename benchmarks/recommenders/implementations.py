"""Seconds and peak memory of the same algorithm by several packages: `systems/implementations`.

    python benchmarks/recommenders/implementations.py [--real work/full/ml-1m] [--repeats 3]

Each system of the artifact is fitted to one fold, 80 % of generated ratings of MovieLens 1M's shape
or of a prepared dataset, in a process of its own on one thread; what numba compiles is compiled and
what is imported is loaded on a few ratings before. Prints a row of Markdown for each: the least
processor time of fitting over the repeats, that of ranking the other 20 %, and by how much the most
memory while fitting and ranking lies above what the process held before (Linux). The artifact has
none of it, because its bytes are the same on every run.
"""

from __future__ import annotations

import timing  # noqa: F401 - limits the threads before NumPy is imported

# isort: split
import argparse
import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from all_systems import CONFIG, TINY, compile_on, learn, named
from generated import add_size, ml1m_shaped
from ranking import one_fold, rank, table

from receval.config.settings import load_settings
from receval.ratings import Ratings

INTERVAL = 0.005
"""Seconds between two looks at how much memory a process holds."""


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
            own, theirs = context.Pipe()
            arguments = (theirs, name, options.real, options.size, options.repeats)
            process = context.Process(target=measure, args=arguments)
            process.start()
            before = own.recv()
            assert process.pid is not None
            highest = before
            while not own.poll(INTERVAL):
                highest = max(highest, memory(process.pid))
            fit, ranks = own.recv()
            process.join()
            grown = (highest - before) / 2**20
            print(f"| {algorithm} | `{name}` | {fit:.2f} | {ranks:.2f} | {grown:.0f} |", flush=True)


def measure(channel: Connection, name: str, real: Path | None, size: float, repeats: int) -> None:
    """Send what memory the process holds before it fits a system, then durations."""
    spec = load_settings(CONFIG, "full").systems[name]
    compile_on(one_fold(table(ml1m_shaped(TINY))), name, spec)
    data = one_fold(Ratings.read(real) if real else table(ml1m_shaped(size)))
    model = named(name, spec)
    channel.send(memory(os.getpid()))
    fit = min(processor_time(lambda: learn(model, data, spec)) for _ in range(repeats))
    channel.send((fit, processor_time(lambda: rank(model, data))))


def memory(process: int) -> int:
    """Return how many bytes of memory a process holds."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def processor_time(function: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds, other programs on the machine left out."""
    start = time.process_time()
    function()
    return time.process_time() - start


if __name__ == "__main__":
    main()
