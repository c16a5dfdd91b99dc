# SPDX-License-Identifier: MIT
"""What a person is told of systems, users and candidates that numbers alone would not show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from receval.data.ratings_table import read_ratings
from receval.evaluation.lexicographic_pairs import compare_by_lexirecall
from receval.evaluation.systems import evaluate_systems
from receval.multiverse.explore_ratings import explore_ratings
from receval.notes import Note
from receval.recommenders.base import Recommender
from receval.recommenders.bprmf import BPRMF
from receval.recommenders.non_personalised import AverageRating, Popularity, Random
from receval.recommenders.training_ratings import LEARN_FROM_NEGATIVES, clicked_training
from receval.recommenders.wrmf import WRMF
from receval.splits.split_ratings import SplitRatings, split

EVALUATORS = [
    lambda data, systems: evaluate_systems(data, systems),
    lambda data, systems: compare_by_lexirecall(data, {**systems, "Pop": Popularity()}),
]


def whole_table(
    users: int = 10, items: int = 12, values: Any = 1.0, folds: int = 1
) -> SplitRatings:
    own, rated = np.divmod(np.arange(users * items), items)
    table = {"user": own, "item": rated, "rating": np.resize(values, users * items)}
    return split(read_ratings(table), "user-ratio", train_ratio=0.5, folds=folds)


def told(notes: tuple[Note, ...], code: str) -> list[str]:
    return [str(note) for note in notes if note.code == code]


# Users and their test ratings


@pytest.mark.parametrize(
    ("profiles", "code", "told"),
    [
        (
            [20] * 6 + [4] * 50,
            "users-left-out",
            "6 of 56 users are averaged under AR AI-AN: 50 have no test rating, because the split "
            "held out none of their ratings (they have at most 4 each).",
        ),
        # Averages over less than a tenth of the users are doubtful.
        (
            [20] + [1] * 19,
            "few-users",
            "1 of 20 users are averaged under AR AI-AN: 19 have no test rating, because the split "
            "held out none of their ratings (they have at most 1 each).",
        ),
    ],
)
def test_users_without_test_ratings_are_counted_with_the_reason(
    profiles: list[int], code: str, told: str
) -> None:
    users = np.repeat(np.arange(len(profiles)), profiles)
    items = np.concatenate([np.arange(own) for own in profiles])
    data = split(read_ratings({"user": users, "item": items}), "user-ratio", train_ratio=0.8)
    notes = evaluate_systems(data, {"Pop": Popularity()}).notes
    assert [str(note) for note in notes if note.code == code] == [told]


def test_users_whom_a_selection_removes_are_told_as_such() -> None:
    users = np.repeat(np.arange(8), profiles := [8] * 4 + [1] + [2] * 3)
    table = {"user": users, "item": np.concatenate([np.arange(own) for own in profiles])}
    options = {"selection": {"min_user_ratings": 2}, "unselected_items": "candidates"}
    data = split(read_ratings(table), "user-ratio", train_ratio=0.8, **options)
    notes = evaluate_systems(data, {"Pop": Popularity()}).notes
    assert told(notes, "users-left-out") == [
        "4 of 8 users are averaged under AR AI-AN: 3 have no test rating, because the split held "
        "out none of their ratings (they have at most 2 each) and 1 has no rating that the "
        "selection keeps."
    ]
    assert told(notes, "selection")[0].startswith("The selection keeps 38 of 39 ratings, 7 of 8 us")


def test_each_protocol_has_the_number_of_its_own_users() -> None:
    data = whole_table(values=[1, 2, 3, 4, 5, 1, 2, 1, 2, 1, 2])
    protocols = ["AR AI-AN", "1R TI-NN sampled=3"]
    result = evaluate_systems(data, {"Pop": Popularity()}, protocols=protocols, relevant=5)
    users = {name: own.n_users for name, own in result.values.items()}
    assert users["1R TI-NN sampled=3"] < users["AR AI-AN"] == 10
    (note,) = told(result.notes, "users-left-out")
    left = 10 - users["1R TI-NN sampled=3"]
    assert note.startswith(
        f"{10 - left} of 10 users are averaged under 1R TI-NN sampled=3: {left} "
    )


def test_nothing_is_told_where_all_users_are_averaged() -> None:
    assert evaluate_systems(whole_table(), {"Pop": Popularity()}).notes == ()


@pytest.mark.parametrize(
    ("kind", "parameters"), [("k-fold", {"folds": 5}), ("user-ratio", {"train_ratio": 0.8})]
)
def test_a_fold_without_ratings_is_refused_by_its_number(
    kind: str, parameters: dict[str, Any]
) -> None:
    ratings = read_ratings({"user": list("ab"), "item": list("xy")})
    with pytest.raises(
        ValueError,
        match=r"(Fold \d of \d of the|The) split .* has no (training|test) rating: there",
    ):
        split(ratings, kind, **parameters)


# Candidates


@pytest.mark.each(
    ("protocol", "fewest"),
    [("1R TI-NN sampled=99", 0), ("AR TI-NN sampled=99", 0), ("1R TI-NN sampled=5", None)],
)
def test_fewer_candidates_than_a_protocol_samples_are_told(
    protocol: str, fewest: int | None
) -> None:
    # Each user tests half of the 12 items, and has trained on the other half.
    data = whole_table(values=[5, 1, 4, 2, 3])
    result = evaluate_systems(data, {"Pop": Popularity()}, protocols=protocol, relevant=3)
    by_hand = []
    (fold,) = data.folds()
    for user in range(10):
        own = slice(*fold.test.indptr[user : user + 2])
        if (fold.test.values[own] >= 3).any():
            by_hand.append(6 - int((fold.test.values[own] >= 3).sum()))
    asked = int(protocol.rpartition("=")[2])
    short = sum(own < asked for own in by_hand)
    (note,) = told(result.notes, "fewer-candidates")
    assert f"{short} of {len(by_hand)} users have fewer than {asked} items" in note
    assert f"the fewest: {min(by_hand)}" in note


@pytest.mark.each("of", ["1R TI-NN", "AR train-NN", "AR AI-NN head_removed=0.3"])
def test_enough_candidates_are_not_told(of: str) -> None:
    # The last items have one rating each, so that those that are tested train nobody.
    table = {"user": np.repeat(range(8), 4), "item": [*[0, 1, 2, 3] * 4, *range(4, 20)]}
    data = split(read_ratings({**table, "rating": [5, 1] * 16}), "user-ratio", train_ratio=0.5)
    systems = {"Pop": Popularity()}
    result = evaluate_systems(data, systems, protocols=f"{of} sampled=1", relevant=5)
    assert told(result.notes, "fewer-candidates") == []


# Scores


class Scores:
    """A system that scores all items alike, but for some users."""

    def __init__(self, value: float, users: range) -> None:
        self._value, self._users = value, users

    def score(self, users: np.ndarray) -> np.ndarray:
        scores = np.tile(np.arange(12, dtype=np.float32), (len(users), 1))
        scores[np.isin(users, self._users)] = self._value
        return scores


@pytest.mark.each("evaluator", EVALUATORS)
@pytest.mark.each("value", [np.nan, np.inf, -np.inf])
def test_a_system_that_orders_nothing_is_refused_by_its_name(evaluator: Any, value: float) -> None:
    with pytest.raises(ValueError, match=r"^mine has .* for all 10 tested users: it diverged"):
        evaluator(whole_table(), {"mine": Scores(value, range(10))})
    with pytest.raises(ValueError, match=r"tested users of fold 1 of 2: it diverged"):
        evaluator(whole_table(folds=2), {"mine": Scores(value, range(10))})


@pytest.mark.parametrize(
    ("value", "what"), [(np.nan, "no finite score"), (np.inf, "infinite scores")]
)
def test_users_without_an_order_by_scores_are_counted(value: float, what: str) -> None:
    system = {"mine": Scores(value, range(3))}
    for folds, n, ending in ((1, 3, "."), (2, 6, ", summed over 2 folds.")):
        notes = evaluate_systems(whole_table(folds=folds), system).notes
        assert f"mine has {what} for {n} of the users for whom it ranks items{ending}" in told(
            notes, "users-without-scores"
        )


@pytest.mark.parametrize("missing", [np.nan, -np.inf])
@pytest.mark.parametrize(
    "protocol", ["1R TI-NN sampled=3", "AR TI-NN sampled=3", "P1R TI-AN percentiles=2"]
)
def test_arrays_without_the_scores_of_items_in_parts_are_refused(
    protocol: str, missing: float
) -> None:
    scores = np.random.default_rng(1).random((10, 12))
    data = whole_table()
    (fold,) = data.folds()
    scores[fold.train.nonzero()] = np.nan
    evaluate_systems(data, {"whole": scores}, protocols=protocol)
    scores[4, fold.test.items[fold.test.indptr[4]]] = missing
    with pytest.raises(
        ValueError, match=r"'cut' has no scores for some items .* 1 item of the user in row 4"
    ):
        evaluate_systems(data, {"cut": scores}, protocols=protocol)
    assert evaluate_systems(data, {"cut": scores}, protocols="AR AI-AN").values


# Clicks


def shown() -> SplitRatings:
    """Return clicks of 40 users, where item 0 is shown to all and clicked by none."""
    rng = np.random.default_rng(3)
    users, items = np.divmod(np.arange(40 * 8), 8)
    return split(
        read_ratings(
            {"user": users, "item": items, "click": (items > 0) & rng.integers(0, 2, 320)}
        ),
        "user-ratio",
        train_ratio=0.5,
    )


def test_what_was_shown_and_not_clicked_trains_no_system_that_takes_pairs_as_positive() -> None:
    data = shown()
    systems = {"Pop": Popularity(), "WRMF": WRMF(factors=2, seed=1), "Average": AverageRating()}
    (note,) = told(evaluate_systems(data, systems).notes, "shown-not-clicked")
    assert "are 0, which is taken to mean that the item was shown but not liked" in note
    assert "For Pop, WRMF, every training pair is positive" in note
    (fold,) = data.folds()
    clicks = fold.train.copy()
    clicks.eliminate_zeros()
    assert clicks.nnz < fold.train.nnz
    for system in (Popularity(), WRMF(factors=2, seed=1), BPRMF(factors=2, seed=1)):
        expected = type(system)(**system.parameters).fit(clicks).score(np.arange(40))
        given = system.fit(clicked_training(system, fold.train)).score(np.arange(40))
        np.testing.assert_array_equal(given, expected)


def test_items_that_were_shown_are_no_candidates_though_they_do_not_train() -> None:
    data = shown()
    (fold,) = data.folds()
    result = evaluate_systems(data, {"Pop": Popularity()}, metrics="P@8", relevant=1)
    relevant = np.bincount(
        np.repeat(np.arange(40), np.diff(fold.test.indptr)), fold.test.values, minlength=40
    )
    # All that is left of 8 items is in the list, and so are all that are relevant.
    own = result.per_user()
    np.testing.assert_allclose(
        own["P@8"], relevant[np.searchsorted(data.ratings.user_ids, own["user"])] / 8
    )


@pytest.mark.each("values", [[1.0, 2.0], [1.0], [0.0, 1.0, 5.0], [-1.0, 0.0]])
def test_other_values_than_two_kinds_train_as_they_are(values: list[float]) -> None:
    train = csr_array((np.resize(values, 6), (np.arange(6), np.arange(6))), shape=(6, 6))
    assert clicked_training(Popularity(), train) is train


def test_dislikes_of_minus_one_train_like_items_that_were_not_clicked() -> None:
    train = csr_array((np.array([1.0, -1.0]), ([0, 0], [0, 1])), shape=(1, 2))
    assert clicked_training(Popularity(), train).toarray().tolist() == [[1, 0]]


def test_systems_that_learn_from_low_values_are_classes_of_ours() -> None:
    def all_of(own: type) -> set[str]:
        return {own.__name__}.union(*(all_of(one) for one in own.__subclasses__()))

    import receval.recommenders.biased_mf
    import receval.recommenders.centred_item_neighbourhood
    import receval.recommenders.centred_neighbourhood
    import receval.recommenders.listrank_mf
    import receval.recommenders.svdpp  # noqa: F401

    assert all_of(Recommender).issuperset(LEARN_FROM_NEGATIVES)


def test_a_recommender_of_somebody_else_gets_all_pairs_and_is_named() -> None:
    class Own:
        def fit(self, train: csr_array) -> Own:
            self.n_pairs = train.nnz
            return self

        def score(self, users: np.ndarray) -> np.ndarray:
            return np.tile(np.arange(8, dtype=np.float32), (len(users), 1))

    own, data = Own(), shown()
    (note,) = told(evaluate_systems(data, {"own": own}).notes, "shown-not-clicked")
    assert note.endswith(
        "They are in the training data of own. Check whether they count as positive there."
    )
    assert own.n_pairs == next(data.folds()).train.nnz


@pytest.mark.costly
def test_a_multiverse_of_clicks_tells_of_them_too() -> None:
    systems = {"Pop": lambda seed: Popularity(), "Random": Random}
    notes = explore_ratings(shown().ratings, systems, grid="quick").notes
    assert len(told(notes, "shown-not-clicked")) == 1
