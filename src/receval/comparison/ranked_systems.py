# SPDX-License-Identifier: MIT
"""Systems that are trained and rank the test ratings of each fold, for what looks at the ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from receval.comparison.splitting import SplitRatings
from receval.comparison.systems import Trainable
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold
from receval.storage.messages import quoted


@dataclass(frozen=True)
class RankedFold:
    """The judged ranks of some systems on one fold under one protocol.

    Attributes
    ----------
    number : int
        Of the fold, from 0.
    data : Fold
    test : dict of str to JudgedRanks
        By system, of the test ratings.
    unbiased : dict of str to JudgedRanks
        By system, of the unbiased judgments; empty where the fold has none.
    """

    number: int
    data: Fold
    test: dict[str, JudgedRanks]
    unbiased: dict[str, JudgedRanks]


def ranked_folds(
    data: SplitRatings, systems: Mapping[str, Any], protocol: Protocol, threshold: float
) -> Iterator[RankedFold]:
    """Train systems on each fold and rank its test ratings, and its unbiased ones where it has any.

    Parameters
    ----------
    data : SplitRatings
    systems : mapping of str to recommender, scorer or array
        As for :func:`receval.comparison.systems.evaluate_systems`.
    protocol : Protocol
    threshold : float
        Ratings at or above it are relevant.

    Raises
    ------
    ValueError
        There is no system, or one cannot score.

    Examples
    --------
    >>> from receval.comparison.splitting import split
    >>> from receval.interchange.ratings_table import read_ratings
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> [ranked] = ranked_folds(halves, {"Pop": Popularity()}, Protocol(), threshold=1)
    >>> len(ranked.test["Pop"].ranks), ranked.unbiased
    (2, {})
    """
    if not systems:
        raise ValueError("There is no system to rank with: name at least one.")
    shape = (data.ratings.n_users, data.ratings.n_items)
    for number, fold in enumerate(data.folds()):
        generator_for = data.generator_for(number)
        found: dict[str, dict[str, JudgedRanks]] = {"test": {}, "unbiased": {}}
        for name, system in systems.items():
            scorer = _scorer(name, system, fold, shape)
            for part, judgments in (("test", fold.test), ("unbiased", fold.unbiased)):
                if judgments is not None:
                    (found[part][name],) = rank_judged(
                        scorer, fold, [protocol], generator_for, part, threshold
                    )
        yield RankedFold(number, fold, found["test"], found["unbiased"])


class _RowsOfScores:
    def __init__(self, scores: NDArray[np.floating]) -> None:
        self._scores = scores

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._scores[users].astype(np.float32)


def _scorer(name: str, system: Any, fold: Fold, shape: tuple[int, int]) -> Any:
    if isinstance(system, np.ndarray):
        if system.shape != shape:
            raise ValueError(
                f"The scores of {quoted(name)} have the shape {system.shape}; they must be of all "
                f"users and items, {shape}, in the order of the ratings' codes."
            )
        return _RowsOfScores(system)
    if isinstance(system, Trainable):
        fitted = system.fit(fold.train)
        system = system if fitted is None else fitted
    if not callable(getattr(system, "score", None)):
        raise ValueError(
            f"The system {quoted(name)} is a {type(system).__name__}, which has no score(users): "
            "give an object with it, or an array of scores."
        )
    return system
