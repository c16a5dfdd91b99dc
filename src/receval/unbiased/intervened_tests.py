# SPDX-License-Identifier: MIT
r"""Intervened tests: parts of a biased test, drawn so that they are more like a uniform one.

Instead of weighting all test ratings, some of them are drawn, each with a chance that grows with
its weight, and lists are measured by these as they are. A weight says how much more often a user
and an item would be in a uniform sample than they are in the test,

.. math:: w_{ui} = \frac{P_{MAR}(u)}{P_{MNAR}(u)} \cdot \frac{P_{MAR}(i)}{P_{MNAR}(i)},

with the shares that user and item have in either. What users think of an item has no part in it.

Notes
-----
Carraro and Bridge (2020), "Debiased offline evaluation of recommender systems: a weighted-sampling
approach", SAC; (2022), "A sampling approach to debiasing the offline evaluation of recommender
systems", Journal of Intelligent Information Systems 58. Weights by items alone, with uniform
shares, are those of Liang, Charlin and Blei (2016), "Causal inference for recommendation" (SKEW).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.protocols.protocol import Protocol
from receval.simulation.sampling import gumbel_noise
from receval.splits.split import Fold, Judgments
from receval.unbiased.candidate_pairs import CandidatePairs

Sides = Literal["items", "users and items"]


@dataclass(frozen=True)
class IntervenedTest:
    """How a part of the test ratings is drawn.

    Parameters
    ----------
    name : str
    sides : {"items", "users and items"}
        Whose shares are made those of a uniform sample.
    from_sample : bool
        Whether these shares are those of the fold's unbiased judgments (WTD); otherwise all users
        and all items are alike (WTD_H, SKEW).
    share : float
        Of the judged candidates, how many are drawn.

    Examples
    --------
    >>> SKEW.name, WTD.from_sample
    ('SKEW', True)
    """

    name: str
    sides: Sides = "users and items"
    from_sample: bool = False
    share: float = 0.5

    def weights(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        """Return the weight of each test rating; 0 where it is of no candidate.

        Raises
        ------
        ValueError
            The shares are to be those of unbiased judgments, and the fold has none.
        """
        judged = CandidatePairs.of(fold, fold.test, protocol).judged
        weights = judged.astype(np.float64)
        sample = None
        if self.from_sample:
            if fold.unbiased is None:
                raise ValueError(
                    f"{self.name} takes the shares of users and items from unbiased judgments, but "
                    "the split has none: choose one with them, or a test that takes all alike."
                )
            sample = fold.unbiased
        sides = ("items",) if self.sides == "items" else ("items", "users")
        for side in sides:
            weights *= _ratios(fold.test, judged, sample, side)
        return weights

    def drawn(self, fold: Fold, protocol: Protocol, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return which test ratings are drawn, without replacement.

        Parameters
        ----------
        fold : Fold
        protocol : Protocol
        rng : Generator

        Returns
        -------
        ndarray of bool, shape (n_judgments,)
        """
        weights = self.weights(fold, protocol)
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


def _ratios(
    test: Judgments, judged: NDArray[np.bool_], sample: Judgments | None, side: str
) -> NDArray[np.float64]:
    """Return the share in a uniform sample over that in the test, of each rating's user or item."""
    owners = np.asarray(getattr(test, side), dtype=np.int64)
    n_owners = int(owners.max(initial=-1)) + 1
    if sample is not None:
        n_owners = max(n_owners, int(np.asarray(getattr(sample, side)).max(initial=-1)) + 1)
    counts = np.bincount(owners[judged], minlength=n_owners).astype(np.float64)
    wanted = np.ones(n_owners)
    if sample is not None:
        wanted = np.bincount(getattr(sample, side), minlength=n_owners).astype(np.float64)
    ratios = np.zeros(n_owners)
    np.divide(wanted, counts, out=ratios, where=counts > 0)
    return ratios[owners]
