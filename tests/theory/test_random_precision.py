# SPDX-License-Identifier: MIT
from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from theory.worlds import THRESHOLD, fold_of, lists_of

from receval.metrics.evaluation import evaluate, mean
from receval.metrics.precision import Precision
from receval.protocols.protocol import Protocol, RelevantSelection
from receval.ratings import Ratings
from receval.splits.split import Fold, fold
from receval.splits.uniform_test import split_with_uniform_test
from receval.theory.precision import (
    random_precision,
    random_precision_within_percentiles,
)
from receval.theory.target_densities import TargetDensities


def one_user(n_relevant: int, n_others: int) -> Fold:
    """One user with some relevant test items; the others are candidates of all items."""
    test = [(0, item, 5.0) for item in range(n_relevant)]
    return fold_of([], test, (1, n_relevant + n_others))


def hits_over_all_orders(n_relevant: int, n_others: int, cutoff: int, one: bool) -> list[int]:
    """Count hits for every order of a target set; the first items are the relevant ones."""
    counts = []
    for order in permutations(range(n_relevant + n_others)):
        if one:
            ranks = [
                1 + sum(item >= n_relevant for item in order[: order.index(relevant)])
                for relevant in range(n_relevant)
            ]
        else:
            ranks = [1 + order.index(relevant) for relevant in range(n_relevant)]
        counts.append(sum(rank <= cutoff for rank in ranks))
    return counts


@pytest.mark.parametrize("relevant", ["AR", "1R"])
@pytest.mark.parametrize("cutoff", [1, 2, 3, 4, 6, 9])
@pytest.mark.parametrize(("n_relevant", "n_others"), [(1, 5), (3, 3), (4, 2), (2, 0)])
def test_mean_and_error_are_those_of_all_orders(
    relevant: RelevantSelection, cutoff: int, n_relevant: int, n_others: int
) -> None:
    protocol = Protocol(relevant, "AI", None, THRESHOLD)
    densities = TargetDensities.of(one_user(n_relevant, n_others), protocol, THRESHOLD)
    found = random_precision(densities, cutoff)
    hits = hits_over_all_orders(n_relevant, n_others, cutoff, relevant == "1R")
    values = np.array(hits) / cutoff / (n_relevant if relevant == "1R" else 1)
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(values.std(), abs=1e-12)


def test_the_expectation_is_rho_and_under_1r_one_over_t() -> None:
    data = world(3)
    for protocol in (Protocol("AR", "TI"), Protocol("AR", "TI", 12, THRESHOLD)):
        densities = TargetDensities.of(data, protocol, THRESHOLD)
        assert random_precision(densities, 10).mean == pytest.approx(densities.rho)
    densities = TargetDensities.of(data, Protocol("1R", "TI", 19, THRESHOLD), THRESHOLD)
    assert random_precision(densities, 10).mean == pytest.approx(1 / 20)


def world(seed: int, n_users: int = 120, n_items: int = 60) -> Fold:
    """Popular items have more ratings; a fifth of the ratings tests."""
    rng = np.random.default_rng(seed)
    rated = rng.random((n_users, n_items)) < np.linspace(0.7, 0.1, n_items)
    tests = rated & (rng.random(rated.shape) < 0.2)
    train = [(int(u), int(i)) for u, i in np.argwhere(rated & ~tests)]
    test = [(int(u), int(i), float(rng.integers(1, 6))) for u, i in np.argwhere(tests)]
    return fold_of(train, test, rated.shape)


def uniform_world(seed: int) -> Fold:
    rng = np.random.default_rng(seed)
    rated = rng.random((120, 60)) < np.linspace(0.7, 0.1, 60)
    users, items = np.nonzero(rated)
    ratings = Ratings(
        users=users.astype(np.int32),
        items=items.astype(np.int32),
        values=rng.integers(1, 6, len(users)).astype(np.float32),
        user_ids=np.arange(120).astype(np.str_),
        item_ids=np.arange(60).astype(np.str_),
    )
    split = split_with_uniform_test(
        ratings, lambda _: rng, test_share=0.2, min_train_ratio=0.2, folds=1
    )
    return fold(ratings, split, 0)


PROTOCOLS = (
    Protocol("AR", "AI"),
    Protocol("AR", "TI"),
    Protocol("AR", "TI", 15, THRESHOLD),
    Protocol("1R", "TI", 15, THRESHOLD),
    Protocol("1R", "AI", None, THRESHOLD),
)


@pytest.mark.costly
@pytest.mark.parametrize("make", [world, uniform_world])
def test_measured_random_precision_is_its_expectation_within_its_error(make: object) -> None:
    data = make(8)  # type: ignore[operator]
    # Seeds that no world has: its ratings would be drawn from the same numbers as the scores.
    scores = [np.random.default_rng([seed, 7]).random(data.train.shape) for seed in range(200)]
    measured = np.array(
        [
            [
                evaluate([Precision(cutoff=5)], lists).mean()
                for lists in lists_of(data, matrix, *PROTOCOLS, seed=seed)
            ]
            for seed, matrix in enumerate(scores)
        ]
    )
    for protocol, values in zip(PROTOCOLS, measured.T, strict=True):
        expected = random_precision(TargetDensities.of(data, protocol, THRESHOLD), 5)
        z = (values - expected.mean) / expected.standard_error
        # The mean of 200 normal numbers, and their standard deviation within four of its errors.
        assert abs(z.mean()) < 4 / np.sqrt(len(z)), protocol
        assert abs(z.std() - 1) < 4 / np.sqrt(2 * len(z)), protocol
        assert np.mean(np.abs(z) < 3) >= 0.97, protocol


@pytest.mark.costly
def test_measured_random_precision_within_percentiles_is_its_expectation_within_its_error() -> None:
    data = world(8)
    protocol = Protocol("1R", "TI", 8, THRESHOLD, percentiles=4)
    metric = Precision(cutoff=3)
    measured = []
    for seed in range(200):
        scores = np.random.default_rng([seed, 7]).random(data.train.shape)
        (lists,) = lists_of(data, scores, protocol, seed=seed)
        measured.append(mean(evaluate([metric], lists), lists)[0])
    expected = random_precision_within_percentiles(data, protocol, THRESHOLD, 3)
    z = (np.array(measured) - expected.mean) / expected.standard_error
    assert abs(z.mean()) < 4 / np.sqrt(len(z))
    assert abs(z.std() - 1) < 4 / np.sqrt(2 * len(z))


def test_percentiles_weigh_alike_in_random_precision() -> None:
    # The popular percentile has candidates for lists of 2 items, the other one for lists of 3.
    data = fold_of(
        [(1, 0), (2, 0), (2, 1)], [(0, 0, 5.0), (1, 1, 5.0), (0, 3, 5.0), (2, 2, 1.0)], (4, 5)
    )
    protocol = Protocol("1R", "AI", 9, THRESHOLD, percentiles=2)
    by_percentile = [
        TargetDensities.of(data, protocol, THRESHOLD, percentile=k).sizes.tolist() for k in (0, 1)
    ]
    expected = random_precision_within_percentiles(data, protocol, THRESHOLD, 1)
    shares = [np.mean([1 / size for size in sizes]) for sizes in by_percentile]
    assert expected.mean == pytest.approx(np.mean(shares))
    assert len(by_percentile[0]) != len(by_percentile[1])


def test_percentiles_without_a_relevant_rating_are_refused() -> None:
    protocol = Protocol("1R", "AI", 2, THRESHOLD, percentiles=2)
    with pytest.raises(ValueError, match="no target sets within percentiles"):
        random_precision_within_percentiles(fold_of([], [(0, 0, 1.0)], (1, 4)), protocol, 4.0, 5)


@given(
    seed=st.integers(0, 10_000),
    share=st.floats(0.1, 1),
    # Under AR with samples removed items leave the lists, so that other ranks are measured.
    protocol=st.sampled_from([p for p in PROTOCOLS if p.relevant == "1R" or not p.sampled]),
)
def test_random_precision_under_removed_test_ratings(
    seed: int, share: float, protocol: Protocol
) -> None:
    data = world(2)
    rng = np.random.default_rng([seed, 7])
    kept = rng.random(len(data.test)) < share
    expected = random_precision(TargetDensities.of(data, protocol, THRESHOLD, kept), 5)
    (lists,) = lists_of(data, rng.random(data.train.shape), protocol, seed=seed)
    view = lists.full
    hit = view.relevant & (view.ranks <= 5) & kept[view.judged.positions[view.indices]]
    n_lists = (
        int((kept & (data.test.values >= THRESHOLD)).sum()) if lists.one_relevant else view.n_lists
    )
    measured = hit.sum() / (5 * n_lists)
    assert abs(measured - expected.mean) <= 5 * expected.standard_error


def test_no_target_sets_are_refused() -> None:
    densities = TargetDensities.of(
        fold_of([], [(0, 0, 1.0)], (1, 4)), Protocol("1R", "AI", 2, THRESHOLD), THRESHOLD
    )
    with pytest.raises(ValueError, match="Lower it, or keep more test ratings"):
        random_precision(densities, 5)
