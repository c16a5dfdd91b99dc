# SPDX-License-Identifier: MIT
"""From raw files to the canonical table: parse, check the counts, write."""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from receval.data.ratings import TABLE_FILES, Ratings
from receval.storage.files import being_written, sha256_of, write_atomically
from receval.storage.messages import LONGEST, shortened
from reproduction.datasets.counts import as_json, count_ratings, differences, fewest_and_most
from reproduction.datasets.raw import RawFiles
from reproduction.datasets.reports import (
    CountError,
    DatasetError,
    ParseReport,
)
from reproduction.datasets.spec import DatasetSpec, ExpectedCounts, PartCounts, RatingScale

SUMMARY_FILE = "summary.json"

PREPARED_FILES = (*TABLE_FILES, SUMMARY_FILE)
"""The files of a prepared dataset, which lie in one folder."""

Parser = Callable[..., Ratings]


def load_parser(path: str) -> Parser:
    """Return the parser that a registry names."""
    module, _, function = path.partition(":")
    try:
        return cast(Parser, getattr(importlib.import_module(module), function))
    except (ImportError, AttributeError, ValueError) as error:
        reason = shortened(str(error), 200)
        raise DatasetError(f"There is no parser {shortened(path)}: {reason}.") from error


def prepare(raw: RawFiles, spec: DatasetSpec, folder: Path) -> dict[str, object]:
    """Turn raw files into the canonical table of ratings.

    Parameters
    ----------
    folder : Path
        Gets ``ratings.parquet``, ``users.parquet``, ``items.parquet`` and ``summary.json``; none
        of them if anything fails.

    Returns
    -------
    dict
        The summary that is written: counts, what was collapsed or left out and why, how the
        counts compare with those in print, and the checksums of the raw and of the prepared files.

    Raises
    ------
    CountError
        If the counts are not those of a correct parse, or ratings lie off the scale.
    """
    expected = raw.expected or ExpectedCounts()
    report = ParseReport(
        expected_ratings=expected.ratings,
        duplicates=spec.duplicates,
        unpacked_limit=_unpacked_limit(raw, spec),
    )
    ratings = load_parser(raw.parser)([file.path for file in raw.files], report=report)
    found = _count(ratings, report)
    # After they were read: what was parsed is what was found, also if somebody writes meanwhile.
    for file in raw.files:
        file.check()
    _check(raw, spec, expected, found, report)
    relevant = count_ratings(
        ratings, lambda rows: np.asarray(ratings.values[rows] >= spec.relevance_threshold)
    )
    summary = _summary(raw, spec, ratings, report, found, relevant)
    _write(ratings, summary, folder)
    return summary


def _unpacked_limit(raw: RawFiles, spec: DatasetSpec) -> int | None:
    """Return the limit of the variant's archive, None if there is none or nothing is known."""
    files = [
        file for variant in spec.variants if variant.name == raw.variant for file in variant.files
    ]
    return next((file.unpacked_limit for file in files if file.unpacked_limit is not None), None)


def _count(ratings: Ratings, report: ParseReport) -> ExpectedCounts:
    everything = count_ratings(ratings)
    known, unknown = None, None
    if (flags := ratings.known) is not None:
        known = count_ratings(ratings, lambda rows: flags[rows])
        unknown = count_ratings(ratings, lambda rows: ~flags[rows])
    return ExpectedCounts(
        ratings=everything.ratings,
        users=everything.users,
        items=everything.items,
        values=everything.values,
        rows=report.rows,
        per_user=fewest_and_most(ratings.users, ratings.n_users),
        per_item=fewest_and_most(ratings.items, ratings.n_items),
        known=known,
        unknown=unknown,
        files=report.files,
    )


def _check(
    raw: RawFiles,
    spec: DatasetSpec,
    expected: ExpectedCounts,
    found: ExpectedCounts,
    report: ParseReport,
) -> None:
    if report.ratings_in_print is not None:
        found = found.model_copy(update={"ratings": report.ratings_in_print})
    problems = [str(difference) for difference in differences(expected, found)]
    if spec.scale is not None:
        problems += [
            f"{count:,} ratings of {value:.9g}, which is not on the scale from "
            f"{spec.scale.minimum:g} to {spec.scale.maximum:g} in steps of {spec.scale.step:g}"
            for value, count in found.values.items()
            # A mean of ratings lies between the steps.
            if not _on_scale(value, spec.scale, between_steps=spec.duplicates == "mean")
        ]
    if problems:
        files = ", ".join(file.path.as_posix() for file in raw.files[:4])
        metadata = "; ".join(f"{what}: {count:,}" for what, count in _metadata(report).items())
        what = (
            f"The dataset {raw.dataset} (variant {raw.variant}, {shortened(files, 100)}) is not "
            "what it should be. "
        )
        rest = f" The parser found {shortened(metadata, 150)}." if metadata else ""
        rest += " Check that the files are the original ones."
        room = LONGEST - len(what) - len(rest)
        raise CountError(f"{what}{_enumerated(problems, room)}.{rest}")


def _enumerated(problems: Sequence[str], room: int) -> str:
    """Return the first problem and those after it for which there is room; count the others."""
    shown = problems[0]
    for number, problem in enumerate(problems[1:], start=1):
        more = f"; {len(problems) - number} more"
        if len(f"{shown}; {problem}{more}.") > room:
            return shown + more
        shown += f"; {problem}"
    return shown


def _on_scale(value: float, scale: RatingScale, *, between_steps: bool) -> bool:
    steps = (value - scale.minimum) / scale.step
    within = scale.minimum <= value <= scale.maximum
    return within and (between_steps or steps == round(steps))


def _metadata(report: ParseReport) -> dict[str, int]:
    collapsed = {"repeats collapsed": report.repeats_collapsed} if report.repeats_collapsed else {}
    return {**collapsed, **report.dropped, **report.notes}


def _summary(
    raw: RawFiles,
    spec: DatasetSpec,
    ratings: Ratings,
    report: ParseReport,
    found: ExpectedCounts,
    relevant: PartCounts,
) -> dict[str, object]:
    times = ratings.timestamps
    counted = {
        "users": found.users,
        "items": found.items,
        "ratings": found.ratings,
        "relevant.users": relevant.users,
        "relevant.items": relevant.items,
        "relevant.ratings": relevant.ratings,
    }
    return {
        "dataset": raw.dataset,
        "variant": raw.variant,
        "source": raw.source,
        "parser": raw.parser,
        "n_users": found.users,
        "n_items": found.items,
        "n_ratings": found.ratings,
        "values": as_json(found)["values"],
        "per_user": list(found.per_user or ()),
        "per_item": list(found.per_item or ()),
        "timestamps": None if times is None else [int(times.min()), int(times.max())],
        "known": None if found.known is None else as_json(found.known),
        "unknown": None if found.unknown is None else as_json(found.unknown),
        "relevant": as_json(relevant),
        "rows": report.rows,
        "repeats_collapsed": report.repeats_collapsed,
        "repeat_rule": report.repeat_rule or None,
        "dropped": report.dropped,
        "notes": report.notes,
        "files": {part: as_json(counts) for part, counts in report.files.items()},
        "counts_checked": raw.expected is not None,
        "published": {
            name: {"in_print": list(printed), "found": counted[name]}
            for name, printed in spec.published.items()
            if raw.source != "twin"
        },
        "raw_files": [{"name": file.path.name, "sha256": file.sha256} for file in raw.files],
        "auxiliary_files": [
            {"name": file.path.name, "sha256": file.sha256} for file in raw.auxiliary_files
        ],
    }


def _write(ratings: Ratings, summary: dict[str, object], folder: Path) -> None:
    """Write all files or, if anything fails, none; the summary, which records them, comes last."""
    temporary = being_written(folder)
    temporary.mkdir(parents=True)
    try:
        ratings.write(temporary)
        summary["prepared_files"] = [
            {"name": name, "sha256": sha256_of(temporary / name)} for name in TABLE_FILES
        ]
        for path in sorted(temporary.iterdir()):
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    write_atomically(
        folder / SUMMARY_FILE, json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    )
