# SPDX-License-Identifier: MIT
"""Projective non-negative matrix factorisation (PNMF) of the items that users rated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, LibRecSeed, Seed
from receval.recommenders.em import SharedRatings
from receval.recommenders.librec.java_random import JavaRandom, rated_rows, spread
from receval.recommenders.products import FactorModel

# Smaller weights count as 0: their products would be subnormal floats, which are many times slower.
SMALLEST_WEIGHT = 1e-18


@dataclass(eq=False, repr=False)
class PNMF(FactorModel):
    """Users projected on a few non-negative patterns of items.

    With v_ui = 1 for rated pairs, whatever the rating (also 0), and 0 for the others, and with
    non-negative weights w_ik: ``h_uk = sum_j v_uj w_jk`` and ``s(u, i) = sum_k h_uk w_ik``, in
    matrices ``S = V W W^T``. Minimises the divergence ``D(V || S) = sum_ui v_ui log(v_ui / s_ui) -
    v_ui + s_ui`` over all pairs, 0 log 0 being 0. Each iteration multiplies every w_ik by the
    square root of

    ``sum_u v_ui (h_uk / s_ui + sum_j v_uj w_jk / s_uj) / (n_i sum_j w_jk + sum_u h_uk)``,

    with n_i the number of i's ratings; without the root the divergence can increase. Weights start
    at ``w_ik = (1 + random) / (2 n_items)``, random uniform on [0, 1).

    NaN for all items of users without training ratings. Items without training ratings have
    ``w_ik = 0`` from the first iteration on and score 0.

    Parameters
    ----------
    iterations : int
        At least 1; LibRec 2.0.0 does one more than configured.

    Attributes
    ----------
    divergence_ : ndarray of float64, shape (iterations + 1,)
        The objective before the first and after every iteration.

    References
    ----------
    Yang, Yuan and Laaksonen, "Projective Non-Negative Matrix Factorization with Applications to
    Facial Image Processing", IJPRAI 2007, equation 16, for the transposed matrix; the root as in
    Yang and Oja, "Unified Development of Multiplicative Algorithms for Linear and Quadratic
    Nonnegative Matrix Factorization", IEEE Transactions on Neural Networks 2011.
    """

    factors: AtLeastOne = 10
    iterations: AtLeastOne = 26
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        ones = np.ones_like(train.data)
        rated: RatingMatrix = csr_array((ones, train.indices, train.indptr), shape=train.shape)
        raters = rated.T.tocsr()
        popularity = np.diff(raters.indptr).astype(np.float32)[:, None]
        pairs = SharedRatings(rated)
        items = self._initial(train)

        self.divergence_: NDArray[np.float64] = np.empty(self.iterations + 1)
        for iteration in range(self.iterations + 1):
            users = np.asarray(rated @ items)
            weights, projections = (
                table.sum(axis=0, dtype=np.float64).astype(np.float32) for table in (items, users)
            )
            ratios = pairs.ratios(users, items)
            total = float(weights.astype(np.float64) @ projections)
            self.divergence_[iteration] = total - train.nnz - ratios.log_likelihood
            if iteration == self.iterations:
                break
            raised = ratios.items + np.asarray(raters @ ratios.users)
            lowered = popularity * weights + projections
            items *= np.sqrt(np.divide(raised, lowered, where=lowered > 0, out=raised))
            items[items < SMALLEST_WEIGHT] = 0
        self._keep_factors(train, users, items)

    def _initial(self, train: RatingMatrix) -> NDArray[np.float32]:
        if self.librec_seed is not None:
            _, of_items = rated_rows(train)
            n_items = int(of_items.sum())
            drawn = JavaRandom(self.librec_seed).doubles(self.factors, n_items).T
            return spread((1 + drawn) / (2 * n_items), of_items).astype(np.float32)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        start = (1 + generator.random((self.n_items_, self.factors))) / (2 * self.n_items_)
        return start.astype(np.float32)
