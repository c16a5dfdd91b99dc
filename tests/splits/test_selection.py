# SPDX-License-Identifier: MIT
"""Which ratings an experiment uses at all."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

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

from receval.data.ratings import Ratings
from receval.splits.kinds import SelectionSpec
from receval.splits.selection import selected_ratings

few_pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9)
shares = st.integers(1, 99).map(lambda percent: percent / 100)


def many_items(n_items: int) -> Ratings:
    """Return ratings of many items, of which as many have one, two and three or none."""
    rng = np.random.default_rng(n_items)
    pairs = [(user, item) for item in range(n_items) for user in range(rng.integers(0, 4))]
    return ratings_of(pairs, 3, n_items)


def rows(kept: np.ndarray) -> list[int]:
    return np.flatnonzero(kept).tolist()


def nobody_has_too_few(pairs: list[tuple[int, int]], of_user: int, of_item: int) -> bool:
    users, items = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    return all(n >= of_user for n in users.values()) and all(n >= of_item for n in items.values())


@given(few_pairs, st.integers(1, 3), st.integers(1, 3))
@pytest.mark.costly
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


@given(
    st.one_of(any_ratings(plays=True), st.sampled_from([300, 1000]).map(many_items)),
    shares,
)
@pytest.mark.costly
def test_the_items_with_most_ratings_go_whole(ratings: Ratings, head_removed: float) -> None:
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


@given(any_ratings(plays=True), st.integers(1, 3), st.integers(1, 3))
@pytest.mark.costly
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


@given(any_ratings(plays=True))
@pytest.mark.costly
def test_by_default_everything_is_selected(ratings: Ratings) -> None:
    assert selected_ratings(ratings, rng_for, **SelectionSpec().model_dump()).all()
