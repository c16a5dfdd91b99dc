# SPDX-License-Identifier: MIT
"""Compare the artifacts of a run with the accepted ones, report what drifted, and accept them.

To accept the artifacts of a run, it is determined what changes; then files are copied and removed.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from receval.storage.files import replacing
from reproduction.drift.changes import (
    SYSTEM,
    VALUE,
    Change,
    compare_tables,
    numbers,
    read_table,
    roles_of_columns,
    row_labels,
)
from reproduction.drift.spec import DriftSpec

DATA_SUFFIX = ".csv"

DRAWING_SUFFIXES = (".svg", ".pdf", ".md", ".tex")

DATASET = "dataset"


@dataclass(frozen=True)
class OrderChange:
    """A panel in which the order of the systems differs from the accepted one.

    It is named by all keys but the system. It has Kendall's tau-b between the fresh and the
    accepted values, NaN if all systems are tied on one side, and the number of systems with a value
    on both sides.
    """

    panel: str
    tau: float
    systems: int


def changes_of_order(
    accepted: pd.DataFrame, fresh: pd.DataFrame, keys: tuple[str, ...]
) -> tuple[int, tuple[OrderChange, ...]]:
    """Compare the order of the systems in every panel of two tables.

    Also return the number of panels with at least two systems to compare. Keys identify a row;
    those other than ``system`` define the panels. There are none if a table has no key column
    ``system`` or no column ``value``.
    """
    tables = (accepted, fresh)
    if SYSTEM not in keys or not all({*keys, VALUE} <= set(table.columns) for table in tables):
        return 0, ()
    others = tuple(key for key in keys if key != SYSTEM)
    before = _values_by_panel(accepted, others)
    if fresh is accepted:
        return int((before.dropna()["panel"].value_counts() > 1).sum()), ()
    after = _values_by_panel(fresh, others)
    both = before.merge(after, on=["panel", SYSTEM], suffixes=("_accepted", "_fresh")).dropna()
    sizes = both["panel"].value_counts()
    compared = sizes.index[sizes > 1]
    # Only changed panels are ranked, because ranking all would take most of a report's time.
    moved = both.loc[both["at_accepted"] != both["at_fresh"], "panel"]
    is_moved = both["panel"].isin(moved) & both["panel"].isin(compared)
    if not is_moved.any():
        return len(compared), ()
    # Imported here because it takes a second, which most reports do not need.
    from scipy.stats import kendalltau, rankdata

    changes = []
    for panel, systems in both[is_moved].groupby("panel", sort=False):
        old, new = systems["at_accepted"].to_numpy(), systems["at_fresh"].to_numpy()
        if not np.array_equal(rankdata(old), rankdata(new)):
            tau = float(kendalltau(old, new).statistic)
            changes.append(OrderChange(str(panel), tau, len(systems)))
    return len(compared), tuple(changes)


def _values_by_panel(table: pd.DataFrame, others: tuple[str, ...]) -> pd.DataFrame:
    """Return panel, system and value of each row, keeping the first of rows with equal keys."""
    panels = row_labels(table, others)
    rows = pd.DataFrame({"panel": panels, SYSTEM: table[SYSTEM], "at": numbers(table[VALUE])})
    return rows.drop_duplicates(["panel", SYSTEM])


class ArtifactStatus(StrEnum):
    """The status of an artifact in a comparison."""

    SAME = "same"
    TOLERATED = "within tolerance"
    DRIFTED = "drifted"
    MISSING = "missing"
    NEW = "new"
    ABSENT = "absent"
    LEFTOVER = "leftover"


@dataclass(frozen=True)
class ArtifactDrift:
    """The result of comparing one artifact, named ``study/artifact``.

    It is ``missing`` if this run should have made it, ``new`` if nothing is accepted yet,
    ``absent`` if it is accepted but not part of this run, because its dataset is not available, and
    ``leftover`` if it is a file of an earlier run. ``panels`` counts those whose order of systems
    was compared, ``systems`` the cells of each system that moved too far, in decreasing order.
    ``drawings`` says by suffix of the drawn files on both sides whether the bytes are the same, and
    ``one_sided`` has by dataset the number of rows left out because only one side has that dataset.
    """

    name: str
    status: ArtifactStatus
    changes: tuple[Change, ...] = ()
    tolerated: int = 0
    compared: int = 0
    panels: int = 0
    orders: tuple[OrderChange, ...] = ()
    systems: Mapping[str, int] = field(default_factory=dict)
    drawings: Mapping[str, bool] = field(default_factory=dict)
    one_sided: Mapping[str, int] = field(default_factory=dict)

    @property
    def drifted(self) -> bool:
        """Whether somebody must check it."""
        return self.status in (ArtifactStatus.DRIFTED, ArtifactStatus.MISSING, ArtifactStatus.NEW)


@dataclass(frozen=True)
class DriftReport:
    """The result of comparing all artifacts, in alphabetical order.

    ``other_arithmetic`` has one sentence for each difference in the arithmetic or libraries of the
    two sides. Studies without any difference are compared exactly.
    """

    artifacts: tuple[ArtifactDrift, ...]
    other_arithmetic: tuple[str, ...] = ()

    @property
    def drifted(self) -> bool:
        """Whether any artifact drifted, is missing, or is new."""
        return any(artifact.drifted for artifact in self.artifacts)


def names_of_artifacts(folder: Path) -> set[str]:
    """Return the ``study/artifact`` names of the CSV files in a folder of studies.

    Results that belong to no study, such as the ledger of claims, have the name of their file.
    """
    return {
        path.relative_to(folder).with_suffix("").as_posix()
        for pattern in ("*", "*/*")
        for path in folder.glob(f"{pattern}{DATA_SUFFIX}")
        if not path.name.startswith(".")
    }


# The arithmetic and libraries of the two sides, which decide whether last digits may differ.
#
# Each study has a record of provenance beside its artifacts. It names the arithmetic of the process
# that wrote it (kernels of linear algebra, the processor that numba compiled for, numpy's loops,
# the C library) and the versions of the libraries. If these are the same on both sides, numbers are
# the same to the last digit unless code or data have changed. Otherwise some may move.

RECORD = "provenance.json"

RUN = "run.json"
"""File beside the fresh artifacts, used for a study that a run has made only in part."""

_ARITHMETIC = {
    "blas": "Linear algebra",
    "numba": "Code compiled by numba",
    "numpy": "Loops of numpy",
    "libc": "C library",
    "given": "Set by the user or the host",
}

_WITHOUT_NUMBERS = frozenset({"snakemake", "matplotlib"})
"""Libraries that run jobs or draw figures, and do not change numbers."""


def other_arithmetic(accepted: Path, fresh: Path, study: str) -> tuple[str, ...]:
    """Return a sentence for each difference in arithmetic and libraries between two sides.

    There is none if both records of the study are the same. A missing record, or one without
    arithmetic, also gives a sentence.
    """
    before = _named_by(accepted / study / RECORD)
    after = _named_by(fresh / study / RECORD) or _named_by(fresh.parent / RUN)
    if not before or not after:
        side = "fresh" if before else "accepted"
        return (f"{study}: there is no record of the arithmetic that made the {side} results.",)
    return tuple(
        f"{name}: {before.get(name) or 'nothing'} for the accepted results, "
        f"{after.get(name) or 'nothing'} here."
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    )


def _named_by(path: Path) -> dict[str, str]:
    """Return the content of a record; empty if it is missing or has no arithmetic."""
    if not path.is_file():
        return {}
    try:
        record = dict[str, Any](json.loads(path.read_text(encoding="utf-8")))
        if "arithmetic" not in record:
            return {}
        arithmetic = {
            name: _in_words(record["arithmetic"].get(key)) for key, name in _ARITHMETIC.items()
        }
        versions = {
            f"Version of {library}": str(version)
            for library, version in sorted(record["versions"].items())
            if library not in _WITHOUT_NUMBERS
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is not a record of what the results were made with. Make the study again, "
            "or restore the file from git."
        ) from error
    return {**arithmetic, **versions}


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        value = [f"{variable}={setting or '(empty)'}" for variable, setting in value.items()]
    return value if isinstance(value, str) else " and ".join(map(str, value or ()))


def compare_folders(
    fresh: Path,
    accepted: Path,
    config: DriftSpec,
    expected: Collection[str],
    one_sided_datasets: Collection[str] = (),
) -> DriftReport:
    """Compare the artifacts of a run with the accepted ones.

    If both sides of a study have the same arithmetic and versions of libraries, it is compared
    without tolerance, because only code or data can have changed it. ``expected`` are the
    ``study/artifact`` names that this run makes; an accepted artifact that is not among them is
    reported as absent, not as drift. ``one_sided_datasets`` may be absent here, or were absent when
    the results were accepted. If only one side has rows of such a dataset (column ``dataset``),
    they are left out and reported.

    A CSV or a record of provenance that cannot be read is refused with its name.
    """
    fresh_names, accepted_names = names_of_artifacts(fresh), names_of_artifacts(accepted)
    compared = sorted(fresh_names & accepted_names & set(expected))
    studies = {
        study: other_arithmetic(accepted, fresh, study)
        for study in dict.fromkeys(name.split("/")[0] for name in compared if "/" in name)
    }
    # Results that belong to no study depend on all studies.
    of_all = tuple(dict.fromkeys(sentence for each in studies.values() for sentence in each))

    def artifact(name: str) -> ArtifactDrift:
        if name not in expected:
            return ArtifactDrift(
                name, ArtifactStatus.ABSENT if name in accepted_names else ArtifactStatus.LEFTOVER
            )
        if name not in fresh_names:
            return ArtifactDrift(name, ArtifactStatus.MISSING)
        if name not in accepted_names:
            return ArtifactDrift(name, ArtifactStatus.NEW)
        # If no study is compared, nothing is known about results that belong to no study.
        may_differ = studies.get(name.split("/")[0], of_all) if studies else True
        spec = config if may_differ else config.exact()
        return compare_artifact(name, fresh, accepted, spec, one_sided_datasets)

    names = sorted({*fresh_names, *accepted_names, *expected})
    return DriftReport(tuple(artifact(name) for name in names), of_all)


def compare_artifact(
    name: str,
    fresh: Path,
    accepted: Path,
    config: DriftSpec,
    one_sided_datasets: Collection[str] = (),
) -> ArtifactDrift:
    """Compare one artifact that both folders have; see :func:`compare_folders`."""
    before = read_table(accepted / f"{name}{DATA_SUFFIX}")
    # Most artifacts have the accepted bytes, so the table is read once and compared with itself.
    unchanged = same_content(accepted / f"{name}{DATA_SUFFIX}", fresh / f"{name}{DATA_SUFFIX}")
    after = before if unchanged else read_table(fresh / f"{name}{DATA_SUFFIX}")
    one_sided = _rows_of_one_sided_datasets(before, after, one_sided_datasets)
    if one_sided:
        before = before[~before[DATASET].isin(one_sided)].reset_index(drop=True)
        after = after[~after[DATASET].isin(one_sided)].reset_index(drop=True)
    own = config.of(name)
    roles = roles_of_columns(before, own)
    table = compare_tables(before, after, own, roles)
    panels, orders = changes_of_order(before, after, roles.keys)
    if table.changes:
        status = ArtifactStatus.DRIFTED
    else:
        status = ArtifactStatus.TOLERATED if table.tolerated else ArtifactStatus.SAME
    return ArtifactDrift(
        name,
        status,
        changes=table.changes,
        tolerated=table.tolerated,
        compared=table.compared,
        panels=panels,
        orders=orders,
        systems=table.systems,
        drawings=_drawings(fresh / name, accepted / name),
        one_sided=one_sided,
    )


def _rows_of_one_sided_datasets(
    before: pd.DataFrame, after: pd.DataFrame, datasets: Collection[str]
) -> dict[str, int]:
    """Count the rows of the given datasets that only one of two tables has."""
    if DATASET not in before.columns or DATASET not in after.columns:
        return {}
    rows = {
        dataset: (int((before[DATASET] == dataset).sum()), int((after[DATASET] == dataset).sum()))
        for dataset in sorted(datasets)
    }
    return {dataset: sum(counts) for dataset, counts in rows.items() if counts.count(0) == 1}


def _drawings(fresh: Path, accepted: Path) -> dict[str, bool]:
    """Return for each kind of drawn file on both sides whether they are the same."""
    found = {}
    for suffix in DRAWING_SUFFIXES:
        new, old = (path.with_name(path.name + suffix) for path in (fresh, accepted))
        if new.is_file() and old.is_file():
            found[suffix] = same_content(new, old)
    return found


def same_content(one: Path, other: Path) -> bool:
    """Return whether two artifacts have the same bytes, apart from line ends."""
    first, second = one.read_bytes(), other.read_bytes()
    if first == second or one.suffix == ".pdf":
        return first == second
    return first.replace(b"\r\n", b"\n") == second.replace(b"\r\n", b"\n")


# The report, as plain text or Markdown.

Cells = Sequence[str]
TableWriter = Callable[[Cells, Sequence[Cells]], list[str]]

_EXPLANATIONS = {
    ArtifactStatus.MISSING: "this run should have made it",
    ArtifactStatus.NEW: "no accepted results yet",
    ArtifactStatus.ABSENT: "its datasets are not available",
    ArtifactStatus.LEFTOVER: "left from an earlier run",
}


def as_text(report: DriftReport, most: int = 50) -> str:
    """Return the report as plain text, with at most so many changes and panels per artifact."""
    return _sections(report, most, _text_table, "")


def as_markdown(report: DriftReport, most: int = 50) -> str:
    """Return the report as Markdown; see :func:`as_text`."""
    return _sections(report, most, _markdown_table, "## ")


def _sections(report: DriftReport, most: int, table: TableWriter, heading: str) -> str:
    lines = [heading + _verdict(report)]
    if report.other_arithmetic:
        lines += ["", "The two sides differ, or may differ, in what they were made with:", ""]
        lines += [f"- {sentence}" for sentence in report.other_arithmetic]
    compared = [a for a in report.artifacts if a.status not in _EXPLANATIONS]
    if compared:
        lines.append("")
        lines += table(
            (
                "artifact",
                "status",
                "compared",
                "tolerated",
                "moved",
                "order of systems",
                "drawings",
            ),
            [_summary(artifact) for artifact in compared],
        )
    for title, noun, header, rows_of in _DETAILS:
        found = {artifact.name: rows_of(artifact) for artifact in report.artifacts}
        rows = [(name, *row) for name, own in found.items() for row in own[:most]]
        if rows:
            lines += ["", f"{heading}{title}", "", *table(("artifact", *header), rows)]
        for name, own in found.items():
            if len(own) > most:
                # Without the blank line Markdown would add this line to the table above.
                lines += ["", f"{name}: {len(own) - most} more {noun} not listed"]
    others = [artifact for artifact in report.artifacts if artifact.status in _EXPLANATIONS]
    if others:
        # Listed last, because after a run of a few artifacts nearly all are here.
        lines += ["", f"{heading}What was not compared", ""]
        lines += table(
            ("artifact", "why"),
            [
                (artifact.name, f"{artifact.status}: {_EXPLANATIONS[artifact.status]}")
                for artifact in others
            ],
        )
    return "\n".join(lines) + "\n"


def _verdict(report: DriftReport) -> str:
    """Say in one line how many artifacts drifted, or how many are the same."""
    total = len(report.artifacts)
    if drifted := sum(artifact.drifted for artifact in report.artifacts):
        return f"Drift: {drifted} of {total} artifacts"
    statuses = Counter(artifact.status for artifact in report.artifacts)
    same, tolerated = statuses[ArtifactStatus.SAME], statuses[ArtifactStatus.TOLERATED]
    parts = [f"{same} of {total} identical"]
    if tolerated:
        parts.append(f"{tolerated} equal within the tolerance for processors")
    if left := total - same - tolerated:
        parts.append(f"{left} not compared")
    return f"Drift: none of {total} artifacts; {', '.join(parts)}"


def _summary(artifact: ArtifactDrift) -> Cells:
    status = str(artifact.status)
    for dataset, rows in artifact.one_sided.items():
        status += f"; {rows} rows of {dataset} on one side only, not compared"
    order = ""
    if artifact.panels:
        changed = len(artifact.orders)
        order = f"{changed} of {artifact.panels} panels changed" if changed else "same"
    redrawn = sorted(suffix.lstrip(".") for suffix, same in artifact.drawings.items() if not same)
    drawings = f"redrawn, {', '.join(redrawn)} differ" if redrawn else "identical"
    return (
        artifact.name,
        status,
        *map(str, (artifact.compared, artifact.tolerated, len(artifact.changes))),
        order,
        drawings if artifact.drawings else "",
    )


def _cells(change: Change) -> Cells:
    return (
        str(change.kind),
        change.row,
        change.column,
        change.accepted,
        change.fresh,
        _number(change.difference, sign="+"),
        _number(change.tolerance),
    )


def _number(value: float, sign: str = "") -> str:
    return "" if math.isnan(value) else f"{value:{sign}.4g}"


_DETAILS: tuple[tuple[str, str, Cells, Callable[[ArtifactDrift], Sequence[Cells]]], ...] = (
    (
        "What moved",
        "changes",
        ("what", "row", "column", "accepted", "fresh", "difference", "tolerance"),
        lambda artifact: [_cells(change) for change in artifact.changes],
    ),
    (
        "Whose values moved",
        "systems",
        ("system", "moved"),
        lambda artifact: [(system, str(cells)) for system, cells in artifact.systems.items()],
    ),
    (
        "Where the order of systems changed",
        "panels",
        ("panel", "systems", "Kendall's tau"),
        lambda artifact: [(o.panel, str(o.systems), _number(o.tau)) for o in artifact.orders],
    ),
)
"""Tables of some rows of each artifact: title, noun of a row, header, and the rows."""


def _text_table(header: Cells, rows: Sequence[Cells]) -> list[str]:
    table = tabulate(rows, headers=header, tablefmt="simple", disable_numparse=True)
    return [line.rstrip() for line in table.splitlines()]


def _markdown_table(header: Cells, rows: Sequence[Cells]) -> list[str]:
    # tabulate does not escape bars, which end a cell.
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return tabulate(cells, headers=header, tablefmt="github", disable_numparse=True).splitlines()


# Accepting the artifacts of a run.

PROVENANCE_SUFFIX = ".json"
SUFFIXES = (DATA_SUFFIX, *DRAWING_SUFFIXES, PROVENANCE_SUFFIX)
PAGE_OF_STUDY = "index.md"


@dataclass(frozen=True)
class Acceptance:
    """The changes from accepting a run's artifacts, as ``study/file`` names in alphabetical order.

    Removed are accepted files whose artifact no longer exists.
    """

    fresh: Path
    accepted: Path
    copied: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return a line for each changed file, with the rows that a CSV gains or loses."""
        lines = []
        for file in self.copied:
            is_new = not (self.accepted / file).is_file()
            rows = "" if is_new or not file.endswith(DATA_SUFFIX) else self._rows(file)
            lines.append(f"{'new    ' if is_new else 'changed'} {file}{rows}")
        return lines + [f"removed {file}" for file in self.removed]

    def carry_out(self) -> None:
        """Replace and remove files after all have been copied, so that a full disk changes none."""
        with ExitStack() as all_files:
            for file in self.copied:
                copy = all_files.enter_context(replacing(self.accepted / file))
                copy.write_bytes((self.fresh / file).read_bytes())
        for file in self.removed:
            (self.accepted / file).unlink()
            study = (self.accepted / file).parent
            if study != self.accepted and not any(study.iterdir()):
                study.rmdir()

    def _rows(self, file: str) -> str:
        before, after = (
            len((folder / file).read_bytes().splitlines()) for folder in (self.accepted, self.fresh)
        )
        more = f", {abs(after - before):,} rows {'more' if after > before else 'fewer'}"
        return more if before != after else ""


def acceptance(
    fresh: Path,
    accepted: Path,
    artifacts: Collection[str],
    pages: Collection[str] = (),
    figures: Collection[str] = ("svg", "pdf"),
) -> Acceptance:
    """Return the changes from copying a run's artifacts into the folder of accepted results.

    ``artifacts`` are all ``study/artifact`` names that the studies list, whether or not their data
    is available, and the names of results that belong to no study. If the run did not make one of
    them, its accepted files stay. Accepted files of other artifacts are removed, and their
    leftovers in the fresh folder are not copied. ``pages`` are the names of Markdown pages that
    belong to no study and have no CSV. ``figures`` are the formats of studies' figures; a run may
    have made others, for the paper or because somebody asked for them.

    Files of provenance (``.json``) belong to an artifact or to a whole study. Those of a study, and
    its page, are kept as long as it lists any artifact.
    """
    listed = set(artifacts)
    studies = {name.split("/")[0] for name in listed}

    def belongs(file: str) -> bool:
        name, study = str(Path(file).with_suffix("")), file.split("/")[0]
        if "/" in file and Path(file).suffix[1:] in {"svg", "pdf"}.difference(figures):
            return False
        of_study = file.endswith((PROVENANCE_SUFFIX, f"/{PAGE_OF_STUDY}"))
        is_page = name in pages and file.endswith(".md")
        return name in listed or is_page or (of_study and study in studies)

    found = [file for file in _files(fresh) if belongs(file)]
    for file in found:
        data = str(Path(file).with_suffix(DATA_SUFFIX))
        is_page = Path(file).name == PAGE_OF_STUDY or Path(file).stem in pages
        if file.endswith(DRAWING_SUFFIXES) and not is_page and data not in found:
            raise ValueError(
                f"{fresh / file} has no {Path(data).name} beside it. Let the run finish before "
                "accepting its results."
            )
    unchanged = tuple(
        file
        for file in found
        if (accepted / file).is_file() and same_content(accepted / file, fresh / file)
    )
    copied = tuple(file for file in found if file not in unchanged)
    removed = tuple(file for file in _files(accepted) if not belongs(file))
    return Acceptance(fresh, accepted, copied, unchanged, removed)


def _files(folder: Path) -> list[str]:
    """Return the sorted ``study/file`` names of files in a folder that can be accepted."""
    return sorted(
        path.relative_to(folder).as_posix()
        for pattern in ("*.*", "*/*")
        for path in folder.glob(pattern)
        if path.suffix in SUFFIXES and not path.name.startswith(".")
    )
