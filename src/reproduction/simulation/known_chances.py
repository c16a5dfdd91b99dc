# SPDX-License-Identifier: MIT
r"""Worlds in which it is known what users like, and how likely each pair is to be observed.

Twins (:mod:`reproduction.simulation.world`) choose as many items as a user rates, so that the
chance of a single pair has no closed form. Here each pair is observed by a coin of its own,

.. math:: p_{ui} = \min(1,\; c\, f_i\, s^{[u \text{ likes } i]}),

with the fame f of an item, which goes with its quality, and the strength s by which users prefer
to rate what they like.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

LIKED, DISLIKED = 5.0, 1.0
"""Ratings of what a user likes, and of all else."""

_FACTORS = 4
_TASTE = 0.9
_QUALITY = (-1.3, 0.7)
_FAME_BY_QUALITY = 0.3
_FAME = 0.9
_RATED = 0.12
_PREFERENCE = 2.0


@dataclass(frozen=True)
class KnownChances:
    """What users like, and the chance that a pair is observed.

    Attributes
    ----------
    liked : ndarray of bool, shape (n_users, n_items)
    chances : ndarray of float64, shape (n_users, n_items)
        Above 0 and at most .9.

    Examples
    --------
    >>> world = KnownChances.drawn(50, 40, np.random.default_rng(1))
    >>> bool(world.chances[world.liked].mean() > world.chances[~world.liked].mean())
    True
    """

    liked: NDArray[np.bool_]
    chances: NDArray[np.float64]

    @classmethod
    def drawn(cls, n_users: int, n_items: int, rng: np.random.Generator) -> Self:
        """Draw a world: tastes in a few dimensions, quality and fame of items."""
        quality = rng.normal(*_QUALITY, n_items)
        fame = np.exp(rng.normal(0, _FAME, n_items) + _FAME_BY_QUALITY * quality)
        tastes = rng.normal(0, 1, (n_users, _FACTORS)) @ rng.normal(0, 1, (_FACTORS, n_items))
        leanings = quality + _TASTE * tastes / np.sqrt(_FACTORS) + rng.normal(0, 0.5, tastes.shape)
        liked = rng.random(tastes.shape) < 1 / (1 + np.exp(-leanings))
        chances = _RATED * fame * np.where(liked, _PREFERENCE, 1.0)
        return cls(liked, np.clip(chances, 1e-4, 0.9))

    @property
    def ratings(self) -> NDArray[np.float32]:
        """What every user's rating of every item is or would be."""
        return np.where(self.liked, LIKED, DISLIKED).astype(np.float32)

    def observed(self, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Toss the coins of all pairs, each with a share of its chance."""
        return rng.random(self.chances.shape) < share * self.chances
