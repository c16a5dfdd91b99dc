# SPDX-License-Identifier: MIT
"""The share of test interactions whose training data lie in their future."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splits.generated_ratings import any_ratings, ratings_of

from receval.splits.leakage import LEAKAGE_SCOPES, future_in_train, futures_in_train, leakage
from receval.splits.split import TEST, TRAIN, UNBIASED, Split
from receval.splits.split_ratings import split
from receval.splits.temporal import SECONDS_OF_A_DAY


def counted(ratings, codes):
    """Look at every pair of a test and a training rating."""
    rows = []
    times = [int(time) for time in ratings.timestamps]
    train = [row for row in range(len(ratings)) if codes[row] == TRAIN]
    test = [row for row in range(len(ratings)) if codes[row] & TEST]
    for scope in LEAKAGE_SCOPES:
        shares, ahead, users = [], [], set()
        for row in test:
            own = [
                times[other]
                for other in train
                if scope == "anybody"
                or (scope == "same user" and ratings.users[other] == ratings.users[row])
                or (scope == "same item" and ratings.items[other] == ratings.items[row])
            ]
            later = [time for time in own if time > times[row]]
            if own:
                shares.append(len(later) / len(own))
            if later:
                ahead.append((max(later) - times[row]) / SECONDS_OF_A_DAY)
                users.add(int(ratings.users[row]))
        rows.append(
            (
                len(ahead) / len(test),
                len(users) / len({int(ratings.users[row]) for row in test}),
                np.median(shares) if shares else np.nan,
                np.median(ahead) if ahead else np.nan,
            )
        )
    return rows


@st.composite
def any_splits(draw: st.DrawFn, n_ratings: int) -> list[Split]:
    uses = st.sampled_from([0, TRAIN, TEST, UNBIASED, TEST | UNBIASED])
    codes = st.lists(uses, min_size=n_ratings, max_size=n_ratings)
    splits = []
    for _ in range(draw(st.integers(1, 2))):
        folds = [np.array(draw(codes), np.uint8) for _ in range(draw(st.integers(1, 3)))]
        for own in folds:
            own[draw(st.integers(0, n_ratings - 1))] = TEST
        splits.append(Split(folds))
    return splits


@pytest.mark.costly
@given(any_ratings(plays=True), st.data())
def test_leakage_is_what_comes_of_looking_at_every_pair(ratings, data):
    splits = data.draw(any_splits(len(ratings)))
    columns = ["interactions", "users", "median_share", "median_days"]
    for split_of_ratings, found in zip(splits, futures_in_train(ratings, splits), strict=True):
        table = found.table
        assert table["fold"].tolist() == np.repeat(range(split_of_ratings.n_folds), 3).tolist()
        assert table["scope"].tolist() == list(LEAKAGE_SCOPES) * split_of_ratings.n_folds
        affected = dict.fromkeys(LEAKAGE_SCOPES, 0.0)
        tested = 0
        for number, codes in enumerate(split_of_ratings.codes):
            own = table[table["fold"] == number]
            expected = counted(ratings, codes)
            np.testing.assert_allclose(own[columns].to_numpy(), expected, rtol=1e-12)
            tests = np.flatnonzero(codes & TEST)
            assert own["test_interactions"].tolist() == [len(tests)] * 3
            assert own["test_users"].tolist() == [len(set(ratings.users[tests].tolist()))] * 3
            tested += len(tests)
            for scope, row in zip(LEAKAGE_SCOPES, expected, strict=True):
                affected[scope] += row[0] * len(tests)
        shares = {scope: number / tested for scope, number in affected.items()}
        assert found.shares == pytest.approx(shares)
        alone = future_in_train(ratings, split_of_ratings).table
        pd.testing.assert_frame_equal(alone, table)


def test_a_cut_in_time_leaks_nothing_and_leave_last_out_nothing_of_the_same_user():
    rng = np.random.default_rng(1)
    pairs = [(user, item) for user in range(20) for item in range(15)]
    ratings = ratings_of(pairs, 20, 15, timestamps=rng.integers(0, 10**6, len(pairs)).tolist())
    shares = {kind: leakage(split(ratings, kind)).shares for kind in ("temporal", "leave-last-out")}
    assert set(shares["temporal"].values()) == {0.0}
    assert shares["leave-last-out"]["same user"] == 0
    assert shares["leave-last-out"]["anybody"] > 0.5
    random = leakage(split(ratings, "k-fold", folds=3))
    assert len(random.table) == 3 * 3
    assert random.shares["same user"] > 0.5
    assert "same item" in str(random)


def test_a_report_is_printed_without_row_numbers_with_four_decimals():
    # Of three training ratings two lie behind the test.
    ratings = ratings_of([(0, item) for item in range(4)], 1, 4, timestamps=[1, 2, 3, 4])
    found = future_in_train(ratings, Split((np.array([1, 2, 1, 1], dtype=np.uint8),)))
    lines = [line.split() for line in str(found).splitlines()]
    assert lines[0] == found.table.columns.tolist()
    assert lines[1] == ["0", "anybody", "1", "1", "1.0", "1.0", "0.6667", "0.0"]


def test_ratings_without_times_and_folds_without_tests_are_refused():
    ratings = ratings_of([(0, 0), (0, 1)], 1, 2)
    with pytest.raises(ValueError, match=r"Leakage cannot be measured without timestamps"):
        leakage(split(ratings, "user-ratio", train_ratio=0.5))
    timed = ratings_of([(0, 0), (0, 1)], 1, 2, timestamps=[1, 2])
    for folds in ([[TRAIN, TRAIN]], [[TRAIN, TEST], [TRAIN, UNBIASED]]):
        with pytest.raises(ValueError, match=f"Fold {len(folds) - 1} has no test rating"):
            future_in_train(timed, Split(tuple(np.array(codes, np.uint8) for codes in folds)))
    with pytest.raises(ValueError, match="made for 1 ratings, but the table has 2"):
        future_in_train(timed, Split((np.array([TRAIN], dtype=np.uint8),)))
