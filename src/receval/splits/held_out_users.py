# SPDX-License-Identifier: MIT
"""Held-out users: systems are tested on users on whose ratings they were not trained."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.random_splits import (
    ceiling_of_share,
    random_ranks_within_groups,
    ranks_within_groups,
)
from receval.splits.split import FOLD_IN, TEST, TRAIN, Split
from receval.splits.temporal import drop_repeats, needed_timestamps


def split_holding_out_users(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    user_share: float,
    fold_in_ratio: float,
    order: Literal["random", "time"],
    repeats: Literal["drop", "keep"],
    folds: int,
) -> Split:
    r"""Hold out a share of the users, whose ratings are folded in or tested.

    The :math:`n` users with at least two ratings are in a random order, which all folds share. The
    fold k, counted from 0, holds out the :math:`m = \max(1, \mathrm{round}(n s))` users from the
    place :math:`k m` on, with the ``user_share`` s; after the last user the order begins again. So
    no user is held out twice before all others were. All ratings of the other users train.

    Of the :math:`n_u` ratings of a held-out user, :math:`\min(\lceil f n_u \rceil, n_u - 1)` are
    folded in, with the ``fold_in_ratio`` f, and the others test: random ones, or with the order
    ``"time"`` the last ones. ``repeats`` decides about test rows whose pair is also folded in, as
    for :func:`receval.splits.temporal.split_by_time`.

    Metadata: ``held_out_users`` (per fold), ``users_too_short`` (those with one rating, who always
    train) and ``repeats_dropped``. This is strong generalisation (Marlin 2004, "Collaborative
    Filtering: A Machine Learning Perspective"; Liang et al. 2018, "Variational Autoencoders for
    Collaborative Filtering", WWW).
    """
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    can = np.flatnonzero(sizes >= 2)
    held = max(1, round(user_share * len(can)))
    if held >= len(can):
        raise ValueError(
            f"There are {len(can):,} users with at least two ratings, and {held:,} of them would "
            "be held out, so that no other is left to learn from. Give more ratings, or set a "
            "smaller user_share."
        )
    shuffled = rng_for("users").permutation(can)
    n_fold_in = np.minimum(ceiling_of_share(sizes, fold_in_ratio), sizes - 1)
    by_time = None
    if order == "time":
        in_time = np.argsort(needed_timestamps(ratings), kind="stable")
        by_time = ranks_within_groups(ratings.users, in_time, ratings.n_users)
    codes: list[NDArray[np.uint8]] = []
    dropped = 0
    for number in range(folds):
        is_held = np.zeros(ratings.n_users, dtype=bool)
        is_held[shuffled[(np.arange(held) + number * held) % len(can)]] = True
        ranks = by_time
        if ranks is None:
            rng = rng_for(number)
            ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng)
        rows_held = is_held[ratings.users]
        tests = rows_held & (ranks >= n_fold_in[ratings.users])
        folded = rows_held & ~tests
        own = np.where(tests, TEST, np.where(folded, FOLD_IN, TRAIN)).astype(np.uint8)
        dropped += drop_repeats(own, ratings, folded, tests, repeats)
        codes.append(own)
    return Split(
        tuple(codes),
        {
            "held_out_users": held,
            "users_too_short": int((sizes == 1).sum()),
            "repeats_dropped": dropped,
        },
    )
