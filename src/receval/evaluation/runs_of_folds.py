# SPDX-License-Identifier: MIT
"""Runs that are measured on the folds of a split, beside systems that are trained on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.data.reading import ReadingReport
from receval.data.run import Run, read_run
from receval.evaluation.identifiers import check_that_identifiers_meet
from receval.evaluation.measuring import FoldLists, Measuring
from receval.evaluation.runs import Depth, RankedRun, as_compared, depth_of
from receval.notes import Note
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.listed_ranks import ListedItems
from receval.splits.split import KNOWN_BEFORE, TEST, Fold
from receval.splits.split_ratings import SplitRatings
from receval.storage.messages import how_many, quoted


@dataclass(frozen=True)
class RunsOfFolds:
    """Runs by the names of their systems, one for each fold of a split.

    ``notes`` grow while folds are ranked.
    """

    data: SplitRatings
    by_name: Mapping[str, Sequence[Run]]
    depth: Depth
    notes: list[Note] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        data: SplitRatings,
        runs: Mapping[str, object],
        systems: Collection[str],
        depth: Depth,
    ) -> RunsOfFolds:
        """Read runs, and refuse those of other users or items, or with the name of a system."""
        by_name: dict[str, list[Run]] = {}
        for name, source in runs.items():
            if name in systems:
                raise ValueError(
                    f"A system and a run are both called {quoted(name)}. Give them different names."
                )
            sources = [source]
            if data.n_folds > 1:
                if not isinstance(source, list | tuple) or len(source) != data.n_folds:
                    raise ValueError(
                        f"The split has {data.n_folds} folds, so {quoted(name)} needs a list of "
                        f"{data.n_folds} runs, one for the test of each fold in their order."
                    )
                sources = list(source)
            by_name[name] = [read_run(own) for own in sources]
        return cls(data, by_name, depth)

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return list(self.by_name)

    @property
    def sources(self) -> dict[str, list[str]]:
        """Where each run is from, per fold, for settings."""
        return {name: [own.source for own in runs] for name, runs in self.by_name.items()}

    @property
    def reading(self) -> list[ReadingReport]:
        """Reports of how the runs were read."""
        return [own.reading for runs in self.by_name.values() for own in runs]

    def ranked(
        self, number: int, fold: Fold, measuring: Measuring, length: int
    ) -> Iterator[tuple[str, str, JudgedRanks, FoldLists | None]]:
        """Yield the names of each run and protocol with the judged ranks and lists on a fold.

        The lists have at most ``length`` items; there are none if it is 0.
        """
        if not self.by_name:
            return
        of_fold = {name: runs[number] for name, runs in self.by_name.items()}
        ratings, codes = self.data.ratings, self.data.parts.codes[number]
        test = ratings.select((codes & TEST) > 0).compacted()
        known = ratings.select((codes & KNOWN_BEFORE) > 0).compacted()
        self._add(check_that_identifiers_meet(test, known, of_fold))
        generator_for = self.data.generator_for(number)
        for name, run in of_fold.items():
            listed, strangers = self._listed(name, run)
            if measuring.dialect is not None:
                listed, told = as_compared(name, listed, measuring.dialect)
                self._add(told)
            own = RankedRun(name, listed, fold, depth_of(run, self.depth, ratings.n_items))
            left_out = measuring.users.endswith("covered")
            self._add(own.notes(strangers, are_left_out=left_out))
            for protocol_name, protocol in measuring.protocols.items():
                ranks = own.ranks(protocol, generator_for)
                own.check(protocol_name, ranks, measuring.of_ranks.values())
                own.check_length(protocol_name, measuring.of_lists.values())
                first = own.lists(protocol, generator_for, length) if length else None
                yield name, protocol_name, ranks, first

    def _listed(self, name: str, run: Run) -> tuple[ListedItems, int]:
        """Return the lists of a run in the codes of the split, and how many users have none."""
        users = _codes_in(self.data.ratings.user_ids, run.user_ids)
        items = _codes_in(self.data.ratings.item_ids, run.item_ids)
        unknown = int((items < 0).sum())
        if unknown:
            text = (
                f"{name} lists {how_many(unknown, 'item')} that are not in the ratings: they are "
                "no candidates, and were taken out of its lists."
            )
            self._add([Note("unknown-items", text)])
        rows = (users[run.users] >= 0) & (items[run.items] >= 0)
        listed = ListedItems(
            users[run.users[rows]].astype(np.int32),
            items[run.items[rows]].astype(np.int32),
            run.scores[rows],
        )
        return listed, int((users < 0).sum())

    def _add(self, notes: Sequence[Note]) -> None:
        """Add notes that were not yet made for another fold."""
        self.notes.extend(note for note in notes if note not in self.notes)


def _codes_in(ids: NDArray[np.str_], wanted: NDArray[np.str_]) -> NDArray[np.int64]:
    """Return the codes of identifiers, or -1 for those without one."""
    index = pd.Index(ids.astype(object))
    return np.asarray(index.get_indexer(pd.Index(wanted.astype(object))), dtype=np.int64)
