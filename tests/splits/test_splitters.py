# SPDX-License-Identifier: MIT
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splits.generated_ratings import (
    any_ratings,
    ranks_drawn,
    ratings_of,
    rng_for,
    skewed_ratings,
)

from receval.splits.anti_popular_familiarity import with_anti_popular_familiarity
from receval.splits.random_splits import (
    ceiling_of_share,
    split_by_random_ratio,
    split_by_user_ratio,
    split_into_folds,
    split_leaving_out,
    split_with_unbiased_test,
)
from receval.splits.selection import selected_ratings
from receval.splits.split import TEST, TRAIN, UNBIASED
from receval.splits.temporal import split_by_time

shares = st.integers(1, 99).map(lambda percent: percent / 100)


class Coins(np.random.Generator):
    """Throws what it is told."""

    def __init__(self, *thrown):
        super().__init__(np.random.PCG64(1))
        self.thrown = thrown

    def random(self, size, dtype=np.float64):
        return np.array(self.thrown, dtype=dtype)


def test_a_coin_that_shows_the_share_itself_lies_not_below_it():
    ratings = ratings_of([(0, 0), (0, 1), (1, 0)], 2, 2, known=[True, False, True])
    coins = Coins(0.25, 0.5, 0.75)
    split = split_by_random_ratio(ratings, lambda _: coins, train_ratio=0.5, folds=1)
    assert split.codes[0].tolist() == [TRAIN, TEST, TEST]
    kept = selected_ratings(ratings, lambda _: coins, share=0.5)
    assert kept.tolist() == [True, False, False]
    # Half of the judgments of the item are known.
    ratings = ratings_of([(0, 0), (1, 0)], 2, 1, known=[True, False])
    known = with_anti_popular_familiarity(ratings, 9.0, Coins(0.5, 0.25)).known
    assert known.tolist() == [False, True]


@pytest.mark.each("percent", [5, 35, 55, 80])
def test_a_share_of_up_to_millions_of_ratings_is_exact(percent):
    counts = np.arange(1, 4_000_000, 7)
    exact = -(-counts * percent // 100)
    assert (ceiling_of_share(counts, percent / 100) == exact).all()


@pytest.mark.each(("share", "n_train"), [(4e-10, 0), (1e-9, 1), (1 - 1e-9, 1), (1, 1)])
def test_a_share_is_rounded_up_from_a_billionth_of_a_rating_on(share, n_train):
    assert ceiling_of_share(np.array([0, 1]), share).tolist() == [0, n_train]


@given(any_ratings(plays=True), shares)
def test_each_user_trains_on_the_first_of_a_random_order_the_share_rounded_up(ratings, share):
    split = split_by_user_ratio(ratings, rng_for, train_ratio=share, folds=2)
    users = ratings.users.tolist()
    sizes, percent = Counter(users), round(share * 100)
    for number, codes in enumerate(split.codes):
        ranks = ranks_drawn(users, rng_for(number))
        assert codes.tolist() == [
            TRAIN if rank < -(-percent * sizes[user] // 100) else TEST
            for user, rank in zip(users, ranks, strict=True)
        ]


@given(any_ratings(plays=True), st.integers(1, 4))
def test_so_many_random_ratings_of_every_user_test_or_none(ratings, held_out):
    split = split_leaving_out(ratings, rng_for, held_out=held_out, short_profiles="train", folds=2)
    users = ratings.users.tolist()
    sizes = Counter(users)
    for number, codes in enumerate(split.codes):
        ranks = ranks_drawn(users, rng_for(number))
        assert codes.tolist() == [
            TEST if rank < held_out < sizes[user] else TRAIN
            for user, rank in zip(users, ranks, strict=True)
        ]
    short = sum(size <= held_out for size in sizes.values())
    assert split.metadata == {"users_without_test": short}


def folds_drawn(ratings, folds, balanced):
    """Return the fold of each rating, from 0."""
    rng = rng_for("partition")
    if not balanced:
        return rng.integers(folds, size=len(ratings), dtype=np.uint8).tolist()
    first = rng.integers(folds, size=ratings.n_users).tolist()
    users = ratings.users.tolist()
    ranks = ranks_drawn(users, rng)
    return [(rank + first[user]) % folds for user, rank in zip(users, ranks, strict=True)]


@given(any_ratings(plays=True), st.integers(2, 5), st.booleans())
def test_each_rating_tests_in_one_fold_and_trains_in_the_others(ratings, folds, balanced):
    split = split_into_folds(ratings, rng_for, folds=folds, balanced_per_user=balanced)
    drawn = folds_drawn(ratings, folds, balanced)
    assert [codes.tolist() for codes in split.codes] == [
        [TEST if own == number else TRAIN for own in drawn] for number in range(folds)
    ]


@given(any_ratings(), st.integers(2, 5), st.sampled_from(["unknown", "fold"]))
def test_known_ratings_train_and_test_and_unknown_ones_or_those_of_the_fold_judge_without_bias(
    ratings, folds, unbiased_rows
):
    split = split_with_unbiased_test(ratings, rng_for, unbiased_rows=unbiased_rows, folds=folds)
    drawn = folds_drawn(ratings, folds, balanced=False)
    for number, codes in enumerate(split.codes):
        for own, known, code in zip(drawn, ratings.known.tolist(), codes.tolist(), strict=True):
            use = (TEST if own == number else TRAIN) if known else 0
            judges = own == number if unbiased_rows == "fold" else not known
            assert code == use | UNBIASED * judges


def test_leave_out_refuses_users_with_nothing_left_to_train_on():
    # User 0 has no rating, and the first of the other two is named.
    pairs = [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 1)]
    ratings = ratings_of(pairs, 4, 3)
    with pytest.raises(ValueError, match=r"Some users have 2 ratings or fewer \(2, such as .u2"):
        split_leaving_out(ratings, rng_for, held_out=2, short_profiles="refuse", folds=1)


@given(any_ratings(plays=True), shares)
def test_temporal_per_user_tests_the_end_of_each_history(ratings, share):
    split = split_by_time(ratings, rng_for, scope="user", test_share=share, repeats="keep")
    percent = round(share * 100)
    for user in range(ratings.n_users):
        rows = np.flatnonzero(ratings.users == user)
        history = rows[np.argsort(ratings.timestamps[rows], kind="stable")]
        n_train = -(-(100 - percent) * len(rows) // 100)
        assert (split.codes[0][history[:n_train]] == TRAIN).all()
        assert (split.codes[0][history[n_train:]] == TEST).all()


@given(any_ratings(plays=True), shares, st.sampled_from(["all", "user"]))
def test_dropped_repeats_are_exactly_the_test_rows_of_trained_pairs(ratings, share, scope):
    kept = split_by_time(ratings, rng_for, scope=scope, test_share=share, repeats="keep").codes[0]
    split = split_by_time(ratings, rng_for, scope=scope, test_share=share, repeats="drop")
    pairs = list(zip(ratings.users.tolist(), ratings.items.tolist(), strict=True))
    trained = {pair for pair, code in zip(pairs, kept, strict=True) if code == TRAIN}
    expected = [
        0 if code == TEST and pair in trained else code
        for pair, code in zip(pairs, kept.tolist(), strict=True)
    ]
    assert split.codes[0].tolist() == expected
    assert split.metadata["repeats_dropped"] == sum(code == 0 for code in expected)


def test_temporal_on_ratings_without_timestamps_names_the_way_out():
    ratings = ratings_of([(0, 0)], 1, 1)
    with pytest.raises(ValueError, match=r"needs timestamps.*kind 'predefined'"):
        split_by_time(ratings, rng_for, scope="all", test_share=0.2, repeats="drop")


@pytest.mark.parametrize("unbiased_rows", ["unknown", "fold"])
def test_an_unbiased_test_needs_to_know_which_ratings_were_chosen(unbiased_rows):
    ratings = ratings_of([(0, 0)], 1, 1)
    with pytest.raises(ValueError, match="no column 'known'"):
        split_with_unbiased_test(ratings, rng_for, unbiased_rows=unbiased_rows, folds=2)


@pytest.mark.parametrize("scope", ["all", "user"])
def test_temporal_takes_ratings_of_the_same_moment_in_the_order_of_their_rows(scope):
    ratings = skewed_ratings()
    moments = ratings.timestamps.tolist()
    assert len(set(moments)) < len(moments) / 3
    split = split_by_time(ratings, rng_for, scope=scope, test_share=0.2, repeats="keep")
    owners = ratings.users.tolist() if scope == "user" else [0] * len(ratings)
    histories: dict[int, list[int]] = {}
    for row in sorted(range(len(ratings)), key=lambda row: moments[row]):
        histories.setdefault(owners[row], []).append(row)
    tests = np.flatnonzero(split.codes[0] == TEST).tolist()
    expected = [
        rows[math.ceil(round(0.8 * len(rows), 9)) if scope == "user" else -round(0.2 * len(rows)) :]
        for rows in histories.values()
    ]
    assert tests == sorted(row for rows in expected for row in rows)


several = st.lists(shares, min_size=1, max_size=6)


@pytest.mark.parametrize("splitter", [split_by_random_ratio, split_by_user_ratio])
@given(ratings=any_ratings(plays=True), ratios=several, folds=st.integers(1, 3))
@pytest.mark.costly
def test_every_share_has_the_folds_that_it_has_alone_and_they_stand_together(
    splitter, ratings, ratios, folds
):
    split = splitter(ratings, rng_for, train_ratio=ratios, folds=folds)
    assert split.n_folds == len(ratios) * folds
    assert split.metadata["train_ratios"] == tuple(np.repeat(ratios, folds).tolist())
    for number, share in enumerate(ratios):
        alone = splitter(ratings, rng_for, train_ratio=share, folds=folds)
        together = split.codes[number * folds : (number + 1) * folds]
        np.testing.assert_array_equal(np.array(together), np.array(alone.codes))
        assert alone.metadata == {"train_ratios": (share,) * folds}


@given(ratings=any_ratings(plays=True), share=shares)
@pytest.mark.costly
def test_a_coin_below_the_share_trains(ratings, share):
    split = split_by_random_ratio(ratings, rng_for, train_ratio=share, folds=2)
    for repetition, codes in enumerate(split.codes):
        thrown = rng_for(repetition).random(len(ratings), dtype=np.float32)
        assert codes.tobytes() == np.where(thrown < share, TRAIN, TEST).astype(np.uint8).tobytes()
