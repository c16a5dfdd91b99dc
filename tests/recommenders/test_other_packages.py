# SPDX-License-Identifier: MIT
"""Systems that implicit and scikit-learn train: equal to the packages themselves, and to ours."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import communities, generated_matrix
from scipy.sparse import csr_matrix
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from threadpoolctl import threadpool_limits

from receval.recommenders.base import Recommender
from receval.recommenders.implicit_systems import ImplicitALS, ImplicitBPR, ImplicitItemKNN
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.lda import LDA
from receval.recommenders.plsa import PLSA
from receval.recommenders.sklearn_systems import (
    SklearnElasticNet,
    SklearnNeighbours,
    SklearnSVD,
)
from receval.recommenders.sklearn_topics import SklearnLDA, SklearnNMF
from receval.recommenders.slim import SLIM
from receval.recommenders.wrmf import WRMF

with threadpool_limits(limits=1):
    # implicit warns once where BLAS has several threads.
    from implicit.cpu.als import AlternatingLeastSquares
    from implicit.cpu.bpr import BayesianPersonalizedRanking

USERS = np.arange(60)
SEED = 11

RATED = generated_matrix()
DENSE = RATED.toarray()
ENTRY = np.zeros(DENSE.shape, dtype=bool)
ENTRY[np.repeat(USERS, np.diff(RATED.indptr)), RATED.indices] = True
WARM = ENTRY.any(axis=1)


def scores_of(system: Recommender) -> NDArray[np.float32]:
    return system.fit(RATED).score(USERS)


# --- equal to the package called directly -----------------------------------------------------


@pytest.mark.parametrize("solver", ["conjugate-gradients", "cholesky"])
def test_als_is_that_of_implicit(solver: str) -> None:
    with threadpool_limits(limits=1):
        model = AlternatingLeastSquares(
            factors=3,
            regularization=0.1,
            iterations=4,
            use_cg=solver == "conjugate-gradients",
            num_threads=1,
            random_state=SEED,
        )
        model.fit(csr_matrix(np.where(ENTRY, 1 + 2 * DENSE, 0)), show_progress=False)
    own = scores_of(
        ImplicitALS(3, 2.0, 0.1, iterations=4, weights="rating", solver=solver, seed=SEED)
    )
    theirs = model.user_factors @ model.item_factors.T
    # The sum of a small score has the rounding of its large terms.
    np.testing.assert_allclose(own[WARM], theirs[WARM], rtol=1e-5, atol=1e-6)


def test_a_rating_of_0_counts_for_als_as_any_other_with_binary_weights() -> None:
    same = RATED.copy()
    same.data[:] = 3
    binary = ImplicitALS(3, seed=SEED)
    expected = ImplicitALS(3, seed=SEED).fit(same).score(USERS)
    np.testing.assert_array_equal(scores_of(binary), expected)


def test_bpr_is_that_of_implicit() -> None:
    with threadpool_limits(limits=1):
        model = BayesianPersonalizedRanking(
            factors=4,
            learning_rate=0.05,
            regularization=0.02,
            iterations=6,
            num_threads=1,
            random_state=SEED,
        )
        model.fit(csr_matrix(ENTRY.astype(np.float32)), show_progress=False)
        users, items = np.flatnonzero(WARM), np.arange(45)
        found, values = model.recommend(
            users, csr_matrix(ENTRY[users]), N=45, filter_already_liked_items=False
        )
    expected = np.empty((len(users), 45), dtype=np.float32)
    np.put_along_axis(expected, found, values, axis=1)
    own = scores_of(ImplicitBPR(4, 0.05, 0.02, 6, seed=SEED))
    np.testing.assert_allclose(own[WARM][:, items], expected, atol=1e-5)


@pytest.mark.costly
def test_nmf_is_that_of_scikit_learn() -> None:
    model = NMF(3, init="random", solver="mu", beta_loss=1, tol=0, max_iter=25, random_state=SEED)
    users = model.fit_transform(csr_matrix(DENSE))
    own = scores_of(SklearnNMF(3, 25, SEED))
    np.testing.assert_allclose(own[WARM], (users @ model.components_)[WARM], rtol=1e-4, atol=1e-6)


@pytest.mark.costly
def test_lda_is_that_of_scikit_learn() -> None:
    model = LatentDirichletAllocation(
        3,
        doc_topic_prior=0.3,
        topic_word_prior=0.2,
        max_iter=8,
        max_doc_update_iter=9,
        random_state=SEED,
    )
    users = model.fit_transform(csr_matrix(DENSE))
    expected = users @ (model.components_ / model.components_.sum(axis=1)[:, None])
    own = scores_of(SklearnLDA(3, 8, 0.3, 0.2, 9, SEED))
    np.testing.assert_allclose(own[WARM], expected[WARM], rtol=1e-4)


def test_svd_is_that_of_scikit_learn() -> None:
    model = TruncatedSVD(4, n_iter=2, random_state=SEED)
    expected = model.inverse_transform(model.fit_transform(csr_matrix(DENSE, dtype=np.float64)))
    own = scores_of(SklearnSVD(4, 2, SEED))
    np.testing.assert_allclose(own[WARM], expected[WARM], rtol=1e-4, atol=1e-4)


# --- equal to ours where the algorithm is the same --------------------------------------------


def test_user_knn_is_ours() -> None:
    # Of communities, so that no two cosines are equal by chance.
    train, _ = communities()
    train.data += np.random.default_rng(3).random(train.nnz, dtype=np.float32)
    users = np.arange(40)
    ours = UserKNN(9).fit(train).score(users)
    np.testing.assert_allclose(SklearnNeighbours(9).fit(train).score(users), ours, rtol=1e-5)


def test_item_knn_of_implicit_has_neighbours_of_rated_items_and_ours_of_targets() -> None:
    ratings = generated_matrix()
    ratings.data += np.random.default_rng(3).random(ratings.nnz, dtype=np.float32)
    ours = ItemKNN(7).fit(ratings)
    theirs = ImplicitItemKNN(7).fit(ratings)
    by_target = ours.similarities_.toarray()
    by_rated = theirs.similarities_.toarray()
    np.fill_diagonal(by_rated, 0)
    # Row j of ours has the items that have j among their neighbours; of theirs, j's neighbours.
    np.testing.assert_allclose(by_rated, by_target.T, atol=1e-6)
    assert not np.allclose(by_rated, by_target)


def test_slim_is_ours() -> None:
    ours = scores_of(SLIM(2.0, 8.0, 6, tolerance=1e-12))
    theirs = scores_of(SklearnElasticNet(2.0, 8.0, 6, tolerance=1e-9, sweeps=100_000))
    np.testing.assert_allclose(theirs[WARM], ours[WARM], atol=1e-4)


def squared_error(model: Recommender) -> float:
    users = np.nan_to_num(model.user_factors_.astype(np.float64))
    items = model.item_factors_.astype(np.float64)
    errors = (1 + 2 * ENTRY) * (ENTRY - users @ items) ** 2
    return float(errors.sum() + 0.1 * ((users**2).sum() + (items**2).sum()))


def log_likelihood(model: Recommender) -> float:
    scores = model.score(USERS).astype(np.float64)
    shares, counted = scores / scores.sum(axis=1, keepdims=True), DENSE > 0
    return float(DENSE[counted] @ np.log(shares[counted]))


@pytest.mark.costly
@pytest.mark.parametrize(
    ("objective", "ours", "theirs"),
    [
        (squared_error, WRMF(3, 2, 0.1, 300), ImplicitALS(3, 2, 0.1, 300)),
        (squared_error, WRMF(3, 2, 0.1, 300), ImplicitALS(3, 2, 0.1, 300, solver="cholesky")),
        (log_likelihood, PLSA(3, 200), SklearnNMF(3, 200)),
        (log_likelihood, LDA(3, 100, 0.3, 0.2), SklearnLDA(3, 30, 0.3, 0.2)),
    ],
)
def test_the_objective_of_ours_is_reached(
    objective: Callable[[Recommender], float], ours: Recommender, theirs: Recommender
) -> None:
    reached = pytest.approx(objective(ours.fit(RATED)), rel=0.01)
    assert objective(theirs.fit(RATED)) == reached


# --- without the packages ---------------------------------------------------------------------

SYSTEMS = [
    (ImplicitALS(2), "implicit"),
    (ImplicitBPR(2), "implicit"),
    (ImplicitItemKNN(2), "implicit"),
    (SklearnNMF(2), "scikit-learn"),
    (SklearnLDA(2), "scikit-learn"),
    (SklearnSVD(2), "scikit-learn"),
    (SklearnElasticNet(), "scikit-learn"),
    (SklearnNeighbours(2), "scikit-learn"),
]


@pytest.mark.each(("system", "package"), SYSTEMS)
def test_a_package_that_is_not_there_is_named(
    system: Recommender, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = {"implicit": "implicit", "scikit-learn": "sklearn"}[package]
    for module in [name for name in sys.modules if name.partition(".")[0] == top]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [_NotThere(top), *sys.meta_path])
    message = f"{type(system).__name__} is trained by the package {package}, which is not installed"
    with pytest.raises(ValueError, match=message):
        system.fit(RATED)


class _NotThere:
    """Finds no module of a package."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_more_factors_than_users_are_refused_too() -> None:
    fewer_users = RATED[:6]
    assert SklearnSVD(6).fit(fewer_users).item_factors_.shape == (6, 45)
    with pytest.raises(ValueError, match=r"factors is 7, .* 6 users and 45 items allows at most 6"):
        SklearnSVD(7).fit(fewer_users)
