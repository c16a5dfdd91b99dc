"""Cross-validation: a random partition of the ratings, each part testing once."""

from __future__ import annotations

import numpy as np

from receval.ratings import Ratings
from receval.splits.partition import split_from_partition
from receval.splits.ranks_within_groups import random_ranks_within_groups
from receval.splits.split import GeneratorFor, Split


def split_into_folds(
    ratings: Ratings, rng_for: GeneratorFor, *, folds: int, balanced_per_user: bool
) -> Split:
    """Put every rating into one of k folds at random; each fold tests what the others trained.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Gives the generator of the partition, which all folds share.
    folds : int
        Number k of folds.
    balanced_per_user : bool
        If true, the ratings of each user are spread over the folds as evenly as possible, the
        folds that get one more being random. If false, each rating draws its fold on its own, so
        that the sizes of the folds vary: what the released folds of menamaldonado2021 show.
    """
    rng = rng_for("partition")
    if balanced_per_user:
        first_fold = rng.integers(folds, size=ratings.n_users)
        ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng)
        fold_of_rating = ((ranks + first_fold[ratings.users]) % folds).astype(np.uint8)
    else:
        fold_of_rating = rng.integers(folds, size=len(ratings), dtype=np.uint8)
    return split_from_partition(ratings, fold_of_rating, folds)
