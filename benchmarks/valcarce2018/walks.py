# SPDX-License-Identifier: MIT
"""Walks over the graph of ratings beside the hitting time of the library."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.hitting_time import HittingTime

STEPS = 15


class SubgraphHittingTime:
    """Hitting time of walks that keep to the items which the breadth-first search met.

    Yin et al. (2012), algorithm 1, as `HittingTime` but for the walk itself, which there goes over
    the whole graph.
    """

    def __init__(self, train: csr_array, nearest_items: int) -> None:
        self._ratings, self._turned = train, train.T.tocsr()
        self._chosen = HittingTime(STEPS, nearest_items).fit(train)

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the steps that a walk saves, NaN for the items outside."""
        inside = ~np.isnan(self._chosen.score(users).T)
        mass = self._ratings @ inside.astype(np.float32)
        raters = np.asarray(self._turned.sum(axis=1))[:, None]
        target = (users, np.arange(len(users)))
        from_users = np.zeros_like(mass)
        saved = np.zeros(inside.shape, dtype=np.float32)
        for step in range(1, STEPS):
            reached = self._ratings @ (saved * inside) / np.maximum(mass, 1e-12)
            saved = self._turned @ from_users / np.maximum(raters, 1e-12)
            from_users = reached
            from_users[target] = step
        saved = self._turned @ from_users / np.maximum(raters, 1e-12)
        return np.where(inside, saved, np.nan).T


class AbsorbingTime:
    """Steps from an item until the walk meets any item of the user's profile, less is better."""

    def __init__(self, train: csr_array) -> None:
        self._ratings, self._turned = train, train.T.tocsr()

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return what is saved of :data:`STEPS` steps."""
        absorbing = (self._ratings[users].toarray() > 0).T
        profiles = np.maximum(np.asarray(self._ratings.sum(axis=1)), 1e-12)[:, None]
        raters = np.maximum(np.asarray(self._turned.sum(axis=1)), 1e-12)[:, None]
        times = np.zeros(absorbing.shape, dtype=np.float32)
        for _ in range(STEPS // 2):
            from_users = 1 + self._ratings @ times / profiles
            times = np.where(absorbing, 0, 1 + self._turned @ from_users / raters)
        return (STEPS - times).T
