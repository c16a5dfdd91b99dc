"""Cross-validation of chosen ratings beside an unbiased test of randomly drawn ones."""

from __future__ import annotations

import numpy as np

from receval.ratings import Ratings
from receval.splits.partition import UnbiasedRows, split_from_partition
from receval.splits.split import GeneratorFor, Split


def split_with_unbiased_test(
    ratings: Ratings, rng_for: GeneratorFor, *, unbiased_rows: UnbiasedRows, folds: int
) -> Split:
    """Put every rating into one of k folds at random and give each fold an unbiased test.

    Known ratings train where they are not in the fold and test where they are.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split; they need the column ``known``.
    rng_for : callable
        Gives the generator of the partition, which all folds share.
    unbiased_rows : {"unknown", "fold"}
        "unknown", as for Yahoo! R3: all ratings of drawn items judge, in every fold. "fold", as for
        CM100k, whose ratings as a whole are a random sample: all ratings of the fold judge, known
        or not.
    folds : int
        Number k of folds.

    Raises
    ------
    ValueError
        If the ratings do not say which of them are known.

    Notes
    -----
    menamaldonado2021, section 8.2 and figure 11.
    """
    fold_of_rating = rng_for("partition").integers(folds, size=len(ratings), dtype=np.uint8)
    return split_from_partition(ratings, fold_of_rating, folds, unbiased_rows)
