"""The same share of every user's ratings trains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from receval.ratings import Ratings
from receval.splits.ranks_within_groups import ceiling_of_share, random_ranks_within_groups
from receval.splits.repeated_shares import split_by_shares
from receval.splits.split import GeneratorFor, Split


def split_by_user_ratio(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    train_ratio: float | Sequence[float],
    folds: int,
) -> Split:
    """Send ``ceil(train_ratio * n_u)`` random ratings of each user to train, the rest to test.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Gives the generator of a repetition.
    train_ratio : float or sequence of float
        Share of each user's n_u ratings that trains, between 0 and 1. Several take the ratings of a
        user in the same order: what trains with one share trains with every larger one.
    folds : int
        Number of independent repetitions of each share: their tests overlap.

    Returns
    -------
    Split
        The fact ``train_ratios`` has the share of each fold.

    Notes
    -----
    The split of valcarce2018, section 5. The paper does not say how the share is rounded; the
    runs that its authors released fit the ceiling.
    """
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)

    def ranks(repetition: int) -> NDArray[np.int32]:
        return random_ranks_within_groups(ratings.users, ratings.n_users, rng_for(repetition))

    def trains(rank: NDArray[np.int32], share: float) -> NDArray[np.bool_]:
        n_train = ceiling_of_share(sizes, share)
        marked: NDArray[np.bool_] = rank < n_train[ratings.users]
        return marked

    return split_by_shares(train_ratio, folds, ranks, trains)
