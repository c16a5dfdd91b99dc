# SPDX-License-Identifier: MIT
"""Systems in a world with known judgments, and many random observations of that world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from receval.evaluation.fitted_systems import RankedFold
    from receval.protocols.judged_ranks import JudgedRanks
    from receval.protocols.protocol import Protocol
    from receval.recommenders.base import Recommender
    from receval.splits.split import Judgments
    from reproduction.simulation.complete_judgments import KnownChances
    from reproduction.studies._shared.inputs import ArtifactInputs

TRAINS = 0.6
"""Share of a pair's chance of observation that is for train."""

TESTS = 0.4
"""Share for test, among the pairs that are not in train."""


def systems() -> dict[str, Recommender]:
    """Return sixteen systems of different kinds and sizes, by name."""
    from receval.recommenders.bprmf import BPRMF
    from receval.recommenders.knn import ItemKNN, UserKNN
    from receval.recommenders.non_personalised import AverageRating, Popularity, Random
    from receval.recommenders.plsa import PLSA
    from receval.recommenders.puresvd import PureSVD
    from receval.recommenders.wrmf import WRMF

    return {
        "random": Random(seed=1),
        "pop": Popularity(),
        "average": AverageRating(),
        "user-knn-10": UserKNN(neighbours=10),
        "user-knn-50": UserKNN(neighbours=50),
        "item-knn-10": ItemKNN(neighbours=10),
        "item-knn-50": ItemKNN(neighbours=50),
        "puresvd-2": PureSVD(factors=2),
        "puresvd-5": PureSVD(factors=5),
        "puresvd-10": PureSVD(factors=10),
        "puresvd-30": PureSVD(factors=30),
        "wrmf-5": WRMF(factors=5, seed=1),
        "wrmf-20": WRMF(factors=20, seed=1),
        "plsa-5": PLSA(topics=5, iterations=30, seed=1),
        "plsa-20": PLSA(topics=20, iterations=30, seed=1),
        "bprmf": BPRMF(factors=10, seed=1),
    }


class DrawnTests:
    """Systems that were trained once, and their ranks of all pairs that are not in train.

    Of a pair that is not in train, `test_chances` has the chance that it is in test, of shape
    (n_users, n_items), and `complete` the judgment.
    """

    def __init__(self, world: KnownChances, seed: int) -> None:
        from functools import partial

        from receval.data.ratings import summed_matrix
        from receval.protocols.evaluation import rank_judged
        from receval.protocols.protocol import Protocol
        from receval.seeds import generator
        from receval.splits.split import Fold
        from reproduction.simulation.complete_judgments import complete_judgments

        self.world = world
        self.protocol: Protocol = Protocol("AR", "AI")
        self._seeds = partial(generator, seed, "followups", "known-chances")
        trains = world.observed(TRAINS, self._seeds("train"))
        users, items = np.nonzero(trains)
        train = summed_matrix(users, items, world.ratings[trains], shape=trains.shape)
        self.complete: Judgments = complete_judgments(world.ratings, train)
        self.test_chances = TESTS * world.chances
        self.fold = Fold(train, self.complete, self.complete)
        self.ranks: dict[str, JudgedRanks] = {
            name: rank_judged(system.fit(train), self.fold, [self.protocol], self._seeds)[0]
            for name, system in systems().items()
        }

    @classmethod
    def of(cls, inputs: ArtifactInputs) -> Self:
        """Train the systems in the world that all artifacts share, of their sizes and seed."""
        from receval.seeds import generator
        from reproduction.simulation.complete_judgments import KnownChances

        users, items = (int(inputs.parameters[name]) for name in ("users", "items"))
        rng = generator(inputs.seed, "followups", "known-chances", "world")
        return cls(KnownChances.drawn(users, items, rng), inputs.seed)

    @property
    def truth(self) -> RankedFold:
        """The fold with all judgments as its unbiased ones."""
        everything = np.ones(len(self.complete), bool)
        return self._fold(0, everything, everything)

    def draws(self, number: int, per_user: int) -> Iterator[RankedFold]:
        """Yield a number of draws of the test, each with a sample of random items per user."""
        from reproduction.simulation.complete_judgments import drawn_at_random

        for draw in range(number):
            tested = self.world.observed(TESTS, self._seeds("test", draw))
            mask = tested[self.complete.users, self.complete.items]
            sampled = drawn_at_random(self.complete, per_user, self._seeds("sample", draw))
            yield self._fold(draw, mask, sampled)

    def _fold(
        self, number: int, tested: NDArray[np.bool_], sampled: NDArray[np.bool_]
    ) -> RankedFold:
        from receval.evaluation.fitted_systems import RankedFold
        from reproduction.simulation.complete_judgments import kept_judgments

        test, sample = (kept_judgments(self.complete, mask) for mask in (tested, sampled))
        # The ranks of many systems are read at these few positions.
        of_test, of_sample = np.flatnonzero(tested), np.flatnonzero(sampled)
        return RankedFold(
            number,
            replace(self.fold, test=test, unbiased=sample),
            {name: replace(own, ranks=own.ranks[of_test]) for name, own in self.ranks.items()},
            {name: replace(own, ranks=own.ranks[of_sample]) for name, own in self.ranks.items()},
        )
