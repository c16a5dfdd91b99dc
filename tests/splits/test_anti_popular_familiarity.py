# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from splits.generated_ratings import any_ratings, ratings_of, rng_for, skewed_ratings

from receval.splits.anti_popular_familiarity import (
    ItemFamiliarity,
    anti_popular_rates,
    split_with_anti_popular_familiarity,
    with_anti_popular_familiarity,
)
from receval.splits.random_splits import split_with_unbiased_test
from receval.splits.split import TEST, TRAIN, UNBIASED, fold


def rng(seed=1):
    return np.random.default_rng(seed)


def test_the_item_with_the_fewest_positive_judgments_gets_the_highest_rate():
    judged, relevant = np.array([10, 4, 5, 8]), np.array([6, 0, 3, 1])
    known = np.array([5, 1, 0, 6])
    # Rates .5, .25, 0, .75; items by positive judgments: 1, 3, 2, 0.
    assert anti_popular_rates(judged, relevant, known, rng()).tolist() == [0, 0.75, 0.25, 0.5]


def test_an_item_without_a_judgment_takes_no_rate():
    rates = anti_popular_rates(np.array([4, 0, 2]), np.array([1, 0, 2]), np.array([1, 0, 2]), rng())
    np.testing.assert_array_equal(rates, [1, np.nan, 0.25])


@given(any_ratings(), st.integers(0, 5), st.integers(0, 9))
@pytest.mark.costly
def test_the_rates_stay_and_fall_where_positive_judgments_rise(ratings, threshold, seed):
    counts = ItemFamiliarity.of(ratings, threshold)
    rates = anti_popular_rates(counts.judged, counts.relevant, counts.known, rng(seed))
    some = counts.judged > 0
    assert sorted(rates[some]) == sorted(counts.known[some] / counts.judged[some])
    for item in np.flatnonzero(some):
        assert (rates[some & (counts.relevant > counts.relevant[item])] <= rates[item]).all()
    assert np.isnan(rates[~some]).all()


@given(any_ratings(), st.integers(0, 5))
@pytest.mark.costly
def test_counts_are_those_of_a_loop_over_the_ratings(ratings, threshold):
    judged, relevant, known = (np.zeros(ratings.n_items, int) for _ in range(3))
    both = 0
    for item, value, is_known in zip(ratings.items, ratings.values, ratings.known, strict=True):
        judged[item] += 1
        relevant[item] += value >= threshold
        known[item] += is_known
        both += is_known and value >= threshold
    counts = ItemFamiliarity.of(ratings, threshold)
    assert counts.judged.tolist() == judged.tolist()
    assert counts.relevant.tolist() == relevant.tolist()
    assert counts.known.tolist() == known.tolist()
    assert counts.never_known == sum((judged > 0) & (known == 0))
    if known.sum():
        assert counts.relevant_share_of_known == both / known.sum()
    else:
        assert math.isnan(counts.relevant_share_of_known)


@given(any_ratings(), st.integers(1, 5))
@pytest.mark.costly
def test_the_correlation_is_spearman_s(ratings, threshold):
    counts = ItemFamiliarity.of(ratings, threshold)
    some = counts.judged > 0
    known, shares = counts.known[some], counts.relevant[some] / counts.judged[some]
    if len(set(known.tolist())) == 1 or len(set(shares.tolist())) == 1:
        assert math.isnan(counts.correlation)
    else:
        assert counts.correlation == pytest.approx(spearmanr(known, shares).statistic)


@given(any_ratings(), st.integers(0, 5))
@pytest.mark.costly
def test_only_familiarity_is_drawn_again(ratings, threshold):
    redrawn = with_anti_popular_familiarity(ratings, threshold, rng())
    for column in ("users", "items", "values", "timestamps", "user_ids", "item_ids"):
        assert getattr(redrawn, column) is getattr(ratings, column)
    assert redrawn.known.shape == ratings.known.shape
    assert redrawn.known.dtype == bool


def test_a_judgment_is_known_where_its_own_uniform_number_is_below_its_item_s_rate():
    ratings = skewed_ratings()
    counts = ItemFamiliarity.of(ratings, 4)
    # The draws start with the order of equally liked items, and then differ by rating.
    drawn = rng()
    rates = anti_popular_rates(counts.judged, counts.relevant, counts.known, drawn)[ratings.items]
    known = with_anti_popular_familiarity(ratings, 4, rng()).known
    assert known.tolist() == (drawn.random(len(ratings)) < rates).tolist()


def test_many_equally_liked_items_keep_their_random_order():
    judged, relevant = np.full(200, 50), np.arange(200) % 5
    known = np.arange(200) % 51
    order = rng(4).permutation(200).tolist()
    order.sort(key=lambda item: relevant[item])
    expected = dict(zip(order, sorted(known / judged, reverse=True), strict=True))
    rates = anti_popular_rates(judged, relevant, known, rng(4))
    assert rates.tolist() == [expected[item] for item in range(200)]


# The split of the judgments whose familiarity was drawn again.


def uses(split, bit):
    return np.array([codes & bit > 0 for codes in split.codes])


@given(any_ratings(), st.integers(0, 5), st.integers(2, 5))
@pytest.mark.costly
def test_judgments_known_by_the_new_draw_train_and_test_and_all_of_the_fold_judge(
    ratings, threshold, folds
):
    split = split_with_anti_popular_familiarity(
        ratings, rng_for, relevant_from=threshold, folds=folds
    )
    known = with_anti_popular_familiarity(ratings, threshold, rng_for("familiarity")).known
    plain = split_with_unbiased_test(ratings, rng_for, unbiased_rows="fold", folds=folds)
    in_fold = uses(plain, UNBIASED)
    assert (uses(split, UNBIASED) == in_fold).all(), "the partition depends on the redraw"
    assert (uses(split, TEST) == (in_fold & known)).all()
    assert (uses(split, TRAIN) == (~in_fold & known)).all()


def test_metadata_describe_the_draw_and_what_was_there_before():
    # Item 0 is liked and known to all, item 1 neither: they change sides.
    pairs = [(user, item) for user in range(5) for item in range(2)]
    values, known = ([5.0, 1.0] * 5, [True, False] * 5)
    ratings = ratings_of(pairs, 5, 2, known=known, values=values)
    split = split_with_anti_popular_familiarity(ratings, rng_for, relevant_from=4, folds=2)
    assert split.metadata == {
        "train_order": "least-liked-first",
        "relevant_from": 4,
        "known_before": 5,
        "never_known_before": 1,
        "relevant_share_of_known_before": 1.0,
        "known_relevant_correlation_before": pytest.approx(1),
        "known": 5,
        "never_known": 1,
        "relevant_share_of_known": 0.0,
        "known_relevant_correlation": pytest.approx(-1),
    }
    tested = fold(ratings, split, 0).test
    assert set(tested.items.tolist()) <= {1}
    assert set(tested.values.tolist()) <= {1.0}


def test_ratings_that_do_not_say_what_is_known_are_refused():
    with pytest.raises(ValueError, match=r"no column 'known'\). Use a dataset"):
        split_with_anti_popular_familiarity(
            ratings_of([(0, 0)], 1, 1), rng_for, relevant_from=4, folds=2
        )
