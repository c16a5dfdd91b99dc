from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splits.generated_ratings import (
    any_ratings,
    ratings_of,
    rng_for,
    skewed_ratings,
    without_deadline,
)

from receval.splits.split import TEST, TRAIN
from receval.splits.uniform_test import split_with_uniform_test


def with_popularity(*popularity: int):
    pairs = [(user, item) for item, count in enumerate(popularity) for user in range(count)]
    return ratings_of(pairs, max(popularity), len(popularity))


def n_tests_per_item(ratings, codes):
    return np.bincount(ratings.items[codes == TEST], minlength=ratings.n_items)


def test_target_items_and_their_tests_by_hand():
    # 30 ratings, sigma .2 asks for 6. (1 - .5) * |R(i_k)| * k is 5, 8, 7.5, 8, 2.5 for the items
    # by popularity: the last that reaches 6 is k = 4, with eta = .5 * 4 = 2.
    ratings = with_popularity(8, 4, 1, 10, 5, 2)
    split = split_with_uniform_test(ratings, rng_for, test_share=0.2, min_train_share=0.5, folds=3)
    assert dict(split.facts) == {
        "target_items": 4,
        "eta": 2.0,
        "sigma": 0.2,
        "epsilon": 0.5,
        "test_ratings": 8,
    }
    for codes in split.codes:
        assert n_tests_per_item(ratings, codes).tolist() == [2, 2, 0, 2, 2, 0]


def test_a_fraction_of_a_rating_goes_to_random_items_that_can_spare_one():
    # 60 ratings, (1 - .3) * 7 * 6 = 29.4 of them test: 4 of each of the six items, and 5 more.
    ratings = with_popularity(18, 14, 7, 7, 7, 7)
    split = split_with_uniform_test(ratings, rng_for, test_share=0.4, min_train_share=0.3, folds=40)
    assert split.facts["eta"] == pytest.approx(4.9)
    counts = np.array([n_tests_per_item(ratings, codes) for codes in split.codes])
    # The items with 7 ratings may give 4.9 at most, so 4: one more only comes from the others.
    assert (counts[:, 2:] == 4).all()
    assert (counts[:, :2] == 5).all()
    assert split.facts["test_ratings"] == 26


def test_the_items_with_one_more_test_rating_are_drawn_anew_in_each_fold():
    # .7 * 8 * 6 = 33.6 ratings test: 5 of each item, and 4 more from the five popular ones.
    ratings = with_popularity(20, 20, 20, 20, 20, 8)
    split = split_with_uniform_test(ratings, rng_for, test_share=0.3, min_train_share=0.3, folds=30)
    counts = np.array([n_tests_per_item(ratings, codes) for codes in split.codes])
    assert split.facts["target_items"] == 6
    assert (counts.sum(axis=1) == split.facts["test_ratings"]).all()
    assert split.facts["test_ratings"] == 34
    assert (counts[:, 5] == 5).all()
    assert (np.sort(counts[:, :5], axis=1) == [5, 6, 6, 6, 6]).all()
    assert set(np.argmin(counts[:, :5], axis=1)) == set(range(5))


@without_deadline
@given(any_ratings(plays=True), st.integers(1, 99), st.integers(0, 99))
def test_the_definition_holds_item_by_item(ratings, test_percent, train_percent):
    sigma, epsilon = Fraction(test_percent, 100), Fraction(train_percent, 100)
    popularity = np.bincount(ratings.items, minlength=ratings.n_items).tolist()
    by_rank = sorted(popularity, reverse=True)
    feasible = [
        k
        for k in range(1, len(by_rank) + 1)
        if (1 - epsilon) * by_rank[k - 1] * k >= sigma * len(ratings)
    ]
    parameters = {
        "test_share": test_percent / 100,
        "min_train_share": train_percent / 100,
        "folds": 2,
    }
    if not feasible or (1 - epsilon) * by_rank[max(feasible) - 1] < 1:
        with pytest.raises(ValueError, match="No uniform test exists"):
            split_with_uniform_test(ratings, rng_for, **parameters)
        return
    zeta = max(feasible)
    eta = (1 - epsilon) * by_rank[zeta - 1]
    split = split_with_uniform_test(ratings, rng_for, **parameters)
    assert split.facts["target_items"] == zeta
    assert split.facts["eta"] == pytest.approx(float(eta))
    for codes in split.codes:
        tested = n_tests_per_item(ratings, codes).tolist()
        assert sum(tested) == split.facts["test_ratings"] <= round(eta * zeta)
        for count, test in zip(popularity, tested, strict=True):
            if count >= by_rank[zeta - 1]:
                assert int(eta) <= test <= int(eta) + 1
                assert test <= (1 - epsilon) * count
            else:
                assert test == 0


def test_folds_are_independent_repetitions():
    ratings = skewed_ratings()
    split = split_with_uniform_test(ratings, rng_for, test_share=0.2, min_train_share=0.2, folds=2)
    first, second = (codes == TEST for codes in split.codes)
    assert (first & second).any()
    assert (first != second).any()
    assert all(set(codes.tolist()) == {TRAIN, TEST} for codes in split.codes)


def test_an_impossible_share_says_what_can_be_reached():
    ratings = with_popularity(1, 1, 8)
    with pytest.raises(ValueError, match=r"at most 0\.64 of the ratings.*Lower test_share"):
        split_with_uniform_test(ratings, rng_for, test_share=0.7, min_train_share=0.2, folds=1)
