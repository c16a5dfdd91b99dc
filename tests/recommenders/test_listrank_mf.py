"""ListRank-MF: its cross-entropy, the gradient, and the ratings of 0 that LibRec passes over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import generated, to_matrix
from recommenders.objectives import gradient
from recommenders.systems import pcg

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


def test_listrank_steps_along_the_gradient_of_its_objective() -> None:
    values, rated = generated(7, 9, seed=3)
    start = 0.1 * pcg(2).random(7 * 3 + 9 * 3)
    start[:21].reshape(7, 3)[~rated.any(axis=1)] = 0
    start[21:].reshape(9, 3)[~rated.any(axis=0)] = 0

    def objective(flat: Dense) -> float:
        p, q = flat[:21].reshape(7, 3), flat[21:].reshape(9, 3)
        return list_objective(values, rated, p, q) + 0.4 / 2 * float(flat @ flat)

    # The first step is twice the rate, unless it is too long.
    model = ListRankMF(3, regularisation=0.4, learning_rate=0.5, iterations=1, seed=2)
    model.fit(to_matrix(values, rated))
    end = start - 2 * 0.5 * gradient(objective, start)
    sides = model.user_factors_, model.item_factors_.T
    found = np.concatenate([np.nan_to_num(side).ravel() for side in sides])
    np.testing.assert_allclose(found, end, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(model.objective_, [objective(start), objective(end)], rtol=1e-8)


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
    model = ListRankMF(2, 0.0, learning_rate=0.5, iterations=1, zeros="skipped", seed=4)
    model.fit(to_matrix(values, np.ones((1, 3), dtype=bool)))
    generator = pcg(4)
    p, q = 0.1 * generator.random((1, 2)), 0.1 * generator.random((3, 2))
    g = sigmoid(p @ q.T)[0]
    firsts, targets = np.exp(g) / np.exp(g).sum(), np.exp(values[0] / 2) / np.exp(values / 2).sum()
    kept = [0, 2]
    expected = -(targets[kept] * np.log(firsts[kept])).sum()
    assert model.objective_[0] == pytest.approx(expected)
    errors = (firsts - targets) * g * (1 - g)
    errors[1] = 0
    np.testing.assert_allclose(model.user_factors_, p - errors[None] @ q, rtol=1e-6)
    np.testing.assert_allclose(model.item_factors_.T, q - errors[:, None] * p, rtol=1e-6)


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
