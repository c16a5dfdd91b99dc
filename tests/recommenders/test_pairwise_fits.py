# SPDX-License-Identifier: MIT
"""BPRMF, WBPR and GBPR: whole fits against epochs in plain Python, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import COLD_ITEM, COLD_USER, generated_matrix, to_matrix
from recommenders.objectives import Tables, drawn_group, group_objective, ln_sigmoid
from recommenders.systems import pcg

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.bprmf import BPRMF
from receval.recommenders.gbpr import GBPR
from receval.recommenders.pairwise import PairSampler
from receval.recommenders.wbpr import WBPR

Ints = NDArray[np.int32]


def started(
    train: RatingMatrix, factors: int, seed: int, biases: str
) -> tuple[np.random.Generator, Tables]:
    """Return the generator after the initial values, and those."""
    generator = pcg(seed)
    n_users, n_items = train.shape
    users = 0.1 * generator.standard_normal((n_users, factors), dtype=np.float32).astype(float)
    items = 0.1 * generator.standard_normal((n_items, factors), dtype=np.float32).astype(float)
    highest = {"zero": 0.0, "hundredth": 0.01, "one": 1.0}[biases]
    first = np.zeros(n_items)
    if highest:
        first = highest * generator.random(n_items, dtype=np.float32).astype(float)
    items[COLD_ITEM] = first[COLD_ITEM] = 0
    return generator, [first, users, items]


def assert_fitted(model: Any, tables: Tables, losses: list[float]) -> None:
    biases, users, items = tables
    np.testing.assert_allclose(model.item_biases_, biases, rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(model.item_factors_.T, items, rtol=1e-3, atol=2e-5)
    warm = np.setdiff1d(np.arange(len(users)), COLD_USER)
    np.testing.assert_allclose(model.user_factors_[warm], users[warm], rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(model.loss_, losses, rtol=1e-4)
    expected = users[warm] @ items.T + biases
    np.testing.assert_allclose(model.score(warm), expected, rtol=1e-3, atol=1e-4)
    assert (model.score(warm)[:, COLD_ITEM] == 0).all()
    assert np.isnan(model.score(np.array([COLD_USER]))).all()


def plain_epoch(
    blocks: Iterator[tuple[Ints, Ints, Ints]],
    tables: Tables,
    rate: float,
    penalties: tuple[float, float, float, float],
) -> float:
    biases, users, items = tables
    of_user, of_positive, of_negative, of_bias = penalties
    losses = []
    for block in blocks:
        for u, i, j in zip(*block, strict=True):
            p, q, r, b, c = users[u].copy(), items[i].copy(), items[j].copy(), biases[i], biases[j]
            x = b - c + p @ (q - r)
            losses.append(-ln_sigmoid(x))
            g = 1 / (1 + np.exp(x))
            biases[i] += rate * (g - of_bias * b)
            biases[j] += rate * (-g - of_bias * c)
            users[u] += rate * (g * (q - r) - of_user * p)
            items[i] += rate * (g * p - of_positive * q)
            items[j] += rate * (-g * p - of_negative * r)
    return float(np.mean(losses))


@pytest.mark.parametrize("positives", ["users", "ratings"])
@pytest.mark.parametrize("negatives", ["uniform", "popularity"])
@pytest.mark.costly
def test_bprmf_equals_epochs_in_plain_python(positives: str, negatives: str) -> None:
    train = generated_matrix()
    model = BPRMF(
        factors=5,
        user_regularisation=0.02,
        positive_regularisation=0.03,
        negative_regularisation=0.04,
        bias_regularisation=0.05,
        epochs=2,
        positives=positives,
        negatives=negatives,
        seed=8,
    ).fit(train)
    generator, tables = started(train, 5, 8, "zero")
    sampler = PairSampler(train, generator, positives, negatives)
    penalties = (0.02, 0.03, 0.04, 0.05)
    losses = [plain_epoch(sampler.blocks(train.nnz), tables, 0.05, penalties) for _ in range(2)]
    assert_fitted(model, tables, losses)


@pytest.mark.costly
def test_wbpr_equals_epochs_in_plain_python() -> None:
    train = generated_matrix()
    model = WBPR(
        factors=6,
        learning_rate=0.05,
        regularisation=0.03,
        epochs=2,
        samples_per_user=20,
        seed=4,
    ).fit(train)
    generator, tables = started(train, 6, 4, "hundredth")
    sampler = PairSampler(train, generator, negatives="popularity")
    losses = [plain_epoch(sampler.blocks(59 * 20), tables, 0.05, (0.03,) * 4) for _ in range(2)]
    assert_fitted(model, tables, losses)


@pytest.mark.costly
@pytest.mark.parametrize("updates", ["triple", "epoch"])
@pytest.mark.parametrize(("size", "weight"), [(2, 1.5), (3, 0.6), (20, 0.6)])
def test_gbpr_equals_epochs_in_plain_python(updates: str, size: int, weight: float) -> None:
    train = generated_matrix()
    model = GBPR(
        factors=4,
        group_weight=weight,
        group_size=size,
        regularisation=0.02,
        epochs=3,
        samples_per_user=8,
        updates=updates,
        seed=6,
    ).fit(train)
    generator, tables = started(train, 4, 6, "one")
    biases, users, items = tables
    sampler, losses = PairSampler(train, generator), []
    by_item = train.T.tocsr()
    raters = np.split(by_item.indices, by_item.indptr[1:-1])
    for _ in range(3):
        at_once = updates == "triple"
        new_users, new_items = (users, items) if at_once else (users.copy(), items.copy())
        total = []
        for block in sampler.blocks(59 * 8):
            groups = [
                drawn_group(generator, raters[i], int(u), size)
                for u, i, _ in zip(*block, strict=True)
            ]
            for group, u, i, j in zip(groups, *block, strict=True):
                codes = (int(u), int(i), int(j))
                value = group_objective([biases, users, items], codes, group, weight, 0)
                total.append(-value)
                g = -np.expm1(value)
                p, q, r = users[u].copy(), items[i].copy(), items[j].copy()
                old = users[group].copy()
                biases[i] += 0.01 * (g - 0.02 * biases[i])
                biases[j] += 0.01 * (-g - 0.02 * biases[j])
                new_users[group] += 0.01 * (g * weight * q / len(group) - 0.02 * old)
                new_users[u] += 0.01 * g * ((1 - weight) * q - r)
                mean = weight * old.mean(axis=0) + (1 - weight) * p
                new_items[i] += 0.01 * (g * mean - 0.02 * q)
                new_items[j] += 0.01 * (-g * p - 0.02 * r)
        users, items = new_users, new_items
        losses.append(float(np.mean(total)))
    assert_fitted(model, [biases, users, items], losses)


@pytest.mark.parametrize("rated", [np.ones((4, 6), dtype=bool), np.eye(1, 6, dtype=bool)])
@pytest.mark.parametrize("model", [BPRMF(), WBPR(), GBPR()])
def test_nothing_is_learnt_where_nobody_has_an_unrated_item(
    model: BPRMF | WBPR | GBPR, rated: NDArray[np.bool_]
) -> None:
    model.fit(to_matrix(rated * 3.0, rated))
    assert (model.loss_ == 0).all()
    assert np.isfinite(model.score(np.array([0]))).all()


@pytest.mark.parametrize(
    "model",
    [
        BPRMF(learning_rate=1e6, user_regularisation=1, positive_regularisation=1),
        WBPR(learning_rate=1e6),
        GBPR(learning_rate=1e6),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.costly
def test_divergence_is_refused_with_the_learning_rate(model: Recommender) -> None:
    with pytest.raises(ValueError, match=r"diverged: the parameter learning_rate is 1000000\.0"):
        model.fit(generated_matrix())
