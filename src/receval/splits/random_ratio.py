"""Coin flips: each rating trains with a fixed probability, whatever happens to the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from receval.ratings import Ratings
from receval.splits.repeated_shares import split_by_shares
from receval.splits.split import GeneratorFor, Split


def split_by_random_ratio(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    train_ratio: float | Sequence[float],
    folds: int,
) -> Split:
    """Send each rating to train with probability ``train_ratio`` and else to test.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Gives the generator of a repetition.
    train_ratio : float or sequence of float
        Probability of training, between 0 and 1. Several flip the same coins: what trains with one
        probability trains with every larger one.
    folds : int
        Number of independent repetitions of each probability: their tests overlap.

    Returns
    -------
    Split
        The fact ``train_ratios`` has the probability of each fold.

    Notes
    -----
    The coin flips of bellogin2017, section 3.3; the random split of canamares2020, section 4.1.
    """

    def coins(repetition: int) -> NDArray[np.float32]:
        return rng_for(repetition).random(len(ratings), dtype=np.float32)

    return split_by_shares(
        train_ratio, folds, coins, lambda thrown, share: thrown < np.float32(share)
    )
