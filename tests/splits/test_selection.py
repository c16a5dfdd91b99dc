# SPDX-License-Identifier: MIT
"""Which ratings an experiment uses at all."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splits.generated_ratings import any_ratings, ratings_of, rng_for, skewed_ratings

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


@given(any_ratings(plays=True))
@pytest.mark.costly
def test_by_default_everything_is_selected(ratings: Ratings) -> None:
    assert selected_ratings(ratings, rng_for, **SelectionSpec().model_dump()).all()


def test_a_random_share_is_that_of_its_generator_and_the_head_is_that_of_the_share() -> None:
    ratings = skewed_ratings()
    thrown = rng_for("selection").random(len(ratings), dtype=np.float32)
    shared = selected_ratings(ratings, rng_for, share=0.3)
    assert np.array_equal(shared, thrown < np.float32(0.3))
    both = selected_ratings(ratings, rng_for, share=0.3, head_removed=0.2)
    of_part = selected_ratings(ratings.select(shared), rng_for, head_removed=0.2)
    np.testing.assert_array_equal(both[shared], of_part)
    assert not both[~shared].any()


def test_without_a_share_nothing_is_drawn() -> None:
    def no_generator(choice: int | str) -> np.random.Generator:
        raise AssertionError(choice)

    few = {"head_removed": 0.1, "min_user_ratings": 3, "min_item_ratings": 3}
    assert selected_ratings(skewed_ratings(), no_generator, **few).any()  # type: ignore[arg-type]
