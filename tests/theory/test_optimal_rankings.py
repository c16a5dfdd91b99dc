# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from theory.counted_items import Item, items, probabilities_of

from receval.recommenders.non_personalised import OptimalRanking
from receval.theory.rating_probabilities import (
    RatingProbabilities,
    observed_anti_precision_ranking,
    observed_precision_ranking,
    real_anti_precision_ranking,
    real_precision_ranking,
)


@given(st.lists(items(9), min_size=1, max_size=6))
@pytest.mark.costly
def test_the_functions_are_equations_6_8_9_and_10(drawn: list[Item]) -> None:
    probabilities = probabilities_of(drawn)
    for function, expected in (
        (observed_precision_ranking, [item.observed_precision for item in drawn]),
        (observed_anti_precision_ranking, [item.observed_anti_precision for item in drawn]),
        (real_precision_ranking, [item.real_precision for item in drawn]),
        (real_anti_precision_ranking, [item.real_anti_precision for item in drawn]),
    ):
        np.testing.assert_allclose(function(probabilities), np.array(expected, float), rtol=1e-15)


def test_items_without_training_ratings_score_0_and_those_that_all_have_are_not_ranked() -> None:
    nobody, everybody = Item(8, 0, 3, 0), Item(8, 8, 3, 3)
    found = probabilities_of([nobody, everybody])
    np.testing.assert_array_equal(observed_precision_ranking(found), [0, np.nan])
    np.testing.assert_array_equal(observed_anti_precision_ranking(found), [0, np.nan])
    np.testing.assert_array_equal(real_precision_ranking(found), [3 / 8, np.nan])
    np.testing.assert_array_equal(real_anti_precision_ranking(found), [-5 / 8, np.nan])


def test_real_rankings_need_the_relevance_of_all_pairs() -> None:
    counts = RatingProbabilities(np.array([8]), np.array([4]), np.array([3]))
    assert observed_precision_ranking(counts).tolist() == [3 / 4]
    for function in (real_precision_ranking, real_anti_precision_ranking):
        with pytest.raises(ValueError, match="who did not rate them is not known"):
            function(counts)


@pytest.mark.each(
    ("metric", "function"),
    [
        ("precision", observed_precision_ranking),
        ("anti-precision", observed_anti_precision_ranking),
    ],
)
@pytest.mark.each("seed", range(5))
def test_the_recommender_has_the_order_of_the_observed_rankings(
    metric: str, function: object, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    train = rng.random((12, 30)) < rng.random(30)
    train[:, 0] = True
    train[:, 1] = False
    # The recommender counts as users those who have training ratings: all, by the first item.
    relevant = rng.random((12, 30)) < 0.5
    grades = relevant.astype(np.float32)
    matrix = csr_array((grades[train], np.nonzero(train)), shape=train.shape)
    scores = OptimalRanking(metric, "train").fit(matrix).score(np.array([3]))[0]
    values = function(RatingProbabilities.of_matrices(relevant, train))  # type: ignore[operator]
    ranked = ~np.isnan(values)
    assert ranked.sum() > 20
    assert not ranked[0]
    np.testing.assert_array_equal(
        np.unique(values[ranked], return_inverse=True)[1],
        np.unique(scores[ranked], return_inverse=True)[1],
    )
    assert scores[0] == 0
