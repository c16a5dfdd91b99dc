# SPDX-License-Identifier: MIT
"""Lists larger than memory: time and memory of evaluating them, against only reading their files.

    python benchmarks/large_runs.py generate FOLDER [--users 1000000] [--items 100000] [--runs 2]
    python benchmarks/large_runs.py time FOLDER [--runs 2] [--jobs 2] [--record FILE]

The first command writes two runs of 100 items per user and ten test ratings per user as Parquet
files in the order of users, as pyarrow writes them by default. The second reads the files, as many
at a time as there are jobs, with pyarrow (one row group after the other, which are forgotten) and
with pandas (each file as a frame), and evaluates one run and then both, each in a process of its
own. Seconds are wall time and processor time; memory is the sum of the largest resident sizes of
the processes, which counts shared libraries several times.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

LENGTH = 100
TESTED = 10
_USERS_AT_ONCE = 100_000
_USERS_PER_FILE = 1_000_000
_RUNS = ("one", "other")


def generate(folder: Path, n_users: int, n_items: int, left_out: Sequence[str] = ()) -> None:
    """Write runs and test ratings; a user has an arithmetic sequence of items, modulo a prime."""
    modulus = n_items
    while any(modulus % divisor == 0 for divisor in range(2, 1 + int(modulus**0.5))):
        modulus -= 1
    for first in range(0, n_users, _USERS_PER_FILE):
        writers: dict[str, pq.ParquetWriter] = {}
        last = min(n_users, first + _USERS_PER_FILE)
        for start in range(first, last, _USERS_AT_ONCE):
            users = np.arange(start, min(last, start + _USERS_AT_ONCE))
            random = np.random.default_rng(start)
            origin, step = random.integers(1, modulus, size=(2, len(users), 1))
            tested = random.integers(400, size=(len(users), 1)) + 37 * np.arange(TESTED)
            # The second run has the same items in another order, and further ones.
            placed = {"one": np.arange(LENGTH), "other": np.arange(LENGTH) * 7 % 131}
            for name, places in ({**placed, "test": tested % 397}).items():
                if name in left_out:
                    continue
                items = (origin + step * places) % modulus
                columns = {"user": np.repeat(users, items.shape[1]), "item": items.ravel()}
                if name == "test":
                    columns["rating"] = random.integers(1, 6, items.size).astype(np.float32)
                else:
                    scores = random.random(items.shape, dtype=np.float32) - np.arange(LENGTH)
                    columns["score"] = scores.ravel().astype(np.float32)
                table = pa.table(columns)
                if name not in writers:
                    path = folder / name / f"{first:012}.parquet"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    writers[name] = pq.ParquetWriter(path, table.schema)
                writers[name].write_table(table, row_group_size=1 << 20)
        for writer in writers.values():
            writer.close()


def _clocks() -> tuple[float, float]:
    """Return wall time and the processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def _since(begun: tuple[float, float]) -> dict[str, float]:
    wall, cpu = (now - then for now, then in zip(_clocks(), begun, strict=True))
    return {"s": wall, "CPU s": cpu}


def _read(path: Path) -> tuple[int, int]:
    """Read a file by row groups, and return its rows and the largest resident size in KiB."""
    rows = 0
    file = pq.ParquetFile(path)
    for number in range(file.num_row_groups):
        rows += file.read_row_group(number, use_threads=False).num_rows
    return rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _read_as_frame(path: Path) -> tuple[int, int]:
    """Read a file with pandas, and return its rows and the largest resident size in KiB."""
    return len(pd.read_parquet(path)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def only_read(
    read_file: Callable[[Path], tuple[int, int]], folder: Path, names: tuple[str, ...], jobs: int
) -> dict[str, float]:
    """Read all files of some folders, and return the rows, the seconds and the memory."""
    files = [path for name in names for path in sorted((folder / name).glob("*.parquet"))]
    begun = _clocks()
    with ProcessPoolExecutor(jobs) as pool:
        read = list(pool.map(read_file, files))
    peak = max(size for _, size in read)
    return {"rows": sum(rows for rows, _ in read), **_since(begun), "GiB": jobs * peak / 2**20}


_EVALUATE = """
import json, resource, sys
from receval.arithmetic import use_one_arithmetic
use_one_arithmetic()
from receval.large_runs.processes import keep_freed_memory
keep_freed_memory()
from receval.large_runs.evaluate import evaluate_large_runs
folder, out, jobs, names = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
result = evaluate_large_runs(
    f"{folder}/test",
    {name: f"{folder}/{name}" for name in names},
    out,
    metrics=["P@10", "Recall@10", "nDCG@10"],
    jobs=jobs,
)
print(result.compare(test="t") if len(names) > 1 else result.summary(), file=sys.stderr)
own, others = (
    resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
)
print(json.dumps(own + (jobs * others if jobs > 1 else 0)))
"""


def evaluated(folder: Path, names: tuple[str, ...], jobs: int) -> dict[str, float]:
    """Evaluate runs in a process of its own, and return the seconds and the memory."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        begun = _clocks()
        done = subprocess.run(
            [sys.executable, "-c", _EVALUATE, str(folder), f"{out}/values", str(jobs), *names],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        taken = _since(begun)
    return {**taken, "GiB": json.loads(done.stdout) / 2**20}


def measure(folder: Path, n_runs: int, jobs: int) -> list[dict[str, object]]:
    """Return a record of reading and one of evaluating, for one run and for both."""
    found: list[dict[str, object]] = []
    for names in (_RUNS[:1], _RUNS)[:n_runs]:
        read = only_read(_read, folder, (*names, "test"), jobs)
        as_frames = only_read(_read_as_frame, folder, (*names, "test"), jobs)
        own = evaluated(folder, names, jobs)
        n_users = read["rows"] / (LENGTH * len(names) + TESTED)
        sizes = {"users": round(n_users), "runs": len(names), "jobs": jobs}
        found.append({**sizes, "read": read, "read by pandas": as_frames, "evaluated": own})
        print(json.dumps(found[-1]), flush=True)
    return found


def main() -> None:
    """Generate or measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", choices=("generate", "time"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--runs", type=int, choices=(1, 2), default=2)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record", type=Path)
    chosen = parser.parse_args()
    if chosen.task == "generate":
        generate(chosen.folder, chosen.users, chosen.items, _RUNS[chosen.runs :])
        return
    found = measure(chosen.folder, chosen.runs, chosen.jobs)
    if chosen.record is not None:
        chosen.record.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
