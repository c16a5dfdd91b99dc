"""Grades of relevance from ratings: what the systems of menamaldonado2021 were trained on."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix


def relevance_grades(ratings: RatingMatrix, threshold: float) -> RatingMatrix:
    r"""Replace each rating by how far it is above the lowest non-relevant one.

    .. math:: g_{ui} = \max(0, r_{ui} - \tau + 1)

    with :math:`\tau` the relevance threshold: on the scale 1 to 5 with threshold 4 the ratings 1
    to 3 become 0, 4 becomes 1 and 5 becomes 2. The released train files of menamaldonado2021 hold
    these grades, although the text speaks of binary ratings; rated items of grade 0 stay entries.

    Parameters
    ----------
    ratings : csr_array of float32, shape (n_users, n_items)
        Ratings on a scale with steps of 1.
    threshold : float
        Ratings at or above it are relevant.

    Returns
    -------
    csr_array of float32
        With the same entries.
    """
    grades = np.maximum(ratings.data - np.float32(threshold - 1), np.float32(0))
    return csr_array((grades, ratings.indices, ratings.indptr), shape=ratings.shape)
