# SPDX-License-Identifier: MIT
"""Speed and memory of the Netflix parser on generated files, against the limit of 8 GiB.

Writes files in the format of the Netflix Prize with a long-tailed number of ratings per movie,
parses them in a process of its own, and extrapolates the peak memory to the real dataset:

    python benchmarks/netflix_parser.py --rows 10000000 --variant archive
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

REAL_ROWS = 100_480_507
REAL_USERS = 480_189
REAL_MOVIES = 17_770
REAL_LARGEST_USER_NUMBER = 2_649_429
LIMIT_GIB = 8.0
GIB = 1 << 30


def movies(rows: int, seed: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield each movie's number and file content; a tenth of the rows has a tenth of the movies."""
    generator = np.random.default_rng(seed)
    n_movies = max(1, round(REAL_MOVIES * rows / REAL_ROWS))
    numbers = generator.choice(
        np.arange(1, REAL_LARGEST_USER_NUMBER + 1), REAL_USERS, replace=False
    )
    weights = generator.lognormal(sigma=1.8, size=n_movies)
    lengths = np.minimum(np.ceil(weights / weights.sum() * rows), REAL_USERS // 2).astype(int)
    while (missing := rows - lengths.sum()) > 0:
        lengths = np.minimum(lengths + -(-missing // n_movies), REAL_USERS // 2)
    for movie, length in enumerate(lengths, start=1):
        # Steps of a prime length through all users meet nobody twice.
        users = numbers[
            (int(generator.integers(REAL_USERS)) + 7919 * np.arange(length)) % REAL_USERS
        ]
        days = generator.integers(10_900, 13_150, len(users)).astype("datetime64[D]")
        table = pa.table(
            {
                "user": users,
                "rating": generator.integers(1, 6, len(users)),
                "date": pa.array(days),
            }
        )
        lines = io.BytesIO()
        options = pa.csv.WriteOptions(include_header=False)
        pa.csv.write_csv(table, lines, write_options=options)
        yield movie, f"{movie}:\n".encode() + lines.getvalue()


def write(folder: Path, variant: str, rows: int) -> int:
    """Write the files of a variant into a folder and return their number of rows."""
    total = 0
    if variant == "combined":
        with (folder / "combined_data_1.txt").open("wb") as file:
            for _, content in movies(rows):
                file.write(content)
                total += content.count(b"\n") - 1
        return total
    if variant == "movie-files":
        for movie, content in movies(rows):
            (folder / f"mv_{movie:07d}.txt").write_bytes(content)
            total += content.count(b"\n") - 1
        return total
    inner = folder / "training_set.tar"
    with tarfile.open(inner, "w") as archive:
        for movie, content in movies(rows):
            member = tarfile.TarInfo(f"training_set/mv_{movie:07d}.txt")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
            total += content.count(b"\n") - 1
    outer = folder / "nf_prize_dataset.tar.gz"
    with tarfile.open(outer, "w:gz", compresslevel=1) as archive:
        archive.add(inner, "download/training_set.tar")
    inner.unlink()
    return total


def measure(variant: str, folder: Path) -> None:
    """Parse a folder's files in this process and print what it took as JSON."""
    from reproduction.datasets.formats import netflix

    parsers = {
        "archive": netflix.parse_archive,
        "combined": netflix.parse_combined,
        "movie-files": netflix.parse_movie_files,
    }
    paths = sorted(folder.iterdir())
    kibibyte = 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kibibyte
    start = time.perf_counter()
    ratings = parsers[variant](paths)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kibibyte
    print(json.dumps({"rows": len(ratings), "seconds": seconds, "before": before, "peak": peak}))


def main() -> int:
    """Run the benchmark; the exit status is 1 if the extrapolated peak is over the limit."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument(
        "--variant", choices=["archive", "combined", "movie-files"], default="archive"
    )
    arguments.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.measure:
        measure(options.variant, options.measure)
        return 0
    with tempfile.TemporaryDirectory() as name:
        print(f"writing {options.rows:,} ratings ({options.variant}) ...", flush=True)
        rows = write(Path(name), options.variant, options.rows)
        # The folder instead of its files: 17,770 names may be too long for a command line.
        command = [sys.executable, __file__, "--variant", options.variant, "--measure", name]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(output)
    if result["rows"] != rows:
        print(f"{rows:,} ratings were written, but {result['rows']:,} were read")
        return 1
    per_row = (result["peak"] - result["before"]) / rows
    at_full_size = result["before"] + per_row * REAL_ROWS
    print(f"ratings                     {rows:>14,}")
    print(f"ratings per second          {rows / result['seconds']:>14,.0f}")
    print(f"peak resident memory        {result['peak'] / GIB:>14.2f} GiB")
    print(f"  of which before parsing   {result['before'] / GIB:>14.2f} GiB")
    print(f"bytes per rating at peak    {per_row:>14.1f}")
    print(
        f"peak for {REAL_ROWS:,} ratings {at_full_size / GIB:>11.2f} GiB "
        f"(extrapolated; limit {LIMIT_GIB:g} GiB)"
    )
    return 0 if at_full_size < LIMIT_GIB * GIB else 1


if __name__ == "__main__":
    sys.exit(main())
