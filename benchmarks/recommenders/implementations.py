"""Seconds and peak memory of the same algorithm by several packages: `systems/implementations`.

    python benchmarks/recommenders/implementations.py [--real work/full/ml-1m] [--repeats 3]

Each system of the artifact is fitted to one fold, 80 % of generated ratings of MovieLens 1M's shape
or of a prepared dataset, in a process of its own on one thread; what numba compiles is compiled and
what is imported is loaded on a few ratings before. Prints a row of Markdown for each: the least
processor time of fitting over the repeats, that of ranking the other 20 %, and by how much the
peak of memory of fitting lies above what the process held before (Linux). The artifact has none of
it, because its bytes are the same on every run.
"""

from __future__ import annotations

import timing  # noqa: F401 - limits the threads before NumPy is imported

# isort: split
import argparse
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

from all_systems import CONFIG, TINY, compile_on, learn, named
from generated import add_size, ml1m_shaped
from ranking import one_fold, rank, table

from receval.config.settings import load_settings
from receval.ratings import Ratings

MEBI = 2**10
"""Linux counts memory in KiB."""


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
            arguments = (algorithm, name, options.real, options.size, options.repeats)
            process = context.Process(target=measure, args=arguments)
            process.start()
            process.join()
            if process.exitcode:
                parser.exit(1, f"{name} was not measured.\n")


def measure(algorithm: str, name: str, real: Path | None, size: float, repeats: int) -> None:
    """Print the row of a system."""
    spec = load_settings(CONFIG, "full").systems[name]
    compile_on(one_fold(table(ml1m_shaped(TINY))), name, spec)
    data = one_fold(Ratings.read(real) if real else table(ml1m_shaped(size)))
    model = named(name, spec)
    # What was read and compiled before may have needed more than fitting does.
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    first = processor_time(lambda: learn(model, data, spec))
    peak = memory("VmHWM")
    others = [processor_time(lambda: learn(model, data, spec)) for _ in range(repeats - 1)]
    ranks = processor_time(lambda: rank(model, data))
    print(
        f"| {algorithm} | `{name}` | {min([first, *others]):.2f} | {ranks:.2f} | "
        f"{(peak - before) / MEBI:.0f} |",
        flush=True,
    )


def memory(name: str) -> int:
    """Return how much memory the process has, or has had at most, in KiB; on Linux alone."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (value,) = (line.split()[1] for line in lines if line.startswith(f"{name}:"))
    return int(value)


def processor_time(function: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds, other programs on the machine left out."""
    start = time.process_time()
    function()
    return time.process_time() - start


if __name__ == "__main__":
    main()
