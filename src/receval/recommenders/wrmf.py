# SPDX-License-Identifier: MIT
"""Weighted matrix factorisation (WRMF) for implicit feedback by alternating least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import (
    AtLeastOne,
    LibRecSeed,
    NonNegative,
    Number,
    OneOf,
    Seed,
    checked_parameter,
)
from receval.recommenders.cholesky import solve_rows
from receval.recommenders.librec.java_random import JavaRandom, librec_factors
from receval.recommenders.products import FactorModel, csr_parts

SIDES = ("users", "items")
INITIAL_DEVIATION = 0.1


@dataclass(eq=False, repr=False)
class WRMF(FactorModel):
    """Factors that distinguish rated from unrated pairs, with more confidence in rated ones.

    Minimises ``sum_ui c_ui (t_ui - x_u . y_i)^2 + regularisation (sum |x_u|^2 + sum |y_i|^2)`` over
    all pairs. Unrated pairs have ``t_ui = 0`` and ``c_ui = 1``. Rated pairs, including those of
    value 0, have

    - ``t_ui = 1`` (``target="preference"``) or ``t_ui = r_ui`` (``target="rating"``);
    - ``c_ui = 1 + alpha`` (``weights="binary"``), ``1 + alpha r_ui`` (``weights="rating"``) or
      ``1 + ln(1 + 10^alpha r_ui)`` (``weights="logarithm"``).

    Score ``x_u . y_i``. An iteration solves exactly for all x_u and for all y_i, in the order given
    by ``first``, so the objective never increases, except for rounding. Equations are solved in
    double precision. In float32, rounding errors would be up to a hundred times the difference
    between some neighbours in a list, and depend on the order of summation of a processor's BLAS.

    NaN for all items of users without training ratings. Items without training ratings have
    ``y_i = 0`` and score 0.

    Parameters
    ----------
    factors : int
        Length of x_u and y_i, at least 1.
    alpha : float
        Confidence of a rating, at least 0; with ``weights="logarithm"`` a power of ten, at most
        30.
    regularisation : float
        At least 0; not multiplied by the number of ratings.
    iterations : int
        Number of times both sides are solved, at least 1.
    weights : str
        ``"binary"``, ``"rating"`` or ``"logarithm"``; the last two refuse ratings below 0.
    target : str
        ``"preference"`` or ``"rating"``.
    first : str
        ``"users"`` or ``"items"``, the side that is solved first; the initial factors of the other
        side are the only ones that matter.
    initialisation : str
        ``"normal"``: initial factors normally distributed around 0 with deviation 0.1;
        ``"uniform"``: uniformly on [0, factors^-1/2). Not used with ``librec_seed``, which starts
        like ``"normal"``.

    Attributes
    ----------
    objective_ : ndarray of float64, shape (2 * iterations,)
        The objective after each of the two solutions of every iteration.

    References
    ----------
    Hu, Koren and Volinsky, "Collaborative Filtering for Implicit Feedback Datasets", ICDM 2008,
    section 4: weights ``"binary"`` or ``"rating"``, target ``"preference"``. The defaults are
    MyMediaLite's. LibRec 2.0.0 has weights ``"logarithm"``, with its coefficient, such as 4, as the
    power of ten. RankSys' ``HKVFactorizer`` has target ``"rating"``, solves the items first and
    initialises uniformly.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = WRMF(factors=2, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    factors: AtLeastOne = 10
    alpha: float = 1.0
    regularisation: NonNegative = 0.015
    iterations: AtLeastOne = 15
    weights: Annotated[str, OneOf("binary", "rating", "logarithm")] = "binary"
    target: Annotated[str, OneOf("preference", "rating")] = "preference"
    first: Annotated[str, OneOf("users", "items")] = "users"
    initialisation: Annotated[str, OneOf("normal", "uniform")] = "normal"
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def __post_init__(self) -> None:
        super().__post_init__()
        highest = 30 if self.weights == "logarithm" else None
        self.alpha = checked_parameter(self, "alpha", self.alpha, Number(0, highest))

    def _fit(self, train: RatingMatrix) -> None:
        if self.weights != "binary" and train.data.min() < 0:
            raise ValueError(
                f"WRMF: with weights={self.weights!r} the confidence of a rating grows with its "
                f"value, but the smallest rating is {train.data.min()}: ratings must be at least 0."
            )
        extra = self._extra_confidences(train.data)
        if self.librec_seed is not None:
            # LibRec's factors are also in double precision.
            extra = extra.astype(np.float64)
        targets = np.ones_like(extra) if self.target == "preference" else train.data
        constant = float(np.sum((1 + extra) * targets**2, dtype=np.float64))
        by_user, by_item = [], []
        for values in (np.sqrt(extra), (1 + extra) * targets):
            by_user.append(csr_array((values, train.indices, train.indptr), shape=train.shape))
            by_item.append(by_user[-1].T.tocsr())
        systems = {"users": by_user, "items": by_item}

        order = SIDES if self.first == "users" else SIDES[::-1]
        factors = {order[1]: self._initial(train, SIDES.index(order[1])).astype(np.float64)}
        self.objective_: NDArray[np.float64] = np.empty(2 * self.iterations)
        for half in range(2 * self.iterations):
            side, other = order[half % 2], order[1 - half % 2]
            fixed = factors[other]
            roots, pulls = systems[side]
            factors[side], gained = _solve(roots, pulls, fixed, self.regularisation)
            penalty = self.regularisation * float(np.sum(fixed**2))
            self.objective_[half] = constant - gained + penalty
        self._keep_factors(train, factors["users"], factors["items"])

    def _extra_confidences(self, values: NDArray[np.float32]) -> NDArray[np.floating]:
        """Return c_ui - 1 of the ratings."""
        if self.weights == "binary":
            return np.full_like(values, self.alpha)
        if self.weights == "rating":
            return np.float32(self.alpha) * values
        return np.log1p(10.0**self.alpha * values.astype(np.float64))

    def _initial(self, train: RatingMatrix, side: int) -> NDArray[np.floating]:
        if self.librec_seed is not None:
            tables = librec_factors(JavaRandom(self.librec_seed), train, self.factors)
            return tables[side]
        generator = np.random.Generator(np.random.PCG64(self.seed))
        shape = (train.shape[side], self.factors)
        if self.initialisation == "normal":
            return generator.standard_normal(shape, dtype=np.float32) * np.float32(
                INITIAL_DEVIATION
            )
        return generator.random(shape, dtype=np.float32) / np.float32(np.sqrt(self.factors))


def _solve(
    roots: csr_array, pulls: csr_array, fixed: NDArray[np.float64], regularisation: float
) -> tuple[NDArray[np.float64], float]:
    """Solve for all rows of one side; return the solutions and how much the objective decreases.

    ``roots`` and ``pulls`` have, for the ratings, the square root of ``c - 1`` and the product
    ``c t``; ``fixed`` are the factors of the other side. The decrease is relative to solutions of
    0.
    """
    gram = fixed.T @ fixed
    gram[np.diag_indices_from(gram)] += regularisation
    solved = np.zeros((roots.shape[0], fixed.shape[1]))
    return solved, solve_rows(*csr_parts(roots), pulls.data, fixed, gram, solved)
