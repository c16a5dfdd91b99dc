# SPDX-License-Identifier: MIT
"""Real values are exact where all is judged; random judgments approach them, chosen ones do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pytest

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
from receval.statistics.correlation import kendall_tau_b
from reproduction.simulation.complete_judgments import (
    complete_judgments,
    drawn_at_random,
    kept_judgments,
    observed_ratings,
    sampling_rates,
)
from reproduction.simulation.observation import sample_items
from reproduction.simulation.twins import Simulation

METRICS = tuple(parse(label) for label in ("P@10", "antiP@10", "Recall@10", "Fallout@10"))
TRAINED_CANDIDATES = Protocol("AR", "train")
UNBIASED_ROWS = {"cm100k": "fold", "yahoo-r3": "unknown"}
POSITIVE_FROM = {"cm100k": 3, "yahoo-r3": 4}

REPEATS = 60
DRAWS = 8
PRECISION, ANTI_PRECISION, RECALL, FALLOUT = range(len(METRICS))

both = pytest.mark.parametrize("name", UNBIASED_ROWS)


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


@pytest.fixture(scope="module")
def worlds(simulations: dict[str, Simulation]) -> dict[str, CompleteWorld]:
    return {name: CompleteWorld(name, simulations[name]) for name in UNBIASED_ROWS}


@pytest.fixture(scope="module")
def small_worlds(small_simulations: dict[str, Simulation]) -> dict[str, CompleteWorld]:
    return {name: CompleteWorld(name, small_simulations[name]) for name in UNBIASED_ROWS}


def tau(first: np.ndarray, second: np.ndarray) -> float:
    return kendall_tau_b(first, second).item()


def estimates(world: CompleteWorld, kept: np.ndarray) -> np.ndarray:
    """Return means over users, P and antiP by the rate of judgments; shape (n_systems, 4)."""
    values = world.values_of_kept(kept)
    rates = sampling_rates(kept_judgments(world.complete, kept), world.complete)
    values[:, [PRECISION, ANTI_PRECISION]] /= rates
    return values.mean(axis=2)


# --- exact values -----------------------------------------------------------------------------


@pytest.mark.costly
@both
def test_true_and_false_positives_fill_the_list(
    worlds: dict[str, CompleteWorld], name: str
) -> None:
    world = worlds[name]
    # Equation 4 with no unjudged item: delta is 0, and what is missing is an item, not a judgment.
    for ranks, values in zip(world.ranks.values(), world.exact, strict=True):
        filled = np.minimum(ranks.lengths, 10) / 10
        np.testing.assert_allclose(values[PRECISION] + values[ANTI_PRECISION], filled, atol=1e-12)
        trained = np.diff(world.fold.train.indptr) > 0
        assert (filled == trained).all()


@pytest.mark.costly
@both
def test_exact_precision_and_anti_precision_order_systems_alike(
    worlds: dict[str, CompleteWorld], name: str
) -> None:
    world = worlds[name]
    # Conclusion 1 for any systems, not for the optimal rankings alone.
    precision, anti_precision, recall, fallout = world.exact.mean(axis=2).T
    assert len(set(precision.tolist())) == len(world.systems)
    assert tau(precision, anti_precision) == -1
    assert tau(recall, fallout) < -0.7


@both
@pytest.mark.costly
def test_one_ranking_is_optimal_for_exact_precision_and_anti_precision(
    worlds: dict[str, CompleteWorld], name: str
) -> None:
    world = worlds[name]
    # Conclusion 1.
    users = np.arange(3)
    order, other = (
        np.argsort(-world.optimal(metric).score(users), axis=1, kind="stable")
        for metric in ("precision", "anti-precision")
    )
    np.testing.assert_array_equal(order, other)
    precision = world.exact.mean(axis=2)[:, PRECISION]
    unpersonalised = [list(world.systems).index(n) for n in ("random", "pop", "avg", "optimal")]
    assert np.argmax(precision[unpersonalised]) == 3


# --- random judgments -------------------------------------------------------------------------


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


@pytest.mark.costly
def test_precision_not_divided_by_the_rate_keeps_the_order_but_not_the_value(
    small_worlds: dict[str, CompleteWorld],
) -> None:
    world = small_worlds["yahoo-r3"]
    found = repeated(
        lambda rng: world.values_of_kept(drawn_at_random(world.complete, 10, rng)).mean(axis=2),
        range(REPEATS),
    ).mean(axis=0)
    exact = world.exact.mean(axis=2)
    assert (found[:, PRECISION] < exact[:, PRECISION] / 3).all()
    assert tau(found[:, PRECISION], exact[:, PRECISION]) > 0.8


# --- the order of systems ---------------------------------------------------------------------


@pytest.mark.costly
@both
def test_the_order_by_random_judgments_converges_to_the_exact_one(
    worlds: dict[str, CompleteWorld], name: str
) -> None:
    world = worlds[name]
    exact = world.exact.mean(axis=2)
    agreements = []
    for per_user in (1, 10, 80):
        found = repeated(
            lambda rng, n=per_user: estimates(world, drawn_at_random(world.complete, n, rng)),
            range(DRAWS),
        )
        taus = [
            [tau(values[:, metric], exact[:, metric]) for metric in range(len(METRICS))]
            for values in found
        ]
        agreements.append(np.mean(taus, axis=0))
    # By all four metrics, although estimates of recall and fallout are ratios of two counts.
    assert (np.diff(agreements, axis=0) > 0).all()
    assert (agreements[-1] > 0.75).all()


@pytest.mark.costly
@both
def test_the_order_by_chosen_judgments_stays_wrong_for_anti_precision(
    worlds: dict[str, CompleteWorld], name: str
) -> None:
    world = worlds[name]
    exact = world.exact.mean(axis=2)[:, ANTI_PRECISION]
    popular = list(world.systems).index("pop")
    for per_user in (2, 20, 80):
        found = repeated(
            lambda rng, n=per_user: estimates(world, world.chosen(n, rng))[:, ANTI_PRECISION],
            range(DRAWS),
        )
        # More ratings of the same kind lower the variance alone: their mean is as wrong.
        assert tau(found.mean(axis=0), exact) < 0
        assert np.mean([tau(values, exact) for values in found]) < 0
        surplus = found[:, popular] - exact[popular]
        assert surplus.mean() > 0.5 * exact[popular]
        assert surplus.min() > 0


@both
def test_the_test_ratings_of_a_split_order_anti_precision_wrongly(
    worlds: dict[str, CompleteWorld], name: str
) -> None:
    world = worlds[name]
    # Figure 14: the observed test is what is left of the choices that systems learn from.
    observed, exact = world.observed.mean(axis=2), world.exact.mean(axis=2)
    assert tau(observed[:, ANTI_PRECISION], exact[:, ANTI_PRECISION]) < 0
    assert tau(observed[:, PRECISION], exact[:, PRECISION]) > 0


@pytest.mark.costly
def test_where_popularity_runs_against_relevance_precision_is_the_wrong_one(
    worlds: dict[str, CompleteWorld],
) -> None:
    # Figure 16, and Lemma 3 case (b).
    world = CompleteWorld("cm100k", worlds["cm100k"].simulation, anti_popular=True)
    observed, exact = world.observed.mean(axis=2), world.exact.mean(axis=2)
    for true_positive, false_positive in ((PRECISION, ANTI_PRECISION), (RECALL, FALLOUT)):
        assert tau(observed[:, true_positive], exact[:, true_positive]) < 0
        assert tau(observed[:, false_positive], exact[:, false_positive]) > 0.7
    # All that follow popularity are worse than random (section 8.5).
    precision = dict(zip(world.systems, exact[:, PRECISION], strict=True))
    assert max(precision[name] for name in ("pop", "user-knn", "puresvd")) < precision["random"]
