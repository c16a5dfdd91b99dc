# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.theory.rating_probabilities import RatingProbabilities

# Figure 2 of menamaldonado2021: ten users, the items a and b, as its table of probabilities has
# them. Users u1 to u5 have training ratings alone, u6 to u10 test ratings alone.
RELEVANT = [[1, 1], [1, 0], [1, 1], [0, 0], [0, 0], [1, 1], [1, 0], [1, 1], [0, 0], [0, 0]]
TRAIN = [[1, 1], [1, 1], [1, 0], [1, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]
TEST = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [1, 1], [1, 0], [1, 0], [1, 1], [0, 0]]
OF_FIGURE_2 = {
    "p_relevant": ((6, 10), (4, 10), (10, 20)),
    "p_train": ((4, 10), (2, 10), (6, 20)),
    "p_test": ((4, 10), (2, 10), (6, 20)),
    "p_relevant_given_train": ((3, 4), (1, 2), (4, 6)),
    "p_relevant_given_test": ((3, 4), (1, 2), (4, 6)),
    "p_relevant_given_not_train": ((3, 6), (3, 8), (6, 14)),
    "p_relevant_and_test": ((3, 10), (1, 10), (4, 20)),
    "p_train_given_relevant": ((3, 6), (1, 4), (4, 10)),
}


@pytest.mark.each("name", OF_FIGURE_2)
def test_the_toy_of_figure_2_has_the_printed_probabilities(name: str) -> None:
    toy = RatingProbabilities.of_matrices(RELEVANT, TRAIN, TEST)
    *of_items, of_all = (above / below for above, below in OF_FIGURE_2[name])
    np.testing.assert_allclose(getattr(toy, name), of_items, rtol=1e-15)
    assert float(getattr(toy.total, name)) == pytest.approx(of_all, rel=1e-15)


MATRICES = st.integers(1, 6).flatmap(
    lambda n_users: st.integers(1, 4).flatmap(
        lambda n_items: st.tuples(
            st.lists(
                st.tuples(st.booleans(), st.sampled_from(["train", "test", "neither"])),
                min_size=n_users * n_items,
                max_size=n_users * n_items,
            ),
            st.just((n_users, n_items)),
        )
    )
)


def share(part: int, whole: int) -> float:
    return float(Fraction(part, whole)) if whole else float("nan")


@given(MATRICES)
@pytest.mark.costly
def test_every_probability_is_the_share_of_users_counted_one_by_one(
    drawn: tuple[list[tuple[bool, str]], tuple[int, int]],
) -> None:
    pairs, shape = drawn
    relevant = np.array([rel for rel, _ in pairs]).reshape(shape)
    train = np.array([part == "train" for _, part in pairs]).reshape(shape)
    test = np.array([part == "test" for _, part in pairs]).reshape(shape)
    found = RatingProbabilities.of_matrices(relevant, train, test)
    everything = np.ones(shape, dtype=bool)
    definitions: dict[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {
        "p_train": (train, everything),
        "p_relevant": (relevant, everything),
        "p_not_relevant": (~relevant, everything),
        "p_relevant_given_train": (relevant, train),
        "p_not_relevant_given_train": (~relevant, train),
        "p_train_given_relevant": (train, relevant),
        "p_relevant_given_not_train": (relevant, ~train),
        "p_test": (test, everything),
        "p_relevant_given_test": (relevant, test),
        "p_relevant_and_test": (relevant & test, everything),
    }
    for name, (event, condition) in definitions.items():
        of_items = [
            share(int((event & condition)[:, item].sum()), int(condition[:, item].sum()))
            for item in range(shape[1])
        ]
        np.testing.assert_array_equal(getattr(found, name), of_items, err_msg=name)
        of_all = share(int((event & condition).sum()), int(condition.sum()))
        np.testing.assert_array_equal(getattr(found.total, name), of_all, err_msg=name)


RATINGS = Ratings(
    users=np.array([0, 1, 2, 0, 1, 3], dtype=np.int32),
    items=np.array([0, 0, 0, 1, 1, 3], dtype=np.int32),
    values=np.array([5, 3, 4, 2, 4, 1], dtype=np.float32),
    user_ids=np.arange(4).astype(np.str_),
    item_ids=np.arange(4).astype(np.str_),
    known=np.array([True, True, False, True, False, False]),
)


@given(
    pairs=st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=12),
    seed=st.integers(0, 10_000),
)
def test_ratings_are_counted_one_by_one(pairs: set[tuple[int, int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    users, items = np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2).T
    ratings = replace(
        RATINGS,
        users=users,
        items=items,
        values=rng.integers(1, 6, len(pairs)).astype(np.float32),
        item_ids=np.arange(5).astype(np.str_),
        known=rng.random(len(pairs)) < 0.5,
    )
    mask = rng.random(len(pairs)) < 0.5
    rows = list(zip(items, ratings.values >= 4, mask, ratings.known, strict=True))
    everything = range(5)
    rated = [sum(i == item for i, *_ in rows) for item in everything]
    liked = [sum(i == item and rel for i, rel, *_ in rows) for item in everything]
    in_mask = [sum(i == item and own for i, _, own, _ in rows) for item in everything]
    both = [sum(i == item and rel and own for i, rel, own, _ in rows) for item in everything]
    known = [sum(i == item and own for i, *_, own in rows) for item in everything]
    every, some = (RatingProbabilities.of_ratings(ratings, 4, own) for own in (None, mask))
    assert every.sampled.tolist() == some.sampled.tolist() == [4] * 5
    assert (every.train.tolist(), every.relevant_train.tolist()) == (rated, liked)
    assert (some.train.tolist(), some.relevant_train.tolist()) == (in_mask, both)
    asked, knew = (RatingProbabilities.of_judgments(ratings, 4, own) for own in (mask, None))
    assert asked.sampled.tolist() == knew.sampled.tolist() == rated
    assert asked.known_relevant.tolist() == knew.known_relevant.tolist() == liked
    assert (asked.train.tolist(), asked.relevant_train.tolist()) == (in_mask, both)
    assert knew.train.tolist() == known


def test_selected_items_keep_their_counts() -> None:
    chosen = RatingProbabilities.of_matrices(RELEVANT, TRAIN, TEST).select(np.array([1]))
    assert (chosen.train.tolist(), chosen.known_relevant.tolist()) == ([2], [4])
    assert chosen.tested[0].tolist() == [2]


def test_what_cannot_be_known_is_said() -> None:
    chosen = RatingProbabilities.of_ratings(RATINGS, 4)
    with pytest.raises(ValueError, match="who did not rate them is not known"):
        _ = chosen.p_relevant
    with pytest.raises(ValueError, match="no counts of test ratings"):
        _ = chosen.p_test
    silent = replace(RATINGS, known=None)
    with pytest.raises(ValueError, match="do not say which items their users knew"):
        RatingProbabilities.of_judgments(silent, 4)


@pytest.mark.each(
    ("changed", "message"),
    [
        ({"train": [8, 9]}, r"Item 1 has 9 users \(train or test\) among 8 \(sampled\)"),
        ({"relevant_train": [1, 3]}, r"Item 1 has 3 users \(relevant and train\) among 2"),
        ({"relevant": [0, 4]}, r"1 users \(relevant and rated\) among 0 \(relevant\)"),
        ({"relevant": [6, 4]}, r"3 users \(not relevant and rated\) among 2 \(not relevant\)"),
        ({"test": [0, 0]}, "test and relevant_test must be given together"),
        ({"test": [0, 0], "relevant_test": [0, 1]}, r"1 users \(relevant and test\) among 0"),
        ({"train": [1]}, "one number per item"),
        (
            {"relevant_train": [1, -1]},
            r"Item 1 .* 0 users \(none\) among -1 \(relevant and train\)",
        ),
        ({"test": [0, 0], "relevant_test": [-1, -1]}, r"Item 0 .* among -1 \(relevant and test\)"),
        ({"train": [5, 3], "test": [4, 6], "relevant_test": [0, 0]}, r"Item 0 .* among 8 \(samp"),
    ],
)
def test_counts_that_contradict_each_other_are_refused(
    changed: dict[str, list[int]], message: str
) -> None:
    counts = {"sampled": [8, 8], "train": [4, 2], "relevant_train": [1, 1], "relevant": [3, 4]}
    with pytest.raises(ValueError, match=message):
        RatingProbabilities(**{name: np.array(n) for name, n in {**counts, **changed}.items()})


def test_matrices_and_masks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one row per user"):
        RatingProbabilities.of_matrices(RELEVANT, TRAIN[:3])
    with pytest.raises(ValueError, match="one row per user"):
        RatingProbabilities.of_matrices(RELEVANT[0], TRAIN[0])
    for mask in (np.array([True]), np.ones(6, dtype=int)):
        with pytest.raises(ValueError, match="True or False for each"):
            RatingProbabilities.of_ratings(RATINGS, 4, mask)
        with pytest.raises(ValueError, match="True or False for each"):
            RatingProbabilities.of_judgments(RATINGS, 4, mask)


def test_the_pair_that_is_named_is_the_first_that_both_trains_and_tests() -> None:
    # All matrices of two users and two items: a pair is in neither part, in one, or in both.
    for parts in product(range(4), repeat=4):
        if 3 in parts:
            codes = np.array(parts).reshape(2, 2)
            user, item = divmod(parts.index(3), 2)
            with pytest.raises(ValueError, match=f"user {user} and item {item} is both in train"):
                RatingProbabilities.of_matrices(codes < 0, codes & 1, codes & 2)


def test_a_pair_that_is_rated_twice_is_refused_where_both_ratings_would_count() -> None:
    ratings = Ratings(
        users=np.array([2, 0, 1, 1, 2], dtype=np.int32),
        items=np.array([0, 0, 0, 0, 0], dtype=np.int32),
        values=np.array([2, 5, 4, 1, 1], dtype=np.float32),
        user_ids=np.array(["ann", "bob", "cem"]),
        item_ids=np.array(["film"]),
        known=np.array([False, True, True, False, True]),
    )
    message = "User 'bob' rated item 'film' twice"
    with pytest.raises(ValueError, match=message):
        RatingProbabilities.of_ratings(ratings, 4)
    with pytest.raises(ValueError, match=message):
        RatingProbabilities.of_judgments(ratings, 4)
    chosen = RatingProbabilities.of_ratings(ratings, 4, np.array([False, True, True, False, True]))
    assert chosen.p_train.tolist() == [1.0]


@pytest.mark.costly
def test_pairs_of_many_users_and_items_are_not_taken_for_one_another() -> None:
    # Their numbers among all pairs are the same but for bits beyond the 32nd.
    number = 2**16 + 1
    ratings = Ratings(
        users=np.array([0, 2**16], dtype=np.int32),
        items=np.array([2**16, 0], dtype=np.int32),
        values=np.ones(2, dtype=np.float32),
        user_ids=np.arange(number).astype(np.str_),
        item_ids=np.arange(number).astype(np.str_),
    )
    counts = RatingProbabilities.of_judgments(ratings, 4, np.ones(2, dtype=bool))
    assert np.flatnonzero(counts.train).tolist() == [0, 2**16]
