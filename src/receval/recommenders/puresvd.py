# SPDX-License-Identifier: MIT
"""PureSVD: truncated singular value decomposition with missing ratings as 0."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigsh

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, refuse_beyond_rank
from receval.recommenders.products import FactorModel, refuse_known

# Matrices with a smaller side up to this size are decomposed completely, which is fast.
LARGEST_DENSE_SIDE = 200
# Singular values below this fraction of the largest count as 0.
SMALLEST_RATIO = 1e-6


@dataclass(eq=False, repr=False)
class PureSVD(FactorModel):
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

    factors: AtLeastOne = 25

    def check_size(self, n_users: int, n_items: int) -> None:
        """Refuse more factors than the smaller side of the matrix."""
        super().check_size(n_users, n_items)
        refuse_beyond_rank(self, self.factors, n_users, n_items)

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
        self.singular_values_: NDArray[np.float64] = values
        self._keep_factors(train, ratings @ vectors.T, vectors.T)

    def _fold_in(self, ratings: RatingMatrix) -> None:
        """Project the ratings of new users on the vectors of the items."""
        new = np.diff(ratings.indptr) > 0
        refuse_known(new & ~np.isnan(self.user_factors_[:, 0]))
        projected = csr_array(ratings[new]).astype(np.float64) @ self.item_factors_.T
        self.user_factors_[new] = projected.astype(np.float32)


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
