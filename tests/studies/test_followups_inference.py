# SPDX-License-Identifier: MIT
"""Inference at scale: populations without and with a difference, families, and what figures say."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from studies.prepared import inputs_of, write_experiment

from receval.protocols.protocol import Protocol
from receval.statistics.difference_tests import TESTS
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups import inference_effects, inference_errors, inference_families
from reproduction.studies.followups.inference_errors import (
    differences_of_pairs,
    flipped_pairs,
    matched_users,
    shares_with_intervals,
    tilted_pairs,
    tilted_to_effect,
)
from reproduction.studies.followups.inference_families import (
    METHODS,
    drawn_family,
    groups_by_mean,
    outcome_of_family,
    rejected_pairs,
)

SYSTEMS = ("pop", "random", "slim", "svd", "puresvd", "ht")


def inputs_with(folder: Path, **parameters: Any) -> ArtifactInputs:
    experiment = write_experiment(
        folder, "ml-1m", SYSTEMS, [Protocol()], evaluated_users="tested", folds=2
    )
    return inputs_of(
        folder,
        experiments={"movielens": experiment},
        seed=3,
        names=["P", "nDCG"],
        metrics=["P@5", "nDCG@5"],
        sizes=[10, 20],
        **parameters,
    )


def values_of(seed: int = 1, n_users: int = 400) -> NDArray[np.float64]:
    """Return values of six systems, each a little better than the one before."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 11, (6, n_users)) / 10 + 0.1 * np.arange(6)[:, None]


def test_pairs_are_turned_and_those_of_one_sign_left_out() -> None:
    values = np.array([[0.0, 0.5, 0.0], [0.3, 0.0, 0.6], [0.0, 0.5, 0.0], [1.0, 1.0, 1.0]])
    found = differences_of_pairs(values)
    # Systems 0 and 2 are the same, and 3 is nowhere worse: pairs 0-1 and 1-2 are left.
    np.testing.assert_allclose(found, [[0.3, -0.5, 0.6], [0.3, -0.5, 0.6]])


@pytest.mark.parametrize("effect", [0.0, 0.2])
def test_users_are_drawn_from_populations_with_the_wanted_effect(effect: float) -> None:
    draw = tilted_pairs(differences_of_pairs(values_of()), effect, 3)
    rows = draw(6, 40_000, np.random.default_rng(2))
    found = rows.mean(axis=1) / rows.std(axis=1)
    np.testing.assert_allclose(found, effect, atol=0.03)


@pytest.mark.parametrize("effect", [0.0, 0.6])
def test_tilted_users_keep_the_nearest_differences_and_tests_take_turns(effect: float) -> None:
    differences = differences_of_pairs(values_of(n_users=30))
    effects = differences.mean(axis=1) / differences.std(axis=1)
    nearest = differences[np.argsort(np.abs(effects - effect), kind="stable")[:2]]
    rows = tilted_pairs(differences, effect, 2)(5, 60, np.random.default_rng(3))
    for number, row in enumerate(rows):
        assert set(row) <= set(nearest[number % 2])


def test_exchanged_and_matched_values_are_symmetric() -> None:
    values = values_of()
    for draw in (flipped_pairs(differences_of_pairs(values), 4), matched_users(values)):
        rows = draw(8, 20_000, np.random.default_rng(4))
        skewed = (rows > 0).mean(axis=1) - (rows < 0).mean(axis=1)
        np.testing.assert_allclose(skewed, 0, atol=0.03)
        np.testing.assert_allclose(rows.mean(axis=1) / rows.std(axis=1), 0, atol=0.03)


def test_shares_of_all_metrics_are_those_of_the_sums() -> None:
    rows = [
        {"metric": metric, "test": "t", "tests": 10, "rejected": rejected}
        for metric, rejected in (("P", 1), ("nDCG", 4))
    ]
    found = shares_with_intervals(rows, ["metric", "test"], "error").set_index("metric")
    assert found["error"].to_dict() == {"P": 0.1, "nDCG": 0.4, "all": 0.25}
    assert found.loc["all", "tests"] == 20
    assert found.loc["all", ["low", "high"]].tolist() == pytest.approx([0.0866, 0.4910], abs=1e-4)


def test_groups_are_neighbours_by_their_means() -> None:
    values = np.array([0.1, 0.9, 0.3, 0.5, 0.7, 0.2])[:, None] * np.ones(4)
    assert groups_by_mean(values, 3).tolist() == [2, 0, 1, 1, 0, 2]
    assert groups_by_mean(values, 1).tolist() == [0] * 6
    assert sorted(groups_by_mean(values, None)) == [0, 1, 2, 3, 4, 5]


def test_values_are_exchanged_within_a_user_and_a_group_alone() -> None:
    values = np.arange(60.0).reshape(6, 10)
    groups = np.array([0, 0, 0, 1, 1, 1])
    family = drawn_family(values, groups, 200, np.random.default_rng(5))
    for group in (0, 1):
        own = np.sort(family[groups == group], axis=0)
        # Values of a user differ by ten from system to system.
        assert (np.diff(own, axis=0) == 10).all()
        assert (own[0] // 30 == group).all()
    assert len(set(family[0] // 10)) == 3
    same = drawn_family(values, np.arange(6), 50, np.random.default_rng(6))
    assert (same // 10 == np.arange(6)[:, None]).all()


def test_adjusted_methods_reject_no_more_than_unadjusted_tests() -> None:
    family = values_of(7, 60)
    found = rejected_pairs(family, np.random.SeedSequence(1), slow=True, permutations=199)
    assert tuple(found) == tuple(METHODS)
    for name in ("holm", "benjamini-hochberg"):
        assert (found[name] <= found["unadjusted"]).all()
    assert (found["holm"] <= found["benjamini-hochberg"]).all()
    assert 0 < found["holm"].sum() <= found["unadjusted"].sum() < len(found["holm"])
    quick = rejected_pairs(family, np.random.SeedSequence(1), slow=False, permutations=199)
    assert tuple(quick) == tuple(METHODS)[:4]


def test_false_and_true_differences_are_counted_by_hand() -> None:
    same, nothing = np.array([True, False, False, True, False]), np.zeros(5, bool)
    rejected = np.array([True, True, True, False, False])
    assert outcome_of_family(rejected, same) == pytest.approx((1, 1 / 3, 2 / 3))
    assert outcome_of_family(nothing, same) == (0, 0, 0)
    # Where no pair differs nothing can be found, and where all do nothing is false.
    none, every = outcome_of_family(rejected, ~nothing), outcome_of_family(rejected, nothing)
    assert none == pytest.approx((1, 1, np.nan), nan_ok=True)
    assert every == pytest.approx((np.nan, np.nan, 3 / 5), nan_ok=True)


def test_every_test_is_counted_for_every_population_metric_and_size(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path, tests=12, pairs=4)
    errors = inference_errors.data(inputs)
    keys = product(("flipped-signs", "matched-users", "equal-means"), ("P", "nDCG"), (10, 20))
    expected = {(*key, test) for key in keys for test in TESTS}
    columns = ["population", "metric", "sampled_users", "test"]
    own = errors[errors["metric"] != "all"]
    assert set(own[columns].itertuples(index=False, name=None)) == expected
    assert not errors.duplicated(columns).any()
    assert set(own["tests"]) == {12}
    assert set(errors.loc[errors["metric"] == "all", "tests"]) == {24}
    assert ((errors["low"] <= errors["error"]) & (errors["error"] <= errors["high"])).all()
    pd.testing.assert_frame_equal(errors, inference_errors.data(inputs))


def test_larger_effects_are_found_more_often(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path, tests=40, pairs=4, effect_hundredths=[5, 200])
    power = inference_errors.data(inputs)
    assert sorted(set(power["planted_effect"])) == [0.05, 2.0]
    found = power[power["test"] == "t"].groupby("planted_effect")["power"].mean()
    assert found[2.0] > 0.9 > found[0.05]


def test_families_say_what_is_false_where_something_is(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path, families=4, slow_families=2, slow_users=10, permutations=19)
    table = inference_families.data(inputs)
    none, some, everything = (
        table[table["differing"] == differing] for differing in ("none", "some", "all")
    )
    assert none["found"].isna().all()
    assert everything[["any_false", "low", "high", "false_share"]].isna().all(axis=None)
    assert some.notna().all(axis=None)
    assert none["false_share"].tolist() == pytest.approx(none["any_false"].tolist())
    counts = table[table["metric"] == "P"].groupby(["method", "sampled_users"])["families"].max()
    assert counts["holm"].to_dict() == {10: 4, 20: 4}
    assert counts["randomised-tukey"].to_dict() == {10: 2}


def test_effects_are_those_of_all_users_and_subsets_are_tested(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path, subsets=3, permutations=99, resamples=99)
    table = inference_effects.data(inputs)
    users = int(table["sampled_users"].max())
    assert set(table["sampled_users"]) == {10, 20} if users == 20 else {10, 20, users}
    assert table.groupby(["metric", "sampled_users"]).size().tolist() == [15] * 4
    assert (table["effect"] >= 0).all()
    expected = (2.8015852 / table["effect"]) ** 2
    np.testing.assert_allclose(table["users_needed"], expected, rtol=1e-6)
    for test in ("t", "permutation", "bootstrap", "wilcoxon", "sign"):
        assert set(np.round(table[test] * 3).astype(int)) <= {0, 1, 2, 3}
    per_pair = table.groupby(["metric", "system_a", "system_b"])["effect"].nunique()
    assert (per_pair == 1).all()


def effect_of(differences: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    mean = weights @ differences
    return float(mean / np.sqrt(weights @ (differences - mean) ** 2))


@pytest.mark.each("effect", [-0.4, 0.0, 0.05, 0.5, 2.0])
def test_the_population_has_the_wanted_effect(effect: float) -> None:
    rng = np.random.default_rng(1)
    for differences in (rng.normal(0.3, 1, 400), rng.choice([-1, 0, 0, 0, 5], 400).astype(float)):
        weights = tilted_to_effect(differences, effect)
        assert weights.sum() == pytest.approx(1)
        assert effect_of(differences, weights) == pytest.approx(effect, abs=1e-9)


def test_by_hand_two_values_are_weighted_until_their_mean_is_nothing() -> None:
    # p * 3 = (1 - p) * 1, so p = 1/4.
    weights = tilted_to_effect([3, -1], 0.0)
    np.testing.assert_allclose(weights, [0.25, 0.75], atol=1e-12)


def test_weights_are_exponential_in_the_difference() -> None:
    weights = tilted_to_effect([-2, 0, 1, 3], 0.0)
    logs = np.log(weights)
    slopes = np.diff(logs) / np.diff([-2, 0, 1, 3])
    np.testing.assert_allclose(slopes, slopes[0], atol=1e-9)


def test_an_effect_that_is_there_leaves_all_users_alike() -> None:
    differences = np.random.default_rng(2).normal(0.2, 1, 50)
    own = differences.mean() / differences.std()
    np.testing.assert_allclose(tilted_to_effect(differences, own), 1 / 50, atol=1e-9)


def test_without_a_tilt_all_users_have_exactly_the_same_weight() -> None:
    assert tilted_to_effect([3, -1, -1, -1], 0.0).tolist() == [0.25] * 4


def test_the_unit_of_the_values_does_not_matter() -> None:
    differences = np.random.default_rng(3).normal(0.2, 1, 50)
    one, other = (tilted_to_effect(unit * differences, 0.1) for unit in (1, 1e-6))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_differences_of_one_sign_are_refused() -> None:
    with pytest.raises(ValueError, match="nowhere better"):
        tilted_to_effect([0.0, 1.0, 2.0], 0.0)
