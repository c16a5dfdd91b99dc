# SPDX-License-Identifier: MIT
"""Relevance-based language models (RM1 and RM2) as recommenders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import AtLeastOne, OneOf, positive_ratings
from receval.recommenders.language_model_neighbourhood import (
    SMOOTHINGS,
    LanguageModels,
    check_strength,
    smoothed_models,
)
from receval.recommenders.neighbourhood import nearest_rows_for
from receval.recommenders.products import csr_parts
from receval.storage.kernel_cache import njit

# Number of factors that are multiplied before a logarithm is taken. None exceeds LARGEST_RATIO, so
# that the product stays below the largest float64.
FACTORS = 16
LARGEST_RATIO = 1e18


@dataclass(eq=False, repr=False)
class RelevanceModel(Recommender):
    """The relevance of an item under the language models of the user's neighbours (RM1, RM2).

    N are the k users most similar to u by the cosine of the full rating vectors, I the items that
    u rated, p(i | v) the smoothed language model of v's ratings
    (:func:`receval.recommenders.language_model_neighbourhood.smoothed_models`), and the priors of
    users and items are uniform:

    - ``"rm1"``: ``s(u, i) = log sum_{v in N} p(i | v) prod_{j in I} p(j | v)``, with the whole
      profile drawn from one neighbour;
    - ``"rm2"``: ``s(u, i) = sum_{j in I} log sum_{v in N} p(i | v) p(j | v)``, with each item of
      the profile drawn from a separate neighbour.

    The highest score of a user is subtracted from all, so that float32 can distinguish the best
    items (log-probabilities of profiles are in the thousands). Neither this nor the constants per
    user that the formulas omit change the order. Only ratings above 0 count. I includes the item
    itself if u rated it.

    NaN if no neighbour rated the item. This includes items without training ratings above 0, and
    all items of users without such ratings or without common items with another user.

    Parameters
    ----------
    model : str
        ``"rm1"`` or ``"rm2"``.
    neighbours : int
        k, at least 1.
    smoothing : str
        ``"jelinek-mercer"``, ``"absolute-discounting"`` or ``"dirichlet"``.
    strength : float
        Above 0. For Jelinek-Mercer, the weight of the collection, at most 1; for the others, in
        units of ratings.

    Attributes
    ----------
    neighbours_ : csr_array of float32, shape (n_users, n_users)
        Cosines of each user's neighbours.
    seen_ : csr_array of float64, shape (n_users, n_items)
        The part of p(i | v) from users' own ratings; the entries are the ratings above 0.
    unseen_ : ndarray of float64, shape (n_users,)
        Weight of the collection in p(i | v).
    collection_ : ndarray of float64, shape (n_items,)
        p(i) of the collection.

    References
    ----------
    Parapar, Bellogín, Castells and Barreiro, "Relevance-Based Language Modelling for Recommender
    Systems", IPM 2013, section 3, with uniform priors and neighbourhoods by cosine instead of
    clusters; only items that a neighbour rated are candidates, as in the authors' code (filmyou).

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = RelevanceModel().fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    SHARED_OVER = ("neighbours", "smoothing", "strength")

    model: Annotated[str, OneOf("rm1", "rm2")] = "rm2"
    neighbours: AtLeastOne = 100
    smoothing: Annotated[str, OneOf(*SMOOTHINGS)] = "jelinek-mercer"
    strength: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        self.strength = check_strength(self, self.smoothing, self.strength)

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        ratings = positive_ratings(models[0], train)
        smoothed = [model._smoothed(ratings) for model in models]
        neighbourhoods = nearest_rows_for(ratings, [model.neighbours for model in models])
        for model, nearest, own in zip(models, neighbourhoods, smoothed, strict=True):
            model._keep(nearest, own)

    def _smoothed(self, ratings: RatingMatrix) -> LanguageModels:
        models = smoothed_models(ratings, self.smoothing, self.strength)
        raters = np.repeat(np.arange(self.n_users_), np.diff(ratings.indptr))
        background = models.unseen[raters] * models.collection[ratings.indices]
        if (models.seen.data > LARGEST_RATIO * background).any():
            raise ValueError(
                f"RelevanceModel: the parameter strength is {self.strength}, which smooths so "
                "little that sums of probabilities lose all precision. Set a larger strength, for "
                "example 1e-6."
            )
        return models

    def _keep(self, nearest: RatingMatrix, models: LanguageModels) -> None:
        self.neighbours_ = nearest
        self.seen_ = models.seen
        self.unseen_ = models.unseen
        self.collection_ = models.collection

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        kernel = _score_together if self.model == "rm1" else _score_one_by_one
        kernel(
            users,
            *csr_parts(self.neighbours_)[:2],
            *csr_parts(self.seen_),
            self.unseen_,
            self.collection_,
            scores,
        )


@njit(cache=True)
def _score_together(  # type: ignore[no-untyped-def]
    users, near_starts, near, starts, items, seen, unseen, collection, scores
):
    n_items = len(collection)
    in_profile = np.zeros(n_items, dtype=np.bool_)
    rated = np.zeros(n_items, dtype=np.bool_)
    sums = np.empty(n_items, dtype=np.float64)
    for row in range(len(users)):
        first, last = near_starts[users[row]], near_starts[users[row] + 1]
        own = items[starts[users[row]] : starts[users[row] + 1]]
        if first == last:
            continue
        base = 0.0
        for item in own:
            in_profile[item] = True
            base += np.log(collection[item])
        likelihoods = np.empty(last - first, dtype=np.float64)
        for n in range(last - first):
            user = near[first + n]
            weight = unseen[user]
            likelihood = base + len(own) * np.log(weight)
            for entry in range(starts[user], starts[user + 1]):
                item = items[entry]
                if in_profile[item]:
                    likelihood += np.log1p(seen[entry] / (weight * collection[item]))
            likelihoods[n] = likelihood
        in_profile[own] = False

        highest = likelihoods.max()
        sums[:] = 0.0
        rated[:] = False
        background = 0.0
        for n in range(last - first):
            user = near[first + n]
            likelihood = np.exp(likelihoods[n] - highest)
            background += likelihood * unseen[user]
            for entry in range(starts[user], starts[user + 1]):
                sums[items[entry]] += likelihood * seen[entry]
                rated[items[entry]] = True
        best = -np.inf
        for item in range(n_items):
            if rated[item]:
                sums[item] = np.log(sums[item] + background * collection[item])
                best = max(best, sums[item])
        for item in range(n_items):
            if rated[item]:
                scores[row, item] = sums[item] - best


@njit(cache=True)
def _score_one_by_one(  # type: ignore[no-untyped-def]
    users, near_starts, near, starts, items, seen, unseen, collection, scores
):
    n_items = len(collection)
    own_index = np.full(n_items, -1, dtype=np.int32)
    ends = np.empty(n_items + 1, dtype=np.int32)
    log_collection = np.zeros(n_items, dtype=np.float64)
    for item in range(n_items):
        if collection[item] > 0.0:
            log_collection[item] = np.log(collection[item])
    for row in range(len(users)):
        chosen = near[near_starts[users[row]] : near_starts[users[row] + 1]]
        own = items[starts[users[row]] : starts[users[row] + 1]]
        if len(chosen) == 0:
            continue
        for index in range(len(own)):
            own_index[own[index]] = index

        # p(j | v) / p(j) of the user's items j; the numbers of neighbours by item.
        ratios = np.empty((len(chosen), len(own)), dtype=np.float64)
        ends[:] = 0
        for n in range(len(chosen)):
            ratios[n] = unseen[chosen[n]]
            for entry in range(starts[chosen[n]], starts[chosen[n] + 1]):
                item = items[entry]
                ends[item + 1] += 1
                if own_index[item] >= 0:
                    ratios[n, own_index[item]] += seen[entry] / collection[item]
        own_index[own] = -1

        # The neighbours' ratings over p(i), by item; an end moves from the start of its item's
        # ratings to the start of the next item's.
        for item in range(n_items):
            ends[item + 1] += ends[item]
        raters = np.empty(ends[n_items], dtype=np.int32)
        lifts = np.empty(ends[n_items], dtype=np.float32)
        for n in range(len(chosen)):
            for entry in range(starts[chosen[n]], starts[chosen[n] + 1]):
                item = items[entry]
                raters[ends[item]] = n
                lifts[ends[item]] = seen[entry] / collection[item]
                ends[item] += 1

        # sum_v p(i | v) p(j | v) over what it would be had no neighbour rated i is at least 1:
        # 1 + sum_v lift_vi weight_vj, with weight_vj = p(j | v) / sum_w unseen_w p(j | w).
        # Positions beyond the profile have the weight 0 and do not change the product.
        backgrounds = np.zeros(len(own), dtype=np.float64)
        for n in range(len(chosen)):
            for index in range(len(own)):
                backgrounds[index] += unseen[chosen[n]] * ratios[n, index]
        width = (len(own) + FACTORS - 1) // FACTORS
        weights = np.zeros((len(chosen), width * FACTORS), dtype=np.float32)
        for n in range(len(chosen)):
            for index in range(len(own)):
                weights[n, index] = ratios[n, index] / backgrounds[index]

        sums = np.empty(width * FACTORS, dtype=np.float32)
        products = np.empty(width, dtype=np.float64)
        logarithms = np.full(n_items, np.nan, dtype=np.float64)
        best = -np.inf
        start = 0
        for item in range(n_items):
            stop = ends[item]
            if start == stop:
                continue
            sums[:] = np.float32(1)
            # Four neighbours at a time, so that the sums are read and written a quarter as often.
            fours = start + (stop - start) // 4 * 4
            for entry in range(start, fours, 4):
                a, b, c, d = lifts[entry], lifts[entry + 1], lifts[entry + 2], lifts[entry + 3]
                of_a, of_b = weights[raters[entry]], weights[raters[entry + 1]]
                of_c, of_d = weights[raters[entry + 2]], weights[raters[entry + 3]]
                for index in range(width * FACTORS):
                    first_two = a * of_a[index] + b * of_b[index]
                    sums[index] += first_two + (c * of_c[index] + d * of_d[index])
            for entry in range(fours, stop):
                a, of_a = lifts[entry], weights[raters[entry]]
                for index in range(width * FACTORS):
                    sums[index] += a * of_a[index]
            # One logarithm for many factors.
            products[:] = 1.0
            for factor in range(FACTORS):
                part = sums[factor * width : (factor + 1) * width]
                for index in range(width):
                    products[index] *= part[index]
            logarithm = len(own) * log_collection[item]
            for index in range(width):
                logarithm += np.log(products[index])
            logarithms[item] = logarithm
            best = max(best, logarithm)
            start = stop
        for item in range(n_items):
            if not np.isnan(logarithms[item]):
                scores[row, item] = logarithms[item] - best
