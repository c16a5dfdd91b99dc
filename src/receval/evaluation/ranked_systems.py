# SPDX-License-Identifier: MIT
"""Train systems and rank the test ratings of each fold, for analyses of the ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from receval.evaluation.fitted_systems import checked_systems, fitted
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold
from receval.splits.split_ratings import SplitRatings


@dataclass(frozen=True)
class RankedFold:
    """The judged ranks of some systems on one fold under one protocol.

    Attributes
    ----------
    number : int
        The number of the fold, from 0.
    data : Fold
    test : dict of str to JudgedRanks
        Ranks of the test ratings, by system.
    unbiased : dict of str to JudgedRanks
        Ranks of the unbiased judgments, by system; empty if the fold has none.
    """

    number: int
    data: Fold
    test: dict[str, JudgedRanks]
    unbiased: dict[str, JudgedRanks]


def ranked_folds(
    data: SplitRatings, systems: Mapping[str, Any], protocol: Protocol, threshold: float
) -> Iterator[RankedFold]:
    """Train systems on each fold, and rank its test ratings and any unbiased judgments.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> [ranked] = ranked_folds(halves, {"Pop": Popularity()}, Protocol(), threshold=1)
    >>> len(ranked.test["Pop"].ranks), ranked.unbiased
    (2, {})
    """
    systems = checked_systems(systems, (data.ratings.n_users, data.ratings.n_items))
    for number, fold in enumerate(data.folds()):
        generator_for = data.generator_for(number)
        found: dict[str, dict[str, JudgedRanks]] = {"test": {}, "unbiased": {}}
        for name, system in systems.items():
            scorer = fitted(system, fold.train, name, [protocol])
            for part, judgments in (("test", fold.test), ("unbiased", fold.unbiased)):
                if judgments is not None:
                    (found[part][name],) = rank_judged(
                        scorer, fold, [protocol], generator_for, part, threshold
                    )
            scorer.refuse_no_order()
        yield RankedFold(number, fold, found["test"], found["unbiased"])
