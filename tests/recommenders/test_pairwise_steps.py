# SPDX-License-Identifier: MIT
"""BPRMF, WBPR and GBPR: steps along the gradients of their objectives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.objectives import (
    Tables,
    gradients,
    ln_sigmoid,
)
from recommenders.systems import pcg

from receval.recommenders.pairwise import descend

Ints = NDArray[np.int32]


def initial(n_users: int, n_items: int, factors: int, seed: int = 3) -> Tables:
    """Return biases, user and item factors."""
    generator = pcg(seed)
    shapes = ((n_items,), (n_users, factors), (n_items, factors))
    return [generator.standard_normal(shape) for shape in shapes]


def as_float32(tables: Tables) -> list[NDArray[np.float32]]:
    return [table.astype(np.float32) for table in tables]


def triple(user: int, above: int, below: int) -> tuple[Ints, Ints, Ints]:
    codes = np.array([[user], [above], [below]], dtype=np.int32)
    return codes[0], codes[1], codes[2]


@pytest.mark.parametrize("factors", [1, 4, 7, 11])
def test_bprmf_steps_along_the_gradient_of_its_objective(factors: int) -> None:
    tables = initial(3, 4, factors)
    user, above, below = 1, 2, 0
    of_user, of_positive, of_negative, of_bias = penalties = (0.2, 0.3, 0.4, 0.5)

    def objective(tables: Tables) -> float:
        biases, users, items = tables
        x = biases[above] - biases[below] + users[user] @ (items[above] - items[below])
        penalty = of_user * users[user] @ users[user]
        penalty += of_positive * items[above] @ items[above]
        penalty += of_negative * items[below] @ items[below]
        penalty += of_bias * (biases[above] ** 2 + biases[below] ** 2)
        return ln_sigmoid(x) - 0.5 * float(penalty)

    new_biases, new_users, new_items = stepped = as_float32(tables)
    drawn = iter([triple(user, above, below)])
    loss = descend(drawn, new_biases, new_users, new_items, 1.0, *penalties)
    for before, after, slope in zip(tables, stepped, gradients(objective, tables), strict=True):
        np.testing.assert_allclose(after - before, slope, atol=2e-6)
    biases, users, items = tables
    x = biases[above] - biases[below] + users[user] @ (items[above] - items[below])
    assert loss == pytest.approx(-ln_sigmoid(x), rel=1e-6)


@pytest.mark.parametrize(("lead", "expected"), [(200.0, 0.0), (-200.0, 200.0)])
def test_losses_of_hopeless_and_of_certain_pairs_are_finite(lead: float, expected: float) -> None:
    biases, users, items = as_float32([np.array([lead, 0.0]), np.zeros((1, 2)), np.zeros((2, 2))])
    loss = descend(iter([triple(0, 0, 1)]), biases, users, items, 0.5, 0, 0, 0, 0)
    assert loss == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(biases, [lead + (0.5 if lead < 0 else 0), -0.5 if lead < 0 else 0])


def test_an_item_drawn_as_its_own_rival_only_shrinks() -> None:
    """LibRec's way out of WBPR's drifting weights may hit the rated item itself."""
    tables = initial(2, 3, 5)
    biases, users, items = as_float32(tables)
    descend(iter([triple(1, 2, 2)]), biases, users, items, 0.1, 0.2, 0.2, 0.2, 0)
    np.testing.assert_allclose(users[1], tables[1][1] * (1 - 0.1 * 0.2), rtol=1e-5)
    np.testing.assert_allclose(items[2], tables[2][2] * (1 - 2 * 0.1 * 0.2), rtol=1e-5)
