# SPDX-License-Identifier: MIT
from dataclasses import replace
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
    split = split_with_uniform_test(ratings, rng_for, test_share=0.2, min_train_ratio=0.5, folds=3)
    assert dict(split.metadata) == {
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
    split = split_with_uniform_test(ratings, rng_for, test_share=0.4, min_train_ratio=0.3, folds=40)
    assert split.metadata["eta"] == pytest.approx(4.9)
    counts = np.array([n_tests_per_item(ratings, codes) for codes in split.codes])
    # The items with 7 ratings may give 4.9 at most, so 4: one more only comes from the others.
    assert (counts[:, 2:] == 4).all()
    assert (counts[:, :2] == 5).all()
    assert split.metadata["test_ratings"] == 26


def test_the_items_with_one_more_test_rating_are_drawn_anew_in_each_fold():
    # .7 * 8 * 6 = 33.6 ratings test: 5 of each item, and 4 more from the five popular ones.
    ratings = with_popularity(20, 20, 20, 20, 20, 8)
    split = split_with_uniform_test(ratings, rng_for, test_share=0.3, min_train_ratio=0.3, folds=30)
    counts = np.array([n_tests_per_item(ratings, codes) for codes in split.codes])
    assert split.metadata["target_items"] == 6
    assert (counts.sum(axis=1) == split.metadata["test_ratings"]).all()
    assert split.metadata["test_ratings"] == 34
    assert (counts[:, 5] == 5).all()
    assert (np.sort(counts[:, :5], axis=1) == [5, 6, 6, 6, 6]).all()
    assert set(np.argmin(counts[:, :5], axis=1)) == set(range(5))


def test_a_share_that_is_reached_exactly_is_reached():
    # .7 * 1 * 3 is .42 of 5 ratings, although not in binary fractions.
    with pytest.raises(ValueError, match="No uniform test exists"):
        split_with_uniform_test(
            with_popularity(2, 2, 1), rng_for, test_share=0.42, min_train_ratio=0.3, folds=1
        )


@given(any_ratings(plays=True), st.integers(1, 99), st.integers(0, 99))
def test_the_definition_holds_item_by_item(ratings, test_percent, train_percent):
    sigma, epsilon = Fraction(test_percent, 100), Fraction(train_percent, 100)
    pairs = sorted(set(zip(ratings.users.tolist(), ratings.items.tolist(), strict=True)))
    items = np.array([item for _, item in pairs], dtype=np.int64)
    popularity = np.bincount(items, minlength=ratings.n_items).tolist()
    by_rank = sorted(popularity, reverse=True)
    feasible = [
        k
        for k in range(1, len(by_rank) + 1)
        if (1 - epsilon) * by_rank[k - 1] * k >= sigma * len(pairs)
    ]
    parameters = {
        "test_share": test_percent / 100,
        "min_train_ratio": train_percent / 100,
        "folds": 2,
    }
    if not feasible or (1 - epsilon) * by_rank[max(feasible) - 1] < 1:
        with pytest.raises(ValueError, match="No uniform test exists"):
            split_with_uniform_test(ratings, rng_for, **parameters)
        return
    zeta = max(feasible)
    eta = (1 - epsilon) * by_rank[zeta - 1]
    split = split_with_uniform_test(ratings, rng_for, **parameters)
    assert split.metadata["target_items"] == zeta
    assert split.metadata["eta"] == pytest.approx(float(eta))
    for codes in split.codes:
        use_of_pair = {}
        for user, item, code in zip(ratings.users, ratings.items, codes, strict=True):
            # All rows of a pair have the same use.
            assert use_of_pair.setdefault((int(user), int(item)), code) == code
        tests = [use_of_pair[pair] == TEST for pair in pairs]
        tested = np.bincount(items[tests], minlength=ratings.n_items).tolist()
        assert sum(tested) == split.metadata["test_ratings"] <= round(eta * zeta)
        for count, test in zip(popularity, tested, strict=True):
            if count >= by_rank[zeta - 1]:
                assert int(eta) <= test <= int(eta) + 1
                assert test <= (1 - epsilon) * count
            else:
                assert test == 0


def test_folds_are_independent_repetitions():
    ratings = skewed_ratings()
    split = split_with_uniform_test(ratings, rng_for, test_share=0.2, min_train_ratio=0.2, folds=2)
    first, second = (codes == TEST for codes in split.codes)
    assert (first & second).any()
    assert (first != second).any()
    assert all(set(codes.tolist()) == {TRAIN, TEST} for codes in split.codes)


def test_only_ratings_from_a_value_on_count_and_test_where_one_is_given():
    # Item 0 has 8 ratings of 5 and 8 of 1, item 1 has 8 of 5: both have 8 that count.
    ratings = with_popularity(16, 8)
    values = np.where((ratings.items == 0) & (ratings.users >= 8), 1, 5).astype(np.float32)
    ratings = replace(ratings, values=values)
    split = split_with_uniform_test(
        ratings, rng_for, test_share=0.5, min_train_ratio=0.5, folds=5, tests_from=5
    )
    assert split.metadata["eta"] == 4.0
    for codes in split.codes:
        assert n_tests_per_item(ratings, codes).tolist() == [4, 4]
        assert (codes[values < 5] == TRAIN).all()


def test_plays_count_together_against_the_value():
    # Each listener has two plays of an item: together they are at the value, alone they are not.
    ratings = with_popularity(6, 6)
    twice = replace(ratings, events=True).select(np.repeat(np.arange(len(ratings)), 2))
    split = split_with_uniform_test(
        twice, rng_for, test_share=0.5, min_train_ratio=0.5, folds=1, tests_from=6
    )
    assert split.metadata["test_ratings"] == 6
    assert n_tests_per_item(twice, split.codes[0]).tolist() == [6, 6]


def test_an_impossible_share_says_what_can_be_reached():
    ratings = with_popularity(1, 1, 8)
    with pytest.raises(ValueError, match=r"at most 0\.64 of the ratings.*Lower test_share"):
        split_with_uniform_test(ratings, rng_for, test_share=0.7, min_train_ratio=0.2, folds=1)


def test_where_the_rest_of_a_long_tail_has_no_such_test_the_largest_is_taken():
    # 16 ratings, of which .5 asks for 8. With all ten items .8 * |R(i_k)| * k is 8, but then each
    # would have .8 test ratings. With the four that can spare one it is .8 * 2 * 4 = 6.4.
    ratings = with_popularity(4, 2, 2, 2, 1, 1, 1, 1, 1, 1)
    split = split_with_uniform_test(
        ratings, rng_for, test_share=0.5, min_train_ratio=0.2, folds=1, tests_from=0
    )
    assert split.metadata["target_items"] == 4
    assert split.metadata["eta"] == pytest.approx(1.6)
    assert split.metadata["sigma"] == pytest.approx(6.4 / 16)
    with pytest.raises(ValueError, match=r"at most 0\.5 of the ratings"):
        split_with_uniform_test(ratings, rng_for, test_share=0.6, min_train_ratio=0.2, folds=1)


@pytest.mark.parametrize("test_share", [0.02, 0.05, 0.08])
def test_a_long_tail_does_not_stand_in_the_way_of_a_share_that_others_reach(test_share: float):
    # With the tail of items with one rating the share would be reached, too, by half a rating each.
    ratings = with_popularity(10, 10, *[1] * 100)
    split = split_with_uniform_test(
        ratings, rng_for, test_share=test_share, min_train_ratio=0.5, folds=1, tests_from=0
    )
    assert split.metadata["target_items"] == 2
    assert split.metadata["eta"] == pytest.approx(5)
    assert split.metadata["sigma"] == test_share


def test_items_that_can_spare_no_test_rating_are_in_no_test():
    ratings = with_popularity(1, 1, 1)
    with pytest.raises(ValueError, match="less than one per item"):
        split_with_uniform_test(
            ratings, rng_for, test_share=0.9, min_train_ratio=0.2, folds=1, tests_from=0
        )
