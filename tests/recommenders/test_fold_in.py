# SPDX-License-Identifier: MIT
"""New users are scored by their ratings, from which nothing is learnt."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD

from receval.recommenders import neighbourhood
from receval.recommenders.adapters.sklearn_estimators import of_sklearn
from receval.recommenders.base import Recommender
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.neighbourhood import nearest_of_others, nearest_rows
from receval.recommenders.non_personalised import AverageRating, Popularity, Random
from receval.recommenders.puresvd import PureSVD
from receval.recommenders.slim import SLIM
from receval.recommenders.wrmf import WRMF

NEW = 7
"""The user who is not in the training data."""


def of_users(ratings: np.ndarray, users: list[int]) -> csr_array:
    own = np.zeros_like(ratings)
    own[users] = ratings[users]
    return csr_array(own)


@pytest.fixture(scope="module")
def ratings() -> np.ndarray:
    rng = np.random.default_rng(3)
    shown = rng.random((30, 18)) < 0.4
    return np.where(shown, rng.integers(1, 6, shown.shape), 0).astype(np.float32)


@pytest.fixture(scope="module")
def train(ratings: np.ndarray) -> csr_array:
    return of_users(ratings, [user for user in range(len(ratings)) if user != NEW])


@pytest.mark.each(
    "system",
    [UserKNN(neighbours=5), UserKNN(neighbours=4, minimum_overlap=3), UserKNN(5, threshold=4)],
    ids=lambda own: type(own).__name__,
)
def test_the_neighbours_of_one_new_user_are_those_that_training_on_the_user_would_find(
    system: UserKNN, ratings: np.ndarray, train: csr_array
) -> None:
    folded = system.fit(train).fold_in(of_users(ratings, [NEW])).score(np.array([NEW]))
    known = type(system)(**system.parameters).fit(csr_array(ratings)).score(np.array([NEW]))
    assert np.isfinite(known).any()
    np.testing.assert_array_equal(folded, known)


def test_new_users_are_no_neighbours_of_each_other(ratings: np.ndarray) -> None:
    twins = np.array(ratings)
    twins[8] = twins[NEW]
    train = of_users(twins, [user for user in range(len(twins)) if user not in (NEW, 8)])
    system = UserKNN(neighbours=3).fit(train).fold_in(of_users(twins, [NEW, 8]))
    assert not set(system.similarities_[[NEW, 8]].indices.tolist()) & {NEW, 8}
    alone = UserKNN(neighbours=3).fit(train).fold_in(of_users(twins, [NEW]))
    np.testing.assert_array_equal(system.score(np.array([NEW])), alone.score(np.array([NEW])))


@pytest.mark.parametrize("overlap", [1, 3])
def test_nearest_rows_of_the_matrix_itself_are_those_of_the_kernel_but_for_the_row(
    overlap: int, ratings: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = csr_array(ratings)
    for block in (1, 2, 3, len(ratings) - 1, len(ratings)):
        monkeypatch.setattr(neighbourhood, "OTHERS_BLOCK", block)
        others = nearest_of_others(matrix, matrix, 6, overlap).toarray()
        np.fill_diagonal(others, 0)
        np.testing.assert_array_equal(others, nearest_rows(matrix, 5, overlap).toarray())
    rest = csr_array(ratings * (np.arange(18) > 0))
    assert not nearest_of_others(csr_array(np.eye(1, 18)), rest, 6, overlap).nnz


def test_item_models_weight_the_ratings_of_a_new_user(
    ratings: np.ndarray, train: csr_array
) -> None:
    own = of_users(ratings, [NEW])
    items = ItemKNN(neighbours=6).fit(train)
    expected = own[[NEW]].toarray() @ items.similarities_.toarray()
    scores = items.fold_in(own).score(np.array([NEW]))
    np.testing.assert_allclose(np.nan_to_num(scores), expected, rtol=1e-6)
    linear = SLIM(l1=0.1, l2=1.0).fit(train)
    expected = own[[NEW]].toarray() @ linear.weights_.toarray()
    np.testing.assert_allclose(linear.fold_in(own).score(np.array([NEW])), expected, rtol=1e-5)
    svd = PureSVD(factors=4).fit(train)
    vectors = svd.item_factors_.astype(np.float64)
    expected = own[[NEW]].toarray() @ vectors.T @ vectors
    np.testing.assert_allclose(svd.fold_in(own).score(np.array([NEW])), expected, rtol=1e-4)


def test_a_decomposition_transforms_the_ratings_of_a_new_user(
    ratings: np.ndarray, train: csr_array
) -> None:
    system = of_sklearn(TruncatedSVD(n_components=3, random_state=1)).fit(train)
    estimator = system.estimator_
    row = ratings[[NEW]]
    expected = estimator.inverse_transform(estimator.transform(csr_array(row)))
    own = of_users(ratings, [NEW])
    np.testing.assert_allclose(system.fold_in(own).score(np.array([NEW])), expected, rtol=1e-5)


@pytest.mark.each(
    "system",
    [Popularity(), AverageRating(), Random(), ItemKNN(), UserKNN(), SLIM(), PureSVD(factors=3)],
    ids=lambda own: type(own).__name__,
)
def test_users_with_training_ratings_keep_their_scores(
    system: Recommender, ratings: np.ndarray, train: csr_array
) -> None:
    others = np.array([user for user in range(len(ratings)) if user != NEW])
    before = system.fit(train).score(others)
    assert system.can_fold_in
    np.testing.assert_array_equal(system.fold_in(of_users(ratings, [NEW])).score(others), before)


@pytest.mark.each(
    "system", [UserKNN(), ItemKNN(), SLIM(), PureSVD(factors=3)], ids=lambda own: type(own).__name__
)
def test_a_user_with_training_ratings_cannot_be_folded_in(
    system: Recommender, ratings: np.ndarray, train: csr_array
) -> None:
    # In the second matrix no user has a neighbour.
    for known in (train, csr_array(np.eye(30, 18, dtype=np.float32))):
        with pytest.raises(ValueError, match="The user in row 3 has training ratings"):
            system.fit(known).fold_in(of_users(ratings, [3]))


def test_what_cannot_fold_in_says_so(ratings: np.ndarray, train: csr_array) -> None:
    own = of_users(ratings, [NEW])
    with pytest.raises(ValueError, match="WRMF cannot recommend to users who were not"):
        WRMF(factors=2).fit(train).fold_in(own)
    with pytest.raises(ValueError, match="call fit before fold_in"):
        ItemKNN().fold_in(own)
    with pytest.raises(ValueError, match="must have the same users and items"):
        ItemKNN().fit(train).fold_in(own[:5])
    with pytest.raises(ValueError, match="fitted for some users only"):
        UserKNN().fit(train, users=range(3)).fold_in(own)
