# SPDX-License-Identifier: MIT
"""A few different systems that train in seconds, on which a diagnosis tries metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from receval.metrics.judged_items import DatasetMetadata, JudgedItems
from receval.metrics.lists import JudgedLists
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make
from receval.recommenders.training_ratings import clicked_training
from receval.seeds import integer_seed
from receval.splits.split import Fold
from receval.splits.split_ratings import SplitRatings

BASELINES: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
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
class BaselineLists:
    """The recommendations of the systems on one fold: lists by protocol, then by system.

    Lists for the unbiased judgments of the fold are by system; there are none without judgments.
    """

    systems: tuple[str, ...]
    fold: Fold
    lists: list[list[JudgedLists]]
    unbiased: list[JudgedLists]


def fitting_baselines(n_users: int, n_items: int) -> list[str]:
    """Return the names of the systems for which a matrix is large enough."""
    most = min(n_users, n_items)
    return [name for name, (_, own) in BASELINES.items() if own.get("factors", 0) < most]


def untrained_baselines(names: Iterable[str], seed: int) -> dict[str, Any]:
    """Return the systems of some names."""
    return {name: make(*BASELINES[name], integer_seed(seed, "diagnosis", name)) for name in names}


def ranked_baselines(
    data: SplitRatings,
    fold: Fold,
    protocols: list[Protocol],
    threshold: float,
    seed: int,
    begin: Callable[[str], object],
) -> BaselineLists:
    """Train the systems that fit, after telling the name of each, and rank the judged items."""
    metadata = DatasetMetadata.of(data.ratings, threshold)
    judged = JudgedItems.of(fold.test, threshold, metadata)
    generator_for = data.generator_for(0)
    names = fitting_baselines(data.ratings.n_users, data.ratings.n_items)
    systems = untrained_baselines(names, seed)
    lists: list[list[JudgedLists]] = [[] for _ in protocols]
    unbiased_lists = []
    for name in names:
        begin(name)
        system = systems[name].fit(clicked_training(systems[name], fold.train))
        ranks = rank_judged(system, fold, protocols, generator_for)
        for of_protocol, own, protocol in zip(lists, ranks, protocols, strict=True):
            of_protocol.append(JudgedLists.measured_by(judged, own, protocol))
        if fold.unbiased is not None:
            unbiased = JudgedItems.of(fold.unbiased, threshold, metadata)
            [own] = rank_judged(system, fold, protocols[:1], generator_for, part="unbiased")
            unbiased_lists.append(JudgedLists.measured_by(unbiased, own, protocols[0]))
    return BaselineLists(tuple(names), fold, lists, unbiased_lists)
