# SPDX-License-Identifier: MIT
"""Equation 3 of bellogin2017 for popularity on MovieLens 1M, and the exact form beside it."""

from __future__ import annotations

import numpy as np
import pytest
from real_data.movielens import MovieLens, needs_movielens

from receval.protocols.candidates import base_candidates
from receval.protocols.protocol import Protocol
from receval.theory.target_densities import TargetDensities
from reproduction.claims.theorems.expected_precision import (
    expected_bounds_of_one_relevant,
    expected_positives_among_samples,
    expected_precision,
    expected_precision_over_coin_flips,
)

pytestmark = [needs_movielens, pytest.mark.costly]

RELEVANT, CUTOFF, TEST_SHARE = 5.0, 10, 0.2
ALL_ITEMS = Protocol("AR", "AI")


def test_the_exact_form_gives_what_popularity_has_and_equation_3_half_of_it(
    movielens: MovieLens,
) -> None:
    ratings = movielens.ratings
    order = np.argsort(-np.bincount(ratings.items, minlength=ratings.n_items), kind="stable")
    (measured,) = movielens.measured("coin-flip-80", "pop", ALL_ITEMS, RELEVANT, "P@10")
    exact = expected_precision_over_coin_flips(ratings, order, RELEVANT, TEST_SHARE, CUTOFF)
    assert exact == pytest.approx(measured, rel=0.03)

    liked = np.bincount(ratings.items[ratings.values >= RELEVANT], minlength=ratings.n_items)
    fold = movielens.first_fold("coin-flip-80")
    for protocol in (ALL_ITEMS, Protocol("AR", "TI")):
        is_candidate = base_candidates(protocol, fold, fold.test)
        of_equation_3 = expected_precision(
            liked[order],
            CUTOFF,
            sigma=TEST_SHARE,
            n_candidates=int(is_candidate.sum()),
            t=TargetDensities.of(fold, protocol, RELEVANT).t,
            n_users=ratings.n_users,
        )
        assert of_equation_3 == pytest.approx(0.044, abs=0.001)


@pytest.mark.parametrize(("sampled", "holds"), [(99, True), (999, False)])
def test_the_bounds_of_section_5_1_hold_for_small_target_sets_alone(
    movielens: MovieLens, sampled: int, holds: bool
) -> None:
    ratings = movielens.ratings
    fold = movielens.first_fold("coin-flip-80")
    one = Protocol("1R", "TI", sampled, RELEVANT)
    (measured,) = movielens.measured("coin-flip-80", "pop", one, RELEVANT, "P@10")

    every = Protocol("AR", "TI", sampled, RELEVANT)
    counts = np.bincount(fold.train.indices, minlength=ratings.n_items)
    is_candidate = base_candidates(one, fold, fold.test)
    order = np.argsort(np.where(is_candidate, -counts, 1), kind="stable")[: is_candidate.sum()]
    liked = np.bincount(ratings.items[ratings.values >= RELEVANT], minlength=ratings.n_items)
    densities = TargetDensities.of(fold, every, RELEVANT)
    # Of a target set of t items the k-th is on average the k/t-th part down the candidates.
    positives = expected_positives_among_samples(liked[order], round(densities.t))
    bounds = expected_bounds_of_one_relevant(
        positives,
        densities.relevant,
        CUTOFF,
        n_positive=densities.n_positive,
        n_candidates=int(is_candidate.sum()),
        t=densities.t,
    )
    assert (bounds.lower <= measured <= bounds.upper) == holds
