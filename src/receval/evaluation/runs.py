# SPDX-License-Identifier: MIT
"""Evaluate recommendation lists that other programs made, also on the folds of a split."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import ReadingReport, are_as_written
from receval.data.relevance import RelevanceRule
from receval.data.run import Run, read_run
from receval.evaluation.groups_of_users import traits_of_users
from receval.evaluation.identifiers import (
    SharedCodes,
    TrainedPairs,
    check_that_identifiers_meet,
    without_trained_pairs,
)
from receval.evaluation.item_features import ItemFeatures
from receval.evaluation.measurements import FoldLists, FoldPredictions, Measurements
from receval.evaluation.measuring import (
    ChosenUsers,
    GivenMetric,
    Measuring,
    check_rating_scores,
    checked_length,
)
from receval.evaluation.result import EvaluationResult
from receval.metrics.dialects import Dialect
from receval.metrics.lists import DatasetMetadata, JudgedItems
from receval.metrics.metric import Metric
from receval.metrics.whole_lists.list_metric import ListMetric
from receval.notes import Note
from receval.protocols.candidates import base_candidates
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.listed_ranks import ListedItems, RankedLists, first_listed, rank_listed
from receval.protocols.protocol import Protocol
from receval.seeds import GeneratorFor, generator
from receval.splits.split import KNOWN_BEFORE, TEST, Fold
from receval.storage.messages import enumerated, how_many, quoted

if TYPE_CHECKING:
    from receval.splits.split_ratings import SplitRatings

Depth = int | Literal["auto", "whole"]
OrderOfTies = Literal["auto", "trec", "random", "listed"]


@checked_arguments
def evaluate_runs(
    test: object,
    runs: Mapping[str, object],
    *,
    train: object = None,
    trained_pairs: TrainedPairs = "refuse",
    protocols: str | Protocol | Sequence[str | Protocol] = "AR AI-AN",
    metrics: GivenMetric | Sequence[GivenMetric] | None = None,
    relevant: float | Literal["auto"] = "auto",
    users: ChosenUsers = "auto",
    depth: Depth = "auto",
    ties: OrderOfTies = "auto",
    seed: int = 1,
    dialect: str | Dialect | None = None,
    lists: int | None = None,
    rating_scores: str | Sequence[str] = (),
    item_features: object = None,
    item_groups: str | Sequence[str] | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> EvaluationResult:
    """Measure recommendation lists against test data.

    Test users without a list in a run count as 0, and users of a run who are not tested are
    ignored. The notes of the result say how many there are.

    Parameters
    ----------
    test : path, data frame, mapping or Ratings
        Judgments or held-out ratings (:func:`receval.data.ratings_table.read_test_data`).
    runs : mapping of str to run, path, data frame or mapping
        Runs by the names of the systems (:func:`receval.data.run.read_run`).
    train : path, data frame, mapping or Ratings, optional
        The training data of the systems. A user's training items are removed from the lists, since
        they are not candidates. The highest rating (ERR, ``exp-normalised``) and the positive
        ratings of items (StratifiedRecall) are from both test and training data, if given.
    trained_pairs : {"refuse", "drop"}
        Whether to refuse test pairs that are also in the training data, or to drop them.
    protocols, metrics, relevant, users, dialect
        As for :func:`receval.evaluation.systems.evaluate_systems`. The candidates ``AI`` are all
        items of test data, training data and runs.
    depth : int, "auto" or "whole"
        The length at which the lists were cut. Metrics and protocols that need ranks below it are
        refused. With ``whole``, unlisted items count as never retrieved, as in trec_eval. With
        ``auto``, lists are whole for TREC judgments. Otherwise they are cut if at least half of a
        run's lists are as long as its longest, and there are more items.
    ties : {"auto", "trec", "random", "listed"}
        The order of equal scores: as in trec_eval, which lists the last identifier first; random,
        the same for all users and runs; or as listed in the run. By default as in the dialect, or
        as in trec_eval without one. Scores are compared in double precision, or in single precision
        if the dialect's tool does so, as a note then says.
    seed : int
        The seed of the random order of ties, and of sampled candidates.
    lists : int, optional
        Keep the first items of each list in the result, without training items; ties are broken
        as for the ranks (:meth:`receval.evaluation.result.EvaluationResult.lists`).
    rating_scores : str or sequence of str
        Names of runs whose scores are predicted ratings, for metrics such as RMSE. A test rating
        that a run does not list is predicted by the mean of the training ratings, if given.
    item_features, item_groups
        As for :func:`receval.evaluation.systems.evaluate_systems`.
    progress : callable, optional
        Called before each run is measured, with its name, the number done, and the total.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    ValueError
        A metric or protocol needs ranks that the lists do not contain; or as for
        :func:`receval.evaluation.systems.evaluate_systems`.
    TableError
        A file cannot be used, or shares no user or no item with the others
        (:func:`receval.evaluation.identifiers.check_that_identifiers_meet`).

    Examples
    --------
    >>> test = {"user": ["ann", "ann", "bob"], "item": ["x", "y", "x"], "rating": [5, 2, 4]}
    >>> mine = {"ann": {"y": 2.0, "x": 1.0}, "bob": {"x": 3.0, "z": 1.0}}
    >>> result = evaluate_runs(test, {"mine": mine}, metrics=["RR", "P@2"], depth="whole")
    >>> result.summary()["mean"].tolist()
    [0.75, 0.5]
    """
    if not runs:
        raise ValueError("There is no run to evaluate: name at least one.")
    judged = read_test_data(test)
    training = train if isinstance(train, Ratings) or train is None else read_ratings(train)
    given = {name: read_run(source) for name, source in runs.items()}
    doubts, meeting = check_that_identifiers_meet(judged.ratings, training, given)
    judged, notes = without_trained_pairs(judged, training, trained_pairs)
    measuring = Measuring.of(
        judged.ratings.values,
        partial(RelevanceRule.of_runs, judged, training),
        protocols=protocols,
        metrics=metrics,
        relevant=relevant,
        users=users,
        dialect=dialect,
        are_grades=judged.are_grades,
    )
    each = {name: [own] for name, own in given.items()}
    rating_scores = check_rating_scores({}, each, rating_scores, measuring.of_ratings)
    spoken = measuring.dialect
    if ties == "auto":
        ties = "trec" if spoken is None else spoken.ties
    ordered = {name: with_ties(one, ties) for name, one in measuring.protocols.items()}
    measuring = replace(measuring, protocols=ordered)
    length_kept, told = checked_length(lists, ordered)
    notes += [*doubts, *told]
    codes = SharedCodes.of(judged.ratings, training, list(given.values()))
    fold = codes.fold(judged.ratings, training)
    features = ItemFeatures.of(
        item_features, item_groups, measuring.metrics.values(), codes.item_ids
    )
    items = JudgedItems.of(
        fold.test,
        measuring.threshold,
        lambda: DatasetMetadata.of(codes.dataset(judged.ratings, training), measuring.threshold),
    )
    measurements = Measurements(
        measuring,
        given,
        codes.user_ids,
        kept=length_kept,
        item_ids=codes.item_ids,
        features=features,
        traits=traits_of_users([fold.train]),
    )
    length = measurements.list_length
    generator_for = partial(generator, seed, "runs")
    for place, (name, run) in enumerate(given.items()):
        if progress is not None:
            progress(name, place, len(given))
        listed, strangers = codes.listed(run)
        predictions = _predictions(listed, fold, measuring)
        if spoken is not None:
            listed, told = as_compared(name, listed, spoken)
            notes += told
        if ties == "listed":
            listed = in_listed_order(listed)
        own = RankedRun(
            name, listed, fold, depth_of(run, depth, len(codes.item_ids), judged.are_grades)
        )
        notes += own.notes(strangers, measuring)
        for protocol_name, protocol in ordered.items():
            ranks = own.ranks(protocol, generator_for)
            own.check(protocol_name, ranks, measuring.of_ranks.values())
            own.check_length(protocol_name, measuring.of_lists.values())
            measurements.add(
                name,
                protocol_name,
                items,
                ranks,
                own.lists(protocol, generator_for, length) if length else None,
                predictions,
            )
    sources = zip((judged, training, *given.values()), ("", *meeting), strict=True)
    reading = [
        replace(read, meeting=words)
        for source, words in sources
        if (read := getattr(source, "reading", None)) is not None
    ]
    settings = {**measuring.settings, **features.settings}
    if rating_scores:
        settings["rating_scores"] = rating_scores
    return measurements.result(
        settings | {"depth": depth, "ties": ties, "seed": seed}, notes, reading
    )


# Equal scores in lists: their number, and the order in which a run lists them.


def equal_scores(listed: ListedItems) -> int:
    """Return how many items have the score of an earlier item of the same user."""
    order = np.lexsort((listed.scores, listed.users))
    users, scores = listed.users[order], listed.scores[order]
    return int(((users[1:] == users[:-1]) & (scores[1:] == scores[:-1])).sum())


def in_listed_order(listed: ListedItems) -> ListedItems:
    """Replace scores by positions, so that equal scores keep the order of the run."""
    order = np.lexsort((-listed.scores, listed.users))
    places = np.empty(len(order))
    places[order] = np.arange(len(order), 0, -1)
    return replace(listed, scores=places, given=listed.scores)


@dataclass(frozen=True)
class RankedRun:
    """A run in shared codes, the fold it is measured on, and the depth at which lists are cut.

    Ordered lists have no scores, so only ranks among all candidates can be had of them.
    """

    name: str
    listed: ListedItems | RankedLists
    fold: Fold
    depth: int | None

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each user's list."""
        return np.diff(self.listed.ends(self.fold.train.shape[0]))

    @cached_property
    def tested(self) -> NDArray[np.bool_]:
        """Which users have test ratings."""
        return np.asarray(np.diff(self.fold.test.indptr) > 0)

    @property
    def n_missing(self) -> int:
        """The number of tested users without a list."""
        return int((self.tested & (self.lengths == 0)).sum())

    def notes(self, strangers: int, measuring: Measuring) -> list[Note]:
        """Return notes on tested users without a list, and on lists of users not tested."""
        tested = int(self.tested.sum())
        return notes_on_lists(self.name, self.n_missing, tested, strangers, measuring)

    def ranks(self, protocol: Protocol, generator_for: GeneratorFor) -> JudgedRanks:
        """Return the judged ranks under a protocol."""
        if protocol.sampled is None and protocol.percentiles is None:
            return rank_listed(self.listed, self.fold, protocol, generator_for)
        if self.depth is not None:
            raise ValueError(
                f"The lists of {quoted(self.name)} are cut at {self.depth}, but {protocol.name} "
                "needs the scores of sampled items that are not in them. Give runs with the "
                "scores of all items and set depth='whole', or choose a protocol with all "
                "candidates (AN)."
            )
        scorer = _ScoresOfLists(self._with_scores, self.fold.train.shape)
        return rank_judged(scorer, self.fold, [protocol], generator_for)[0]

    def lists(self, protocol: Protocol, generator_for: GeneratorFor, length: int) -> FoldLists:
        """Return the first items of the lists of all users under a protocol."""
        return FoldLists(
            first_listed(self._with_scores, self.fold, protocol, generator_for, length),
            self.fold,
            base_candidates(protocol, self.fold, self.fold.test),
        )

    @property
    def _with_scores(self) -> ListedItems:
        assert isinstance(self.listed, ListedItems)
        return self.listed

    def check_length(self, protocol: str, metrics: Iterable[ListMetric]) -> None:
        """Refuse metrics of whole lists that look below the cut of the lists."""
        for metric in metrics:
            if self.depth is not None and (metric.cutoff or 0) > self.depth:
                raise ValueError(
                    f"{metric.label} looks at {how_many(metric.cutoff or 0, 'item')} under "
                    f"{protocol}, but the lists of {quoted(self.name)} are cut at {self.depth}. "
                    f"Choose a cut-off of at most {self.depth}, or give longer lists."
                )

    def check(self, protocol: str, ranks: JudgedRanks, metrics: Iterable[Metric]) -> None:
        """Refuse metrics that need ranks below the cut of the lists."""
        if self.depth is None:
            return
        is_cut = (self.lengths >= self.depth) & self.tested
        known = int(ranks.lengths[is_cut].min()) if is_cut.any() else self.depth
        for metric in metrics:
            if metric.reach is None or metric.reach > known:
                shortened = (
                    ""
                    if known == self.depth
                    else (f", and some have {how_many(known, 'item')} left under {protocol}")
                )
                choose = f"Choose a cut-off of at most {known}, give longer lists"
                if metric.reach is None and metric.cutoff is not None:
                    choose = "It needs all items of a list, whatever its cut-off. Give whole lists"
                raise ValueError(
                    f"{metric.label} looks at items that {quoted(self.name)} does not have: its "
                    f"lists are cut at {self.depth}{shortened}. {choose}, or set depth='whole' (in "
                    "a command: --depth whole) if items that are not listed were never retrieved."
                )


def notes_on_lists(
    name: str, missing: int, tested: int, strangers: int, measuring: Measuring
) -> list[Note]:
    """Return notes on how many tested users of a run have no list, and on those not tested."""
    notes = []
    if missing:
        text = f"{name} has no list for {missing} of the {tested} tested users"
        # Other notes say what they count as in metrics of whole lists and of ratings.
        ranked = measuring.of_ranks
        if measuring.users.endswith("covered"):
            text += ": they are left out of the average"
        elif ranked:
            names: dict[str, list[str]] = {}
            for label, metric in ranked.items():
                told = (
                    "are left out of"
                    if np.isnan(metric.missing)
                    else f"count as {metric.missing:g} in"
                )
                names.setdefault(told, []).append(label)
            if list(names) == ["count as 0 in"] and len(ranked) == len(measuring.metrics):
                text += ": they count as 0"
            else:
                parts = [f"{told} {enumerated(own)}" for told, own in names.items()]
                text += f": they {', and '.join(parts)}"
        notes.append(Note("users-without-lists", f"{text}."))
    if strangers:
        text = f"{name} has lists for {how_many(strangers, 'user')} without test ratings."
        notes.append(Note("untested-users", text))
    return notes


def _predictions(listed: ListedItems, fold: Fold, measuring: Measuring) -> FoldPredictions | None:
    """Return the scores of the test ratings in lists, if a metric needs them."""
    if not measuring.of_ratings:
        return None
    return FoldPredictions.of_list(fold, listed.users, listed.items, listed.scores)


class _ScoresOfLists:
    """Lists as a system that scores each user's items by rank of score, with 1 for the worst."""

    def __init__(self, listed: ListedItems, shape: tuple[int, int]) -> None:
        order = np.lexsort((listed.scores, listed.users))
        users, scores = listed.users[order], listed.scores[order]
        self._items = listed.items[order]
        # Positions replace scores: single precision holds them all, and equal ones stay equal.
        new = np.r_[True, (users[1:] != users[:-1]) | (scores[1:] != scores[:-1])]
        self._ends = np.searchsorted(users, np.arange(shape[0] + 1))
        places = np.cumsum(new)
        first = places[self._ends[:-1].clip(max=max(0, len(places) - 1))] if len(places) else places
        self._places = (places - first[users] + 1).astype(np.float32) if len(places) else places
        self._n_items = shape[1]

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        scores = np.full((len(users), self._n_items), np.nan, dtype=np.float32)
        for row, user in enumerate(users):
            own = slice(self._ends[user], self._ends[user + 1])
            scores[row, self._items[own]] = self._places[own]
        return scores


def as_compared(name: str, listed: ListedItems, spoken: Dialect) -> tuple[ListedItems, list[Note]]:
    """Return lists with scores as a tool compares them, and notes on how it treats equal ones."""
    equal = equal_scores(listed)
    told = f"{name} has equal scores"
    if spoken.is_single:
        with np.errstate(over="ignore"):
            single = listed.scores.astype(np.float32).astype(np.float64)
        listed = replace(listed, scores=single)
        before, equal = equal, equal_scores(listed)
        if equal > before:
            told += f", {equal - before:,} of them only in single precision"
    text = f"{told}. Their order in {spoken.tool}: {spoken.ties_in_words}."
    return listed, [Note("order-of-equal-scores", text)] if equal else []


def with_ties(protocol: Protocol, ties: str) -> Protocol:
    """Return a protocol with the order of ties of a run's lists."""
    if protocol.ties == "librec":
        raise ValueError(
            "LibRec's order of ties needs the scores of all items, which runs do not have."
        )
    return replace(protocol, ties="random" if ties == "random" else "index")


def depth_of(run: Run, depth: Depth, n_items: int, are_grades: bool = False) -> int | None:
    """Return the length at which the lists of a run were cut, or None if they are whole."""
    if depth not in ("auto", "whole") and (isinstance(depth, str) or depth < 1):
        raise ValueError(
            f"depth is {quoted(str(depth))}: it must be a number of at least 1, 'auto' or 'whole'."
        )
    if not isinstance(depth, str):
        return int(depth)  # As numpy has whole numbers of its own.
    if depth == "whole" or are_grades:
        return None
    longest = int(run.lengths.max())
    are_many = (run.lengths == longest).mean() >= 0.5 and len(run.lengths) > 1
    return longest if are_many and longest < n_items else None


@dataclass(frozen=True)
class RunsOfFolds:
    """Runs by the names of their systems, one for each fold of a split.

    ``notes``, and in words how many identifiers of each run meet, grow while folds are ranked.
    """

    data: SplitRatings
    by_name: Mapping[str, Sequence[Run]]
    depth: Depth
    notes: list[Note] = field(default_factory=list)
    meeting: dict[int, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, data: SplitRatings, runs: Mapping[str, object], systems: Collection[str], depth: Depth
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
        return [
            replace(own.reading, meeting=self.meeting.get(number, {}).get(name, ""))
            for name, runs in self.by_name.items()
            for number, own in enumerate(runs)
        ]

    def ranked(
        self, number: int, fold: Fold, measuring: Measuring, length: int
    ) -> Iterator[tuple[str, str, JudgedRanks, FoldLists | None, FoldPredictions | None]]:
        """Yield the names of each run and protocol with judged ranks, lists and scores on a fold.

        The lists have at most ``length`` items; there are none if it is 0.
        """
        if not self.by_name:
            return
        of_fold = {name: runs[number] for name, runs in self.by_name.items()}
        ratings, codes = self.data.ratings, self.data.parts.codes[number]
        test = ratings.select((codes & TEST) > 0).compacted()
        known = ratings.select((codes & KNOWN_BEFORE) > 0).compacted()
        doubts, (_, *meeting) = check_that_identifiers_meet(
            test, known, of_fold, are_as_written(self.data)
        )
        self._add(doubts)
        self.meeting[number] = dict(zip(of_fold, meeting, strict=True))
        generator_for = self.data.generator_for(number)
        for name, run in of_fold.items():
            listed, strangers = self._listed(name, run)
            predictions = _predictions(listed, fold, measuring)
            if measuring.dialect is not None:
                listed, told = as_compared(name, listed, measuring.dialect)
                self._add(told)
            own = RankedRun(name, listed, fold, depth_of(run, self.depth, ratings.n_items))
            self._add(own.notes(strangers, measuring))
            for protocol_name, protocol in measuring.protocols.items():
                ranks = own.ranks(protocol, generator_for)
                own.check(protocol_name, ranks, measuring.of_ranks.values())
                own.check_length(protocol_name, measuring.of_lists.values())
                first = own.lists(protocol, generator_for, length) if length else None
                yield name, protocol_name, ranks, first, predictions

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
