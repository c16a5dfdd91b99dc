# SPDX-License-Identifier: MIT
"""Poisson factorisation, trained or, as released in LibRec 2.0.0, untrained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, psi

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, LibRecSeed, Positive, Seed, refuse_negative
from receval.recommenders.em import SharedRatings, exponentiated
from receval.recommenders.librec.java_random import JavaRandom, librec_factors, rated_rows, spread
from receval.recommenders.products import FactorModel

# Initial expectations differ from the prior's by at most this fraction.
INITIAL_SPREAD = 0.01

# The distribution of the factors that LibRec 2.0.0 draws.
SHAPE, SHAPE_SPREAD = 0.1, 0.01
RATE, RATE_SPREAD = 0.1, 0.1


@dataclass(eq=False, repr=False)
class PoissonFactorisation(FactorModel):
    """Ratings as Poisson counts around a product of gamma factors, with gamma activities.

    ``r_ui ~ Poisson(sum_k t_uk b_ik)`` for all pairs, where unrated pairs are counts of 0; ``t_uk ~
    Gamma(shape, x_u)`` with ``x_u ~ Gamma(activity_shape, activity_shape / activity_mean)``, and
    likewise b_ik with a rate of the item's (second arguments are rates). Variational inference
    approximates the posterior by independent gamma distributions and increases the evidence lower
    bound in alternating steps: the shares of a rating, in proportion to ``exp(E[log t_uk] + E[log
    b_ik])``; the factors of users; their rates; the factors of items; their rates. Score ``sum_k
    E[t_uk] E[b_ik]``, the expected rating.

    NaN for all items of users without training ratings. Items without training ratings have the
    small scores of the prior, which are similar for all users.

    Parameters
    ----------
    factors : int
        Length of t_u and b_i, at least 1.
    iterations : int
        At least 1.
    shape : float
        Shape of the factors' prior, above 0; below 1 it makes them sparse.
    activity_shape, activity_mean : float
        Shape and mean of the rates' prior, above 0.

    Attributes
    ----------
    bound_ : ndarray of float64, shape (iterations + 1,)
        The evidence lower bound before the first and after every iteration (without the constant
        ``-sum log r_ui!``); it never decreases, except for rounding to float32.

    References
    ----------
    Gopalan, Hofman and Blei, "Scalable Recommendation with Hierarchical Poisson Factorization", UAI
    2015, figure 4, with their priors as defaults: a = a' = c = c' = 0.3 and b' = d' = 1.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = PoissonFactorisation(factors=2, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    factors: AtLeastOne = 50
    iterations: AtLeastOne = 100
    shape: Positive = 0.3
    activity_shape: Positive = 0.3
    activity_mean: Positive = 1.0
    seed: Seed = 0

    def _fit(self, train: RatingMatrix) -> None:
        refuse_negative(self, train, "counts")
        ratings = SharedRatings(train)
        by_user = np.asarray(train.sum(axis=1, dtype=np.float64))
        by_item = np.asarray(train.sum(axis=0, dtype=np.float64))
        generator = np.random.Generator(np.random.PCG64(self.seed))
        users, items = (self._initial(generator, size) for size in train.shape)
        prior = (self.shape, self.activity_shape, self.activity_mean)
        self.bound_: NDArray[np.float64] = np.empty(self.iterations + 1)
        for iteration in range(self.iterations + 1):
            user_logarithms, item_logarithms = users.logarithms(), items.logarithms()
            user_table, user_scales = exponentiated(user_logarithms)
            item_table, item_scales = exponentiated(item_logarithms)
            ratios = ratings.ratios(user_table, item_table)
            self.bound_[iteration] = (
                ratios.log_likelihood
                + by_user @ user_scales
                + by_item @ item_scales
                - users.means().sum(axis=0) @ items.means().sum(axis=0)
                - users.divergence(user_logarithms, *prior)
                - items.divergence(item_logarithms, *prior)
            )
            if iteration < self.iterations:
                users = self._updated(user_table * ratios.users, users, items)
                items = self._updated(item_table * ratios.items, items, users)
        self._keep_factors(train, users.means(), items.means())

    def _initial(self, generator: np.random.Generator, size: int) -> _Side:
        spread = 1 + INITIAL_SPREAD * generator.random((2, size, self.factors))
        rate = self.activity_shape / self.activity_mean * np.ones(size)
        activity_shape = self.activity_shape + self.factors * self.shape
        return _Side(self.shape * spread[0], self.activity_mean * spread[1], activity_shape, rate)

    def _updated(self, shares: NDArray[np.float32], old: _Side, other: _Side) -> _Side:
        """Return one side after updating its factors and then its rates."""
        shapes = self.shape + shares.astype(np.float64)
        rates = (old.activity_shape / old.activity_rates)[:, None] + other.means().sum(axis=0)
        activity_rates = self.activity_shape / self.activity_mean + (shapes / rates).sum(axis=1)
        return _Side(shapes, rates, old.activity_shape, activity_rates)


class _Side(NamedTuple):
    """Gamma distributions of user or item factors, and of the rates of their priors.

    Shapes and rates of the factors have shape (n, factors), ``activity_rates`` has shape (n,). The
    shape parameter of the rates' distributions is the same for all.
    """

    shapes: NDArray[np.float64]
    rates: NDArray[np.float64]
    activity_shape: float
    activity_rates: NDArray[np.float64]

    def means(self) -> NDArray[np.float64]:
        return self.shapes / self.rates

    def logarithms(self) -> NDArray[np.float64]:
        return psi(self.shapes) - np.log(self.rates)

    def divergence(
        self,
        logarithms: NDArray[np.float64],
        shape: float,
        activity_shape: float,
        activity_mean: float,
    ) -> float:
        """Return the sum of expected Kullback-Leibler divergences from the priors."""
        activities = self.activity_shape / self.activity_rates
        activity_logarithms = psi(self.activity_shape) - np.log(self.activity_rates)
        number, factors = self.shapes.shape
        # The entropy of a factor is -E[log q]; its prior's rate is a random variable too.
        own = self.shapes * np.log(self.rates) - gammaln(self.shapes) - self.shapes
        own += (self.shapes - shape) * logarithms + activities[:, None] * self.means()
        constant = shape * factors * activity_logarithms.sum() - number * factors * gammaln(shape)
        rate = activity_shape / activity_mean
        above = (
            self.activity_shape * np.log(self.activity_rates)
            - gammaln(self.activity_shape)
            - self.activity_shape
            + (self.activity_shape - activity_shape) * activity_logarithms
            + rate * activities
        )
        prior = number * (activity_shape * np.log(rate) - gammaln(activity_shape))
        return float(own.sum() - constant + above.sum() - prior)


@dataclass(eq=False, repr=False)
class UntrainedPoissonFactorisation(FactorModel):
    """Random factors, which rank items in similar order for all users.

    ``s(u, i) = sum_k t_uk b_ik`` with ``t_uk = (0.1 + 0.01 random) / (0.1 + 0.1 random_k)``, where
    the rate is the same for all users, and b_ik likewise; random is uniform on [0, 1). LibRec
    2.0.0's ``bpoissmf`` discards what it computes in each iteration, and ignores the parameters of
    its priors, so it ranks by this initialisation, whatever the ratings are.
    :class:`PoissonFactorisation` is the trained system.

    NaN for all items of users without training ratings. Items without training ratings are scored
    like all others.

    References
    ----------
    LibRec 2.0.0, class ``BPoissMFRecommender``, meant to be Gopalan, Hofman and Blei, UAI 2015.
    """

    factors: AtLeastOne = 10
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        if self.librec_seed is not None:
            users, items = self._librec_tables(JavaRandom(self.librec_seed), train)
        else:
            generator = np.random.Generator(np.random.PCG64(self.seed))
            users, items = (
                (SHAPE + SHAPE_SPREAD * generator.random((size, self.factors)))
                / (RATE + RATE_SPREAD * generator.random(self.factors))
                for size in train.shape
            )
        self._keep_factors(train, users, items)

    def _librec_tables(
        self, java: JavaRandom, train: RatingMatrix
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Draw as LibRec does, after factors and rates that it draws but does not use."""
        librec_factors(java, train, self.factors)
        java.doubles(2, self.factors)
        tables = []
        for present in rated_rows(train):
            # The shapes of the first row alternate with the rates; the shapes of the others follow.
            first, rates = java.doubles(self.factors, 2).T
            others = java.doubles(int(present.sum()) - 1, self.factors)
            shapes = SHAPE + SHAPE_SPREAD * np.vstack([first, others])
            tables.append(spread(shapes / (RATE + RATE_SPREAD * rates), present))
        return tables[0], tables[1]
