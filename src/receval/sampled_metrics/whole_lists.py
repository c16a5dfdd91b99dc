# SPDX-License-Identifier: MIT
"""Compute sampling odds from runs or systems that rank all candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.relevance import RelevanceRule
from receval.data.run import read_run
from receval.evaluation.coding import SharedCodes
from receval.evaluation.known_identifiers import (
    TrainedPairs,
    check_that_identifiers_meet,
    without_trained_pairs,
)
from receval.evaluation.ranked_systems import ranked_folds
from receval.metrics.judged_items import DatasetMetadata, JudgedItems
from receval.metrics.lists import JudgedLists
from receval.notes import Note
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.listed_ranks import rank_listed
from receval.protocols.protocol import Protocol
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.seeds import generator
from receval.splits.split import Fold
from receval.splits.split_ratings import SplitRatings
from receval.storage.messages import quoted


def odds_of_runs(
    test: object,
    runs: Mapping[str, object],
    train: object = None,
    relevant: float | Literal["auto"] = "auto",
    trained_pairs: TrainedPairs = "refuse",
) -> tuple[dict[str, SamplingOdds], NDArray[np.str_], float, list[Note]]:
    """Read runs, and return the sampling odds of their relevant items.

    Parameters
    ----------
    test, runs, train, relevant, trained_pairs
        As for :func:`receval.evaluation.runs.evaluate_runs`; runs must rank all candidates of every
        user with test ratings.

    Raises
    ------
    ValueError
        A list is truncated or lacks items, or no test rating is relevant.
    """
    if not runs:
        raise ValueError("There is no run to audit: name at least one.")
    judged = read_test_data(test)
    training = train if isinstance(train, Ratings) or train is None else read_ratings(train)
    judged, notes = without_trained_pairs(judged, training, trained_pairs)
    relevance = RelevanceRule.of_runs(judged, training, relevant)
    threshold = relevance.threshold
    read = {name: read_run(source) for name, source in runs.items()}
    notes += [*relevance.notes, *check_that_identifiers_meet(judged.ratings, training, read)]
    codes = SharedCodes.of(judged.ratings, training, list(read.values()))
    fold = codes.fold(judged.ratings, training)
    metadata = DatasetMetadata.of(codes.dataset(judged.ratings, training), threshold)
    items = JudgedItems.of(fold.test, threshold, metadata)
    protocol = replace(Protocol("AR", "AI"), ties="index").with_threshold(threshold)
    odds = {}
    for name, run in read.items():
        listed, _ = codes.listed(run)
        ranks = rank_listed(listed, fold, protocol, partial(generator, 1, "runs"))
        _check_whole(name, ranks, fold, codes.user_ids)
        lists = JudgedLists.measured_by(items, ranks, protocol)
        odds[name] = SamplingOdds.of(fold, lists, protocol)
    return odds, codes.user_ids, threshold, notes


def odds_of_systems(
    data: SplitRatings, systems: Mapping[str, Any], relevant: float | Literal["auto"] = "auto"
) -> tuple[dict[str, SamplingOdds], NDArray[np.str_], float, list[Note]]:
    """Train systems, and return the sampling odds of the relevant test ratings.

    Returns
    -------
    odds : dict of str to SamplingOdds
        By system. The codes of users in fold n are shifted by n times the number of users.
    user_ids : ndarray of str
        By code, modulo the number of users.

    Raises
    ------
    ValueError
        There is no system, a system cannot score, or no test rating is relevant.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> odds, _, _, _ = odds_of_systems(halves, {"Pop": Popularity()})
    >>> odds["Pop"].pools.tolist(), len(odds["Pop"].above)
    ([0, 0], 2)
    """
    relevance = data.relevance(relevant)
    threshold = relevance.threshold
    protocol = Protocol("AR", "AI").with_threshold(threshold)
    metadata = DatasetMetadata.of(data.ratings, threshold)
    found: dict[str, list[SamplingOdds]] = {}
    for ranked in ranked_folds(data, systems, protocol, threshold):
        items = JudgedItems.of(ranked.data.test, threshold, metadata)
        for name, ranks in ranked.test.items():
            lists = JudgedLists.measured_by(items, ranks, protocol)
            found.setdefault(name, []).append(SamplingOdds.of(ranked.data, lists, protocol))
    odds = {name: SamplingOdds.of_all_folds(own) for name, own in found.items()}
    return odds, data.ratings.user_ids, threshold, [*data.notes, *relevance.notes]


def _check_whole(name: str, ranks: JudgedRanks, fold: Fold, user_ids: NDArray[np.str_]) -> None:
    tested = np.diff(fold.test.indptr) > 0
    missing = np.where(tested, ranks.candidates - ranks.lengths, 0)
    if not missing.any():
        return
    worst = int(missing.argmax())
    train_hint = "" if fold.train.nnz else ", or name the training data, whose items are left out"
    raise ValueError(
        f"The lists of {quoted(name)} are not whole: that of user {user_ids[worst]} has "
        f"{ranks.lengths[worst]:,} of {ranks.candidates[worst]:,} candidates, and "
        f"{int((missing > 0).sum()):,} of {int(tested.sum()):,} lists lack some. What a sample "
        "would find among the others is not known: give runs with the scores of all "
        f"items{train_hint}."
    )
