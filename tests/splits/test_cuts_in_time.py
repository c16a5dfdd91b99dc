# SPDX-License-Identifier: MIT
"""Splits at a moment that holds for everybody, and of everybody's last ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from splits.generated_ratings import any_ratings, ratings_of, rng_for

from receval.splits.split import TEST, TRAIN
from receval.splits.split_ratings import split
from receval.splits.temporal import (
    SECONDS_OF_A_DAY,
    cut_in_time,
    date_of_seconds,
    seconds_of_date,
    split_by_time,
    split_leaving_last_out,
)

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


@given(st.lists(st.integers(0, 20), min_size=1), st.floats(0.001, 0.999))
def test_a_share_is_the_time_of_the_rating_with_so_many_before_it(times, share):
    place = min(round(share * len(times)), len(times) - 1)
    assert cut_in_time(np.array(times), share) == sorted(times)[place]


def test_from_one_on_a_cut_is_in_seconds_and_what_is_no_share_of_ratings_is_refused():
    for seconds in (1, 1.5, 3, 10**9):
        assert cut_in_time(np.array([0, 7]), seconds) == seconds
    for cut in (0, 0.0, -0.5, np.inf, np.nan):
        with pytest.raises(ValueError, match="must be a share between 0 and 1, seconds"):
            cut_in_time(np.array([0, 7]), cut)
    with pytest.raises(ValueError, match="a share of them cannot be converted to a time"):
        cut_in_time(np.zeros(0, dtype=np.int64), 0.5)


def cut_by_hand(ratings, cut, test_share, gap, new_users, repeats):
    """Return the uses of the ratings and the metadata, or None where one side is empty."""
    times, users = ratings.timestamps.tolist(), ratings.users.tolist()
    n = len(times)
    in_order = sorted(range(n), key=lambda row: times[row])
    if cut is None:
        behind = set(in_order[n - round(test_share * n) :])
        moment = min((times[row] for row in behind), default=np.inf)
    else:
        moment = sorted(times)[min(round(cut * n), n - 1)] if 0 < cut < 1 else cut
        behind = {row for row in range(n) if times[row] >= moment}
    before = set(range(n)) - behind
    if cut is not None or gap:
        before = {row for row in before if times[row] < moment - gap * DAY}
        if not before or not behind:
            return None
    pairs = list(zip(users, ratings.items.tolist(), strict=True))
    trained = {pairs[row] for row in before}
    codes = [TRAIN if row in before else TEST if row in behind else 0 for row in range(n)]
    metadata = {"repeats_dropped": 0}
    if repeats == "drop":
        dropped = [row for row in behind if pairs[row] in trained]
        metadata["repeats_dropped"] = len(dropped)
        for row in dropped:
            codes[row] = 0
    if cut is not None or gap or new_users == "drop":
        known = {users[row] for row in before}
        new = [row for row in range(n) if codes[row] == TEST and users[row] not in known]
        metadata["users_without_train"] = len({users[row] for row in new})
        metadata["new_users_dropped"] = len(new) if new_users == "drop" else 0
        metadata["left_in_gap"] = n - len(before) - len(behind)
        if cut is not None:
            metadata["cut"] = date_of_seconds(moment)
        if new_users == "drop":
            for row in new:
                codes[row] = 0
    return codes, metadata


@example(at_times([0, 1, 2, 3]), None, 0.3, 1 / DAY, "test", "drop")
@given(
    any_ratings(plays=True),
    st.one_of(st.none(), st.floats(0.05, 0.95), st.integers(1, 9).map(float)),
    st.integers(1, 99).map(lambda percent: percent / 100),
    st.sampled_from([0.0, 0.0, 1 / DAY, 2.5 / DAY]),
    st.sampled_from(["test", "drop"]),
    st.sampled_from(["drop", "keep"]),
)
def test_the_past_trains_the_future_tests_and_what_is_left_out_is_counted(
    ratings, cut, test_share, gap, new_users, repeats
):
    expected = cut_by_hand(ratings, cut, test_share, gap, new_users, repeats)
    parameters = {"cut": cut, "gap": gap, "new_users": new_users, "repeats": repeats}

    def made():
        return split_by_time(ratings, rng_for, scope="all", test_share=test_share, **parameters)

    if expected is None:
        with pytest.raises(ValueError, match="leaves no rating"):
            made()
    else:
        found = made()
        assert (found.codes[0].tolist(), dict(found.metadata)) == expected


@pytest.mark.parametrize("repeats", ["drop", "keep"])
def test_without_training_nothing_is_repeated(repeats):
    ratings = ratings_of([(0, 0), (0, 1), (1, 0), (0, 0)], 2, 2, timestamps=[1, 2, 3, 4])
    found = split_by_time(ratings, rng_for, scope="all", test_share=0.99, repeats=repeats)
    assert found.codes[0].tolist() == [TEST] * 4
    assert found.metadata == {"repeats_dropped": 0}


def test_a_moment_without_a_date_is_said_in_seconds():
    seconds = (0, DAY, 951_782_399, -1, 1e300, np.inf)
    assert [date_of_seconds(moment) for moment in seconds] == [
        "1970-01-01 00:00:00",
        "1970-01-02 00:00:00",
        "2000-02-28 23:59:59",
        "1969-12-31 23:59:59",
        "1e+300",
        "inf",
    ]


@pytest.mark.each(
    ("parameters", "message"),
    [
        ({"cut": "last summer"}, "is not a date. Write a date as 2003-01-31"),
        (
            {"cut": "2003-01-01"},
            r"the ratings are from 1970-01-01 00:00:00 to 1970-01-01 00:00:03\. C",
        ),
        ({"cut": 2, "gap": 1}, "leaves no rating before the gap"),
        ({"gap": 1, "scope": "user"}, "require the scope 'all'"),
        ({"cut": 2, "test_share": 0.3}, "Leave out test_share or the cut"),
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


@given(any_ratings(plays=True), st.integers(1, 3), st.sampled_from(["drop", "keep"]))
def test_the_last_ratings_of_each_user_test(ratings, held_out, repeats):
    found = split_leaving_last_out(
        ratings, rng_for, held_out=held_out, short_profiles="train", repeats=repeats
    )
    times, items = ratings.timestamps.tolist(), ratings.items.tolist()
    expected = [TRAIN] * len(ratings)
    short = tied = 0
    for user in range(ratings.n_users):
        rows = np.flatnonzero(ratings.users == user).tolist()
        in_order = sorted(rows, key=lambda row: times[row])
        short += 0 < len(rows) <= held_out
        if len(rows) > held_out:
            train, test = in_order[:-held_out], in_order[-held_out:]
            tied += times[train[-1]] == times[test[0]]
            trained = {items[row] for row in train}
            for row in test:
                expected[row] = 0 if repeats == "drop" and items[row] in trained else TEST
    assert found.codes[0].tolist() == expected
    assert found.metadata == {
        "users_without_test": short,
        "users_tied": tied,
        "repeats_dropped": expected.count(0),
    }


def test_profiles_with_nothing_left_to_train_on_are_refused_or_train():
    ratings = at_times([5, 6, 1], users=[0, 0, 1])
    with pytest.raises(ValueError, match=r"Some users have 1 rating or fewer \(1, such as "):
        split(ratings, "leave-last-out")
    found = split(ratings, "leave-last-out", short_profiles="train").parts
    assert found.codes[0].tolist() == [TRAIN, TEST, TRAIN]
    assert found.metadata["users_without_test"] == 1
