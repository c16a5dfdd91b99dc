# SPDX-License-Identifier: MIT
"""Two systems compared under every aggregation, coverage and test, against scipy; who wins."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from receval.multiverse.comparisons import Comparison, PairOfSystems, UserValues
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


@pytest.mark.each("trained", [False, True])
@pytest.mark.each("coverage", ["full", "reduced"])
@pytest.mark.each(("aggregation", "test"), PAIRS)
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


def of_values(first: Values, second: Values, **weights: NDArray[np.int64]) -> PairOfSystems:
    """Two systems that cover everybody, one metric."""
    n_users = len(first)
    systems = (UserValues(row[np.newaxis], np.ones(n_users, dtype=bool)) for row in (first, second))
    ones = np.ones(n_users, dtype=np.int64)
    resamples = poisson_resamples(n_users, 200, np.random.default_rng(0))
    n_test, n_relevant = (weights.get(name, ones) for name in ("n_test", "n_relevant"))
    return PairOfSystems(*systems, n_test, n_relevant, resamples=resamples)


def verdicts(pair: PairOfSystems) -> dict[tuple[str, str], int]:
    return {how: int(pair.compared(*how).verdict[0]) for how in PAIRS}


def test_equal_systems_tie_by_every_test() -> None:
    values = np.random.default_rng(3).random(40)
    pair = of_values(values, values)
    assert set(verdicts(pair).values()) == {0}
    for aggregation in get_args(Aggregation):
        assert pair.compared(aggregation, "bootstrap").effect.tolist() == [0.0]


def test_a_test_that_points_the_other_way_lets_nobody_win() -> None:
    # 30 users lose a little and 5 win much: the sign test sees losses, the mean a win.
    first = np.array([0.1] * 30 + [1.0] * 5)
    second = np.array([0.11] * 30 + [0.0] * 5)
    pair = of_values(first, second)
    by_sign = pair.compared("mean", "sign")
    assert by_sign.p[0] < 0.05
    assert by_sign.difference[0] > 0
    assert by_sign.verdict.tolist() == [0]
    # Of the median it says what the values say.
    by_median = pair.compared("median", "sign")
    assert by_median.difference[0] < 0
    assert by_median.verdict.tolist() == [-1]
    assert pair.compared("median", "bootstrap").verdict.tolist() == [-1]


def test_wilcoxon_points_to_the_larger_ranks() -> None:
    # Five wins have smaller ranks than 30 losses, though the mean is a win.
    first = np.array([0.1] * 30 + [1.0] * 5)
    second = np.array([0.15] * 30 + [0.0] * 5)
    pair = of_values(first, second)
    assert pair.compared("mean", "wilcoxon").difference[0] > 0
    assert pair.compared("mean", "wilcoxon").verdict.tolist() == [0]
    assert pair.compared("median", "wilcoxon").verdict.tolist() == [-1]


def test_weights_decide_who_wins() -> None:
    first = np.tile([0.9, 0.1], 20) + np.arange(40) / 1000
    second = np.tile([0.1, 0.7], 20)
    heavy_losers = np.tile([1, 10], 20)
    pair = of_values(first, second, n_test=heavy_losers)
    assert pair.compared("mean", "t").difference[0] > 0
    assert pair.compared("test-weighted", "t").verdict.tolist() == [-1]


def test_a_constant_difference_has_no_standardised_size() -> None:
    # 0.3 - 0.1 and 0.2 - 0.0 differ by rounding alone.
    first = np.array([0.3, 0.2, 0.3, 0.2, 0.2, 0.3, 0.2])
    second = np.array([0.1, 0.0, 0.1, 0.0, 0.0, 0.1, 0.0])
    assert np.std(first - second) > 0
    found = of_values(first, second).compared("mean", "t")
    assert found.effect.tolist() == [0.0]
    assert found.verdict.tolist() == [1]


def test_differences_of_rounding_alone_are_no_wins() -> None:
    first, second = np.full(20, 0.1 + 0.2), np.full(20, 0.3)
    assert (first > second).all()
    pair = of_values(first, second)
    assert set(verdicts(pair).values()) == {0}
    assert pair.compared("mean", "sign").p.tolist() == [1.0]
    assert pair.compared("median", "bootstrap").rejected.tolist() == [0.0]


def test_small_values_are_told_apart() -> None:
    # Of RBP, whose first hits may stand hundreds of ranks down.
    first, second = np.full(20, 3e-14), np.full(20, 1e-14)
    assert of_values(first, second).compared("mean", "sign").p[0] < 1e-5


def refused(n_test: list[int], **changes: object) -> pytest.ExceptionInfo[ValueError]:
    n_users = len(n_test)
    values = UserValues(np.zeros((1, n_users)), np.ones(n_users, dtype=bool))
    other = UserValues(np.zeros((1, n_users)), np.arange(n_users) > 1)
    counts = np.array(n_test)
    with pytest.raises(ValueError, match="at least 2 are needed") as raised:
        PairOfSystems(values, other, counts, counts, **changes)
    return raised


def test_fewer_than_two_users_are_refused_with_what_they_need() -> None:
    assert "coverage is 1, but at least 2 are" in str(refused([0, 3, 0]).value)
    assert "needed, with test ratings. Give more" in str(refused([0, 0, 0]).value)
    trained = refused([1, 1, 1], has_train=np.array([True, False, False]))
    assert "with test ratings, training ratings. Give more" in str(trained.value)
    reduced = refused([1, 1, 1], coverage="reduced")
    assert "with test ratings and lists of both systems. Give more" in str(reduced.value)


def test_users_without_positive_ratings_cannot_be_weighted_by_them() -> None:
    pair = of_values(np.array([0.1, 0.2]), np.zeros(2), n_relevant=np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="no positive ratings, so their weights are all 0"):
        pair.compared("positive-weighted", "t")
    # Each system covers a user with positive ratings, but not the same one.
    covered = np.array([[True, True, True, False], [True, True, False, True]])
    first, second = (UserValues(np.eye(4)[:1], row) for row in covered)
    n_relevant = np.array([0, 0, 1, 1])
    apart = PairOfSystems(first, second, np.ones(4, dtype=np.int64), n_relevant, None, "reduced")
    with pytest.raises(ValueError, match="The 2 users to compare have no positive test ratings"):
        apart.compared("positive-weighted", "t")


def test_the_bootstrap_needs_resamples() -> None:
    pair = of_values(np.array([0.1, 0.2]), np.zeros(2))
    pair.resamples = None
    assert isinstance(pair.compared("mean", "t"), Comparison)
    with pytest.raises(ValueError, match="needs resampled sets of users: give resamples"):
        pair.compared("mean", "bootstrap")


def test_negative_values_have_no_geometric_mean_and_do_not_hinder_others() -> None:
    values = np.vstack([np.linspace(0.1, 0.9, 20), np.linspace(-0.5, 0.5, 20)])
    ones = np.ones(20, dtype=np.int64)
    first, second = (UserValues(rows, ones > 0) for rows in (values, values / 2))
    pair = PairOfSystems(first, second, ones, ones)
    with pytest.raises(
        ValueError, match=r"A value is -0\.5, but negative values have no geometric"
    ):
        pair.compared("geometric", "t-log")
    alone = PairOfSystems(
        *(UserValues(rows[:1], ones > 0) for rows in (values, values / 2)), ones, ones
    )
    found = pair.compared("geometric", "t-log", [0])
    assert found.p == pytest.approx(alone.compared("geometric", "t-log").p, rel=1e-12)
    assert found.first.shape == (1,)
    # Metrics asked for in another order come in that order.
    both, swapped = pair.compared("mean", "t"), pair.compared("mean", "t", [1, 0])
    assert swapped.first == pytest.approx(both.first[::-1])
