# SPDX-License-Identifier: MIT
"""Universes made on the spot from ratings and recommenders, without a workflow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.metrics.judged_items import DatasetMetadata, JudgedItems
from receval.metrics.lists import JudgedLists
from receval.multiverse.decisions import Configuration, SplitDecision
from receval.multiverse.universes import Universes
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import NonComputable
from receval.recommenders.base import Recommender
from receval.recommenders.clicks import clicked_training
from receval.seeds import generator, integer_seed
from receval.splits.kinds import RandomRatio, SelectionSpec, UserRatio, make_split
from receval.splits.split import Fold, fold

NON_COMPUTABLE: tuple[NonComputable, ...] = ("none", "random", "popularity", "average")

Factory = Callable[[int], Recommender]
"""Makes an untrained recommender from a seed."""


class TrainedUniverses(Universes):
    """The universes of one's own ratings and systems: split, trained and ranked when asked for.

    Every split (A1, A2) is made once, every system trained once on it, and all policies for items
    without a score (B2) are ranked together. The last split is kept, so ask for the configurations
    of one split after the other, as :func:`receval.multiverse.exploration.explore` does.

    Parameters
    ----------
    ratings : Ratings
    systems : mapping of str to callable
        ``systems[name](seed)`` makes an untrained recommender.
    threshold : float
        Ratings at or above it are relevant.
    seed : int
        The root of all seeds.
    policies : tuple of {"none", "random", "popularity", "average"}
        Those of B2 that will be asked for.

    Examples
    --------
    Ratings of 20 users of 30 items, of which one in two is relevant:

    >>> rng = np.random.default_rng(1)
    >>> users, items = np.nonzero(rng.random((20, 30)) < 0.5)
    >>> ratings = Ratings(
    ...     users=users.astype(np.int32),
    ...     items=items.astype(np.int32),
    ...     values=rng.integers(3, 5, len(users)).astype(np.float32),
    ...     user_ids=np.arange(20).astype(np.str_),
    ...     item_ids=np.arange(30).astype(np.str_),
    ... )
    >>> from receval.recommenders.non_personalised import Popularity
    >>> from receval.recommenders.knn import UserKNN
    >>> systems = {"kNN": lambda seed: UserKNN(5), "Pop": lambda seed: Popularity()}
    >>> universes = TrainedUniverses(ratings, systems, threshold=4)
    >>> ranks = universes.lists(Configuration(), "Pop")
    >>> int(universes.has_train(Configuration()).sum())  # users who trained
    20
    """

    def __init__(
        self,
        ratings: Ratings,
        systems: Mapping[str, Factory],
        threshold: float,
        seed: int = 0,
        policies: tuple[NonComputable, ...] = NON_COMPUTABLE,
    ) -> None:
        self.ratings = ratings
        self.systems = systems
        self.threshold = threshold
        self.seed = seed
        self.policies = policies
        self._metadata = DatasetMetadata.of(ratings, threshold)
        self._made: tuple[SelectionSpec, SplitDecision] | None = None

    def lists(self, configuration: Configuration, system: str) -> JudgedLists:
        """Return a system's full lists; see :meth:`.Universes.lists`."""
        if system not in self.systems:
            raise ValueError(f"There is no system {system}; there are {', '.join(self.systems)}.")
        if configuration.non_computable not in self.policies:
            raise ValueError(
                f"The policy {configuration.non_computable} was not asked for; the policies are "
                f"{', '.join(self.policies)}."
            )
        self._split(configuration)
        if system not in self._ranked:
            self._ranked[system] = self._rank(configuration, system)
        judged_ranks = self._ranked[system][configuration.non_computable]
        return JudgedLists.measured_by(self._judged, judged_ranks, configuration.protocol)

    def has_train(self, configuration: Configuration) -> NDArray[np.bool_]:
        """Return which users have training ratings."""
        self._split(configuration)
        trained: NDArray[np.bool_] = np.diff(self._fold.train.indptr) > 0
        return trained

    def _split(self, configuration: Configuration) -> None:
        decided = (configuration.selection, configuration.split)
        if decided == self._made:
            return
        share, selection = configuration.split.train_ratio, configuration.selection
        spec: RandomRatio | UserRatio
        if configuration.split.kind == "random":
            spec = RandomRatio(kind="random-ratio", train_ratio=share, selection=selection)
        else:
            spec = UserRatio(kind="user-ratio", train_ratio=share, selection=selection)
        # One name for all splits: what trains with one share trains with every larger one.
        split = make_split(self.ratings, spec, self.seed, "ratings", "split", {})
        self._fold: Fold = fold(self.ratings, split, 0)
        self._judged = JudgedItems.of(self._fold.test, self.threshold, self._metadata)
        self._ranked: dict[str, dict[NonComputable, JudgedRanks]] = {}
        self._made = decided

    def _rank(self, configuration: Configuration, system: str) -> dict[NonComputable, JudgedRanks]:
        recommender = self.systems[system](integer_seed(self.seed, "ratings", "split", system, 0))
        recommender.fit(clicked_training(recommender, self._fold.train))
        protocols = [
            configuration.but(non_computable=policy, coverage="full").protocol
            for policy in self.policies
        ]
        generator_for = partial(generator, self.seed, "ratings", "split", 0)
        ranked = rank_judged(recommender, self._fold, protocols, generator_for)
        return dict(zip(self.policies, ranked, strict=True))
