# SPDX-License-Identifier: MIT
"""Where the time of a run of the workflow goes: rule by rule, and what a job costs beside its work.

    python benchmarks/workflow.py --config edition=demo      # what is given goes to Snakemake
    python benchmarks/workflow.py --cores 1 -- bellogin2017

Run it in a repository whose ``work/`` lacks what is to be measured; kernels should be compiled.
The table counts the jobs of this run alone. ``own`` is the processor time of the functions that the
rules name, ``process`` that of the jobs' processes beside it, and the rest is Snakemake's and the
fork server's: what they load, once, and what they do for each job.
"""

from __future__ import annotations

import csv
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Rule:
    """The jobs of a rule: how many, their seconds, and the largest memory in MB."""

    jobs: int = 0
    own: float = 0.0
    process: float = 0.0
    memory: float = 0.0

    def add(self, row: dict[str, str]) -> None:
        """Count one more job."""
        self.jobs += 1
        self.own += float(row["cpu_time"])
        self.process += float(row["process_cpu_time"])
        self.memory = max(self.memory, float(row["max_rss"]))


def measured_since(start: float) -> dict[str, Rule]:
    """Return the rules whose jobs have written their benchmarks since a moment."""
    rules: dict[str, Rule] = {}
    for path in Path("work").rglob("benchmarks/*.tsv"):
        if path.stat().st_mtime < start:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            (row,) = csv.DictReader(file, delimiter="\t")
        rules.setdefault(row["function"], Rule()).add(row)
    return rules


def table(rules: dict[str, Rule], processor: float, wall: float) -> str:
    """Return a table in Markdown: a row a rule, those with most work first, and the whole run."""
    lines = [
        "| rule | jobs | own, s | own a job, s | process beside it a job, s | MB | share |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, rule in sorted(rules.items(), key=lambda item: -item[1].own):
        beside = (rule.process - rule.own) / rule.jobs
        lines.append(
            f"| {name} | {rule.jobs} | {rule.own:.1f} | {rule.own / rule.jobs:.3f} | {beside:.3f} "
            f"| {rule.memory:.0f} | {rule.own / processor:.0%} |"
        )
    jobs = sum(rule.jobs for rule in rules.values())
    own = sum(rule.own for rule in rules.values())
    overhead = (processor - own) / max(jobs, 1)
    lines.append(
        f"| all | {jobs} | {own:.1f} | {own / max(jobs, 1):.3f} | | | {own / processor:.0%} |"
    )
    return "\n".join(
        [
            *lines,
            "",
            f"{processor:.1f} s of processor time in {wall:.1f} s; beside the jobs' own work "
            f"{processor - own:.1f} s, {overhead:.3f} s a job.",
        ]
    )


def main(words: Sequence[str]) -> None:
    """Run Snakemake and print the table."""
    cores = [] if "--cores" in words else ["--cores", "all"]
    start, began = time.time(), time.monotonic()
    done = subprocess.run([sys.executable, "-m", "snakemake", *cores, *words], check=False)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.monotonic() - began
    print(table(measured_since(start), usage.ru_utime + usage.ru_stime, wall))
    if done.returncode:
        raise SystemExit(f"Snakemake ended with status {done.returncode}: the table is of a part.")


if __name__ == "__main__":
    main(sys.argv[1:])
