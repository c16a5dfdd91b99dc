"""A fixed number of ratings of every user tests."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.ranks_within_groups import random_ranks_within_groups
from receval.splits.split import TEST, TRAIN, Split


def split_leaving_out(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    held_out: int,
    short_profiles: Literal["refuse", "train"],
    folds: int,
) -> Split:
    """Send l random ratings of each user to test, the rest to train.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Gives the generator of a fold.
    held_out : int
        Number l of test ratings of a user.
    short_profiles : {"refuse", "train"}
        What happens to users with l ratings or fewer, for whom nothing would be left to train on:
        "refuse" stops with an error, "train" keeps all their ratings in train, so that they are
        not judged.
    folds : int
        Number of independent repetitions: their tests overlap.

    Returns
    -------
    Split
        Its metadatum ``users_without_test`` counts the users whose profiles are too short; users
        who have no rating at all are not among them.

    Raises
    ------
    ValueError
        If a profile is too short and ``short_profiles`` is "refuse".
    """
    profile_sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    too_short = (profile_sizes > 0) & (profile_sizes <= held_out)
    if short_profiles == "refuse" and too_short.any():
        user = int(np.argmax(too_short))
        raise ValueError(
            f"{too_short.sum()} users have {held_out} ratings or fewer (user "
            f"'{ratings.user_ids[user]}' has {profile_sizes[user]}), so leaving {held_out} out "
            "would leave nothing to train on: lower held_out, or set short_profiles to 'train' "
            "to keep such users in train."
        )
    n_test = np.where(too_short, 0, held_out)

    def codes(fold: int) -> NDArray[np.uint8]:
        ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng_for(fold))
        return np.where(ranks < n_test[ratings.users], TEST, TRAIN).astype(np.uint8)

    return Split(
        tuple(codes(fold) for fold in range(folds)),
        {"users_without_test": int(too_short.sum())},
    )
