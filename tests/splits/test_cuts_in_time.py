# SPDX-License-Identifier: MIT
"""Splits at a moment that holds for everybody, and of everybody's last ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splits.generated_ratings import any_ratings, ratings_of, rng_for

from receval.comparison.splitting import split
from receval.splits.leave_last_out import split_leaving_last_out
from receval.splits.split import TEST, TRAIN
from receval.splits.temporal import split_by_time
from receval.splits.time_cut import SECONDS_OF_A_DAY, cut_in_time, seconds_of_date

DAY = SECONDS_OF_A_DAY


def at_times(times: list[int], users: list[int] | None = None):
    owners = users or [0] * len(times)
    pairs = list(zip(owners, range(len(times)), strict=True))
    return ratings_of(pairs, max(owners) + 1, len(times), timestamps=times)


def cut_at(ratings, cut, **others):
    return split_by_time(
        ratings, rng_for, scope="all", test_share=0.2, repeats="drop", cut=cut, **others
    )


def test_what_lies_before_the_gap_trains_and_from_the_cut_on_tests():
    ratings = at_times([0, DAY - 1, DAY, 3 * DAY - 1, 3 * DAY, 9 * DAY])
    split = cut_at(ratings, float(3 * DAY), gap=2)
    assert split.codes[0].tolist() == [TRAIN, TRAIN, 0, 0, TEST, TEST]
    assert split.metadata["left_in_gap"] == 2
    assert split.metadata["cut"] == "1970-01-04 00:00:00"


def test_a_date_and_its_seconds_are_the_same_cut():
    ratings = at_times([0, DAY, 2 * DAY])
    for date in ("1970-01-02", "1970-01-02T00:00:00", "1970-01-02 02:00+02:00"):
        assert cut_at(ratings, date).codes[0].tolist() == [TRAIN, TEST, TEST]
        assert seconds_of_date(date) == DAY


@given(st.lists(st.integers(0, 20), min_size=2), st.floats(0.05, 0.95))
def test_at_most_the_share_lies_before_the_cut_and_the_moment_is_not_torn(times, share):
    moment = cut_in_time(np.array(times), share)
    before = sum(time < moment for time in times)
    assert before <= max(round(share * len(times)), 0) <= sum(time <= moment for time in times)
    assert moment in times


@given(any_ratings(plays=True), st.integers(1, 9), st.floats(0, 2e-4))
def test_all_training_lies_more_than_the_gap_before_all_test(ratings, cut, gap):
    before, behind = ratings.timestamps < cut - gap * DAY, ratings.timestamps >= cut
    if not before.any() or not behind.any():
        with pytest.raises(ValueError, match="leaves no rating"):
            cut_at(ratings, float(cut), gap=gap)
        return
    codes = cut_at(ratings, float(cut), gap=gap).codes[0]
    train, test = (ratings.timestamps[codes == code] for code in (TRAIN, TEST))
    assert train.max() < cut - gap * DAY
    assert test.min(initial=99) >= cut


def test_a_gap_goes_with_a_test_share_too():
    ratings = at_times([0, DAY, 5 * DAY, 6 * DAY])
    codes = split_by_time(
        ratings, rng_for, scope="all", test_share=0.25, repeats="drop", gap=2
    ).codes[0]
    assert codes.tolist() == [TRAIN, TRAIN, 0, TEST]


def test_users_without_training_are_counted_and_leave_on_request():
    ratings = at_times([1, 5, 6, 7], users=[0, 0, 1, 1])
    kept, dropped = (cut_at(ratings, 3.0, new_users=new) for new in ("test", "drop"))
    assert kept.codes[0].tolist() == [TRAIN, TEST, TEST, TEST]
    assert dropped.codes[0].tolist() == [TRAIN, TEST, 0, 0]
    assert kept.metadata["users_without_train"] == dropped.metadata["users_without_train"] == 1
    assert (kept.metadata["new_users_dropped"], dropped.metadata["new_users_dropped"]) == (0, 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cut": "last summer"}, "is no date: write it as 2003-01-31"),
        ({"cut": -1}, "must be a share between 0 and 1, seconds since 1970, or a date"),
        ({"cut": "2003-01-01"}, "leaves no rating from the cut on; they are from 1970-01-01"),
        ({"cut": 2, "gap": 1}, "leaves no rating before the gap"),
        ({"gap": 1, "scope": "user"}, "belong to the scope 'all'"),
        ({"cut": 2, "test_share": 0.3}, "leave out test_share, or the cut"),
        ({"gap": -1}, "greater than or equal to 0"),
    ],
)
def test_cuts_that_cannot_be_made_are_refused_in_a_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        split(at_times([0, 1, 2, 3]), "temporal", **parameters)


def test_a_cut_leaves_the_names_of_other_temporal_splits_as_they_were():
    ratings = at_times(list(range(10)))
    assert split(ratings, "temporal").name == "temporal"
    assert split(ratings, "temporal", cut="1970-01-01T00:00:05").name.startswith("temporal cut=")
    assert dict(split(ratings, "temporal").parts.metadata) == {"repeats_dropped": 0}


@given(any_ratings(), st.integers(1, 3))
def test_the_last_ratings_of_each_user_test(ratings, held_out):
    codes = split_leaving_last_out(
        ratings, rng_for, held_out=held_out, short_profiles="train", repeats="drop"
    ).codes[0]
    for user in range(ratings.n_users):
        rows = np.flatnonzero(ratings.users == user)
        in_order = sorted(rows, key=lambda row: (ratings.timestamps[row], row))
        expected = [TRAIN] * len(rows)
        if len(rows) > held_out:
            expected[-held_out:] = [TEST] * held_out
        assert [codes[row] for row in in_order] == expected


def test_ties_in_time_are_counted_and_the_order_of_the_table_decides():
    ratings = at_times([5, 5, 1, 9, 8], users=[0, 0, 0, 1, 1])
    found = split(ratings, "leave-last-out")
    assert found.parts.codes[0].tolist() == [TRAIN, TEST, TRAIN, TEST, TRAIN]
    assert found.parts.metadata["users_tied"] == 1


def test_profiles_with_nothing_left_to_train_on_are_refused_or_train():
    ratings = at_times([5, 6, 1], users=[0, 0, 1])
    with pytest.raises(ValueError, match=r"1 users have 1 ratings or fewer"):
        split(ratings, "leave-last-out")
    found = split(ratings, "leave-last-out", short_profiles="train").parts
    assert found.codes[0].tolist() == [TRAIN, TEST, TRAIN]
    assert found.metadata["users_without_test"] == 1


def test_a_play_of_what_the_user_trained_on_leaves_the_test():
    ratings = ratings_of([(0, 0), (0, 1), (0, 0)], 1, 2, timestamps=[1, 2, 3])
    drops, keeps = (split(ratings, "leave-last-out", repeats=word) for word in ("drop", "keep"))
    assert drops.parts.codes[0].tolist() == [TRAIN, TRAIN, 0]
    assert keeps.parts.codes[0].tolist() == [TRAIN, TRAIN, TEST]


@pytest.mark.parametrize("kind", ["temporal", "leave-last-out"])
def test_ratings_without_times_are_refused(kind):
    with pytest.raises(ValueError, match="needs timestamps"):
        split(ratings_of([(0, 0), (0, 1)], 1, 2), kind)
