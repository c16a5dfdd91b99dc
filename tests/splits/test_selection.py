"""Which ratings an experiment uses at all, and splits of these ratings alone."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from splits.generated_ratings import (
    any_ratings,
    ratings_of,
    rng_for,
    skewed_ratings,
    without_deadline,
)

from receval.config.splits import AnySplit, DataSelection
from receval.ratings import Ratings
from receval.seeds import generator
from receval.splits.registry import SPLITTERS, make_split
from receval.splits.selection import selected_ratings
from receval.splits.split import TEST, TRAIN, UNBIASED, Split, fold

NEEDED: dict[str, dict[str, Any]] = {
    "missing-at-random": {"unbiased_rows": "unknown"},
    "opposed-familiarity": {"relevant_from": 4},
}
KINDS = [{"kind": kind, **NEEDED.get(kind, {})} for kind in SPLITTERS if kind != "given"]
SELECTION = {"share": 0.7, "head_removed": 0.1, "min_user_ratings": 4, "min_item_ratings": 3}

few_pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9)
shares = st.integers(1, 99).map(lambda percent: percent / 100)


def made(ratings: Ratings, name: str = "name", seed: int = 1, **kind: Any) -> Split:
    spec: Any = TypeAdapter(AnySplit).validate_python(kind)
    return make_split(ratings, spec, seed, "data", name, {})


def rows(kept: np.ndarray) -> list[int]:
    return np.flatnonzero(kept).tolist()


def nobody_has_too_few(pairs: list[tuple[int, int]], of_user: int, of_item: int) -> bool:
    users, items = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    return all(n >= of_user for n in users.values()) and all(n >= of_item for n in items.values())


@settings(deadline=None, max_examples=60)
@given(few_pairs, st.integers(1, 3), st.integers(1, 3))
def test_what_is_left_is_the_largest_selection_in_which_nobody_has_too_few(
    pairs: list[tuple[int, int]], of_user: int, of_item: int
) -> None:
    ratings = ratings_of(pairs, 4, 4)
    parts = [
        [row for row, stays in enumerate(part) if stays]
        for part in product((False, True), repeat=len(pairs))
    ]
    allowed = [
        part for part in parts if nobody_has_too_few([pairs[row] for row in part], of_user, of_item)
    ]
    largest = max(allowed, key=len)
    if not largest:
        with pytest.raises(ValueError, match=f"leaves none of {len(pairs)} ratings"):
            selected_ratings(ratings, rng_for, min_user_ratings=of_user, min_item_ratings=of_item)
        return
    kept = selected_ratings(ratings, rng_for, min_user_ratings=of_user, min_item_ratings=of_item)
    assert rows(kept) == largest
    assert all(set(part) <= set(largest) for part in allowed)


def test_who_falls_below_takes_others_along() -> None:
    # Item 3 has one rating; without it user 2 has one, without that item 2 has one, and so on.
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 2), (2, 3)]
    kept = selected_ratings(
        ratings_of(pairs, 3, 4), rng_for, min_user_ratings=2, min_item_ratings=2
    )
    assert rows(kept) == [0, 1, 2, 3]


def test_few_ratings_of_users_and_of_items_are_told_apart() -> None:
    ratings = ratings_of([(0, 0), (0, 1), (0, 2), (1, 0)], 2, 3)
    assert rows(selected_ratings(ratings, rng_for, min_user_ratings=2)) == [0, 1, 2]
    assert rows(selected_ratings(ratings, rng_for, min_item_ratings=2)) == [0, 3]


@pytest.mark.parametrize(
    ("head_removed", "left"),
    [(0.12, [0, 1, 2, 3]), (0.13, [0, 2, 3]), (0.37, [0, 2, 3]), (0.38, [0, 2]), (0.9, [])],
)
def test_the_head_are_the_items_with_most_ratings_and_of_equal_ones_the_smaller_codes(
    head_removed: float, left: list[int]
) -> None:
    # Items 1 and 3 have three ratings, items 0 and 2 two; six more have none and do not count.
    counts = [2, 3, 2, 3]
    pairs = [(user, item) for item, n in enumerate(counts) for user in range(n)]
    ratings = ratings_of(pairs, 3, 10)
    if not left:
        with pytest.raises(ValueError, match=r"head removed 0\.9"):
            selected_ratings(ratings, rng_for, head_removed=head_removed)
        return
    kept = selected_ratings(ratings, rng_for, head_removed=head_removed)
    assert np.unique(ratings.items[kept]).tolist() == left
    assert np.array_equal(kept, np.isin(ratings.items, left)), "an item goes whole or not at all"


@without_deadline
@given(any_ratings(plays=True), shares)
def test_no_item_of_the_head_has_fewer_ratings_than_one_that_stays(
    ratings: Ratings, head_removed: float
) -> None:
    counts = Counter(ratings.items.tolist())
    by_popularity = sorted(counts, key=lambda item: (-counts[item], item))
    stay = by_popularity[round(head_removed * len(counts)) :]
    if not stay:
        with pytest.raises(ValueError, match="leaves none"):
            selected_ratings(ratings, rng_for, head_removed=head_removed)
        return
    kept = selected_ratings(ratings, rng_for, head_removed=head_removed)
    assert np.array_equal(kept, np.isin(ratings.items, stay))


def test_the_head_goes_before_users_with_few_ratings() -> None:
    # Of three items, one is the head: item 0. It leaves user 0 with one rating, so that user goes.
    ratings = ratings_of([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], 2, 3)
    kept = selected_ratings(ratings, rng_for, head_removed=0.3, min_user_ratings=2)
    assert rows(kept) == [3, 4]


def test_the_head_is_that_of_the_random_share() -> None:
    ratings = skewed_ratings()
    shared = selected_ratings(ratings, rng_for, share=0.3)
    both = selected_ratings(ratings, rng_for, share=0.3, head_removed=0.2)
    of_part = selected_ratings(ratings.select(shared), rng_for, head_removed=0.2)
    np.testing.assert_array_equal(both[shared], of_part)
    assert not both[~shared].any()
    gone = set(ratings.items[shared].tolist()) - set(ratings.items[both].tolist())
    all_gone = ratings.items[~selected_ratings(ratings, rng_for, head_removed=0.2)]
    assert gone != set(all_gone.tolist())


@without_deadline
@given(any_ratings(plays=True), st.integers(1, 3), st.integers(1, 3))
def test_a_selection_is_left_as_it_is_by_the_same_selection(
    ratings: Ratings, of_user: int, of_item: int
) -> None:
    fewest = {"min_user_ratings": of_user, "min_item_ratings": of_item}
    try:
        kept = selected_ratings(ratings, rng_for, **fewest)
    except ValueError:
        return
    assert selected_ratings(ratings.select(kept), rng_for, **fewest).all()


def test_each_rating_is_kept_with_the_share_and_by_every_larger_one() -> None:
    ratings = skewed_ratings()
    kept = {share: selected_ratings(ratings, rng_for, share=share) for share in (0.2, 0.5, 0.9)}
    for share, marks in kept.items():
        error = math.sqrt(share * (1 - share) / len(ratings))
        assert marks.mean() == pytest.approx(share, abs=4 * error)
    assert not (kept[0.2] & ~kept[0.5]).any()
    assert not (kept[0.5] & ~kept[0.9]).any()


def test_a_random_share_asks_for_the_generator_of_the_selection_and_nothing_else_for_any() -> None:
    asked: list[int | str] = []

    def recorded(choice: int | str) -> np.random.Generator:
        asked.append(choice)
        return rng_for(choice)

    ratings = skewed_ratings()
    selected_ratings(ratings, recorded, head_removed=0.1, min_user_ratings=3, min_item_ratings=3)
    assert asked == []
    selected_ratings(ratings, recorded, share=0.5)
    assert asked == ["selection"]


@without_deadline
@given(any_ratings(plays=True))
def test_by_default_everything_is_selected(ratings: Ratings) -> None:
    assert selected_ratings(ratings, rng_for, **DataSelection().model_dump()).all()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_split_with_a_selection_is_the_split_of_the_selected_ratings(
    kind: dict[str, Any],
) -> None:
    ratings = skewed_ratings()
    selected = selected_ratings(
        ratings, lambda choice: generator(1, "data", "name", choice), **SELECTION
    )
    assert 0 < selected.sum() < 0.7 * len(ratings)
    part = made(ratings.select(selected), **kind)
    whole = made(ratings, selection=SELECTION, **kind)
    assert whole.n_folds == part.n_folds
    assert whole.n_ratings == len(ratings)
    assert whole.facts == {**part.facts, "selected_ratings": int(selected.sum())}
    for codes, of_part in zip(whole.codes, part.codes, strict=True):
        np.testing.assert_array_equal(codes[selected], of_part)
        assert not codes[~selected].any(), "what is not selected neither trains nor tests"


def test_users_and_items_keep_their_codes_and_all_folds_their_selection() -> None:
    ratings = skewed_ratings()
    split = made(ratings, kind="random-ratio", folds=3, selection=SELECTION)
    used = [codes > 0 for codes in split.codes]
    np.testing.assert_array_equal(used[0], used[1])
    np.testing.assert_array_equal(used[0], used[2])
    data = fold(ratings, split, 0)
    assert data.train.shape == (ratings.n_users, ratings.n_items)
    selected = ratings.select(used[0])
    assert data.train.nnz + len(data.test) == len(selected)
    both = (data.train + data.test.matrix(ratings.n_items)).tocsr()
    np.testing.assert_array_equal(
        np.diff(both.indptr), np.bincount(selected.users, minlength=ratings.n_users)
    )


@pytest.mark.parametrize("change", [{"seed": 2}, {"name": "other"}], ids=str)
def test_seed_and_name_of_a_split_each_change_its_selection(change: dict[str, Any]) -> None:
    ratings = skewed_ratings()
    kind = {"kind": "k-fold", "selection": {"share": 0.5}}
    one, other = made(ratings, **kind), made(ratings, **change, **kind)
    assert ((one.codes[0] > 0) != (other.codes[0] > 0)).any()


def test_a_selection_of_everything_changes_no_code() -> None:
    ratings = skewed_ratings()
    whole = made(ratings, kind="user-ratio", folds=2)
    same = made(ratings, kind="user-ratio", folds=2, selection={})
    np.testing.assert_array_equal(np.array(whole.codes), np.array(same.codes))
    assert same.facts == {**whole.facts, "selected_ratings": len(ratings)}


def test_a_split_is_spread_over_the_selected_ratings_by_hand(tmp_path: Path) -> None:
    split = Split(
        (np.array([TRAIN, TEST, UNBIASED], np.uint8), np.array([TEST, 0, TRAIN], np.uint8)),
        {"target_items": 7},
    )
    selected = np.array([False, True, True, False, True])
    split.write(tmp_path / "split.npz")
    for one in (split, Split.read(tmp_path / "split.npz")):
        spread = one.spread_over(selected)
        assert [codes.tolist() for codes in spread.codes] == [
            [0, TRAIN, TEST, 0, UNBIASED],
            [0, TEST, 0, 0, TRAIN],
        ]
        assert spread.facts == {"target_items": 7, "selected_ratings": 3}
        assert spread.n_ratings == 5
    assert split.facts == {"target_items": 7}, "the split of the part stays as it was"


@without_deadline
@given(any_ratings(), st.data())
def test_a_fold_of_a_split_that_was_spread_is_that_of_the_selected_table(
    ratings: Ratings, data: st.DataObject
) -> None:
    n = len(ratings)
    marks = data.draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    selected = np.array(marks)
    n_part = int(selected.sum())
    uses = st.sampled_from([0, TRAIN, TEST, UNBIASED, TEST | UNBIASED])
    codes = data.draw(st.lists(uses, min_size=n_part, max_size=n_part))
    split = Split((np.array(codes, dtype=np.uint8),))
    part = fold(ratings.select(selected), split, 0)
    whole = fold(ratings, split.spread_over(selected), 0)
    np.testing.assert_array_equal(part.train.toarray(), whole.train.toarray())
    np.testing.assert_array_equal(part.train.indptr, whole.train.indptr)
    np.testing.assert_array_equal(part.users_by_appearance, whole.users_by_appearance)
    np.testing.assert_array_equal(part.items_by_appearance, whole.items_by_appearance)
    assert (part.unbiased is None) == (whole.unbiased is None)
    for one, other in ((part.test, whole.test), (part.unbiased, whole.unbiased)):
        if one is not None and other is not None:
            for field in ("indptr", "items", "values"):
                np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def test_a_given_split_is_of_all_ratings() -> None:
    given_split = {"kind": "given", "file": "f", "content": "fold-numbers"}
    for selection in ({}, {"share": 0.5}):
        with pytest.raises(ValidationError, match="nothing can be selected before it"):
            TypeAdapter(AnySplit).validate_python({**given_split, "selection": selection})
    TypeAdapter(AnySplit).validate_python({**given_split, "selection": None})


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    "selection",
    [
        {"share": 0.0},
        {"share": 1.0},
        {"share": 50},
        {"head_removed": 0.0},
        {"head_removed": 1.0},
        {"min_user_ratings": 0},
        {"min_item_ratings": 2.5},
        {"min_ratings": 2},
        0.5,
    ],
    ids=str,
)
def test_a_wrong_selection_is_refused_by_every_kind(kind: dict[str, Any], selection: Any) -> None:
    with pytest.raises(ValidationError, match="selection"):
        TypeAdapter(AnySplit).validate_python({**kind, "selection": selection})


def test_a_selection_that_leaves_nothing_says_what_was_asked_for() -> None:
    ratings = ratings_of([(0, 0), (0, 1), (1, 0)], 2, 2)
    kind = {"kind": "k-fold", "selection": {"min_user_ratings": 2, "min_item_ratings": 9}}
    with pytest.raises(ValueError, match=r"none of 3 ratings: .*at least 2 ratings a user and 9"):
        made(ratings, **kind)
