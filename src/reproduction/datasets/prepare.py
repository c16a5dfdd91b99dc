# SPDX-License-Identifier: MIT
"""Prepare a dataset: parse its raw files, check the counts, and write the table of ratings."""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import TABLE_FILES, Ratings
from receval.storage.files import (
    DamagedFileError,
    being_written,
    how_to_make_again,
    refusing_damage,
    sha256_of,
    write_atomically,
)
from receval.storage.messages import LONGEST, shortened
from reproduction.datasets.raw import RawFiles
from reproduction.datasets.reports import (
    CountError,
    DatasetError,
    ParseReport,
)
from reproduction.datasets.spec import DatasetSpec, ExpectedCounts, PartCounts, RatingScale

SUMMARY_FILE = "summary.json"

PREPARED_FILES = (*TABLE_FILES, SUMMARY_FILE)
"""The files of a prepared dataset, in one folder."""

Parser = Callable[..., Ratings]


def load_parser(path: str) -> Parser:
    """Return the parser that a registry names."""
    module, _, function = path.partition(":")
    try:
        return cast(Parser, getattr(importlib.import_module(module), function))
    except (ImportError, AttributeError, ValueError) as error:
        reason = shortened(str(error), 200)
        raise DatasetError(f"The parser {shortened(path)} cannot be loaded: {reason}.") from error


# Count ratings in bounded memory, and compare counts with expected ones.

# Counting widens a column to 64 bits, so it is done in pieces: 100 M ratings would take 800 MB.
_PIECE = 1 << 22

Selection = Callable[[slice], NDArray[np.bool_]]


def count_ratings(ratings: Ratings, selection: Selection | None = None) -> PartCounts:
    """Count ratings, distinct users, distinct items and the ratings of each value."""
    users = np.zeros(ratings.n_users, dtype=np.bool_)
    items = np.zeros(ratings.n_items, dtype=np.bool_)
    by_value: dict[float, int] = {}
    for rows in _pieces(len(ratings)):
        chosen = slice(None) if selection is None else selection(rows)
        users[ratings.users[rows][chosen]] = True
        items[ratings.items[rows][chosen]] = True
        found, counts = np.unique(ratings.values[rows][chosen], return_counts=True)
        for value, count in zip(found.tolist(), counts.tolist(), strict=True):
            by_value[float(value)] = by_value.get(float(value), 0) + count
    return PartCounts(
        ratings=sum(by_value.values()),
        users=int(users.sum()),
        items=int(items.sum()),
        values=dict(sorted(by_value.items())),
    )


def fewest_and_most(codes: NDArray[np.int32], size: int) -> tuple[int, int]:
    """Return the lowest and the highest number of rows of the codes ``0..size-1``."""
    counts = np.zeros(size, dtype=np.int64)
    for rows in _pieces(len(codes)):
        counts += np.bincount(codes[rows], minlength=size)
    return int(counts.min(initial=len(codes))), int(counts.max(initial=0))


def _pieces(length: int) -> list[slice]:
    return [slice(start, start + _PIECE) for start in range(0, length, _PIECE)]


def differences(expected: ExpectedCounts, found: ExpectedCounts) -> list[str]:
    """Compare all expected counts with those found."""
    result = _part_differences("", expected, found)
    result += _unequal(
        ("rows of the raw files", expected.rows, found.rows),
        ("fewest and most ratings per user", expected.per_user, found.per_user),
        ("fewest and most ratings per item", expected.per_item, found.per_item),
    )
    nothing = PartCounts()
    for name, wanted_part, there_part in (
        ("known ", expected.known, found.known),
        ("unknown ", expected.unknown, found.unknown),
    ):
        if wanted_part is not None:
            result += _part_differences(name, wanted_part, there_part or nothing)
    for part, counts in expected.files.items():
        result += _part_differences(f"{part} file: ", counts, found.files.get(part, nothing))
    return result


def _part_differences(prefix: str, expected: PartCounts, found: PartCounts) -> list[str]:
    names = ("ratings", "users", "items")
    compared = [(prefix + name, getattr(expected, name), getattr(found, name)) for name in names]
    if expected.values:
        compared += [
            (f"{prefix}ratings of {value:g}", expected.values.get(value, 0), there)
            for value in sorted({*expected.values, *found.values})
            for there in [found.values.get(value, 0)]
        ]
    return _unequal(*compared)


def _unequal(*compared: tuple[str, object, object]) -> list[str]:
    """Return the counts, each with a name, that are expected and not found."""
    return [
        f"{name}: {_shown(wanted)} expected, {_shown(there)} found"
        for name, wanted, there in compared
        if wanted is not None and wanted != there
    ]


def as_json(counts: PartCounts) -> Mapping[str, object]:
    """Return counts as plain JSON values, with the rating values as short strings."""
    return {
        "ratings": counts.ratings,
        "users": counts.users,
        "items": counts.items,
        "values": {f"{value:g}": count for value, count in counts.values.items()},
    }


def _shown(count: object) -> str:
    if isinstance(count, tuple):
        return " to ".join(_shown(end) for end in count)
    return f"{count:,}" if isinstance(count, int) else "none"


def prepare(raw: RawFiles, spec: DatasetSpec, folder: Path) -> dict[str, object]:
    """Turn raw files into the canonical table of ratings, and return the written summary.

    The folder gets ``ratings.parquet``, ``users.parquet``, ``items.parquet`` and ``summary.json``,
    or none of them if anything fails, for example if the counts are not those of a correct parse.
    The summary has counts, rows merged or left out and why, a comparison with published counts, and
    the checksums of the raw and prepared files.
    """
    expected = raw.expected or ExpectedCounts()
    report = ParseReport(
        expected_ratings=expected.ratings,
        duplicates=spec.duplicates,
        unpacked_limit=next(
            (
                file.unpacked_limit
                for variant in spec.variants
                if variant.name == raw.variant
                for file in variant.files
                if file.unpacked_limit is not None
            ),
            None,
        ),
    )
    ratings = load_parser(raw.parser)([file.path for file in raw.files], report=report)
    # Check after reading, to notice files that changed in the meantime.
    for file in raw.files:
        file.check()
    found = _count(ratings, report)
    _check(raw, spec, expected, found, report)
    relevant = count_ratings(
        ratings, lambda rows: np.asarray(ratings.values[rows] >= spec.relevance_threshold)
    )
    summary = _summary(raw, spec, ratings, report, found, relevant)
    _write(ratings, summary, folder)
    return summary


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
    problems = differences(expected, found)
    if spec.scale is not None:
        problems += [
            f"{count:,} ratings have the value {value:.9g}, which is not on the scale from "
            f"{spec.scale.minimum:g} to {spec.scale.maximum:g} in steps of {spec.scale.step:g}"
            for value, count in found.values.items()
            # A mean of ratings can lie between the steps.
            if not _on_scale(value, spec.scale, between_steps=spec.duplicates == "mean")
        ]
    if problems:
        files = ", ".join(file.path.as_posix() for file in raw.files[:4])
        collapsed = (
            {"repeats collapsed": report.repeats_collapsed} if report.repeats_collapsed else {}
        )
        told = {**collapsed, **report.dropped, **report.notes}
        metadata = "; ".join(f"{what}: {count:,}" for what, count in told.items())
        what = (
            f"The dataset {raw.dataset} (variant {raw.variant}, {shortened(files, 100)}) is not "
            "what it should be. "
        )
        rest = f" The parser found {shortened(metadata, 150)}." if metadata else ""
        rest += " Check that the files are the original ones."
        room = LONGEST - len(what) - len(rest)
        raise CountError(f"{what}{_enumerated(problems, room)}.{rest}")


def _enumerated(problems: Sequence[str], room: int) -> str:
    """Return the first problem and as many others as fit, and count the rest."""
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
    """Write all files or, if anything fails, none; the summary comes last."""
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


# Verify that prepared datasets are as recorded when they were prepared.


def read_summary(path: Path) -> dict[str, Any]:
    """Return the summary of a prepared dataset."""
    with refusing_damage(path):
        summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(summary, dict) or "prepared_files" not in summary:
            raise ValueError("it has no record of the prepared files")
    return summary


def is_prepared(folder: Path) -> bool:
    """Return whether a folder has any file of a prepared dataset."""
    return any((folder / name).is_file() for name in PREPARED_FILES)


def not_as_recorded(folder: Path) -> list[str]:
    """Return one sentence for each file of a prepared dataset that is not as recorded."""
    summary = folder / SUMMARY_FILE
    again = how_to_make_again(folder / TABLE_FILES[0])
    try:
        rows = read_summary(summary)["prepared_files"]
        with refusing_damage(summary):
            recorded = {row["name"]: row["sha256"] for row in rows}
    except DamagedFileError as error:
        return [str(error)]
    problems = []
    for name in TABLE_FILES:
        path = folder / name
        try:
            found = sha256_of(path)
        except FileNotFoundError:
            problems.append(f"{path} is missing. {again}")
        except OSError as error:
            problems.append(f"{path} cannot be read ({shortened(str(error), 100)}). {again}")
        else:
            if found != recorded.get(name):
                problems.append(
                    f"{path} differs from its record in {summary.name}: its SHA-256 is {found}, "
                    f"not {shortened(str(recorded.get(name)), 64)}. {again}"
                )
    return problems


def verification(folder: Path, datasets: Iterable[str]) -> tuple[list[str], bool]:
    """Return lines that say whether each prepared dataset is as recorded, and whether all are."""
    lines: list[str] = []
    sound = True
    n_prepared = 0
    for dataset in datasets:
        if not is_prepared(folder / dataset):
            lines.append(f"{dataset}: not prepared.")
            continue
        n_prepared += 1
        problems = not_as_recorded(folder / dataset)
        sound = sound and not problems
        lines += [f"{dataset}: {problem}" for problem in problems]
        if not problems:
            lines.append(f"{dataset}: as recorded.")
    if not n_prepared:
        raise ValueError(
            f"There is no prepared dataset in {folder} to verify. Run the workflow first: "
            f"snakemake --cores all --config edition={folder.name}."
        )
    return lines, sound
