# SPDX-License-Identifier: MIT
"""User-based nearest neighbours on centred ratings, without normalising the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import AtLeastOne, NonNegative, OneOf
from receval.recommenders.model_grid import alike_but_for
from receval.recommenders.products import csr_parts, row_norms
from receval.storage.kernel_cache import njit

BASELINES = ("user-and-item", "item", "user", "global")


@dataclass(frozen=True)
class RatingBaselines:
    """Mean and biases: ``b_ui = mean + users[u] + items[i]``, with biases 0 without ratings."""

    mean: float
    users: NDArray[np.float64]
    items: NDArray[np.float64]


def rating_baselines(
    ratings: RatingMatrix, baseline: str, item_regularisation: float, user_regularisation: float
) -> RatingBaselines:
    """Estimate the biases of the items, and then those of the users.

    With m the mean of all ratings, ``b_i = sum_u (r_ui - m) / (n_i + item_regularisation)`` and
    ``b_u = sum_i (r_ui - m - b_i) / (n_u + user_regularisation)``. The baseline ``"item"`` has
    ``b_u = 0``, ``"user"`` has ``b_i = 0``, and ``"global"`` has both 0.

    Koren, "Factor in the Neighbors: Scalable and Accurate Collaborative Filtering", TKDD 2010,
    section 2.1.
    """
    n_users, n_items = ratings.shape
    users = np.repeat(np.arange(n_users), np.diff(ratings.indptr))
    values = ratings.data.astype(np.float64)
    mean = float(values.mean())
    item_biases, user_biases = np.zeros(n_items), np.zeros(n_users)
    if baseline in ("user-and-item", "item"):
        item_biases = _shrunk_means(ratings.indices, values - mean, n_items, item_regularisation)
    if baseline in ("user-and-item", "user"):
        rest = values - mean - item_biases[ratings.indices]
        user_biases = _shrunk_means(users, rest, n_users, user_regularisation)
    return RatingBaselines(mean, user_biases, item_biases)


def _shrunk_means(
    groups: NDArray[np.integer], values: NDArray[np.float64], size: int, regularisation: float
) -> NDArray[np.float64]:
    sums = np.bincount(groups, weights=values, minlength=size)
    weights = np.bincount(groups, minlength=size) + regularisation
    means = np.zeros(size)
    np.divide(sums, weights, out=means, where=weights > 0)
    return means


class CentredModel(Recommender):
    """Neighbourhoods on ratings from which a baseline is subtracted.

    Attributes
    ----------
    mean_ : float
        m, the mean of all training ratings.
    user_biases_, item_biases_ : ndarray of float32, shapes (n_users,) and (n_items,)
        b_u and b_i.
    """

    mean_: float
    user_biases_: NDArray[np.float32]
    item_biases_: NDArray[np.float32]

    def _baselines(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return b_ui of some users and all items."""
        return np.float32(self.mean_) + self.user_biases_[users, None] + self.item_biases_

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        self._score_grid([self], users, scores[None])


@dataclass(eq=False, repr=False)
class CentredNeighbourhood(CentredModel):
    """A baseline plus the similarity-weighted sum of the neighbours' deviations from it.

    ``s(u, i) = b_ui + sum_v d_uv (r_vi - b_vi)`` over the k users v most similar to u among those
    who rated i, without a denominator, where

    - ``d_uv = n_uv / (n_uv + shrinkage) cos(u, v)``, with n_uv the number of items that both rated
      and the cosine of the full rating vectors; only users with d_uv > 0 count, and equal d_uv (in
      float32) are ordered by user code;
    - ``b_ui = m + b_u + b_i``, with m the mean of all training ratings,
      ``b_i = sum_u (r_ui - m) / (n_i + item_regularisation)`` and
      ``b_u = sum_i (r_ui - m - b_i) / (n_u + user_regularisation)``; the baseline ``"item"`` has
      ``b_u = 0``, ``"user"`` has ``b_i = 0`` and ``"global"`` has both 0.

    No score is NaN; parameters that cannot be estimated are 0. Items without training ratings score
    m + b_u, users without training ratings m + b_i, and items that no similar user rated b_ui.

    With more neighbours, the ranking becomes more similar to popularity, because every rater adds
    to the sum; with few, it stays near the baseline.

    Parameters
    ----------
    shrinkage : float
        At least 0, in common items: with fewer common items, similarities are reduced by more than
        half.
    item_regularisation, user_regularisation : float
        At least 0, in ratings; 0 gives plain means.

    Attributes
    ----------
    item_order_ : ndarray of int32, shape (n_items,)
        The items by descending number of training ratings.
    deviations_ : csr_array of float32, shape (n_users, n_items)
        ``r_vi - b_vi``, columns in `item_order_`. The first `n_crowded_` columns are of items with
        more than k training ratings; their entries end in each row at its `crowded_ends_`.
    ratings_, raters_ : ndarray of float32, and csr_array of shape (n_items, n_users)
        r_vi, in the order of the entries of `deviations_`, and by item in `item_order_`.
    norms_ : ndarray of float64, shape (n_users,)
        Norms of the users' rating vectors.

    References
    ----------
    Cremonesi, Koren and Turrin, "Performance of Recommender Algorithms on Top-N Recommendation
    Tasks", RecSys 2010, section 3 (NNCosNgbr, here over users; over items it is
    `receval.recommenders.centred_item_neighbourhood`). Baselines: Koren, "Factor in the
    Neighbors: Scalable and Accurate Collaborative Filtering", TKDD 2010, section 2.1, whose 25 and
    10 are the defaults of the regularisation.
    """

    SHARED_OVER = ("neighbours", "baseline", "item_regularisation", "user_regularisation")

    neighbours: AtLeastOne = 200
    shrinkage: NonNegative = 100.0
    baseline: Annotated[str, OneOf(*BASELINES)] = "user-and-item"
    item_regularisation: NonNegative = 25.0
    user_regularisation: NonNegative = 10.0

    def _fit(self, train: RatingMatrix) -> None:
        counts = np.bincount(train.indices, minlength=self.n_items_)
        self.item_order_ = np.argsort(-counts, kind="stable").astype(np.int32)
        by_popularity = train[:, self.item_order_].tocsr()
        by_popularity.sort_indices()
        users = np.repeat(np.arange(self.n_users_), np.diff(by_popularity.indptr))

        baselines = rating_baselines(
            by_popularity, self.baseline, self.item_regularisation, self.user_regularisation
        )
        self.mean_ = baselines.mean
        self.user_biases_ = baselines.users.astype(np.float32)
        item_biases = np.empty(self.n_items_)
        item_biases[self.item_order_] = baselines.items
        self.item_biases_ = item_biases.astype(np.float32)

        expected = baselines.mean + baselines.items[by_popularity.indices] + baselines.users[users]
        deviations = by_popularity.data - expected
        self.deviations_ = csr_array(
            (deviations.astype(np.float32), by_popularity.indices, by_popularity.indptr),
            shape=by_popularity.shape,
        )
        # Neighbours need to be counted only for items with more raters than neighbours.
        self.n_crowded_ = int(np.count_nonzero(counts > self.neighbours))
        crowded = by_popularity.indices < self.n_crowded_
        ends = by_popularity.indptr[:-1] + np.bincount(users[crowded], minlength=self.n_users_)
        self.crowded_ends_ = ends.astype(np.int32)
        self.ratings_ = by_popularity.data
        self.raters_ = by_popularity.T.tocsr()
        self.norms_ = row_norms(train)

    @classmethod
    def _score_grid(
        cls, models: Sequence[Self], users: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> None:
        keys = models[0]._nearest_first(users)
        # The nearest few are the first of the nearest many, so one sum suffices for all numbers.
        for alike in alike_but_for(models, ("neighbours",)):
            numbers = sorted({models[index].neighbours for index in alike})
            # With fewer neighbours, more items have more raters than neighbours.
            first = min((models[index] for index in alike), key=lambda model: model.neighbours)
            sums = np.zeros((len(numbers), *scores.shape[1:]), dtype=np.float32)
            _sum_deviations(
                keys,
                *csr_parts(first.deviations_),
                first.crowded_ends_,
                first.n_crowded_,
                np.array(numbers, dtype=np.int64),
                sums,
            )
            baselines = first._baselines(users)
            for index in alike:
                own = scores[index]
                own[:, first.item_order_] = sums[numbers.index(models[index].neighbours)]
                own += baselines

    def _nearest_first(self, users: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return keys of all other users by descending similarity, one row per user."""
        keys = np.zeros((len(users), self.n_users_), dtype=np.int64)
        _similarity_keys(
            users,
            *csr_parts(self.deviations_)[:2],
            self.ratings_,
            *csr_parts(self.raters_),
            self.norms_,
            self.shrinkage,
            keys,
        )
        keys.sort(axis=1)
        return keys


@njit(cache=True)
def _similarity_keys(  # type: ignore[no-untyped-def]
    users, starts, items, values, by_starts, by_users, by_values, norms, shrinkage, keys
):
    n_users = len(norms)
    products = np.zeros(n_users, dtype=np.float64)
    common = np.zeros(n_users, dtype=np.float64)
    similarities = np.zeros(n_users, dtype=np.float32)
    bits = similarities.view(np.int32)
    for row in range(len(users)):
        user = users[row]
        products[:] = 0.0
        common[:] = 0.0
        for entry in range(starts[user], starts[user + 1]):
            value = np.float64(values[entry])
            item = items[entry]
            # Unsigned positions avoid numba's check for negative indices.
            first = np.uint64(by_starts[item])
            end = np.uint64(by_starts[item + 1])
            for position in range(first, end):
                products[np.uint64(by_users[position])] += value * by_values[position]
            if shrinkage > 0.0:
                for position in range(first, end):
                    common[np.uint64(by_users[position])] += 1.0
        products[user] = 0.0
        for other in range(n_users):
            if products[other] > 0.0:
                cosine = products[other] / (norms[user] * norms[other])
                if shrinkage > 0.0:
                    cosine *= common[other] / (common[other] + shrinkage)
                similarities[other] = np.float32(cosine)
                # Ascending keys mean descending similarity, then ascending user code. The bits of
                # positive floats have the same order as the floats.
                keys[row, other] = -(np.int64(bits[other]) << 32) + np.int64(other)


@njit(cache=True)
def _sum_deviations(  # type: ignore[no-untyped-def]
    keys, starts, items, deviations, crowded_ends, n_crowded, numbers, sums
):
    """Add up weighted deviations for several numbers of neighbours, in ascending order.

    Sums over fewer neighbours are partial sums of those over more. Items with more raters than the
    smallest number are called crowded.
    """
    bits = np.zeros(1, dtype=np.int32)
    similarity = bits.view(np.float32)
    used = np.empty(n_crowded, dtype=np.int32)
    last = len(numbers) - 1
    neighbours = numbers[last]
    # The number for which a sum is kept, given how many were added before.
    kept_for = np.empty(neighbours + 1, dtype=np.int64)
    for n in range(neighbours):
        kept_for[n] = np.searchsorted(numbers, n + 1)
    kept_for[neighbours] = last
    for row in range(keys.shape[0]):
        used[:] = 0
        target = sums[last, row]
        # Crowded items are sorted by descending popularity and are completed in nearly that order.
        # All items before the first incomplete one are complete, so most ratings need not be read.
        first_with_room = 0
        for rank in range(keys.shape[1]):
            key = keys[row, rank]
            if key >= 0:
                break
            other = key & 0xFFFFFFFF
            bits[0] = np.int32((other - key) >> 32)
            weight = similarity[0]
            crowded_end = crowded_ends[other]
            if first_with_room < n_crowded:
                low = starts[other]
                high = crowded_end
                while low < high:
                    middle = (low + high) >> 1
                    if items[middle] < first_with_room:
                        low = middle + 1
                    else:
                        high = middle
                # Arithmetic instead of a branch that processors cannot predict. Two loops, because
                # one that also kept unneeded sums would take a sixth longer.
                if last == 0:
                    for entry in range(np.uint64(low), np.uint64(crowded_end)):
                        item = np.uint64(items[entry])
                        room = np.int32(used[item] < neighbours)
                        used[item] += room
                        target[item] += np.float32(room) * (weight * deviations[entry])
                else:
                    for entry in range(np.uint64(low), np.uint64(crowded_end)):
                        item = np.uint64(items[entry])
                        before = used[item]
                        room = np.int32(before < neighbours)
                        used[item] += room
                        target[item] += np.float32(room) * (weight * deviations[entry])
                        sums[kept_for[before], row, item] = target[item]
                while first_with_room < n_crowded and used[first_with_room] == neighbours:
                    first_with_room += 1
            for entry in range(np.uint64(crowded_end), np.uint64(starts[other + 1])):
                target[np.uint64(items[entry])] += weight * deviations[entry]
        # Sums that ended before a number was reached are also those of all larger numbers.
        for n in range(last):
            for crowded in range(n_crowded):
                if numbers[n] >= used[crowded]:
                    sums[n, row, crowded] = target[crowded]
            sums[n, row, n_crowded:] = target[n_crowded:]
