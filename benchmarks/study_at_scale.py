# SPDX-License-Identifier: MIT
"""A study on generated ratings of Netflix's shape: time and memory, and how they grow.

    python benchmarks/study_at_scale.py [--ratings 1 3 10] [--cores 2] [--keep FOLDER]

Generates so many million ratings in the raw format of the Netflix Prize, of all its 17,770 films
and of as many of its 480,189 users as gave so many (`full_size_twins.yaml`; 100.480507 is all of
it), parses them, and runs on them all that the workflow runs for Netflix in canamares2020: splits,
systems on every fold, protocols, artifacts and their drawings, as they are configured. Each job is
a process of one thread; so many run at a time as there are cores. What numba compiles is compiled
on a few ratings first. With `--keep` a run that was stopped goes on behind the last job that ended.

Prints what each job takes and, for each size, the time of all, the seconds of the processor a core
(which is all the time that a machine without other work needs, but for the waits of the last
jobs), the largest resident set of a job and the sum of those side by side; then the exponents
b of the growth n^b from size to size, and how long the jobs of the largest size would take on
machines with more cores (`receval.workflow.schedule`). The exit status is 1 where the last and
largest size takes more than 30 min or the jobs side by side more than 8 GiB.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measured_jobs import Job, Measured, cpu, largest, run, together, wall
from study_jobs import ROOT, do, jobs_of, making, planned

from receval.workflow.schedule import TimedJob, schedule

STUDY, DATASET = "canamares2020", "netflix"
FEW = 0.5
"""Million ratings; of fewer, all films cannot be as unequal as those of Netflix."""
LIMIT_MINUTES, LIMIT_GIB = 30.0, 8.0
GIB = 1 << 30
MACHINES = ((1, 2, 24), (1, 64, 256), (20, 64, 256))
"""Machines, and of each the cores and the memory in GiB, on which the jobs are simulated."""


def main() -> int:
    """Run the benchmark; the exit status is 1 if the largest size is over a limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ratings", type=float, nargs="+", default=[1, 3, 10], metavar="MILLIONS")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument(
        "--keep", type=Path, help="work in this folder, leave all files there, and go on with them"
    )
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        do(**json.loads(options.job))
        return 0
    sizes = sorted(options.ratings)
    print("First on a few ratings, for all to be compiled.", flush=True)
    _study(FEW, options.cores, None)
    measured = [_study(millions, options.cores, options.keep) for millions in sizes]
    _print_growth(sizes, measured, options.cores)
    _print_elsewhere(measured[-1])
    return _verdict(sizes[-1], measured[-1], options.cores)


def _study(millions: float, cores: int, keep: Path | None) -> list[Measured]:
    """Generate ratings and run the study on them."""
    plan = planned(STUDY, DATASET)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) if keep is None else keep / f"{millions:g}-million"
        folder.mkdir(parents=True, exist_ok=True)
        # Paths of a plan are relative to the repository: this folder stands for it.
        if not (folder / "config").exists():
            (folder / "config").symlink_to(ROOT / "config")
        record = folder / "jobs.jsonl"
        jobs = [*making(plan, DATASET, round(1e6 * millions)), *jobs_of(plan, STUDY)]
        print(f"{millions:g} million ratings")
        print(f"  {'job':<56}{'wall s':>9}{'CPU s':>9}{'peak GiB':>10}", flush=True)
        return run(__file__, jobs, cores, folder, _tell, record)


def _tell(one: Measured) -> None:
    print(f"  {_name(one.job):<56}{one.wall:9.1f}{one.cpu:9.1f}{one.peak / GIB:10.2f}", flush=True)


def _print_growth(
    sizes: Sequence[float], measured: Sequence[Sequence[Measured]], cores: int
) -> None:
    """Print totals by size, and the exponents from each size to the next."""
    stages = dict.fromkeys(one.job.stage for one in measured[0])
    rows = {
        "wall, min": [wall(jobs) / 60 for jobs in measured],
        f"CPU / {cores} cores, min": [cpu(jobs) / cores / 60 for jobs in measured],
    }
    for stage in stages:
        rows[f"  CPU of {stage}, min"] = [
            cpu([one for one in jobs if one.job.stage == stage]) / 60 for jobs in measured
        ]
    rows["largest job, GiB"] = [largest(jobs) / GIB for jobs in measured]
    rows["jobs side by side, at most, GiB"] = [together(jobs) / GIB for jobs in measured]
    heading = "".join(f"{f'{millions:g} M':>10}" for millions in sizes)
    print(f"  {'':<40}{heading}   exponents")
    for name, values in rows.items():
        exponents = [
            math.log(values[n + 1] / values[n]) / math.log(sizes[n + 1] / sizes[n])
            for n in range(len(sizes) - 1)
        ]
        print(
            f"  {name:<40}{''.join(f'{value:10.2f}' for value in values)}   "
            f"{'  '.join(f'{exponent:.2f}' for exponent in exponents)}"
        )


def _print_elsewhere(measured: Sequence[Measured]) -> None:
    """Print what the jobs of the largest size would take on larger machines."""
    makers = {path: one.job for one in measured for path in one.job.outputs}
    jobs = [
        TimedJob(
            _name(one.job),
            one.wall,
            one.peak,
            tuple(dict.fromkeys(_name(makers[path]) for path in one.job.inputs if path in makers)),
        )
        for one in measured
    ]
    for nodes, cores, gib in MACHINES:
        found = schedule(jobs, nodes=nodes, cores=cores, memory=gib * GIB)
        machine = f"{nodes} x {cores} cores, {gib} GiB"
        print(f"  on {machine}, as simulated: {found.seconds / 60:.1f} min")
    print(f"  longest chain of jobs, {found.longest_chain_seconds / 60:.1f} min:")
    for name in found.longest_chain:
        print(f"    {name}")


def _name(job: Job) -> str:
    return f"{job.stage} {job.subject}"


def _verdict(millions: float, measured: Sequence[Measured], cores: int) -> int:
    minutes, memory = wall(measured) / 60, together(measured) / GIB
    failed = minutes > LIMIT_MINUTES or memory > LIMIT_GIB
    print(
        f"  {millions:g} million ratings on {cores} cores: {minutes:.1f} min (CPU / cores "
        f"{cpu(measured) / cores / 60:.1f}) of {LIMIT_MINUTES:g}, {memory:.1f} GiB of "
        f"{LIMIT_GIB:g}{' - OVER BUDGET' if failed else ''}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
