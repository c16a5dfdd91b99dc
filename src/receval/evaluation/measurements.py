# SPDX-License-Identifier: MIT
"""Measure systems list by list, and make a result of the values, with notes on the users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from receval.data.reading import ReadingReport
from receval.evaluation.by_user import (
    ItemGroupCollector,
    ValuesByUser,
    ValuesByUserCollector,
    interval_within,
    note_without_interval,
    ranked_values,
)
from receval.evaluation.groups_of_users import MeasuredPart, MeasuredTogether
from receval.evaluation.item_features import ItemFeatures
from receval.evaluation.measuring import Measuring
from receval.evaluation.pair_tests import smallest_p_values
from receval.evaluation.result import EvaluationResult
from receval.figures.printed_numbers import significant
from receval.metrics.evaluation import evaluated_lists
from receval.metrics.lists import JudgedItems, JudgedLists
from receval.metrics.metric import Directions, WeightedMean
from receval.metrics.rating_errors import PredictedRatings, RatingMetric
from receval.metrics.whole_lists.list_metric import (
    ListMetric,
    MetricOfAllUsers,
    RecommendedLists,
    list_values,
)
from receval.notes import Note
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold
from receval.statistics.pairs import LEVEL
from receval.storage.messages import enumerated, how_many, quoted
from receval.top_lists import TopLists

FEW_USERS = 0.1
"""A note warns of averages over a smaller share of all users."""


@dataclass(frozen=True)
class FoldPredictions:
    """The scores of a system for the test ratings of a fold, NaN where it has none."""

    fold: Fold
    predictions: NDArray[np.float64]

    @classmethod
    def of_list(
        cls, fold: Fold, users: NDArray, items: NDArray, scores: NDArray[np.floating]
    ) -> FoldPredictions:
        """Return the scores that the lists of a run have of the test ratings."""
        n_items = fold.train.shape[1]
        keys = users.astype(np.int64) * n_items + items
        order = np.argsort(keys)
        wanted = fold.test.users.astype(np.int64) * n_items + fold.test.items
        places = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(0, len(keys) - 1))
        found = np.full(len(wanted), np.nan)
        if len(keys):
            is_there = keys[order[places]] == wanted
            found[is_there] = scores[order[places[is_there]]]
        return cls(fold, found)


@dataclass(frozen=True)
class FoldLists:
    """The lists of a system on one fold under one protocol, and the items that may be in them.

    ``item_ages`` are needed only by metrics of them
    (:func:`receval.metrics.whole_lists.novelty.ages_in_days`).
    """

    lists: TopLists
    fold: Fold
    is_candidate: NDArray[np.bool_]
    item_ages: NDArray[np.float64] | None = None


class Measurements:
    """Collects the values of systems list by list, and makes a result of them.

    ``profiles`` are the numbers of ratings per user before the split, if there was one, of those
    that a selection keeps. Lists are part of the result with at most ``kept`` items each; by
    default, none are. ``traits`` are numbers of all users, by which they can be grouped. With
    ``may_be_empty``, the users are a block of all of them, of whom perhaps none is averaged.
    """

    def __init__(
        self,
        measuring: Measuring,
        systems: Iterable[str],
        user_ids: NDArray[np.str_],
        profiles: NDArray[np.integer] | None = None,
        *,
        kept: int | None = None,
        item_ids: NDArray[np.str_] | None = None,
        features: ItemFeatures | None = None,
        traits: Mapping[str, NDArray[np.float64]] | None = None,
        may_be_empty: bool = False,
    ) -> None:
        self._features = ItemFeatures() if features is None else features
        self._traits = dict(traits or {})
        self._kept = kept
        self._item_ids = item_ids
        self._together: dict[tuple[str, str, str], list[MeasuredPart]] = {}
        self._lists: dict[str, dict[str, list[TopLists]]] = {}
        self._n_empty: dict[tuple[str, str], int] = {}
        self._n_lacking: dict[tuple[str, str], tuple[int, int]] = {}
        self._measuring = measuring
        self._systems = tuple(systems)
        self._user_ids = user_ids
        self._profiles = profiles
        self._tested = np.zeros(len(user_ids), dtype=bool)
        self._on_candidates: dict[str, list[Note]] = {}
        self._collectors = {
            name: ValuesByUserCollector(
                len(measuring.metrics),
                len(user_ids),
                self._systems,
                measuring.users,
                may_be_empty=may_be_empty,
            )
            for name in measuring.protocols
        }
        self._item_groups = ItemGroupCollector(
            self._features.groups,
            measuring.of_ranks,
            len(user_ids),
            self._systems,
            measuring.users,
            measuring.of_lists,
        )

    @property
    def list_length(self) -> int:
        """The length of the lists that :meth:`add` needs; 0 if it needs none."""
        return max(self._measuring.longest_list, self._kept or 0)

    def add(
        self,
        system: str,
        protocol: str,
        judged: JudgedItems,
        ranks: JudgedRanks,
        listed: FoldLists | None = None,
        predicted: FoldPredictions | None = None,
    ) -> None:
        """Measure the lists of a system on one fold, under the protocol of this name."""
        judged = replace(judged, negative_is_unjudged=self._measuring.negative_is_unjudged)
        own = self._measuring.protocols[protocol]
        lists = JudgedLists.measured_by(judged, ranks, own)
        self._tested |= judged.n_judged > 0
        self._on_candidates[protocol] = _note_on_candidates(protocol, own, judged, ranks)
        of_ranks, of_lists = self._measuring.of_ranks, self._measuring.of_lists
        values: dict[str, NDArray[np.float64]] = {}
        means: dict[str, WeightedMean] = {}
        if of_ranks:
            rows, weighted = ranked_values(list(of_ranks.values()), lists)
            values |= zip(of_ranks, rows, strict=True)
            means |= {list(of_ranks)[place]: own for place, own in weighted.items()}
        if listed is not None:
            if self._kept is not None:
                own_lists = self._lists.setdefault(protocol, {}).setdefault(system, [])
                own_lists.append(listed.lists.cut(self._kept))
            values |= self._list_values(system, protocol, of_lists, lists, listed, means)
        if predicted is not None:
            values |= self._rating_values(system, protocol, lists, predicted, means)
        self._item_groups.add(system, protocol, own, judged, ranks)
        names = list(self._measuring.metrics)
        in_order = np.array([values[name] for name in names])
        by_place = {names.index(name): mean for name, mean in means.items()}
        self._collectors[protocol].add(system, lists, in_order, by_place)

    def _list_values(
        self,
        system: str,
        protocol: str,
        metrics: Mapping[str, ListMetric],
        lists: JudgedLists,
        listed: FoldLists,
        means: dict[str, WeightedMean],
    ) -> dict[str, NDArray[np.float64]]:
        """Return the values of metrics of whole lists, which are 0 for users not averaged.

        The parts of weighted means are added to ``means``.
        """
        if not metrics:
            return {}
        chosen = evaluated_lists(lists, self._measuring.users)
        measured = RecommendedLists(
            listed.lists.of_users(lists.users[chosen]),
            listed.fold,
            self._measuring.threshold,
            listed.is_candidate,
            self._features.has_value,
            self._features.values,
            item_ids=self._item_ids,
            item_ages=listed.item_ages,
        )
        # Copied before metrics cache what they compute, which may be larger than the lists.
        kept = replace(measured)
        key = (system, protocol)
        n_empty = int((measured.lists.lengths == 0).sum())
        self._n_empty[key] = self._n_empty.get(key, 0) + n_empty
        found = {}
        for name, row in zip(metrics, list_values(list(metrics.values()), measured), strict=True):
            found[name] = np.zeros(lists.full.n_lists)
            found[name][chosen] = row
            if isinstance(metrics[name], MetricOfAllUsers):
                self._together.setdefault((name, protocol, system), []).append(kept)
            if (
                own := metrics[name].weighted_mean(measured.cut(metrics[name].cutoff or 0))
            ) is not None:
                means[name] = own.of_all_lists(chosen)
        self._item_groups.add_lists(system, protocol, lists, measured)
        return found

    def _rating_values(
        self,
        system: str,
        protocol: str,
        lists: JudgedLists,
        predicted: FoldPredictions,
        means: dict[str, WeightedMean],
    ) -> dict[str, NDArray[np.float64]]:
        """Return the values of metrics of predicted ratings, which are 0 for users not averaged.

        The parts of means over ratings are added to ``means``.
        """
        chosen = evaluated_lists(lists, self._measuring.users) & lists.is_tested
        test = predicted.fold.test
        n_lacking = int((~np.isfinite(predicted.predictions)).sum())
        lacking, whole = self._n_lacking.get((system, protocol), (0, 0))
        self._n_lacking[system, protocol] = lacking + n_lacking, whole + len(test)
        train = predicted.fold.learnt.data
        needing = [name for name, own in self._measuring.of_ratings.items() if own.needs_ratings]
        if n_lacking and needing and not len(train):
            raise ValueError(
                f"{needing[0]} needs a prediction of every test rating, but {quoted(system)} has "
                f"none for {n_lacking:,} of {len(test):,}, and there are no training ratings whose "
                "mean could stand for them. Give predictions of all test ratings, or train=..."
            )
        measured = PredictedRatings(
            test,
            predicted.predictions,
            lists.users[chosen],
            float(np.mean(train, dtype=np.float64)) if len(train) else float("nan"),
            self._measuring.threshold,
        )
        found = {}
        for name, metric in self._measuring.of_ratings.items():
            found[name] = np.zeros(lists.full.n_lists)
            if metric.bounds is not None:
                self._together.setdefault((name, protocol, system), []).append(measured)
            try:
                found[name][chosen] = metric.per_user(measured)
            except ValueError as error:
                raise ValueError(f"Scores of {quoted(system)}: {error}") from error
            if (own := metric.weighted_mean(measured)) is not None:
                means[name] = own.of_all_lists(chosen)
        return found

    @property
    def n_tested(self) -> int:
        """The number of users with test ratings."""
        return int(self._tested.sum())

    def values(self) -> dict[str, ValuesByUser]:
        """Return the values of all systems by protocol."""
        return {name: collector.values() for name, collector in self._collectors.items()}

    def result(
        self,
        settings: Mapping[str, Any],
        notes: Iterable[Note] = (),
        reading: Iterable[ReadingReport] = (),
    ) -> EvaluationResult:
        """Return the result, with the settings of the call, including those of the measuring.

        Notes on reading, on the dialect, on users and on tests are added to those given.
        """
        values = self.values()
        self._refuse_means_of_nobody(values)
        reading = (*reading, *self._features.reading)
        bounds = {}
        for name, own in self._measuring.metrics.items():
            if isinstance(own, MetricOfAllUsers):
                bounds[name] = own.bounds_among(self._features.has_value)
            elif isinstance(own, RatingMetric) and own.bounds is not None:
                bounds[name] = own.bounds
        notes = (
            *chain.from_iterable(own.notes for own in reading),
            *notes,
            *self._measuring.notes,
            *self._features.notes,
            *chain.from_iterable(self._on_candidates.values()),
            *self._notes_on_users(values),
            *self._notes_on_tests(values),
            *self._notes_on_intervals(values, bounds),
            *self._notes_on_empty_lists(),
            *self._notes_on_predictions(),
        )
        return EvaluationResult(
            systems=self._systems,
            metrics=tuple(self._measuring.metrics),
            values=values,
            user_ids=self._user_ids,
            settings=dict(settings),
            notes=notes,
            words=self._measuring.words,
            reading=reading,
            less_is_better=Directions.of(self._measuring.metrics),
            top_lists={
                protocol: {system: tuple(own) for system, own in by_system.items()}
                for protocol, by_system in self._lists.items()
            },
            item_ids=self._item_ids,
            list_metrics=frozenset(self._measuring.of_lists),
            of_all_users=frozenset(bounds),
            bounds=bounds,
            together=MeasuredTogether(
                {
                    name: own
                    for name, own in self._measuring.metrics.items()
                    if isinstance(own, MetricOfAllUsers | RatingMetric) and name in bounds
                },
                self._together,
            ),
            of_ranks=tuple(self._measuring.of_ranks),
            traits=self._traits,
            item_groups=self._item_groups.values(),
            list_groups=self._item_groups.list_values(),
            of_list_groups=tuple(self._item_groups.list_metrics),
        )

    def _refuse_means_of_nobody(self, values: Mapping[str, ValuesByUser]) -> None:
        """Refuse a weighted mean of a system for which no user counts."""
        names = list(self._measuring.metrics)
        for own in values.values():
            for number in own.weighted_means:
                for system, mean in zip(self._systems, own.means[number], strict=True):
                    if np.isnan(mean):
                        raise ValueError(
                            f"{names[number]} of {quoted(system)} is a mean with weights, and no "
                            "user has one: no list has what the metric compares (docs/metrics.md: "
                            "evaluated users). Give longer lists, choose another relevance "
                            "threshold, or leave the metric out."
                        )

    def _notes_on_intervals(
        self, values: Mapping[str, ValuesByUser], bounds: Mapping[str, tuple[float, float]]
    ) -> list[Note]:
        """Return notes on averages of all users at once for which there is no interval."""
        notes = []
        names = list(self._measuring.metrics)
        for protocol, own in values.items():
            for metric, ends in bounds.items():
                place = names.index(metric)
                low, _ = interval_within(own.means[place], own.half_intervals[place], ends)
                lacking = [name for name, end in zip(self._systems, low, strict=True) if end != end]
                if lacking and own.n_users > 1:
                    notes.append(note_without_interval(metric, lacking, protocol))
        return notes

    def _notes_on_empty_lists(self) -> list[Note]:
        """Return notes on users without a list, whom metrics of whole lists count as 0."""
        return [
            Note(
                "users-without-recommendations",
                f"{system} has an empty list for {how_many(count, 'averaged user')} under "
                f"{protocol}: {enumerated(list(self._measuring.of_lists))} "
                f"{'counts' if len(self._measuring.of_lists) == 1 else 'count'} them as 0, or as "
                "docs/metrics.md says.",
            )
            for (system, protocol), count in self._n_empty.items()
            if count
        ]

    def _notes_on_predictions(self) -> list[Note]:
        """Return a note for each system that did not predict some test ratings."""
        told = {system: own for (system, _), own in self._n_lacking.items()}
        told_of = self._measuring.of_ratings.items()
        instead = [
            f"{words} in {enumerated(names)}"
            for needs_ratings, words in _INSTEAD_OF_PREDICTIONS.items()
            if (names := [name for name, own in told_of if own.needs_ratings == needs_ratings])
        ]
        return [
            Note(
                "ratings-not-predicted",
                f"{system} has no score for {lacking:,} of {how_many(whole, 'test rating')}: "
                f"{', and '.join(instead)}.",
            )
            for system, (lacking, whole) in told.items()
            if lacking
        ]

    def _notes_on_users(self, values: Mapping[str, ValuesByUser]) -> list[Note]:
        """Return notes on how many users are not averaged, and why."""
        averaged = {protocol: own.n_users for protocol, own in values.items()}
        if self._profiles is None or len(self._profiles) == self.n_tested:
            return notes_on_users_left_out(self._measuring, averaged, self.n_tested)
        untested = self._profiles[~self._tested]
        why = {
            "no test rating, because the split held out none of their ratings (they have at "
            f"most {untested.max():,} each)": int((untested > 0).sum()),
            "no rating that the selection keeps": int((untested == 0).sum()),
        }
        return notes_on_users_left_out(self._measuring, averaged, self.n_tested, why)

    def _notes_on_tests(self, values: Mapping[str, ValuesByUser]) -> list[Note]:
        """Return notes if no pair of systems can be significant, whatever the values."""
        if len(self._systems) < 2:
            return []
        metrics = np.array(list(self._measuring.metrics), dtype=object)
        notes = []
        for name, own in values.items():
            least, users = smallest_p_values(own)
            # Systems that never differ are equal, and more users would not change that.
            cannot = (least >= LEVEL) & (users > 0)
            if not cannot.any():
                continue
            pairs = len(self._systems) * (len(self._systems) - 1) // 2
            text = (
                "No pair of systems can differ significantly in "
                f"{enumerated(list(metrics[cannot]))} ({name}): at most "
                f"{how_many(int(users[cannot].max()), 'user')} of {own.n_users:,} have different "
                "values under two systems, so the smallest p-value times "
                f"{how_many(pairs, 'pair')} is "
                f"{significant(min(1.0, float(least[cannot].min())))}."
            )
            notes.append(Note("too-few-users", text))
        return notes


_INSTEAD_OF_PREDICTIONS = {
    True: "the mean of the training ratings counts as the prediction",
    False: "a score below all others counts",
}
"""What stands for missing scores in metrics that need ratings, and in others."""


def notes_on_users_left_out(
    measuring: Measuring,
    averaged: Mapping[str, int],
    n_tested: int,
    untested: Mapping[str, int] | None = None,
) -> list[Note]:
    """Return notes on how many users are not averaged, by protocol, and why.

    There are numbers of untested users by the reason; by default all users are tested.
    """
    untested = untested or {}
    n_users = n_tested + sum(untested.values())
    by_count: dict[int, list[str]] = {}
    for protocol, own in averaged.items():
        by_count.setdefault(own, []).append(protocol)
    notes = []
    for n_evaluated, protocols in by_count.items():
        if n_evaluated >= n_users:
            continue
        why = [f"{_have(number)} {reason}" for reason, number in untested.items() if number]
        if n_tested > n_evaluated:
            are_relevant = measuring.users.startswith("relevant") or all(
                measuring.protocols[name].relevant != "AR" for name in protocols
            )
            lack = "relevant test rating" if are_relevant else "list that counts"
            why.append(
                f"{_have(n_tested - n_evaluated)} test ratings, but no {lack} "
                f"(users: {measuring.users})"
            )
        text = (
            f"{n_evaluated:,} of {n_users:,} users are averaged under {enumerated(protocols)}: "
            f"{' and '.join(why)}."
        )
        is_few = n_evaluated < FEW_USERS * n_users
        notes.append(Note("few-users" if is_few else "users-left-out", text))
    return notes


def _note_on_candidates(
    name: str, protocol: Protocol, judged: JudgedItems, ranks: JudgedRanks
) -> list[Note]:
    """Return a note if users have fewer candidates than a protocol samples.

    Under P1R each relevant item has its own candidates.
    """
    if protocol.sampled is None:
        return []
    if ranks.percentiles is None:
        users = np.flatnonzero(judged.n_relevant)
        drawn = ranks.candidates[users].astype(np.int64)
        if protocol.relevant == "AR":
            # Without test items that are no candidates, such as those that nobody trained on.
            listed = ranks.ranks > (0 if protocol.candidates == "train" else -1)
            drawn -= judged.kept(listed).n_relevant[users]
    else:
        relevant = np.zeros(len(judged.positions), dtype=bool)
        relevant[judged.positions] = judged.relevant
        users = np.repeat(np.arange(judged.n_rows), judged.n_judged)[relevant]
        drawn = ranks.candidates[relevant].astype(np.int64)
    n_short = len(np.unique(users[drawn < protocol.sampled]))
    if not n_short:
        return []
    text = (
        f"Under {name}, {n_short:,} of {len(np.unique(users)):,} users have fewer than "
        f"{protocol.sampled:,} items to draw from (the fewest: {drawn.min():,}), so all of their "
        "items are ranked."
    )
    return [Note("fewer-candidates", text)]


def _have(number: int) -> str:
    return f"{number:,} {'has' if number == 1 else 'have'}"
