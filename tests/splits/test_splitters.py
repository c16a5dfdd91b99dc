# SPDX-License-Identifier: MIT
import math

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

from receval.splits.hold_out import split_by_random_ratio, split_by_user_ratio, split_leaving_out
from receval.splits.partition import split_into_folds, split_with_unbiased_test
from receval.splits.ranks_within_groups import ceiling_of_share
from receval.splits.split import TEST, TRAIN, UNBIASED
from receval.splits.temporal import split_by_time

shares = st.integers(1, 99).map(lambda percent: percent / 100)


def test_coin_flips_train_with_the_given_probability_and_repetitions_are_independent():
    ratings = skewed_ratings()
    split = split_by_random_ratio(ratings, rng_for, train_ratio=0.7, folds=2)
    tests = [codes == TEST for codes in split.codes]
    for codes, test in zip(split.codes, tests, strict=True):
        assert set(codes.tolist()) == {TRAIN, TEST}
        assert test.mean() == pytest.approx(0.3, abs=4 * math.sqrt(0.21 / len(ratings)))
    both = (tests[0] & tests[1]).mean()
    assert both == pytest.approx(0.09, abs=4 * math.sqrt(0.0819 / len(ratings)))


@given(any_ratings(), shares)
def test_each_user_trains_on_the_share_rounded_up(ratings, share):
    split = split_by_user_ratio(ratings, rng_for, train_ratio=share, folds=2)
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    percent = round(share * 100)
    expected = [-(-percent * size // 100) for size in sizes.tolist()]
    for codes in split.codes:
        trained = np.bincount(ratings.users[codes == TRAIN], minlength=ratings.n_users)
        assert trained.tolist() == expected
        assert set(codes.tolist()) <= {TRAIN, TEST}


@pytest.mark.parametrize("percent", [5, 35, 55, 80])
def test_a_share_of_up_to_millions_of_ratings_is_exact(percent):
    counts = np.arange(1, 4_000_000, 7)
    exact = -(-counts * percent // 100)
    assert (ceiling_of_share(counts, percent / 100) == exact).all()


def test_every_rating_of_a_user_is_equally_likely_to_train():
    ratings = ratings_of([(0, item) for item in range(5)] + [(1, 0)], 2, 5)
    split = split_by_user_ratio(ratings, rng_for, train_ratio=0.4, folds=99)
    trained = np.mean([codes == TRAIN for codes in split.codes], axis=0)
    assert trained[:5] == pytest.approx([0.4] * 5, abs=4 * math.sqrt(0.24 / 99))
    assert trained[5] == 1


@given(any_ratings(plays=True), st.integers(2, 5), st.booleans())
def test_the_tests_of_the_folds_partition_the_ratings(ratings, folds, balanced):
    split = split_into_folds(ratings, rng_for, folds=folds, balanced_per_user=balanced)
    times_tested = np.sum([codes == TEST for codes in split.codes], axis=0)
    times_trained = np.sum([codes == TRAIN for codes in split.codes], axis=0)
    assert (times_tested == 1).all()
    assert (times_trained == folds - 1).all()


@given(any_ratings(), st.integers(2, 5))
def test_balanced_folds_share_out_each_user_evenly(ratings, folds):
    split = split_into_folds(ratings, rng_for, folds=folds, balanced_per_user=True)
    tested = np.array(
        [
            np.bincount(ratings.users[codes == TEST], minlength=ratings.n_users)
            for codes in split.codes
        ]
    )
    assert (np.ptp(tested, axis=0) <= 1).all()


def test_balanced_folds_are_of_about_the_same_size():
    ratings = ratings_of([(user, 0) for user in range(1000)], 1000, 1)
    split = split_into_folds(ratings, rng_for, folds=5, balanced_per_user=True)
    sizes = [int((codes == TEST).sum()) for codes in split.codes]
    assert sizes == pytest.approx([200] * 5, abs=4 * math.sqrt(160))


@given(any_ratings(), st.integers(1, 4))
def test_leave_out_tests_the_given_number_of_every_user_or_none(ratings, held_out):
    split = split_leaving_out(ratings, rng_for, held_out=held_out, short_profiles="train", folds=2)
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    for codes in split.codes:
        tested = np.bincount(ratings.users[codes == TEST], minlength=ratings.n_users)
        assert tested.tolist() == [held_out if size > held_out else 0 for size in sizes.tolist()]
    short = sum(0 < size <= held_out for size in sizes.tolist())
    assert split.metadata["users_without_test"] == short


def test_leave_out_refuses_users_with_nothing_left_to_train_on():
    ratings = ratings_of([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)], 2, 3)
    with pytest.raises(ValueError, match=r"1 users have 2 ratings or fewer \(user 'u1' has 2\)"):
        split_leaving_out(ratings, rng_for, held_out=2, short_profiles="refuse", folds=1)


@given(any_ratings(), shares)
def test_temporal_never_trains_on_what_comes_after_the_test(ratings, share):
    split = split_by_time(ratings, rng_for, scope="all", test_share=share, repeats="drop")
    tests = split.codes[0] == TEST
    assert tests.sum() == round(share * len(ratings))
    when = list(zip(ratings.timestamps.tolist(), range(len(ratings)), strict=True))
    trained = [moment for moment, test in zip(when, tests, strict=True) if not test]
    tested = [moment for moment, test in zip(when, tests, strict=True) if test]
    if trained and tested:
        assert max(trained) < min(tested), "rows of one second keep the order of the file"


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


@given(any_ratings(), st.integers(2, 5))
def test_unknown_ratings_judge_without_bias_in_every_fold(ratings, folds):
    split = split_with_unbiased_test(ratings, rng_for, unbiased_rows="unknown", folds=folds)
    for codes in split.codes:
        assert (codes[~ratings.known] == UNBIASED).all()
        assert np.isin(codes[ratings.known], [TRAIN, TEST]).all()
    times_tested = np.sum([codes == TEST for codes in split.codes], axis=0)
    assert times_tested.tolist() == ratings.known.astype(int).tolist()


@given(any_ratings(), st.integers(2, 5))
def test_all_ratings_of_a_fold_judge_without_bias_and_known_ones_of_the_others_train(
    ratings, folds
):
    split = split_with_unbiased_test(ratings, rng_for, unbiased_rows="fold", folds=folds)
    for codes in split.codes:
        in_fold = (codes & UNBIASED) > 0
        assert ((codes & TEST > 0) == (in_fold & ratings.known)).all()
        assert ((codes & TRAIN > 0) == (~in_fold & ratings.known)).all()
    times_unbiased = np.sum([codes & UNBIASED > 0 for codes in split.codes], axis=0)
    assert (times_unbiased == 1).all()


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
