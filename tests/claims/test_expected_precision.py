# SPDX-License-Identifier: MIT
from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from claims.coin_flips import expected_precision_over_coin_flips
from studies.prepared import ratings_of

from receval.protocols.protocol import Protocol
from receval.splits.random_splits import split_with_uniform_test
from receval.splits.split import fold
from receval.theory.precision import TargetDensities
from reproduction.claims.theorems import (
    expected_positives_of_uniform_test,
    expected_precision,
    expected_random_precision,
)

ROOM = {"sigma": 0.2, "n_candidates": 50, "t": 40.0, "n_users": 100}


def test_equations_3_and_4_by_hand() -> None:
    # .2 * 50 / (2 * 40 * 100) * (30 + 20)
    assert expected_precision([30, 20, 10], 2, **ROOM) == pytest.approx(0.0625)
    assert expected_random_precision(1000, sigma=0.2, t=40.0, n_users=100) == pytest.approx(0.05)
    # They agree on equally popular items: |PR| = 50 items of 20 positive ratings.
    assert expected_precision(np.full(50, 20), 10, **ROOM) == pytest.approx(0.05)


def test_a_ranking_that_ends_before_the_cut_off_is_refused() -> None:
    assert expected_precision([3, 2], 2, **ROOM) > 0
    with pytest.raises(ValueError, match="has 2 items, which is fewer than the cut-off 5"):
        expected_precision([3, 2], 5, **ROOM)


# --- uniform tests ----------------------------------------------------------------------------


def test_a_uniform_test_leaves_an_order_the_ratio_of_positive_ratings_alone() -> None:
    # sigma |R| / (n t |U|) * (sum of ratios), section 6.2 with C = T.
    positives = expected_positives_of_uniform_test([0.5, 0.25, 0.1], n_ratings=600, n_targets=50)
    assert expected_precision(positives, 2, **ROOM) == pytest.approx(
        0.2 * 600 / (2 * 40 * 100) * 0.75
    )
    flat = expected_positives_of_uniform_test(np.full(50, 0.25), n_ratings=600, n_targets=50)
    sigma_delta = expected_random_precision(150, sigma=0.2, t=40.0, n_users=100)
    assert expected_precision(flat, 10, **ROOM) == pytest.approx(sigma_delta)


def test_more_candidates_than_target_items_lower_rho_through_t_and_not_in_samples() -> None:
    rng = np.random.default_rng(1)
    rated = rng.random((150, 80)) < np.linspace(0.3, 0.02, 80)
    rows = [(int(u), int(i), float(rng.integers(1, 6))) for u, i in np.argwhere(rated)]
    ratings = ratings_of(rows, 150, 80)
    split = split_with_uniform_test(
        ratings, lambda _: rng, test_share=0.2, min_train_ratio=0.2, folds=1
    )
    data = fold(ratings, split, 0)
    share = int(split.metadata["target_items"]) / 80
    assert share < 0.9
    narrow, wide = (
        TargetDensities.of(data, Protocol("AR", candidates), 4.0) for candidates in ("TI", "AI")
    )
    assert wide.rho / narrow.rho == pytest.approx(share, rel=0.05)
    narrow, wide = (
        TargetDensities.of(data, Protocol("AR", candidates, 20, 4.0), 4.0)
        for candidates in ("TI", "AI")
    )
    assert wide.rho == pytest.approx(narrow.rho)


# --- exact, over coin-flip splits -------------------------------------------------------------

ROWS = [(0, 0, 5), (0, 1, 1), (0, 2, 5), (0, 4, 4), (1, 1, 5), (1, 3, 2), (1, 4, 5), (2, 2, 5)]


@pytest.mark.each("cutoff", [1, 2, 3, 5])
@pytest.mark.each("order", [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1]])
def test_the_exact_expectation_is_the_average_over_all_splits(
    cutoff: int, order: list[int]
) -> None:
    test_share = 0.3
    expected = 0.0
    for tests in product([False, True], repeat=len(ROWS)):
        weight = np.prod([test_share if one else 1 - test_share for one in tests])
        hits = 0
        for user in range(4):
            own = [
                (item, value, one)
                for (u, item, value), one in zip(ROWS, tests, strict=True)
                if u == user
            ]
            train = {item for item, _, one in own if not one}
            relevant = {item for item, value, one in own if one and value >= 4}
            ranked = [item for item in order if item not in train][:cutoff]
            hits += len(relevant & set(ranked))
        expected += weight * hits / (cutoff * 4)
    found = expected_precision_over_coin_flips(
        ratings_of(ROWS, 4, 5), np.array(order), 4.0, test_share, cutoff
    )
    assert found == pytest.approx(expected)


def test_equation_3_is_the_exact_one_where_few_items_of_the_order_are_in_train() -> None:
    rng = np.random.default_rng(2)
    rated = rng.random((2000, 60)) < np.linspace(0.02, 0.002, 60)
    rows = [(int(u), int(i), 5.0) for u, i in np.argwhere(rated)]
    ratings = ratings_of(rows, 2000, 60)
    order = np.argsort(-rated.sum(axis=0), kind="stable")
    exact = expected_precision_over_coin_flips(ratings, order, 4.0, 0.2, 10)
    approximate = expected_precision(
        rated.sum(axis=0)[order], 10, sigma=0.2, n_candidates=60, t=60.0, n_users=2000
    )
    assert approximate == pytest.approx(exact, rel=0.02)


def test_equation_3_falls_short_where_users_have_rated_much_of_the_head() -> None:
    # What a user has rated leaves the list, and what comes instead is popular as well.
    rng = np.random.default_rng(2)
    rated = rng.random((300, 60)) < np.linspace(0.9, 0.05, 60)
    rows = [(int(u), int(i), 5.0) for u, i in np.argwhere(rated)]
    order = np.argsort(-rated.sum(axis=0), kind="stable")
    exact = expected_precision_over_coin_flips(ratings_of(rows, 300, 60), order, 4.0, 0.2, 5)
    t = 60 - 0.8 * rated.sum() / 300
    approximate = expected_precision(
        rated.sum(axis=0)[order], 5, sigma=0.2, n_candidates=60, t=t, n_users=300
    )
    assert approximate < 0.8 * exact
