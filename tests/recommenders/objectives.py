# SPDX-License-Identifier: MIT
"""Objectives that systems step along, and their slopes by finite differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Dense = NDArray[np.float64]
Tables = list[Dense]


def ln_sigmoid(x: float) -> float:
    return -float(np.logaddexp(0, -x))


def group_objective(
    tables: Tables, codes: tuple[int, int, int], group: list[int], weight: float, penalty: float
) -> float:
    """Return the criterion of Pan and Chen for one user, group and pair of items."""
    biases, users, items = tables
    user, above, below = codes
    preference = weight * users[group].mean(axis=0) + (1 - weight) * users[user]
    x = biases[above] + preference @ items[above] - biases[below] - users[user] @ items[below]
    squares = biases[above] ** 2 + biases[below] ** 2
    squares += (items[[above, below]] ** 2).sum() + (users[group] ** 2).sum()
    return ln_sigmoid(x) - 0.5 * penalty * float(squares)


def drawn_group(
    generator: np.random.Generator, raters: NDArray[np.integer], user: int, size: int
) -> list[int]:
    """Return a user and different other raters of an item, in the order in which GBPR draws."""
    if len(raters) <= size:
        return [user, *(int(rater) for rater in raters if rater != user)]
    group = [user]
    while len(group) < size:
        drawn = int(raters[int(generator.random() * len(raters))])
        if drawn not in group:
            group.append(drawn)
    return group


def gradients(value: Callable[[Tables], float], tables: Tables) -> Tables:
    """Return the central differences of a function of some tables."""
    results = []
    for table in tables:
        slopes = np.empty_like(table)
        for index in np.ndindex(table.shape):
            kept, reached = table[index], []
            for shift in (1e-5, -1e-5):
                table[index] = kept + shift
                reached.append(value(tables))
            table[index] = kept
            slopes[index] = (reached[0] - reached[1]) / 2e-5
        results.append(slopes)
    return results


def gradient(value: Callable[[Dense], float], at: Dense) -> Dense:
    """Return the central differences of a function of one array."""
    return gradients(lambda tables: value(tables[0]), [at.copy()])[0]
