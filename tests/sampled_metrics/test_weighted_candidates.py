# SPDX-License-Identifier: MIT
"""Candidates that are drawn by weight, against every draw that there is, and against ranks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from protocols.brute_force import Scores
from theory.exact_chances import assert_chances, binomial

from receval.data.ratings import summed_matrix
from receval.protocols.candidates import popularity_weights
from receval.sampled_metrics.weighted_candidates import (
    expected_of_weighted_ranks,
    weight_shares_above,
)
from receval.seeds import generator
from receval.splits.split import Fold, Judgments

N_USERS, N_ITEMS = 7, 12


def fold_of(rng: np.random.Generator) -> Fold:
    codes = rng.choice(3, (N_USERS, N_ITEMS), p=[0.5, 0.3, 0.2])
    train = np.argwhere(codes == 1)
    test = np.argwhere(codes == 2)
    return Fold(
        summed_matrix(*train.T, np.ones(len(train)), shape=(N_USERS, N_ITEMS)),
        Judgments.from_pairs(*test.T, rng.integers(1, 6, len(test)), n_users=N_USERS),
    )


def worlds() -> list[tuple[Fold, Scores, NDArray[np.uint32]]]:
    """Folds with systems that tie, and that cannot score everything."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        fold = fold_of(rng)
        scores = rng.integers(0, 5, (N_USERS, N_ITEMS)).astype(np.float32)
        scores[rng.random(scores.shape) < 0.1] = np.nan
        # As rank_judged breaks ties.
        ties = generator(seed, "ties").permutation(N_ITEMS).astype(np.uint32)
        found.append((fold, Scores(scores), ties))
    return found


@pytest.mark.costly
def test_shares_are_sums_over_the_candidates_above() -> None:
    for fold, system, ties in worlds():
        relevant = fold.test.values >= 4
        rows = np.flatnonzero(relevant)
        weights = popularity_weights(fold, 1.0)
        shares, above = weight_shares_above(system, fold, rows, relevant, weights, ties)
        trained = np.asarray(fold.train.todense()) > 0
        for share, count, row in zip(shares, above, rows, strict=True):
            user, item = int(fold.test.users[row]), int(fold.test.items[row])
            own = set(fold.test.items[relevant & (fold.test.users == user)].tolist())
            score = system.matrix[user, item]
            others = [i for i in range(N_ITEMS) if not trained[user, i] and i not in own]
            better = [
                i
                for i in others
                if system.matrix[user, i] > score
                or (system.matrix[user, i] == score and ties[i] < ties[item])
            ]
            if np.isnan(score):
                assert count == -1
                assert np.isnan(share)
                continue
            assert count == len(better)
            total = weights[others].sum()
            assert share == pytest.approx(weights[better].sum() / total, abs=1e-12)


def test_candidates_without_any_weight_are_refused() -> None:
    fold, system, ties = worlds()[0]
    relevant = np.ones(len(fold.test), dtype=bool)
    scored = Scores(np.nan_to_num(system.matrix))
    with pytest.raises(ValueError, match="Give items without training ratings a weight"):
        weight_shares_above(
            scored, fold, np.arange(len(fold.test)), relevant, np.zeros(N_ITEMS), ties
        )


def test_expectations_are_those_over_all_draws() -> None:
    rng = np.random.default_rng(5)
    weights = np.array([3.0, 1.0, 2.0, 4.0])
    is_above = np.array([True, False, True, False])
    chances = weights / weights.sum()
    for sampled in (1, 2, 3, 4):
        table = rng.random((sampled + 2, 2))
        found = expected_of_weighted_ranks(
            np.array([chances[is_above].sum(), np.nan]), table, sampled
        )
        whole = np.zeros(2)
        for drawn in product(range(4), repeat=sampled):
            hits = int(is_above[list(drawn)].sum())
            whole += np.prod(chances[list(drawn)]) * table[1 + hits]
        np.testing.assert_allclose(found[0], whole, rtol=1e-12)
        np.testing.assert_array_equal(found[1], table[0])


@given(
    share=st.one_of(
        st.fractions(0, 1),
        st.sampled_from([Fraction(1, 10**9), Fraction(1, 10**4), 1 - Fraction(1, 10**9)]),
    ),
    sampled=st.integers(1, 40),
)
@example(share=Fraction(1, 2), sampled=100)
@example(share=Fraction(0), sampled=3)
@example(share=Fraction(1), sampled=3)
def test_every_rank_has_its_binomial_chance(share: Fraction, sampled: int) -> None:
    # As the kernel is given it.
    share = Fraction(float(share))
    found = expected_of_weighted_ranks(np.array([float(share)]), np.eye(sampled + 2), sampled)
    assert_chances(found[0, 1:], binomial(share, sampled), rarest=1e-20)


def test_tables_that_end_too_soon_are_refused() -> None:
    with pytest.raises(ValueError, match="may have rank 4, but the tables end at 3"):
        expected_of_weighted_ranks(np.array([0.5]), np.ones((4, 1)), 3)
