# SPDX-License-Identifier: MIT
"""Write the tables of docs/scale.md and draw its figure from the records in benchmarks/scale.

    python docs/scale/write_page.py            write tables and figure
    python docs/scale/write_page.py --check    exit 1 if others are there

Records are written by ``benchmarks/study_at_scale.py --jobs-record benchmarks/scale``. What stands
between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->`` is generated, the rest is not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from growth_figure import picture
from job_records import RunRecord
from memory_limits import limits
from scale_tables import growth, kernels, lists_in_blocks, machines, others, stages

RECORDS = ROOT / "benchmarks" / "scale"
ROOFLINE = RECORDS / "roofline.json"
LISTS = RECORDS / "large_runs.json"
PAGE = ROOT / "docs" / "scale.md"
PICTURE = ROOT / "docs" / "scale" / "growth.svg"
STUDY, DATASET = "canamares2020", "netflix"


def records_of(study: str, dataset: str, folder: Path = RECORDS) -> list[RunRecord]:
    """Return the records of a study on a dataset with a shard a fold, the smallest first."""
    found = map(RunRecord.read, sorted(folder.glob(f"{study}-{dataset}-*-folds-shards.jsonl")))
    return sorted(found, key=lambda each: each.choices)


def blocks() -> dict[str, list[str]]:
    """Return the lines of every block of the page by its name."""
    netflix = records_of(STUDY, DATASET)
    rest = sorted(
        (
            record
            for record in map(RunRecord.read, sorted(RECORDS.glob("*.jsonl")))
            if (record.study, record.dataset, record.shards) != (STUDY, DATASET, "folds")
        ),
        key=lambda record: (record.study, record.dataset, record.choices, str(record.shards)),
    )
    return {
        "stages": stages(netflix[-1]),
        "kernels": kernels(json.loads(ROOFLINE.read_text(encoding="utf-8"))),
        "lists": lists_in_blocks(json.loads(LISTS.read_text(encoding="utf-8"))),
        "growth": growth(netflix),
        "machines": machines(netflix[-1]),
        "others": others(rest),
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
