# SPDX-License-Identifier: MIT
"""The averages of an evaluation, and the compared pairs of its systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.reading import ReadingReport
from receval.evaluation.by_user import ValuesByUser, ValuesOfItemGroups, interval_within
from receval.evaluation.comparison import (
    PERMUTATIONS,
    ComparisonChoices,
    ComparisonOptions,
    Correction,
    PairedTest,
    pair_table,
)
from receval.evaluation.formatting import WholeTable, best_first
from receval.evaluation.groups_of_users import MeasuredTogether
from receval.evaluation.pair_tests import letters_of_systems
from receval.evaluation.summed_values import SummedValues
from receval.evaluation.tuning_record import TuningRecord
from receval.metrics.metric import Directions, goodness
from receval.notes import Note
from receval.seeds import seed_sequence
from receval.splits.split_frames import typed_identifiers
from receval.statistics.effect_sizes import Effect
from receval.top_lists import TopLists


class AverageRow(NamedTuple):
    """An average with its 95 % interval, over a number of users."""

    protocol: str
    metric: str
    system: str
    mean: float
    low: float
    high: float
    users: int


class PairRow(NamedTuple):
    """Two systems compared under a metric; what was not asked for or not tested is None.

    The columns are those of :func:`receval.evaluation.comparison.pair_table`, except that
    ``p_corrected`` is the p-value by which the difference is significant.
    """

    protocol: str
    metric: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    effect_size: float
    p: float
    p_corrected: float
    significant: bool
    method: str
    effect_low: float | None = None
    effect_high: float | None = None
    margin: float | None = None
    p_equivalent: float | None = None
    equivalent: bool | None = None
    p_not_inferior: float | None = None
    not_inferior: bool | None = None
    detectable: float | None = None


class GroupRow(NamedTuple):
    """A system with its letters, and how many systems are significantly better."""

    protocol: str
    metric: str
    system: str
    mean: float
    letters: str
    ahead: int
    untested: int


Row = TypeVar("Row", bound=NamedTuple)


def typed_rows(table: pd.DataFrame, kind: type[Row]) -> tuple[Row, ...]:
    """Return the rows of a table with the columns of a kind; optional ones may be missing.

    Examples
    --------
    >>> table = pd.DataFrame([{"protocol": "AR AI-AN", "metric": "RR", "system": "Pop",
    ...     "mean": 0.5, "low": 0.25, "high": 0.75, "users": 9}])
    >>> typed_rows(table, AverageRow)[0].mean
    0.5
    """
    # Lists of Python's own types: numpy's would be no float and no bool to a checker.
    lists = [
        [None if own is pd.NA else own for own in table[name].tolist()]
        if name in table
        else [kind._field_defaults[name]] * len(table)
        for name in kind._fields
    ]
    return tuple(kind._make(row) for row in zip(*lists, strict=True))


@dataclass(frozen=True)
class AveragesAndPairs:
    """Values of systems by protocol, metric and user, with their averages and compared pairs.

    The attributes are those of :class:`receval.evaluation.result.EvaluationResult`.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Mapping[str, ValuesByUser]
    user_ids: NDArray[np.str_]
    settings: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    words: tuple[str, ...] = ()
    reading: tuple[ReadingReport, ...] = ()
    less_is_better: Directions = field(default_factory=Directions)
    top_lists: Mapping[str, Mapping[str, tuple[TopLists, ...]]] = field(default_factory=dict)
    item_ids: NDArray[np.str_] | None = None
    of_ranks: tuple[str, ...] = ()
    of_all_users: frozenset[str] = frozenset()
    traits: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    item_groups: ValuesOfItemGroups = field(default_factory=dict)
    list_groups: ValuesOfItemGroups = field(default_factory=dict)
    of_list_groups: tuple[str, ...] = ()
    tuning: Mapping[str, TuningRecord] = field(default_factory=dict)
    list_metrics: frozenset[str] = frozenset()
    models: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    lists_written: tuple[Path, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    together: MeasuredTogether | None = field(default=None, repr=False, compare=False)
    _compared: dict[str, pd.DataFrame] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @checked_arguments
    def summary(self) -> pd.DataFrame:
        """Return the averages, one row per protocol, metric and system.

        Returns
        -------
        DataFrame
            ``mean`` with its 95 % interval from ``low`` to ``high`` over users, and ``users``, the
            number of users averaged. The intervals of metrics of all users at once are those of
            :func:`receval.evaluation.by_user.interval_within`.
        """
        frames = []
        for protocol, values in self.values.items():
            halves = values.half_intervals
            for metric, means, half in zip(self.metrics, values.means, halves, strict=True):
                low, high = means - half, means + half
                if metric in self.of_all_users:
                    bounds = self.bounds.get(metric, (-np.inf, np.inf))
                    low, high = interval_within(means, half, bounds)
                    means = np.clip(means, *bounds)  # The mean of pseudo-values is rounded.
                columns = {
                    "protocol": protocol,
                    "metric": metric,
                    "system": list(self.systems),
                    "mean": means,
                    "low": low,
                    "high": high,
                    "users": values.n_users,
                }
                frames.append(pd.DataFrame(columns))
        return WholeTable(pd.concat(frames, ignore_index=True))

    @checked_arguments
    def compare(
        self,
        *,
        test: PairedTest | None = None,
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
        test : {"permutation", "t", "wilcoxon", "sign", "bootstrap", "tukey-hsd"}, optional
            The paired, two-sided test over users, by default ``permutation``, or ``t`` if the
            result has only sums over users
            (:func:`receval.large_runs.evaluate.evaluate_large_runs`). All are of the average,
            except ``wilcoxon`` (of ranks) and ``sign`` (of wins and losses). ``permutation`` draws
            random signs of the users' differences
            (:func:`receval.evaluation.pair_tests.permutation_p_values`). ``t`` is Student's paired
            t-test, for users with several lists with the standard error of a ratio, so that p is
            below .05 where the 95 % interval excludes 0. ``wilcoxon`` is the signed-rank test,
            exact with at most 25 differences
            (:func:`receval.statistics.paired_tests.wilcoxon_test`), and ``sign`` the exact sign
            test. ``bootstrap`` is shifted
            (:func:`receval.statistics.bootstrap.bootstrap_test_of_pairs`). ``tukey-hsd`` is the
            randomised Tukey HSD test, whose p-values are already corrected for all pairs
            (:func:`receval.statistics.tukey.randomised_tukey_hsd`).
        correction : {"auto", "holm", "bh", "bonferroni"} or None
            The correction for the number of pairs compared under one protocol and metric: Holm,
            Benjamini and Hochberg, or Bonferroni. By default (``auto``) Holm, and none for
            ``tukey-hsd``. With None, significance is by the uncorrected p-values.
        effect : {"d_z", "g_z", "cliff", "superiority"}, optional
            The effect size, with a 95 % interval (:mod:`receval.statistics.effect_sizes`): Cohen's
            d_z, the same with Hedges' correction, Cliff's delta of paired differences, or the
            probability of superiority. By default d_z, without an interval.
        reference : str, optional
            A system with which all others are compared, first the other system and second the
            reference; these n - 1 pairs are then the family that is corrected. By default all
            pairs.
        margin : float or mapping of str to float, optional
            The largest difference of averages that does not matter, above 0, in the unit of the
            metric; or one for each of some metrics. Tests then whether systems are equivalent, and
            whether the first is not inferior (:mod:`receval.statistics.difference_tests`; untested
            where a value is the best, as 0 for BiasDisparity), by t-tests whatever ``test`` is,
            with the same correction (for ``tukey-hsd`` and ``auto``, that of Holm).
        power : float, optional
            A probability between 0 and 1, usually .8. Adds the smallest difference that the users
            of this test set suffice to find with this probability, by a t-test
            (:func:`receval.statistics.difference_tests.detectable_difference`) at the level .05,
            divided by the number of pairs if there is a correction; for ``tukey-hsd`` at the level
            of that test.
        samples : int
            The number of samples of ``permutation``, ``bootstrap`` and ``tukey-hsd``.
        seed : int
            The seed of these samples.

        Returns
        -------
        DataFrame
            As :func:`receval.evaluation.comparison.pair_table`, with the column ``protocol``.

        Raises
        ------
        ValueError
            There are fewer than two systems or too few users for the test, the reference or a
            metric with a margin is unknown, a number is out of its range, or ``tukey-hsd`` is
            combined with a correction or a reference.
        """
        given: ComparisonOptions = {
            "correction": correction,
            "effect": effect,
            "reference": reference,
            "margin": margin,
            "power": power,
            "samples": samples,
            "seed": seed,
        }
        return self._pairs(self._choices(given if test is None else {**given, "test": test}))

    def _choices(self, comparison: ComparisonOptions) -> ComparisonChoices:
        """Return the choices of a comparison, whose default test is one that needs no more."""
        has_sums = any(isinstance(own, SummedValues) for own in self.values.values())
        return ComparisonChoices(**{"test": "t", **comparison} if has_sums else comparison)

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
                comparison.check(self.systems, self.metrics, values.n_users)
                seed = seed_sequence(comparison.seed, "permutation", protocol)
                table = pair_table(
                    values,
                    self.metrics,
                    self.systems,
                    seed,
                    comparison,
                    self.less_is_better,
                    self.of_all_users,
                )
                table.insert(0, "protocol", protocol)
                frames.append(table)
            self._compared[comparison.key] = pd.concat(frames, ignore_index=True)
        return WholeTable(self._compared[comparison.key])

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
            groups, ``ahead`` in brackets), ``ahead``, the number of systems that are
            significantly better, and ``untested``, the number of those with another mean of which
            the test cannot tell (``p`` of :meth:`compare` is NaN), so that they share no letter;
            the best system first.
        """
        chosen = self._choices(comparison)
        pairs = self._pairs(chosen)
        frames = []
        for protocol, values in self.values.items():
            for metric, means in zip(self.metrics, values.means, strict=True):
                own = pairs[(pairs["protocol"] == protocol) & (pairs["metric"] == metric)]
                letters, ahead, untested = letters_of_systems(
                    own,
                    goodness(metric, means, self.less_is_better),
                    self.systems,
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
                        "untested": untested,
                    }
                )
                frames.append(best_first(table, self.less_is_better))
        return WholeTable(pd.concat(frames, ignore_index=True))

    @checked_arguments
    def average_rows(self) -> tuple[AverageRow, ...]:
        """Return the rows of :meth:`summary` as named tuples, whose types a checker knows."""
        return typed_rows(self.summary(), AverageRow)

    @checked_arguments
    def pair_rows(self, **comparison: Unpack[ComparisonOptions]) -> tuple[PairRow, ...]:
        """Return the rows of :meth:`compare` as named tuples, whose types a checker knows.

        The p-values by which differences are significant are ``p_corrected``, whatever the
        correction; what was not asked for is None.
        """
        chosen = self._choices(comparison)
        pairs = self._pairs(chosen)
        return typed_rows(pairs.assign(p_corrected=pairs[chosen.column]), PairRow)

    @checked_arguments
    def group_rows(self, **comparison: Unpack[ComparisonOptions]) -> tuple[GroupRow, ...]:
        """Return the rows of :meth:`groups` as named tuples, whose types a checker knows."""
        return typed_rows(self.groups(**comparison), GroupRow)

    @checked_arguments
    def per_user(self) -> pd.DataFrame:
        """Return the values of users, one row per protocol, system and user.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``system``, ``user``, ``lists`` (their number; under P1R their
            weight) and one for each metric: the mean over the user's lists. Identifiers have the
            types of :meth:`.SplitRatings.to_frames`.
        """
        by_code = self._typed_ids("user", self.user_ids)
        frames = []
        for protocol, values in self.values.items():
            per_user = values.per_user
            ids = by_code[values.users]
            for number, system in enumerate(self.systems):
                columns: dict[str, object] = {
                    "protocol": protocol,
                    "system": system,
                    "user": ids,
                    "lists": values.weights,
                }
                columns |= {m: per_user[index, number] for index, m in enumerate(self.metrics)}
                frames.append(pd.DataFrame(columns))
        return WholeTable(pd.concat(frames, ignore_index=True))

    def _typed_ids(
        self, kind: Literal["user", "item"], ids: NDArray[np.str_]
    ) -> NDArray[np.generic]:
        """Return identifiers as numbers or texts, as they were in the table read first."""
        types = (own.types[kind] for own in self.reading if kind in own.types)
        return typed_identifiers(ids, next(types, None))
