# SPDX-License-Identifier: MIT
"""A study on a generated dataset of any size: time and memory, and how they grow.

    python benchmarks/study_at_scale.py [--study canamares2020] [--dataset netflix]
        [--ratings 1 3 10] [--artifacts fig02 fig08] [--cores 2] [--keep FOLDER]
        [--jobs-record benchmarks/scale] [--shards 8]

Generates so many million ratings in the raw format of the dataset, of all its items (where each has
some 25 ratings, or as many as in the original) and of as many of its users as gave so many
(`full_size_twins.yaml`; of Netflix 100.480507 are all of it), parses them, and runs on them all
that the workflow runs for the dataset in the study: splits, systems on every fold, protocols,
judgment samplings, simulations, artifacts and their drawings, as they are configured. Of Last.fm,
pairs of listener and artist are counted. By default datasets but Netflix have the size of the
original. Each job is a process of one thread; so many run at a time as there are cores. The kernels
that the workflow lists are compiled first. With `--keep` a run that was stopped goes on behind the
last job that ended, and with `--artifacts` only what these artifacts need is run: a study may be
run in parts. Models are removed when all that read them are done. Systems are one job each, unless
`--shards` shares their folds and users out.

Prints what each job takes and, for each size, what each stage does; then the exponents b of the
growth n^b from size to size, and how long the jobs of the largest size would take on machines with
more cores (`schedule.py`). With `--jobs-record` what is known of each size,
from this run and those before it in the same folder, is written there, to
`<study>-<dataset>-<millions>.jsonl` or, with `--shards folds`,
`<study>-<dataset>-<millions>-folds-shards.jsonl`: `docs/scale/write_page.py` makes docs/scale.md of
these, its stages and growth of canamares2020 on Netflix with `--shards folds`. The exit status is 1
where `--minutes` or `--gib` is given and the last and largest size takes more minutes, or its jobs
side by side more memory.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from generated_studies import ROOT, choices, comparing_users, planned
from job_records import RunRecord, exponents, resident, stage_table
from measured_jobs import Job, Measured, do, read_configuration_of, read_rows, run
from other_machines import schedules
from study_jobs import behind, jobs_of, making

from receval.arithmetic import use_one_arithmetic
from reproduction.workflow.jobs.kernels import compile_all

GIB = 1 << 30


def main() -> int:
    """Run the benchmark; the exit status is 1 if the largest size is over a limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--study", default="canamares2020")
    parser.add_argument("--dataset", default="netflix")
    parser.add_argument("--ratings", type=float, nargs="+", metavar="MILLIONS")
    parser.add_argument("--artifacts", nargs="+", metavar="NAME", help="only what these need")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument(
        "--shards",
        type=lambda text: text if text in ("auto", "folds") else int(text),
        default=1,
        help="of folds and users of each system, or auto or folds, as in config.yaml",
    )
    parser.add_argument(
        "--keep", type=Path, help="work in this folder, leave all files there, and go on with them"
    )
    parser.add_argument(
        "--jobs-record", type=Path, metavar="FOLDER", help="copy what each size took there"
    )
    parser.add_argument("--minutes", type=float, default=math.inf, help="fail above")
    parser.add_argument("--gib", type=float, default=math.inf, help="fail above")
    parser.add_argument("--job", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        do(**json.load(sys.stdin))
        return 0
    sizes = options.ratings or (
        [1, 3, 10] if options.dataset == "netflix" else [choices(options.dataset) / 1e6]
    )
    print("First all listed kernels are compiled.", flush=True)
    use_one_arithmetic(computes=False)
    compile_all(options.cores)
    records = [_study(millions, options) for millions in sorted(sizes)]
    _print_growth(records)
    _print_elsewhere(records[-1])
    return _verdict(records[-1], options)


def _study(millions: float, options: argparse.Namespace) -> RunRecord:
    """Generate ratings, run the study on them, and return what is known of all its jobs."""
    plan = planned(options.study, options.dataset, options.shards)
    ratings = round(1e6 * millions)
    every = [*making(plan, options.dataset, ratings), *jobs_of(plan, options.study)]
    jobs = behind(every, options.artifacts) if options.artifacts else every
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.keep is not None:
            parts = "" if options.shards == 1 else f"-{options.shards}-shards"
            name = f"{options.study}-{options.dataset}-{millions:g}-million{parts}"
            folder = options.keep / name
            folder.mkdir(parents=True, exist_ok=True)
        read_configuration_of(ROOT, folder)
        print(f"{options.study}, {options.dataset}, {millions:g} million ratings")
        print(f"  {'job':<56}{'wall s':>9}{'CPU s':>9}{'peak GiB':>10}", flush=True)
        log = folder / "jobs.jsonl"
        run(__file__, jobs, options.cores, folder, _tell, log)
        record = RunRecord.of_rows(
            read_rows(log),
            [job.name for job in every],
            study=options.study,
            dataset=options.dataset,
            choices=ratings,
            users=_users(every),
            cores=options.cores,
            neighbourhoods=comparing_users(plan),
            shards=options.shards,
        )
    print(stage_table(record), flush=True)
    if options.jobs_record is not None:
        record.write(options.jobs_record)
    return record


def _users(jobs: Sequence[Job]) -> int:
    """Return the users of the generated dataset, which the first job is told of."""
    users: int = jobs[0].arguments["values"]["twin"]["users"]
    return users


def _tell(one: Measured) -> None:
    print(f"  {one.job.name:<56}{one.wall:9.1f}{one.cpu:9.1f}{one.peak / GIB:10.2f}", flush=True)


def _print_growth(records: Sequence[RunRecord]) -> None:
    """Print the exponents from each size to the next."""
    print("exponents of the growth from size to size: of CPU, and of the largest job's memory")
    for stage, (times, memories) in exponents(records).items():
        shown = "   ".join(
            "  ".join(f"{exponent:5.2f}" for exponent in each) for each in (times, memories)
        )
        print(f"  {stage:<40}{shown}")


def _print_elsewhere(record: RunRecord) -> None:
    """Print what the jobs of the largest size would take on larger machines."""
    for machine, found in schedules(record.jobs).items():
        print(f"  on {machine}, as simulated: {found.seconds / 60:.1f} min")
    print(f"  longest chain of jobs, {found.longest_chain_seconds / 60:.1f} min:")
    for name in found.longest_chain:
        print(f"    {name}")


def _verdict(record: RunRecord, options: argparse.Namespace) -> int:
    minutes, memory = record.wall / 60, resident(record.jobs) / GIB
    failed = minutes > options.minutes or memory > options.gib
    print(
        f"  {record.millions:g} million ratings: {minutes:.1f} min, CPU {record.cpu / 60:.1f} min, "
        f"jobs side by side at most {memory:.1f} GiB{' - OVER BUDGET' if failed else ''}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
