# SPDX-License-Identifier: MIT
"""The result of an evaluation: tables of averages, of pairs and of values per user."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Unpack

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.reading import ReadingReport
from receval.data.run import Run, WrittenRunFormat, write_run
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.comparison import (
    PERMUTATIONS,
    ComparisonChoices,
    ComparisonOptions,
    Correction,
    PairedTest,
    pair_table,
)
from receval.evaluation.distribution import DifferenceOverUsers
from receval.evaluation.formatting import (
    DECIMALS,
    averages_table,
    best_first,
    draw_intervals,
    intervals_caption,
    pairs_table,
    renamed,
    with_direction,
)
from receval.evaluation.groups import GroupedResult, GroupsOfUsers, notes_on_metrics
from receval.evaluation.item_groups import ValuesOfItemGroups
from receval.evaluation.methods import methods_paragraph
from receval.evaluation.pair_tests import letters_of_systems
from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.evaluation.result_rows import AverageRow, GroupRow, PairRow, typed_rows
from receval.evaluation.saved_results import SAVED, loaded_result_fields, save_result
from receval.evaluation.summed_values import SummedValues
from receval.evaluation.tradeoffs import (
    draw_tradeoffs,
    tradeoff_metrics,
    tradeoffs_caption,
)
from receval.evaluation.tuning_record import TuningRecord, trials_table, tuning_parts
from receval.figures.finish import rendered_pdf, rendered_svg
from receval.figures.style import figure_style
from receval.figures.tables import Table, to_latex, to_markdown, without_marks_in_names
from receval.notes import Note
from receval.seeds import seed_sequence
from receval.statistics.effect_sizes import Effect
from receval.storage.files import write_atomically
from receval.storage.messages import enumerated, quoted
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


def _write_figure(target: Path, draw: Callable[[], Figure], title: str) -> None:
    """Write a figure as SVG or PDF by the path's extension; others are refused."""
    if target.suffix not in (".svg", ".pdf"):
        raise ValueError(f"{target} ends in neither .svg nor .pdf. Choose one of these extensions.")
    with figure_style():
        figure = draw()
    rendered = rendered_svg if target.suffix == ".svg" else rendered_pdf
    write_atomically(target, rendered(figure, title=title))


PrintedTable = Literal["averages", "pairs"]


@dataclass(frozen=True)
class EvaluationResult:
    """Values of systems by protocol, metric and user.

    Attributes
    ----------
    systems, metrics : tuple of str
    values : mapping of str to ValuesByUser
        Values by the name of the protocol.
    user_ids : ndarray of str, shape (n_users,)
        Identifiers by code.
    settings : mapping
        What is needed to repeat the call, as JSON-compatible values: ``protocols``, ``metrics``,
        ``relevant`` (the threshold), ``users`` and ``seed``; of :func:`receval.evaluate` also
        ``data`` (numbers of ratings, users and items), ``split`` (its parameters) and ``systems``
        (class and parameters by name), of :func:`receval.evaluate_runs` ``depth`` and ``ties``;
        with a dialect ``dialect`` and ``labels``.
    notes : tuple of Note
        What may mislead, and how the numbers were computed.
    words : tuple of str
        Sentences on what was measured.
    reading : tuple of ReadingReport
        Reports of how files and tables were read.
    less_is_better : frozenset of str
        Metrics for which lower values are better.
    top_lists : mapping of str to mapping of str to tuple of TopLists
        The kept lists by protocol and system, one for each fold; empty unless they were asked for
        with ``lists``.
    item_ids : ndarray of str, shape (n_items,), optional
        Identifiers of the items by code.
    list_metrics : frozenset of str
        Metrics of whole lists, such as coverage.
    models : mapping of str to tuple
        The fitted systems by name, one for each fold; empty unless ``keep_models`` was set.
    lists_written : tuple of Path
        The files of lists that were written with ``lists_to``.
    of_ranks : tuple of str
        The metrics of judged ranks.
    of_all_users : frozenset of str
        Metrics that are computed from the lists of all users at once.
    traits : mapping of str to ndarray of float64, shape (n_users,)
        Numbers of all users by which they can be grouped
        (:func:`receval.evaluation.groups.traits_of_users`).
    item_groups : mapping of str to mapping
        Values of the metrics of judged ranks by feature of items, group and protocol.
    tuning : mapping of str to TuningRecord
        How systems were tuned, by name, for those that were (:func:`receval.tuning.tune.tune`).

    Examples
    --------
    >>> from receval.evaluation.runs import evaluate_runs
    >>> test = {"user": list("aab"), "item": list("xyx"), "rating": [1, 1, 1]}
    >>> mine = {"a": {"x": 2.0, "z": 1.0}, "b": {"z": 3.0}}
    >>> theirs = {"a": {"z": 2.0, "x": 1.0}, "b": {"x": 3.0}}
    >>> runs = {"mine": mine, "theirs": theirs}
    >>> result = evaluate_runs(test, runs, metrics="RR", depth="whole")
    >>> result.summary()[["system", "mean"]].to_dict("list")
    {'system': ['mine', 'theirs'], 'mean': [0.5, 0.75]}
    >>> result.per_user().query("system == 'theirs'")["RR"].tolist()
    [0.5, 1.0]
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Mapping[str, ValuesByUser]
    user_ids: NDArray[np.str_]
    settings: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    words: tuple[str, ...] = ()
    reading: tuple[ReadingReport, ...] = ()
    less_is_better: frozenset[str] = frozenset()
    top_lists: Mapping[str, Mapping[str, tuple[TopLists, ...]]] = field(default_factory=dict)
    item_ids: NDArray[np.str_] | None = None
    of_ranks: tuple[str, ...] = ()
    of_all_users: frozenset[str] = frozenset()
    traits: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    item_groups: ValuesOfItemGroups = field(default_factory=dict)
    tuning: Mapping[str, TuningRecord] = field(default_factory=dict)
    list_metrics: frozenset[str] = frozenset()
    models: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    lists_written: tuple[Path, ...] = ()
    _compared: dict[str, pd.DataFrame] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def summary(self) -> pd.DataFrame:
        """Return the averages, one row per protocol, metric and system.

        Returns
        -------
        DataFrame
            ``mean`` with its 95 % interval from ``low`` to ``high`` over users, and ``users``, the
            number of users averaged.
        """
        frames = [
            pd.DataFrame(
                {
                    "protocol": protocol,
                    "metric": metric,
                    "system": list(self.systems),
                    "mean": means,
                    "low": means - half,
                    "high": means + half,
                    "users": values.n_users,
                }
            )
            for protocol, values in self.values.items()
            for metric, means, half in zip(
                self.metrics, values.means, values.half_intervals, strict=True
            )
        ]
        return pd.concat(frames, ignore_index=True)

    @checked_arguments
    def compare(
        self,
        *,
        test: PairedTest = "permutation",
        correction: Correction | None = "auto",
        effect: Effect | None = None,
        reference: str | None = None,
        margin: float | Mapping[str, float] | None = None,
        power: float | None = None,
        samples: int = PERMUTATIONS,
        seed: int = 1,
    ) -> pd.DataFrame:
        """Compare pairs of systems, one row per protocol, metric and pair.

        Parameters
        ----------
        test : {"permutation", "t", "wilcoxon", "sign", "bootstrap", "tukey-hsd"}
            The paired, two-sided test over users.
        correction : {"auto", "holm", "bh", "bonferroni"} or None
            The correction for the number of pairs under a protocol and metric; by default Holm, and
            none for ``tukey-hsd``, which corrects by itself.
        effect : {"d_z", "g_z", "cliff", "superiority"}, optional
            The effect size, with its 95 % interval; by default d_z without an interval.
        reference : str, optional
            A system with which all others are compared, instead of all pairs.
        margin : float or mapping of str to float, optional
            The largest difference that does not matter, in the unit of the metric, or one for each
            of some metrics; for tests of equivalence and of non-inferiority.
        power : float, optional
            A probability, usually .8, for the column ``detectable``: the smallest difference that
            this test set suffices to find with it.
        samples : int
            The number of samples of the tests ``permutation``, ``bootstrap`` and ``tukey-hsd``.
        seed : int
            The seed of these samples.

        Returns
        -------
        DataFrame
            As :func:`receval.evaluation.comparison.pair_table`, with the column ``protocol``. The
            parameters are described in :class:`receval.evaluation.comparison.ComparisonChoices`.

        Raises
        ------
        ValueError
            There are fewer than two systems or too few users for the test, the reference or a
            metric with a margin is unknown, a number is out of its range, or ``tukey-hsd`` is
            combined with a correction or a reference.
        """
        return self._pairs(
            ComparisonChoices(test, correction, effect, reference, margin, power, samples, seed)
        )

    def _pairs(self, comparison: ComparisonChoices) -> pd.DataFrame:
        """Return the pairs of a comparison, which are computed once."""
        if len(self.systems) < 2:
            raise ValueError(
                f"There is {' '.join(['only', *self.systems]) if self.systems else 'no system'}, "
                "but a comparison needs two."
            )
        # Cached, because every table and page needs the pairs, and their tests are slow.
        if comparison.key not in self._compared:
            frames = []
            for protocol, values in self.values.items():
                seed = seed_sequence(comparison.seed, "permutation", protocol)
                table = pair_table(
                    values, self.metrics, self.systems, seed, comparison, self.less_is_better
                )
                table.insert(0, "protocol", protocol)
                frames.append(table)
            self._compared[comparison.key] = pd.concat(frames, ignore_index=True)
        return self._compared[comparison.key].copy()

    @checked_arguments
    def groups(self, **comparison: Unpack[ComparisonOptions]) -> pd.DataFrame:
        """Return letters for systems: those that share a letter do not differ significantly.

        Parameters
        ----------
        **comparison
            As for :meth:`compare`. With a reference, systems that differ significantly from it have
            a dagger instead of letters.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``metric``, ``system``, ``mean``, ``letters`` (with too many
            groups, ``ahead`` in brackets) and ``ahead``, the number of systems that are
            significantly better; the best system first.
        """
        chosen = ComparisonChoices(**comparison)
        pairs = self._pairs(chosen)
        frames = []
        for protocol, values in self.values.items():
            for metric, means in zip(self.metrics, values.means, strict=True):
                own = pairs[(pairs["protocol"] == protocol) & (pairs["metric"] == metric)]
                letters, ahead = letters_of_systems(
                    own,
                    means,
                    self.systems,
                    is_less_better=metric in self.less_is_better,
                    reference=chosen.reference,
                )
                table = pd.DataFrame(
                    {
                        "protocol": protocol,
                        "metric": metric,
                        "system": list(self.systems),
                        "mean": means,
                        "letters": letters,
                        "ahead": ahead,
                    }
                )
                frames.append(best_first(table, self.less_is_better))
        return pd.concat(frames, ignore_index=True)

    def average_rows(self) -> tuple[AverageRow, ...]:
        """Return the rows of :meth:`summary` as named tuples, whose types a checker knows."""
        return typed_rows(self.summary(), AverageRow)

    def pair_rows(self, **comparison: Unpack[ComparisonOptions]) -> tuple[PairRow, ...]:
        """Return the rows of :meth:`compare` as named tuples, whose types a checker knows.

        The p-values by which differences are significant are ``p_corrected``, whatever the
        correction; what was not asked for is None.
        """
        chosen = ComparisonChoices(**comparison)
        pairs = self._pairs(chosen)
        return typed_rows(pairs.assign(p_corrected=pairs[chosen.column]), PairRow)

    def group_rows(self, **comparison: Unpack[ComparisonOptions]) -> tuple[GroupRow, ...]:
        """Return the rows of :meth:`groups` as named tuples, whose types a checker knows."""
        return typed_rows(self.groups(**comparison), GroupRow)

    def per_user(self) -> pd.DataFrame:
        """Return the values of users, one row per protocol, system and user.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``system``, ``user``, ``lists`` (their number; under P1R their
            weight) and one for each metric: the mean over the user's lists.
        """
        frames = []
        for protocol, values in self.values.items():
            per_user = values.per_user
            ids = self.user_ids[values.users]
            for number, system in enumerate(self.systems):
                columns: dict[str, object] = {
                    "protocol": protocol,
                    "system": system,
                    "user": ids,
                    "lists": values.weights,
                }
                columns |= {m: per_user[index, number] for index, m in enumerate(self.metrics)}
                frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)

    @checked_arguments
    def by_group(
        self, users: object = None, groups: str | int | None = None, *, items: str | None = None
    ) -> GroupedResult:
        """Return the values of groups of users, or of groups of items.

        Parameters
        ----------
        users : path, data frame, Features, "activity" or "popularity taste"
            A table with a feature of users (:func:`receval.data.features.read_features`), each
            value of which is a group; or what divides users into groups of about equal size: the
            number of their training ratings, or the share of these that are of the 20 % most
            popular items (:func:`receval.evaluation.groups.traits_of_users`).
        groups : str or int, optional
            The feature, needed if the table has several; or the number of groups by activity or
            taste, 3 by default.
        items : str, optional
            Instead of users, a feature that ``item_groups`` of
            :func:`receval.evaluation.systems.evaluate_systems` named. Metrics of judged ranks are
            then those of the relevant test items of each group, averaged over users who have one.

        Returns
        -------
        GroupedResult
            Its ``summary()`` has the averages with intervals, and ``compare()`` the differences
            between groups with tests. Metrics of all users at once are left out.

        Raises
        ------
        ValueError
            A feature or group is unknown, has more than 50 values, or several for one user; or
            nothing or too much was asked for.
        TableError
            The table cannot be read, or shares no user with the result.

        Examples
        --------
        >>> from receval.evaluation.runs import evaluate_runs
        >>> test = {"user": list("abcd"), "item": list("xxxx")}
        >>> run = {"a": {"x": 1.0}, "b": {"y": 1.0}, "c": {"x": 1.0}, "d": {"x": 1.0}}
        >>> result = evaluate_runs(test, {"mine": run}, metrics="RR", depth="whole")
        >>> by_gender = result.by_group({"user": list("abcd"), "gender": list("FFMM")})
        >>> by_gender.compare()[["first", "second", "difference"]].values.tolist()
        [['F', 'M', -0.5]]
        """
        if (users is None) == (items is None):
            raise ValueError(
                "Give either users=..., a table of users or 'activity', or items=..., a feature "
                "that item_groups named."
            )
        if items is not None:
            if items not in self.item_groups:
                raise ValueError(
                    f"The result has no groups of items by {quoted(items)}, but by "
                    f"{enumerated(self.item_groups) or 'nothing'}. Evaluate with "
                    f"item_groups={quoted(items)}."
                )
            left_out = [name for name in self.metrics if name not in self.of_ranks]
            values = self.item_groups[items]
            why = "whether their items are judged or not"
            chosen, notes = self.of_ranks, notes_on_metrics(self.of_ranks, left_out, why)
            name, are_of_items = items, True
            reading: tuple[ReadingReport, ...] = ()
        else:
            is_averaged = np.zeros(len(self.user_ids), dtype=bool)
            for own in self.values.values():
                is_averaged[own.users] = True
            found = GroupsOfUsers.of(users, groups, self.user_ids, is_averaged, self.traits)
            chosen = tuple(name for name in self.metrics if name not in self.of_all_users)
            left_out = [name for name in self.metrics if name in self.of_all_users]
            notes = (*notes_on_metrics(chosen, left_out), *found.notes)
            places = np.array([self.metrics.index(name) for name in chosen], dtype=np.int64)
            values = found.values(self.values, places)
            name, are_of_items, reading = found.name, False, found.reading
        return GroupedResult(
            name,
            self.systems,
            chosen,
            values,
            are_of_items,
            self.less_is_better,
            notes,
            reading,
        )

    @checked_arguments
    def distribution(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        metric: str | None = None,
        protocol: str | None = None,
    ) -> DifferenceOverUsers:
        """Return how the difference between two systems is distributed over users.

        Parameters
        ----------
        first, second : str, optional
            The systems; by default the best two by the metric.
        metric, protocol : str, optional
            By default the first ones.

        Raises
        ------
        ValueError
            A name is unknown, there are fewer than two systems, or the metric is one of all users
            at once.
        """
        per_user = [name for name in self.metrics if name not in self.of_all_users]
        if len(self.systems) < 2 or not per_user:
            raise ValueError(
                "The distribution over users needs two systems and a metric that has a value per "
                "user."
            )
        metric = per_user[0] if metric is None else metric
        protocol = next(iter(self.values)) if protocol is None else protocol
        for given, known, what in (
            (metric, per_user, "metric with a value per user"),
            (protocol, list(self.values), "protocol"),
        ):
            if given not in known:
                raise ValueError(f"There is no {what} {quoted(given)}, but {enumerated(known)}.")
        values = self.values[protocol]
        number = self.metrics.index(metric)
        means = values.means[number]
        order = np.argsort(means if metric in self.less_is_better else -means, kind="stable")
        ranked = [self.systems[place] for place in order]
        if first is None:
            first = next(name for name in ranked if name != second)
        if second is None:
            second = next(name for name in ranked if name != first)
        for given in (first, second):
            if given not in self.systems:
                raise ValueError(
                    f"There is no system {quoted(given)}, but {enumerated(self.systems)}."
                )
        one, other = (values.per_user[number, self.systems.index(n)] for n in (first, second))
        return DifferenceOverUsers(first, second, metric, protocol, one - other)

    @checked_arguments
    def plot_distribution(
        self,
        path: str | Path,
        first: str | None = None,
        second: str | None = None,
        *,
        metric: str | None = None,
        protocol: str | None = None,
    ) -> None:
        """Write a figure of :meth:`distribution`, as SVG or PDF by the path's extension.

        Raises
        ------
        ValueError
            The path has another extension, or as :meth:`distribution`.
        """
        over_users = self.distribution(first, second, metric=metric, protocol=protocol)
        _write_figure(Path(path), over_users.draw, over_users.caption)

    def lists(self) -> pd.DataFrame:
        """Return the kept lists, one row per recommended item.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``system``, ``fold``, ``user``, ``rank``, ``item`` and
            ``score``.

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
        ids = self._ids_of_lists()
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
                                "user": self.user_ids[own.users[rows]],
                                "rank": positions + 1,
                                "item": ids[items],
                                "score": own.scores[rows, positions],
                            }
                        )
                    )
        return pd.concat(frames, ignore_index=True)

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
        format: WrittenRunFormat = "trec",  # noqa: A002
    ) -> tuple[Path, ...]:
        """Write the kept lists as runs, a file for each system.

        The files are named after the systems. With several protocols or folds, there is a folder
        for each of them.

        Parameters
        ----------
        folder : path
            Made if it does not exist.
        format : {"trec", "table", "json", "parquet", "recbole", "elliot"}
            ``trec`` writes ``.run`` for trec_eval and ranx; ``table`` a tab-separated ``.tsv`` with
            a header, and ``parquet`` the same columns; ``json`` an object of users, each an object
            of items with scores; ``recbole`` an atomic file ``.inter`` with the columns
            ``user_id:token``, ``item_id:token`` and ``score:float``; ``elliot`` a ``.tsv`` of user,
            item and score without a header, as its ProxyRecommender reads.

        Returns
        -------
        tuple of Path
            The files.

        Raises
        ------
        ValueError
            No lists were kept.
        """
        ids = self._ids_of_lists()
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

    @checked_arguments
    def tables(
        self,
        *,
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> tuple[Table, ...]:
        """Return the tables for papers: averages and, with several systems, the compared pairs.

        Parameters
        ----------
        decimals : int
            The number of decimals of averages and differences.
        names : mapping of str to str, optional
            Names to print instead of those of systems, metrics and protocols, such as
            ``{"nDCG(gain=exp)@10": "nDCG"}``; others keep their names.
        **comparison
            As for :meth:`compare`.
        """
        users = {name: values.n_users for name, values in self.values.items()}
        chosen = ComparisonChoices(**comparison)
        tables: tuple[Table, ...]
        if len(self.systems) < 2:
            tables = (averages_table(self.summary(), users, decimals, self.less_is_better),)
        else:
            pairs = self._pairs(chosen)
            tables = (
                averages_table(
                    self.groups(**comparison),
                    users,
                    decimals,
                    self.less_is_better,
                    chosen.in_words(pairs),
                    chosen,
                ),
                pairs_table(pairs, decimals, self.less_is_better, chosen.in_words(pairs), chosen),
            )
        return tuple(renamed(table, names or {}) for table in tables)

    @checked_arguments
    def to_latex(
        self,
        path: str | Path,
        *,
        table: PrintedTable = "averages",
        two_columns: bool = False,
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        r"""Write a table as LaTeX: the best averages in bold, letters of groups as superscripts.

        Parameters
        ----------
        path : path
            The file. Its first line names the packages that it needs.
        table : {"averages", "pairs"}
            The averages of all systems, or the compared pairs.
        two_columns : bool
            Whether the table spans both columns of a two-column paper (``table*``).
        decimals, names
            As for :meth:`tables`.
        **comparison
            As for :meth:`compare`.

        Raises
        ------
        ValueError
            There are no pairs, because there is only one system; or as for :meth:`compare`.
        """
        printed = self._printed(table, decimals, names, comparison)
        write_atomically(
            Path(path), to_latex(printed, two_columns=two_columns, names_packages=True)
        )

    @checked_arguments
    def to_markdown(
        self,
        path: str | Path,
        *,
        table: PrintedTable = "averages",
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        """Write a table as Markdown; the arguments are those of :meth:`to_latex`."""
        printed = self._printed(table, decimals, names, comparison)
        write_atomically(Path(path), to_markdown(printed))

    def _printed(
        self,
        name: PrintedTable,
        decimals: int,
        names: Mapping[str, str] | None,
        comparison: ComparisonOptions,
    ) -> Table:
        """Return the table of this name, with names that are no formulas."""
        found = dict(
            zip(
                ("averages", "pairs"),
                self.tables(decimals=decimals, names=names, **comparison),
                strict=False,
            )
        )
        if name not in found:
            raise ValueError(
                f"There is only {self.systems[0]}, so there are no pairs. Choose "
                "table='averages', or evaluate at least two systems."
            )
        return without_marks_in_names(found[name])

    @checked_arguments
    def methods(self, **comparison: Unpack[ComparisonOptions]) -> str:
        """Describe the experiment in a paragraph for a paper.

        It has the split, users who are left out and why, relevance and candidates, metrics,
        systems with their parameters and how they were tuned, intervals, test, correction and
        effect size, and the software with its versions.

        Parameters
        ----------
        **comparison
            As for :meth:`compare`.
        """
        chosen = ComparisonChoices(**comparison)
        pairs = self._pairs(chosen) if len(self.systems) > 1 else None
        return methods_paragraph(
            self.settings, self.words, self.notes, self.values, pairs, chosen, self.metrics
        )

    @checked_arguments
    def as_report(
        self,
        title: str = "Evaluation",
        *,
        methods: bool = False,
        grouped: Sequence[GroupedResult] = (),
        **comparison: Unpack[ComparisonOptions],
    ) -> Report:
        """Return the whole result as a report: tables, figures and the data.

        Parameters
        ----------
        title : str
            The heading of the page.
        methods : bool
            Whether to add the paragraph of :meth:`methods`, which names versions of software, so
            that the page differs where they do.
        grouped : sequence of GroupedResult
            Results of :meth:`by_group`, which the report then has, too.
        **comparison
            As for :meth:`compare`.
        """
        chosen = ComparisonChoices(**comparison)
        printed = zip(("averages", "pairs"), self.tables(**comparison), strict=False)
        averages, *pairs = (ReportTable(name, table) for name, table in printed)
        summary = self.summary()
        figure = ReportFigure.drawn(
            "averages",
            lambda: draw_intervals(summary, self.less_is_better),
            intervals_caption(summary),
        )
        tradeoffs: list[ReportPart] = []
        if self.list_metrics and len(self.list_metrics) < len(self.metrics):
            axes = tradeoff_metrics(self.metrics, self.list_metrics, None, None)
            tradeoffs.append(
                ReportFigure.drawn(
                    "tradeoffs",
                    lambda: draw_tradeoffs(summary, *axes, self.less_is_better),
                    tradeoffs_caption(summary, *axes),
                )
            )
        data = {"averages": summary}
        has_users = not any(isinstance(own, SummedValues) for own in self.values.values())
        if has_users:
            data["per_user"] = self.per_user()
        settings = self.settings
        if len(self.systems) > 1:
            data |= {"pairs": self._pairs(chosen), "groups": self.groups(**comparison)}
            settings = {**settings, "samples": chosen.samples}
            if chosen.settings:
                settings["comparison"] = chosen.settings
        words = [ReportText("What was measured", self.words)] if self.words else []
        parts: list[ReportPart] = [averages, figure, *tradeoffs, *pairs]
        if has_users and len(self.systems) > 1 and not self.of_all_users.issuperset(self.metrics):
            over = self.distribution()
            parts.append(ReportFigure.drawn("distribution", over.draw, over.caption))
            data["distribution"] = over.table()
        notes, reading = list(self.notes), list(self.reading)
        for own in grouped:
            name = file_name(f"{'items' if own.are_of_items else 'users'}-by-{own.name}")
            names = (name, f"{name}-pairs")
            parts += [ReportTable(*both) for both in zip(names, own.tables(), strict=False)]
            data[name] = own.summary()
            if len(own.groups) > 1:
                data[f"{name}-pairs"] = own.compare()
            notes += own.notes
            reading += [one for one in own.reading if one not in reading]
        if methods:
            words.append(ReportText("Methods", (self.methods(**comparison),)))
        tuning = tuning_parts(self.tuning)
        if tuning:
            data["trials"] = trials_table(self.tuning)
        parts += [*words, *tuning]
        first = self.words[:1]
        return Report(title, tuple(parts), data, tuple(notes), settings, tuple(reading), first)

    @checked_arguments
    def report(
        self,
        path: str | Path,
        *,
        title: str = "Evaluation",
        methods: bool = False,
        grouped: Sequence[GroupedResult] = (),
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        """Write the whole result as one self-contained HTML page.

        The arguments are those of :meth:`as_report`.
        """
        report = self.as_report(title, methods=methods, grouped=grouped, **comparison)
        write_atomically(Path(path), report.page())

    @checked_arguments
    def plot(self, path: str | Path) -> None:
        """Write a figure of the averages with intervals, as SVG or PDF by the path's extension.

        Raises
        ------
        ValueError
            The path has another extension.
        """
        _write_figure(
            Path(path),
            lambda: draw_intervals(self.summary(), self.less_is_better),
            "Averages with their 95 % intervals",
        )

    @checked_arguments
    def plot_tradeoffs(
        self,
        path: str | Path,
        accuracy: str | None = None,
        *,
        against: Sequence[str] | None = None,
    ) -> None:
        """Write a figure of accuracy against coverage, popularity or diversity, with intervals.

        Parameters
        ----------
        path : path
            SVG or PDF, by its extension.
        accuracy : str, optional
            The metric of the horizontal axes; by default the first that is not of whole lists.
        against : sequence of str, optional
            The metrics of the vertical axes, one panel each; by default all of whole lists.

        Raises
        ------
        ValueError
            The path has another extension, a metric was not measured, or there is none of one kind.
        """
        chosen = tradeoff_metrics(self.metrics, self.list_metrics, accuracy, against)
        _write_figure(
            Path(path),
            lambda: draw_tradeoffs(self.summary(), *chosen, self.less_is_better),
            tradeoffs_caption(self.summary(), *chosen),
        )

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write the result into a folder, for :func:`load_result`.

        Equal results give equal bytes. An earlier saved result in the folder is replaced. If the
        command can repeat the call, the folder also has a ``settings.json`` for ``receval evaluate
        --settings`` (:func:`receval.evaluation.repeated_calls.command_settings` says when).

        Parameters
        ----------
        folder : path
            Made if it is missing.

        Raises
        ------
        ValueError
            The folder has files that are not those of a saved result.
        """
        save_result({name: getattr(self, name) for name in SAVED}, Path(folder))

    def __str__(self) -> str:
        table = self.summary().pivot_table(
            index=["protocol", "system"], columns="metric", values="mean", sort=False
        )
        shown = table[list(self.metrics)].round(4)
        shown = shown.rename(columns=lambda name: with_direction(name, self.less_is_better))
        # What a frame prints by itself leaves out columns in the middle; here they are wrapped.
        return shown.to_string(
            max_rows=pd.get_option("display.max_rows"),
            min_rows=pd.get_option("display.min_rows"),
            line_width=pd.get_option("display.width"),
        )


@checked_arguments
def load_result(folder: str | Path) -> EvaluationResult:
    """Load a result that :meth:`EvaluationResult.save` wrote.

    Parameters
    ----------
    folder : path

    Returns
    -------
    EvaluationResult
        With the same values, tables, notes and settings. In the settings, sequences are lists.

    Raises
    ------
    ValueError
        The folder has no saved result, another major version of receval wrote it, or a file is
        damaged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from receval.evaluation.runs import evaluate_runs
    >>> test = {"user": list("aab"), "item": list("xyx"), "rating": [1, 1, 1]}
    >>> mine = {"a": {"x": 2.0, "z": 1.0}, "b": {"z": 3.0}}
    >>> with TemporaryDirectory() as folder:
    ...     evaluate_runs(test, {"mine": mine}, metrics="RR", depth="whole").save(folder)
    ...     load_result(folder).summary()["mean"].tolist()
    [0.5]
    """
    return EvaluationResult(**loaded_result_fields(Path(folder)))
