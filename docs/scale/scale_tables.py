# SPDX-License-Identifier: MIT
"""The tables of docs/scale.md, of the records in benchmarks/scale."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from job_records import (
    GIB,
    HEADINGS,
    RecordedJob,
    RunRecord,
    comparable,
    fitted_exponent,
    resident,
    stage_rows,
)
from other_machines import MACHINES, called, schedules, shared_out
from stage_measures import (
    CONSTANT,
    NEIGHBOURHOODS,
    Measure,
    cpu_minutes,
    peak_gib,
    printed,
    staged,
)

SHARDS = (8, 64)
"""Of a neighbourhood, where the schedule on many cores is simulated; 8 are the workflow's.

What has more folds has a shard a fold, and what has fewer as many parts of users as fit into these.
"""

KERNELS_OF = {
    "neighbourhoods and their ranking": ("1,000 neighbours", "kNN scores", "judged ranks"),
    "other training and its ranking": ("MF, ", "MF scores", "judged ranks"),
}
"""What the names of the kernels begin with that jobs run which train and rank."""


def commits(files: Iterable[Path]) -> list[str]:
    """Return the table of what two commits made of the same inputs, one row a study and dataset."""
    rows = []
    for file in files:
        about, *jobs = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        cells = []
        for stages_of in (("train_system",), ("rank_system",), None):
            own = [job for job in jobs if stages_of is None or job["stage"] in stages_of]
            seconds = [math.fsum(job[when] for job in own) for when in ("before", "after")]
            cells.append(" to ".join(f"{each:,.0f}" for each in seconds) if own else "")
        different = sum(bool(job["different"]) for job in jobs)
        name = f"{about['study']}, {about['dataset']}"
        which = f"{about['before']} to {about['after']}"
        rows.append((name, which, f"{len(jobs)}", f"{different}", *cells))
    heads = (
        *("study and data", "commits", "jobs", "with other bytes"),
        *("training, s", "ranking, s", "all, s"),
    )
    return table(heads, rows)


def stages(record: RunRecord, roofline: Mapping[str, Any]) -> list[str]:
    """Return the table by stage of one record, with the shares that kernels reach.

    Those are what ``benchmarks/recommenders/roofline.py --record`` kept.

    Raises
    ------
    ValueError
        A kernel belongs to no stage of the record.
    """
    rows = stage_rows(record)
    known = {row[0] for row in rows}
    if unknown := {kernel["stage"] for kernel in roofline["kernels"]} - known:
        raise ValueError(
            f"roofline.json has kernels of {', '.join(unknown)}, which no job belongs to."
        )
    of_stages = (
        [
            reached(kernel)
            for kernel in roofline["kernels"]
            if kernel["stage"] == row[0] or kernel["kernel"].startswith(KERNELS_OF.get(row[0], ()))
        ]
        for row in rows
    )
    cells = (between(own) if own else "" for own in of_stages)
    heads = (*HEADINGS, "its kernels, of their rooflines")
    lines = table(heads, [(*row, cell) for row, cell in zip(rows, cells, strict=True)])
    side_by_side = resident(record.jobs) / GIB
    return [*lines, "", f"Jobs side by side took at most {side_by_side:.1f} GiB together."]


def between(shares: Sequence[float]) -> str:
    """Return the smallest and the largest of some shares, as they are printed."""
    printed_shares = dict.fromkeys(map(percentage, (min(shares), max(shares))))
    return " to ".join(printed_shares)


def reached(kernel: Mapping[str, Any]) -> float:
    """Return the share of its roofline that a kernel reaches: of what limits it more."""
    return max(kernel["of_copy"], kernel["of_peak"])


def percentage(share: float) -> str:
    """Return a share as it is printed."""
    return f"{share:.0%}".replace("%", " %")


def kernels(roofline: Mapping[str, Any]) -> list[str]:
    """Return the table of kernels with the shares of both ceilings that they reach."""
    rows = [
        (
            kernel["kernel"],
            kernel["stage"],
            f"{kernel['seconds']:.2f}",
            f"{kernel['bytes'] / 1e9:,.1f}",
            f"{kernel['operations'] / 1e9:,.1f}",
            percentage(kernel["of_copy"]),
            percentage(kernel["of_peak"]),
        )
        for kernel in roofline["kernels"]
    ]
    peaks = roofline["operations_a_second"]
    ceilings = (
        ("copying an array that no cache holds", roofline["copied_a_second"], None),
        ("the same by all cores at once", roofline["copied_by_all_cores_a_second"], None),
        ("float32 in the first cache", None, peaks["32"]),
        ("bytes in the first cache", None, peaks["8"]),
    )
    for name, moved, done in ceilings:
        cells = ("" if each is None else f"{each / 1e9:,.1f}" for each in (moved, done))
        rows.append((f"*{name}, in one second*", "", "1.00", *cells, "", ""))
    heads = ("kernel", "stage", "s", "GB moved", "G operations", "of the copy", "of the peak")
    return table(heads, rows)


def growth(records: Sequence[RunRecord]) -> list[str]:
    """Return the table of times and memory by size, with their exponents."""
    largest, records = records[-1], comparable(records)
    sizes = [record.millions for record in records]
    lines = []
    for what, value in (("CPU, min", cpu_minutes), ("largest job, GiB", peak_gib)):
        rows = []
        for stage in staged(records[-1]):
            jobs = [staged(record)[stage] for record in records]
            values = [value(each) for each in jobs]
            last = fitted_exponent(sizes[-2:], values[-2:])
            cells = (f"{each:.2f}" for each in values)
            all_sizes = printed(fitted_exponent(sizes, values))
            rows.append((stage, *cells, all_sizes, printed(last), theory_of(stage, value)))
        heads = (f"{size:.3g} M" for size in sizes)
        lines += table((what, *heads, "exponent", "of the last step", "in theory"), rows)
        lines.append("")
    n_jobs, n_shared = len(largest.jobs), len(records[-1].jobs)
    return [*lines, f"Of the {n_jobs} jobs of the largest size, these are {n_shared}."]


def machines(record: RunRecord) -> list[str]:
    """Return the table of simulated schedules of one record, whole and in shards."""
    rows = []
    shared = {f"neighbourhoods in {n} shards": shared_out(record, n) for n in SHARDS}
    for title, jobs in {"as it was run": list(record.jobs), **shared}.items():
        found = schedules(jobs)
        chain = next(iter(found.values())).longest_chain_seconds
        times = (f"{found[called(*machine)].seconds / 3600:.2f}" for machine in MACHINES)
        rows.append((title, f"{len(jobs)}", *times, f"{chain / 3600:.2f}"))
    heads = ("", "jobs", *(f"{called(*machine)}, h" for machine in MACHINES), "longest chain, h")
    return table(heads, rows)


def others(records: Iterable[RunRecord]) -> list[str]:
    """Return the table of whole studies on other data, one row each."""
    rows = []
    for record in records:
        longest = max(record.jobs, key=lambda job: job.cpu)
        largest = max(record.jobs, key=lambda job: job.peak)
        _, jobs, wall, cpu, _, _, read, written = stage_rows(record)[-1]
        part = "" if len(record.jobs) == record.planned else f" of {record.planned}"
        rows.append(
            (
                f"{record.study}, {record.dataset}" + shared_as(record.shards),
                f"{record.millions:.2f}",
                jobs + part,
                *(wall, cpu, f"{longest.cpu / 60:.2f}: {told(longest)}"),
                f"{largest.peak / GIB:.2f}: {told(largest)}",
                *(read, written),
            )
        )
    heads = (
        *("study and data", "million pairs", "jobs", "wall, min", "CPU, min"),
        *("longest job, CPU min", "largest job, GiB", "read, GiB", "written, GiB"),
    )
    return table(heads, rows)


def shared_as(shards: int | str) -> str:
    """Return what stands behind a study whose systems were shared out, nothing of one job each."""
    if shards == 1:
        return ""
    return {"folds": ", a shard a fold", "auto": ", in shards as they are unless told"}.get(
        str(shards), f", in {shards} shards"
    )


def theory_of(stage: str, value: Measure) -> str:
    """Return the exponent that a stage must have in theory; of all there is not one."""
    if stage == "all" and value is cpu_minutes:
        return ""
    if stage in CONSTANT:
        return "0"
    if value is not cpu_minutes or stage not in NEIGHBOURHOODS:
        return "1"
    return "2" if stage == NEIGHBOURHOODS[0] else "1 and 2"


def told(job: RecordedJob) -> str:
    """Return what a job is called in a cell: its rule, and a system, an artifact or the data."""
    return f"`{job.rule}` {job.system}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table in Markdown, its numbers to the right."""
    marks = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(row)} |" for row in (heads, marks, *rows)]
