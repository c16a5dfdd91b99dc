# SPDX-License-Identifier: MIT
"""Splits by several train ratios: nested folds on the same coins or the same order."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from splits.generated_ratings import any_ratings, ratings_of, rng_for, skewed_ratings

from receval.data.ratings import Ratings
from receval.splits.kinds import AnySplitSpec, RandomRatio, make_split
from receval.splits.random_splits import split_by_random_ratio, split_by_shares, split_by_user_ratio
from receval.splits.split import TEST, TRAIN, Split

NINE = tuple(tenth / 10 for tenth in range(1, 10))
KINDS: dict[str, Callable[..., Split]] = {
    "random-ratio": split_by_random_ratio,
    "user-ratio": split_by_user_ratio,
}
of_every_kind = pytest.mark.parametrize("kind", KINDS)
percents = st.integers(1, 99)
several = st.lists(percents.map(lambda percent: percent / 100), min_size=1, max_size=6)


def made(ratings: Ratings, **kind: Any) -> Split:
    spec: Any = TypeAdapter(AnySplitSpec).validate_python(kind)
    return make_split(ratings, spec, 1, "data", "name", {})


def trained(split: Split) -> np.ndarray:
    codes = np.array(list(split.codes))
    assert np.isin(codes, [TRAIN, TEST]).all()
    return codes == TRAIN


def test_folds_by_hand() -> None:
    # Two repetitions draw 0.15 0.35 0.55 and 0.55 0.15 0.35; each share trains with what is below.
    draws = {0: np.array([0.15, 0.35, 0.55]), 1: np.array([0.55, 0.15, 0.35])}
    split = split_by_shares([0.4, 0.2], 2, draws.__getitem__, lambda drawn, share: drawn < share)
    assert [codes.tolist() for codes in split.codes] == [
        [TRAIN, TRAIN, TEST],
        [TEST, TRAIN, TRAIN],
        [TRAIN, TEST, TEST],
        [TEST, TRAIN, TEST],
    ]
    assert split.metadata == {"train_ratios": (0.4, 0.4, 0.2, 0.2)}
    assert all(codes.dtype == np.uint8 for codes in split.codes)


@of_every_kind
@given(ratings=any_ratings(plays=True), shares=several, folds=st.integers(1, 3))
@pytest.mark.costly
def test_what_trains_with_one_share_trains_with_every_larger_one(
    kind: str, ratings: Ratings, shares: list[float], folds: int
) -> None:
    split = KINDS[kind](ratings, rng_for, train_ratio=shares, folds=folds)
    trains = trained(split).reshape(len(shares), folds, len(ratings))
    in_order = trains[np.argsort(shares)]
    assert (in_order[:-1] <= in_order[1:]).all()


@of_every_kind
@given(ratings=any_ratings(plays=True), shares=several, folds=st.integers(1, 3))
@pytest.mark.costly
def test_every_share_has_the_folds_that_it_has_alone_and_they_stand_together(
    kind: str, ratings: Ratings, shares: list[float], folds: int
) -> None:
    split = KINDS[kind](ratings, rng_for, train_ratio=shares, folds=folds)
    assert split.n_folds == len(shares) * folds
    assert split.metadata["train_ratios"] == tuple(np.repeat(shares, folds).tolist())
    for number, share in enumerate(shares):
        alone = KINDS[kind](ratings, rng_for, train_ratio=share, folds=folds)
        together = split.codes[number * folds : (number + 1) * folds]
        np.testing.assert_array_equal(np.array(together), np.array(alone.codes))
        assert alone.metadata == {"train_ratios": (share,) * folds}


@given(ratings=any_ratings(plays=True), percent=percents)
@pytest.mark.costly
def test_a_single_share_flips_the_coins_that_it_always_flipped(
    ratings: Ratings, percent: int
) -> None:
    split = split_by_random_ratio(ratings, rng_for, train_ratio=percent / 100, folds=2)
    for repetition, codes in enumerate(split.codes):
        thrown = rng_for(repetition).random(len(ratings), dtype=np.float32)
        expected = np.where(thrown < percent / 100, TRAIN, TEST).astype(np.uint8)
        assert codes.tobytes() == expected.tobytes()


@of_every_kind
def test_all_shares_of_a_repetition_draw_once(kind: str) -> None:
    asked: list[int | str] = []

    def recorded(choice: int | str) -> np.random.Generator:
        asked.append(choice)
        return rng_for(choice)

    KINDS[kind](skewed_ratings(), recorded, train_ratio=NINE, folds=3)
    assert asked == [0, 1, 2]


def test_coins_train_with_each_of_nine_probabilities_and_repetitions_are_independent() -> None:
    ratings = skewed_ratings()
    split = split_by_random_ratio(ratings, rng_for, train_ratio=NINE, folds=2)
    trains = trained(split).reshape(9, 2, len(ratings))
    for share, (one, other) in zip(NINE, trains, strict=True):
        error = 4 * math.sqrt(share * (1 - share) / len(ratings))
        assert [one.mean(), other.mean()] == pytest.approx([share, share], abs=error)
        both = share**2
        assert (one & other).mean() == pytest.approx(
            both, abs=4 * math.sqrt(both * (1 - both) / len(ratings))
        )


def test_a_share_too_small_to_take_one_more_rating_gives_the_same_fold() -> None:
    ratings = ratings_of([(0, item) for item in range(4)], 1, 4)
    split = split_by_user_ratio(ratings, rng_for, train_ratio=(0.3, 0.5, 0.6), folds=1)
    assert trained(split).sum(axis=1).tolist() == [2, 2, 3]
    np.testing.assert_array_equal(split.codes[0], split.codes[1])


@of_every_kind
def test_shares_of_a_configuration_keep_their_order(kind: str) -> None:
    ratings = skewed_ratings()
    split = made(ratings, kind=kind, train_ratio=[0.9, 0.2], folds=2)
    assert split.metadata["train_ratios"] == (0.9, 0.9, 0.2, 0.2)
    alone = [made(ratings, kind=kind, train_ratio=share, folds=2) for share in (0.9, 0.2)]
    expected = [codes for one in alone for codes in one.codes]
    np.testing.assert_array_equal(np.array(split.codes), np.array(expected))
    listed = made(ratings, kind=kind, train_ratio=[0.2])
    np.testing.assert_array_equal(listed.codes[0], alone[1].codes[0])


@of_every_kind
def test_shares_of_a_selection_are_nested_and_leave_the_rest_out(kind: str) -> None:
    ratings = skewed_ratings()
    split = made(ratings, kind=kind, train_ratio=NINE, selection={"min_user_ratings": 15})
    few = np.bincount(ratings.users, minlength=ratings.n_users)[ratings.users] < 15
    assert few.any()
    codes = np.array(list(split.codes))
    assert (codes[:, few] == 0).all()
    assert (codes[:, ~few] > 0).all()
    trains = codes == TRAIN
    assert (trains[:-1] <= trains[1:]).all()
    assert split.metadata == {"train_ratios": NINE, "selected_ratings": int((~few).sum())}


@of_every_kind
def test_shares_are_tuples_again_after_reading(kind: str, tmp_path: Path) -> None:
    split = made(skewed_ratings(), kind=kind, train_ratio=NINE, folds=2, selection={"share": 0.5})
    split.write(tmp_path / "first.npz")
    stored = Split.read(tmp_path / "first.npz")
    assert stored.metadata == split.metadata
    assert stored.metadata["train_ratios"] == tuple(np.repeat(NINE, 2).tolist())
    np.testing.assert_array_equal(np.array(list(stored.codes)), np.array(split.codes))
    stored.write(tmp_path / "second.npz")
    assert (tmp_path / "first.npz").read_bytes() == (tmp_path / "second.npz").read_bytes()


@of_every_kind
@pytest.mark.parametrize(
    "train_ratio", [[], [0.5, 1.0], [0.0, 0.5], [0.5, "much"], [[0.5]], "0.5,0.6"], ids=str
)
def test_wrong_shares_are_refused(kind: str, train_ratio: Any) -> None:
    with pytest.raises(ValidationError, match="train_ratio"):
        TypeAdapter(AnySplitSpec).validate_python({"kind": kind, "train_ratio": train_ratio})


def test_one_share_stays_a_number_and_several_become_a_tuple() -> None:
    assert RandomRatio(kind="random-ratio").train_ratio == 0.8
    assert RandomRatio(kind="random-ratio", train_ratio=0.3).train_ratio == 0.3
    several_shares: Any = [0.3, 0.7]
    assert RandomRatio(kind="random-ratio", train_ratio=several_shares).train_ratio == (0.3, 0.7)
