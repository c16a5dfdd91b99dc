# SPDX-License-Identifier: MIT
"""The tables of docs/scale.md, of the records in benchmarks/scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    cpu_minutes,
    peak_gib,
    printed,
    staged,
)

SHARDS = (8, 64)
"""Of a neighbourhood, where the schedule on many cores is simulated; 8 are the workflow's.

What has more folds has a shard a fold, and what has fewer as many parts of users as fit into these.
"""


def stages(record: RunRecord) -> list[str]:
    """Return the table by stage of one record."""
    side_by_side = resident(record.jobs) / GIB
    return [
        *table(HEADINGS, stage_rows(record)),
        "",
        f"Jobs side by side took at most {side_by_side:.1f} GiB together.",
    ]


def percentage(share: float) -> str:
    """Return a share as it is printed."""
    return f"{share:.0%}".replace("%", " %")


def kernels(roofline: Mapping[str, Any]) -> list[str]:
    """Return the table of kernels with the shares of both ceilings that they reach."""
    rows = [
        (
            kernel["kernel"],
            f"{kernel['seconds']:.2f}",
            percentage(kernel["of_copy"]),
            percentage(kernel["of_peak"]),
        )
        for kernel in roofline["kernels"]
    ]
    return table(("kernel", "s", "of the copy", "of the peak"), rows)


def seconds(number: float) -> str:
    """Return seconds with at least two digits."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def lists_in_blocks(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of evaluating lists in blocks, against only reading their files.

    The last row is that of a hundred times as many users as in the last record, by proportion.
    """
    rows = []
    for record in (*records, records[-1]):
        is_scaled = len(rows) == len(records)
        factor = 100 if is_scaled else 1
        read, frames, own = (record[name] for name in ("read", "read by pandas", "evaluated"))
        cells = [
            f"{factor * record['users'] / 1e6:,.0f} M{', extrapolated' if is_scaled else ''}",
            str(record["runs"]),
            *(seconds(factor * one["CPU s"]) for one in (read, frames, own)),
            f"{own['CPU s'] / read['CPU s']:.1f}",
            f"{own['GiB']:.1f}",
        ]
        rows.append(cells)
    heads = (
        "users",
        "runs",
        "row groups, CPU s",
        "pandas, CPU s",
        "receval, CPU s",
        "ratio",
        "GiB",
    )
    return table(heads, rows)


def growth(records: Sequence[RunRecord]) -> list[str]:
    """Return the table of times and memory of the ends, with the exponents of the last step.

    Raises
    ------
    ValueError
        Some size lacks jobs of the largest one.
    """
    if len(comparable(records)[-1].jobs) != len(records[-1].jobs):
        raise ValueError("Some sizes lack jobs of the largest one, which are left out of all.")
    by_size = [staged(record) for record in records]
    sizes = [record.millions for record in records]
    rows = []
    for stage in by_size[-1]:
        cells = []
        for value in (cpu_minutes, peak_gib):
            values = [value(own[stage]) for own in by_size]
            last = printed(fitted_exponent(sizes[-2:], values[-2:]))
            cells += [f"{values[0]:.2f}", f"{values[-1]:.2f}", last]
        rows.append((stage, *cells, theory_of(stage)))
    ends = [f"{sizes[at]:.3g} M" for at in (0, -1)]
    heads = (f"{what}, {end}" for what in ("CPU, min", "GiB") for end in (*ends, "exponent"))
    return table(("", *heads, "time in theory"), rows)


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


def theory_of(stage: str) -> str:
    """Return the exponent of time that a stage must have in theory; of all there is not one."""
    if stage == "all":
        return ""
    if stage in CONSTANT:
        return "0"
    if stage not in NEIGHBOURHOODS:
        return "1"
    return "2" if stage == NEIGHBOURHOODS[0] else "1 and 2"


def told(job: RecordedJob) -> str:
    """Return what a job is called in a cell: its rule, and a system, an artifact or the data."""
    return f"`{job.rule}` {job.system}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table in Markdown, its numbers to the right."""
    marks = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(row)} |" for row in (heads, marks, *rows)]
