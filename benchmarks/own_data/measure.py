# SPDX-License-Identifier: MIT
"""Memory and time of data of anybody's: 20 million ratings, and ten million lines of runs.

    python benchmarks/own_data/measure.py [--rounds 3] [--size 1] [--ranx PYTHON] [--folder FOLDER]

The files are generated in a temporary folder (2 GB). Every job is a process of its own on one
thread: its peak memory is that of the process, its time that of the processor, the median of
rounds. receval, pytrec_eval and ranx read the same files and compute the same five measures of two
runs; rounds take them in turn. ``--ranx`` is the Python of an environment that has ranx; without it
ranx is left out. Fails where a job of ours takes 4 GiB, or reading and evaluating takes longer than
a peer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from ratios import note_ratio

GIB = 1 << 30
LIMIT = 4 * GIB
KIBIBYTE = 1024
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
PEERS = ("pytrec_eval", "ranx")


@dataclass
class Measured:
    """What the processes of one job took."""

    seconds: list[float] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)
    parts: list[dict[str, float]] = field(default_factory=list)
    means: list[list[float]] = field(default_factory=list)

    def part(self, *names: str) -> float:
        """Return the median of the sum of some parts, or of all."""
        return median(sum(p[n] for n in names or p) for p in self.parts)


def run(command: list[str], into: Measured, variables: Mapping[str, str] | None = None) -> None:
    """Run a process to its end, with more variables of its environment, and note what it took."""
    # Little memory here: a process begins with the peak of the one that starts it.
    environment = os.environ | dict.fromkeys(THREADS, "1") | dict(variables or {})
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdout=pipe, stderr=nowhere, env=environment) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: run it to see why.")
    into.seconds.append(usage.ru_utime + usage.ru_stime)
    into.peaks.append(usage.ru_maxrss * KIBIBYTE)
    if printed.startswith(b'{"seconds"'):
        answer = json.loads(printed)
        into.parts.append(answer["seconds"])
        into.means = answer.get("means", [])


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands of receval that are measured."""
    receval = [sys.executable, "-m", "receval"]
    out = ["--out", str(folder / "results")]
    evaluate = [*receval, "evaluate", str(folder / "ratings.csv"), *out]
    runs = [str(folder / f"run-{number}.run") for number in (1, 2)]
    return {
        "receval evaluate, pop and mf": [
            *evaluate, "--system", "pop", "--system", "mf:factors=8",
        ],
        "receval evaluate, pop and item-knn": [
            *evaluate, "--system", "pop", "--system", "item-knn:neighbours=20",
        ],
        "receval runs": [*receval, "runs", "--test", str(folder / "test.qrels"), *runs, *out],
    }  # fmt: skip


def main() -> int:
    """Print what every job took; the exit status is 1 above a limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=float, default=1)
    parser.add_argument("--ranx", help="Python of an environment that has ranx")
    parser.add_argument("--folder", type=Path, help="of files that are there already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if not (folder / "test.qrels").exists():
            generate = [sys.executable, str(HERE / "generated_files.py"), str(folder)]
            run([*generate, "--size", str(options.size)], Measured())
        measured: dict[str, Measured] = {}
        for name, command in commands(folder).items():
            run(command, measured.setdefault(name, Measured()))
        names = ["ratings", "writing", "ours", "pytrec_eval", *(["ranx"] if options.ranx else [])]
        for _ in range(options.rounds):
            for name in names:
                python = options.ranx if name == "ranx" else sys.executable
                command = [python, str(HERE / "jobs.py"), name, str(folder)]
                run(command, measured.setdefault(name, Measured()))
    return report(measured)


def report(measured: dict[str, Measured]) -> int:
    """Print the table and the ratios, and return the exit status."""
    print(f"{'job':<36}{'CPU s':>8}{'GiB':>7}   parts, CPU s")
    for name, own in measured.items():
        parts = own.parts[0] if own.parts else {}
        told = ", ".join(f"{part} {own.part(part):.2f}" for part in parts)
        print(f"{name:<36}{median(own.seconds):>8.1f}{max(own.peaks) / GIB:>7.2f}   {told}")
    ours, fails = measured["ours"], 0
    for peer in [name for name in PEERS if name in measured]:
        theirs = measured[peer]
        differences = [
            abs(one - other)
            for own, their in zip(ours.means, theirs.means, strict=True)
            for one, other in zip(own, their, strict=True)
        ]
        # The same numbers first: what is compared must do the same work.
        assert max(differences) < 1e-9, (peer, differences)
        note_ratio("Judgments and two runs, reading included", peer, ours.part(), theirs.part())
        whole, alone = theirs.part() / ours.part(), theirs.part("evaluate") / ours.part("evaluate")
        print(f"{peer} / ours: {whole:.2f} with reading, {alone:.2f} evaluating alone")
        fails += whole < 1
    large = [name for name, own in measured.items() if name not in PEERS and max(own.peaks) > LIMIT]
    for name in large:
        print(f"{name} takes more than {LIMIT / GIB:g} GiB.")
    return int(bool(fails or large))


if __name__ == "__main__":
    sys.exit(main())
