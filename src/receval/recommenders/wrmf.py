# SPDX-License-Identifier: MIT
"""Weighted matrix factorisation (WRMF) for implicit feedback by alternating least squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import choice, integer, optional_integer, real
from receval.recommenders.equations import solve_rows
from receval.recommenders.librec.java_random import JavaRandom
from receval.recommenders.librec.start import librec_factors
from receval.recommenders.products import inner_products

WEIGHTS = ("binary", "rating", "logarithm")
TARGETS = ("preference", "rating")
SIDES = ("users", "items")
INITIALISATIONS = ("normal", "uniform")
INITIAL_DEVIATION = 0.1


class WRMF(Recommender):
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
    seed : int
        Seed of the initial factors, at least 0.
    librec_seed : int, optional
        Repeat the draws of LibRec 2.0.0, from ``java.util.Random`` with this seed, instead of those
        from ``seed`` (:mod:`receval.recommenders.librec.java_random`). LibRec processes users and
        items in the order of their first appearance.

    Attributes
    ----------
    user_factors_ : ndarray of float32, shape (n_users, factors)
        x_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        y_i, one column each.
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

    >>> from scipy.sparse import csr_array
    >>> group = [[5, 4, 0], [4, 5, 3], [5, 3, 4]]
    >>> train = csr_array(np.kron(np.eye(2), group).astype(np.float32))
    >>> scores = WRMF(factors=2, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]
    objective_: NDArray[np.float64]

    def __init__(
        self,
        factors: int = 10,
        alpha: float = 1.0,
        regularisation: float = 0.015,
        iterations: int = 15,
        weights: str = "binary",
        target: str = "preference",
        first: str = "users",
        initialisation: str = "normal",
        seed: int = 0,
        librec_seed: int | None = None,
    ) -> None:
        self.weights = choice(self, "weights", weights, WEIGHTS)
        highest = 30 if self.weights == "logarithm" else None
        self.factors = integer(self, "factors", factors, lowest=1)
        self.alpha = real(self, "alpha", alpha, lowest=0, highest=highest)
        self.regularisation = real(self, "regularisation", regularisation, lowest=0)
        self.iterations = integer(self, "iterations", iterations, lowest=1)
        self.target = choice(self, "target", target, TARGETS)
        self.first = choice(self, "first", first, SIDES)
        self.initialisation = choice(self, "initialisation", initialisation, INITIALISATIONS)
        self.seed = integer(self, "seed", seed, lowest=0)
        self.librec_seed = optional_integer(self, "librec_seed", librec_seed, lowest=0)

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
        self.objective_ = np.empty(2 * self.iterations)
        for half in range(2 * self.iterations):
            side, other = order[half % 2], order[1 - half % 2]
            fixed = factors[other]
            roots, pulls = systems[side]
            factors[side], gained = _solve(roots, pulls, fixed, self.regularisation)
            penalty = self.regularisation * float(np.sum(fixed**2))
            self.objective_[half] = constant - gained + penalty
        self.user_factors_ = factors["users"].astype(np.float32)
        self.user_factors_[np.diff(train.indptr) == 0] = np.nan
        self.item_factors_ = np.ascontiguousarray(factors["items"].T, dtype=np.float32)

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

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)


def _solve(
    roots: csr_array, pulls: csr_array, fixed: NDArray[np.float64], regularisation: float
) -> tuple[NDArray[np.float64], float]:
    """Solve for all rows of one side.

    Parameters
    ----------
    roots, pulls : csr_array of float32 or float64, shape (n, n_fixed)
        For the ratings, the square root of ``c - 1`` and the product ``c t``.
    fixed : ndarray of float64, shape (n_fixed, factors)
        Factors of the other side.
    regularisation : float
        The parameter.

    Returns
    -------
    solved : ndarray, shape (n, factors)
        The solutions.
    gained : float
        Decrease of the objective relative to solutions of 0.
    """
    gram = fixed.T @ fixed
    gram[np.diag_indices_from(gram)] += regularisation
    solved = np.zeros((roots.shape[0], fixed.shape[1]))
    arguments = (roots.indptr, roots.indices, roots.data, pulls.data, fixed, gram, solved)
    return solved, solve_rows(*arguments)
