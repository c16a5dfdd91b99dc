# SPDX-License-Identifier: MIT
"""Ratings without preferences: the law of their popularity, and that nothing else is in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from receval.data.ratings import Ratings
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw, simulate_ratings

N_USERS, N_ITEMS, N_RATINGS = 600, 120, 6007
LAW = ShiftedPowerLaw(alpha=1.0, c1=3.0, c2=10.0, beta=500.0)
VALUES = np.array([1] * 5 + [2] * 10 + [3] * 25 + [4] * 35 + [5] * 25, dtype=np.float32)


def source() -> Ratings:
    """Return a hundred ratings with a marginal in whole percents."""
    rng = np.random.default_rng(4)
    return Ratings(
        users=rng.integers(0, N_USERS, 100).astype(np.int32),
        items=rng.integers(0, N_ITEMS, 100).astype(np.int32),
        values=VALUES,
        user_ids=np.arange(N_USERS).astype(np.str_),
        item_ids=np.arange(N_ITEMS).astype(np.str_),
        timestamps=np.arange(100),
    )


def counts_of(alpha: float) -> np.ndarray:
    return LAW.with_skewness(alpha, N_ITEMS, N_RATINGS).counts(N_ITEMS, N_USERS, N_RATINGS)


# --- the law ----------------------------------------------------------------------------------


def test_the_law_is_that_of_the_paper() -> None:
    assert LAW.expected(3) == pytest.approx([3 + 500 / 11, 3 + 500 / 12, 3 + 500 / 13])
    steep = ShiftedPowerLaw(alpha=2.0, c1=0.0, c2=1.0, beta=36.0)
    assert steep.expected(2) == pytest.approx([9, 4])


@pytest.mark.costly
@pytest.mark.parametrize(
    "law",
    [
        ShiftedPowerLaw(alpha=1.4, c1=0.0, c2=260.0, beta=4e6),
        ShiftedPowerLaw(alpha=0.8, c1=5.0, c2=30.0, beta=9e3),
        ShiftedPowerLaw(alpha=2.2, c1=1.0, c2=3.0, beta=2e4),
    ],
)
def test_a_fit_finds_the_law_that_made_the_counts(law: ShiftedPowerLaw) -> None:
    made = law.expected(2000)
    # In any order, and rounded as counts are.
    found = ShiftedPowerLaw.fit(np.random.default_rng(1).permutation(made.round().astype(int)))
    assert found.alpha == pytest.approx(law.alpha, rel=0.02)
    assert found.c2 == pytest.approx(law.c2, rel=0.03)
    assert found.c1 == pytest.approx(law.c1, abs=0.5)
    assert found.expected(2000) == pytest.approx(made, rel=0.01, abs=1)


def test_no_other_law_nearby_is_closer_than_the_fit() -> None:
    counts = np.sort(np.random.default_rng(2).lognormal(3, 1, 500).round())[::-1].astype(int)
    fit = ShiftedPowerLaw.fit(counts)

    def distance(law: ShiftedPowerLaw) -> float:
        return float(np.sum((law.expected(500) - counts) ** 2))

    for name in ("alpha", "c1", "c2", "beta"):
        for factor in (0.9, 0.97, 1.03, 1.1):
            other = ShiftedPowerLaw(**{**vars(fit), name: vars(fit)[name] * factor})
            assert distance(other) >= distance(fit), (name, factor)
    assert fit.c1 >= 0


def test_a_fit_has_no_digits_that_processors_disagree_on() -> None:
    counts = np.random.default_rng(2).lognormal(3, 1, 500).round().astype(int)
    fit = ShiftedPowerLaw.fit(counts)
    assert all(float(f"{value:.4g}") == value for value in (fit.alpha, fit.c1, fit.c2))


def test_a_fit_never_gives_an_item_less_than_no_rating() -> None:
    # Without the bound, c1 of a straight line would be negative.
    assert ShiftedPowerLaw.fit(np.arange(200, -1, -1)).c1 == 0


def test_another_skewness_keeps_the_total_and_c1_and_c2() -> None:
    for alpha in (0, 0.5, 1, 2, 5):
        law = LAW.with_skewness(alpha, N_ITEMS, N_RATINGS)
        assert (law.alpha, law.c1, law.c2) == (alpha, LAW.c1, LAW.c2)
        assert law.expected(N_ITEMS).sum() == pytest.approx(N_RATINGS)


@pytest.mark.each("alpha", [0, 0.25, 1, 1.4, 2])
def test_counts_have_the_total_fall_with_rank_and_are_the_law_but_for_rounding(
    alpha: float,
) -> None:
    counts = counts_of(alpha)
    assert counts.sum() == N_RATINGS
    assert np.all(np.diff(counts) <= 0)
    expected = LAW.with_skewness(alpha, N_ITEMS, N_RATINGS).expected(N_ITEMS)
    assert expected[0] < N_USERS
    assert np.abs(counts - expected).max() < 1


def test_without_skewness_all_items_are_equally_popular() -> None:
    counts = counts_of(0)
    assert set(counts.tolist()) == {50, 51}
    # 6,007 = 120 * 50 + 7, and the first ranks get what is left over.
    assert counts[:7].tolist() == [51] * 7


def test_an_item_that_all_users_rate_leaves_the_rest_to_the_others() -> None:
    law = ShiftedPowerLaw(alpha=4.0, c1=2.0, c2=5.0, beta=1.0)
    counts = law.counts(N_ITEMS, N_USERS, N_RATINGS)
    full = int((counts == N_USERS).sum())
    assert 0 < full < N_ITEMS
    assert counts.sum() == N_RATINGS
    # The others follow the law with a larger beta: what is above c1 falls by the same powers.
    ranks = np.arange(full + 1, N_ITEMS + 1)
    beta = (N_RATINGS - full * N_USERS - (N_ITEMS - full) * 2) / np.sum((5.0 + ranks) ** -4)
    assert np.abs(counts[full:] - (2 + beta * (5.0 + ranks) ** -4)).max() < 1
    assert beta > law.with_skewness(4, N_ITEMS, N_RATINGS).beta


@given(
    alpha=st.floats(0, 20),
    c1=st.floats(0, 5),
    c2=st.floats(0, 1e4),
    n_items=st.integers(1, 60),
    n_users=st.integers(1, 40),
    density=st.floats(0, 1),
)
def test_counts_are_possible_whatever_the_law(
    alpha: float, c1: float, c2: float, n_items: int, n_users: int, density: float
) -> None:
    n_ratings = round(density * n_items * n_users)
    assume(c1 * n_items <= n_ratings)
    counts = ShiftedPowerLaw(alpha, c1, c2, 1.0).counts(n_items, n_users, n_ratings)
    assert counts.sum() == n_ratings
    assert counts.min() >= math.floor(c1)
    assert counts.max() <= n_users
    assert np.all(np.diff(counts) <= 0)


def simulated(alpha: float = 1.0, seed: int = 3) -> Ratings:
    return simulate_ratings(source(), counts_of(alpha), np.random.default_rng(seed))


def test_simulated_ratings_have_the_size_asked_for_and_no_pair_twice() -> None:
    ratings = simulated()
    assert (ratings.n_users, ratings.n_items, len(ratings)) == (N_USERS, N_ITEMS, N_RATINGS)
    assert np.bincount(ratings.items, minlength=N_ITEMS).tolist() == counts_of(1.0).tolist()
    pairs = ratings.items.astype(np.int64) * N_USERS + ratings.users
    assert np.all(np.diff(pairs) > 0)
    assert ratings.timestamps is None
    assert ratings.user_ids.tolist() == source().user_ids.tolist()


def test_an_item_can_be_rated_by_all_users_or_by_none() -> None:
    counts = np.array([N_USERS] + [0] * (N_ITEMS - 1))
    ratings = simulate_ratings(source(), counts, np.random.default_rng(0))
    assert ratings.users.tolist() == list(range(N_USERS))
    none = simulate_ratings(source(), np.zeros(N_ITEMS, dtype=int), np.random.default_rng(0))
    assert len(none) == 0


def test_values_have_the_marginal_of_the_source_whatever_the_item() -> None:
    ratings = simulated()
    for part in (ratings.items < 5, ratings.items >= 5):
        values = ratings.values[part]
        for value, share in ((1, 0.05), (2, 0.1), (3, 0.25), (4, 0.35), (5, 0.25)):
            error = 4.5 * np.sqrt(share * (1 - share) / len(values))
            assert np.mean(values == value) == pytest.approx(share, abs=error)
    assert ratings.values.dtype == np.float32


def test_users_rate_as_much_as_chance_has_it_and_prefer_nothing() -> None:
    profiles = np.bincount(simulated().users, minlength=N_USERS)
    assert profiles.mean() == pytest.approx(N_RATINGS / N_USERS)
    shares = counts_of(1.0) / N_USERS
    # The variance of a sum of independent coin flips, one an item.
    assert profiles.var() == pytest.approx(np.sum(shares * (1 - shares)), rel=0.35)


def refused(counts: list[int]) -> Ratings:
    return simulate_ratings(source(), np.array(counts), np.random.default_rng(0))


@pytest.mark.each(
    ("asked", "sentence"),
    [
        (lambda: replace(LAW, alpha=-0.1), "law is -0.1, but it must be a number of at"),
        (lambda: replace(LAW, c2=math.nan), "c2 of a shifted power law is nan"),
        (lambda: replace(LAW, beta=math.inf), "beta of a shifted power law is inf"),
        (lambda: replace(LAW, alpha=21), "alpha of a shifted .* is 21, but it can be at most 20"),
        (lambda: ShiftedPowerLaw.fit(np.array([])), "to 0 of them"),
        (lambda: ShiftedPowerLaw.fit(np.array([3, 2, 1])), "four items .* not to 3 from 1 to 3"),
        (lambda: ShiftedPowerLaw.fit(np.array([5] * 5)), "not all equal, not to 5 from 5 to 5"),
        (lambda: ShiftedPowerLaw.fit(np.array([5, 4, 3, -1])), "not to 4 from -1 to 5"),
        (lambda: LAW.counts(4, 3, 13), "3 users can give 4 items at most 12 ratings, but 13"),
        (
            lambda: LAW.counts(4, 300, 11),
            "4 items with at least c1 = 3 ratings each have more than 11",
        ),
        (lambda: refused([1, 2, 3]), r"are 120 items, but counts has the shape \(3,\)"),
        (lambda: refused([601] + [0] * 119), "0 to 600 ratings, .* the counts range from 0 to 601"),
    ],
)
def test_laws_counts_and_totals_that_cannot_be_are_refused(
    asked: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        asked()
