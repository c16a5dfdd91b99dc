# SPDX-License-Identifier: MIT
"""Element-wise alternating least squares (eALS) for implicit feedback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, LibRecSeed, NonNegative, OneOf, Seed
from receval.recommenders.librec.java_random import JavaRandom, librec_factors
from receval.recommenders.products import FactorModel, csr_parts
from receval.storage.kernel_cache import njit

INITIAL_DEVIATION = 0.1
# Numbers that are copied together: they fill one cache line.
COLUMNS_AT_A_TIME = 16


@dataclass(eq=False, repr=False)
class EALS(FactorModel):
    """Factors that distinguish rated from unrated pairs, fitted one element at a time.

    Minimises ``sum_rated w_ui (1 - p_u . q_i)^2 + sum_unrated c_i (p_u . q_i)^2 +
    regularisation (sum |p_u|^2 + sum |q_i|^2)`` with ``w_ui = 1 + alpha r_ui``; a rating of value 0
    is a rated pair. The weight of an unrated pair is

    - ``c_i = missing_weight`` (``missing="uniform"``), or
    - ``c_i = missing_weight f_i^exponent / sum_j f_j^exponent`` (``missing="popularity"``), with
      f_i the number of i's ratings: a user who has not rated a popular item has probably seen it
      and not liked it.

    Score ``p_u . q_i``. An iteration visits every element of every p_u once, in order, then every
    element of every q_i, and sets it to the value that minimises the objective with all others
    fixed; so the objective never increases, except for rounding to float32. The factors of users
    start at 0, those of items normally distributed around 0 with deviation 0.1.

    NaN for all items of users without training ratings. Items without training ratings have
    ``q_i = 0`` and score 0.

    Parameters
    ----------
    factors : int
        Length of p_u and q_i, at least 1.
    alpha : float
        Weight per unit of rating of a rated pair, at least 0. Ratings below 0 are refused unless it
        is 0.
    regularisation : float
        At least 0; not multiplied by the number of ratings.
    iterations : int
        At least 1.
    missing : str
        ``"uniform"`` or ``"popularity"``.
    missing_weight : float
        Weight of every unrated pair, or of all items together; at least 0.
    exponent : float
        Exponent of popularity, at least 0; not used with ``missing="uniform"``.

    Attributes
    ----------
    objective_ : ndarray of float64, shape (2 * iterations,)
        The objective after each side of every iteration.

    References
    ----------
    He, Zhang, Kan and Chua, "Fast Matrix Factorization for Online Recommendation with Implicit
    Feedback", SIGIR 2016, equations 7, 8, 12 and 13: ``alpha=0``, ``missing="popularity"``, weight
    512 and exponent 0.4 there. The defaults are LibRec 2.0.0's with ``rec.eals.wrmf.judge=1`` (the
    weights of Hu et al.; its ``rec.eals.overall`` and ``ratio`` are then unused); ``judge=0`` is
    ``alpha=0``, ``missing="popularity"``, and ``judge=2`` that with alpha.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = EALS(factors=2, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    factors: AtLeastOne = 200
    alpha: NonNegative = 1.0
    regularisation: NonNegative = 0.01
    iterations: AtLeastOne = 20
    missing: Annotated[str, OneOf("uniform", "popularity")] = "uniform"
    missing_weight: NonNegative = 1.0
    exponent: NonNegative = 0.4
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        if self.alpha > 0 and train.data.min() < 0:
            raise ValueError(
                f"EALS: with alpha={self.alpha} the weight of a rating grows with its value, but "
                f"the smallest rating is {train.data.min()}: ratings must be at least 0."
            )
        by_user = train.copy()
        by_user.data = np.float32(1) + np.float32(self.alpha) * train.data
        by_item = by_user.T.tocsr()
        popularity = np.diff(by_item.indptr)
        missing = self._missing_weights(popularity)
        certain = np.ones(self.n_users_, dtype=np.float32)

        users, items = self._initial(train)
        items[popularity == 0] = 0
        self.objective_: NDArray[np.float64] = np.empty(2 * self.iterations)
        for iteration in range(self.iterations):
            for half, side in enumerate((by_user, by_item)):
                solved, fixed = (users, items) if half == 0 else (items, users)
                own, others = (certain, missing) if half == 0 else (missing, certain)
                objective = _update_rows(
                    *csr_parts(side),
                    fixed,
                    fixed.T @ (others[:, None] * fixed),
                    own,
                    others,
                    np.float32(self.regularisation),
                    solved,
                )
                penalty = self.regularisation * float(np.sum(fixed**2, dtype=np.float64))
                self.objective_[2 * iteration + half] = objective + penalty
        self._keep_factors(train, users, items)

    def _initial(self, train: RatingMatrix) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        if self.librec_seed is not None:
            users, items = librec_factors(JavaRandom(self.librec_seed), train, self.factors)
            return users.astype(np.float32), items.astype(np.float32)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        drawn = generator.standard_normal((self.n_items_, self.factors), dtype=np.float32)
        start = np.zeros((self.n_users_, self.factors), dtype=np.float32)
        return start, drawn * np.float32(INITIAL_DEVIATION)

    def _missing_weights(self, popularity: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return c_i."""
        if self.missing == "uniform":
            return np.full(self.n_items_, self.missing_weight, dtype=np.float32)
        # Items without ratings have zero factors whatever their weight; 0^0 would be 1.
        powers = np.where(popularity > 0, popularity.astype(np.float64) ** self.exponent, 0.0)
        return (self.missing_weight * powers / powers.sum()).astype(np.float32)


@njit(cache=True)
def _update_rows(  # type: ignore[no-untyped-def]
    starts, columns, weights, fixed, gram, own, others, regularisation, solved
):
    """Update all rows of one side, and return the objective without the fixed penalty.

    An unrated pair weighs ``own[row] * others[column]``; ``gram`` is the sum over the columns of
    ``others[column] * fixed[column] fixed[column]^T``.
    """
    n_factors = fixed.shape[1]
    longest = 0
    for row in range(len(starts) - 1):
        longest = max(longest, starts[row + 1] - starts[row])
    pulls = np.empty(n_factors, dtype=np.float32)
    curvatures = np.empty(n_factors, dtype=np.float32)
    slopes = np.empty(n_factors, dtype=np.float32)
    space = np.empty(n_factors * longest, dtype=np.float32)
    extra = np.empty(longest, dtype=np.float32)
    fitted = np.empty(longest, dtype=np.float32)
    objective = 0.0
    for row in range(len(starts) - 1):
        first = starts[row]
        length = starts[row + 1] - first
        if length == 0:
            continue
        scale = own[row]
        values = solved[row]
        pulls[:] = np.float32(0)
        curvatures[:] = np.float32(0)
        fitted[:length] = np.float32(0)
        for n in range(length):
            column = np.uint64(columns[first + n])
            weight = weights[first + n]
            more = weight - scale * others[column]
            objective += weight
            extra[n] = more
            other = fixed[column]
            for factor in range(n_factors):
                pulls[factor] += weight * other[factor]
                curvatures[factor] += more * other[factor] * other[factor]
        # Only as wide as the row is long, so that the data stay in the cache.
        lines = space[: n_factors * length].reshape((n_factors, length))
        _transpose(columns[first : first + length], fixed, lines)
        for factor in range(n_factors):
            value = values[factor]
            line = lines[factor]
            for n in range(length):
                fitted[n] += value * line[n]
        # From here on, fitted values are multiplied by the additional weight of rated pairs.
        for n in range(length):
            fitted[n] *= extra[n]
        np.dot(gram, values, slopes)
        for factor in range(n_factors):
            line = lines[factor]
            old = values[factor]
            curvature = gram[factor, factor]
            down = pulls[factor] - (_product(fitted, line, length) - old * curvatures[factor])
            down -= scale * (slopes[factor] - old * curvature)
            total = regularisation + scale * curvature + curvatures[factor]
            # An element that does not affect the objective is not changed.
            step = down / total - old if total > np.float32(0) else np.float32(0)
            values[factor] = old + step
            for n in range(length):
                fitted[n] += step * extra[n] * line[n]
            also = gram[factor]
            for other_factor in range(n_factors):
                slopes[other_factor] += step * also[other_factor]
        for factor in range(n_factors):
            value = np.float64(values[factor])
            terms = scale * slopes[factor] + regularisation * values[factor]
            objective += value * (terms - np.float32(2) * pulls[factor])
        for n in range(length):
            if extra[n] != np.float32(0):
                objective += np.float64(fitted[n]) * np.float64(fitted[n] / extra[n])
    return objective


@njit(cache=True)
def _product(left, right, length):  # type: ignore[no-untyped-def]
    # Eight partial sums, so that an addition need not wait for the one before it; unrolled by hand,
    # so that the order of summation is the same on every processor.
    sum0 = sum1 = sum2 = sum3 = np.float32(0)
    sum4 = sum5 = sum6 = sum7 = np.float32(0)
    whole = length - length % 8
    for start in range(0, whole, 8):
        at = np.uint64(start)
        sum0 += left[at] * right[at]
        sum1 += left[at + np.uint64(1)] * right[at + np.uint64(1)]
        sum2 += left[at + np.uint64(2)] * right[at + np.uint64(2)]
        sum3 += left[at + np.uint64(3)] * right[at + np.uint64(3)]
        sum4 += left[at + np.uint64(4)] * right[at + np.uint64(4)]
        sum5 += left[at + np.uint64(5)] * right[at + np.uint64(5)]
        sum6 += left[at + np.uint64(6)] * right[at + np.uint64(6)]
        sum7 += left[at + np.uint64(7)] * right[at + np.uint64(7)]
    for n in range(whole, length):
        sum0 += left[n] * right[n]
    return ((sum0 + sum4) + (sum1 + sum5)) + ((sum2 + sum6) + (sum3 + sum7))


@njit(cache=True)
def _transpose(columns, fixed, lines):  # type: ignore[no-untyped-def]
    """Write the factors of some columns, one factor per line."""
    length = len(columns)
    n_factors = fixed.shape[1]
    for start in range(0, length, COLUMNS_AT_A_TIME):
        stop = min(start + COLUMNS_AT_A_TIME, length)
        for factor in range(n_factors):
            line = lines[factor]
            at = np.uint64(factor)
            for n in range(start, stop):
                line[np.uint64(n)] = fixed[np.uint64(columns[np.uint64(n)]), at]
