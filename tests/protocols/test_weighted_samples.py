# SPDX-License-Identifier: MIT
"""Candidates drawn by popularity: frequencies, nesting, names, and what stays as it was."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from protocols.brute_force import Scores
from protocols.test_ranking import N_USERS, random_fold, seeded
from scipy.sparse import csr_array

from receval.protocols.candidates import (
    popularity_weights,
    sample_candidates,
    target_sets,
    user_seeds,
)
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments

NOTHING = np.zeros(0, dtype=np.int32)


def drawn_for(n_users, weights, size, seed=1, is_candidate=None):
    empty = np.zeros(n_users + 1, dtype=np.int64)
    weights = np.array(weights, dtype=float)
    within = np.ones(len(weights), dtype=bool) if is_candidate is None else is_candidate
    seeds = user_seeds(np.random.default_rng(seed), n_users)
    indptr, items = sample_candidates(
        within, empty, NOTHING, empty, NOTHING, size, seeds, weights=weights
    )
    return [items[start:end].tolist() for start, end in pairwise(indptr)]


def chances_of_sequences(weights, size):
    """Draw one after the other, each in proportion to its weight among those that are left."""
    chances = {}
    for sequence in permutations(range(len(weights)), size):
        left, chance = sum(weights), 1.0
        for item in sequence:
            chance *= weights[item] / left
            left -= weights[item]
        chances[sequence] = chance
    return chances


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.costly
def test_samples_are_as_frequent_as_draws_without_replacement_in_proportion(power):
    weights = np.array([16.0, 9.0, 4.0, 1.0]) ** power
    n_users = 40_000
    drawn = np.array(drawn_for(n_users, weights, 2))
    counts = np.zeros((4, 4))
    np.add.at(counts, (drawn[:, 0], drawn[:, 1]), 1)
    expected = chances_of_sequences(weights.tolist(), 2)
    assert sum(expected.values()) == pytest.approx(1)
    inclusion = np.zeros(4)
    for sequence, chance in expected.items():
        found = counts[sequence] / n_users
        # Five standard errors: one of these 48 frequencies is beyond them once in 36 000 seeds.
        assert abs(found - chance) < 5 * np.sqrt(chance * (1 - chance) / n_users), sequence
        inclusion[list(sequence)] += chance
    included = np.bincount(drawn.ravel(), minlength=4) / n_users
    assert np.abs(included - inclusion).max() < 0.0125


@pytest.mark.parametrize("relevant", ["AR", "1R"])
def test_ranks_are_those_among_the_target_sets(relevant):
    fold, scores = random_fold(6)
    protocol = Protocol(relevant, "TI", sampled=4, threshold=4.0, sampled_by="popularity")
    (judged,) = rank_judged(Scores(np.nan_to_num(scores)), fold, [protocol], seeded)
    ranked = 0
    for user in range(N_USERS):
        sets = target_sets(fold, protocol, user, 4.0, seeded)
        for row in range(fold.test.indptr[user], fold.test.indptr[user + 1]):
            item = int(fold.test.items[row])
            own = [one for one in sets.lists if item in one and fold.test.values[row] >= 4]
            if own and judged.ranks[row] > 0:
                own_scores = np.nan_to_num(scores)[user]
                above = sum(own_scores[other] > own_scores[item] for other in own[0])
                level = sum(own_scores[other] == own_scores[item] for other in own[0])
                assert above < judged.ranks[row] <= above + level
                ranked += 1
    assert ranked > 3


def test_uniform_samples_do_not_change_beside_weighted_ones():
    fold, scores = random_fold(5)
    uniform = Protocol("1R", "TI", sampled=3, threshold=4.0)
    weighted = Protocol("1R", "TI", sampled=3, threshold=4.0, sampled_by="popularity")
    system = Scores(np.nan_to_num(scores))
    (alone,) = rank_judged(system, fold, [uniform], seeded)
    beside, _ = rank_judged(system, fold, [uniform, weighted], seeded)
    assert alone.ranks.tolist() == beside.ranks.tolist()


@pytest.mark.each("power", [0.0, 0.5, 1.0, 2.0])
def test_weights_are_powers_of_the_numbers_of_training_ratings(power):
    train = csr_array(np.array([[1, 0, 0, 2, 1], [0, 0, 0, 5, 3], [0, 0, 0, 1, 0]], np.float32))
    fold = Fold(train, Judgments.from_pairs([0], [1], [5], 3))
    # The items without a training rating have the weight 0, also to the power of 0.
    expected = [1, 0, 0, 3**power, 2**power]
    assert popularity_weights(fold, power).tolist() == pytest.approx(expected)


def test_powers_that_are_negative_and_folds_without_training_are_refused():
    with pytest.raises(ValueError, match="must be a finite number of 0 or more"):
        Protocol("1R", sampled=3, sampled_by="popularity", power=-1.0)
    empty = Fold(csr_array((1, 3), dtype=np.float32), Judgments.from_pairs([0], [1], [5], 1))
    with pytest.raises(ValueError, match="no training ratings to count"):
        popularity_weights(empty, 1.0)
