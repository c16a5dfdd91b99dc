# SPDX-License-Identifier: MIT
"""A simulated dataset with a judgment of every item, and systems that learned from its ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from receval.metrics.evaluation import evaluate
from receval.metrics.judged_items import JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender
from receval.recommenders.knn import UserKNN
from receval.recommenders.non_personalised import AverageRating, OptimalRanking, Popularity, Random
from receval.recommenders.puresvd import PureSVD
from receval.seeds import generator, gumbel_noise
from receval.splits.anti_popular_familiarity import split_with_anti_popular_familiarity
from receval.splits.random_splits import split_with_unbiased_test
from receval.splits.split import Fold, Judgments, fold
from reproduction.simulation.complete_judgments import (
    complete_judgments,
    kept_judgments,
    observed_ratings,
)
from reproduction.simulation.twins import Simulation
from reproduction.simulation.world import sample_items

METRICS = tuple(parse(label) for label in ("P@10", "antiP@10", "Recall@10", "Fallout@10"))
TRAINED_CANDIDATES = Protocol("AR", "train")
UNBIASED_ROWS = {"cm100k": "fold", "yahoo-r3": "unknown"}
POSITIVE_FROM = {"cm100k": 3, "yahoo-r3": 4}


@dataclass(frozen=True)
class CompleteWorld:
    """A twin whose every pair outside training is judged."""

    dataset: str
    simulation: Simulation
    anti_popular: bool = False
    """Whether the least liked items were made the best known ones."""

    def rng_for(self, *names: str | int) -> np.random.Generator:
        return generator(1, self.dataset, *names)

    @property
    def threshold(self) -> float:
        return POSITIVE_FROM[self.dataset]

    @cached_property
    def fold(self) -> Fold:
        """The first of five folds, as menamaldonado2021 makes them, with complete judgments."""
        ratings = observed_ratings(self.simulation)
        rng_for = partial(self.rng_for, "split")
        if self.anti_popular:
            split = split_with_anti_popular_familiarity(
                ratings, rng_for, relevant_from=self.threshold, folds=5
            )
        else:
            unbiased_rows = UNBIASED_ROWS[self.dataset]
            split = split_with_unbiased_test(ratings, rng_for, unbiased_rows=unbiased_rows, folds=5)
        first = fold(ratings, split, 0)
        relevance = self.simulation.world.ratings()
        return replace(first, unbiased=complete_judgments(relevance, first.train))

    @property
    def complete(self) -> Judgments:
        assert self.fold.unbiased is not None
        return self.fold.unbiased

    def optimal(self, metric: str) -> Recommender:
        """Return the ranking that is optimal for real values, which sees all judgments."""
        oracle = OptimalRanking(metric, "judged", self.threshold)
        return oracle.fit(self.fold.train, self.complete.matrix(self.fold.train.shape[1]))

    @cached_property
    def systems(self) -> dict[str, Recommender]:
        described: Mapping[str, Recommender] = {
            "random": Random(seed=1),
            "pop": Popularity(),
            "avg": AverageRating(),
            "user-knn": UserKNN(),
            "puresvd": PureSVD(factors=5),
        }
        fitted = {name: system.fit(self.fold.train) for name, system in described.items()}
        return fitted | {"optimal": self.optimal("precision")}

    def ranked(self, system: Recommender, data: Fold, part: str) -> JudgedRanks:
        (ranks,) = rank_judged(
            system, data, [TRAINED_CANDIDATES], partial(self.rng_for, "ranks"), part
        )
        return ranks

    @cached_property
    def ranks(self) -> dict[str, JudgedRanks]:
        """Where each system ranks every judged item."""
        return {n: self.ranked(system, self.fold, "unbiased") for n, system in self.systems.items()}

    def values(self, judgments: Judgments, ranks: Iterable[JudgedRanks]) -> np.ndarray:
        """Return the metrics of every user by the ranks of each system."""
        judged = JudgedItems.of(judgments, self.threshold)
        return np.array(
            [
                evaluate(METRICS, JudgedLists.measured_by(judged, own, TRAINED_CANDIDATES))
                for own in ranks
            ]
        )

    def values_of_kept(self, kept: np.ndarray) -> np.ndarray:
        """Return the metrics by some of the judgments, shape (n_systems, 4, n_users)."""
        judgments = kept_judgments(self.complete, kept)
        ranks = [replace(own, ranks=own.ranks[kept]) for own in self.ranks.values()]
        return self.values(judgments, ranks)

    @cached_property
    def exact(self) -> np.ndarray:
        """The real values, shape (n_systems, 4, n_users)."""
        return self.values_of_kept(np.ones(len(self.complete), dtype=bool))

    @cached_property
    def observed(self) -> np.ndarray:
        """The values by the test ratings of the fold, shape (n_systems, 4, n_users)."""
        ranks = [self.ranked(system, self.fold, "test") for system in self.systems.values()]
        return self.values(self.fold.test, ranks)

    def chosen(self, per_user: int, rng: np.random.Generator) -> np.ndarray:
        """Let users choose items to judge as they choose what they rate: not at random."""
        judged = self.complete
        shape = self.fold.train.shape
        weights = np.full(shape, -np.inf)
        weights[judged.users, judged.items] = self.simulation.world.exposure[
            judged.users, judged.items
        ]
        wanted = np.full(shape[0], per_user)
        kept = np.zeros(shape, dtype=bool)
        kept[sample_items(weights, wanted, gumbel_noise(shape, rng))] = True
        return kept[judged.users, judged.items]


def repeated(draw: Callable[[np.random.Generator], np.ndarray], seeds: Iterable[int]) -> np.ndarray:
    """Return the outcomes of a random experiment, one a seed."""
    return np.array([draw(np.random.default_rng(seed)) for seed in seeds])
