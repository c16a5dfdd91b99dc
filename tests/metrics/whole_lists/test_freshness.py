# SPDX-License-Identifier: MIT
"""The age of recommended items is counted in days before the last training rating."""

from __future__ import annotations

import numpy as np
import pytest

import receval as rv

DAY = 86_400
RATINGS = {
    "user": list("aaabbb"),
    "item": list("xyzxyw"),
    "rating": [1] * 6,
    "timestamp": [0, 2 * DAY, 9 * DAY, 1 * DAY, 4 * DAY, 9 * DAY],
}


def last_tests(ratings: dict[str, list]) -> rv.SplitRatings:
    return rv.split(rv.read_ratings(ratings), "temporal", scope="user", test_share=1 / 3)


def test_items_are_as_old_as_their_first_training_rating_and_new_ones_have_the_age_0() -> None:
    data = last_tests(RATINGS)
    scores = np.zeros((2, 4))
    scores[:, data.ratings.item_ids.tolist().index("w")] = 1.0
    found = rv.evaluate(data, {"new": scores}, metrics=["ItemAge@1", "freshness@2"])
    # The last training rating is of day 4; w and z are only in the test.
    assert found.summary()["mean"].tolist() == [0.0, 0.0]
    assert found.less_is_better == {"ItemAge@1", "ItemAge@2"}


def test_ages_are_days_before_the_last_training_rating() -> None:
    train = {name: [*own[:2], *own[3:5]] for name, own in RATINGS.items()}
    train = {name: [*own, extra] for (name, own), extra in zip(train.items(), "cx11", strict=True)}
    train["rating"] = [1] * 5
    train["timestamp"] = [0, 2 * DAY, 1 * DAY, 4 * DAY, 4 * DAY]
    test = {"user": ["c"], "item": ["y"], "rating": [1], "timestamp": [9 * DAY]}
    data = rv.split(rv.read_ratings(train), "predefined", test=rv.read_ratings(test))
    found = rv.evaluate(data, {"any": np.ones((3, 2))}, metrics="ItemAge@5")
    # Of x and y, c is recommended only y, which is 4 - 2 days old.
    assert found.summary()["mean"].tolist() == [2.0]


def test_without_timestamps_ages_are_refused_before_training() -> None:
    ratings = {name: own for name, own in RATINGS.items() if name != "timestamp"}
    data = rv.split(rv.read_ratings(ratings), "user-ratio", train_ratio=0.5)
    with pytest.raises(ValueError, match="ItemAge@5 needs the times of training ratings"):
        rv.evaluate(data, {"Pop": rv.Popularity()}, metrics="ItemAge@5")
