# SPDX-License-Identifier: MIT
"""The plan of an evaluation in blocks of users: what is read, how, and in which blocks."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.parquet_by_user import (
    SORTING,
    Catalogue,
    ParquetByUser,
    TypedIdentifier,
    files_of,
)
from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import ReadingReport, TableError
from receval.data.relevance import RelevanceRule
from receval.data.run import RunOrder, read_run
from receval.data.shared_identifiers import Meeting, doubts_on
from receval.evaluation.identifiers import TrainedPairs
from receval.evaluation.measuring import ChosenUsers, Measuring
from receval.evaluation.runs import Depth, OrderOfTies, depth_of, with_ties
from receval.large_runs.processes import in_processes
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists, view_of
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

_HEAD = 1000
_MOST_IN_RANGE = 1 << 20


@dataclass(frozen=True)
class PlannedTable:
    """A table of a plan: where it is, its columns and the sizes of its files.

    ``sign`` is that of :class:`receval.data.parquet_by_user.ParquetByUser`.
    """

    name: str
    source: str
    columns: Mapping[str, str]
    sign: int
    sizes: tuple[int, ...]
    rows: int

    @classmethod
    def of(cls, name: str, table: ParquetByUser) -> PlannedTable:
        """Return a table with the present sizes of its files."""
        sizes = tuple(path.stat().st_size for path in table.files)
        return cls(name, table.source, table.columns, table.sign, sizes, table.n_rows)

    def opened(self) -> ParquetByUser:
        """Return the table for reading; refuse it if its files have changed."""
        table = ParquetByUser(self.source, dict(self.columns), self.sign)
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
        """The plan.

        Raises
        ------
        ValueError
            There is none, it is damaged, or another version wrote it.
        """
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
        """Write a plan; the same plan may be there already.

        Raises
        ------
        ValueError
            The folder has another plan, or other files.
        """
        path = self.path / PLAN
        if path.is_file():
            earlier = json.loads(path.read_text(encoding="utf-8"))
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
    with _told_of(test):
        judged = read_test_data(_head(test), **test_columns)
    tables = {"test": _by_user(test, judged.reading)}
    if train is not None:
        with _told_of(train):
            trained = read_ratings(_head(train), **train_columns)
        tables["train"] = _by_user(train, trained.reading)
    order: RunOrder = run_columns.get("order", "score")
    for name, source in runs.items():
        # The first lists show the columns, and at which length lists are cut.
        with _told_of(source):
            head = read_run(_head(source), **run_columns)
        tables[f"run {name}"] = _by_user(source, head.reading, order)
    _check_kinds(tables)
    scanned = _scanned({name: own for name, own in tables.items() if name[:3] != "run"}, jobs)
    known = np.unique(np.concatenate([own.items for own in scanned.values()]))
    lists = {}
    for name, source in runs.items():
        with _told_of(source):
            lists[name] = read_run(_first_lists(tables[f"run {name}"]), user="user", item="item")
    listed = {name: own.items(own.groups[:1]) for name, own in tables.items() if name[:3] == "run"}

    def depths(n_items: int) -> tuple[int | None, ...]:
        return tuple(depth_of(own, depth, n_items, judged.are_grades) for own in lists.values())

    # Only the order of all items matters, so that the numbers of a range do as well as the items
    # themselves, which need a reading of all lists.
    items = None if ties == "random" else _range_of_items(tables.values())
    if (
        items is None
        or depths(len(np.unique(np.concatenate([known, *listed.values()])))) != depths(len(items))
        or not all(np.isin(own, known).any() for own in listed.values())
    ):
        in_runs = _scanned({name: own for name, own in tables.items() if name[:3] == "run"}, jobs)
        listed = {name: own.items for name, own in in_runs.items()}
        items = np.unique(np.concatenate([known, *listed.values()]))
    for name in runs:
        own = listed[f"run {name}"].astype(str)
        doubts_on(Meeting("item", f"run {quoted(name)}", "test data", own, known.astype(str)))
    different = scanned["test"].values
    rule = RelevanceRule.of(
        different,
        relevant,
        at_hand=[scanned["train"].values] if train is not None and not judged.are_grades else [],
        are_grades=judged.are_grades,
        are_counts=judged.are_counts,
    )
    largest = max(tables.values(), key=lambda own: own.n_rows)
    boundaries = largest.boundaries(rows)
    planned = {
        name: PlannedTable.of(name.removeprefix("run "), own) for name, own in tables.items()
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
        users=users,
        depth=depth,
        depths=depths(len(items)),
        ties="trec" if ties == "auto" else ties,
        trained_pairs=trained_pairs,
        seed=seed,
        boundaries=tuple(boundaries),
    )
    _refuse_what_needs_all(plan.measuring())
    for table in tables.values():
        _refuse_disorder(table, plan)
    found = PlanFolder(folder)
    found.write(plan, items)
    return found


@contextmanager
def _told_of(source: str) -> Iterator[None]:
    """Name the file or folder in errors about some of its rows."""
    try:
        yield
    except TableError as error:
        raise TableError(str(error).replace("the table", source)) from None


def _head(source: str) -> pa.Table:
    """Return the first rows of a table, from which its columns are known."""
    for path in files_of(source):
        batch = next(pq.ParquetFile(path).iter_batches(batch_size=_HEAD), None)
        if batch is not None and batch.num_rows:
            return pa.Table.from_batches([batch])
    raise TableError(f"{source} has no rows.")


def _by_user(
    source: str, reading: ReadingReport | None, order: RunOrder | None = None
) -> ParquetByUser:
    """Return a table with the columns that were found in its first rows.

    With an order, it is a run, whose values are scores or ranks.
    """
    assert reading is not None
    columns = {role: own for role, own in reading.columns.items() if role in ("user", "item")}
    value, sign = reading.columns.get("rating"), 1
    if order is not None:
        value = reading.columns.get("score") if order == "score" else None
        if value is None:
            value, sign = reading.columns.get("rank"), -1
    return ParquetByUser(source, columns | ({"value": value} if value is not None else {}), sign)


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


@dataclass(frozen=True)
class _Scanned:
    """The different items and values of a table."""

    items: NDArray[Any]
    values: NDArray[np.float32]


def _range_of_items(tables: Collection[ParquetByUser]) -> NDArray[np.int64] | None:
    """Return all numbers from the lowest to the highest item, if known and not too many."""
    ranges = [own for table in tables if (own := table.range_of_items) is not None]
    if len(ranges) < len(tables):
        return None
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    most = min(_MOST_IN_RANGE, sum(table.n_rows for table in tables))
    return np.arange(low, high + 1) if high - low < most else None


def _scanned(tables: Mapping[str, ParquetByUser], jobs: int) -> dict[str, _Scanned]:
    parts = [
        (name, numbers)
        for name, own in tables.items()
        for numbers in np.array_split(np.arange(len(own.groups)), min(jobs, len(own.groups)))
    ]
    tasks = [partial(_scan, tables[name], own, name in ("test", "train")) for name, own in parts]
    done = in_processes(tasks, jobs)
    return {
        name: _Scanned(
            *(
                np.unique(np.concatenate([getattr(own, part) for own in of]))
                for part in ("items", "values")
            )
        )
        for name in tables
        if (of := [own for (named, _), own in zip(parts, done, strict=True) if named == name])
    }


def _scan(table: ParquetByUser, numbers: NDArray[np.int64], with_values: bool) -> _Scanned:
    """Return what some row groups of a table have; the scores of runs are not needed."""
    groups = [table.groups[number] for number in numbers]
    items = table.items(groups)
    values = [table.different_values(group) for group in groups if with_values]
    return _Scanned(items, np.unique(np.concatenate(values)) if values else np.empty(0, np.float32))


def _first_lists(table: ParquetByUser) -> pa.Table:
    """Return the lists of the first row group, but for its last one, which may go on behind it."""
    group = table.groups[0]
    names = [table.columns["user"], table.columns["item"]]
    rows = pq.ParquetFile(group.path).read_row_group(group.number, columns=names)
    found = rows.rename_columns(["user", "item"]).slice(0, _HEAD * 100)
    users = found.column("user").to_pylist()
    last = next((n for n in range(len(users) - 1, 0, -1) if users[n] != users[n - 1]), len(users))
    return (
        found if group.rows == table.n_rows and len(users) == group.rows else found.slice(0, last)
    )


def _refuse_what_needs_all(measuring: Measuring) -> None:
    """Refuse metrics and protocols that need more than the users of a block."""
    others = [name for name in measuring.metrics if name not in measuring.of_ranks]
    one = Judgments.from_pairs([0], [0], [1.0], n_users=1)
    ranks = JudgedRanks(*np.ones((3, 1), dtype=np.int32))
    lists = JudgedLists.of(one, ranks, threshold=1.0, protocol=Protocol())
    for name, own in measuring.of_ranks.items():
        try:
            is_weighted = own.weights(view_of(lists.full, own.condensed, own.depth)) is not None
            evaluate([own], lists)
        except ValueError:
            is_weighted = True
        if is_weighted:
            others.append(name)
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
