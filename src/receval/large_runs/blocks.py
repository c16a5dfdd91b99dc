# SPDX-License-Identifier: MIT
"""Measure the users of one block, and write their values and exact sums."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.data.parquet_by_user import ParquetByUser, RowsOfUsers
from receval.data.reading import TableError
from receval.data.run import LONG_LIST, n_disagreeing, rising_lists
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.measurements import Measurements
from receval.evaluation.measuring import Measuring
from receval.evaluation.runs import RankedRun
from receval.evaluation.summed_values import SumsOverUsers
from receval.large_runs.plan import BlockPlan, PlanFolder
from receval.large_runs.reading import FoundInBlocks, are_among, merged_rows, n_listed
from receval.metrics.lists import DatasetMetadata, JudgedItems
from receval.protocols.evaluation import tie_priority
from receval.protocols.listed_ranks import RankedLists, RepeatedItemError
from receval.seeds import GeneratorFor, generator
from receval.splits.split import Fold, Judgments
from receval.storage.files import refusing_damage, replacing, write_atomically
from receval.storage.kernel_cache import njit
from receval.storage.messages import shortened


@dataclass(frozen=True)
class BlockRecord:
    """What is known of a block besides the values of its users.

    ``counts`` has numbers by name: rows and users of each table, tested users, judged and relevant
    pairs, dropped pairs; of each table rows that were merged, and users that the test data have,
    too; and for each run tested users without a list, users not tested, items without a score, and
    users for whom ranks and scores disagree, and longer lists with the number of those whose
    scores rise. ``seen`` has by table what its rows have.
    """

    sums: Mapping[str, SumsOverUsers]
    counts: Mapping[str, int]
    seen: Mapping[str, FoundInBlocks]

    def __add__(self, other: BlockRecord) -> BlockRecord:
        return BlockRecord(
            {name: own + other.sums[name] for name, own in self.sums.items()},
            {name: own + other.counts[name] for name, own in self.counts.items()},
            {name: own + other.seen[name] for name, own in self.seen.items()},
        )


class Blocks:
    """Measures blocks of a plan, one after the other; files are read once from block to block."""

    def __init__(self, folder: PlanFolder) -> None:
        self._folder = folder
        self._plan: BlockPlan = folder.plan
        self._tables: dict[str, ParquetByUser] = {
            name: own.opened() for name, own in self._plan.tables.items()
        }
        self._measuring: Measuring = self._plan.measuring()

    def make(self, block: int) -> None:
        """Measure a block and write its files."""
        catalogue = self._folder.catalogue
        low, high = self._plan.bounds(block)
        rows = {
            name: own.rows(low, high, catalogue, only_order=own.is_run)
            for name, own in self._tables.items()
        }
        tested_users = rows["test"].users
        counts, seen = {}, {}
        for name, own in rows.items():
            counts[f"rows of {name}"] = len(own.items)
            counts[f"users of {name}"] = len(own.users)
            is_common = are_among(own.users, tested_users)
            counts[f"common users of {name}"] = int(is_common.sum())
            seen[name] = FoundInBlocks.of(
                own, tested_users, is_common, len(catalogue), self._plan.n_blocks
            )
            if not self._tables[name].is_run:
                rows[name] = self._merged(name, own)
                counts[f"merged rows of {name}"] = len(own.items) - len(rows[name].items)
        test, train = rows["test"], rows.get("train")
        users = test.users if train is None else np.union1d(test.users, train.users)
        tested = _matrix(test, users, len(catalogue))
        trained = (
            csr_array((len(users), len(catalogue)), dtype=np.float32)
            if train is None
            else _matrix(train, users, len(catalogue))
        )
        tested, counts["dropped pairs"] = self._without_trained(tested, trained, users)
        judgments = Judgments(
            tested.indptr.astype(np.int64), tested.indices.astype(np.int32), tested.data
        )
        fold = Fold(trained, judgments)
        metadata = DatasetMetadata(self._plan.maximum_rating, np.empty(0, dtype=np.int64))
        items = JudgedItems.of(judgments, self._plan.threshold, metadata)
        counts["judged pairs"] = len(judgments)
        counts["relevant pairs"] = int(items.relevant.sum())
        measurements = Measurements(
            self._measuring,
            [run.name for run in self._plan.runs],
            users,
            may_be_empty=True,
        )
        generator_for = partial(generator, self._plan.seed, "runs")
        for run, depth in zip(self._plan.runs, self._plan.depths, strict=True):
            name = f"run {run.name}"
            counts[f"disagreeing users of {run.name}"] = _disagreeing(rows[name], run.sign)
            counts[f"other lists of {run.name}"] = int(
                run.may_be_ranks and not _are_places(rows[name])
            )
            rising = _rising(rows[name], run.sign)
            counts[f"rising lists of {run.name}"], counts[f"long lists of {run.name}"] = rising
            pairs = [np.array(own) for own in self._plan.sought]
            ids = self._folder.catalogue.ids
            counts[f"sought pairs of {run.name}"] = n_listed(rows[name], ids, *pairs)
            counts[f"exchanged pairs of {run.name}"] = n_listed(rows[name], ids, *pairs[::-1])
            listed, strangers, unscored = self._listed(name, rows[name], users, fold, generator_for)
            ranked = RankedRun(run.name, listed, fold, depth)
            counts[f"users of {run.name} without tests"] = strangers
            counts[f"items of {run.name} without scores"] = unscored
            counts[f"tested users without {run.name}"] = ranked.n_missing
            for protocol_name, protocol in self._measuring.protocols.items():
                try:
                    ranks = ranked.ranks(protocol, generator_for)
                except RepeatedItemError:
                    self._refuse_repeats(name, rows[name])
                    raise
                ranked.check(protocol_name, ranks, self._measuring.of_ranks.values())
                measurements.add(run.name, protocol_name, items, ranks)
        counts["tested users"] = measurements.n_tested
        self._write(block, measurements.values(), users, counts, seen)

    def _merged(self, name: str, rows: RowsOfUsers) -> RowsOfUsers:
        """Return ratings of which pairs that are rated again are merged, or refuse these."""
        duplicates = self._plan.tables[name].duplicates
        if duplicates == "refuse":
            self._refuse_repeats(name, rows)
        elif _first_repeat(rows.starts, rows.items, len(self._folder.catalogue)) >= 0:
            return merged_rows(rows, duplicates)
        return rows

    def _refuse_repeats(self, name: str, rows: RowsOfUsers) -> None:
        place = _first_repeat(rows.starts, rows.items, len(self._folder.catalogue))
        if place < 0:
            return
        user = rows.users[np.searchsorted(rows.starts, place, side="right") - 1]
        item = self._folder.catalogue.ids[rows.items[place]]
        table = self._tables[name]
        earlier, later = table.rows_of_pair(user.item(), item.item())[:2]
        remedy = (
            "Remove one of the rows."
            if table.is_run
            else "Choose how to merge such rows: duplicates='first', 'last', 'sum', 'mean' or "
            "'max' (in a command: --duplicates first)."
        )
        raise TableError(
            f"{later} has the same pair as {earlier}: item {shortened(str(item))} is twice there "
            f"for user {shortened(str(user))}. {remedy}"
        )

    def _listed(
        self,
        name: str,
        rows: RowsOfUsers,
        users: NDArray[Any],
        fold: Fold,
        generator_for: GeneratorFor,
    ) -> tuple[RankedLists, int, int]:
        """Return lists in the codes of a block, and how many users and scores are left out.

        Items that a user has twice are found when the lists are ranked, unless users are left out.
        """
        places = np.minimum(_places(users, rows.users), max(0, len(users) - 1))
        known = users[places] == rows.users if len(users) else np.zeros(len(rows.users), dtype=bool)
        lengths = np.diff(rows.starts)
        counts = np.zeros(len(users), dtype=np.int64)
        if rows.descend and known.all():
            counts[places] = lengths
            return RankedLists(np.concatenate([[0], np.cumsum(counts)]), rows.items), 0, 0
        self._refuse_repeats(name, rows)
        scores = -np.arange(float(len(rows.items))) if rows.descend else rows.values
        unscored = np.isnan(scores)
        stays = np.repeat(known, lengths) & ~unscored
        owners = np.repeat(places, lengths)[stays]
        items, scores = rows.items[stays], scores[stays]
        if self._plan.ties == "listed":
            order = np.lexsort((-scores, owners))
        else:
            # All protocols have the same order of equal scores.
            protocol = next(iter(self._measuring.protocols.values()))
            priority = tie_priority(protocol, fold, generator_for)[self._folder.catalogue.priority]
            order = np.lexsort((priority[items], -scores, owners))
        counts += np.bincount(owners, minlength=len(users))
        listed = RankedLists(np.concatenate([[0], np.cumsum(counts)]), items[order])
        return listed, int((~known).sum()), int(unscored.sum())

    def _without_trained(
        self, tested: csr_array, trained: csr_array, users: NDArray[Any]
    ) -> tuple[csr_array, int]:
        """Return test data without pairs that are also in the training data, or refuse them."""
        if not trained.nnz:
            return tested, 0
        n_items = tested.shape[1]
        own, known = (
            np.repeat(np.arange(len(users)), np.diff(one.indptr)) * n_items + one.indices
            for one in (tested, trained)
        )
        trains = np.isin(own, known)
        if not trains.any():
            return tested, 0
        if self._plan.trained_pairs == "refuse":
            user, item = divmod(int(own[np.flatnonzero(trains)[0]]), n_items)
            raise ValueError(
                "Some test pairs are also in the training data, for example user "
                f"{shortened(str(users[user]))} with item "
                f"{shortened(str(self._folder.catalogue.ids[item]))}. A user's training items "
                "are not candidates, so they could never be found. Remove these pairs from the "
                "training data, or leave them out of the test with trained_pairs='drop' (in a "
                "command: --trained-pairs drop)."
            )
        kept = ~trains
        ends = np.concatenate([[0], np.cumsum(kept)])[tested.indptr]
        parts = (tested.data[kept], tested.indices[kept], ends)
        return csr_array(parts, shape=tested.shape), int(trains.sum())

    def _write(
        self,
        block: int,
        values: Mapping[str, ValuesByUser],
        users: NDArray[Any],
        counts: Mapping[str, int],
        seen: Mapping[str, FoundInBlocks],
    ) -> None:
        of_users, of_sums = self._folder.files(block)
        with replacing(of_users) as unfinished:
            # Values repeat too little to look for equal ones.
            table = self._values_of_users(values, users)
            pq.write_table(
                table, unfinished, use_dictionary=["protocol", "system"], write_statistics=["user"]
            )
        content = {
            "sums": {name: SumsOverUsers.of(own).as_dict() for name, own in values.items()},
            "counts": counts,
            "seen": {name: own.as_dict() for name, own in seen.items()},
        }
        write_atomically(of_sums, json.dumps(content) + "\n")

    def _values_of_users(self, values: Mapping[str, ValuesByUser], users: NDArray[Any]) -> pa.Table:
        """Return the table of :meth:`.EvaluationResult.per_user` for a block."""
        systems = [run.name for run in self._plan.runs]
        protocols = list(self._measuring.protocols)
        parts = []
        for number, own in enumerate(values.values()):
            per_user = own.per_user
            for place in range(len(systems)):
                columns: dict[str, Any] = {}
                for name, code, names in (
                    ("protocol", number, protocols),
                    ("system", place, systems),
                ):
                    codes = np.full(own.n_users, code, dtype=np.int32)
                    columns[name] = pa.DictionaryArray.from_arrays(
                        codes, pa.array(names, pa.string())
                    )
                columns |= {"user": pa.array(users[own.users]), "lists": own.weights}
                columns |= dict(zip(self._measuring.metrics, per_user[:, place], strict=True))
                parts.append(pa.table(columns))
        return pa.concat_tables(parts)


def block_record(folder: PlanFolder, block: int) -> BlockRecord:
    """Return the record of a block that has been measured."""
    path = folder.files(block)[1]
    with refusing_damage(path):
        found = json.loads(path.read_text(encoding="utf-8"))
        sums = {name: SumsOverUsers.of_dict(own) for name, own in found["sums"].items()}
        n_items = len(folder.catalogue)
        seen = {name: FoundInBlocks.of_dict(own, n_items) for name, own in found["seen"].items()}
        counts = {name: int(own) for name, own in found["counts"].items()}
        return BlockRecord(sums, counts, seen)


def _disagreeing(rows: RowsOfUsers, sign: int) -> int:
    """Return for how many users ranks and scores disagree, if a run has both."""
    if rows.others is None:
        return 0
    values, others = rows.values.astype(np.float64), rows.others
    ranks, scores = (-others, values) if sign > 0 else (-values, others)
    return n_disagreeing(rows.owners, ranks, scores)


def _rising(rows: RowsOfUsers, sign: int) -> tuple[int, int]:
    """Return how many of the longer lists have rising scores, and their number, beside no ranks."""
    if rows.others is not None or sign < 0 or not len(rows.items):
        return 0, 0
    if rows.descend:
        return 0, int((np.diff(rows.starts) >= LONG_LIST).sum())
    return rising_lists(rows.owners, rows.values)


def _are_places(rows: RowsOfUsers) -> bool:
    """Tell whether the scores of each user are 1, 2, 3 and so on."""
    if rows.descend:
        return bool((np.diff(rows.starts) <= 1).all() and rows.ends == (1, 1))
    if not len(rows.items):
        return True
    return bool((rows.values == np.arange(len(rows.items)) - rows.starts[rows.owners] + 1).all())


def _places(users: NDArray[Any], own: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each of some users among all, both ascending, or where it would be."""
    return np.arange(len(own)) if np.array_equal(users, own) else np.searchsorted(users, own)


def _matrix(rows: RowsOfUsers, users: NDArray[Any], n_items: int) -> csr_array:
    """Return rows as a sparse array of users by items, with items in ascending order."""
    indptr = np.zeros(len(users) + 1, dtype=np.int64)
    indptr[1:][_places(users, rows.users)] = np.diff(rows.starts)
    values = rows.values.astype(np.float32)
    found = csr_array((values, rows.items, np.cumsum(indptr)), shape=(len(users), n_items))
    found.sort_indices()
    return found


@njit(cache=True)
def _first_repeat(starts: NDArray[np.int64], items: NDArray[np.int32], n_items: int) -> int:
    """Return the first row whose item is that of an earlier row of the same user, or -1."""
    last = np.full(n_items, -1, dtype=np.int32)
    for user in range(len(starts) - 1):
        for row in range(starts[user], starts[user + 1]):
            if last[items[row]] == user:
                return row
            last[items[row]] = user
    return -1
