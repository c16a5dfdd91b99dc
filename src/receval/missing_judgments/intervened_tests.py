# SPDX-License-Identifier: MIT
r"""Intervened tests: samples of a biased test, drawn to resemble a uniform test.

Instead of weighting all test ratings, some of them are drawn, with probabilities that grow with
their weights, and lists are measured by these without weights. A weight is the ratio of how often a
user and an item would be in a uniform sample to how often they are in the test,

.. math:: w_{ui} = \frac{P_{MAR}(u)}{P_{MNAR}(u)} \cdot \frac{P_{MAR}(i)}{P_{MNAR}(i)},

with the shares of user and item in the uniform (MAR) and the biased (MNAR) ratings. Rating values
do not matter. The MNAR shares are those of the training ratings, because there are more of them; a
user or item without ratings gets a share of .0001.

Notes
-----
Carraro and Bridge (2020), "Debiased offline evaluation of recommender systems: a weighted-sampling
approach", SAC; (2022), "A sampling approach to debiasing the offline evaluation of recommender
systems", Journal of Intelligent Information Systems 58, as their released code has it
(``weighted_intervention``, with half of the test). The text of 2020 squares the item's part of a
weight (``item_power=2``). Weights by items alone, with uniform shares, are those of Liang, Charlin
and Blei (2016), "Causal inference for recommendation" (SKEW); the released code gives items without
training ratings a random weight there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.missing_judgments.propensities import CandidatePairs
from receval.protocols.protocol import Protocol
from receval.seeds import gumbel_noise
from receval.splits.split import Fold, Judgments

Sides = Literal["items", "users and items"]

Counted = Literal["train", "test"]

_NO_RATING = 1e-4
"""Share of a user or item without ratings."""


@dataclass(frozen=True)
class IntervenedTest:
    """A way to draw a sample of the test ratings.

    Parameters
    ----------
    sides : {"items", "users and items"}
        Whether to correct the shares of items only, or those of users, too.
    from_sample : bool
        Whether the uniform shares are those of the fold's unbiased judgments (WTD); otherwise they
        are equal for all users and all items (WTD_H, SKEW).
    counted : {"train", "test"}
        The ratings from which to count the MNAR shares.
    item_power : float
        The power to which the item's part of a weight is raised.

    Examples
    --------
    >>> SKEW.name, WTD.from_sample
    ('SKEW', True)
    """

    name: str
    sides: Sides = "users and items"
    from_sample: bool = False
    share: float = 0.5
    counted: Counted = "train"
    item_power: float = 1.0

    def weights(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        """Return the weight of each test rating; 0 if its item is not a candidate."""
        judged = CandidatePairs.of(fold, fold.test, protocol).judged
        if self.from_sample and fold.unbiased is None:
            raise ValueError(
                f"{self.name} takes the shares of users and items from unbiased judgments, but the "
                "split has none. Choose a split that has them, or a test that treats all users "
                "and items alike."
            )
        weights = judged.astype(np.float64)
        for axis in (1,) if self.sides == "items" else (1, 0):
            chosen = _shares(self._chosen(fold, judged, axis), fold.train.shape[axis])
            wanted = np.full(len(chosen), 1 / len(chosen))
            if self.from_sample and fold.unbiased is not None:
                wanted = _shares(_owners(fold.unbiased, axis), len(chosen))
            parts = (wanted / chosen) ** (self.item_power if axis else 1.0)
            weights *= parts[_owners(fold.test, axis)]
        return weights

    def _chosen(self, fold: Fold, judged: NDArray[np.bool_], axis: int) -> NDArray[np.integer]:
        """Return the user (axis 0) or the item (1) of each biased rating."""
        if self.counted == "test":
            return _owners(fold.test, axis)[judged]
        if axis == 1:
            return fold.train.indices
        users = np.arange(fold.train.shape[0])
        return np.repeat(users, np.diff(fold.train.indptr))

    def drawn(self, fold: Fold, protocol: Protocol, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Draw test ratings without replacement, and return a mask of them."""
        weights = self.weights(fold, protocol)
        # Ratings of items that are not candidates have no weight.
        there = np.flatnonzero(weights > 0)
        # The largest keys are a sample without replacement, as in receval.protocols.
        keys = np.log(weights[there]) + gumbel_noise((len(there),), rng)
        size = round(self.share * len(there))
        chosen = there[np.argsort(-keys, kind="stable")[:size]]
        kept = np.zeros(len(weights), dtype=np.bool_)
        kept[chosen] = True
        return kept


WTD = IntervenedTest("WTD", from_sample=True)
WTD_H = IntervenedTest("WTD_H")
SKEW = IntervenedTest("SKEW", sides="items")


def _owners(judgments: Judgments, axis: int) -> NDArray[np.integer]:
    return judgments.items if axis else judgments.users


def _shares(owners: NDArray[np.integer], number: int) -> NDArray[np.float64]:
    """Return the share of ratings of each user or item, shape (number,); above 0."""
    counts = np.bincount(owners, minlength=number)
    shares = counts / max(int(counts.sum()), 1)
    return np.where(shares > 0, shares, _NO_RATING)
