# SPDX-License-Identifier: MIT
"""Equation 3 of bellogin2017 for popularity on MovieLens 1M, and the exact form beside it."""

from __future__ import annotations

import numpy as np
import pytest
from claims.coin_flips import expected_precision_over_coin_flips
from real_data.movielens import MovieLens, needs_movielens

from receval.protocols.candidates import base_candidates
from receval.protocols.protocol import Protocol
from receval.theory.precision import TargetDensities
from reproduction.claims.theorems import expected_precision

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
