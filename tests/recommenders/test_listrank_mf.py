"""ListRank-MF: its cross-entropy, the gradient, and the ratings of 0 that LibRec passes over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import generated, to_matrix
from recommenders.objectives import gradient

from receval.recommenders import listrank_mf
from receval.recommenders.listrank_mf import ListRankMF

Dense = NDArray[np.float64]


def sigmoid(x: Dense) -> Dense:
    return 1 / (1 + np.exp(-x))


def list_objective(values: Dense, rated: NDArray[np.bool_], p: Dense, q: Dense) -> float:
    strengths = np.exp(values / values.max()) * rated
    targets = strengths / np.maximum(strengths.sum(axis=1, keepdims=True), 1)
    firsts = np.exp(sigmoid(p @ q.T)) * rated
    firsts /= np.where(rated.any(axis=1), firsts.sum(axis=1), 1)[:, None]
    return float(-(targets[rated] * np.log(firsts[rated])).sum())


def test_listrank_slopes_are_the_gradient_of_the_cross_entropy() -> None:
    values, rated = generated(7, 9, seed=3)
    train = to_matrix(values, rated)
    start = np.random.default_rng(2).standard_normal(7 * 3 + 9 * 3)

    def objective(flat: Dense) -> float:
        return list_objective(values, rated, flat[:21].reshape(7, 3), flat[21:].reshape(9, 3))

    model = ListRankMF()
    model.n_users_ = 7
    targets, counted = model._targets(train), np.ones(train.nnz, dtype=bool)
    ratings = (train.indptr, train.indices, targets, counted)
    p, q = start[:21].reshape(7, 3), start[21:].reshape(9, 3)
    assert listrank_mf._cross_entropy(*ratings, p, q) == pytest.approx(objective(start))
    slopes = np.zeros((7, 3)), np.zeros((9, 3))
    listrank_mf._add_slopes(*ratings, p, q, *slopes)
    found = np.concatenate([side.ravel() for side in slopes])
    np.testing.assert_allclose(found, gradient(objective, start), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("zeros", ["rated", "skipped"])
def test_listrank_objective_is_that_of_the_factors(zeros: str) -> None:
    values, rated = generated()
    model = ListRankMF(factors=4, zeros=zeros, iterations=60, seed=2).fit(to_matrix(values, rated))
    users = np.nan_to_num(model.user_factors_).astype(float)
    items = model.item_factors_.T.astype(float)
    expected = 0.03 * ((users**2).sum() + (items**2).sum())
    if zeros == "rated":
        expected += list_objective(values, rated, users, items)
        assert model.objective_[-1] == pytest.approx(expected, rel=1e-6)
    else:
        assert model.objective_[-1] < expected + list_objective(values, rated, users, items)


def test_listrank_passes_over_zeros_but_keeps_them_in_the_list() -> None:
    values = np.array([[2.0, 0.0, 1.0]])
    train = to_matrix(values, np.ones((1, 3), dtype=bool))
    p, q = np.array([[0.5, -1.0]]), np.array([[1.0, 0.2], [0.3, 0.4], [-0.6, 0.9]])
    model = ListRankMF(zeros="skipped")
    model.n_users_ = 1
    ratings = (train.indptr, train.indices, model._targets(train), train.data != 0)
    g = sigmoid(p @ q.T)[0]
    firsts, targets = np.exp(g) / np.exp(g).sum(), np.exp(values[0] / 2) / np.exp(values / 2).sum()
    kept = [0, 2]
    expected = -(targets[kept] * np.log(firsts[kept])).sum()
    assert listrank_mf._cross_entropy(*ratings, p, q) == pytest.approx(expected)
    slopes = np.zeros((1, 2)), np.zeros((3, 2))
    listrank_mf._add_slopes(*ratings, p, q, *slopes)
    errors = (firsts - targets) * g * (1 - g)
    errors[1] = 0
    np.testing.assert_allclose(slopes[0], errors[None] @ q)
    np.testing.assert_allclose(slopes[1], errors[:, None] * p)


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("factors", 0, "of at least 1"),
        ("regularisation", -1, "of at least 0"),
        ("learning_rate", 0, "above 0"),
        ("iterations", 0, "of at least 1"),
        ("zeros", "kept", "'rated', 'skipped'"),
    ],
)
def test_bad_parameters_are_refused_with_their_range(
    name: str, value: object, accepted: str
) -> None:
    with pytest.raises(ValueError, match=f"ListRankMF: the parameter {name} is .*{accepted}"):
        ListRankMF(**{name: value})  # type: ignore[arg-type]
