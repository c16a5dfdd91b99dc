# SPDX-License-Identifier: MIT
"""Strata of exposure: against brute force, and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.special import zeta

from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments
from reproduction.studies.followups.estimated_strata import (
    PopularityPowerLaw,
    mean_over_strata,
    means_in_strata,
    strata_of_exposure,
)

PROTOCOL = Protocol("AR", "AI")


def skewed_fold(seed: int = 1) -> Fold:
    rng = np.random.default_rng(seed)
    chances = np.clip(2.0 / np.arange(1, 31), 0, 0.9)
    seen = rng.random((2, 60, 30)) < chances / 2
    seen[1] &= ~seen[0]
    users, items = np.nonzero(seen[1])
    values = rng.choice([1.0, 3.0, 5.0], len(users))
    test = Judgments.from_pairs(users, items, values, n_users=60)
    return Fold(csr_array(seen[0].astype(np.float32)), test)


def test_law_is_the_nearest_of_all_least_numbers() -> None:
    counts = np.random.default_rng(2).zipf(2.3, 300).clip(max=500)
    best = (np.inf, 0.0, 0)
    for least in sorted(set(counts.tolist()))[:-1]:
        own = [count for count in counts.tolist() if count >= least]
        alpha = 1 + len(own) / sum(np.log(count / (least - 0.5)) for count in own)
        distance = max(
            abs(
                sum(count >= value for count in own) / len(own)
                - zeta(alpha, value) / zeta(alpha, least)
            )
            for value in set(own)
        )
        best = min(best, (distance, alpha, least))
    law = PopularityPowerLaw.fit(counts)
    assert law.alpha == pytest.approx(best[1])
    assert law.least == best[2]


def test_exponent_of_numbers_that_follow_a_law_is_found() -> None:
    counts = np.random.default_rng(3).zipf(2.5, 20_000)
    assert PopularityPowerLaw.fit(counts[counts >= 5]).alpha == pytest.approx(2.5, abs=0.1)


def test_items_alike_have_no_law() -> None:
    with pytest.raises(ValueError, match="items with different numbers of ratings"):
        PopularityPowerLaw.fit(np.array([3, 3, 0]))


@pytest.mark.parametrize("strata", [1, 2, 5])
def test_strata_have_equal_widths(strata: int) -> None:
    fold = skewed_fold()
    counts = np.bincount(fold.train.indices, minlength=30)
    counts += np.bincount(fold.test.items, minlength=30)
    own = PopularityPowerLaw.fit(counts).propensities(counts)[fold.test.items]
    expected = pd.cut(own, strata, labels=False)
    assert strata_of_exposure(fold, strata).tolist() == list(expected)


def test_few_items_are_in_the_last_stratum() -> None:
    fold = skewed_fold()
    last = strata_of_exposure(fold) == 1
    counts = np.bincount(fold.train.indices, minlength=30)
    assert 0 < len(np.unique(fold.test.items[last])) < 5
    assert counts[fold.test.items[last]].min() > np.median(counts)


def test_means_are_those_of_users_with_relevant_judgments_there() -> None:
    fold, rng = skewed_fold(), np.random.default_rng(4)
    stratum = strata_of_exposure(fold, 2)
    ranks = np.concatenate([rng.permutation(30)[:own] + 1 for own in np.diff(fold.test.indptr)])
    lengths = np.full(60, 30, dtype=np.int32)
    judged = JudgedRanks(ranks.astype(np.int32), lengths, lengths)
    found = means_in_strata(
        [parse("P@5"), parse("Recall@5")], fold.test, judged, stratum, 2, 4.0, PROTOCOL
    )
    expected_mean = np.zeros(2)
    for number in range(2):
        precision, recall = [], []
        for user in range(60):
            mine = (fold.test.users == user) & (stratum == number) & (fold.test.values >= 4)
            if mine.any():
                hits = (ranks[mine] <= 5).sum()
                precision.append(hits / 5)
                recall.append(hits / mine.sum())
        expected = [np.mean(precision), np.mean(recall)]
        assert found[number].tolist() == pytest.approx(expected)
        expected_mean += (stratum == number).mean() * np.array(expected)
    assert mean_over_strata(found, stratum).tolist() == pytest.approx(expected_mean)


def test_stratum_without_relevant_judgments_has_no_mean_and_adds_nothing() -> None:
    test = Judgments.from_pairs([0, 0], [0, 1], [5, 1], n_users=1)
    ten = np.array([10], dtype=np.int32)
    judged = JudgedRanks(np.array([1, 2], dtype=np.int32), ten, ten)
    stratum = np.array([0, 1])
    found = means_in_strata([parse("RR")], test, judged, stratum, 2, 4.0, PROTOCOL)
    assert found[0, 0] == 1
    assert np.isnan(found[1, 0])
    assert mean_over_strata(found, stratum).tolist() == [0.5]
