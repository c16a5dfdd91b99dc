# SPDX-License-Identifier: MIT
"""Orders of folds: hand-worked pairs of systems, and what few users make of an order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from reproduction.studies.followups._shared.values_by_split import taus_between_folds
from reproduction.studies.followups.time_taus import moved_share, same_best_share, taus_by_chance

RNG = np.random.default_rng(8)
MEANS = RNG.random((4, 6))
OTHERS = RNG.random((3, 6))


def test_taus_are_those_of_every_fold_with_every_other() -> None:
    expected = [kendalltau(one, other).statistic for one in MEANS for other in OTHERS]
    assert taus_between_folds(MEANS, OTHERS).tolist() == pytest.approx(expected)


def test_folds_of_one_split_meet_once_each() -> None:
    expected = [kendalltau(one, other).statistic for one, other in combinations(MEANS, 2)]
    assert taus_between_folds(MEANS, MEANS, same_split=True).tolist() == pytest.approx(expected)


def test_moved_pairs_are_counted_by_hand() -> None:
    # Of six pairs of four systems the first two and the last two change places.
    assert moved_share([[1, 2, 3, 4]], [[2, 1, 4, 3]]) == pytest.approx(2 / 6)
    # What is tied under either is ahead under neither.
    assert moved_share([[1, 1, 2]], [[2, 1, 3]]) == 0


def test_moved_pairs_and_tau_say_the_same_without_ties() -> None:
    taus = taus_between_folds(MEANS, OTHERS)
    assert moved_share(MEANS, OTHERS) == pytest.approx(float((1 - taus).mean()) / 2)
    own = taus_between_folds(MEANS, MEANS, same_split=True)
    assert moved_share(MEANS, MEANS, same_split=True) == pytest.approx(float((1 - own).mean()) / 2)


def test_the_same_best_is_counted_by_hand() -> None:
    folds = [[1, 2, 3], [1, 3, 2], [0, 1, 5]]
    assert same_best_share(folds, [[0, 0, 1]]) == pytest.approx(2 / 3)
    assert same_best_share(folds, folds, same_split=True) == pytest.approx(1 / 3)


def test_few_users_blur_an_order_and_many_do_not() -> None:
    systems = np.linspace(0.2, 0.4, 6)[:, np.newaxis]
    folds = [systems + RNG.normal(0, 0.2, (6, 400)) for _ in range(3)]
    few, many = (
        taus_by_chance(folds, n_users, 60, np.random.default_rng(1)) for n_users in (4, 4000)
    )
    assert few.shape == many.shape == (60,)
    assert few.mean() < many.mean() - 0.2


def test_with_users_who_are_alike_chance_gives_the_order_of_whole_folds() -> None:
    folds = [np.repeat(means[:, np.newaxis], 5, axis=1) for means in MEANS]
    drawn = taus_by_chance(folds, 3, 12, np.random.default_rng(2))
    expected = [
        kendalltau(MEANS[a], MEANS[b]).statistic for a in range(4) for b in range(4) if a != b
    ]
    assert drawn.tolist() == pytest.approx(expected)


def test_one_fold_has_no_chance_to_show() -> None:
    with pytest.raises(ValueError, match="which has 1: make it with more"):
        taus_by_chance([MEANS], 3, 4, np.random.default_rng(0))
