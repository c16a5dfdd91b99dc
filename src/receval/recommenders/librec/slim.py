# SPDX-License-Identifier: MIT
"""LibRec's SLIM, fitted to averages over the raters of each neighbour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import BLOCK_USERS, RatingMatrix, Recommender
from receval.recommenders.checks import AtLeastOne, LibRecSeed, NonNegative, OneOf, Seed
from receval.recommenders.librec.java_random import (
    JavaRandom,
    hash_set_order,
    rated_rows,
    read_by_column_iterator,
)
from receval.recommenders.neighbourhood import co_rated_cosines
from receval.recommenders.products import csr_parts, sparse_products
from receval.storage.kernel_cache import njit


@dataclass(eq=False, repr=False)
class LibRecSLIM(Recommender):
    """A sparse linear model over each item's nearest items, with gradients averaged over raters.

    ``s(u, i) = sum_{j in N(i)} p_uj w_ji``, where N(i) are the k items most similar to i by the
    cosine over common ratings with shrinkage (`receval.recommenders.neighbourhood`) and
    ``p_uj = r_uj``. Coordinate descent sets, one neighbour j after another,

    ``w_ji = S(g, l1) / (h + l2)``, ``g = mean_u r_uj (r_ui - s_-j(u, i))``, ``h = mean_u r_uj^2``,

    with S(g, l1) = sign(g) max(|g| - l1, 0), s_-j the score without j's part, r_ui = 0 where u did
    not rate i, and both means over the users whose rating of j is not 0. It descends to the minimum
    of ``1/2 |r_i - R w|^2 + sum_j n_j (l2/2 w_j^2 + l1 |w_j|)``, with n_j the number of those
    users: popular neighbours are penalised more. Unlike in the paper, weights may be negative.

    A sweep visits all neighbours of all items. Weights start uniformly random on [0, 1). From the
    second sweep on, training ends early if the loss (see `loss_`) has not decreased by at least the
    tolerance. The steps do not minimise this loss, so it may increase.

    NaN for all items of users without training ratings. The score is 0 if the user rated no
    neighbour of the item, and for items without training ratings.

    Parameters
    ----------
    neighbours : int
        k, at least 1. Ties for the last of the k are broken as in LibRec, by a heap into which the
        items are inserted in order.
    shrinkage : float
        At least 0, in common ratings.
    l1, l2 : float
        At least 0, in squared ratings (they are compared with means, not with sums).
    profiles : str
        ``"whole"``, or ``"misread"`` to repeat an error of LibRec as edited by Mena-Maldonado et
        al. to keep ratings of value 0. Iterating over a user's ratings, it skips the n-th rating in
        the order of (user, item) if the n-th in the order of (item, user) is 0, unless it is the
        user's first that is not 0. A skipped rating has ``p_uj = 0`` in the scores and in s_-j, but
        not in the r_uj of g and h. The published values have this error; the descent then minimises
        no objective, and depends on the order of users and items.
    librec_seed : int, optional
        Besides the draws, repeat the order of a Java set in which LibRec visits the neighbours of
        an item (:mod:`receval.recommenders.librec.java_random`).

    Attributes
    ----------
    profiles_ : csr_array of float32, shape (n_users, n_items)
        p_uj, with an entry for every training rating.
    weights_ : csr_array of float32, shape (n_items, n_items)
        w_ji in row j, without entries of value 0.
    loss_ : ndarray of float64, shape (n_sweeps,)
        Of each sweep done, the sum over its steps of
        ``mean_u (r_ui - s_-j(u, i))^2 + l2/2 w_ji^2 + l1 w_ji``, with w_ji before the step.

    References
    ----------
    Ning and Karypis, "SLIM: Sparse Linear Methods for Top-N Recommender Systems", ICDM 2011, in
    the form of LibRec 2.0 (Guo, Zhang, Sun and Yorke-Smith, "LibRec: A Java Library for Recommender
    Systems", UMAP 2015), as used by Mena-Maldonado, Cañamares, Castells, Ren and Sanderson,
    "Popularity Bias in False-Positive Metrics for Recommender Systems Evaluation", TOIS 2021.
    """

    neighbours: AtLeastOne = 50
    shrinkage: NonNegative = 10.0
    l1: NonNegative = 1.0
    l2: NonNegative = 5.0
    sweeps: AtLeastOne = 40
    tolerance: NonNegative = 1e-5
    profiles: Annotated[str, OneOf("whole", "misread")] = "whole"
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        raters = train.T.tocsr()
        neighbours, found = self._nearest_items(train, raters)
        profiles = train if self.profiles == "whole" else _misread(train)
        read = profiles.T.tocsr().data[raters.data != 0]
        raters.eliminate_zeros()
        weights = self._initial(train, neighbours)
        losses: list[float] = []
        while len(losses) < self.sweeps:
            loss = _sweep(
                *csr_parts(raters),
                read,
                neighbours,
                found,
                self.l1,
                self.l2,
                np.zeros(self.n_users_),
                weights,
            )
            losses.append(loss)
            if len(losses) > 1 and losses[-2] - losses[-1] < self.tolerance:
                break
        self.loss_ = np.array(losses)
        self.profiles_ = profiles
        kept = (np.arange(neighbours.shape[1]) < found[:, None]) & (weights != 0)
        items = np.repeat(np.arange(self.n_items_), kept.sum(axis=1))
        self.weights_ = csr_array(
            (weights[kept].astype(np.float32), (neighbours[kept], items)),
            shape=(self.n_items_, self.n_items_),
        )

    def _initial(self, train: RatingMatrix, neighbours: NDArray[np.int32]) -> NDArray[np.float64]:
        if self.librec_seed is not None:
            # LibRec draws a weight for every pair of items, but uses only those of neighbours.
            _, of_items = rated_rows(train)
            numbers = np.cumsum(of_items) - 1
            size = int(of_items.sum())
            drawn = JavaRandom(self.librec_seed).doubles(size, size)
            return drawn[numbers[neighbours], np.maximum(numbers, 0)[:, None]]
        generator = np.random.Generator(np.random.PCG64(self.seed))
        return generator.random(neighbours.shape)

    def _nearest_items(
        self, train: RatingMatrix, raters: RatingMatrix
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        items = np.arange(self.n_items_, dtype=np.int64)
        nearest = np.zeros((self.n_items_, min(self.neighbours, self.n_items_)), dtype=np.int32)
        found = np.zeros(self.n_items_, dtype=np.int32)
        numbers = np.cumsum(rated_rows(train)[1]) - 1
        for first in range(0, self.n_items_, BLOCK_USERS):
            rows = slice(first, first + BLOCK_USERS)
            similarities = co_rated_cosines(items[rows], raters, train, self.shrinkage)
            _take_nearest(similarities, nearest[rows], found[rows])
            for values, heap, size in zip(similarities, nearest[rows], found[rows], strict=True):
                heap[:size] = self._in_order(values, heap[:size], numbers)
        return nearest, found

    def _in_order(
        self, similarities: NDArray[np.float64], heap: NDArray[np.int32], numbers: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Return the nearest items in the order of the sweeps."""
        if self.librec_seed is None:
            return np.sort(heap)
        if np.count_nonzero(similarities) > self.neighbours:
            added = heap[np.argsort(-similarities[heap], kind="stable")]
            capacity = 2 * len(heap)
        else:
            added, capacity = np.sort(heap), 3 * len(heap) // 2
        return added[hash_set_order(numbers[added], capacity)]

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[np.diff(self.profiles_.indptr)[users] > 0] = 0
        sparse_products(users, self.profiles_, self.weights_, scores)


def _misread(train: RatingMatrix) -> RatingMatrix:
    """Return the ratings, with those that the edited LibRec skips set to 0."""
    read = read_by_column_iterator(train)
    return csr_array((train.data * read, train.indices, train.indptr), shape=train.shape)


@njit(cache=True)
def _take_nearest(similarities, nearest, found):  # type: ignore[no-untyped-def]
    n_rows, most = nearest.shape
    for row in range(n_rows):
        values = similarities[row]
        heap = nearest[row]
        size = 0
        for item in range(len(values)):
            value = values[item]
            if value == 0.0 or (size == most and value <= values[heap[0]]):
                continue
            if size == most:
                # Remove the root, sift the last element down from the top, then add the new one.
                # This decides which of several equal elements is removed next.
                size -= 1
                last = heap[size]
                position = 0
                while 2 * position + 1 < size:
                    child = 2 * position + 1
                    if child + 1 < size and values[heap[child + 1]] < values[heap[child]]:
                        child += 1
                    if values[last] <= values[heap[child]]:
                        break
                    heap[position] = heap[child]
                    position = child
                heap[position] = last
            position = size
            size += 1
            while position > 0 and value < values[heap[(position - 1) >> 1]]:
                heap[position] = heap[(position - 1) >> 1]
                position = (position - 1) >> 1
            heap[position] = item
        found[row] = size


@njit(cache=True)
def _sweep(  # type: ignore[no-untyped-def]
    starts, users, values, read, neighbours, found, l1, l2, residuals, weights
):
    loss = 0.0
    for item in range(len(found)):
        residuals[:] = 0.0
        for entry in range(np.uint64(starts[item]), np.uint64(starts[item + 1])):
            residuals[np.uint64(users[entry])] = np.float64(values[entry])
        for n in range(found[item]):
            weight = weights[item, n]
            if weight != 0.0:
                other = neighbours[item, n]
                for entry in range(np.uint64(starts[other]), np.uint64(starts[other + 1])):
                    residuals[np.uint64(users[entry])] -= weight * read[entry]
        for n in range(found[item]):
            other = neighbours[item, n]
            first = np.uint64(starts[other])
            last = np.uint64(starts[other + 1])
            if first == last:
                continue
            weight = weights[item, n]
            gradient = 0.0
            squares = 0.0
            errors = 0.0
            for entry in range(first, last):
                rating = np.float64(values[entry])
                error = residuals[np.uint64(users[entry])] + weight * read[entry]
                gradient += rating * error
                squares += rating * rating
                errors += error * error
            count = np.float64(last - first)
            gradient /= count
            loss += errors / count + 0.5 * l2 * weight * weight + l1 * weight
            updated = 0.0
            if abs(gradient) > l1:
                updated = (gradient - np.sign(gradient) * l1) / (l2 + squares / count)
            if updated != weight:
                change = weight - updated
                for entry in range(first, last):
                    residuals[np.uint64(users[entry])] += change * read[entry]
                weights[item, n] = updated
    return loss
