# SPDX-License-Identifier: MIT
"""ListRank-MF: its cross-entropy, the gradient, and the ratings that LibRec passes over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import generated, to_matrix
from recommenders.objectives import gradient
from recommenders.systems import pcg

from receval.recommenders.librec.iterators import read_by_column_iterator, read_by_row
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


def test_listrank_objective_is_that_of_the_factors() -> None:
    values, rated = generated()
    model = ListRankMF(factors=4, iterations=60, seed=2).fit(to_matrix(values, rated))
    users = np.nan_to_num(model.user_factors_).astype(float)
    items = model.item_factors_.T.astype(float)
    expected = 0.03 * ((users**2).sum() + (items**2).sum())
    expected += list_objective(values, rated, users, items)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("highest", [0.1, 1.0])
def test_listrank_passes_over_ratings_but_keeps_them_in_the_list(highest: float) -> None:
    values = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 2.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    model = ListRankMF(
        2, 0.0, learning_rate=0.5, iterations=1, zeros="misread", highest=highest, seed=4
    )
    train = to_matrix(values, np.ones(values.shape, dtype=bool))
    model.fit(train)
    in_gradient = read_by_row(train).reshape(values.shape)
    in_objective = read_by_column_iterator(train).reshape(values.shape)
    assert (in_gradient != in_objective).any()
    generator = pcg(4)
    p, q = highest * generator.random((4, 2)), highest * generator.random((3, 2))
    strengths = np.exp(values / 2)
    targets = strengths / strengths.sum(axis=1, keepdims=True)

    def objective(p: Dense, q: Dense) -> float:
        firsts = np.exp(sigmoid(p @ q.T))
        firsts /= firsts.sum(axis=1, keepdims=True)
        return float(-(targets * np.log(firsts))[in_objective].sum())

    g = sigmoid(p @ q.T)
    firsts = np.exp(g) / np.exp(g).sum(axis=1, keepdims=True)
    errors = (firsts - targets) * g * (1 - g) * in_gradient
    # Twice the rate, then half of it until the objective does not rise.
    rate = 1.0
    while objective(p - rate * errors @ q, q - rate * errors.T @ p) > objective(p, q):
        rate /= 2
    end = p - rate * errors @ q, q - rate * errors.T @ p
    np.testing.assert_allclose(model.objective_, [objective(p, q), objective(*end)])
    np.testing.assert_allclose(model.user_factors_, end[0], rtol=1e-6)
    np.testing.assert_allclose(model.item_factors_.T, end[1], rtol=1e-6)


def test_listrank_ends_where_no_step_is_small_enough() -> None:
    values, rated = generated()
    train = to_matrix((values > 3) * 1.0, rated)
    model = ListRankMF(zeros="misread", highest=1.0, iterations=40, seed=2).fit(train)
    steps = np.diff(model.objective_)
    assert (steps <= 0).all()
    last = int(np.flatnonzero(steps)[-1])
    assert last < 10
    again = ListRankMF(zeros="misread", highest=1.0, iterations=last + 2, seed=2).fit(train)
    np.testing.assert_array_equal(again.user_factors_, model.user_factors_)
