# SPDX-License-Identifier: MIT
"""What two commits make of the same inputs, job by job: the same bytes, and how fast each is.

    git worktree add /tmp/before COMMIT
    python benchmarks/between_commits.py /tmp/before --study canamares2020 --dataset ml-1m
        [--stages train_system rank_system] [--keep FOLDER]
        [--record benchmarks/scale/commits/canamares2020-ml-1m.jsonl]

Runs what the full edition runs for a real dataset in a study, split to artifact, each job a process
of one thread, with the code that this lies in. The other commit then does the same job with the
same inputs, and its outputs are compared byte by byte; so a difference is told of the job in which
it arises, and of no other. The rules of the workflow must call the same functions in both. Listed
kernels are compiled before. With `--keep` files stay in a folder, and jobs that were compared there
are not done again, nor for another study, unless either code has been edited since or other values
are asked for. A test asks of what `--record` keeps in `benchmarks/scale/commits` that no bytes
differ. The exit status is 1 if any do.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ASKED_FOR_A_JOB = ["--job"]
if sys.argv[1:] != ASKED_FOR_A_JOB:
    # The plan is of the code that this lies in, wherever receval is installed from. What a job runs
    # is said by PYTHONPATH alone.
    sys.path.insert(0, str(ROOT / "src"))

from measured_jobs import Job, do, read_configuration_of, run

import receval

STAGES = (
    *("prepare_ratings", "split_ratings", "train_system", "rank_system", "sample_judgments"),
    *("simulate_skewness", "compute_artifact"),
)
"""Rules whose outputs are compared."""

BEFORE = "before"
"""The folder, beside the files of this code, with those of the other."""

LOG = "compared.jsonl"
"""What was compared in a folder that is kept, a line a job."""


def main() -> int:
    """Compare all jobs; the exit status is 1 if any differ."""
    if sys.argv[1:] == ASKED_FOR_A_JOB:
        _check_code()
        do(**json.load(sys.stdin))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, help="a checkout of the other commit")
    parser.add_argument("--study", default="canamares2020")
    parser.add_argument("--dataset", default="ml-1m")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--keep", type=Path, help="leave all files in this folder")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep what is printed there")
    options = parser.parse_args()
    sources = {"after": ROOT / "src", "before": options.other.resolve() / "src"}
    if not (sources["before"] / "receval").is_dir():
        raise SystemExit(
            f"{options.other} is no checkout of receval, as it has no folder src/receval: make one "
            "with git worktree add."
        )
    jobs = _jobs(options.study, options.dataset)
    for source in sources.values():
        _with_code(source)
        run(__file__, [COMPILING], 1, ROOT)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        read_configuration_of(ROOT, folder)
        rows = _compared(jobs, sources, folder.resolve(), options.stages)
    _print_sums(rows)
    if options.record is not None:
        about = {
            "study": options.study,
            "dataset": options.dataset,
            "before": _commit(options.other),
        }
        lines = [json.dumps({**about, "after": _commit(ROOT)}), *_kept(rows)]
        options.record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return int(any(row["different"] for row in rows))


COMPILING = Job(
    "compile",
    "all kernels",
    {
        "function": "reproduction.workflow.jobs.kernels:compile_all",
        "files": {},
        "values": {"processes": 1},
    },
    (),
    (),
)


def _jobs(study: str, dataset: str) -> list[Job]:
    """Return what the full edition runs of a study on a dataset that is there."""
    # Whoever does a job may have the other commit's code, and needs nothing of these.
    from study_jobs import fetching, jobs_of

    from reproduction.config.settings import load_settings
    from reproduction.workflow.plan.plan import Plan

    known = load_settings(ROOT / "config", "full")
    others = [name for name in known.datasets if name != dataset]
    settings = load_settings(ROOT / "config", "full", {"leave_out": others, "shards": 1})
    plan = Plan(settings.model_copy(update={"studies": {study: settings.studies[study]}}), ROOT)
    found = plan.datasets.availability[dataset]
    if found.status != "local":
        raise SystemExit(f"{dataset} is not there: {found.reason}. {found.instructions}")
    return [*fetching(plan, dataset), *jobs_of(plan, study)]


def _compared(
    jobs: Sequence[Job], sources: Mapping[str, Path], folder: Path, stages: Sequence[str]
) -> list[dict[str, Any]]:
    """Run each job with this code and, where it is compared, with the other's."""
    print(f"{'job':<62}{'before':>9}{'after':>9}  CPU s", flush=True)
    log = folder / LOG
    codes = {when: _digest(source) for when, source in sources.items()}
    last = {tuple(row["files"]): row for row in _read(log) if row["codes"] == codes}
    rows = []
    for job in jobs:
        # Another study may have made the same file with other protocols.
        row = last.get(job.outputs)
        row = row if row is not None and row.get("asked") == job.asked else None
        is_compared = job.stage in stages
        is_done = row is not None and (row["before"] is not None or not is_compared)
        if not is_done or not all((folder / path).exists() for path in job.outputs):
            row = {
                **_compare(job, sources, folder, is_compared),
                "codes": codes,
                "asked": job.asked,
            }
            with log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row) + "\n")
        if row["before"] is not None:
            rows.append(row)
            told = "  DIFFERENT: " * bool(row["different"]) + ", ".join(row["different"])
            print(f"{job.name:<62}{row['before']:9.2f}{row['after']:9.2f}{told}", flush=True)
    return rows


def _compare(
    job: Job, sources: Mapping[str, Path], folder: Path, is_compared: bool
) -> dict[str, Any]:
    """Do a job with this code and, if it is compared, with the other's."""
    # Nothing is scratch: the other code reads what this one made.
    job = replace(job, is_scratch=False)
    _with_code(sources["after"])
    after = run(__file__, [job], 1, folder)[0]
    before = None
    different: list[str] = []
    if is_compared:
        _with_code(sources["before"])
        before = run(__file__, [_elsewhere(job)], 1, folder)[0]
        different = [path for path in job.outputs if not _same(folder, path)]
    return {
        "stage": job.stage,
        "subject": job.subject,
        "files": list(job.outputs),
        "before": None if before is None else round(before.cpu, 2),
        "after": round(after.cpu, 2),
        "different": different,
    }


def _commit(checkout: Path) -> str:
    """Return the commit of a checkout, with a mark where files are edited."""
    asked = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def _digest(source: Path) -> str:
    """Return the SHA-256 of all files of code below a folder, and of their paths."""
    digest = sha256()
    for file in sorted(source.rglob("*.py")):
        digest.update(f"{file.relative_to(source)}\0".encode())
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _read(log: Path) -> list[dict[str, Any]]:
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def _with_code(source: Path) -> None:
    """Let the processes that are started from now on import this code."""
    os.environ["PYTHONPATH"] = str(source)


def _check_code() -> None:
    """Refuse to do a job with other code than the commit's: it would be compared with itself."""
    wanted = Path(os.environ["PYTHONPATH"], "receval")
    found = Path(str(receval.__file__)).parent
    if found != wanted:
        raise SystemExit(
            f"The code of {wanted} is wanted, and that of {found} was imported: receval must be "
            "found by PYTHONPATH first, so install it with pip install -e or not at all."
        )


def _elsewhere(job: Job) -> Job:
    """Return the same job with its outputs in another folder."""
    moved = {path: f"{BEFORE}/{path}" for path in job.outputs}
    files = {
        name: moved.get(held, held) if isinstance(held, str) else [moved.get(p, p) for p in held]
        for name, held in job.arguments["files"].items()
    }
    return replace(job, arguments={**job.arguments, "files": files}, outputs=tuple(moved.values()))


def _same(folder: Path, path: str) -> bool:
    """Return whether a file, or all files of a folder, have the same bytes in both places."""
    here, there = folder / path, folder / BEFORE / path
    if here.is_dir() and there.is_dir():
        names = {each.relative_to(root) for root in (here, there) for each in root.rglob("*")}
        return all(
            (here / name).is_dir() or _bytes_are_equal(here / name, there / name) for name in names
        )
    return _bytes_are_equal(here, there)


def _bytes_are_equal(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()


def _kept(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    left_out = ("files", "codes", "asked")
    return [json.dumps({key: row[key] for key in row if key not in left_out}) for row in rows]


def _print_sums(rows: Sequence[dict[str, Any]]) -> None:
    """Print the sums by stage, and how many jobs have other bytes."""
    for stage in dict.fromkeys(row["stage"] for row in rows):
        own = [row for row in rows if row["stage"] == stage]
        before, after = (math.fsum(row[when] for row in own) for when in ("before", "after"))
        different = sum(bool(row["different"]) for row in own)
        print(
            f"{stage:<24}{len(own):4} jobs, before {before:8.1f} s, after {after:8.1f} s, "
            f"{before / after:5.2f} times as fast, {different} with other bytes"
        )


if __name__ == "__main__":
    sys.exit(main())
