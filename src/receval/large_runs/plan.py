# SPDX-License-Identifier: MIT
"""The plan of an evaluation in blocks of users: what is read, how, and in which blocks."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.columns import FoundColumns, refuse_lists_in_cells
from receval.data.notes_on_ratings import doubts_on_scales
from receval.data.parquet_by_user import (
    SORTING,
    Catalogue,
    ParquetByUser,
    TypedIdentifier,
)
from receval.data.ratings_table import Repeats
from receval.data.reading import ReadingReport, TableError, loaded_report, saved_report
from receval.data.relevance import RelevanceRule
from receval.data.run import read_run
from receval.data.shared_identifiers import (
    CLOSER,
    IdentifierCounts,
    Meeting,
    closeness,
    doubts_on,
    order_by_number,
)
from receval.evaluation.identifiers import (
    MOST_SOUGHT,
    TrainedPairs,
    exchanged_training_notes,
    exchanged_values_notes,
)
from receval.evaluation.measuring import ChosenUsers, Measuring
from receval.evaluation.runs import Depth, OrderOfTies, depth_of, with_ties
from receval.large_runs.processes import in_processes
from receval.large_runs.reading import (
    HEAD,
    TableInBlocks,
    ValueCounts,
    doubts_on_files,
    merged_rows,
    opened_ratings,
    opened_run,
    told_of,
    with_values,
)
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists, view_of
from receval.metrics.metric import Metric
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments
from receval.storage.files import refusing_damage, replacing, write_atomically
from receval.storage.messages import enumerated, quoted
from receval.storage.saved_folders import receval_version

PLAN = "plan.json"
ITEMS = "items.parquet"
USERS, SUMS = "users", "sums"
"""The folders of the values of users, and of their sums, with a file for each block."""

ROWS_PER_BLOCK = 4_000_000
"""Rows of the largest table in a block, by default; each takes some 100 bytes of memory."""

MOST_READ = 3
"""A table is refused if its row groups would be read more than so many times."""

_MOST_IN_RANGE = 1 << 20


@dataclass(frozen=True)
class PlannedTable:
    """A table of a plan: where it is, its columns and the sizes of its files.

    ``sign``, ``is_run`` and ``as_written`` are those of
    :class:`receval.data.parquet_by_user.ParquetByUser`, and ``duplicates`` and ``may_be_ranks``
    those of :class:`receval.large_runs.reading.TableInBlocks`. ``lowest`` is the lowest user,
    ``saved`` the report of reading, as far as the plan knows it, and ``has_parts`` tells whether a
    row group is read in parts.
    """

    name: str
    source: str
    columns: Mapping[str, str]
    sign: int
    sizes: tuple[int, ...]
    rows: int
    lowest: TypedIdentifier
    saved: Mapping[str, Any]
    duplicates: Repeats = "refuse"
    is_run: bool = False
    as_written: bool = False
    may_be_ranks: bool = False
    has_parts: bool = False

    @classmethod
    def of(cls, name: str, table: TableInBlocks, reading: ReadingReport) -> PlannedTable:
        """Return a table with the present sizes of its files, and a report."""
        rows = table.rows
        return cls(
            name,
            rows.source,
            rows.columns,
            rows.sign,
            tuple(path.stat().st_size for path in rows.files),
            rows.n_rows,
            min(group.lowest for group in rows.groups),
            saved_report(replace(reading, given={}, types={})),
            table.duplicates,
            rows.is_run,
            rows.as_written,
            table.may_be_ranks,
            any(group.skipped is not None for group in rows.groups),
        )

    @property
    def reading(self) -> ReadingReport:
        """The report of reading, as far as the plan knows it."""
        return loaded_report(self.saved)

    def opened(self) -> ParquetByUser:
        """Return the table for reading; refuse it if its files have changed."""
        table = ParquetByUser(
            self.source, dict(self.columns), self.sign, self.is_run, self.as_written
        )
        if tuple(path.stat().st_size for path in table.files) != self.sizes:
            raise TableError(
                f"{self.source} has other files than when the plan was made. Restore them, or make "
                "a new plan in another folder."
            )
        return table


@dataclass(frozen=True)
class BlockPlan:
    """What is evaluated, and how users are divided into blocks.

    ``boundaries`` has the first user of each block but the first. ``lowest`` and ``highest`` are
    of the test ratings, and ``depths`` has the length at which the lists of each run were cut.
    ``trained`` has the numbers of training ratings that are relevant, and of all that are compared
    with the test ratings; with ``is_usual``, all ratings may be relevant. ``maximum_rating`` is the
    highest of all, or None if it is of a test pair that may be left out. ``noted`` has the codes
    and texts of notes on several tables, and ``sought`` users and items of test pairs that are
    looked up in the runs, also exchanged.
    """

    test: PlannedTable
    train: PlannedTable | None
    runs: tuple[PlannedTable, ...]
    protocols: tuple[str, ...]
    metrics: tuple[str, ...]
    threshold: float
    lowest: float
    highest: float
    are_grades: bool
    trained: tuple[int, int]
    is_usual: bool
    maximum_rating: float | None
    noted: tuple[tuple[str, str], ...]
    sought: tuple[list[TypedIdentifier], list[TypedIdentifier]]
    users: ChosenUsers
    depth: Depth
    depths: tuple[int | None, ...]
    ties: OrderOfTies
    trained_pairs: TrainedPairs
    seed: int
    boundaries: tuple[TypedIdentifier, ...]

    @property
    def n_blocks(self) -> int:
        """The number of blocks."""
        return len(self.boundaries) + 1

    @property
    def tables(self) -> dict[str, PlannedTable]:
        """The tables by name: ``test``, ``train`` and ``run NAME``."""
        own = [self.test, *([self.train] if self.train else [])]
        return {one.name: one for one in own} | {f"run {one.name}": one for one in self.runs}

    def bounds(self, block: int) -> tuple[TypedIdentifier | None, TypedIdentifier | None]:
        """Return the first user of a block, and that of the next one; None is without a bound."""
        ends = [None, *self.boundaries, None]
        return ends[block], ends[block + 1]

    def blocks_of(self, shard: int, shards: int) -> range:
        """Return the consecutive blocks of a shard, counted from 1.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> plan = SimpleNamespace(n_blocks=7)
        >>> [list(BlockPlan.blocks_of(plan, shard, 3)) for shard in (1, 2, 3)]
        [[0, 1], [2, 3], [4, 5, 6]]
        """
        if not 1 <= shard <= shards:
            raise ValueError(f"The shard is {shard}; it must be between 1 and {shards}.")
        return range((shard - 1) * self.n_blocks // shards, shard * self.n_blocks // shards)

    def measuring(self, words: str = "") -> Measuring:
        """Return the metrics and protocols, with a sentence on the relevance of test ratings."""
        found = Measuring.of(
            np.array([self.lowest, self.highest], dtype=np.float32),
            lambda _: RelevanceRule(self.threshold, words),
            protocols=self.protocols,
            metrics=self.metrics,
            relevant=self.threshold,
            users=self.users,
            are_grades=self.are_grades,
        )
        ordered = {name: with_ties(one, self.ties) for name, one in found.protocols.items()}
        return Measuring(**{**vars(found), "protocols": ordered})

    def as_text(self) -> str:
        """Return the plan as JSON."""
        return json.dumps({"receval": receval_version(), **asdict(self)}, indent=1) + "\n"


@dataclass(frozen=True)
class PlanFolder:
    """The folder of an evaluation in blocks: its plan, its items, and what blocks gave."""

    path: Path

    @cached_property
    def plan(self) -> BlockPlan:
        """The plan. A missing, damaged or differently versioned plan raises a ValueError."""
        path = self.path / PLAN
        if not path.is_file():
            raise ValueError(
                f"{quoted(str(self.path), 150)} has no {PLAN}. Name a folder in which an "
                "evaluation in blocks was planned."
            )
        with refusing_damage(path):
            found = json.loads(path.read_text(encoding="utf-8"))
            version = found.pop("receval")
            tables = {name: found.pop(name) for name in ("test", "train", "runs")}
            plain: dict[str, Any] = {
                name: tuple(own) if isinstance(own, list) else own for name, own in found.items()
            }
            plan = BlockPlan(
                test=_table(tables["test"]),
                train=None if tables["train"] is None else _table(tables["train"]),
                runs=tuple(map(_table, tables["runs"])),
                **plain,
            )
        if version != receval_version():
            raise ValueError(
                f"{path} was written by receval {version}, but this is receval "
                f"{receval_version()}. Install receval {version}, or plan in another folder."
            )
        return plan

    @cached_property
    def catalogue(self) -> Catalogue:
        """All items."""
        with refusing_damage(self.path / ITEMS):
            ids = pq.read_table(self.path / ITEMS).column("item").to_numpy()
        return Catalogue(ids if ids.dtype.kind == "i" else ids.astype(str))

    def files(self, block: int) -> tuple[Path, Path]:
        """Return the file with the values of users of a block, and that with its sums."""
        name = f"{block:06}"
        return self.path / USERS / f"{name}.parquet", self.path / SUMS / f"{name}.json"

    def is_made(self, block: int) -> bool:
        """Tell whether a block has been measured: its sums are written last."""
        return self.files(block)[1].is_file()

    def write(self, plan: BlockPlan, items: NDArray[Any]) -> None:
        """Write a plan. The same may be there; another plan, or other files, raise a ValueError."""
        path = self.path / PLAN
        if path.is_file():
            with refusing_damage(path):
                earlier = dict(json.loads(path.read_text(encoding="utf-8")))
            own = json.loads(plan.as_text())
            others = [name for name in own if earlier.get(name) != own[name]]
            if others:
                raise ValueError(
                    f"{quoted(str(self.path), 150)} has the blocks of another evaluation, with "
                    f"other values of {enumerated(others)}. Name another folder, or delete it."
                )
            return
        if self.path.is_dir() and any(self.path.iterdir()):
            raise ValueError(
                f"{quoted(str(self.path), 150)} has files, but no {PLAN}. Name an empty folder."
            )
        with replacing(self.path / ITEMS) as unfinished:
            pq.write_table(pa.table({"item": items}), unfinished)
        write_atomically(path, plan.as_text())


def _table(saved: dict[str, Any]) -> PlannedTable:
    return PlannedTable(**{**saved, "sizes": tuple(saved["sizes"])})


def make_plan(
    folder: Path,
    test: str,
    runs: Mapping[str, str],
    *,
    train: str | None,
    test_columns: Mapping[str, Any],
    train_columns: Mapping[str, Any],
    run_columns: Mapping[str, Any],
    protocols: Sequence[str],
    metrics: Sequence[str],
    relevant: float | Literal["auto"],
    users: ChosenUsers,
    depth: Depth,
    ties: OrderOfTies,
    trained_pairs: TrainedPairs,
    seed: int,
    rows: int,
    jobs: int,
) -> PlanFolder:
    """Read items and the different test ratings, divide users into blocks, and write a plan."""
    judged = opened_ratings(test, test_columns, is_test=True)
    tables = {"test": judged}
    if train is not None:
        tables["train"] = opened_ratings(train, train_columns, is_test=False)
    of_ratings = tuple(tables)
    tables |= {f"run {name}": opened_run(source, run_columns) for name, source in runs.items()}
    read = {name: own.rows for name, own in tables.items()}
    _check_kinds(read)
    scanned = _scanned({name: tables[name] for name in of_ratings}, jobs)
    known = np.unique(np.concatenate([own.items for own in scanned.values()]))
    for name, found_items in scanned.items():
        some = found_items.items[:: 1 + len(found_items.items) // HEAD].astype(str)
        table = read[name]
        columns = FoundColumns(table.source, 1, "row", {}, are_as_written=table.as_written)
        refuse_lists_in_cells(columns, np.zeros(2, dtype=np.int32), some)
    lists = {}
    for name, source in runs.items():
        with told_of(source):
            # Other options have been followed when the columns were found.
            first = _first_lists(read[f"run {name}"])
            lists[name] = read_run(first, user="user", item="item", identifiers="as-written")
    listed = {name: own.items(own.groups[:1]) for name, own in read.items() if own.is_run}

    def depths(n_items: int) -> tuple[int | None, ...]:
        return tuple(depth_of(own, depth, n_items, judged.are_grades) for own in lists.values())

    # Only the order of all items matters, so that the numbers of a range do as well as the items
    # themselves, which need a reading of all lists.
    items = None if ties == "random" else _range_of_items(read.values())
    if (
        items is None
        or depths(len(np.unique(np.concatenate([known, *listed.values()])))) != depths(len(items))
        or not all(np.isin(own, known).any() for own in listed.values())
    ):
        in_runs = _scanned({name: own for name, own in tables.items() if own.rows.is_run}, jobs)
        listed = {name: own.items for name, own in in_runs.items()}
        items = np.unique(np.concatenate([known, *listed.values()]))
    # Refused now rather than after all has been measured; notes are made of all items then.
    where = "test data" if train is None else "test or training data"
    for name in runs:
        own = listed[f"run {name}"].astype(str)
        is_said = any(read[other].as_written for other in (*of_ratings, f"run {name}"))
        doubts_on(Meeting("item", f"run {quoted(name)}", where, own, known.astype(str), is_said))
    counted = {
        name: scanned[name].joined
        if tables[name].duplicates == "refuse"
        else _merged_values(tables[name], known, rows)
        for name in of_ratings
    }
    different = counted["test"].values
    at_hand = [counted["train"]] if train is not None and not judged.are_grades else []
    rule = RelevanceRule.of(
        different,
        relevant,
        at_hand=[own.values for own in at_hand],
        are_grades=judged.are_grades,
        are_counts=judged.are_counts,
    )
    noted = []
    if at_hand and not judged.are_counts:
        scales = [(f"the {what}", counted[name].sample()) for name, what in _IN_WORDS.items()]
        noted = doubts_on_scales(*scales)
    if train is not None and _fit_if_exchanged([read["train"], judged.rows], known, jobs):
        noted += exchanged_training_notes()
    for name in runs:
        if (first := tables[f"run {name}"].first) is not None:
            noted += exchanged_values_notes(name, different, first.users, first.scores)
    all_values = np.unique(np.concatenate([different, *(own.values for own in at_hand)]))
    reports = {
        name: with_values(own, counted[name], columns)
        for (name, own), columns in zip(tables.items(), (test_columns, train_columns), strict=False)
        if name in of_ratings
    }
    for name, report in reports.items():
        notes = (*report.notes, *doubts_on_files(scanned[name].by_file))
        reports[name] = replace(report, notes=notes)
    largest = max(read.values(), key=lambda own: own.n_rows)
    boundaries = largest.boundaries(rows)
    planned = {
        name: PlannedTable.of(name.removeprefix("run "), own, reports.get(name, own.reading))
        for name, own in tables.items()
    }
    plan = BlockPlan(
        test=planned["test"],
        train=planned.get("train"),
        runs=tuple(planned[f"run {name}"] for name in runs),
        protocols=tuple(protocols),
        metrics=tuple(metrics),
        threshold=rule.threshold,
        lowest=float(different.min()),
        highest=float(different.max()),
        are_grades=judged.are_grades,
        trained=(
            sum(int(own.counts[own.values >= rule.threshold].sum()) for own in at_hand),
            sum(int(own.counts.sum()) for own in at_hand),
        ),
        is_usual=judged.are_grades or judged.are_counts or len(all_values) == 1,
        maximum_rating=_maximum_rating(counted, trained_pairs),
        noted=tuple((note.code, str(note)) for note in noted),
        sought=_first_pairs(judged.rows),
        users=users,
        depth=depth,
        depths=depths(len(items)),
        ties="trec" if ties == "auto" else ties,
        trained_pairs=trained_pairs,
        seed=seed,
        boundaries=tuple(boundaries),
    )
    _refuse_what_needs_all(plan.measuring(), plan.maximum_rating)
    for table in read.values():
        _refuse_disorder(table, plan)
    found = PlanFolder(folder)
    found.write(plan, items)
    return found


def _check_kinds(tables: Mapping[str, ParquetByUser]) -> None:
    """Refuse identifiers that are whole numbers in one table and texts in another."""
    for what in ("user", "item"):
        kinds = {
            name: own.kind if what == "user" else own.kind_of_items for name, own in tables.items()
        }
        for name, kind in kinds.items():
            if kind != kinds["test"]:
                words = {"integer": "whole numbers", "text": "texts"}
                raise TableError(
                    f"{what.capitalize()}s are {words[kinds['test']]} in the test data, but "
                    f"{words[kind]} in the {name}. Convert the column of one of them, so that both "
                    "are in the same order."
                )


_IN_WORDS = {"test": "test data", "train": "training data"}


@dataclass(frozen=True)
class _Scanned:
    """The different items of a table, and those of its ratings in each file."""

    items: NDArray[Any]
    by_file: Mapping[str, ValueCounts]

    @property
    def joined(self) -> ValueCounts:
        """The different ratings of all files."""
        return ValueCounts.joined([(own.values, own.counts) for own in self.by_file.values()])


def _range_of_items(tables: Collection[ParquetByUser]) -> NDArray[np.int64] | None:
    """Return all numbers from the lowest to the highest item, if known and not too many."""
    ranges = [own for table in tables if (own := table.range_of_items) is not None]
    if len(ranges) < len(tables):
        return None
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    most = min(_MOST_IN_RANGE, sum(table.n_rows for table in tables))
    return np.arange(low, high + 1) if high - low < most else None


def _scanned(tables: Mapping[str, TableInBlocks], jobs: int) -> dict[str, _Scanned]:
    parts = [
        (name, numbers)
        for name, own in tables.items()
        for numbers in np.array_split(
            np.arange(len(own.rows.groups)), min(jobs, len(own.rows.groups))
        )
    ]
    done = in_processes([partial(_scan, tables[name].rows, own) for name, own in parts], jobs)
    found = {}
    for name, table in tables.items():
        of = [own for (named, _), own in zip(parts, done, strict=True) if named == name]
        by_file: dict[str, list[tuple[NDArray[np.float32], NDArray[np.int64]]]] = {}
        for group, values in zip(table.rows.groups, chain(*(own for _, own in of)), strict=False):
            by_file.setdefault(str(group.path), []).append(values)
        items = np.unique(np.concatenate([own for own, _ in of]))
        counted = {path: ValueCounts.joined(own) for path, own in by_file.items()}
        found[name] = _Scanned(items, counted)
    return found


def _scan(
    table: ParquetByUser, numbers: NDArray[np.int64]
) -> tuple[NDArray[Any], list[tuple[NDArray[np.float32], NDArray[np.int64]]]]:
    """Return what some row groups of a table have; the scores of runs are not needed."""
    groups = [table.groups[number] for number in numbers]
    values = [] if table.is_run else [table.different_values(group) for group in groups]
    return table.items(groups), values


def _merged_values(table: TableInBlocks, known: NDArray[Any], rows: int) -> ValueCounts:
    """Return the ratings of a table after pairs that are rated again have been merged."""
    catalogue = Catalogue(known)
    ends = [None, *table.rows.boundaries(rows), None]
    parts = []
    for low, high in pairwise(ends):
        found = merged_rows(table.rows.rows(low, high, catalogue), table.duplicates)
        parts.append(np.unique(found.values, return_counts=True))
    return ValueCounts.joined(parts)


_MOST_SOUGHT = 20_000


def _first_pairs(table: ParquetByUser) -> tuple[list[TypedIdentifier], list[TypedIdentifier]]:
    """Return users and items of the first rows, of up to so many users as are looked up."""
    names = [table.columns[role] for role in ("user", "item")]
    rows = table.first_rows(names, _MOST_SOUGHT)
    users, items = (own.to_pylist() for own in rows.columns)
    known = set(list(dict.fromkeys(users))[:MOST_SOUGHT])
    pairs = [(user, item) for user, item in zip(users, items, strict=True) if user in known]
    return [user for user, _ in pairs], [item for _, item in pairs]


def _fit_if_exchanged(tables: Sequence[ParquetByUser], known: NDArray[Any], jobs: int) -> bool:
    """Tell whether two tables fit better if users and items are exchanged in one of them.

    Users that are none of the known items count as one: they can only make the tables closer as
    they are given.
    """
    if any(own.kind != own.kind_of_items for own in tables):
        return False

    def frequencies(role: str) -> list[NDArray[np.int64]]:
        tasks = [partial(own.frequencies, role, known, own.groups) for own in tables]
        return in_processes(tasks, jobs)

    items = frequencies("item")
    if closeness(*items) > 1 - CLOSER:
        return False
    users = frequencies("user")
    ids = known.astype(str)
    order = np.append(order_by_number(ids) if known.dtype.kind == "U" else np.arange(len(ids)), -1)
    one, other = (IdentifierCounts(users[n][order], items[n][order]) for n in (0, 1))
    return one.are_exchanged(other, are_names=not np.char.isdecimal(ids).all())


def _first_lists(table: ParquetByUser) -> pa.Table:
    """Return the lists of the first row group, but for its last one, which may go on behind it."""
    group = table.groups[0]
    names = [table.columns["user"], table.columns["item"]]
    found = table.first_rows(names, min(group.rows, HEAD * 100)).rename_columns(["user", "item"])
    users = found.column("user").to_pylist()
    last = next((n for n in range(len(users) - 1, 0, -1) if users[n] != users[n - 1]), len(users))
    return (
        found if group.rows == table.n_rows and len(users) == group.rows else found.slice(0, last)
    )


def _maximum_rating(
    counted: Mapping[str, ValueCounts], trained_pairs: TrainedPairs
) -> float | None:
    """Return the highest rating; None if it is that of a test pair that may be dropped."""
    highest = {name: float(own.values[-1]) for name, own in counted.items()}
    is_sure = trained_pairs == "refuse" or highest["test"] <= highest.get("train", np.inf)
    return max(highest.values()) if is_sure else None


def _refuse_what_needs_all(measuring: Measuring, maximum: float | None) -> None:
    """Refuse metrics and protocols that need more than a block and the highest rating."""
    others = [name for name in measuring.metrics if name not in measuring.of_ranks]
    others += [name for name, own in measuring.of_ranks.items() if not _is_of_blocks(own, 2.0)]
    if maximum is None:
        of_highest = [name for name, own in measuring.of_ranks.items() if not _is_of_blocks(own)]
        if of_highest and not others:
            raise ValueError(
                f"{enumerated(of_highest)} cannot be computed in blocks of users here, because "
                "the highest rating is that of a test pair which may be dropped as a training "
                "pair. Remove these pairs from the test data, and set trained_pairs='refuse' (in a "
                "command: --trained-pairs refuse)."
            )
    if others:
        raise ValueError(
            f"{enumerated(others)} cannot be computed in blocks of users, because it needs the "
            "lists or the ratings of all users at once. Evaluate a sample of users with "
            "evaluate_runs (in a command: without --in-blocks)."
        )
    for name, protocol in measuring.protocols.items():
        is_sampled = protocol.sampled is not None or protocol.percentiles is not None
        if protocol.candidates != "AI" or is_sampled:
            raise ValueError(
                f"{name} cannot be evaluated in blocks of users, because its candidates depend on "
                "the ratings of all users or on scores of items that are not in lists. Choose AR "
                "AI-AN or 1R AI-AN, or evaluate a sample of users with evaluate_runs."
            )


def _is_of_blocks(metric: Metric, maximum: float | None = None) -> bool:
    """Tell whether a list, and the highest rating if it is known, give a metric's own value."""
    one = Judgments.from_pairs([0], [0], [1.0], n_users=1)
    ranks = JudgedRanks(*np.ones((3, 1), dtype=np.int32))
    items = JudgedItems.of(one, 1.0, DatasetMetadata(maximum, np.empty(0, dtype=np.int64)))
    lists = JudgedLists.measured_by(items, ranks, Protocol())
    try:
        evaluate([metric], lists)
        return metric.weights(view_of(lists.full, metric.condensed, metric.depth)) is None
    except ValueError:
        return False


def _refuse_disorder(table: ParquetByUser, plan: BlockPlan) -> None:
    """Refuse a table of which each block would read nearly everything."""
    read = sum(
        group.rows
        for block in range(plan.n_blocks)
        for group in table.in_range(*plan.bounds(block))
    )
    if plan.n_blocks > 1 and read > MOST_READ * table.n_rows + 2 * plan.n_blocks * max(
        group.rows for group in table.groups
    ):
        raise TableError(
            f"{table.source} is not in the order of users: its row groups have users from nearly "
            f"all of their range, so it would be read {read / table.n_rows:.0f} times. {SORTING}."
        )
