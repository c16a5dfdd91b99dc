# SPDX-License-Identifier: MIT
"""Compare how well systems serve groups of users, or recommend groups of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from receval.checked_arguments import checked_arguments
from receval.data.reading import ReadingReport
from receval.evaluation.averages_and_pairs import typed_rows
from receval.evaluation.by_user import (
    CONFIDENCE,
    ValuesByUser,
    interval_within,
    note_without_interval,
)
from receval.evaluation.comparison import (
    CANNOT_TELL,
    CORRECTIONS,
    PERMUTATIONS,
    Correction,
    corrected_p_values,
)
from receval.evaluation.formatting import (
    DECIMALS,
    WholeTable,
    decimals_of,
    directions_in_words,
    with_direction,
    with_printed_differences,
)
from receval.evaluation.pair_tests import DECIMALS_OF_RANKS
from receval.figures.printed_numbers import fixed, p_value
from receval.figures.tables import Column, Table, table_of
from receval.notes import Note
from receval.seeds import seed_sequence
from receval.statistics.inequality import MEASURES, by_chance, inequalities
from receval.statistics.pairs import LEVEL, check_samples
from receval.storage.messages import enumerated

_BLOCK_ENTRIES = 2**22
_ROUNDING = 1e-9
_ROUNDING_OF_MEANS = 1e-12


GroupTest = Literal["welch", "permutation", "mann-whitney"]

_TESTS: dict[GroupTest, str] = {
    "welch": "Welch's t-test",
    "permutation": "permutation test of Welch's t",
    "mann-whitney": "Mann-Whitney test",
}
_FEW = f"{CANNOT_TELL}: a group has one user"
_EQUAL = f"{CANNOT_TELL}: all users of a group are equal"
_NONE = f"{CANNOT_TELL}: no user of a group counts in the metric, or it divides by 0"
_NO_ERROR = (
    f"{CANNOT_TELL}: the value of a group is at its limit, only one user counts, or leaving out "
    "any user changes it equally"
)
_NO_VALUES = f"{CANNOT_TELL}: the metric has no value per user"


class GroupAverageRow(NamedTuple):
    """The average of a system over the users of a group, with its 95 % interval."""

    protocol: str
    metric: str
    system: str
    group: str
    users: int
    mean: float
    low: float
    high: float


class GroupPairRow(NamedTuple):
    """Two groups compared; ``p_corrected`` tells by which p-value they differ significantly."""

    protocol: str
    metric: str
    system: str
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


class FairnessRow(NamedTuple):
    """How unequal the values of users are, and how much of it is between groups."""

    protocol: str
    metric: str
    system: str
    inequality: str
    over_users: float
    within: float
    between: float
    by_chance: float
    p: float


@dataclass(frozen=True, repr=False)
class GroupedResult:
    """Values of systems for groups of users, or for the relevant test items of groups of items.

    Attributes
    ----------
    name : str
        What groups users or items, such as ``gender``.
    systems, metrics : tuple of str
    values : mapping of str to mapping of str to ValuesByUser
        Values by group and protocol.
    are_of_items : bool
        Whether the groups are of items. A user is then in all groups of which the user has a
        relevant test item.
    less_is_better : frozenset of str
        Metrics for which lower values are better.
    notes : tuple of Note
        How many users are in no group, and which metrics have no values of groups.
    reading : tuple of ReadingReport
        How the table of users was read.
    bounds : mapping of str to pair of float
        The smallest and largest possible value of each metric of all users at once.
    are_of_lists : bool
        Whether the groups are of listed items, and not of test items.

    Examples
    --------
    >>> from receval.evaluation.runs import evaluate_runs
    >>> test = {"user": list("abcd"), "item": list("xxxx")}
    >>> run = {"a": {"x": 1.0}, "b": {"y": 1.0}, "c": {"x": 1.0}, "d": {"x": 2.0, "y": 1.0}}
    >>> result = evaluate_runs(test, {"mine": run}, metrics="RR", depth="whole")
    >>> people = {"user": list("abcd"), "gender": list("FFMM")}
    >>> result.by_group(people).summary()[["group", "users", "mean"]].values.tolist()
    [['F', 2, 0.5], ['M', 2, 1.0]]
    """

    name: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Mapping[str, Mapping[str, ValuesByUser]]
    are_of_items: bool = False
    less_is_better: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()
    reading: tuple[ReadingReport, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    are_of_lists: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that have users, in the order of the feature's values."""
        return tuple(self.values)

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols."""
        return tuple(dict.fromkeys(name for own in self.values.values() for name in own))

    def summary(self) -> pd.DataFrame:
        """Return the averages, one row per protocol, metric, system and group.

        Returns
        -------
        DataFrame
            ``mean`` with its 95 % interval from ``low`` to ``high`` over users (NaN with one
            user), and ``users``, the number of users of the group who are averaged.
        """
        rows = []
        for protocol in self.protocols:
            own = {
                group: (values.means, values.half_intervals, values.n_users)
                for group, by_protocol in self.values.items()
                if (values := by_protocol.get(protocol)) is not None
            }
            for metric, metric_name in enumerate(self.metrics):
                for system, system_name in enumerate(self.systems):
                    for group, (means, halves, users) in own.items():
                        mean, half = means[metric, system], halves[metric, system]
                        low, high = mean - half, mean + half
                        if metric_name in self.bounds:
                            ends = self.bounds[metric_name]
                            own_low, own_high = interval_within(mean[None], half[None], ends)
                            low, high, mean = own_low[0], own_high[0], np.clip(mean, *ends)
                        names = (protocol, metric_name, system_name, group)
                        rows.append((*names, users, mean, low, high))
        columns = ["protocol", "metric", "system", "group", "users", "mean", "low", "high"]
        return WholeTable(pd.DataFrame(rows, columns=columns))

    @checked_arguments
    def compare(
        self,
        *,
        test: GroupTest = "welch",
        correction: Correction | None = "auto",
        samples: int = PERMUTATIONS,
        seed: int = 1,
    ) -> pd.DataFrame:
        r"""Compare every pair of groups, one row per protocol, metric, system and pair.

        Parameters
        ----------
        test : {"welch", "permutation", "mann-whitney"}
            Tests of two samples, since groups have no pairs of values of one user. ``welch`` is
            Welch's t-test. ``permutation`` exchanges the users of two groups at random and compares
            Welch's t, which holds if variances differ, too (Janssen 1997, "Studentized permutation
            tests"). ``mann-whitney`` tests whether a user of one group is
            as likely above as below one of the other (Mann and Whitney 1947, "On a test of whether
            one of two random variables is stochastically larger than the other"). Groups of items
            share users, so ``welch`` takes the variance of the difference over all users of both
            groups, and there is no other test.
        correction : {"auto", "holm", "bh", "bonferroni"} or None
            The correction for the number of pairs of groups, by default Holm's.
        samples : int
            The number of samples of the permutation test.
        seed : int
            The seed of its random choices.

        Returns
        -------
        DataFrame
            ``difference`` is the average of the first group minus that of the second, with its
            95 % interval from ``low`` to ``high`` by the t-test; ``effect_size`` is the difference
            over the root of the mean variance of both groups (Cohen's d); ``p`` is the p-value and
            ``p_holm``, or another name by the correction, the one corrected for the number of pairs
            of groups, for each system and metric; ``significant`` tells whether it is below .05,
            and ``method`` is the test. Where it cannot tell, as in a group of one user, p is NaN,
            and ``method`` has the reason.

        Raises
        ------
        ValueError
            There are fewer than two groups or no samples, or groups of items with another test than
            Welch's.
        """
        check_samples(samples)
        if len(self.groups) < 2:
            raise ValueError(
                f"There is only the group {' '.join(self.groups) or 'of nobody'} of {self.name}, "
                "but a comparison needs two."
            )
        if self.are_of_items and test != "welch":
            raise ValueError(
                "Groups of items share their users, who cannot be exchanged between groups. Set "
                "test='welch'."
            )
        frames = [
            self._pairs(
                protocol,
                test,
                "holm" if correction == "auto" else correction,
                samples,
                seed_sequence(seed, "groups", self.name, protocol),
            )
            for protocol in self.protocols
        ]
        return WholeTable(pd.concat(frames, ignore_index=True))

    @checked_arguments
    def fairness(self, *, samples: int = 1000, seed: int = 1) -> pd.DataFrame:
        """Return how unequally values are divided over users, within groups and between groups.

        What is fair to groups can be unfair to users. And groups of few users differ by chance, as
        random groups of the same sizes do.

        Parameters
        ----------
        samples : int
            The number of random divisions of the users into groups of the same sizes.
        seed : int
            The seed of these divisions.

        Returns
        -------
        DataFrame
            One row per protocol, metric, system and ``inequality``: the standard deviation, the
            Gini coefficient and Atkinson's index, 0 if all values are equal
            (:func:`receval.statistics.inequality.inequalities`). ``over_users`` is that of all
            users, ``within`` and ``between`` are its parts, ``by_chance`` is the mean between
            random groups, and ``p`` the p-value of the permutation test against them. NaN where a
            value is negative, all are 0, or the metric has no values of users, as weighted means
            and metrics of all users at once.

        Raises
        ------
        ValueError
            There are no samples, or the groups are of items: a user can be in several of them.
        """
        check_samples(samples)
        if self.are_of_items:
            raise ValueError(
                "Groups of items share their users, so values have no parts within and between "
                "groups. Group users instead: by_group(users)."
            )
        rows = []
        for protocol in self.protocols:
            own = [by[protocol] for by in self.values.values() if protocol in by]
            groups = np.repeat(np.arange(len(own)), [values.n_users for values in own])
            everybody = np.concatenate([values.per_user for values in own], axis=-1)
            has_values = own[0].has_values_of_users & ~np.isin(self.metrics, list(self.bounds))
            everybody = np.where(has_values[:, None, None], everybody, np.nan)
            for metric, of_systems in zip(self.metrics, everybody, strict=True):
                for system, values in zip(self.systems, of_systems, strict=True):
                    found = inequalities(values, groups)
                    generator = np.random.default_rng(
                        seed_sequence(seed, "fairness", self.name, protocol)
                    )
                    chance = by_chance(values, groups, generator, samples)
                    rows += [
                        (protocol, metric, system, measure, *numbers)
                        for measure, *numbers in zip(MEASURES, *found, *chance, strict=True)
                    ]
        columns = ["protocol", "metric", "system", "inequality", "over_users", "within", "between"]
        return WholeTable(pd.DataFrame(rows, columns=[*columns, "by_chance", "p"]))

    def average_rows(self) -> tuple[GroupAverageRow, ...]:
        """Return the rows of :meth:`summary` as named tuples, whose types a checker knows."""
        return typed_rows(self.summary(), GroupAverageRow)

    @checked_arguments
    def pair_rows(
        self,
        *,
        test: GroupTest = "welch",
        correction: Correction | None = "auto",
        samples: int = PERMUTATIONS,
        seed: int = 1,
    ) -> tuple[GroupPairRow, ...]:
        """Return the rows of :meth:`compare` as named tuples, whose types a checker knows.

        Parameters
        ----------
        test, correction, samples, seed
            As for :meth:`compare`.
        """
        pairs = self.compare(test=test, correction=correction, samples=samples, seed=seed)
        by = "p" if correction is None else "p_holm" if correction == "auto" else f"p_{correction}"
        return typed_rows(pairs.assign(p_corrected=pairs[by]), GroupPairRow)

    @checked_arguments
    def fairness_rows(self, *, samples: int = 1000, seed: int = 1) -> tuple[FairnessRow, ...]:
        """Return the rows of :meth:`fairness` as named tuples, whose types a checker knows.

        Parameters
        ----------
        samples, seed
            As for :meth:`fairness`.
        """
        return typed_rows(self.fairness(samples=samples, seed=seed), FairnessRow)

    def _lacks_interval(self, values: ValuesByUser) -> NDArray[np.bool_]:
        """Return which averages have no interval, shape (n_metrics, n_systems).

        Either only one user counts, or all pseudo-values are equal, which does not mean that the
        average is known exactly.
        """
        means, halves = values.means, values.half_intervals
        lacks = values.n_counted < 2
        for place, name in enumerate(self.metrics):
            if name in self.bounds:
                low, _ = interval_within(means[place], halves[place], self.bounds[name])
                lacks[place] = np.isnan(low)
        return lacks

    def notes_on_intervals(self) -> tuple[Note, ...]:
        """Return notes on averages of groups of several users for which there is no interval."""
        lacking: dict[tuple[str, str], list[str]] = {}
        for group, by_protocol in self.values.items():
            for protocol, own in by_protocol.items():
                known = np.isfinite(own.means) & (own.n_users > 1)
                for metric, system in np.argwhere(self._lacks_interval(own) & known):
                    told = lacking.setdefault((self.metrics[metric], protocol), [])
                    told.append(f"{self.systems[system]} in {group}")
        return tuple(note_without_interval(name, own, by) for (name, by), own in lacking.items())

    def _pairs(
        self,
        protocol: str,
        test: GroupTest,
        correction: Correction | None,
        samples: int,
        seed: np.random.SeedSequence,
    ) -> pd.DataFrame:
        own = {
            group: by_protocol[protocol]
            for group, by_protocol in self.values.items()
            if protocol in by_protocol
        }
        names = list(own)
        pairs = [(a, b) for number, a in enumerate(names) for b in names[number + 1 :]]
        shape = (len(self.metrics), len(self.systems), len(pairs))
        difference, half, size, p = (np.full(shape, np.nan) for _ in range(4))
        methods = np.full(shape, test, dtype=object)
        generator = np.random.default_rng(seed)
        for number, (one, other) in enumerate(pairs):
            compared = _shared_users if self.are_of_items else _welch
            found = compared(own[one], own[other])
            difference[..., number], half[..., number], size[..., number], own_p = found
            has_few = min(own[one].n_users, own[other].n_users) < 2
            if test == "permutation" and not has_few:
                own_p = _permuted(own[one], own[other], generator, samples)
            elif test == "mann-whitney" and not has_few:
                own_p = _ranked(own[one], own[other])
            reasons = np.full(own_p.shape, _FEW if has_few else _EQUAL, dtype=object)
            if not has_few:
                lacks = self._lacks_interval(own[one]) | self._lacks_interval(own[other])
                half[..., number][lacks] = size[..., number][lacks] = np.nan
                own_p, reasons = np.where(lacks, np.nan, own_p), np.where(lacks, _NO_ERROR, reasons)
            if test != "welch":
                has_values = np.array([name not in self.bounds for name in self.metrics])
                if test == "mann-whitney":
                    has_values &= own[one].has_values_of_users
                has_values = has_values[:, None]
                own_p = np.where(has_values, own_p, np.nan)
                reasons = np.where(has_values, reasons, _NO_VALUES)
            is_empty = np.isnan(found[0])
            own_p, reasons = np.where(is_empty, np.nan, own_p), np.where(is_empty, _NONE, reasons)
            p[..., number] = own_p
            methods[..., number] = np.where(np.isnan(own_p), reasons, methods[..., number])
        adjusted = corrected_p_values(p, correction) if pairs else p
        rows = [
            (protocol, metric, system, *pair)
            for metric in self.metrics
            for system in self.systems
            for pair in pairs
        ]
        numbers = {
            "difference": difference,
            "low": difference - half,
            "high": difference + half,
            "effect_size": size,
            "p": p,
            "p" if correction is None else f"p_{correction}": adjusted,
            "significant": adjusted < LEVEL,
            "method": methods,
        }
        table = pd.DataFrame(rows, columns=["protocol", "metric", "system", "first", "second"])
        return table.assign(**{name: own.ravel() for name, own in numbers.items()})

    @checked_arguments
    def tables(
        self,
        *,
        decimals: int = DECIMALS,
        test: GroupTest = "welch",
        correction: Correction | None = "auto",
        samples: int = PERMUTATIONS,
        seed: int = 1,
    ) -> tuple[Table, ...]:
        """Return the tables for papers: averages by group and, with several groups, all pairs.

        Parameters
        ----------
        decimals : int
            Digits of averages after the decimal point.
        test, correction, samples, seed
            As for :meth:`compare`.
        """
        averages = self._averages_table(self.summary(), decimals)
        if len(self.groups) < 2:
            return (averages,)
        pairs = self.compare(test=test, correction=correction, samples=samples, seed=seed)
        applied: Correction | None = "holm" if correction == "auto" else correction
        return averages, self._pairs_table(pairs, _TESTS[test], applied, decimals)

    @property
    def _title(self) -> str:
        items = "Listed items" if self.are_of_lists else "Items"
        return f"{items if self.are_of_items else 'Users'} by {self.name}"

    def _averages_table(self, summary: pd.DataFrame, decimals: int) -> Table:
        several = len(self.protocols) > 1
        heads = [Column("Protocol")] * several + [Column("Metric"), Column("System")]
        first = self.protocols[0]
        counts = {group: own[first].n_users for group, own in self.values.items() if first in own}
        digits = {
            metric: decimals_of(own, decimals) for metric, own in summary.groupby("metric")["mean"]
        }
        cells = {
            (row.protocol, row.metric, row.system, row.group): fixed(row.mean, digits[row.metric])
            for row in summary.itertuples(index=False)
        }
        rows = [
            (
                *([protocol] if several else []),
                with_direction(metric, self.less_is_better),
                system,
                *(cells.get((protocol, metric, system, group), "") for group in self.groups),
            )
            for protocol in self.protocols
            for metric in self.metrics
            for system in self.systems
        ]
        users = [f"{group} {count:,}" for group, count in counts.items()]
        over = (
            "the listed items of each group; means over items are over users who have one"
            if self.are_of_lists
            else "the relevant test items of each group, over users who have one"
            if self.are_of_items
            else "the users of each group"
        )
        caption = f"Averages of {over}. Users under {first}: {'; '.join(users)}."
        caption += directions_in_words(self.metrics, self.less_is_better)
        columns = [Column(group, "right") for group in self.groups]
        return Table(self._title, (*heads, *columns), tuple(rows), caption)

    def _pairs_table(
        self, pairs: pd.DataFrame, test: str, correction: Correction | None, decimals: int
    ) -> Table:
        caption = (
            f"Differences of averages, the first group minus the second ({test}"
            f"{' over all users of both groups' if self.are_of_items else ''}). d: the difference "
            "over the standard deviation of users."
        )
        if correction is not None:
            heading = CORRECTIONS[correction][2]
            caption += (
                f" {heading}: corrected for the number of pairs of groups, for each system and "
                "metric."
            )
        if reasons := pairs.loc[pairs["p"].isna(), "method"].unique().tolist():
            told = "; ".join(own.removeprefix(f"{CANNOT_TELL}: ") for own in reasons)
            caption += f" Without p: {told}."
        columns: dict[str, tuple[str, Callable[[Any], str]]] = {
            "Protocol": ("protocol", str),
            "Metric": ("metric", str),
            "System": ("system", str),
            "First": ("first", str),
            "Second": ("second", str),
            "Difference": ("difference", format),
            "95 % interval": ("interval", format),
            "d": ("effect_size", lambda d: fixed(d, 2, signed=True) if np.isfinite(d) else ""),
            "p": ("p", p_value),
        }
        if correction is not None:
            columns[f"p ({heading})"] = (f"p_{correction}", p_value)
        if len(self.protocols) == 1:
            del columns["Protocol"]
        metrics = [with_direction(metric, self.less_is_better) for metric in pairs["metric"]]
        shown = with_printed_differences(pairs, decimals).assign(metric=metrics)
        return table_of(shown, columns, f"Differences: {self._title.lower()}", caption)

    def __str__(self) -> str:
        places = ["protocol", "metric", "system", "group"]
        means = self.summary().set_index(places)["mean"]
        rows = means.index.droplevel("group").unique()
        # pivot_table would leave out groups without any value.
        table = means.unstack().loc[rows, list(self.groups)]  # noqa: PD010
        return table.round(4).to_string(line_width=pd.get_option("display.width"))

    __repr__ = __str__


# Comparisons of two groups: the difference, half of its interval, the effect size, and the p-value,
# each of shape (n_metrics, n_systems).

_Compared = tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]
]


def _difference(one: ValuesByUser, other: ValuesByUser) -> NDArray[np.float64]:
    """Return the difference of the averages of two groups; 0 if rounding alone differs."""
    first, second = one.means, other.means
    largest = np.maximum(np.abs(first), np.abs(second))
    is_rounding = np.abs(first - second) <= _ROUNDING_OF_MEANS * largest
    return np.where(is_rounding, 0.0, first - second)


def _variances(values: ValuesByUser) -> NDArray[np.float64]:
    """Return the variance of the users' contributions to the average."""
    n, counted = values.n_users, values.n_counted
    squares = (values.residuals**2).sum(axis=-1) * (counted / n)
    return np.asarray(squares / np.maximum(1, counted - 1) / values.weights.mean() ** 2)


def _tested(
    difference: NDArray[np.float64],
    error: NDArray[np.float64],
    freedom: NDArray[np.float64] | float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return half of the interval and the p-value of differences with standard errors.

    They are NaN for a difference whose standard error is 0.
    """
    t = np.where(difference == 0, 0.0, np.nan)
    is_known = error > np.finfo(float).eps * 1e3 * np.abs(difference)
    np.divide(np.abs(difference), error, out=t, where=is_known)
    error = np.where(np.isnan(t), np.nan, error)
    half = stdtrit(freedom, (1 + CONFIDENCE) / 2) * error
    return np.asarray(half), np.asarray(np.minimum(1.0, 2.0 * stdtr(freedom, -t)))


def _effect_size(
    difference: NDArray[np.float64], one: ValuesByUser, other: ValuesByUser
) -> NDArray[np.float64]:
    # Users who do not count would make the variance of all contributions larger.
    parts = [_variances(own) * own.n_counted / own.n_users for own in (one, other)]
    deviation = np.sqrt((parts[0] + parts[1]) / 2)
    size = np.full(difference.shape, np.nan)
    np.divide(difference, deviation, out=size, where=deviation > 0)
    return size


def _too_few(difference: NDArray[np.float64]) -> _Compared:
    nothing = np.full(difference.shape, np.nan)
    return difference, nothing, nothing, nothing


def _welch(one: ValuesByUser, other: ValuesByUser) -> _Compared:
    """Compare two groups that have no common user, by Welch's t-test."""
    difference = _difference(one, other)
    if min(one.n_users, other.n_users) < 2:
        return _too_few(difference)
    squares = [_variances(own) / own.n_users for own in (one, other)]
    both = squares[0] + squares[1]
    free = [np.maximum(1, own.n_counted - 1) for own in (one, other)]
    below = squares[0] ** 2 / free[0] + squares[1] ** 2 / free[1]
    freedom = np.asarray(free[0] + free[1], dtype=np.float64)
    np.divide(both**2, below, out=freedom, where=below > 0)
    half, p = _tested(difference, np.sqrt(both), freedom)
    return difference, half, _effect_size(difference, one, other), p


def _shared_users(one: ValuesByUser, other: ValuesByUser) -> _Compared:
    """Compare two groups that may have common users, by what each user adds to the difference."""
    difference = _difference(one, other)
    users = np.union1d(one.users, other.users)
    n = len(users)
    if min(one.n_users, other.n_users) < 2:
        return _too_few(difference)
    added = np.zeros((*difference.shape, n))
    for own, sign in ((one, 1.0), (other, -1.0)):
        added[..., np.searchsorted(users, own.users)] += sign * own.residuals / own.weights.sum()
    counted = n - np.maximum(*(own.n_users - own.n_counted for own in (one, other)))
    freedom = np.maximum(1.0, counted - 1)
    error = np.sqrt((added**2).sum(axis=-1) * counted / freedom)
    half, p = _tested(difference, error, freedom)
    return difference, half, _effect_size(difference, one, other), p


def _permuted(
    one: ValuesByUser, other: ValuesByUser, generator: np.random.Generator, samples: int
) -> NDArray[np.float64]:
    """Return p-values by exchanging the users of two groups, shape (n_metrics, n_systems)."""
    shape = one.means.shape
    sums = np.concatenate([one.sums, other.sums], axis=-1).reshape(-1, one.n_users + other.n_users)
    weights = np.concatenate([one.weights, other.weights])
    is_first = np.arange(len(weights)) < one.n_users
    observed = _t_of_groups(sums, weights, is_first[None, :])[0]
    exceeded = np.zeros(len(sums), dtype=np.int64)
    for block in _blocks(samples, len(weights)):
        labels = generator.permuted(np.broadcast_to(is_first, (block, len(weights))), axis=1)
        drawn = _t_of_groups(sums, weights, labels)
        exceeded += (drawn >= observed * (1.0 - _ROUNDING)).sum(axis=0)
    found = ((exceeded + 1) / (samples + 1)).reshape(shape)
    for metric in one.weighted_means:
        first, second = (own.of_counting_users(metric) for own in (one, other))
        sizes = first.n_users, second.n_users
        if min(sizes) > 1 and sum(sizes) < len(weights):
            found[metric] = _permuted(first, second, generator, samples)
    return np.asarray(found)


def _ranked(one: ValuesByUser, other: ValuesByUser) -> NDArray[np.float64]:
    """Return the p-values of the Mann-Whitney test of the values of users."""
    # Imported here because scipy.stats takes long to import.
    from scipy.stats import mannwhitneyu

    values = [np.round(own.per_user, DECIMALS_OF_RANKS) for own in (one, other)]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(mannwhitneyu(*values, axis=-1, method="asymptotic").pvalue)
    # If all users of both groups are equal, there is nothing to rank.
    return np.where(np.isnan(found), 1.0, found)


def _blocks(samples: int, n_users: int) -> Iterator[int]:
    step = max(1, _BLOCK_ENTRIES // n_users)
    for start in range(0, samples, step):
        yield min(step, samples - start)


def _t_of_groups(
    sums: NDArray[np.float64], weights: NDArray[np.float64], is_first: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the absolute t of each division of users, shape (n_divisions, n_rows)."""
    # Squares of residuals are sums of these, which a product with the divisions gives for all.
    terms = [sums, sums**2, sums * weights, weights[None, :], weights[None, :] ** 2]
    chosen = is_first.astype(np.float64)
    means, squares = [], []
    for part, n in ((chosen, int(is_first[0].sum())), (1.0 - chosen, int((~is_first[0]).sum()))):
        s, s2, sw, w, w2 = (part @ term.T for term in terms)
        mean = s / w
        residuals = np.maximum(0.0, s2 - 2 * mean * sw + mean**2 * w2)
        # What rounding leaves of a variance of 0.
        residuals[residuals <= 1e-13 * s2] = 0.0
        means.append(mean)
        squares.append(residuals * n / (n - 1) / w**2)
    difference = np.abs(means[0] - means[1])
    error = np.sqrt(squares[0] + squares[1])
    t = np.where(difference > 0, np.inf, 0.0)
    np.divide(difference, error, out=t, where=error > 0)
    return t


def notes_on_metrics(
    metrics: Sequence[str], left_out: Sequence[str], reason: str
) -> tuple[Note, ...]:
    """Return a note on metrics that have no values of groups of users or items, with the reason.

    If no metric is left, a ValueError is raised instead.
    """
    if not left_out:
        return ()
    told = f"{enumerated(left_out)} {'is' if len(left_out) == 1 else 'are'} {reason}"
    told += ", so there are no values by group"
    if not metrics:
        raise ValueError(f"{told}. Add another metric.")
    return (Note("no-groups", f"{told}."),)
