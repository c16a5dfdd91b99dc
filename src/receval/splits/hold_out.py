# SPDX-License-Identifier: MIT
"""Hold-out splits: test a share of all ratings, or a share or number of each user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.ranks_within_groups import ceiling_of_share, random_ranks_within_groups
from receval.splits.split import TEST, TRAIN, Split

Drawn = TypeVar("Drawn")


def split_by_shares(
    train_ratio: float | Sequence[float],
    repetitions: int,
    draw: Callable[[int], Drawn],
    trains: Callable[[Drawn, float], NDArray[np.bool_]],
) -> Split:
    """Return one fold for each share and repetition, with the repetitions of a share together.

    Parameters
    ----------
    train_ratio : float or sequence of float
    repetitions : int
    draw : callable
        ``draw(repetition)`` makes the random draws of a repetition, which all shares use.
    trains : callable
        ``trains(drawn, share)`` marks the training ratings.

    Returns
    -------
    Split
        The metadatum ``train_ratios`` has the share of each fold.
    """
    shares = tuple(train_ratio) if isinstance(train_ratio, Sequence) else (train_ratio,)
    of_repetition: list[list[NDArray[np.uint8]]] = []
    for repetition in range(repetitions):
        drawn = draw(repetition)
        of_repetition.append(
            [np.where(trains(drawn, share), TRAIN, TEST).astype(np.uint8) for share in shares]
        )
    codes = tuple(folds[number] for number in range(len(shares)) for folds in of_repetition)
    return Split(codes, {"train_ratios": tuple(s for s in shares for _ in range(repetitions))})


def split_by_random_ratio(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    train_ratio: float | Sequence[float],
    folds: int,
) -> Split:
    """Put each rating into train with probability ``train_ratio``, and otherwise into test.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Returns the generator of a repetition.
    train_ratio : float or sequence of float
        Probability of training, between 0 and 1. Several probabilities use the same draws: a rating
        that trains with one also trains with every larger one.
    folds : int
        Number of independent repetitions of each probability; their tests overlap.

    Returns
    -------
    Split
        The metadatum ``train_ratios`` has the probability of each fold.

    Notes
    -----
    The coin flips of bellogin2017, section 3.3; the random split of canamares2020, section 4.1.
    """

    def coins(repetition: int) -> NDArray[np.float32]:
        return rng_for(repetition).random(len(ratings), dtype=np.float32)

    return split_by_shares(
        train_ratio, folds, coins, lambda thrown, share: thrown < np.float32(share)
    )


def split_by_user_ratio(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    train_ratio: float | Sequence[float],
    folds: int,
) -> Split:
    """Put ``ceil(train_ratio * n_u)`` random ratings of each user into train, the rest into test.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Returns the generator of a repetition.
    train_ratio : float or sequence of float
        Share of each user's n_u ratings that trains, between 0 and 1. Several shares take a user's
        ratings in the same order: a rating that trains with one also trains with every larger one.
    folds : int
        Number of independent repetitions of each share; their tests overlap.

    Returns
    -------
    Split
        The metadatum ``train_ratios`` has the share of each fold.

    Notes
    -----
    The split of valcarce2018, section 5. The paper does not say how the share is rounded; the
    released runs agree with rounding up.

    Examples
    --------
    User 0 has two training ratings of three, and user 1 one of two:

    >>> from receval.seeds import generator
    >>> ratings = Ratings(
    ...     users=np.array([0, 0, 0, 1, 1], dtype=np.int32),
    ...     items=np.array([0, 1, 2, 0, 1], dtype=np.int32),
    ...     values=np.ones(5, dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film", "song"]),
    ... )
    >>> split = split_by_user_ratio(
    ...     ratings, lambda fold: generator(1, "toy", fold), train_ratio=0.5, folds=1
    ... )
    >>> np.bincount(ratings.users[split.codes[0] == TRAIN]).tolist()
    [2, 1]
    """
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)

    def ranks(repetition: int) -> NDArray[np.int32]:
        return random_ranks_within_groups(ratings.users, ratings.n_users, rng_for(repetition))

    def trains(rank: NDArray[np.int32], share: float) -> NDArray[np.bool_]:
        n_train = ceiling_of_share(sizes, share)
        marked: NDArray[np.bool_] = rank < n_train[ratings.users]
        return marked

    return split_by_shares(train_ratio, folds, ranks, trains)


def split_leaving_out(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    held_out: int,
    short_profiles: Literal["refuse", "train"],
    folds: int,
) -> Split:
    """Put l random ratings of each user into test, the rest into train.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Returns the generator of a fold.
    held_out : int
        Number l of test ratings per user.
    short_profiles : {"refuse", "train"}
        What to do with users with l ratings or fewer, who would have no training rating left:
        "refuse" raises an error, and "train" keeps all their ratings in train, so that they are not
        tested.
    folds : int
        Number of independent repetitions; their tests overlap.

    Returns
    -------
    Split
        The metadatum ``users_without_test`` counts the users whose profiles are too short, not
        counting users without any rating.

    Raises
    ------
    ValueError
        If a profile is too short and ``short_profiles`` is "refuse".
    """
    _, too_short = short_profiles_of(ratings, held_out, short_profiles)
    n_test = np.where(too_short, 0, held_out)

    def codes(fold: int) -> NDArray[np.uint8]:
        ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng_for(fold))
        return np.where(ranks < n_test[ratings.users], TEST, TRAIN).astype(np.uint8)

    return Split(
        tuple(codes(fold) for fold in range(folds)),
        {"users_without_test": int(too_short.sum())},
    )


def short_profiles_of(
    ratings: Ratings, held_out: int, short_profiles: Literal["refuse", "train"]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the number of ratings of each user, and which users have too few.

    Parameters
    ----------
    ratings : Ratings
    held_out : int
        Number of test ratings per user.
    short_profiles : {"refuse", "train"}
        Whether such users are refused.

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
            "would leave nothing to train on: leave fewer out "
            "(held_out), or keep such users in train (short_profiles='train', in a command: "
            "--split leave-out:short_profiles=train)."
        )
    return profile_sizes, too_short
