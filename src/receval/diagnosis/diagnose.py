# SPDX-License-Identifier: MIT
"""Diagnose ratings in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd

from receval.checked_arguments import checked_arguments
from receval.data.moments import span_in_words
from receval.data.ratings import Ratings
from receval.data.ratings_table import are_counts
from receval.data.relevance import RelevanceRule
from receval.diagnosis.compared_splits import (
    COMPARED_SPLITS,
    ComparedSplits,
    cold_start,
    compared_splits,
)
from receval.diagnosis.decisive_numbers import DecisiveNumbers, SplitNumbers
from receval.diagnosis.diagnosis import Diagnosis
from receval.diagnosis.metrics_on_these_data import (
    metrics_for,
    metrics_on_these_data,
    values_of_tested_users,
)
from receval.diagnosis.quick_systems import QuickLists, QuickRanking, fitting_systems
from receval.diagnosis.random_precision import (
    experiment_designs,
    popularity_or_sparsity,
    precision_of_designs,
)
from receval.diagnosis.recommendation import recommendation
from receval.diagnosis.size_and_skew import popularity_curve, size_and_skew
from receval.diagnosis.timestamps import future_training, time_span
from receval.diagnosis.unbiased_judgments import (
    agreement_of_judgments,
    chosen_ratings,
    disagreeing_item_pairs,
    drawn_judgments,
    liked_and_disliked,
    unbiased_ratings,
    with_unbiased,
)
from receval.metrics.evaluation import evaluate, evaluated_lists, mean
from receval.metrics.registry import parse
from receval.notes import Note
from receval.protocols.protocol import parse_protocol
from receval.seeds import generator
from receval.splits.split_ratings import split
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b

Tell = Callable[[str, int, int], None]
"""Called with the name of the current step, its number from 0, and the total."""


# Users are sampled with all of their ratings, so that any dataset takes about a minute.

MOST_RATINGS = 1_500_000
"""The most ratings of the users for whom systems are trained and measured."""

MOST_SCORES = 200_000_000
"""The most pairs of these users with items, all of which a system scores."""

FEWEST_USERS = 500
"""At least this many users are sampled if they exist, whatever the number of items."""


def sampled_users(ratings: Ratings, seed: int) -> Ratings:
    """Return the ratings of some users drawn at random, or all of them if they are not too many.

    Users keep all of their ratings, so that profiles are as long as in the data, while items have
    fewer ratings. Users are taken in random order up to :data:`MOST_RATINGS` ratings and
    :data:`MOST_SCORES` pairs with items, but at least :data:`FEWEST_USERS` of them.

    Returns
    -------
    Ratings
        The same object if no user is left out. Otherwise the remaining users and items get new
        codes, and keep their identifiers.

    Examples
    --------
    >>> ratings = Ratings(
    ...     *np.array([[0, 0, 1], [0, 1, 1]], dtype=np.int32),
    ...     values=np.array([5, 2, 4], dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film"]),
    ... )
    >>> sampled_users(ratings, seed=1) is ratings
    True
    """
    n_users, n_items = ratings.n_users, ratings.n_items
    if len(ratings) <= MOST_RATINGS and n_users * n_items <= MOST_SCORES:
        return ratings
    order = generator(seed, "diagnosis", "users").permutation(n_users)
    cumulated = np.cumsum(np.bincount(ratings.users, minlength=n_users)[order])
    by_ratings = int(np.searchsorted(cumulated, MOST_RATINGS, side="right"))
    size = max(FEWEST_USERS, min(by_ratings, MOST_SCORES // n_items))
    if size >= n_users:
        return ratings
    is_taken = np.zeros(n_users, dtype=np.bool_)
    is_taken[order[:size]] = True
    return ratings.select(is_taken[ratings.users]).compacted()


@checked_arguments
def diagnose(
    ratings: Ratings,
    *,
    relevant: float | Literal["auto"] = "auto",
    unbiased: Ratings | None = None,
    seed: int = 1,
    tell: Tell | None = None,
) -> Diagnosis:
    """Find out what ratings allow to be measured, and how to design an experiment on them.

    Size, skew, splits, timestamps and cold users and items are measured on all ratings. With very
    many ratings, systems are trained on a sample of users (the limits are in
    :mod:`receval.diagnosis.diagnose`), and a note says so.

    Parameters
    ----------
    ratings : Ratings
        From :func:`receval.data.ratings_table.read_ratings`; the order of their rows does
        not matter.
    relevant : float or "auto"
        The lowest rating of a relevant item
        (:func:`receval.data.relevance.relevance_threshold`).
    unbiased : Ratings, optional
        Judgments of randomly drawn items; by default the rows of the ratings that users did not
        choose, according to ``known``.
    seed : int
        The seed of all random choices.
    tell : callable, optional
        Called before each step, with its name, its number from 0, and the total.

    Returns
    -------
    Diagnosis

    Raises
    ------
    ValueError
        No rating reaches the threshold, nothing can be held out, or unbiased judgments are of
        other users or items.

    Examples
    --------
    >>> import numpy as np
    >>> from receval.data.ratings_table import read_ratings
    >>> users, items = np.nonzero(np.random.default_rng(1).random((40, 25)) < 0.5)
    >>> found = diagnose(read_ratings({"user": users, "item": items}))
    >>> found.advice[0].subject, found.advice[0].sentence[:51]
    ('Split', "A random fifth of each user's ratings tests and the")
    """
    ratings = ratings.in_order_of_identifiers()
    unbiased = None if unbiased is None else unbiased.in_order_of_identifiers()
    chosen = chosen_ratings(ratings).compacted()
    if (np.bincount(chosen.users) < 2).all():
        raise ValueError(
            "Every user has a single rating, so that none can be held out for a test while others "
            "train: what systems recommend cannot be measured on these data."
        )
    drawn = drawn_judgments(ratings, unbiased)
    relevance = RelevanceRule.of(
        chosen.values, relevant, at_hand=[ratings.values], are_counts=are_counts(ratings)
    )
    threshold = relevance.threshold
    sample = sampled_users(chosen, seed)
    found = None if drawn is None else unbiased_ratings(sample, drawn)
    steps = _Steps(tell, fitting_systems(sample.n_users, sample.n_items))
    steps.begin("sizes")
    size, time = size_and_skew(chosen, threshold), time_span(chosen)
    steps.begin("splits")
    splits = compared_splits(chosen, seed)
    cold = cold_start(splits.made)
    future = future_training(splits.made) if _has_order(chosen) and splits.made else None
    numbers_of_splits = SplitNumbers.of(
        chosen, cold.set_index("split"), None if future is None else future.set_index("split")
    )
    kind, parameters = COMPARED_SPLITS[numbers_of_splits.recommended]
    data = split(sample, kind, seed=seed, **parameters)
    fold = with_unbiased(next(data.folds()), found[0] if found is not None else None)
    if not (fold.test.values >= threshold).any():
        raise ValueError(
            f"None of the {len(fold.test):,} test ratings reaches {threshold:g}, from which on "
            "they are relevant: say a lower relevant=, or give more ratings."
        )
    steps.begin("Random and Pop by protocol")
    designs, notes = experiment_designs(sample, data, threshold, seed)
    by_design = precision_of_designs(designs, seed)
    shares = popularity_or_sparsity(by_design)
    protocols = [
        parse_protocol("AR AI-AN").with_threshold(threshold),
        next(own.protocol for own in designs if own.name == "1R TI-NN"),
    ]
    ranking = QuickRanking(data, fold, protocols, threshold, seed)
    for name in ranking.names:
        steps.begin(name)
        ranking.rank(name)
    quick = ranking.ranked()
    steps.begin("metrics")
    has_disliked = bool((fold.test.values < threshold).any())
    labels = metrics_for(sample.n_items, has_disliked)
    values = values_of_tested_users(quick.lists[0], labels)
    metrics, levels = metrics_on_these_data(quick, labels, values, seed)
    steps.begin("judgments")
    judgments = liked_and_disliked(quick) if has_disliked or quick.unbiased else None
    agreement = None if judgments is None else agreement_of_judgments(judgments)
    opposed = disagreeing_item_pairs(sample, threshold, seed) if has_disliked else None
    numbers = DecisiveNumbers(
        size=size.set_index("quantity")["value"],
        cold=cold.set_index("split"),
        future=None if future is None else future.set_index("split"),
        designs=by_design.set_index("design"),
        shares=shares,
        metrics=metrics,
        agreement=agreement,
        unbiased_judgments=0 if fold.unbiased is None else len(fold.unbiased),
        differences=values[0],
        sampled_agreement=_agreement_of_protocols(quick, labels[0]),
    )
    advice = recommendation(numbers.findings(chosen, threshold))
    return Diagnosis(
        size=size,
        time=time,
        popularity=popularity_curve(chosen),
        cold=cold,
        future=future,
        designs=by_design,
        shares=shares,
        metrics=metrics,
        levels=levels,
        judgments=judgments,
        agreement=agreement,
        disagreeing_pairs=opposed,
        per_user=_per_user(quick, labels, values, sample),
        advice=tuple(advice),
        notes=(*_notes(chosen, sample, drawn, found, splits), *relevance.notes, *notes),
        settings={
            "relevant": threshold,
            "seed": seed,
            "split": data.description,
            "users_of_systems": sample.n_users,
            "ratings_of_systems": len(sample),
            "systems": list(quick.systems),
        },
    )


def _has_order(ratings: Ratings) -> bool:
    """Tell whether timestamps order any of the ratings."""
    times = ratings.timestamps
    return times is not None and bool((times != times[0]).any())


class _Steps:
    """Reports the steps of a diagnosis, whose number depends on the systems."""

    def __init__(self, tell: Tell | None, systems: list[str]) -> None:
        self._tell = tell
        names = ["sizes", "splits", "Random and Pop by protocol", *systems, "metrics", "judgments"]
        self._names = names

    def begin(self, name: str) -> None:
        if self._tell is not None:
            self._tell(name, self._names.index(name), len(self._names))


def _agreement_of_protocols(quick: QuickLists, label: str) -> float:
    """Return Kendall's tau between the orders of systems with all and with sampled candidates."""
    metric = parse(label)
    everything, sampled = (
        np.array([[mean(evaluate([metric], own), own)[0] for own in lists]])
        for lists in quick.lists
    )
    return float(kendall_tau_b(everything, sampled, TOLERANCE_OF_MEANS)[0, 0])


def _per_user(
    quick: QuickLists, labels: list[str], values: np.ndarray, ratings: Ratings
) -> pd.DataFrame:
    """Return the shallow values of users, one row per system and user."""
    shallow = [
        n for n, label in enumerate(labels) if label.split("@")[1] == labels[0].split("@")[1]
    ]
    users = quick.lists[0][0].users[evaluated_lists(quick.lists[0][0], "tested")]
    profile = np.bincount(ratings.users, minlength=ratings.n_users)[users]
    frames = []
    for number, system in enumerate(quick.systems):
        columns: dict[str, Any] = {
            "system": system,
            "user": ratings.user_ids[users],
            "ratings": profile,
        }
        columns |= {labels[n]: values[n, number] for n in shallow}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _notes(
    chosen: Ratings,
    sample: Ratings,
    drawn: Ratings | None,
    found: tuple[Ratings | None, int] | None,
    splits: ComparedSplits,
) -> list[Note]:
    notes = []
    if sample is not chosen:
        text = (
            f"Systems were tried on {sample.n_users:,} users drawn at random, with their "
            f"{len(sample):,} ratings, of {chosen.n_users:,} users with {len(chosen):,}: random "
            "precision, Pop's lead, metrics and judgments are theirs; sizes and splits are of all."
        )
        notes.append(Note("sample-of-users", text))
    if drawn is not None and found is not None and found[1]:
        text = (
            f"Of the {len(drawn):,} unbiased judgments {found[1]:,} are of users or items without "
            "ratings among those that systems were tried on, and were left out."
        )
        notes.append(Note("unbiased-left-out", text))
    if chosen.timestamps is not None and not _has_order(chosen):
        text = (
            f"All ratings have the same time, {span_in_words(chosen.timestamps[:1])[:10]}: nothing "
            "can be ordered by it, or split by time."
        )
        notes.append(Note("tied-times", text))
    if splits.refused:
        if chosen.timestamps is None:
            text = (
                "There are no timestamps: nothing is split by time, and whether the future trains "
                "cannot be said."
            )
            notes.append(Note("no-times", text))
        else:
            notes += [
                Note("split-impossible", f"No split {name}: {reason}")
                for name, reason in splits.refused.items()
            ]
    return notes
