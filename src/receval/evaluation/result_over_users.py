# SPDX-License-Identifier: MIT
"""Averages by groups of users, and how differences of two systems are distributed over users."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.reading import ReadingReport
from receval.evaluation.averages_and_pairs import AveragesAndPairs
from receval.evaluation.by_user import CONFIDENCE, ValuesByUser
from receval.evaluation.groups import GroupedResult, notes_on_metrics
from receval.evaluation.groups_of_users import GroupsOfUsers
from receval.figures.style import COLOURS, NO_WINNER, SINGLE_COLUMN, legend_name, new_figure
from receval.metrics.metric import goodness
from receval.metrics.rating_errors import MissingValueError
from receval.notes import Note
from receval.storage.messages import enumerated, how_many, quoted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ResultOverUsers(AveragesAndPairs):
    """What a result has on groups of users or items, and on differences between users."""

    @checked_arguments
    def by_group(
        self,
        users: object = None,
        groups: str | int | None = None,
        *,
        items: str | None = None,
        lists: bool = False,
    ) -> GroupedResult:
        """Return the values of groups of users, or of groups of items.

        Parameters
        ----------
        users : path, data frame, series, Features, "activity" or "popularity taste"
            A table with a feature of users (:func:`receval.data.features.read_features`), each
            value of which is a group, or a series of its values with users as index; or what
            divides users into groups of about equal size: the number of their training ratings, or
            the share of these that are of the 20 % most popular items
            (:func:`receval.evaluation.groups_of_users.traits_of_users`).
        groups : str or int, optional
            The feature, needed if the table has several; or the number of groups by activity or
            taste, 3 by default.
        items : str, optional
            Instead of users, a feature that ``item_groups`` of
            :func:`receval.evaluation.systems.evaluate_systems` named. Metrics of judged ranks are
            then those of the relevant test items of each group, averaged over users who have one.
        lists : bool
            For groups of items, whether to return the metrics of lists, as is done without metrics
            of judged ranks, too. They are share, coverage, concentration, popularity and age of the
            listed items of each group, whose candidates are then the catalogue. Means over the
            items of a list are over the users whose list has one of the group. A group that is in
            no list has only a share and a coverage.

        Returns
        -------
        GroupedResult
            Its ``summary()`` has the averages with intervals, and ``compare()`` the differences
            between groups with tests. Metrics of all users at once, such as Gini, are those of
            the users of each group alone, unless the result was loaded: group before you save.

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
        if (users is None) == (items is None) or (lists and items is None):
            raise ValueError(
                "Give either users=..., a table of users or 'activity', or items=..., a feature "
                "that item_groups named, and with that perhaps lists=True."
            )
        if items is not None:
            if items not in (known := {**self.item_groups, **self.list_groups}):
                raise ValueError(
                    f"The result has no groups of items by {quoted(items)}, but by "
                    f"{enumerated(known) or 'nothing'}. Evaluate with "
                    f"item_groups={quoted(items)}."
                )
            lists = lists or not self.of_ranks
            chosen = self.of_list_groups if lists else self.of_ranks
            values = (self.list_groups if lists else self.item_groups).get(items, {})
            others = self.of_ranks if lists else self.of_list_groups
            shown = (*chosen, *others) if chosen else ()
            left_out = [name for name in self.metrics if name not in shown]
            source = "the items of one group alone" if lists else "judged ranks"
            notes = notes_on_metrics(chosen, left_out, f"not computed from {source}")
            if others and not lists:
                told = f"For {enumerated(others)}, see the listed items by {items}"
                call = f"in Python, by_group(items={items!r}, lists=True)"
                notes = (*notes, Note("no-groups", f"{told} ({call})."))
            name, are_of_items = items, True
            reading: tuple[ReadingReport, ...] = ()
        else:
            is_averaged = np.zeros(len(self.user_ids), dtype=bool)
            for own in self.values.values():
                is_averaged[own.users] = True
            found = GroupsOfUsers.of(users, groups, self.user_ids, is_averaged, self.traits)
            left_out = [] if self.together else [n for n in self.metrics if n in self.of_all_users]
            chosen = tuple(name for name in self.metrics if name not in left_out)
            reason = "computed from data that a loaded result lacks (group users before saving)"
            notes = (*notes_on_metrics(chosen, left_out, reason), *found.notes)
            places = np.array([self.metrics.index(name) for name in chosen], dtype=np.int64)
            values = found.values(self.values, places)
            if together := [name for name in chosen if name in self.of_all_users]:
                lacking = self._measure_together(together, chosen, values)
                notes = (*notes, self._note_on_groups_alone(together), *lacking)
            name, are_of_items, reading = found.name, False, found.reading
        grouped = GroupedResult(
            name,
            self.systems,
            chosen,
            values,
            are_of_items,
            self.less_is_better,
            notes,
            reading,
            {n: self.bounds[n] for n in chosen if n in self.bounds},
            lists,
        )
        return replace(grouped, notes=(*notes, *grouped.notes_on_intervals()))

    def _measure_together(
        self,
        names: Sequence[str],
        metrics: Sequence[str],
        values: Mapping[str, Mapping[str, ValuesByUser]],
    ) -> list[Note]:
        """Put pseudo-values of each group alone in the place of those of all users.

        They are NaN where a metric is not defined for a group, and the notes say so.
        """
        assert self.together is not None
        notes: dict[Note, None] = {}
        for group, by_protocol in values.items():
            for protocol, own in by_protocol.items():
                for name in names:
                    for place, system in enumerate(self.systems):
                        sums: NDArray[np.float64] | float = np.nan
                        try:
                            sums = self.together.sums(name, protocol, system, own.users)
                        except MissingValueError as error:
                            text = f"{name} has no value of the group {group} under {protocol}:"
                            notes[Note("group-without-value", f"{text} {error}")] = None
                        own.sums[metrics.index(name), place] = sums
        return list(notes)

    def _note_on_groups_alone(self, names: Sequence[str]) -> Note:
        text = (
            f"{enumerated(names)} {'is' if len(names) == 1 else 'are'} computed from the users of "
            "each group alone, with intervals by the jackknife."
        )
        if of_lists := [name for name in names if name in self.list_metrics]:
            text += (
                f" Where groups differ in size, {enumerated(of_lists)} can differ for that alone: "
                "more lists cover more items, and more evenly."
            )
        return Note("groups-of-lists", text)

    @property
    def metrics_per_user(self) -> list[str]:
        """The metrics that have a value of each user, and are no weighted mean of all users."""
        first = next(iter(self.values.values()))
        has_values = first.has_values_of_users
        return [
            name
            for name, has in zip(self.metrics, has_values, strict=True)
            if has and name not in self.of_all_users
        ]

    @checked_arguments
    def with_metric(
        self,
        name: str,
        function: Callable[..., NDArray[np.floating]],
        metrics: Sequence[str],
        *,
        less_is_better: bool = False,
    ) -> Self:
        """Return the result with a further metric, a function of the values of users in others.

        With several folds it is a function of each user's averages over them. Its averages have
        intervals, tests and groups like others. Metrics of all users at once and weighted means
        have no value of each user, and are refused. The settings of the result repeat the
        evaluation without the metric.

        Parameters
        ----------
        name : str
            That of the metric in tables.
        function : callable
            It is called with an array of values for each of the metrics, in their order, of shape
            (n_systems, n_users), and returns such an array.
        metrics : sequence of str
            Metrics of the result.
        less_is_better : bool
            Whether lower values are better.

        Raises
        ------
        ValueError
            A metric is unknown or has no values of users, there is none, the name is empty or
            taken, or the function returns something else than finite numbers of this shape.

        Examples
        --------
        >>> from receval.evaluation.runs import evaluate_runs
        >>> test, run = {"user": ["a"], "item": ["x"]}, {"a": {"y": 2.0, "x": 1.0}}
        >>> result = evaluate_runs(test, {"mine": run}, metrics=["RR", "P@2"], depth="whole")
        >>> result.with_metric("Product", lambda rr, p: rr * p, ["RR", "P@2"]).summary()["mean"][2]
        np.float64(0.25)
        """
        if name in self.metrics:
            raise ValueError(f"The result has a metric {quoted(name)}. Give the new one another.")
        if not name.strip():
            raise ValueError("The name of the metric is empty. Give it a name for tables.")
        if not callable(function):
            raise ValueError(f"function is {function!r}, but must be a function of arrays.")
        if isinstance(metrics, str) or not metrics:
            raise ValueError(
                f"metrics is {metrics!r}, but must be a list of metrics of the result, such as "
                f"[{(self.metrics_per_user or self.metrics)[0]!r}]."
            )
        if unknown := [own for own in metrics if own not in self.metrics_per_user]:
            raise ValueError(
                f"There is no metric with a value per user {quoted(unknown[0])}, but "
                f"{enumerated(self.metrics_per_user) or 'none'}."
            )
        places = [self.metrics.index(own) for own in metrics]
        values = {}
        for protocol, own in self.values.items():
            of_users = own.per_user
            found = np.asarray(function(*of_users[places]), dtype=np.float64)
            if found.shape != of_users.shape[1:] or not np.isfinite(found).all():
                raise ValueError(
                    f"The function of {name} must return finite numbers of the shape "
                    f"{of_users.shape[1:]} of its arguments, a value for each system and user."
                )
            sums = np.concatenate([own.sums, (found * own.weights)[None]])
            values[protocol] = replace(own, sums=sums)
        words = f"{name} is computed for each user from the values in {enumerated(list(metrics))}."
        return replace(
            self,
            metrics=(*self.metrics, name),
            values=values,
            words=(*self.words, words),
            less_is_better=self.less_is_better.with_less(name)
            if less_is_better
            else self.less_is_better,
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
            at once or a weighted mean, such as GAUC or RMSE.
        """
        per_user = self.metrics_per_user
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
        order = np.argsort(-goodness(metric, means, self.less_is_better), kind="stable")
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


_LONGEST_LINE = 36


@dataclass(frozen=True, repr=False)
class DifferenceOverUsers:
    r"""The differences of two systems, user by user, and their distribution with a band.

    The band covers the whole distribution function of the population with probability .95
    (Dvoretzky, Kiefer and Wolfowitz; Massart 1990, "The tight constant in the
    Dvoretzky-Kiefer-Wolfowitz inequality"), so any of its points can be read off:

    .. math:: \hat F(x) \pm \sqrt{\frac{\ln(2 / 0.05)}{2 n}}

    Attributes
    ----------
    first, second, metric, protocol : str
    differences : ndarray of float64, shape (n_users,)
        The value of the first system minus that of the second.

    Examples
    --------
    >>> four = DifferenceOverUsers("A", "B", "RR", "AR AI-AN", np.array([-1.0, 0.0, 0.0, 0.5]))
    >>> four.table()["share"].tolist()
    [0.25, 0.75, 1.0]
    """

    first: str
    second: str
    metric: str
    protocol: str
    differences: NDArray[np.float64]

    @property
    def half_width(self) -> float:
        """How far the band goes above and below the distribution."""
        return float(np.sqrt(np.log(2 / (1 - CONFIDENCE)) / (2 * len(self.differences))))

    def table(self) -> pd.DataFrame:
        """Return the distribution, one row per different difference.

        Returns
        -------
        DataFrame
            ``difference``, the ``share`` of users with at most this difference, and the band from
            ``low`` to ``high``.
        """
        values, counts = np.unique(self.differences, return_counts=True)
        share = np.cumsum(counts) / len(self.differences)
        return pd.DataFrame(
            {
                "difference": values,
                "share": share,
                "low": np.maximum(0.0, share - self.half_width),
                "high": np.minimum(1.0, share + self.half_width),
            }
        )

    @property
    def caption(self) -> str:
        """What the figure shows, with the shares of users whom either system serves better."""
        n = len(self.differences)
        ahead, behind = ((sign * self.differences > 0).sum() / n for sign in (1, -1))
        return (
            f"{self.metric} of {self.first} minus that of {self.second} for each of "
            f"{how_many(n, 'user')} ({self.protocol}): the share of users with at most this "
            "difference, with a 95 % band for the whole curve. "
            f"{self.first} has the higher value for {100 * ahead:.1f} % of users, {self.second} "
            f"for {100 * behind:.1f} %"
        )

    def __repr__(self) -> str:
        return self.caption

    def draw(self) -> Figure:
        """Draw the distribution, inside :func:`receval.figures.style.figure_style`."""
        from matplotlib.ticker import MaxNLocator

        table = self.table()
        edge = max(1e-12, 1.05 * float(np.abs(table["difference"]).max()))
        x = np.r_[-edge, table["difference"], edge]
        steps = {
            name: np.r_[start, table[name], table[name].iloc[-1]]
            for name, start in (("share", 0.0), ("low", 0.0), ("high", min(1.0, self.half_width)))
        }
        figure = new_figure(SINGLE_COLUMN, 2.4)
        axes = figure.subplots()
        axes.fill_between(
            x, steps["low"], steps["high"], step="post", color=COLOURS[4], alpha=0.35, linewidth=0
        )
        axes.step(x, steps["share"], where="post", color=COLOURS[0])
        axes.axvline(0, color=NO_WINNER, linewidth=0.8, zorder=0)
        axes.set_xlim(-edge, edge)
        axes.set_ylim(0, 1)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        both = (self.first, self.second)
        first, second = legend_name(self.first, both), f"minus {legend_name(self.second, both)}"
        between = " " if len(first + second) < _LONGEST_LINE else "\n"
        axes.set_xlabel(f"{legend_name(self.metric)}:\n{first}{between}{second}")
        axes.set_ylabel("Share of users")
        return figure
