# SPDX-License-Identifier: MIT
from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from studies.prepared import ratings_of
from theory.worlds import THRESHOLD, fold_of, lists_of

from receval.metrics.evaluation import evaluate
from receval.metrics.precision_and_recall import Precision
from receval.protocols.protocol import Protocol
from receval.splits.split import fold
from receval.splits.uniform_test import split_with_uniform_test
from receval.theory.target_densities import TargetDensities
from reproduction.claims.theorems.expected_precision import (
    expected_bounds_of_one_relevant,
    expected_positives_among_samples,
    expected_positives_of_uniform_test,
    expected_precision,
    expected_precision_over_coin_flips,
    expected_random_precision,
    expected_random_precision_of_one_relevant,
)

ROOM = {"sigma": 0.2, "n_candidates": 50, "t": 40.0, "n_users": 100}


def test_equation_3_by_hand() -> None:
    # .2 * 50 / (2 * 40 * 100) * (30 + 20)
    assert expected_precision([30, 20, 10], 2, **ROOM) == pytest.approx(0.0625)
    assert expected_precision([[30, 20, 10], [10, 20, 30]], 1, **ROOM) == pytest.approx(
        0.2 * 50 / (40 * 100) * 20
    )
    assert expected_precision([[30, 20, 10], [50, 0, 0]], 2, **ROOM) == pytest.approx(
        0.2 * 50 / (2 * 40 * 100) * (40 + 10)
    )


def test_equations_4_and_5_by_hand() -> None:
    assert expected_random_precision(1000, sigma=0.2, t=40.0, n_users=100) == pytest.approx(0.05)
    assert expected_random_precision_of_one_relevant(100) == 0.01


def test_equation_3_of_equally_popular_items_is_equation_4() -> None:
    # |PR| = 50 items of 20 positive ratings.
    assert expected_precision(np.full(50, 20), 10, **ROOM) == pytest.approx(
        expected_random_precision(1000, sigma=0.2, t=40.0, n_users=100)
    )


def test_popularity_is_the_best_order_for_everyone() -> None:
    positives = np.random.default_rng(0).integers(0, 60, 50)
    best = expected_precision(np.sort(positives)[::-1], 10, **ROOM)
    for seed in range(20):
        shuffled = np.random.default_rng(seed).permutation(positives)
        assert expected_precision(shuffled, 10, **ROOM) <= best


def test_bounds_of_one_relevant_by_hand() -> None:
    bounds = expected_bounds_of_one_relevant(
        [30, 20, 10, 5], [0, 1, 2, 9], 2, n_positive=65, n_candidates=4, t=3.0
    )
    scale = 4 / (2 * 3 * 65)
    assert bounds.lower == pytest.approx(scale * 50)
    # m_u = 2, 2, 3 and 10, of which there are four ranks.
    assert bounds.upper == pytest.approx(scale * (50 + 50 + 60 + 65) / 4)


def test_a_ranking_that_ends_before_the_cut_off_is_refused() -> None:
    assert expected_precision([3, 2], 2, **ROOM) > 0
    with pytest.raises(ValueError, match="fewer than the cut-off 5"):
        expected_precision([3, 2], 5, **ROOM)
    of_seven_users = np.ones((7, 2))
    with pytest.raises(ValueError, match="has 2 items, fewer than the cut-off 5"):
        expected_precision(of_seven_users, 5, **ROOM)


@pytest.mark.parametrize("size", [1, 2, 4, 6])
def test_the_kth_item_of_a_sample_is_that_of_all_samples_on_average(size: int) -> None:
    positives = np.array([9, 7, 4, 4, 1, 0])
    samples = [positives[list(chosen)] for chosen in combinations(range(6), size)]
    found = expected_positives_among_samples(positives, size)
    assert found == pytest.approx(np.mean(samples, axis=0))


@pytest.mark.parametrize("size", [0, 4])
def test_a_sample_of_nothing_or_of_more_than_the_candidates_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"of {size} items cannot be drawn from 3 candidates"):
        expected_positives_among_samples([3, 2, 1], size)


@pytest.mark.costly
def test_equation_3_holds_for_popularity_among_samples() -> None:
    # Few likes a user, so that a target set is nearly the plain sample that the formulas assume.
    rng = np.random.default_rng(6)
    n_users, n_items, sampled, cutoff = 6000, 200, 60, 5
    liked = rng.random((n_users, n_items)) < np.linspace(0.04, 0.0, n_items)
    tests = liked & (rng.random(liked.shape) < 0.2)
    train = [(int(u), int(i)) for u, i in np.argwhere(liked & ~tests)]
    data = fold_of(train, [(int(u), int(i), 5.0) for u, i in np.argwhere(tests)], liked.shape)
    positives = liked.sum(axis=0)
    both = (Protocol(kind, "AI", sampled, THRESHOLD) for kind in ("AR", "1R"))
    many, one = lists_of(data, np.tile(positives, (n_users, 1)), *both)
    densities = TargetDensities.of(data, Protocol("AR", "AI", sampled, THRESHOLD), THRESHOLD)
    order = np.sort(positives)[::-1]
    among = expected_positives_among_samples(order, round(densities.t))
    measured = evaluate([Precision(cutoff=cutoff)], many).mean()
    expected = expected_precision(
        among, cutoff, sigma=0.2, n_candidates=n_items, t=densities.t, n_users=n_users
    )
    assert measured == pytest.approx(expected, rel=0.15)
    bounds = expected_bounds_of_one_relevant(
        among,
        densities.relevant,
        cutoff,
        n_positive=densities.n_positive,
        n_candidates=n_items,
        t=densities.t,
    )
    (values,) = evaluate([Precision(cutoff=cutoff)], one)
    assert bounds.lower < bounds.upper
    assert values.mean() == pytest.approx(bounds.lower, rel=0.15)


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
    bounds = expected_bounds_of_one_relevant(
        flat, np.ones(100, dtype=int), 10, n_positive=150, n_candidates=50, t=40.0
    )
    assert bounds == pytest.approx((1 / 40, 1 / 40))


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


@pytest.mark.parametrize("cutoff", [1, 2, 3, 5])
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1]])
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


def test_an_order_that_misses_items_is_refused() -> None:
    with pytest.raises(ValueError, match="each of the 5 items once"):
        expected_precision_over_coin_flips(ratings_of(ROWS, 4, 5), np.arange(4), 4.0, 0.2, 1)
