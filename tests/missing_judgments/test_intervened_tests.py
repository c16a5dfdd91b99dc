# SPDX-License-Identifier: MIT
"""Intervened tests and strata: by hand, and over many draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from receval.evaluation.fitted_systems import RankedFold
from receval.missing_judgments.estimators import additive_metric_of, estimates_of_folds
from receval.missing_judgments.judgment_sampling import SKEW, WTD, WTD_H, IntervenedTest
from receval.missing_judgments.propensities import StratifiedPropensities
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments

PROTOCOL = Protocol("AR", "AI")


def fold_of(with_sample: bool = True) -> Fold:
    """Two users, three items: item 0 is tested twice, item 2 trains for user 1."""
    train = csr_array(np.array([[0, 0, 0, 0], [0, 0, 1, 0]], dtype=np.float32))
    test = Judgments.from_pairs([0, 0, 1, 1], [0, 1, 0, 2], [5, 4, 3, 2], n_users=2)
    sample = Judgments.from_pairs([0, 1, 1], [1, 0, 3], [5, 4, 1], n_users=2)
    return Fold(train, test, sample if with_sample else None)


def relative(weights: np.ndarray) -> list[float]:
    return list((weights / weights.max()).round(9))


def test_weights_are_the_shares_wanted_over_those_observed() -> None:
    fold = fold_of()
    skew, wtd_h, wtd = (replace(test, counted="test") for test in (SKEW, WTD_H, WTD))
    # User 1's item 2 is no candidate. Item 0 is observed twice, item 1 once; user 0 twice, 1 once.
    assert relative(skew.weights(fold, PROTOCOL)) == [1 / 2, 1, 1 / 2, 0]
    assert relative(wtd_h.weights(fold, PROTOCOL)) == [1 / 2, 1, 1, 0]
    # Of the sample's three judgments user 1 has two, items 1, 0 and 3 one each.
    assert relative(wtd.weights(fold, PROTOCOL)) == [1 / 4, 1 / 2, 1, 0]


def test_shares_are_counted_in_the_training_ratings() -> None:
    # Three training ratings of item 0, one of item 1, none of item 2; two of user 0, one of others.
    train = csr_array(np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]], dtype=np.float32))
    test = Judgments.from_pairs([1, 2, 3, 3], [1, 2, 0, 1], [5, 4, 3, 2], n_users=4)
    fold = Fold(train, test)
    items, users = np.array([3 / 4, 1 / 4, 1e-4]), np.array([1 / 2, 1 / 4, 1 / 4, 1e-4])
    expected = 1 / items[test.items]
    np.testing.assert_allclose(SKEW.weights(fold, PROTOCOL), expected / 3)
    np.testing.assert_allclose(WTD_H.weights(fold, PROTOCOL), expected / users[test.users] / 12)
    of_text = replace(WTD_H, item_power=2).weights(fold, PROTOCOL)
    np.testing.assert_allclose(of_text, (expected / 3) ** 2 / users[test.users] / 4)


@pytest.mark.costly
def test_half_is_drawn_by_weight_and_no_other_rating() -> None:
    fold = fold_of()
    test = IntervenedTest("one", share=1 / 3, counted="test")
    counts = np.zeros(4)
    for seed in range(4000):
        kept = test.drawn(fold, PROTOCOL, np.random.default_rng(seed))
        assert kept.sum() == 1
        counts += kept
    np.testing.assert_allclose(counts / 4000, [0.2, 0.4, 0.4, 0], atol=0.03)


def test_shares_of_a_sample_need_one() -> None:
    with pytest.raises(ValueError, match="WTD takes the shares of users and items from unbiased"):
        WTD.weights(fold_of(with_sample=False), PROTOCOL)


def test_strata_divide_by_how_much_of_them_is_observed() -> None:
    fold = fold_of()
    # Popularity: item 0 twice, items 1 and 2 once. Half of the three judged candidates are of item
    # 0, of which both users' pairs are candidates; the rest has one of five.
    found = StratifiedPropensities(2).of(fold, PROTOCOL)
    assert found.tolist() == pytest.approx([1.0, 1 / 5, 1.0, 1.0])
    assert StratifiedPropensities(1).of(fold, PROTOCOL)[:3].tolist() == pytest.approx([3 / 7] * 3)


def test_weights_of_strata_sum_to_their_candidates() -> None:
    rng = np.random.default_rng(2)
    users, items = np.nonzero(rng.random((40, 30)) < np.linspace(0.05, 0.6, 30))
    test = Judgments.from_pairs(users, items, np.full(len(users), 5.0), n_users=40)
    fold = Fold(csr_array((40, 30), dtype=np.float32), test)
    weights = 1 / StratifiedPropensities(5).of(fold, PROTOCOL)
    assert weights.sum() == pytest.approx(40 * 30)


def test_estimates_on_an_intervened_test_are_naive_ones_of_what_was_drawn() -> None:
    fold = fold_of(with_sample=False)
    ranks = JudgedRanks(np.array([1, 3, 2, 0]), *[np.array([4, 3])] * 2)
    test = replace(WTD_H, share=2 / 3)
    found = estimates_of_folds(
        [RankedFold(0, fold, {"mine": ranks}, {})],
        ["mine"],
        [additive_metric_of("P@2")],
        [],
        PROTOCOL,
        3.0,
        interventions={test: np.random.default_rng},
    ).set_index("estimator")
    # Of the three judged candidates two are drawn, of which those at ranks 1 and 2 are hits.
    kept = test.drawn(fold, PROTOCOL, np.random.default_rng(0))
    assert found["judgments"].tolist() == [3, 2]
    assert found.loc["naive", "value"] == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert found.loc["WTD_H", "value"] == pytest.approx((kept[0] / 2 + kept[2] / 2) / 2)
