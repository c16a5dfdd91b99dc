# SPDX-License-Identifier: MIT
"""Check the systems that a caller gives before any training, fit them, and rank by them.

:func:`recommend` trains one on all ratings, and recommends items by their identifiers.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, runtime_checkable
from typing import Protocol as Interface

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.data.run import Run
from receval.notes import Note
from receval.protocols.evaluation import Scorer, in_ranked_precision, rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders.adapters.adapt import adapt
from receval.recommenders.adapters.scores import GivenScores
from receval.recommenders.base import Recommender
from receval.recommenders.products import with_rows_of
from receval.recommenders.training_ratings import (
    are_clicks,
    clicked_training,
    takes_all_as_positive,
)
from receval.splits.split import Fold, matrices_of
from receval.splits.split_ratings import SplitRatings, select_ratings
from receval.storage.messages import enumerated, how_many, quoted
from receval.top_lists import TopLists, recommended


@runtime_checkable
class Trainable(Interface):
    """A recommender that learns from ratings, then scores all items for given users."""

    def fit(self, train: csr_array) -> Any:
        """Learn from ratings, shape (n_users, n_items), and return an object that scores."""
        ...


def checked_systems(systems: Mapping[str, Any], shape: tuple[int, int]) -> dict[str, Any]:
    """Return systems that can be fitted and scored, and name one that cannot in an error."""
    if not systems:
        raise ValueError("There is no system to evaluate: name at least one.")
    adapted = {name: adapt(system) for name, system in systems.items()}
    for name, system in adapted.items():
        _check_system(name, system, shape)
    return adapted


class WatchedScorer:
    """A fitted system, made by :func:`fitted`, whose scores are checked while users are ranked."""

    def __init__(self, scorer: Scorer, name: str, train: csr_array, needs_all: str | None) -> None:
        self._scorer = scorer
        self._name = name
        self._train = train
        self._needs_all = needs_all
        self._n_users = self._n_without = self._n_infinite = 0

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of the system, unless items without a score may be sampled."""
        scores = in_ranked_precision(self._scorer.score(users))
        self._n_users += len(users)
        if scores.ndim != 2 or scores.shape[1] != self._train.shape[1]:
            return scores  # The ranking code reports what is wrong.
        with np.errstate(invalid="ignore", over="ignore"):
            doubtful = np.flatnonzero(~np.isfinite(scores.sum(axis=1)))
        if len(doubtful):
            own = scores[doubtful]
            self._n_without += int((~np.isfinite(own).any(axis=1)).sum())
            self._n_infinite += int(np.isposinf(own).any(axis=1).sum())
            if self._needs_all is not None:
                self._check_whole(users[doubtful], own)
        return scores

    @property
    def scorer(self) -> Scorer:
        """The fitted system itself."""
        return self._scorer

    def refuse_no_order(self, number: int, n_folds: int) -> None:
        """Refuse a system without a finite score, or with an infinite one, for every user.

        The folds are numbered from 0.
        """
        of_fold = f" of fold {number + 1} of {n_folds}" if n_folds > 1 else ""
        for count, what in self.counts.items():
            if what == self._n_users > 0:
                raise ValueError(
                    f"{self._name} has {count} for all {what:,} tested users{of_fold}: it diverged "
                    "or learnt nothing. Check its parameters and training data."
                )

    @property
    def counts(self) -> Counter[str]:
        """The number of users whose scores give no order, by the reason in words."""
        return Counter({"no finite score": self._n_without, "infinite scores": self._n_infinite})

    def _check_whole(self, users: NDArray[np.int64], scores: NDArray[np.floating]) -> None:
        """Refuse missing scores of items that are not training items of the user."""
        is_missing = np.isnan(scores) | np.isneginf(scores)
        rows, items = self._train[users].nonzero()
        is_missing[rows, items] = False
        short = np.flatnonzero(is_missing.any(axis=1))
        if len(short):
            raise ValueError(
                f"The array of {quoted(self._name)} has no scores for some items that "
                f"{self._needs_all} ranks, for example for "
                f"{how_many(int(is_missing[short[0]].sum()), 'item')} of the user in row "
                f"{int(users[short[0]])}. Give the scores of all items, or choose a protocol with "
                "all candidates (AN)."
            )


def refuse_without_fold_in(systems: Mapping[str, Any], folds: Iterable[Fold]) -> None:
    """Refuse systems that cannot score held-out users, if a fold has some, before any training."""
    if all(fold.fold_in is None for fold in folds):
        return
    for name, system in systems.items():
        can = system.can_fold_in if isinstance(system, Recommender) else hasattr(system, "fold_in")
        if isinstance(system, Trainable) and not can:
            raise ValueError(
                f"The system {quoted(name)} is a {type(system).__name__}, which cannot recommend "
                "to users who were not in its training data, as this split requires. Choose "
                "Popularity, UserKNN, ItemKNN, SLIM, PureSVD or a decomposition of scikit-learn, "
                "give your own system a method fold_in(ratings), or choose another split."
            )


def fitted(
    system: Any,
    train: csr_array,
    name: str = "",
    protocols: Iterable[Protocol] = (),
    fold_in: csr_array | None = None,
) -> WatchedScorer:
    """Fit a system to ratings, if it can be trained, and return it.

    The ratings of held-out users, who are in no training rating, are folded in afterwards.
    """
    # A cut list does not show the ranks of sampled items, or of items of similar popularity.
    of_parts = [own.name for own in protocols if (own.sampled, own.percentiles) != (None, None)]
    needs_all = of_parts[0] if of_parts and isinstance(system, GivenScores) else None
    if isinstance(system, Trainable):
        own = system.fit(clicked_training(system, train))
        trained: Any = system if own is None else own
        if fold_in is not None:
            own = trained.fold_in(clicked_training(system, fold_in))
            trained = trained if own is None else own
        system = trained
    if fold_in is not None:
        train = with_rows_of(train, fold_in)
    return WatchedScorer(system, name, train, needs_all)


def notes_on_scores(counts: Mapping[str, Counter[str]], n_folds: int) -> list[Note]:
    """Return for how many users the scores of systems give no order, summed over folds."""
    summed = f", summed over {n_folds} folds" if n_folds > 1 else ""
    return [
        Note(
            "users-without-scores",
            f"{name} has {what} for {count:,} of the users for whom it ranks items{summed}.",
        )
        for name, own in counts.items()
        for what, count in own.items()
        if count
    ]


def notes_on_clicks(
    systems: Mapping[str, Any], values: NDArray[np.floating] | NDArray[np.integer]
) -> list[Note]:
    """Return a note on systems that ignore items shown without a click in training."""
    if not are_clicks(values):
        return []
    spared = [name for name, system in systems.items() if takes_all_as_positive(system)]
    trained = {name for name, own in systems.items() if isinstance(own, Trainable)}
    others = [n for n in systems if n in trained and not isinstance(systems[n], Recommender)]
    text = (
        f"{int((values <= 0).sum()):,} of {len(values):,} ratings are {values.min():g}, which is "
        "taken to mean that the item was shown but not liked."
    )
    if spared:
        text += (
            f" For {enumerated(spared)}, every training pair is positive, so these ratings are "
            "left out of their training data."
        )
    if others:
        text += (
            f" They are in the training data of {enumerated(others)}. Check whether they count as "
            "positive there."
        )
    return [Note("shown-not-clicked", text)]


def _check_system(name: str, system: Any, shape: tuple[int, int]) -> None:
    if isinstance(system, GivenScores):
        if system.shape != shape:
            raise ValueError(
                f"The scores of {quoted(name)} have the shape {system.shape}. They must cover all "
                f"users and items, with the shape {shape}, in the order of the ratings' codes."
            )
    elif not callable(getattr(system, "score", None)):
        there = [method for method in ("fit", "predict", "recommend") if hasattr(system, method)]
        raise ValueError(
            f"The system {quoted(name)} is a {type(system).__name__}, which has no score(users) "
            f"(it has {enumerated(there) or 'none of fit, predict, recommend'}). Give an object "
            "with score(users) or an array of scores, or give a run to evaluate_runs."
        )
    if isinstance(system, Recommender):
        system.check_size(*shape)
        factors = system.parameters.get("factors")
        if isinstance(factors, int) and factors > min(shape):
            raise ValueError(
                f"The system {quoted(name)} has {factors:,} factors, but ratings of {shape[0]:,} "
                f"users and {shape[1]:,} items have a rank of at most {min(shape):,}. Choose "
                "fewer factors."
            )


@dataclass(frozen=True)
class RankedFold:
    """The judged ranks of some systems on one fold under one protocol.

    Folds are numbered from 0. The ranks of the test ratings and of the unbiased judgments are by
    system; without unbiased judgments there are none of these.
    """

    number: int
    data: Fold
    test: dict[str, JudgedRanks]
    unbiased: dict[str, JudgedRanks]


def ranked_folds(
    data: SplitRatings, systems: Mapping[str, Any], protocol: Protocol, threshold: float
) -> Iterator[RankedFold]:
    """Train systems on each fold, and rank its test ratings and any unbiased judgments."""
    systems = checked_systems(systems, (data.ratings.n_users, data.ratings.n_items))
    for number, fold in enumerate(data.folds()):
        refuse_without_fold_in(systems, [fold])
        generator_for = data.generator_for(number)
        found: dict[str, dict[str, JudgedRanks]] = {"test": {}, "unbiased": {}}
        for name, system in systems.items():
            scorer = fitted(system, fold.learnt, name, [protocol], fold.fold_in)
            for part, judgments in (("test", fold.test), ("unbiased", fold.unbiased)):
                if judgments is not None:
                    (found[part][name],) = rank_judged(
                        scorer, fold, [protocol], generator_for, part, threshold
                    )
            scorer.refuse_no_order(number, data.n_folds)
        yield RankedFold(number, fold, found["test"], found["unbiased"])


ProgressSteps = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""


@checked_arguments
def recommend(
    data: object,
    system: Any,
    *,
    users: Sequence[object] | None = None,
    n: int = 10,
    exclude: Literal["rated"] | None = "rated",
    train: bool = True,
    selection: Mapping[str, Any] | None = None,
    seed: int = 1,
) -> pd.DataFrame:
    """Train a system on all ratings, and return the best items for users.

    The system itself is not changed: a copy is trained.

    Parameters
    ----------
    data : Ratings, SplitRatings, path or data frame
        All ratings are used, also those that a split holds out. What is no table of the library is
        read by :func:`receval.data.ratings_table.read_ratings`.
    system : recommender, scorer or array
        As for :func:`receval.evaluation.systems.evaluate_systems`.
    users : sequence of identifiers, optional
        The users, in the order of the result; by default all, by code.
    n : int
        The most items of each list, at least 1. Items without a score are not recommended.
    exclude : {"rated"} or None
        Whether to leave out the items that the user has rated.
    train : bool
        Whether to train. A system that was already trained on the codes of these ratings, such as
        one of ``result.models``, is used as it is with ``train=False``.
    selection : mapping, optional
        Ratings that are used at all, as for :func:`receval.splits.split_ratings.split`, such as
        ``{"min_item_ratings": 5}``. Other items are not recommended, and other users get no list.
    seed : int
        The seed of a selection of a random share.

    Returns
    -------
    DataFrame
        The columns ``user``, ``rank``, ``item`` and ``score``, one row per recommended item. Of
        items with equal scores, the one whose identifier is first in the order of text comes first.

    Raises
    ------
    ValueError
        A user is unknown, ``n`` is below 1, or the system cannot score.

    Examples
    --------
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbc"), "item": list("xyzxyx"), "rating": [5, 4, 3, 2, 1, 5]}
    >>> recommend(table, Popularity(), users=["c", "b"], n=1).to_dict("list")
    {'user': ['c', 'b'], 'rank': [1, 1], 'item': ['y', 'z'], 'score': [2.0, 1.0]}
    """
    ratings = _ratings_of(data)
    if selection is not None:
        if not train:
            raise ValueError(
                "A selection gives users and items new codes, which a system that was trained "
                "before does not know. Leave out selection or train=False."
            )
        ratings, _ = select_ratings(ratings, selection, seed)
    lists = recommended_lists(ratings, system, users=users, n=n, exclude=exclude, train=train)
    rows, positions, items = lists.entries()
    return pd.DataFrame(
        {
            "user": ratings.user_ids[lists.users[rows]],
            "rank": positions + 1,
            "item": ratings.item_ids[items],
            "score": lists.scores[rows, positions],
        }
    )


def recommended_lists(
    ratings: Ratings,
    system: Any,
    *,
    users: Sequence[object] | None = None,
    n: int = 10,
    exclude: Literal["rated"] | None = "rated",
    train: bool = True,
) -> TopLists:
    """Return the lists of :func:`recommend` in codes of the ratings, in the order of the users."""
    if n < 1:
        raise ValueError(f"n is {n}, but it is the number of items of each list: at least 1.")
    codes = np.arange(ratings.n_users) if users is None else _codes(ratings, users)
    name = type(system).__name__
    shape = (ratings.n_users, ratings.n_items)
    own = checked_systems({name: system}, shape)[name]
    everything = np.ones(len(ratings), dtype=bool)
    (rated,) = matrices_of(ratings.in_order_of_identifiers(keep_codes=True), [everything])
    if train and isinstance(own, Trainable):
        own = fitted(copy.deepcopy(own), rated, name)
    lists = recommended(
        own,
        codes,
        n,
        exclude=None if exclude is None else rated,
        priority=np.argsort(np.argsort(ratings.item_ids, kind="stable")).astype(np.uint32),
        n_items=ratings.n_items,
    )
    return lists.of_users(codes)


def recommended_run(ratings: Ratings, lists: TopLists, source: str = "the run") -> Run:
    """Return lists in codes of ratings as a run."""
    rows, positions, items = lists.entries()
    return Run(
        lists.users[rows].astype(np.int32),
        items.astype(np.int32),
        lists.scores[rows, positions].astype(np.float64),
        ratings.user_ids,
        ratings.item_ids,
        source,
    )


def _ratings_of(data: object) -> Ratings:
    if isinstance(data, SplitRatings):
        return data.ratings
    return data if isinstance(data, Ratings) else read_ratings(data)


def _codes(ratings: Ratings, users: Sequence[object]) -> NDArray[np.int64]:
    """Return the codes of users by their identifiers."""
    named = np.array([str(user) for user in users], dtype=np.str_)
    order = np.argsort(ratings.user_ids, kind="stable")
    places = np.minimum(np.searchsorted(ratings.user_ids, named, sorter=order), ratings.n_users - 1)
    codes = order[places]
    unknown = named[ratings.user_ids[codes] != named]
    if len(unknown):
        raise ValueError(
            f"There are no ratings of {enumerated(list(map(quoted, unknown.tolist())))}, so "
            f"nothing can be recommended to them. Identifiers look like "
            f"{quoted(str(ratings.user_ids[0]))}."
        )
    if len(np.unique(codes)) < len(codes):
        raise ValueError("A user is named twice. Name each user once.")
    return codes.astype(np.int64)
