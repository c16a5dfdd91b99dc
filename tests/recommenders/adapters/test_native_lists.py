# SPDX-License-Identifier: MIT
"""Adapted recommenders list what their own libraries recommend."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from receval.data.ratings_table import read_ratings
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.adapters.adapt import adapt
from receval.recommenders.adapters.implicit_models import of_implicit
from receval.recommenders.adapters.lenskit_pipelines import of_lenskit
from receval.splits.split_ratings import split

N_USERS, N_ITEMS, LISTED = 30, 25, 6


def is_missing(name: str) -> bool:
    return importlib.util.find_spec(name) is None


needs_implicit = pytest.mark.skipif(
    is_missing("implicit"), reason="implicit is not installed: the extra workflow has it"
)
needs_sklearn = pytest.mark.skipif(
    is_missing("sklearn"), reason="scikit-learn is not installed: the extra workflow has it"
)
needs_lenskit = pytest.mark.skipif(
    is_missing("lenskit"),
    reason="LensKit is not installed: pip install lenskit brings PyTorch, too large for all",
)


def drawn_ratings(seed: int = 3) -> csr_array:
    rng = np.random.default_rng(seed)
    rated = rng.random((N_USERS, N_ITEMS)) < 0.25
    rated[:, 0] = True
    return csr_array((rated * rng.integers(1, 6, rated.shape)).astype(np.float32))


TRAIN = drawn_ratings()


def best(scores: np.ndarray, user: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the items that the user has not rated by falling score, with their scores."""
    own = np.where(np.isnan(scores), -np.inf, scores)
    own[TRAIN[[user]].indices] = -np.inf
    order = np.argsort(-own, kind="stable")
    order = order[np.isfinite(own[order])][:LISTED]
    return order, own[order]


def implicit_models() -> list[tuple[str, Callable[[], Any]]]:
    def made(module: str, name: str, **parameters: Any) -> Callable[[], Any]:
        return lambda: getattr(importlib.import_module(f"implicit.{module}"), name)(**parameters)

    return [
        ("ALS", made("cpu.als", "AlternatingLeastSquares", factors=4, random_state=1)),
        ("BPR", made("cpu.bpr", "BayesianPersonalizedRanking", factors=4, random_state=1)),
        ("LMF", made("cpu.lmf", "LogisticMatrixFactorization", factors=4, random_state=1)),
        ("cosine", made("nearest_neighbours", "CosineRecommender", K=5)),
        ("item-item", made("nearest_neighbours", "ItemItemRecommender", K=5)),
        ("BM25", made("nearest_neighbours", "BM25Recommender", K=5)),
    ]


@needs_implicit
@pytest.mark.parametrize(("name", "make"), implicit_models())
def test_lists_are_those_of_implicit(name: str, make: Callable[[], Any]) -> None:
    adapted = adapt(make()).fit(TRAIN)
    users = np.arange(N_USERS)
    scores = adapted.score(users)
    assert scores.dtype == np.float32
    assert scores.shape == TRAIN.shape
    items, values = adapted.model_.recommend(users, csr_matrix(TRAIN), N=LISTED)
    lengths = []
    for user in users:
        ours, own = best(scores[user], user)
        n = len(ours)
        lengths.append(n)
        np.testing.assert_allclose(values[user, :n], own, rtol=1e-5)
        # Equal scores may stand in any order.
        np.testing.assert_allclose(scores[user, items[user, :n]], own, rtol=1e-5)
        # implicit fills lists that end early with the user's own items, at 0, and with -1.
        assert set(items[user, n:].tolist()) <= {-1, *TRAIN[[user]].indices.tolist()}
    assert max(lengths) == LISTED
    np.testing.assert_array_equal(adapt(make()).fit(TRAIN).score(users), scores)


@needs_implicit
def test_a_fold_learns_nothing_of_another() -> None:
    model = implicit_models()[0][1]()
    adapted = of_implicit(model)
    adapted.fit(drawn_ratings(seed=4))
    again = adapted.fit(TRAIN).score(np.arange(N_USERS))
    assert model.user_factors is None
    np.testing.assert_array_equal(of_implicit(model).fit(TRAIN).score(np.arange(N_USERS)), again)
    model.fit(csr_matrix(TRAIN), show_progress=False)
    with pytest.raises(ValueError, match="is already trained, perhaps on test ratings"):
        adapt(model)


@needs_sklearn
@pytest.mark.each("name", ["TruncatedSVD", "NMF", "PCA"])
def test_a_decomposition_scores_what_it_rebuilds(name: str) -> None:
    decomposition = importlib.import_module("sklearn.decomposition")
    estimator = getattr(decomposition, name)(n_components=3, random_state=1)
    if name == "NMF":
        estimator.set_params(max_iter=2000)
    users = np.array([4, 0, 4])
    scores = adapt(estimator).fit(TRAIN).score(users)
    shares = estimator.fit(csr_matrix(TRAIN)).transform(csr_matrix(TRAIN))
    whole = estimator.inverse_transform(shares)
    np.testing.assert_allclose(scores, whole[users], rtol=2e-3, atol=2e-4)


@pytest.mark.costly
@needs_sklearn
def test_topics_score_the_probability_of_an_item() -> None:
    decomposition = importlib.import_module("sklearn.decomposition")
    model = decomposition.LatentDirichletAllocation(n_components=3, random_state=1)
    scores = adapt(model).fit(TRAIN).score(np.arange(N_USERS))
    assert (scores > 0).all()
    np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-5)


@needs_sklearn
def test_a_pipeline_of_sklearn_gives_what_its_steps_give_back() -> None:
    pipeline = importlib.import_module("sklearn.pipeline")
    preprocessing = importlib.import_module("sklearn.preprocessing")
    decomposition = importlib.import_module("sklearn.decomposition")
    svd = decomposition.TruncatedSVD(n_components=3, random_state=1)
    made = pipeline.make_pipeline(preprocessing.MaxAbsScaler(copy=False), svd)
    scores = adapt(made).fit(TRAIN).score(np.arange(N_USERS))
    assert TRAIN.max() == 5
    made = pipeline.make_pipeline(preprocessing.MaxAbsScaler(), svd).fit(csr_matrix(TRAIN))
    whole = made.inverse_transform(made.transform(csr_matrix(TRAIN)))
    np.testing.assert_allclose(scores, whole, rtol=1e-4, atol=1e-5)


@needs_sklearn
def test_users_without_ratings_have_no_scores_of_a_decomposition() -> None:
    decomposition = importlib.import_module("sklearn.decomposition")
    train = TRAIN.tolil()
    train[7] = 0
    scores = adapt(decomposition.TruncatedSVD(n_components=3, random_state=1)).fit(csr_array(train))
    rows = scores.score(np.array([7, 8]))
    assert np.isnan(rows[0]).all()
    assert np.isfinite(rows[1]).all()
    assert np.isnan(scores.score(np.array([7]))).all()


@needs_sklearn
@pytest.mark.each(
    ("module", "name", "reason"),
    [
        ("linear_model", "Ridge", "features of a pair of user and item"),
        ("ensemble", "RandomForestClassifier", "features of a pair of user and item"),
        ("preprocessing", "StandardScaler", "returns the users' own ratings"),
        ("neighbors", "NearestNeighbors", "UserKNN or ItemKNN of receval"),
        ("cluster", "KMeans", "does not score items"),
        ("decomposition", "FactorAnalysis", "does not score items"),
    ],
)
def test_estimators_that_make_no_recommender_are_refused(
    module: str, name: str, reason: str
) -> None:
    estimator = getattr(importlib.import_module(f"sklearn.{module}"), name)()
    with pytest.raises(ValueError, match=reason):
        adapt(estimator)


@needs_lenskit
@pytest.mark.each("name", ["knn.ItemKNNScorer", "als.ImplicitMFScorer", "basic.PopScorer"])
def test_lists_are_those_of_lenskit(name: str) -> None:
    package, _, scorer = name.partition(".")
    made = getattr(importlib.import_module(f"lenskit.{package}"), scorer)
    parameters = {"embedding_size": 4} if "MF" in scorer else {}
    adapted = adapt(made(**parameters)).fit(TRAIN)
    users = np.arange(N_USERS)
    scores = adapted.score(users)
    recommend = importlib.import_module("lenskit").recommend
    for user in users.tolist():
        listed = recommend(adapted.pipeline_, user, LISTED)
        _, own = best(scores[user], user)
        np.testing.assert_allclose(listed.scores(), own, rtol=1e-5)
        np.testing.assert_allclose(scores[user, listed.ids()], own, rtol=1e-5)
    np.testing.assert_array_equal(adapt(made(**parameters)).fit(TRAIN).score(users), scores)


@needs_lenskit
def test_a_node_that_a_pipeline_has_not_is_refused() -> None:
    scorer = importlib.import_module("lenskit.basic").PopScorer()
    with pytest.raises(ValueError, match="no node 'rating-predictor'"):
        of_lenskit(scorer, component="rating-predictor")


@pytest.mark.costly
@needs_implicit
@needs_sklearn
def test_evaluation_takes_objects_of_other_libraries_as_they_are() -> None:
    users, items = TRAIN.nonzero()
    table = {"user": users, "item": items, "rating": TRAIN[users, items]}
    data = split(read_ratings(table), "k-fold", folds=3, seed=1)
    made = importlib.import_module("implicit.cpu.als").AlternatingLeastSquares
    svd = importlib.import_module("sklearn.decomposition").TruncatedSVD
    result = evaluate_systems(
        data,
        {
            "ALS": made(factors=4, random_state=1),
            "SVD": svd(n_components=3, random_state=1),
            "array": np.zeros((data.ratings.n_users, data.ratings.n_items)),
        },
        metrics=["P@5"],
        relevant=1,
    )
    values = result.summary()
    assert list(values["system"]) == ["ALS", "SVD", "array"]
    assert (values["users"] == N_USERS).all()
