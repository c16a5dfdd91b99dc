# SPDX-License-Identifier: MIT
"""How long ``import receval`` and ``receval --help`` take, against ``import numpy``.

    python benchmarks/imports.py [--rounds 15]

Every import is a process of its own, on one thread, and rounds take them in turn. The time is that
of the processor, and the median of the rounds. What an empty Python takes is not in it.
"""

from __future__ import annotations

import argparse
import os
import sys
from statistics import median

from ratios import note_ratio

COMMANDS = {
    "empty Python": ["-c", ""],
    "import numpy": ["-c", "import numpy"],
    "import receval": ["-c", "import receval"],
    "receval --help": ["-m", "receval", "--help"],
}


def seconds_of(arguments: list[str]) -> float:
    """Return the processor seconds of a Python process that prints to nowhere."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    process = os.posix_spawn(
        sys.executable,
        [sys.executable, *arguments],
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)],
    )
    os.close(nowhere)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"python {' '.join(arguments)} failed: run it to see why.")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the durations and their ratios to numpy's import."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    # The first round compiles modules and reads them from the disk; it does not count.
    for number in range(options.rounds + 1):
        for name, arguments in COMMANDS.items():
            taken = seconds_of(arguments)
            if number:
                found[name].append(taken)
    empty = median(found.pop("empty Python"))
    own = {name: median(taken) - empty for name, taken in found.items()}
    for name, seconds in own.items():
        print(f"  {name:<20}{seconds:7.3f} s   {seconds / own['import numpy']:.2f} x numpy's")
        if name != "import numpy":
            note_ratio(name, "import numpy", seconds, own["import numpy"])


if __name__ == "__main__":
    main()
