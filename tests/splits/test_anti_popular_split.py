# SPDX-License-Identifier: MIT
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

from receval.seeds import generator
from receval.splits.anti_popular_familiarity import (
    split_with_anti_popular_familiarity,
    with_anti_popular_familiarity,
)
from receval.splits.random_splits import split_with_unbiased_test
from receval.splits.split import TEST, TRAIN, UNBIASED, Split, fold


def uses(split, bit):
    return np.array([codes & bit > 0 for codes in split.codes])


def seeded(seed):
    return lambda choice: generator(seed, "opposed", choice)


@given(any_ratings(), st.integers(0, 5), st.integers(2, 5))
@pytest.mark.costly
def test_judgments_known_by_the_new_draw_train_and_test_and_all_of_the_fold_judge(
    ratings, threshold, folds
):
    split = split_with_anti_popular_familiarity(
        ratings, rng_for, relevant_from=threshold, folds=folds
    )
    known = with_anti_popular_familiarity(ratings, threshold, rng_for("familiarity")).known
    in_fold = uses(split, UNBIASED)
    assert (in_fold.sum(axis=0) == 1).all()
    assert (uses(split, TEST) == (in_fold & known)).all()
    assert (uses(split, TRAIN) == (~in_fold & known)).all()


@given(any_ratings(), st.integers(0, 5))
@pytest.mark.costly
def test_the_partition_of_the_judgments_does_not_depend_on_the_redraw(ratings, threshold):
    split = split_with_anti_popular_familiarity(ratings, rng_for, relevant_from=threshold, folds=3)
    plain = split_with_unbiased_test(ratings, rng_for, unbiased_rows="fold", folds=3)
    assert (uses(split, UNBIASED) == uses(plain, UNBIASED)).all()


def test_the_same_seed_gives_the_same_bytes_and_another_one_another_draw(tmp_path):
    ratings = skewed_ratings()
    for name, seed in (("first", 1), ("again", 1), ("other", 2)):
        split = split_with_anti_popular_familiarity(ratings, seeded(seed), relevant_from=4, folds=5)
        split.write(tmp_path / name)
    written = {name: (tmp_path / name).read_bytes() for name in ("first", "again", "other")}
    assert written["first"] == written["again"] != written["other"]
    first, other = (Split.read(tmp_path / name) for name in ("first", "other"))
    assert (uses(first, TRAIN | TEST).any(axis=0) != uses(other, TRAIN | TEST).any(axis=0)).any()


def test_facts_describe_the_draw_and_what_was_there_before():
    # Item 0 is liked and known to all, item 1 neither: they change sides.
    pairs = [(user, item) for user in range(5) for item in range(2)]
    values, known = ([5.0, 1.0] * 5, [True, False] * 5)
    ratings = ratings_of(pairs, 5, 2, known=known, values=values)
    split = split_with_anti_popular_familiarity(ratings, rng_for, relevant_from=4, folds=2)
    assert split.metadata == {
        "train_order": "least-liked-first",
        "relevant_from": 4,
        "known_before": 5,
        "never_known_before": 1,
        "relevant_share_of_known_before": 1.0,
        "known_relevant_correlation_before": pytest.approx(1),
        "known": 5,
        "never_known": 1,
        "relevant_share_of_known": 0.0,
        "known_relevant_correlation": pytest.approx(-1),
    }
    tested = fold(ratings, split, 0).test
    assert set(tested.items.tolist()) <= {1}
    assert set(tested.values.tolist()) <= {1.0}


def test_ratings_that_do_not_say_what_is_known_are_refused():
    with pytest.raises(ValueError, match="no column 'known'"):
        split_with_anti_popular_familiarity(
            ratings_of([(0, 0)], 1, 1), rng_for, relevant_from=4, folds=2
        )
