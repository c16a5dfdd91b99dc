# SPDX-License-Identifier: MIT
"""Write the tables of docs/scale.md and draw its figure from the records in benchmarks/scale.

    python docs/scale/write_page.py            write tables and figure
    python docs/scale/write_page.py --check    exit 1 if others are there

Records are written by ``benchmarks/study_at_scale.py --jobs-record benchmarks/scale``. What stands
between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->`` is generated, the rest is not.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from job_records import GIB, HEADINGS, RecordedJob, RunRecord, fitted_exponent, stage_rows
from other_machines import MACHINES, called, schedules, shared_out

from receval.figures.finish import letter_panels, save_figure
from receval.figures.line_labels import label_lines
from receval.figures.style import (
    DOUBLE_COLUMN,
    figure_style,
    new_figure,
    series_styles,
    short_number,
)
from receval.recommenders.neighbourhood_search import SPARE

RECORDS = ROOT / "benchmarks" / "scale"
COMMITS = RECORDS / "commits"
ROOFLINE = RECORDS / "roofline.json"
PAGE = ROOT / "docs" / "scale.md"
PICTURE = ROOT / "docs" / "scale" / "growth.svg"
STUDY, DATASET = "canamares2020", "netflix"
NEIGHBOURHOODS = "neighbourhoods of users"
SHARDS = (8, 64)
"""Of a neighbourhood, where the schedule on many cores is simulated; 8 are the workflow's."""

CONSTANT = ("drawings and tables", "records")
"""Stages that read what is as large for any number of ratings."""

Measure = Callable[[Sequence[RecordedJob]], float]

TITLE = "Time and memory by the number of ratings"
DRAWN = (
    *("generating", "parsing", "splits", NEIGHBOURHOODS, "other training", "ranking"),
    *("numbers of artifacts", "drawings and tables"),
)


def records_of(study: str, dataset: str, folder: Path = RECORDS) -> list[RunRecord]:
    """Return the records of a study on a dataset without shards, the smallest first."""
    found = map(RunRecord.read, sorted(folder.glob(f"{study}-{dataset}-*.jsonl")))
    return sorted((each for each in found if each.shards == 1), key=lambda each: each.choices)


def printed(exponent: float) -> str:
    """Return an exponent as it is printed, of zero without a sign."""
    return f"{exponent:.2f}".replace("-0.00", "0.00")


def theory_of(stage: str, value: Measure) -> str:
    """Return the exponent that a stage must have in theory; of all there is not one."""
    if stage == "all" and value is cpu_minutes:
        return ""
    if stage in CONSTANT:
        return "0"
    return "2" if stage == NEIGHBOURHOODS and value is cpu_minutes else "1"


# --- tables -------------------------------------------------------------------------------------


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
        rows.append((name, f"{len(jobs)}", f"{different}", *cells))
    heads = ("study and data", "jobs", "with other bytes", "training, s", "ranking, s", "all, s")
    return table(heads, rows)


def stages(record: RunRecord) -> list[str]:
    """Return the table by stage of one record, with the shares that kernels reach.

    Raises
    ------
    ValueError
        A kernel belongs to no stage of the record.
    """
    shares: dict[str, list[float]] = {}
    for kernel in rooflines()["kernels"]:
        shares.setdefault(kernel["stage"], []).append(reached(kernel))
    rows = stage_rows(record)
    if unknown := set(shares).difference(row[0] for row in rows):
        raise ValueError(
            f"{ROOFLINE.name} has kernels of {', '.join(unknown)}, which no job belongs to."
        )
    cells = (between(shares[row[0]]) if row[0] in shares else "" for row in rows)
    heads = (*HEADINGS, "its kernels, of their rooflines")
    return table(heads, [(*row, cell) for row, cell in zip(rows, cells, strict=True)])


def between(shares: Sequence[float]) -> str:
    """Return the smallest and the largest of some shares, as they are printed."""
    printed_shares = dict.fromkeys(map(percentage, (min(shares), max(shares))))
    return " to ".join(printed_shares)


def rooflines() -> dict[str, Any]:
    """Return what ``benchmarks/recommenders/roofline.py --record`` kept."""
    kept: dict[str, Any] = json.loads(ROOFLINE.read_text(encoding="utf-8"))
    return kept


def reached(kernel: Mapping[str, Any]) -> float:
    """Return the share of its roofline that a kernel reaches: of what limits it more."""
    return max(kernel["of_copy"], kernel["of_peak"])


def percentage(share: float) -> str:
    """Return a share as it is printed."""
    return f"{share:.0%}".replace("%", " %")


def kernels() -> list[str]:
    """Return the table of kernels with the shares of both ceilings that they reach."""
    kept = rooflines()
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
        for kernel in kept["kernels"]
    ]
    peaks = kept["operations_a_second"]
    ceilings = (
        ("copying an array that no cache holds", kept["copied_a_second"], None),
        ("float32 in the first cache", None, peaks["32"]),
        ("bytes in the first cache", None, peaks["8"]),
    )
    for name, moved, done in ceilings:
        cells = ("" if each is None else f"{each / 1e9:,.1f}" for each in (moved, done))
        rows.append((f"*{name}, in one second*", "", "1.00", *cells, "", ""))
    heads = ("kernel", "stage", "s", "GB moved", "G operations", "of the copy", "of the peak")
    return table(heads, rows)


def comparable(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Return records of the jobs alone that all of them have."""
    shared = set.intersection(*({job.name for job in record.jobs} for record in records))
    return [
        replace(record, jobs=tuple(job for job in record.jobs if job.name in shared))
        for record in records
    ]


def growth(records: Sequence[RunRecord]) -> list[str]:
    """Return the table of times and memory by size, with their exponents."""
    records = comparable(records)
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
    return lines[:-1]


def machines(record: RunRecord) -> list[str]:
    """Return the table of simulated schedules of one record, whole and in shards."""
    rows = []
    shared = {f"neighbourhoods in {n} shards of users": shared_out(record, n) for n in SHARDS}
    for title, jobs in {"each system one job": list(record.jobs), **shared}.items():
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
                f"{record.study}, {record.dataset}"
                + ("" if record.shards == 1 else f", in {record.shards} shards"),
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


@dataclass(frozen=True)
class Held:
    """What is in memory or in a file at once: its formula, and its bytes of n ratings, u users."""

    what: str
    formula: str
    size: Callable[[float, float], float]
    is_in_memory: bool = True


LARGEST_INTEGER = 2**31 - 1
HELD = (
    Held("ratings: user, item, value, date", "13 n", lambda n, u: 13 * n),
    Held(
        "train matrix at a ratio of .9",
        "8 (.9 n) + 4 u; 12 and 8 from 2^31 entries on",
        lambda n, u: 0.9 * n * (8 if 0.9 * n <= LARGEST_INTEGER else 12) + 4 * u,
    ),
    Held(
        "keys of 1,000 neighbours, and spare ones",
        f"8 x {1000 + 1000 // SPARE:,} u",
        lambda n, u: 8 * (1000 + 1000 // SPARE) * u,
    ),
    Held("1,000 neighbours of each user, found", "8 x 1,000 u", lambda n, u: 8000 * u),
    Held("models of nine ratios, on the disk", "9 x 8 x 1,000 u", lambda n, u: 72_000 * u, False),
    Held(
        "ranks of nine ratios, on the disk", "4 (4.5 n) + 72 u", lambda n, u: 18 * n + 72 * u, False
    ),
)


def limits(record: RunRecord) -> list[str]:
    """Return the table of bytes by formula, at larger sizes, with the largest that memory holds."""
    sizes = (100_480_507, 10**9, 10**10)
    users = record.users / record.choices
    rows = []
    for held in HELD:
        bytes_of = [held.size(n, users * n) / GIB for n in sizes]
        fits = (f"{largest_that_fits(held, users, gib) / 1e6:,.0f} M" for gib in (24, 256))
        cells = (f"{each:,.1f}" for each in bytes_of)
        rows.append((held.what, held.formula, *cells, *(fits if held.is_in_memory else ("", ""))))
    heads = (
        *("what", "bytes", "100 M: GiB", "1 B: GiB", "10 B: GiB"),
        *("fits 24 GiB to", "fits 256 GiB to"),
    )
    return table(heads, rows)


def largest_that_fits(held: Held, users: float, gib: int) -> float:
    """Return the most ratings, with so many users each, of which something takes so many GiB."""
    low, high = 0.0, 1e13
    while high - low > 1e4:
        middle = (low + high) / 2
        fits = held.size(middle, users * middle) <= gib * GIB
        low, high = (middle, high) if fits else (low, middle)
    return low


def staged(record: RunRecord) -> dict[str, list[RecordedJob]]:
    """Return the jobs by stage, and all of them as the last."""
    return {**record.by_stage(), "all": list(record.jobs)}


def cpu_minutes(jobs: Sequence[RecordedJob]) -> float:
    """Return the minutes of the processor that jobs took."""
    return math.fsum(job.cpu for job in jobs) / 60


def peak_gib(jobs: Sequence[RecordedJob]) -> float:
    """Return the memory of the largest job in GiB."""
    return max(job.peak for job in jobs) / GIB


def told(job: RecordedJob) -> str:
    """Return what a job is called in a cell: its rule, and a system, an artifact or the data."""
    return f"`{job.rule}` {job.system}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table in Markdown, its numbers to the right."""
    marks = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(row)} |" for row in (heads, marks, *rows)]


# --- figure -------------------------------------------------------------------------------------


def draw(records: Sequence[RunRecord]) -> Figure:
    """Return the figure of the growth: processor time and the largest job's memory by stage."""
    records = comparable(records)
    sizes = [record.millions for record in records]
    known = [stage for stage in DRAWN if stage in staged(records[-1])]
    styles = series_styles(known, extra=CONSTANT)
    figure = new_figure(DOUBLE_COLUMN, 3.4)
    panels = figure.subplots(1, 2)
    for axes, value, label in zip(
        panels,
        (cpu_minutes, peak_gib),
        ("Processor time (min)", "Memory of the largest job (GiB)"),
        strict=True,
    ):
        for stage in known:
            style = styles[stage]
            values = [value(staged(record)[stage]) for record in records]
            axes.plot(
                sizes,
                values,
                color=style.colour,
                marker=style.marker,
                linestyle=style.line,
                label=f"{stage}, {printed(fitted_exponent(sizes[-2:], values[-2:]))}",
            )
        logarithmic(axes, sizes)
        axes.set_xlabel("Ratings (millions)")
        axes.set_ylabel(label)
    letter_panels(panels)
    label_lines(panels)
    return figure


def logarithmic(axes: Axes, sizes: Sequence[float]) -> None:
    """Give both axes logarithmic scales with plain numbers, and the sizes as ticks."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(plain))
        axis.set_minor_formatter(NullFormatter())


def plain(value: float, position: int | None = None) -> str:
    """Return a number of an axis without an exponent, and without the zero before its point."""
    return f"{value:,.0f}" if value >= 100 else short_number(f"{value:.3g}")


def picture(records: Sequence[RunRecord]) -> bytes:
    """Return the figure as SVG."""
    described = (
        f"What {STUDY} runs for generated ratings of Netflix's shape, with logarithmic axes. "
        "Left: minutes of the processor by stage. Right: GiB of the largest job of each stage. "
        "Names have the exponent between the two largest sizes."
    )
    with tempfile.TemporaryDirectory() as folder, figure_style():
        fresh = Path(folder) / PICTURE.name
        save_figure(draw(records), fresh, fresh.with_suffix(".pdf"), TITLE, described)
        return fresh.read_bytes()


# --- page ---------------------------------------------------------------------------------------


def blocks() -> dict[str, list[str]]:
    """Return the lines of every block of the page by its name."""
    netflix = records_of(STUDY, DATASET)
    rest = sorted(
        (
            record
            for record in map(RunRecord.read, sorted(RECORDS.glob("*.jsonl")))
            if (record.study, record.dataset, record.shards) != (STUDY, DATASET, 1)
        ),
        key=lambda record: (record.study, record.dataset, record.choices, record.shards),
    )
    return {
        "stages": stages(netflix[-1]),
        "kernels": kernels(),
        "growth": growth(netflix),
        "machines": machines(netflix[-1]),
        "others": others(rest),
        "commits": commits(sorted(COMMITS.glob("*.jsonl"))),
        "limits": limits(netflix[-1]),
    }


def filled(page: str) -> str:
    """Return a page with its blocks as the records have them.

    Raises
    ------
    ValueError
        A block is not on the page.
    """
    for name, lines in blocks().items():
        begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        before, begins, rest = page.partition(begin)
        _, ends, after = rest.partition(end)
        if not (begins and ends):
            raise ValueError(
                f"{PAGE.name} has no block {name}: put {begin} and {end} where it goes."
            )
        page = "\n".join([before + begin, "", *lines, "", end + after])
    return page


def main() -> int:
    """Write tables and figure; with --check only say whether they are those that are there."""
    current = PAGE.read_text(encoding="utf-8")
    fresh, drawn = filled(current), picture(records_of(STUDY, DATASET))
    if sys.argv[1:] == ["--check"]:
        same = fresh == current and PICTURE.is_file() and PICTURE.read_bytes() == drawn
        print("Page and figure are current." if same else f"{PAGE} or {PICTURE} is out of date.")
        return int(not same)
    PAGE.write_text(fresh, encoding="utf-8")
    PICTURE.write_bytes(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
