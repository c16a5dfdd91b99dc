# SPDX-License-Identifier: MIT
"""Coverage of the catalogue, and concentration of recommendations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.whole_lists.made_lists import measured
from scipy.sparse import csr_array

from receval.metrics.registry import LIST_METRICS, metric_class, parse, parse_any
from receval.metrics.whole_lists.coverage import Gini, ItemCoverage
from receval.metrics.whole_lists.list_metric import MetricOfAllUsers, RecommendedLists, list_values

ALL = [
    metric_class(name)(cutoff=3)
    for name in LIST_METRICS
    if issubclass(metric_class(name), MetricOfAllUsers)
]


def _without(lists: RecommendedLists, user: int) -> RecommendedLists:
    kept = np.delete(np.arange(len(lists.users)), user)
    return replace(lists, lists=lists.lists.of_users(lists.users[kept]))


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.label)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_metric_without_each_user_is_the_metric_of_the_others(
    metric: MetricOfAllUsers, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n_users, n_items = int(rng.integers(2, 6)), int(rng.integers(4, 9))
    own = [rng.permutation(n_items)[: rng.integers(0, 4)] for _ in range(n_users)]
    train = [(user, int(rng.integers(n_items))) for user in range(n_users)]
    lists = measured(*own, n_items=n_items, train=train)

    without = metric.without_each(lists.cut(3))

    wanted = [metric.of_all(_without(lists, user).cut(3)) for user in range(n_users)]
    np.testing.assert_allclose(without, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.each("metric", ALL, ids=lambda metric: metric.label)
def test_the_mean_of_pseudo_values_is_the_metric_of_all_users(metric: MetricOfAllUsers) -> None:
    lists = measured([0, 1], [0, 2], [0, 3, 4], train=[(0, 5), (1, 4)])

    values = metric.per_user(lists)

    assert values.shape == (3,)
    assert values.mean() == pytest.approx(metric.of_all(lists), abs=1e-12)


def test_item_coverage_is_the_share_of_the_items_in_any_list() -> None:
    lists = measured([0, 1, 5], [1, 2], n_items=8, train=[(0, 1), (0, 2), (1, 3)])

    assert ItemCoverage(cutoff=3).of_all(lists) == 4 / 8
    assert ItemCoverage(cutoff=3, of="training").of_all(lists) == 2 / 3
    assert ItemCoverage(cutoff=2).per_user(lists).mean() == pytest.approx(3 / 8)


@pytest.mark.each(
    ("lists", "value"),
    [(([0, 1], [2, 3]), 0.0), (([0], [0]), 0.75), (([0, 1], [0, 2]), 0.375), (([], []), 0.0)],
)
def test_gini_is_0_for_equal_numbers_of_recommendations(lists: tuple, value: float) -> None:
    # (2i - n - 1) x / (n sum): for 0, 1, 1, 2 it is (-1 + 1 + 6) / (4 * 4) = .375.
    assert Gini(cutoff=2).of_all(measured(*lists, n_items=4)) == pytest.approx(value)


def test_a_metric_of_whole_lists_needs_a_cut_off_and_long_enough_lists() -> None:
    with pytest.raises(ValueError, match="Write Gini@10"):
        parse_any("Gini")
    with pytest.raises(ValueError, match=r"lists hold 2 items.*looks at 5"):
        list_values([Gini(cutoff=5)], measured([0, 1], [2]))


def test_a_metric_of_whole_lists_is_refused_where_judged_ranks_are_needed() -> None:
    with pytest.raises(ValueError, match="Gini@10 is computed from whole lists"):
        parse("Gini@10")


def test_ratings_that_are_folded_in_for_held_out_users_make_no_item_popular() -> None:
    lists = measured([0, 1], [0], train=[(0, 2), (1, 2), (1, 3)])
    folded = csr_array(([1.0, 1.0], ([1, 1], [2, 3])), shape=lists.fold.train.shape)
    held_out = replace(lists, fold=replace(lists.fold, fold_in=folded))

    assert lists.popularity.tolist() == [0, 0, 2, 1, 0, 0]
    assert held_out.popularity.tolist() == [0, 0, 1, 0, 0, 0]
