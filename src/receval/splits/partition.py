# SPDX-License-Identifier: MIT
"""k-fold splits: each fold tests its own ratings and trains on those of the others."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.ranks_within_groups import random_ranks_within_groups
from receval.splits.split import TEST, TRAIN, UNBIASED, Split

UnbiasedRows = Literal["unknown", "fold"]


def split_from_partition(
    ratings: Ratings,
    fold_of_rating: NDArray[np.uint8],
    folds: int,
    unbiased_rows: UnbiasedRows | None = None,
) -> Split:
    """Return the split in which fold k tests the ratings numbered k.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    fold_of_rating : ndarray of uint8, shape (n_ratings,)
        The fold, from 0, that tests each rating.
    folds : int
        Number of folds.
    unbiased_rows : {"unknown", "fold"} or None
        Which ratings are an unbiased test. With None there is no unbiased test: all ratings of the
        fold test, and those of the other folds train. Otherwise, only ratings of items that the
        user chose or knew (``ratings.known``) train and test. With "unknown", the unbiased test is
        every rating of an item drawn for the user, in any fold. With "fold", it is every rating of
        the fold, known or not, for data whose ratings as a whole are a random sample.

    Raises
    ------
    ValueError
        If an unbiased test is requested, but the ratings do not say which of them are known.

    Notes
    -----
    The two unbiased tests are those of Yahoo! R3 and of CM100k in menamaldonado2021, section 8.2
    and figure 11.
    """
    trains_or_tests = np.ones(len(ratings), dtype=bool)
    if unbiased_rows is not None:
        if ratings.known is None:
            raise ValueError(
                "This split needs to know which ratings users chose themselves, but the dataset "
                "does not say (its ratings have no column 'known'): use a k-fold split instead."
            )
        trains_or_tests = ratings.known

    def codes(fold: int) -> NDArray[np.uint8]:
        in_fold = fold_of_rating == fold
        used = np.zeros(len(ratings), dtype=np.uint8)
        used[trains_or_tests & ~in_fold] |= TRAIN
        used[trains_or_tests & in_fold] |= TEST
        if unbiased_rows == "unknown":
            used[~trains_or_tests] |= UNBIASED
        elif unbiased_rows == "fold":
            used[in_fold] |= UNBIASED
        return used

    return Split(tuple(codes(fold) for fold in range(folds)))


def split_into_folds(
    ratings: Ratings, rng_for: GeneratorFor, *, folds: int, balanced_per_user: bool
) -> Split:
    """Put every rating into one of k folds at random; each fold trains on the other folds.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    rng_for : callable
        Returns the generator of the partition, which all folds share.
    folds : int
        Number k of folds.
    balanced_per_user : bool
        If true, the ratings of each user are spread over the folds as evenly as possible, and the
        folds that get one more are random. If false, the fold of each rating is drawn
        independently, so that fold sizes vary, as in the released folds of menamaldonado2021.
    """
    rng = rng_for("partition")
    if balanced_per_user:
        first_fold = rng.integers(folds, size=ratings.n_users)
        ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng)
        fold_of_rating = ((ranks + first_fold[ratings.users]) % folds).astype(np.uint8)
    else:
        fold_of_rating = rng.integers(folds, size=len(ratings), dtype=np.uint8)
    return split_from_partition(ratings, fold_of_rating, folds)


def split_with_unbiased_test(
    ratings: Ratings, rng_for: GeneratorFor, *, unbiased_rows: UnbiasedRows, folds: int
) -> Split:
    """Put every rating into one of k folds at random and give each fold an unbiased test.

    Known ratings test in their own fold and train in the others.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split, with the column ``known``.
    rng_for : callable
        Returns the generator of the partition, which all folds share.
    unbiased_rows : {"unknown", "fold"}
        Which ratings are the unbiased test. "unknown", as for Yahoo! R3: all ratings of randomly
        drawn items, in every fold. "fold", as for CM100k, whose ratings as a whole are a random
        sample: all ratings of the fold, known or not.
    folds : int
        Number k of folds.

    Raises
    ------
    ValueError
        If the ratings do not say which of them are known.

    Notes
    -----
    menamaldonado2021, section 8.2 and figure 11.

    Examples
    --------
    Each of the known ratings trains (1) in one fold and tests (2) in the other. The third rating is
    of an item drawn for the user, and an unbiased test (4) in both:

    >>> ratings = Ratings(
    ...     *np.array([[0, 0, 1], [0, 1, 1]], dtype=np.int32),
    ...     values=np.array([5, 2, 4], dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film"]),
    ...     known=np.array([True, True, False]),
    ... )
    >>> def rng_for(name):
    ...     return np.random.default_rng(1)
    >>> split = split_with_unbiased_test(ratings, rng_for, unbiased_rows="unknown", folds=2)
    >>> np.sort(split.codes, axis=0).T.tolist()
    [[1, 2], [1, 2], [4, 4]]
    """
    fold_of_rating = rng_for("partition").integers(folds, size=len(ratings), dtype=np.uint8)
    return split_from_partition(ratings, fold_of_rating, folds, unbiased_rows)
