"""Coin flips: each rating trains with a fixed probability, whatever happens to the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.ratings import Ratings
from receval.splits.split import TEST, TRAIN, GeneratorFor, Split


def split_by_random_ratio(
    ratings: Ratings, rng_for: GeneratorFor, *, train_share: float, folds: int
) -> Split:
    """Send each rating to train with probability ``train_share`` and else to test.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Gives the generator of a fold.
    train_share : float
        Probability of training, between 0 and 1.
    folds : int
        Number of independent repetitions: their tests overlap.

    Notes
    -----
    The coin flips of bellogin2017, section 3.3; the random split of canamares2020, section 4.1.
    """

    def codes(fold: int) -> NDArray[np.uint8]:
        trains = rng_for(fold).random(len(ratings), dtype=np.float32) < train_share
        return np.where(trains, TRAIN, TEST).astype(np.uint8)

    return Split(tuple(codes(fold) for fold in range(folds)))
