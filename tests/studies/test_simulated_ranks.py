# SPDX-License-Identifier: MIT
"""Samples that are drawn, against the chances that they should have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom

from receval.data.ratings import summed_matrix
from receval.splits.split import Fold, Judgments
from reproduction.studies.followups.sampled_simulated import simulated_hits

SAMPLES = 40_000
N_ITEMS = 9


@dataclass(frozen=True)
class Given:
    """A system whose scores are a given matrix."""

    scores: NDArray[np.float32]

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.scores[users]


TRAIN = [(0, 0), (1, 8)]
JUDGED = [(0, 3, 5.0), (0, 5, 1.0), (0, 7, 4.0), (1, 2, 5.0)]
SCORES = np.array([[9, 8, 7, 6, 6, 5, 4, 3, np.nan], [1, 1, 1, 1, 1, 1, 1, 1, 9]], dtype=np.float32)
PRIORITY = np.array([0, 1, 2, 5, 4, 3, 6, 7, 8], dtype=np.uint32)
ABOVE = [3, 5, 2]
"""Of items 3 and 7 of the first user, and item 2 of the second, by hand; item 5 is not relevant."""
POOLS = [6, 6, 7]


def hits_of(sampled: int, weights: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
    users, items = zip(*TRAIN, strict=True)
    fold = Fold(
        summed_matrix(users, items, np.ones(2), shape=(2, N_ITEMS)),
        Judgments.from_pairs(*zip(*JUDGED, strict=True), n_users=2),
    )
    relevant = fold.test.values >= 4
    return simulated_hits(
        Given(SCORES),
        fold,
        np.flatnonzero(relevant),
        relevant,
        PRIORITY,
        sampled,
        SAMPLES,
        np.random.default_rng(3),
        weights,
    )


def test_uniform_samples_have_hypergeometric_numbers_above() -> None:
    sampled = 3
    hits = hits_of(sampled)
    for column, (above, pool) in enumerate(zip(ABOVE, POOLS, strict=True)):
        shares = np.bincount(hits[:, column], minlength=sampled + 1) / SAMPLES
        chances = hypergeom.pmf(np.arange(sampled + 1), pool, above, sampled)
        np.testing.assert_allclose(shares, chances, atol=0.012)


def test_samples_by_weight_have_binomial_numbers_above() -> None:
    sampled = 4
    weights = np.array([1.0, 2, 0, 4, 3, 1, 5, 2, 6])
    hits = hits_of(sampled, weights)
    # Above item 3 are 1, 2 and 4, of 1, 2, 4, 5, 6 and 8; above item 7 also 5 and 6.
    shares_above = [5 / 17, 11 / 17, 3 / 18]
    for column, share in enumerate(shares_above):
        shares = np.bincount(hits[:, column], minlength=sampled + 1) / SAMPLES
        chances = binom.pmf(np.arange(sampled + 1), sampled, share)
        np.testing.assert_allclose(shares, chances, atol=0.012)


def hits_of_three(weights: list[float], samples: int) -> list[int]:
    """Return how often the second of three candidates, alone above item 2, is drawn as the one."""
    fold = Fold(
        summed_matrix([0], [4], [1], shape=(1, 5)), Judgments.from_pairs([0], [2], [5.0], n_users=1)
    )
    system = Given(np.array([[1, 3, 2, 1, 0]], dtype=np.float32))
    everything, priority = np.ones(1, dtype=bool), np.arange(5, dtype=np.uint32)
    drawing = (1, samples, np.random.default_rng(3), np.array(weights))
    found = simulated_hits(system, fold, np.array([0]), everything, priority, *drawing)
    return found[:, 0].tolist()


def test_a_number_at_the_end_of_a_share_draws_the_next_candidate() -> None:
    number = np.random.default_rng(3).random()
    assert hits_of_three([number, 1 - number, 9, 0, 9], 1) == [1]
    assert hits_of_three([0, number, 9, 1 - number, 9], 1) == [0]


def test_a_number_that_rounding_lifts_to_the_sum_of_all_weights_draws_the_last() -> None:
    # Of the smallest number that there is, a part is nothing or all of it.
    assert hits_of_three([0, 0, 9, 5e-324, 9], 50) == [0] * 50
    assert hits_of_three([0, 5e-324, 9, 0, 9], 50).count(1) > 10


def test_more_than_all_candidates_are_all_of_them() -> None:
    assert (hits_of(50) == ABOVE).all()


def test_items_without_a_score_are_not_ranked() -> None:
    scores = SCORES.copy()
    scores[0, 3] = np.nan
    fold = Fold(
        summed_matrix([0], [0], [1], shape=(2, N_ITEMS)),
        Judgments.from_pairs([0], [3], [5.0], n_users=2),
    )
    everything = np.ones(1, dtype=bool)
    hits = simulated_hits(
        Given(scores), fold, np.array([0]), everything, PRIORITY, 2, 3, np.random.default_rng(1)
    )
    assert (hits == -1).all()
