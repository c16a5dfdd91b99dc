# SPDX-License-Identifier: MIT
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from splits.generated_ratings import any_ratings, ranks_drawn, ratings_of, rng_for

from receval.splits.random_splits import split_with_uniform_test
from receval.splits.split import TEST, TRAIN


def with_popularity(*popularity: int):
    pairs = [(user, item) for item, count in enumerate(popularity) for user in range(count)]
    return ratings_of(pairs, max(popularity), len(popularity))


def uniform_by_hand(pairs, n_items, sigma, epsilon, largest_will_do):
    """Return the target items, eta and sigma that is reached, or None where there is no test."""
    popularity = Counter(item for _, item in pairs)
    by_rank = sorted((popularity[item] for item in range(n_items)), reverse=True)
    reached = {k: (1 - epsilon) * by_rank[k - 1] * k for k in range(1, n_items + 1)}
    if largest_will_do:
        reached = {k: r for k, r in reached.items() if (1 - epsilon) * by_rank[k - 1] >= 1}
        sigma = min([sigma, *([max(reached.values()) / len(pairs)] if reached else [])])
    feasible = [k for k in reached if reached[k] >= sigma * len(pairs)]
    if not feasible or (1 - epsilon) * by_rank[max(feasible) - 1] < 1:
        return None
    zeta = max(feasible)
    targets = [item for item in range(n_items) if popularity[item] >= by_rank[zeta - 1]]
    return targets, (1 - epsilon) * by_rank[zeta - 1], sigma


def test_the_items_with_one_more_test_rating_are_drawn_anew_in_each_fold():
    # .7 * 8 * 6 = 33.6 ratings test: 5 of each item, and 4 more from the five popular ones.
    ratings = with_popularity(20, 20, 20, 20, 20, 8)
    split = split_with_uniform_test(ratings, rng_for, test_share=0.3, min_train_ratio=0.3, folds=30)
    counts = np.array(
        [np.bincount(ratings.items[codes == TEST], minlength=6) for codes in split.codes]
    )
    assert np.sort(counts, axis=1).tolist() == [[5, 5, 6, 6, 6, 6]] * 30
    assert set(np.argmin(counts[:, :5], axis=1)) == set(range(5))


@given(
    any_ratings(plays=True),
    st.integers(1, 99),
    st.integers(0, 99),
    st.sampled_from([None, 0, 2, 4, 6]),
)
@pytest.mark.costly
def test_the_definition_holds_item_by_item(ratings, test_percent, train_percent, tests_from):
    sigma, epsilon = Fraction(test_percent, 100), Fraction(train_percent, 100)
    rows = list(zip(ratings.users.tolist(), ratings.items.tolist(), strict=True))
    sums = Counter()
    for pair, value in zip(rows, ratings.values.tolist(), strict=True):
        sums[pair] += value
    pairs = sorted(pair for pair in sums if tests_from is None or sums[pair] >= tests_from)
    parameters = {
        "test_share": test_percent / 100,
        "min_train_ratio": train_percent / 100,
        "folds": 2,
        "tests_from": tests_from,
    }
    wanted = uniform_by_hand(pairs, ratings.n_items, sigma, epsilon, tests_from is not None)
    if wanted is None:
        with pytest.raises(ValueError, match="No uniform test exists"):
            split_with_uniform_test(ratings, rng_for, **parameters)
        return
    targets, eta, reached = wanted
    items = [item for _, item in pairs]
    with_room = [item for item in targets if (1 - epsilon) * items.count(item) >= int(eta) + 1]
    n_more = min(round(eta * len(targets)) - int(eta) * len(targets), len(with_room))
    split = split_with_uniform_test(ratings, rng_for, **parameters)
    assert split.metadata == {
        "target_items": len(targets),
        "eta": pytest.approx(float(eta)),
        "sigma": pytest.approx(float(reached)),
        "epsilon": train_percent / 100,
        "test_ratings": int(eta) * len(targets) + n_more,
    }
    for number, codes in enumerate(split.codes):
        rng = rng_for(number)
        more = set(rng.choice(with_room, size=n_more, replace=False).tolist())
        ranks = ranks_drawn(items, rng)
        tested = {
            pair
            for pair, rank in zip(pairs, ranks, strict=True)
            if pair[1] in targets and rank < int(eta) + (pair[1] in more)
        }
        assert codes.tolist() == [TEST if pair in tested else TRAIN for pair in rows]


@pytest.mark.each("missing", [0, 4e-10, 1e-9])
def test_an_item_that_lacks_a_billionth_of_a_test_rating_has_none(missing):
    ratings = with_popularity(2, 2)
    parameters = {"test_share": 0.1, "min_train_ratio": 0.5 + missing / 2, "folds": 1}
    if missing < 5e-10:
        split = split_with_uniform_test(ratings, rng_for, **parameters)
        assert split.metadata["test_ratings"] == 2
    else:
        with pytest.raises(ValueError, match="less than one per item"):
            split_with_uniform_test(ratings, rng_for, **parameters)


@pytest.mark.each(("missing", "n_tests"), [(0, 3), (4e-10, 3), (1e-9, 2)])
def test_an_item_that_lacks_a_billionth_of_a_rating_spares_no_other(missing, n_tests):
    # Of the items with 4 and 3 ratings 2 and 1.5 may test, so that one test rating is left over.
    parameters = {"test_share": 0.1, "min_train_ratio": 0.5 + missing / 4, "folds": 1}
    split = split_with_uniform_test(with_popularity(4, 3), rng_for, **parameters)
    assert split.metadata["test_ratings"] == n_tests


def test_a_share_that_a_billionth_of_a_rating_reaches_is_reached():
    parameters = {"test_share": 0.5000000005, "min_train_ratio": 0.4999999995, "folds": 1}
    split = split_with_uniform_test(with_popularity(2, 2), rng_for, **parameters)
    assert split.metadata["test_ratings"] == 2


def test_where_the_rest_of_a_long_tail_has_no_such_test_the_largest_is_taken():
    # 16 ratings, of which .5 asks for 8. With all ten items .8 * |R(i_k)| * k is 8, but then each
    # would have .8 test ratings. With the four that can spare one it is .8 * 2 * 4 = 6.4.
    ratings = with_popularity(4, 2, 2, 2, 1, 1, 1, 1, 1, 1)
    ratings = replace(ratings, values=np.full(16, 0.7, np.float32))
    split = split_with_uniform_test(
        ratings, rng_for, test_share=0.5, min_train_ratio=0.2, folds=1, tests_from=0.7
    )
    assert split.metadata["target_items"] == 4
    assert split.metadata["eta"] == pytest.approx(1.6)
    assert split.metadata["sigma"] == pytest.approx(6.4 / 16)
    with pytest.raises(ValueError, match=r"at most 0\.5 of the ratings"):
        split_with_uniform_test(ratings, rng_for, test_share=0.6, min_train_ratio=0.2, folds=1)


@pytest.mark.each("test_share", [0.02, 0.05, 0.08])
def test_a_long_tail_does_not_stand_in_the_way_of_a_share_that_others_reach(test_share: float):
    # With the tail of items with one rating the share would be reached, too, by half a rating each.
    ratings = with_popularity(10, 10, *[1] * 100)
    split = split_with_uniform_test(
        ratings, rng_for, test_share=test_share, min_train_ratio=0.5, folds=1, tests_from=0
    )
    assert split.metadata["target_items"] == 2
    assert split.metadata["eta"] == pytest.approx(5)
    assert split.metadata["sigma"] == test_share


@pytest.mark.each(
    ("popularity", "parameters", "told"),
    [
        # .7 * 1 * 3 is .42 of 5 ratings, although not in binary fractions.
        ((2, 2, 1), (0.42, 0.3, None), "No uniform test exists"),
        ((1, 1, 8), (0.7, 0.2, None), r"at most 0\.64 of the ratings.*Lower test_share"),
        ((1, 1, 1), (0.9, 0.2, 0), r"test share of 0\.9 .*less than one per item"),
        ((2, 2), (0.5 + 1e-9 / 4, 0.5, None), r"at most 0\.5 of the ratings"),
    ],
)
def test_what_cannot_be_reached_is_refused_with_what_can(popularity, parameters, told):
    share, train_ratio, tests_from = parameters
    with pytest.raises(ValueError, match=told):
        split_with_uniform_test(
            with_popularity(*popularity), rng_for,
            test_share=share, min_train_ratio=train_ratio, folds=1, tests_from=tests_from,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("popularity", "parameters", "n_tests"),
    [((2, 1, 1), (0.9, 0.5, 0), 1), ((2, 2), (0.5 + 1e-10 / 4, 0.5, None), 2)],
    ids=["a single test rating", "a share that lacks less than a billionth"],
)
def test_the_largest_test_may_be_small_or_just_miss_its_share(popularity, parameters, n_tests):
    share, train_ratio, tests_from = parameters
    split = split_with_uniform_test(
        with_popularity(*popularity), rng_for,
        test_share=share, min_train_ratio=train_ratio, folds=1, tests_from=tests_from,
    )  # fmt: skip
    assert split.metadata["test_ratings"] == n_tests
