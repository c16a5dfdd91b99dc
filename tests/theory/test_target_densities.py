# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocols.brute_force import Scores
from theory.worlds import THRESHOLD, fold_of, lists_of, random_fold, random_scores

from receval.metrics.evaluation import evaluate
from receval.metrics.precision_and_recall import Precision
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol, RelevantSelection
from receval.seeds import generator
from receval.theory.precision import TargetDensities

# Users 0 and 1 have test ratings, user 2 has none; nobody tests items 4 and 5.
HAND = fold_of(
    train=[(0, 0), (1, 4), (2, 1), (2, 2)],
    test=[(0, 1, 5), (0, 2, 5), (0, 3, 1), (1, 0, 4), (1, 3, 2)],
    shape=(3, 6),
)

protocols = st.builds(
    Protocol,
    relevant=st.sampled_from(["AR", "1R"]),
    candidates=st.sampled_from(["AI", "TI", "train"]),
    sampled=st.one_of(st.none(), st.integers(1, 30)),
    threshold=st.just(THRESHOLD),
)


def seeded(*names: str | int) -> np.random.Generator:
    return generator(5, "dataset", *names)


def test_all_relevant_among_test_items_by_hand() -> None:
    found = TargetDensities.of(HAND, Protocol("AR", "TI"), THRESHOLD)
    # C = {0, 1, 2, 3}. User 0 loses item 0 of the train part, user 1 none, user 2 items 1 and 2.
    assert found.sizes.tolist() == [3, 4, 2]
    assert found.relevant.tolist() == [2, 1, 0]
    assert found.pools.tolist() == [1, 3, 2]
    assert found.rho_of_lists.tolist() == pytest.approx([2 / 3, 1 / 4, 0])
    assert found.rho == pytest.approx((2 / 3 + 1 / 4) / 3)
    assert 1 / found.t == pytest.approx((1 / 3 + 1 / 4 + 1 / 2) / 3)
    assert found.sigma == pytest.approx(5 / 9)
    assert found.n_positive == 4 + 3
    assert found.delta == pytest.approx(7 / (found.t * 3))


@given(seed=st.integers(0, 10_000), share=st.floats(0, 1))
def test_shares_of_a_fold_are_those_of_its_ratings(seed: int, share: float) -> None:
    fold = random_fold(seed)
    rng = np.random.default_rng([seed, 3])
    train = fold.train.copy()
    train.data = rng.integers(1, 6, train.nnz).astype(np.float32)
    kept = rng.random(len(fold.test)) < share
    found = TargetDensities.of(replace(fold, train=train), Protocol("AR", "AI"), THRESHOLD, kept)
    values = [*train.data, *fold.test.values]
    assert found.n_positive == sum(value >= THRESHOLD for value in values)
    assert found.sigma == kept.sum() / len(values)
    assert found.delta == pytest.approx(found.n_positive / found.n_users / found.t)


def test_densities_of_a_single_pair() -> None:
    # Of the only item the user has the only test rating, and nothing trains.
    alone = fold_of([], [(0, 0, 5)], (1, 1))
    every = TargetDensities.of(alone, Protocol("AR", "AI"), THRESHOLD)
    assert (every.sizes.tolist(), every.relevant.tolist(), every.pools.tolist()) == ([1], [1], [0])
    assert (every.rho, every.t, every.sigma, every.delta) == (1, 1, 1, 1)
    # Where it trains, nothing is left to recommend; where nobody likes it, there are no 1R lists.
    trained = TargetDensities.of(fold_of([(0, 0)], [], (1, 1)), Protocol("AR", "AI"), THRESHOLD)
    assert (trained.sizes.tolist(), trained.rho) == ([0], 0)
    assert np.isnan(trained.t)
    disliked = fold_of([], [(0, 0, 1)], (1, 1))
    none = TargetDensities.of(disliked, Protocol("1R", "AI"), THRESHOLD)
    assert none.sizes.tolist() == []
    assert np.isnan([none.rho, none.t]).all()


def test_a_removed_rating_stays_among_all_candidates_and_leaves_samples() -> None:
    kept = np.array([True, False, True, True, True])
    every = TargetDensities.of(HAND, Protocol("AR", "TI"), THRESHOLD, kept)
    assert every.sizes.tolist() == [3, 4, 2]
    assert every.relevant.tolist() == [1, 1, 0]
    sampled = TargetDensities.of(HAND, Protocol("AR", "TI", 2, THRESHOLD), THRESHOLD, kept)
    assert sampled.sizes.tolist() == [1 + 1, 2 + 1, 2]
    one = TargetDensities.of(HAND, Protocol("1R", "TI", 2, THRESHOLD), THRESHOLD, kept)
    assert one.users.tolist() == [0, 1]
    assert every.sigma == pytest.approx(4 / 9)


@given(seed=st.integers(0, 10_000), protocol=protocols)
@pytest.mark.costly
def test_sizes_are_those_of_the_sets_that_are_ranked(seed: int, protocol: Protocol) -> None:
    fold = random_fold(seed)
    found = TargetDensities.of(fold, protocol, THRESHOLD)
    (outcome,) = rank_judged(Scores(random_scores(seed, fold)), fold, [protocol], seeded)
    tested = np.diff(fold.test.indptr) > 0
    if protocol.relevant == "AR":
        assert found.sizes[tested].tolist() == outcome.candidates[tested].tolist()
    else:
        # Candidates are counted without the list's relevant item.
        others = outcome.candidates[found.users]
        assert (found.sizes - found.relevant).tolist() == others.tolist()
        relevant = fold.test.values >= THRESHOLD
        assert found.relevant.tolist() == (outcome.ranks[relevant] > 0).tolist()


@given(
    seed=st.integers(0, 10_000),
    relevant=st.sampled_from(["AR", "1R"]),
    sampled=st.sampled_from([None, 4]),
)
@pytest.mark.costly
def test_a_removed_head_is_in_no_set(
    seed: int, relevant: RelevantSelection, sampled: int | None
) -> None:
    fold = random_fold(seed)
    protocol = Protocol(relevant, "AI", sampled, THRESHOLD, head_removed=0.3)
    found = TargetDensities.of(fold, protocol, THRESHOLD)
    (outcome,) = rank_judged(Scores(random_scores(seed, fold)), fold, [protocol], seeded)
    relevant_left = (fold.test.values >= THRESHOLD) & (outcome.ranks >= 0)
    if relevant == "1R":
        assert found.users.tolist() == fold.test.users[relevant_left].tolist()
        assert found.relevant.tolist() == (outcome.ranks[relevant_left] > 0).tolist()
    else:
        ranked = fold.test.users[relevant_left & (outcome.ranks > 0)]
        assert found.relevant.tolist() == np.bincount(ranked, minlength=8).tolist()
        tested = np.diff(fold.test.indptr) > 0
        assert found.sizes[tested].tolist() == outcome.candidates[tested].tolist()


@given(seed=st.integers(0, 10_000), sampled=st.sampled_from([None, 2, 4]))
@pytest.mark.costly
def test_sets_of_percentiles_have_the_sizes_that_are_ranked(seed: int, sampled: int | None) -> None:
    fold = random_fold(seed)
    protocol = Protocol("1R", "TI", sampled, THRESHOLD, percentiles=3)
    (outcome,) = rank_judged(Scores(random_scores(seed, fold)), fold, [protocol], seeded)
    relevant = fold.test.values >= THRESHOLD
    for percentile in range(3):
        own = relevant & (outcome.percentiles == percentile)
        found = TargetDensities.of(fold, protocol, THRESHOLD, percentile=percentile)
        assert found.users.tolist() == fold.test.users[own].tolist()
        assert found.relevant.tolist() == (outcome.ranks[own] > 0).tolist()
        reached = outcome.ranks[own] > 0
        others = (found.sizes - found.relevant)[reached]
        assert others.tolist() == outcome.candidates[own][reached].tolist()


def test_percentiles_are_measured_one_by_one() -> None:
    fold = random_fold(1)
    within = Protocol("1R", "TI", 4, THRESHOLD, percentiles=3)
    with pytest.raises(ValueError, match="measured per percentile"):
        TargetDensities.of(fold, within, THRESHOLD)
    with pytest.raises(ValueError, match="measured per percentile"):
        TargetDensities.of(fold, Protocol("1R", "TI", 4, THRESHOLD), THRESHOLD, percentile=0)


@given(seed=st.integers(0, 10_000), protocol=protocols)
def test_precision_of_whole_lists_is_rho_for_every_system(seed: int, protocol: Protocol) -> None:
    # Section 4.2: all systems return all target items.
    fold = random_fold(seed)
    (lists,) = lists_of(fold, random_scores(seed, fold), protocol)
    found = TargetDensities.of(fold, protocol, THRESHOLD)
    (precision,) = evaluate([Precision()], lists)
    assert precision == pytest.approx(found.rho_of_lists)


def test_another_threshold_or_a_mask_of_another_fold_is_refused() -> None:
    with pytest.raises(ValueError, match="formed with the relevance threshold 4"):
        TargetDensities.of(HAND, Protocol("1R", "TI", 2, THRESHOLD), 5.0)
    with pytest.raises(ValueError, match="the fold has 5 test ratings"):
        TargetDensities.of(HAND, Protocol("AR", "TI"), THRESHOLD, np.ones(3, dtype=bool))
