# SPDX-License-Identifier: MIT
"""Compare judgments of randomly drawn items with observed ratings, to measure bias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings
from receval.data.relevance import Values, extreme_threshold_notes, relevance_in_words
from receval.diagnosis.baselines import BaselineLists
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.registry import parse
from receval.notes import Note
from receval.seeds import generator
from receval.splits.split import Fold, Judgments
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.theory.item_pairs import item_pairs
from receval.theory.rating_probabilities import RatingProbabilities

PAIRS_OF_METRICS = (("P", "antiP"), ("Recall", "Fallout"), ("RR", "antiRR"))
"""Metrics of liked items, with their counterparts for disliked items."""

CUTOFF = 10

_MOST_ERRORS = 5
"""How many standard errors the pairs that are also ratings may be above their expected number."""

MOST_ITEMS = 3_000
"""The most items of which all pairs are compared; of more items, a sample is drawn."""


def unbiased_ratings(ratings: Ratings, unbiased: Ratings) -> tuple[Ratings | None, int]:
    """Return unbiased judgments with the codes of the ratings, and how many do not fit.

    The judgments are those whose user and item also have ratings; None if there are none.
    """
    # The code of each identifier, or -1 if it is unknown.
    users = pd.Index(ratings.user_ids).get_indexer(unbiased.user_ids)[unbiased.users]
    items = pd.Index(ratings.item_ids).get_indexer(unbiased.item_ids)[unbiased.items]
    fits = (users >= 0) & (items >= 0)
    if not fits.any():
        return None, len(unbiased)
    found = Ratings(
        users=users[fits].astype(np.int32),
        items=items[fits].astype(np.int32),
        values=unbiased.values[fits],
        user_ids=ratings.user_ids,
        item_ids=ratings.item_ids,
        events=unbiased.events,
    )
    return found, int((~fits).sum())


def drawn_judgments(ratings: Ratings, unbiased: Ratings | None) -> Ratings | None:
    """Return judgments of drawn items, from their own table or the rows that users did not choose.

    If present, ``known`` says which rows users chose. A ValueError is raised if none of the rows of
    the table has a user and an item with ratings.
    """
    if unbiased is None:
        has_drawn = ratings.known is not None and not ratings.known.all()
        return ratings.select(~ratings.known) if has_drawn and ratings.known is not None else None
    if unbiased_ratings(chosen_ratings(ratings), unbiased)[0] is None:
        raise ValueError(
            f"None of the {len(unbiased):,} unbiased judgments has both a user and an item with "
            "ratings. Use the same identifiers in both tables."
        )
    return unbiased


def chosen_ratings(ratings: Ratings) -> Ratings:
    """Return the ratings that users chose to give: all, unless ``known`` says otherwise."""
    if ratings.known is None or ratings.known.all():
        return ratings
    return ratings.select(ratings.known)


def shared_pairs_notes(chosen: Ratings, unbiased: Ratings) -> list[Note]:
    """Return a note if far more judgments are also ratings than if their items were drawn."""
    found, _ = unbiased_ratings(chosen, unbiased)
    if found is None:
        return []
    judged, rated = (
        own.users.astype(np.int64) * chosen.n_items + own.items for own in (found, chosen)
    )
    shared = int(np.isin(judged, rated).sum())
    by_chance = (np.bincount(chosen.users)[found.users] / chosen.n_items).sum()
    if shared <= by_chance + _MOST_ERRORS * np.sqrt(by_chance):
        return []
    text = (
        f"Of the {len(unbiased):,} unbiased judgments, {shared:,} ({shared / len(unbiased):.1%}) "
        f"are of a user and an item that also have a rating, where about {by_chance:,.0f} would be "
        "by chance. So their items may not have been drawn at random."
    )
    return [Note("unbiased-also-rated", text)]


def notes_on_relevance(judged: Values, threshold: float, ratings: Values) -> list[Note]:
    """Refuse judgments none of which is relevant; note if all are, unless all ratings are, too."""
    highest = judged.max()
    if highest < threshold:
        raise ValueError(
            f"None of the {len(judged):,} unbiased judgments is relevant: the highest is "
            f"{highest:g}, and ratings of {threshold:g} or more are relevant. Write both on one "
            "scale, or set a lower threshold (relevant=..., in a command: --relevant ...)."
        )
    if judged.min() < threshold or ratings.min() >= threshold:
        return []
    told = relevance_in_words(judged, threshold, "unbiased judgments")
    return extreme_threshold_notes(told, threshold, 1.0, 1.0)


def with_unbiased(fold: Fold, unbiased: Ratings | None) -> Fold:
    """Return a fold with the unbiased judgments added, except for training pairs."""
    if unbiased is None:
        return fold
    n_items = fold.train.shape[1]
    rows = np.repeat(np.arange(fold.train.shape[0]), np.diff(fold.train.indptr))
    trained = rows * n_items + fold.train.indices
    pairs = unbiased.users.astype(np.int64) * n_items + unbiased.items
    free = ~np.isin(pairs, trained)
    judgments = Judgments.from_pairs(
        unbiased.users[free],
        unbiased.items[free],
        unbiased.values[free],
        fold.train.shape[0],
        events=unbiased.events,
    )
    return replace(fold, unbiased=judgments if len(judgments) else None)


def liked_and_disliked(baselines: BaselineLists) -> pd.DataFrame:
    """Measure systems by the items that users like and by those that they dislike.

    The columns are ``judgments`` (``observed``, and ``unbiased`` if any), ``metric``, ``system``
    and ``value``, the mean over users with judgments.
    """
    labels = [f"{name}@{CUTOFF}" for pair in PAIRS_OF_METRICS for name in pair]
    metrics = [parse(label) for label in labels]
    frames = []
    for judgments, lists in (("observed", baselines.lists[0]), ("unbiased", baselines.unbiased)):
        for system, own in zip(baselines.systems, lists, strict=False):
            frames.append(
                pd.DataFrame(
                    {
                        "judgments": judgments,
                        "metric": labels,
                        "system": system,
                        "value": mean(evaluate(metrics, own), own, "tested"),
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def agreement_of_judgments(values: pd.DataFrame) -> pd.DataFrame:
    """Correlate the orders of systems by metrics of liked and of disliked items.

    The columns are ``comparison``, ``metric``, ``other`` and ``tau`` (Kendall's tau-b between the
    two orders from best to worst, so a metric of disliked items is reversed). Comparisons are
    ``liked with disliked``, by observed and by any unbiased judgments; and ``observed with
    unbiased``, by each metric. With perfect judgments both kinds of metrics agree
    (Mena-Maldonado et al. 2021, figures 12 to 17).
    """
    table = values.pivot_table(
        index=["judgments", "metric"], columns="system", values="value", sort=False
    )
    kinds = list(dict.fromkeys(values["judgments"]))

    def goodness(kind: str, label: str) -> np.ndarray:
        own = table.loc[(kind, label)].to_numpy(dtype=np.float64)
        return -own if parse(label).less_is_better else own

    def tau(one: np.ndarray, other: np.ndarray) -> float:
        return float(kendall_tau_b(one[None], other[None], TOLERANCE_OF_MEANS)[0, 0])

    rows: list[tuple[str, str, str, float]] = []
    pairs = [tuple(f"{name}@{CUTOFF}" for name in pair) for pair in PAIRS_OF_METRICS]
    present = set(values["metric"])
    for kind in kinds:
        for liked, disliked in pairs:
            if liked in present and disliked in present:
                both = goodness(kind, liked), goodness(kind, disliked)
                rows.append((f"liked with disliked, {kind}", liked, disliked, tau(*both)))
    if "unbiased" in kinds:
        for label in dict.fromkeys(values["metric"]):
            both = goodness("observed", label), goodness("unbiased", label)
            rows.append(("observed with unbiased", label, label, tau(*both)))
    return pd.DataFrame(rows, columns=["comparison", "metric", "other", "tau"])


def disagreeing_item_pairs(ratings: Ratings, threshold: float, seed: int) -> float:
    """Return the share of item pairs on which the two optimal observed rankings disagree.

    One ranking maximises liked items at the top, the other minimises disliked ones, both based on
    ratings that users chose to give (Mena-Maldonado et al. 2021, equations 8 and 10, figure 5). If
    popularity decides both, they are opposed. Of more than :data:`MOST_ITEMS` items, a sample is
    drawn by the seed.
    """
    probabilities = RatingProbabilities.of_ratings(ratings, threshold)
    if ratings.n_items > MOST_ITEMS:
        draw = generator(seed, "diagnosis", "items")
        items = draw.choice(ratings.n_items, MOST_ITEMS, replace=False)
        probabilities = probabilities.select(np.sort(items))
    pairs = item_pairs(probabilities, relevance="rated")
    opposed = pairs.observed_precision * pairs.observed_anti_precision == -1
    return pairs.share(opposed)
