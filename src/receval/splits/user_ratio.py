"""The same share of every user's ratings trains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.ratings import Ratings
from receval.splits.ranks_within_groups import ceiling_of_share, random_ranks_within_groups
from receval.splits.split import TEST, TRAIN, GeneratorFor, Split


def split_by_user_ratio(
    ratings: Ratings, rng_for: GeneratorFor, *, train_share: float, folds: int
) -> Split:
    """Send ``ceil(train_share * n_u)`` random ratings of each user to train, the rest to test.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Gives the generator of a fold.
    train_share : float
        Share of each user's n_u ratings that trains, between 0 and 1.
    folds : int
        Number of independent repetitions: their tests overlap.

    Notes
    -----
    The split of valcarce2018, section 5. The paper does not say how the share is rounded; the
    runs that its authors released fit the ceiling.
    """
    n_train = ceiling_of_share(np.bincount(ratings.users, minlength=ratings.n_users), train_share)

    def codes(fold: int) -> NDArray[np.uint8]:
        ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng_for(fold))
        return np.where(ranks < n_train[ratings.users], TRAIN, TEST).astype(np.uint8)

    return Split(tuple(codes(fold) for fold in range(folds)))
