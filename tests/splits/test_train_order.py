# SPDX-License-Identifier: MIT
"""The order of the train files: whom and what a system that numbers by appearance meets first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from splits.generated_ratings import ratings_of, rng_for, skewed_ratings

from receval.data.ratings import Ratings
from receval.splits.anti_popular_familiarity import split_with_anti_popular_familiarity
from receval.splits.predefined import predefined_split
from receval.splits.split import TEST, TRAIN, TRAIN_ORDERS, Split, fold, in_train_order
from receval.splits.temporal import split_by_time

FOLDS = 3
RELEVANT_FROM = 3


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    """Return ratings in random order, with many equal timestamps and values from 1 to 5."""
    rng = np.random.default_rng(8)
    pairs = [(user, item) for user in range(20) for item in range(30)]
    chosen = [pairs[index] for index in rng.permutation(len(pairs))[:300]]
    return ratings_of(
        chosen,
        20,
        30,
        values=rng.integers(1, 6, 300).astype(float),
        timestamps=rng.integers(0, 40, 300),
        known=rng.random(300) < 0.5,
    )


def sorted_by_hand(ratings: Ratings, rows: list[int], fold_of: np.ndarray, order: str) -> list[int]:
    likes = [0] * ratings.n_items
    for item, value in zip(ratings.items, ratings.values, strict=True):
        likes[item] += value >= RELEVANT_FROM
    assert ratings.timestamps is not None
    times = ratings.timestamps
    keys = {
        "rows": lambda row: 0,
        "folds": lambda row: fold_of[row],
        "least-liked-first": lambda row: (
            fold_of[row],
            likes[ratings.items[row]],
            ratings.items[row],
        ),
        "time": lambda row: times[row],
        "last-users-first": lambda row: -ratings.users[row],
    }
    return sorted(rows, key=keys[order])


@pytest.mark.each("block_rows", [1, 2, 3, 199, 2**20])
@pytest.mark.each("order", TRAIN_ORDERS)
def test_rows_are_sorted_as_the_name_says_and_users_and_items_appear_so(
    ratings: Ratings, order: str, block_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("receval.splits.split._BLOCK_ROWS", block_rows)
    fold_of = np.random.default_rng(2).integers(0, FOLDS, len(ratings))
    codes = [np.where(fold_of == k, TEST, TRAIN).astype(np.uint8) for k in range(FOLDS)]
    split = Split(codes, {"train_order": order, "relevant_from": RELEVANT_FROM})
    for number in range(FOLDS):
        rows = [row for row in range(len(ratings)) if fold_of[row] != number]
        expected = sorted_by_hand(ratings, rows, fold_of, order)
        tested_in = [fold_of == k for k in range(FOLDS)]
        found = in_train_order(np.array(rows), ratings, tested_in, split.metadata)
        assert found.tolist() == expected
        data = fold(ratings, split, number)
        for appeared, column in (
            (data.users_by_appearance, ratings.users),
            (data.items_by_appearance, ratings.items),
        ):
            met = list(dict.fromkeys(column[expected].tolist()))
            assert appeared[: len(met)].tolist() == met


def test_rows_that_no_fold_tests_with_stand_beside_those_of_the_first(ratings: Ratings) -> None:
    tested_in = [np.arange(len(ratings)) % 3 == number for number in range(2)]
    found = in_train_order(np.arange(9), ratings, tested_in, {"train_order": "folds"})
    assert found.tolist() == [0, 2, 3, 5, 6, 8, 1, 4, 7]


def test_an_unknown_order_is_refused(ratings: Ratings) -> None:
    with pytest.raises(ValueError, match=r"is 'shuffled'\. It must be one of"):
        in_train_order(np.arange(3), ratings, [], {"train_order": "shuffled"})


@pytest.mark.parametrize("timestamps", [True, False])
def test_held_out_pairs_train_in_the_order_of_time_or_from_the_last_user(
    tmp_path: Path, timestamps: bool
) -> None:
    pairs = [(0, 3), (1, 0), (1, 2), (2, 1), (3, 0), (3, 3)]
    times = np.array([5, 4, 3, 2, 1, 1]) if timestamps else None
    ratings = ratings_of(pairs, 4, 4, timestamps=times)
    path = tmp_path / "pairs.txt"
    path.write_text("u2\ti1\n", encoding="utf-8")
    split = predefined_split(
        ratings,
        rng_for,
        path=path,
        content="held-out-pairs",
        unbiased_rows=None,
        train_order="time",
    )
    split.write(tmp_path / "split.npz")
    data = fold(ratings, Split.read(tmp_path / "split.npz"), 0)
    assert split.metadata["train_order"] == ("time" if timestamps else "last-users-first")
    assert data.users_by_appearance.tolist() == [3, 1, 0, 2]
    # Of user 1 the raw file has item 0 first, time item 2.
    expected = [0, 3, 2, 1]
    assert data.items_by_appearance.tolist() == expected


def test_a_temporal_split_trains_in_the_order_of_the_file_or_of_time() -> None:
    pairs = [(0, 3), (1, 0), (1, 2), (2, 1), (3, 0)]
    ratings = ratings_of(pairs, 4, 4, timestamps=np.array([4, 3, 2, 9, 1]))

    def users_met(**order: str) -> list[int]:
        split = split_by_time(
            ratings, rng_for, scope="all", test_share=0.2, repeats="drop", **order
        )
        return fold(ratings, split, 0).users_by_appearance.tolist()

    assert users_met() == [0, 1, 3, 2]
    assert users_met(train_order="time") == [3, 1, 0, 2]


def test_redrawn_familiarity_trains_from_the_least_liked_item_as_the_released_files_do() -> None:
    ratings = skewed_ratings()
    split = split_with_anti_popular_familiarity(ratings, rng_for, relevant_from=4, folds=2)
    plain = split_with_anti_popular_familiarity(
        ratings, rng_for, relevant_from=4, folds=2, train_order="rows"
    )
    for codes, others in zip(split.codes, plain.codes, strict=True):
        assert (codes == others).all()
    likes = np.bincount(ratings.items[ratings.values >= 4], minlength=ratings.n_items)
    data = fold(ratings, split, 0)
    n_met = len(np.unique(data.train.indices))
    met = data.items_by_appearance[:n_met]
    # With two folds a train file is one of them.
    assert (np.diff(likes[met]) >= 0).all()
    assert (np.diff(likes[fold(ratings, plain, 0).items_by_appearance[:n_met]]) < 0).any()
