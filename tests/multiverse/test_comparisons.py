# SPDX-License-Identifier: MIT
"""Two systems compared under every aggregation, coverage and test, against scipy."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from receval.multiverse.comparisons import PairOfSystems, UserValues
from receval.multiverse.decisions import Aggregation, DecisionGrid, SignificanceTest
from receval.statistics.bootstrap import poisson_resamples, rejected_shares

Values = NDArray[np.float64]
Users = NDArray[np.bool_]
EPSILON = 1e-5
N_USERS = 60
PAIRS = [
    (configuration.aggregation, configuration.test)
    for configuration in DecisionGrid(
        aggregation=get_args(Aggregation), test=get_args(SignificanceTest)
    ).configurations()
]


class Universe:
    """Values of two systems on sixty users; some are not covered, tested or trained on."""

    def __init__(self, seed: int, shift: float = 0.1) -> None:
        rng = np.random.default_rng(seed)
        self.n_test = rng.integers(0, 6, N_USERS)
        self.n_relevant = rng.integers(0, self.n_test + 1)
        self.has_train = rng.random(N_USERS) < 0.8
        self.resamples = poisson_resamples(N_USERS, 100, rng)
        self.covered = rng.random((2, N_USERS)) < [[0.7], [0.9]]
        values = rng.integers(0, 9, (2, 2, N_USERS)) / 10 + np.array([[[shift]], [[0.0]]])
        # A user without recommendations has no value but 0.
        self.values = np.where(self.covered[:, np.newaxis], values, 0.0)

    def pair(self, coverage: str = "full", *, trained: bool = False) -> PairOfSystems:
        first, second = (
            UserValues(values, covered)
            for values, covered in zip(self.values, self.covered, strict=True)
        )
        return PairOfSystems(
            first,
            second,
            self.n_test,
            self.n_relevant,
            self.has_train if trained else None,
            coverage,
            self.resamples,
        )

    def users(self, coverage: str, *, trained: bool = False) -> tuple[Users, Users, Users]:
        """Users averaged for each system, and those compared."""
        base = (self.n_test > 0) & (self.has_train | (not trained))
        if coverage == "full":
            return base, base, base
        first, second = base & self.covered[0], base & self.covered[1]
        return first, second, first & second

    def weights(self, aggregation: str) -> NDArray[np.int64]:
        return self.n_test if aggregation.startswith("test") else self.n_relevant


def evaluated_users(values: Values, weights: NDArray[np.int64], aggregation: Aggregation) -> float:
    if aggregation == "median":
        return float(np.median(values))
    if aggregation == "geometric":
        return float(np.exp(np.mean(np.log(values + EPSILON))) - EPSILON)
    return float(np.average(values, weights=weights if "weighted" in aggregation else None))


def compared_values(values: Values, weights: NDArray[np.int64], aggregation: str) -> Values:
    if aggregation == "geometric":
        return np.log(values + EPSILON)
    return values * weights / weights.mean() if "weighted" in aggregation else values


def differences_of(first: Values, second: Values) -> Values:
    """Return differences of tenths: 0.1 + 0.2 is 0.3."""
    return np.round(first - second, 12)


def scipy_p(first: Values, second: Values, test: SignificanceTest) -> float:
    differences = differences_of(first, second)
    if test == "sign":
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        return stats.binomtest(wins, wins + losses).pvalue
    if test == "wilcoxon":
        found = stats.wilcoxon(differences, zero_method="wilcox", correction=False, method="approx")
        return found.pvalue
    return stats.ttest_rel(first, second).pvalue


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("coverage", ["full", "reduced"])
@pytest.mark.parametrize(("aggregation", "test"), PAIRS)
def test_values_effects_and_p_values_are_those_of_numpy_and_scipy(
    aggregation: Aggregation, test: SignificanceTest, coverage: str, trained: bool
) -> None:
    universe = Universe(1)
    found = universe.pair(coverage, trained=trained).compared(aggregation, test)
    *own, paired = universe.users(coverage, trained=trained)
    weights = universe.weights(aggregation)
    for metric in range(2):
        values = [
            evaluated_users(universe.values[system, metric, users], weights[users], aggregation)
            for system, users in enumerate(own)
        ]
        assert found.first[metric] == pytest.approx(values[0], rel=1e-12)
        assert found.second[metric] == pytest.approx(values[1], rel=1e-12)
        first, second = (
            compared_values(universe.values[system, metric, paired], weights[paired], aggregation)
            for system in range(2)
        )
        location = values[0] - values[1]
        if aggregation == "geometric":
            location = np.log(values[0] + EPSILON) - np.log(values[1] + EPSILON)
        assert found.effect[metric] == pytest.approx(location / np.std(first - second, ddof=1))
        if test == "bootstrap":
            inner = "sign" if aggregation == "median" else "t"
            share = rejected_shares(
                differences_of(first, second), universe.resamples[:, paired], inner
            )
            assert found.rejected[metric] == share[0]
            assert np.isnan(found.p[metric])
        else:
            assert found.p[metric] == pytest.approx(scipy_p(first, second, test), rel=1e-9)
            assert np.isnan(found.rejected[metric])
    np.testing.assert_array_equal(found.difference, found.first - found.second)
    certainty = found.rejected if test == "bootstrap" else 1 - found.p
    agrees = np.abs(found.signed_one_minus_p) == certainty
    assert (agrees | (found.signed_one_minus_p == 0)).all()
    level = 0.5 if test == "bootstrap" else 0.95
    wins = (np.abs(found.signed_one_minus_p) > level) * np.sign(found.difference)
    np.testing.assert_array_equal(found.verdict, wins)


def test_the_full_average_is_the_reduced_one_times_user_coverage() -> None:
    # canamares2020, section 3.9, prints the inverse; users without a list count as 0.
    universe = Universe(2)
    full = universe.pair("full").compared("mean", "t")
    reduced = universe.pair("reduced").compared("mean", "t")
    tested = universe.n_test > 0
    coverage = (universe.covered & tested).sum(axis=1) / tested.sum()
    assert (coverage < 1).all()
    np.testing.assert_allclose(full.first, coverage[0] * reduced.first)
    np.testing.assert_allclose(full.second, coverage[1] * reduced.second)


@given(st.integers(0, 99), st.sampled_from(PAIRS), st.sampled_from(["full", "reduced"]))
def test_the_other_order_of_the_systems_mirrors_everything(
    seed: int, how: tuple[Aggregation, SignificanceTest], coverage: str
) -> None:
    universe = Universe(seed, shift=0.2)
    found = universe.pair(coverage).compared(*how)
    universe.values, universe.covered = universe.values[::-1], universe.covered[::-1]
    mirrored = universe.pair(coverage).compared(*how)
    np.testing.assert_array_equal(mirrored.first, found.second)
    np.testing.assert_array_equal(mirrored.verdict, -found.verdict)
    np.testing.assert_allclose(mirrored.effect, -found.effect, rtol=1e-9)
    np.testing.assert_allclose(mirrored.p, found.p, rtol=1e-9)
    np.testing.assert_array_equal(mirrored.rejected, found.rejected)
