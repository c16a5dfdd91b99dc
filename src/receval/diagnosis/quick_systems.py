# SPDX-License-Identifier: MIT
"""A few different systems that train in seconds, on which a diagnosis tries metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from receval.metrics.judged_items import DatasetMetadata, JudgedItems
from receval.metrics.lists import JudgedLists
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender, make
from receval.recommenders.training_ratings import clicked_training
from receval.seeds import integer_seed
from receval.splits.split import Fold
from receval.splits.split_ratings import SplitRatings

QUICK_SYSTEMS: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "Random": ("receval.recommenders.non_personalised:Random", {}),
        "Pop": ("receval.recommenders.non_personalised:Popularity", {}),
        "ItemKNN 20": ("receval.recommenders.knn:ItemKNN", {"neighbours": 20}),
        "ItemKNN 100": ("receval.recommenders.knn:ItemKNN", {"neighbours": 100}),
        "UserKNN 20": ("receval.recommenders.knn:UserKNN", {"neighbours": 20}),
        "UserKNN 100": ("receval.recommenders.knn:UserKNN", {"neighbours": 100}),
        "PureSVD 10": ("receval.recommenders.puresvd:PureSVD", {"factors": 10}),
        "PureSVD 50": ("receval.recommenders.puresvd:PureSVD", {"factors": 50}),
        "WRMF 20": ("receval.recommenders.wrmf:WRMF", {"factors": 20, "iterations": 8}),
    }
)
"""Class and parameters of each system by its name in tables. No system is tuned."""


@dataclass(frozen=True)
class QuickLists:
    """The recommendations of the systems on one fold, by protocol.

    Attributes
    ----------
    systems : tuple of str
    fold : Fold
    judged : JudgedItems
    lists : list of list of JudgedLists
        Lists by protocol, then by system.
    unbiased : list of JudgedLists
        Lists for the unbiased judgments of the fold, by system; empty if it has none.
    """

    systems: tuple[str, ...]
    fold: Fold
    judged: JudgedItems
    lists: list[list[JudgedLists]]
    unbiased: list[JudgedLists]


def quick_system(name: str, seed: int) -> Recommender:
    """Return one of :data:`QUICK_SYSTEMS`, not fitted."""
    path, parameters = QUICK_SYSTEMS[name]
    return make(path, parameters, integer_seed(seed, "diagnosis", name))


def fitting_systems(n_users: int, n_items: int) -> list[str]:
    """Return the names of the systems for which a matrix is large enough.

    Examples
    --------
    >>> "PureSVD 50" in fitting_systems(100, 40), "PureSVD 10" in fitting_systems(100, 40)
    (False, True)
    """
    most = min(n_users, n_items)
    return [name for name, (_, own) in QUICK_SYSTEMS.items() if own.get("factors", 0) < most]


class QuickRanking:
    """Ranks the systems one by one, so that progress can be reported."""

    def __init__(
        self,
        data: SplitRatings,
        fold: Fold,
        protocols: list[Protocol],
        threshold: float,
        seed: int,
    ) -> None:
        metadata = DatasetMetadata.of(data.ratings, threshold)
        self.names = fitting_systems(data.ratings.n_users, data.ratings.n_items)
        self._judged = JudgedItems.of(fold.test, threshold, metadata)
        self._unbiased = (
            None if fold.unbiased is None else JudgedItems.of(fold.unbiased, threshold, metadata)
        )
        self._data, self._fold, self._protocols, self._seed = data, fold, protocols, seed
        self._lists: list[list[JudgedLists]] = [[] for _ in protocols]
        self._unbiased_lists: list[JudgedLists] = []

    def rank(self, name: str) -> None:
        """Train a system, and rank the judged items."""
        untrained = quick_system(name, self._seed)
        system = untrained.fit(clicked_training(untrained, self._fold.train))
        generator_for = self._data.generator_for(0)
        ranks = rank_judged(system, self._fold, self._protocols, generator_for)
        for lists, own, protocol in zip(self._lists, ranks, self._protocols, strict=True):
            lists.append(JudgedLists.measured_by(self._judged, own, protocol))
        if self._unbiased is not None:
            first = self._protocols[0]
            [own] = rank_judged(system, self._fold, [first], generator_for, part="unbiased")
            self._unbiased_lists.append(JudgedLists.measured_by(self._unbiased, own, first))

    def ranked(self) -> QuickLists:
        """Return the lists of all systems that were ranked."""
        return QuickLists(
            tuple(self.names), self._fold, self._judged, self._lists, self._unbiased_lists
        )
