# SPDX-License-Identifier: MIT
"""PureSVD: truncated singular value decomposition with missing ratings as 0."""

from __future__ import annotations

from inspect import signature

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigsh

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import integer
from receval.recommenders.products import inner_products

# Matrices with a smaller side up to this size are decomposed completely, which is fast.
LARGEST_DENSE_SIDE = 200
# Singular values below this fraction of the largest count as 0.
SMALLEST_RATIO = 1e-6


class PureSVD(Recommender):
    """The user's ratings projected on the leading right singular vectors of the rating matrix.

    ``s(u, i) = r_u Q q_i``, with r_u the user's ratings (missing ones 0) and the columns of Q the
    right singular vectors of the f largest singular values, q_i its row for item i. There are no
    random numbers: the iterative solver starts from a fixed vector, and the signs of the vectors
    are fixed (the first entry of largest absolute value is positive). If the rank of the matrix is
    below f, only as many vectors are used, and the others are 0.

    NaN for all items of users without training ratings. Items without training ratings have
    ``q_i = 0`` and score 0.

    Parameters
    ----------
    factors : int
        f, at least 1 and at most the smaller side of the training matrix.

    Attributes
    ----------
    user_factors_ : ndarray of float32, shape (n_users, factors)
        ``r_u Q``; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        Q transposed, by descending singular value.
    singular_values_ : ndarray of float64, shape (factors,)
        The largest singular values, descending.

    References
    ----------
    Cremonesi, Koren and Turrin, "Performance of Recommender Algorithms on Top-N Recommendation
    Tasks", RecSys 2010, section 4.2.

    Examples
    --------
    The first two items were rated together and have the singular value 4. Item 2 has the singular
    value 3 and is left out with one factor:

    >>> train = csr_array(np.array([[2, 2, 0], [2, 2, 0], [0, 0, 3]], dtype=np.float32))
    >>> system = PureSVD(factors=1).fit(train)
    >>> (system.score(np.array([0, 2])).round(3) + 0).tolist()
    [[2.0, 2.0, 0.0], [0.0, 0.0, 0.0]]
    """

    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]
    singular_values_: NDArray[np.float64]

    def __init__(self, factors: int = 25) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)

    def check_size(self, n_users: int, n_items: int) -> None:
        """Refuse more factors than the smaller side of the matrix."""
        super().check_size(n_users, n_items)
        if self.factors > min(n_users, n_items):
            raise ValueError(
                f"PureSVD: the parameter factors is {self.factors}, but a matrix of {n_users} "
                f"users and {n_items} items has at most {min(n_users, n_items)}."
            )

    def _fit(self, train: RatingMatrix) -> None:
        ratings = train.astype(np.float64)
        if min(ratings.shape) <= max(LARGEST_DENSE_SIDE, 3 * self.factors):
            _, values, vectors = np.linalg.svd(ratings.toarray(), full_matrices=False)
            values, vectors = values[: self.factors], vectors[: self.factors]
        else:
            values, vectors = _leading_right_vectors(ratings, self.factors)
        # Vectors beyond the rank of the matrix are arbitrary and orthogonal to all ratings.
        vectors[values <= SMALLEST_RATIO * values[0]] = 0.0
        values[values <= SMALLEST_RATIO * values[0]] = 0.0
        # Unrated items are orthogonal too; rounding would rank them.
        vectors[:, np.bincount(train.indices, minlength=self.n_items_) == 0] = 0.0
        peaks = np.argmax(np.abs(vectors), axis=1)
        vectors[vectors[np.arange(self.factors), peaks] < 0] *= -1.0
        self.singular_values_ = values
        self.item_factors_ = vectors.astype(np.float32)
        self.user_factors_ = np.asarray(ratings @ vectors.T, dtype=np.float32)
        self.user_factors_[np.diff(train.indptr) == 0] = np.nan

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)


def _leading_right_vectors(
    ratings: csr_array, factors: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return descending singular values and right singular vectors, as rows, by Lanczos."""
    wide = ratings.shape[0] < ratings.shape[1]
    inner = ratings.T.tocsr() if wide else ratings
    outer = inner.T.tocsr()
    side = inner.shape[1]
    gram = LinearOperator((side, side), matvec=lambda x: outer @ (inner @ x), dtype=np.float64)
    # scipy's svds uses its own random numbers for restarts, which are frequent with low rank.
    generator = np.random.Generator(np.random.PCG64(0))
    if "rng" in signature(eigsh).parameters:
        drawn = {"rng": generator}
    else:
        # Older versions of scipy accept only a start vector, and draw the numbers of restarts
        # themselves, so that last digits differ from those of newer versions.
        drawn = {"v0": generator.uniform(-1.0, 1.0, size=side)}
    eigenvalues, eigenvectors = eigsh(gram, k=factors, which="LA", **drawn)
    order = np.argsort(-eigenvalues, kind="stable")
    values = np.sqrt(np.maximum(eigenvalues[order], 0.0))
    vectors = eigenvectors[:, order].T
    if wide:
        projected = (inner @ vectors.T).T
        vectors = np.zeros_like(projected)
        np.divide(projected, values[:, None], out=vectors, where=values[:, None] > 0)
    return values, np.ascontiguousarray(vectors)
