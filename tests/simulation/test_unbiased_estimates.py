# SPDX-License-Identifier: MIT
"""Estimates of precision by random judgments are unbiased, and exact where all is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pytest

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender
from receval.recommenders.knn import UserKNN
from receval.recommenders.non_personalised import AverageRating, Popularity, Random
from receval.recommenders.puresvd import PureSVD
from receval.seeds import generator
from receval.splits.random_splits import split_with_unbiased_test
from receval.splits.split import Fold, Judgments, fold
from reproduction.simulation.complete_judgments import (
    complete_judgments,
    drawn_at_random,
    kept_judgments,
    observed_ratings,
    sampling_rates,
)
from reproduction.simulation.twins import Simulation

METRICS = tuple(parse(label) for label in ("P@10", "antiP@10", "Recall@10", "Fallout@10"))
TRAINED_CANDIDATES = Protocol("AR", "train")
UNBIASED_ROWS = {"cm100k": "fold", "yahoo-r3": "unknown"}
POSITIVE_FROM = {"cm100k": 3, "yahoo-r3": 4}

REPEATS = 60
PRECISION, ANTI_PRECISION, RECALL, FALLOUT = range(len(METRICS))

both = pytest.mark.parametrize("name", UNBIASED_ROWS)


@dataclass(frozen=True)
class CompleteWorld:
    """A twin whose every pair outside training is judged."""

    dataset: str
    simulation: Simulation

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
        unbiased_rows = UNBIASED_ROWS[self.dataset]
        split = split_with_unbiased_test(ratings, rng_for, unbiased_rows=unbiased_rows, folds=5)
        first = fold(ratings, split, 0)
        relevance = self.simulation.world.ratings()
        return replace(first, unbiased=complete_judgments(relevance, first.train))

    @property
    def complete(self) -> Judgments:
        assert self.fold.unbiased is not None
        return self.fold.unbiased

    @cached_property
    def systems(self) -> dict[str, Recommender]:
        described: Mapping[str, Recommender] = {
            "random": Random(seed=1),
            "pop": Popularity(),
            "avg": AverageRating(),
            "user-knn": UserKNN(),
            "puresvd": PureSVD(factors=5),
        }
        return {name: system.fit(self.fold.train) for name, system in described.items()}

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


def repeated(draw: Callable[[np.random.Generator], np.ndarray], seeds: Iterable[int]) -> np.ndarray:
    """Return the outcomes of a random experiment, one a seed."""
    return np.array([draw(np.random.default_rng(seed)) for seed in seeds])


@pytest.fixture(scope="module")
def small_worlds(small_simulations: dict[str, Simulation]) -> dict[str, CompleteWorld]:
    return {name: CompleteWorld(name, small_simulations[name]) for name in UNBIASED_ROWS}


def estimates(world: CompleteWorld, kept: np.ndarray) -> np.ndarray:
    """Return means over users, P and antiP by the rate of judgments; shape (n_systems, 4)."""
    values = world.values_of_kept(kept)
    rates = sampling_rates(kept_judgments(world.complete, kept), world.complete)
    values[:, [PRECISION, ANTI_PRECISION]] /= rates
    return values.mean(axis=2)


@both
def test_ranks_by_a_sample_are_those_by_all_judgments(
    small_worlds: dict[str, CompleteWorld], name: str
) -> None:
    small_world = small_worlds[name]
    kept = drawn_at_random(small_world.complete, 7, np.random.default_rng(1))
    sample = kept_judgments(small_world.complete, kept)
    data = replace(small_world.fold, unbiased=sample)
    for of, system in small_world.systems.items():
        alone = small_world.ranked(system, data, "unbiased")
        np.testing.assert_array_equal(alone.ranks, small_world.ranks[of].ranks[kept])


def error_of_precision(world: CompleteWorld, per_user: int) -> np.ndarray:
    """Return the standard error of the estimates of precision, shape (n_systems,).

    Of the N judgments of a user, T are true positives; a sample of n holds a hypergeometric number
    of them, which counts N / n each.
    """
    n_judgments = np.diff(world.complete.indptr)
    share = 10 * world.exact[:, PRECISION] / n_judgments
    of_hits = per_user * share * (1 - share) * (n_judgments - per_user) / (n_judgments - 1)
    variance = (n_judgments / (10 * per_user)) ** 2 * of_hits
    return np.sqrt(variance.sum(axis=1)) / len(n_judgments)


@pytest.mark.costly
@both
def test_precision_by_random_judgments_is_unbiased_and_its_error_falls(
    small_worlds: dict[str, CompleteWorld], name: str
) -> None:
    small_world = small_worlds[name]
    exact = small_world.exact.mean(axis=2)[:, PRECISION]
    errors = []
    for per_user in (3, 12, 36):
        found = repeated(
            lambda rng, n=per_user: estimates(
                small_world, drawn_at_random(small_world.complete, n, rng)
            )[:, PRECISION],
            range(REPEATS),
        )
        error = error_of_precision(small_world, per_user)
        assert (abs(found.mean(axis=0) - exact) < 4 * error / np.sqrt(REPEATS)).all()
        root_mean_square = np.sqrt(((found - exact) ** 2).mean(axis=0))
        assert (abs(root_mean_square / error - 1) < 4 / np.sqrt(2 * REPEATS)).all()
        errors.append(root_mean_square)
    # Like 1 / sqrt(n) or faster, because the judgments run out; of both ends an error as above.
    slack = 1 + 4 / np.sqrt(REPEATS)
    assert (errors[1] < slack * errors[0] / 2).all()
    assert (errors[2] < slack * errors[1] / np.sqrt(3)).all()
    assert (np.diff(errors, axis=0) < 0).all()


@both
def test_the_estimates_are_exact_when_everything_is_judged(
    small_worlds: dict[str, CompleteWorld], name: str
) -> None:
    small_world = small_worlds[name]
    all_items = small_world.fold.train.shape[1]
    kept = drawn_at_random(small_world.complete, all_items, np.random.default_rng(1))
    assert kept.all()
    np.testing.assert_array_equal(estimates(small_world, kept), small_world.exact.mean(axis=2))
