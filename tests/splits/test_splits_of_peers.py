# SPDX-License-Identifier: MIT
"""Time windows, next items and held-out users."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splits.generated_ratings import any_ratings, ranks_drawn, ratings_of, rng_for

import receval as rv
from receval.splits.held_out_users import split_holding_out_users
from receval.splits.leakage import future_in_train
from receval.splits.split import FOLD_IN, TEST, TRAIN, VALIDATION, Split, fold
from receval.splits.temporal import (
    SECONDS_OF_A_DAY,
    moments_of_windows,
    split_before_each_item,
    split_into_time_windows,
)

AS_USUAL = {
    "windows": 2,
    "cut": 0.5,
    "days": None,
    "past_days": None,
    "gap": 0.0,
    "repeats": "keep",
    "new_users": "test",
}


def at_times(times, pairs=None):
    pairs = pairs or [(0, item) for item in range(len(times))]
    return ratings_of(pairs, 3, 1 + max(item for _, item in pairs), timestamps=times)


def windows_of(times, pairs=None, **changed):
    made = split_into_time_windows(at_times(times, pairs), rng_for, **AS_USUAL | changed)
    return [codes.tolist() for codes in made.codes], made.metadata


DAY = SECONDS_OF_A_DAY


def test_windows_follow_one_another_and_train_on_all_before_them():
    codes, metadata = windows_of([0, 1, 2, 3, 4, 5])
    assert codes == [
        [TRAIN, TRAIN, TRAIN, TEST, TEST, 0],
        [TRAIN, TRAIN, TRAIN, TRAIN, TRAIN, TEST],
    ]
    assert metadata["windows_begin"] == "1970-01-01 00:00:03, 1970-01-01 00:00:05"


def test_windows_of_days_have_a_gap_before_and_a_past_of_so_many_days():
    times = [day * DAY for day in range(8)]
    codes, metadata = windows_of(times, cut="1970-01-05", days=2, past_days=2, gap=1)
    assert codes == [[0, TRAIN, TRAIN, 0, TEST, TEST, 0, 0], [0, 0, 0, TRAIN, TRAIN, 0, TEST, TEST]]
    assert metadata["left_in_gap"] == 2


def test_ratings_of_one_second_are_in_one_window():
    assert windows_of([0, 1, 2, 2, 2, 3], cut=0.3)[0] == [
        [TRAIN, TRAIN, TEST, TEST, TEST, 0],
        [TRAIN, TRAIN, TRAIN, TRAIN, TRAIN, TEST],
    ]


def test_repeats_and_new_users_of_windows_are_left_out_if_asked():
    pairs = [(0, 0), (0, 1), (0, 0), (1, 2), (0, 2), (1, 3)]
    codes, metadata = windows_of([0, 1, 2, 3, 4, 5], pairs, cut=0.3, repeats="drop")
    assert codes[0] == [TRAIN, TRAIN, 0, TEST, 0, 0]
    assert metadata["repeats_dropped"] == 1
    codes, metadata = windows_of([0, 1, 2, 3, 4, 5], pairs, cut=0.3, new_users="drop")
    assert codes[0] == [TRAIN, TRAIN, TEST, 0, 0, 0]
    assert metadata["new_users_dropped"] == 1


@pytest.mark.each(
    ("changed", "told"),
    [
        ({"cut": 10}, "No rating is from 1970-01-01 00:00:10 or later"),
        ({"days": 1}, "Window 2 of 2, which begins at 1970-01-02 00:00:03, has no test rating"),
        ({"cut": "1960-01-01"}, "Window 1 of 2, which begins at 1960-01-01 00:00:00, has no train"),
        ({"windows": 4}, "3 ratings from 1970-01-01 00:00:03 on cannot be divided into 4 windows"),
    ],
)
def test_windows_that_cannot_be_made_are_refused_with_the_times(changed, told):
    with pytest.raises(ValueError, match=told):
        windows_of([0, 1, 2, 3, 4, 5], **changed)


@given(any_ratings(plays=True), st.integers(1, 3), st.integers(1, 9))
def test_no_window_trains_on_the_future_of_its_test(ratings, windows, tenths):
    changed = AS_USUAL | {"windows": windows, "cut": tenths / 10}
    try:
        made = split_into_time_windows(ratings, rng_for, **changed)
    except ValueError:
        return
    assert future_in_train(ratings, made).shares["anybody"] == 0
    times = ratings.timestamps
    moments = moments_of_windows(times, windows, tenths / 10, None)
    for codes, start, end in zip(made.codes, moments[:-1], moments[1:], strict=True):
        assert ((codes == TEST) == ((times >= start) & (times < end))).all()
        assert ((codes == TRAIN) == (times < start)).all()


@given(any_ratings(plays=True), st.one_of(st.just("all"), st.integers(1, 4)))
def test_each_fold_tests_one_item_of_a_user_given_all_those_before_it(ratings, held_out):
    made = split_before_each_item(ratings, rng_for, held_out=held_out, repeats="keep")
    sizes = Counter(ratings.users.tolist())
    longest = max(sizes.values())
    assert made.n_folds == (max(1, longest - 1) if held_out == "all" else held_out)
    for number, codes in enumerate(made.codes):
        for user, size in sizes.items():
            rows = np.flatnonzero(ratings.users == user)
            history = codes[rows[np.argsort(ratings.timestamps[rows], kind="stable")]].tolist()
            before = size - 1 - number
            if before >= 1:
                assert history == [TRAIN] * before + [TEST] + [0] * number
            else:
                assert history == [TRAIN] + [0] * (size - 1)
    if held_out == "all":
        tested = sum((codes == TEST) for codes in made.codes)
        assert tested.sum() == len(ratings) - len(sizes)
        assert tested.max(initial=0) <= 1


def test_too_long_histories_are_refused_if_all_items_are_tested():
    long = at_times(list(range(101)))
    with pytest.raises(ValueError, match="a user with 101 ratings needs 100 folds"):
        split_before_each_item(long, rng_for, held_out="all", repeats="drop")
    most = split_before_each_item(at_times(range(100)), rng_for, held_out="all", repeats="drop")
    assert most.n_folds == 99
    assert most.metadata["repeats_dropped"] == 0


HELD = {"user_share": 0.5, "fold_in_ratio": 0.5, "order": "random", "repeats": "keep", "folds": 2}


@given(any_ratings(plays=True), st.sampled_from(["random", "time"]), st.integers(1, 3))
def test_each_user_is_held_out_once_with_a_share_of_their_ratings_folded_in(ratings, order, folds):
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    can = np.flatnonzero(sizes >= 2)
    n_held = max(1, round(0.5 * len(can)))
    changed = HELD | {"order": order, "folds": folds}
    if n_held >= len(can):
        with pytest.raises(ValueError, match="no other is left to learn from"):
            split_holding_out_users(ratings, rng_for, **changed)
        return
    made = split_holding_out_users(ratings, rng_for, **changed)
    assert made.metadata["held_out_users"] == n_held
    assert made.metadata["users_too_short"] == sizes.tolist().count(1)
    assert made.metadata["repeats_dropped"] == 0
    fewer = split_holding_out_users(ratings, rng_for, **changed | {"repeats": "drop"})
    assert fewer.metadata["repeats_dropped"] == sum((codes == 0).sum() for codes in fewer.codes)
    shuffled = rng_for("users").permutation(can).tolist()
    for number, codes in enumerate(made.codes):
        held = {shuffled[(number * n_held + place) % len(can)] for place in range(n_held)}
        if order == "time":
            by_time = np.argsort(ratings.timestamps, kind="stable")
            places = {int(row): place for place, row in enumerate(by_time)}
            ranks = [
                sum(places[int(other)] < places[row] for other in own)
                for row, user in enumerate(ratings.users.tolist())
                for own in [np.flatnonzero(ratings.users == user)]
            ]
        else:
            ranks = ranks_drawn(ratings.users.tolist(), rng_for(number))
        for user, rank, code in zip(ratings.users.tolist(), ranks, codes.tolist(), strict=True):
            folded = min(-(-int(sizes[user]) // 2), int(sizes[user]) - 1)
            expected = TRAIN if user not in held else FOLD_IN if rank < folded else TEST
            assert code == expected


def test_a_fold_knows_the_ratings_that_are_folded_in_but_systems_do_not_learn_from_them():
    ratings = ratings_of([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], 2, 3, values=[1, 2, 3, 4, 5])
    codes = np.array([TRAIN, TRAIN, FOLD_IN, TEST, VALIDATION], dtype=np.uint8)
    found = fold(ratings, Split((codes,)), 0)
    assert found.train.toarray().tolist() == [[1, 2, 0], [3, 0, 0]]
    assert found.learnt.toarray().tolist() == [[1, 2, 0], [0, 0, 0]]
    assert found.fold_in.toarray().tolist() == [[0, 0, 0], [3, 0, 0]]
    assert found.test.matrix(3).toarray().tolist() == [[0, 0, 0], [0, 4, 0]]


def test_ratings_that_are_folded_in_after_the_test_leak():
    ratings = ratings_of([(0, 0), (1, 0), (1, 1)], 2, 2, timestamps=[0, 9, 5])
    codes = np.array([TRAIN, FOLD_IN, TEST], dtype=np.uint8)
    assert future_in_train(ratings, Split((codes,))).shares["same user"] == 1


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    users, items = np.nonzero(rng.random((30, 15)) < 0.5)
    return {
        "user": users,
        "item": items,
        "rating": rng.integers(1, 6, len(users)),
        "timestamp": rng.permutation(len(users)) * 1000,
    }


@pytest.mark.costly
def test_held_out_users_are_tested_on_systems_that_fold_in(table):
    data = rv.split(rv.read_ratings(table), "held-out-users", user_share=0.3)
    systems = {"Pop": rv.Popularity(), "kNN": rv.UserKNN(neighbours=5), "SLIM": rv.SLIM(l1=0.1)}
    result = rv.evaluate(data, systems, metrics="RR", relevant=3)
    assert result.summary()["users"].unique().tolist() == [9]
    values = result.per_user()
    assert (values.groupby("system")["RR"].mean() > 0).all()


def test_systems_that_cannot_fold_in_are_refused_before_any_is_trained(table):
    class Mine:
        def fit(self, train):
            raise AssertionError("trained")

        def score(self, users):
            raise AssertionError("scored")

    data = rv.split(rv.read_ratings(table), "held-out-users")
    told = "'mf' is a WRMF, which cannot recommend to users who were not in its training data"
    with pytest.raises(ValueError, match=told):
        rv.evaluate(data, {"Pop": rv.Popularity(), "mf": rv.WRMF()})
    with pytest.raises(ValueError, match="'mine' is a Mine, which cannot recommend"):
        rv.evaluate(data, {"mine": Mine()})


def test_a_system_of_ones_own_folds_in_by_its_method(table):
    class Mine:
        def fit(self, train):
            self.train = train
            return self

        def fold_in(self, ratings):
            self.new = ratings
            assert not self.train[np.diff(ratings.indptr) > 0].nnz

        def score(self, users):
            return np.ones((len(users), self.train.shape[1])) * self.new.sum()

    data = rv.split(rv.read_ratings(table), "held-out-users")
    mine = Mine()
    rv.evaluate(data, {"mine": mine}, metrics="RR")
    assert mine.new.nnz


@pytest.mark.costly
@pytest.mark.parametrize("kind", ["time-windows", "next-item"])
def test_folds_by_time_are_evaluated_together(table, kind):
    data = rv.split(rv.read_ratings(table), kind)
    result = rv.evaluate(data, {"Pop": rv.Popularity()}, metrics="RR", relevant=1)
    assert len(result.per_user()) <= 30
    assert rv.leakage(data).shares["anybody" if kind == "time-windows" else "same user"] == 0
