# SPDX-License-Identifier: MIT
"""Whether the order of systems under one split differs from that under another by more than chance.

An order is of means over users. Two folds of a random split differ, too: in what trains, and in
what tests. Another split often tests fewer users, whose means are less certain. So its order is
held against what two random folds would give if one of them tested as few.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs


def taus_between_folds(
    one: ArrayLike, other: ArrayLike, *, same_split: bool = False
) -> NDArray[np.float64]:
    """Return Kendall's tau-b of the order in every fold of one split with every fold of another.

    Parameters
    ----------
    same_split : bool
        Whether both are the same folds, of which each pair counts once, and none with itself.

    Examples
    --------
    >>> means = [[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]]
    >>> taus_between_folds(means, [[1, 2, 3]]).round(2).tolist()
    [1.0, 0.33]
    >>> taus_between_folds(means, means, same_split=True).round(2).tolist()
    [0.33]
    """
    taus = kendall_tau_b(one, other, TOLERANCE_OF_MEANS)
    return taus[np.triu_indices(len(taus), 1)] if same_split else taus.ravel()


def moved_share(one: ArrayLike, other: ArrayLike, *, same_split: bool = False) -> float:
    """Return the share of the pairs of systems of which another one is ahead, over pairs of folds.

    Examples
    --------
    >>> round(moved_share([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]], [[1, 2, 3]]), 3)
    0.167
    """
    signs, others = (
        pair_signs(np.atleast_2d(np.asarray(means, dtype=np.float64)), TOLERANCE_OF_MEANS)
        for means in (one, other)
    )
    moved = (signs[:, np.newaxis] * others[np.newaxis] < 0).mean(axis=2)
    return float(moved[np.triu_indices(len(moved), 1)].mean() if same_split else moved.mean())


def same_best_share(one: ArrayLike, other: ArrayLike, *, same_split: bool = False) -> float:
    """Return in which share of the pairs of folds the same system has the highest mean.

    Of systems with equal means the first counts.

    Examples
    --------
    >>> same_best_share([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]], [[1, 2, 3]])
    0.5
    """
    best, others = (np.argmax(np.atleast_2d(np.asarray(means)), axis=1) for means in (one, other))
    same = best[:, np.newaxis] == others[np.newaxis]
    return float(same[np.triu_indices(len(same), 1)].mean() if same_split else same.mean())


def taus_by_chance(
    folds: Sequence[NDArray[np.float64]], n_users: int, samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    r"""Return Kendall's tau-b of the order in a fold with that by some users of another fold.

    For every two folds :math:`f \neq f'` of a random split, `n_users` users of :math:`f'` are drawn
    with replacement, and the order of the systems by their means is held against that by the means
    of all users of :math:`f`.

    Examples
    --------
    Two folds in whose every user the second system is ahead:

    >>> fold = np.array([[0.1, 0.2], [0.3, 0.4]])
    >>> taus_by_chance([fold, fold], 1, 4, np.random.default_rng(0)).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    if len(folds) < 2:
        raise ValueError(
            "What chance does to an order is seen between folds of a split, which has "
            f"{len(folds)}: make it with more."
        )
    pairs = [(a, b) for a in range(len(folds)) for b in range(len(folds)) if a != b]
    of_each = -(-samples // len(pairs))
    means = [fold.mean(axis=1) for fold in folds]
    found = []
    for whole, sampled in pairs:
        values = folds[sampled]
        shares = np.full(values.shape[1], 1 / values.shape[1])
        counts = rng.multinomial(n_users, shares, size=of_each)
        drawn = counts @ values.T / n_users
        found.append(kendall_tau_b(drawn, means[whole], TOLERANCE_OF_MEANS).ravel())
    return np.concatenate(found)
