# SPDX-License-Identifier: MIT
"""The lists that an evaluation kept, as a table and as files of runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import permutations
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.run import Run, WrittenRunFormat, write_run
from receval.evaluation.averages_and_pairs import AveragesAndPairs
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.formatting import WholeTable
from receval.storage.messages import enumerated
from receval.top_lists import TopLists


def file_name(name: str) -> str:
    """Return a name for files, with a hyphen for each character that may not be in one.

    Examples
    --------
    >>> file_name("AR AI-AN"), file_name("a/b")
    ('AR-AI-AN', 'a-b')
    """
    return re.sub(r"[^\w.+=-]", "-", name).lstrip(".") or "-"


ENDINGS: Mapping[WrittenRunFormat, str] = {
    "trec": ".run",
    "table": ".tsv",
    "json": ".json",
    "parquet": ".parquet",
    "recbole": ".inter",
    "elliot": ".tsv",
}
"""The extensions of the files of :meth:`EvaluationResult.write_runs`."""


def refuse_equal_files(systems: Iterable[str], protocols: Iterable[str] = ()) -> None:
    """Refuse names of systems or protocols that would give two of them the same file or folder."""
    for what, names in (("systems", systems), ("protocols", protocols)):
        by_file: dict[str, list[str]] = {}
        for name in names:
            by_file.setdefault(file_name(name), []).append(name)
        for file, own in by_file.items():
            if len(own) > 1:
                told = enumerated([repr(name) for name in own])
                raise ValueError(
                    f"The lists of the {what} {told} would overwrite each other, because files can "
                    f"only be named {file!r} for each. Rename all but one."
                )


def files_of_lists(
    folder: str | Path, system: str, protocols: Collection[str], fold: int, n_folds: int
) -> dict[str, Path]:
    """Return the Parquet files of a system's lists on a fold, by protocol.

    Examples
    --------
    >>> files_of_lists("lists", "Pop", ["AR AI-AN"], 0, 2)["AR AI-AN"].as_posix()
    'lists/fold0/Pop.parquet'
    """
    own_fold = fold if n_folds > 1 else None
    return {
        name: _file_of_lists(
            folder, system, name if len(protocols) > 1 else None, own_fold, ENDINGS["parquet"]
        )
        for name in protocols
    }


def _file_of_lists(
    folder: str | Path, system: str, protocol: str | None, fold: int | None, ending: str
) -> Path:
    """Return the file of lists, in folders for the protocol and the fold if there are several."""
    target = Path(folder)
    if protocol is not None:
        target /= file_name(protocol)
    if fold is not None:
        target /= f"fold{fold}"
    return target / f"{file_name(system)}{ending}"


def _pairs(lists: TopLists, n_items: int) -> NDArray[np.int64]:
    """Return a number for the user and item of each entry."""
    rows, _, items = lists.entries()
    return np.asarray(lists.users[rows] * n_items + items)


class ResultLists(AveragesAndPairs):
    """What a result has on the lists of recommended items."""

    @checked_arguments
    def lists(self) -> pd.DataFrame:
        """Return the kept lists, one row per recommended item.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``system``, ``fold``, ``user``, ``rank``, ``item`` and
            ``score``. Identifiers have the types of :meth:`.SplitRatings.to_frames`.

        Raises
        ------
        ValueError
            No lists were kept.

        Examples
        --------
        >>> from receval.evaluation.runs import evaluate_runs
        >>> test, run = {"user": ["a"], "item": ["x"]}, {"a": {"y": 2.0, "x": 1.0}}
        >>> evaluate_runs(test, {"mine": run}, lists=5).lists()["item"].tolist()
        ['y', 'x']
        """
        items_by_code = self._typed_ids("item", self._ids_of_lists())
        users_by_code = self._typed_ids("user", self.user_ids)
        frames = []
        for protocol, by_system in self.top_lists.items():
            for system, folds in by_system.items():
                for number, own in enumerate(folds):
                    rows, positions, items = own.entries()
                    frames.append(
                        pd.DataFrame(
                            {
                                "protocol": protocol,
                                "system": system,
                                "fold": number,
                                "user": users_by_code[own.users[rows]],
                                "rank": positions + 1,
                                "item": items_by_code[items],
                                "score": own.scores[rows, positions],
                            }
                        )
                    )
        return pd.concat(frames, ignore_index=True)

    @checked_arguments
    def shared_items(self, n: int = 10, *, others: int | None = None) -> pd.DataFrame:
        r"""Return which share of the lists of each system is also in the lists of each other one.

        .. math:: \frac{1}{|U|} \sum_u \frac{|L_u^n(first) \cap L_u^m(second)|}{|L_u^n(first)|}

        The users are those with a list of the first system. RecTools calls it Intersection.

        Parameters
        ----------
        n : int
            The first items of the lists of the first system.
        others : int, optional
            The number m of first items of the second system; by default, n.

        Returns
        -------
        DataFrame
            One row per protocol and pair: ``mean`` with its 95 % interval from ``low`` to ``high``
            over ``users``.

        Raises
        ------
        ValueError
            No lists were kept, or shorter ones.

        Examples
        --------
        >>> from receval.evaluation.runs import evaluate_runs
        >>> test = {"user": ["a"], "item": ["x"]}
        >>> runs = {"one": {"a": {"y": 2.0, "x": 1.0}}, "other": {"a": {"z": 2.0, "x": 1.0}}}
        >>> evaluate_runs(test, runs, lists=2).shared_items(2)["mean"].tolist()
        [0.5, 0.5]
        """
        n_items, m = len(self._ids_of_lists()), n if others is None else others
        if min(n, m) < 1:
            raise ValueError(f"Lists of {min(n, m)} items cannot be compared. Compare 1 or more.")
        kept = max(
            own.items.shape[1]
            for by_system in self.top_lists.values()
            for folds in by_system.values()
            for own in folds
        )
        if max(n, m) > kept:
            raise ValueError(
                f"Lists of {n} and {m} items are to be compared, but lists of {kept} were kept. "
                "Evaluate with longer lists=..., or compare fewer items."
            )
        rows = []
        for protocol, by_system in self.top_lists.items():
            for first, second in permutations(by_system, 2):
                shares, counts = np.zeros((2, len(self.user_ids)))
                for own, other in zip(by_system[first], by_system[second], strict=True):
                    lists = own.cut(n)
                    met = np.isin(_pairs(lists, n_items), _pairs(other.cut(m), n_items))
                    sums = np.bincount(lists.entries()[0], weights=met, minlength=len(lists))
                    has_items = lists.lengths > 0
                    users = lists.users[has_items]
                    shares[users] += sums[has_items] / lists.lengths[has_items]
                    counts[users] += 1
                users = np.flatnonzero(counts)
                values = ValuesByUser(shares[None, None, users], counts[users], users)
                mean, half = values.means[0, 0], values.half_intervals[0, 0]
                rows.append((protocol, first, second, mean, mean - half, mean + half, len(users)))
        columns = ["protocol", "first", "second", "mean", "low", "high", "users"]
        return WholeTable(pd.DataFrame(rows, columns=columns))

    def _ids_of_lists(self) -> NDArray[np.str_]:
        """Return the identifiers of items, if lists were kept."""
        if self.lists_written:
            raise ValueError(
                "The lists of the result are in the files result.lists_written, which "
                "pandas.read_parquet and rv.read_run read."
            )
        if not self.top_lists or self.item_ids is None:
            raise ValueError(
                "The result has no lists. Evaluate with lists=100, for example, to keep the first "
                "100 items of each list."
            )
        return self.item_ids

    @checked_arguments
    def write_runs(
        self,
        folder: str | Path,
        format: WrittenRunFormat | Literal["ranx"] = "trec",  # noqa: A002
    ) -> tuple[Path, ...]:
        """Write the kept lists as runs, a file for each system.

        The files are named after the systems. With several protocols or folds, there is a folder
        for each of them.

        Parameters
        ----------
        folder : path
            Made if it does not exist.
        format : {"trec", "ranx", "table", "json", "parquet", "recbole", "elliot"}
            ``trec`` and ``ranx`` write ``.run`` for trec_eval and ranx; ``table`` a tab-separated
            ``.tsv`` with a header, and ``parquet`` the same columns; ``json`` an object of users,
            each an object of items with scores; ``recbole`` an atomic file ``.inter`` with the
            columns ``user_id:token``, ``item_id:token`` and ``score:float``; ``elliot`` a ``.tsv``
            of user, item and score without a header, as its ProxyRecommender reads.

        Returns
        -------
        tuple of Path
            The files.

        Raises
        ------
        ValueError
            No lists were kept, or two systems would have the same file.
        """
        ids = self._ids_of_lists()
        refuse_equal_files(self.systems, self.top_lists)
        if format == "ranx":
            format = "trec"  # noqa: A001
        written = []
        for protocol, by_system in self.top_lists.items():
            for system, folds in by_system.items():
                for number, own in enumerate(folds):
                    target = _file_of_lists(
                        folder,
                        system,
                        protocol if len(self.top_lists) > 1 else None,
                        number if len(folds) > 1 else None,
                        ENDINGS[format],
                    )
                    target.parent.mkdir(parents=True, exist_ok=True)
                    rows, positions, items = own.entries()
                    run = Run(
                        own.users[rows].astype(np.int32),
                        items.astype(np.int32),
                        own.scores[rows, positions].astype(np.float64),
                        self.user_ids,
                        ids,
                        system,
                    )
                    written.append(target)
                    write_run(run, target, format, tag=file_name(system))
        return tuple(written)
